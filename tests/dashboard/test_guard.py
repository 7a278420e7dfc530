"""Nobody but the user's own browser gets at the dashboard, and a page of it can do very little."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Cli
from dashboards import Dashboard, served
from langcrawl.dashboard.guard import is_loopback
from warm import Warm

PAGES = ("/crawls/1", "/crawls/1/hosts", "/crawls/1/why", "/crawls/1/review", "/nothing")


@pytest.fixture(scope="module")
def dashboard(warm: Warm, small_crawl: Path) -> Iterator[Dashboard]:
    with served(warm, small_crawl) as running:
        yield running


@pytest.fixture(scope="module")
def locked(warm: Warm, small_crawl: Path) -> Iterator[Dashboard]:
    with served(warm, small_crawl, "--host", "0.0.0.0") as running:
        yield running


def test_another_name_that_leads_here_is_refused(dashboard: Dashboard) -> None:
    port = dashboard.port
    for host in (f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", "", "localhost"):
        for path in ("/crawls/1", "/crawls/1.json", "/static/dashboard.js", "/crawls/1/events"):
            status, _, text = dashboard.ask(path, Host=host)
            assert (status, "not the dashboard's" in text) == (403, True), (host, path)
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
        assert dashboard.ask("/crawls/1", Host=host)[0] == 200


def test_only_our_own_page_may_change_anything(dashboard: Dashboard) -> None:
    ours = f"http://127.0.0.1:{dashboard.port}"
    form, as_json = "application/x-www-form-urlencoded", "application/json"
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{dashboard.port}", ""):
        for path in ("/crawls/1/stop", "/crawls/1/change", "/crawls/1/review"):
            status, _, text = dashboard.ask(path, "POST", "x=1", Origin=origin, Content_Type=form)
            assert (status, "another site" in text) == (403, True)
            answer = dashboard.ask(path, "POST", "{}", Origin=origin, Content_Type=as_json)
            assert answer[0] == 403
    assert dashboard.ask("/crawls/1/stop", "POST", "", Content_Type=form)[0] == 403
    assert dashboard.ask("/crawls/1/stop", "POST", "{}", Content_Type="text/plain")[0] == 403
    # What is let through reaches the crawl, which does not run.
    for headers in ({"Origin": ours, "Content_Type": form}, {"Content_Type": as_json}):
        status, _, text = dashboard.ask("/crawls/1/stop", "POST", "{}", **headers)
        assert (status, "answers; start it with" in text) == (400, True)


def test_other_sites_cannot_read_or_embed(dashboard: Dashboard) -> None:
    for mode in ("cors", "no-cors", "same-origin"):
        status, _, _ = dashboard.ask("/crawls/1.json", Sec_Fetch_Site="cross-site",
                                     Sec_Fetch_Mode=mode)  # fmt: skip
        assert status == 403
    status, headers, _ = dashboard.ask(
        "/crawls/1", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate"
    )
    assert status == 200, "a link from elsewhere may lead here"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["referrer-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_pages_run_no_script_but_ours(dashboard: Dashboard) -> None:
    for path in PAGES:
        _, headers, text = dashboard.ask(path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"<script(?! src=\"/static/)", text)
        assert not re.search(r"<style|\sstyle=|\son\w+=", text), path


def test_beyond_this_machine_a_token_is_needed(locked: Dashboard) -> None:
    host = f"0.0.0.0:{locked.port}"
    assert "?token=" in locked.url
    token = locked.url.partition("?token=")[2]
    assert len(token) >= 20
    for path in ("/", "/crawls/1.json", "/static/dashboard.js", "/?token=wrong", "/?token="):
        assert locked.ask(path, Host=host)[0] == 401, path
    assert locked.ask("/crawls/1.json", Host=host, Cookie="langcrawl-token=x")[0] == 401
    assert locked.ask("/crawls/1.json", Host=host, Authorization="Bearer x")[0] == 401
    assert locked.ask("/crawls/1.json", Host=host, Authorization=f"Bearer {token}")[0] == 200
    status, headers, _ = locked.ask(f"/crawls/1?x=1&token={token}", Host=host)
    assert (status, headers["location"]) == (303, "/crawls/1?x=1")
    cookie = headers["set-cookie"]
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    assert locked.ask("/crawls/1", Host=host, Cookie=cookie.partition(";")[0])[0] == 200
    status, headers, _ = locked.ask(f"//evil.example/?token={token}", Host=host)
    assert not headers.get("location", "/").startswith("//")


@pytest.mark.parametrize(
    ("host", "own"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("::", False), ("192.168.1.2", False), ("localhost.evil", False)],
)  # fmt: skip
def test_what_is_this_machine(host: str, own: bool) -> None:
    assert is_loopback(host) is own


def test_what_cannot_be_served_is_told(
    dashboard: Dashboard, cli: Cli, small_crawl: Path, tmp_path: Path
) -> None:
    done = cli("dashboard", small_crawl, "--port", str(dashboard.port))
    assert done.returncode == 1
    assert "name another with --port" in done.stderr
    done = cli("dashboard", tmp_path)
    assert (done.returncode, "is not a crawl directory" in done.stderr) == (1, True)
