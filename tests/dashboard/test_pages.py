"""Every view as HTML and as JSON, and what strangers wrote shown as what it is: text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboards import Dashboard, crawl_hostile, linked_copy, served
from langcrawl.dashboard.charts import Line, crawl_charts, draw, ticks
from langcrawl.dashboard.shown import shown, span, web_link
from warm import Warm


@pytest.fixture(scope="module")
def dashboard(
    warm: Warm, small_crawl: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    folder = tmp_path_factory.mktemp("crawls")
    directory = folder / "<b>hostile & co"
    crawl_hostile(directory)
    with served(warm, linked_copy(small_crawl, folder / "small"), directory) as running:
        yield running


def test_several_crawls_stand_in_one_view(dashboard: Dashboard) -> None:
    found = dashboard.json("/index.json")["crawls"]
    assert [crawl["crawl"] for crawl in found] == [1, 2]
    assert found[0]["state"] == "ended (queue-empty)"
    status, _, text = dashboard.ask("/")
    assert status == 200
    assert text.count("<article") == 2
    assert "&lt;b&gt;hostile &amp; co" in text


def test_every_view_is_also_json(dashboard: Dashboard) -> None:
    crawl = dashboard.json("/crawls/1.json")
    assert crawl["status"]["pages"] > 200
    assert crawl["history"][-1]["pages"] == crawl["status"]["pages"]
    page = crawl["pages"][0]
    assert page["language"] == "th"
    assert any("\u0e00" <= letter <= "\u0e7f" for letter in page["text"])
    assert crawl["failures"][0]["status"] == 404
    one = dashboard.json("/crawls/1/page.json", url=page["url"])
    assert one["relevant"] is True
    assert one["text"]
    why = dashboard.json("/crawls/1/why.json", url=page["url"])
    assert why["found"]["state"] == "downloaded"
    assert why["found"]["path"][-1]["url"] == page["url"]
    preview = dashboard.json("/crawls/1/preview.json", exclude="/news/")
    assert preview["patterns"] == ["/news/"]
    assert dashboard.json("/crawls/1/review.json")["figures"] is None
    for path in (
        "/crawls/1", "/crawls/1/hosts", f"/crawls/1/page?{urlencode({'url': page['url']})}",
        f"/crawls/1/why?{urlencode({'url': page['url']})}", "/crawls/1/preview?exclude=x",
        "/crawls/1/review",
    ):  # fmt: skip
        status, headers, text = dashboard.ask(path)
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8"), path
        assert '<main id="main"' in text
        assert "<nav aria-label" in text


def test_hosts_are_searched_and_sorted(dashboard: Dashboard) -> None:
    found = dashboard.json("/crawls/1/hosts.json", search="example", sort="relevant")
    hosts = [row["host"] for row in found["hosts"]]
    assert set(hosts) == {"khao.example.co.th", "recipes.example.net", "choir.example.org"}
    assert hosts[0] == "khao.example.co.th"
    assert dashboard.json("/crawls/1/hosts.json", search="100%_")["total"] == 0
    wasted = dashboard.json("/crawls/1/hosts.json", sort="wasted")["hosts"]
    lost = [row["pages"] - row["relevant"] for row in wasted]
    assert lost == sorted(lost, reverse=True)


@pytest.mark.parametrize(
    ("path", "code", "says"),
    [
        ("/crawls/9.json", 404, "there is no crawl 9 here"),
        ("/crawls/1/hosts.json?sort=size", 400, "hosts can be sorted by"),
        ("/crawls/1/page.json?url=javascript:alert(1)", 400, "is not a URL"),
        ("/crawls/1/page.json?url=http://never.seen/", 400, "was not downloaded"),
        ("/crawls/1/preview.json?exclude=(", 400, "not a regular expression"),
        ("/crawls/1/preview.json", 400, "nothing to change"),
        ("/crawls/1/preview.json?exclude_hosts=a%20b", 400, "is not the name of a host"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(
    dashboard: Dashboard, path: str, code: int, says: str
) -> None:
    status, _, text = dashboard.ask(path)
    assert (status, says in json.loads(text)["error"]) == (code, True), text
    status, _, text = dashboard.ask(path.replace(".json", ""))
    assert status == code
    assert 'role="alert"' in text


def test_a_crawl_that_does_not_run_takes_no_command(dashboard: Dashboard) -> None:
    for do in ("pause", "change"):
        body = '{"exclude": ["x"]}'
        status, _, text = dashboard.ask(
            f"/crawls/1/{do}", "POST", body, Content_Type="application/json"
        )
        assert status == 400
        assert "start it with 'langcrawl crawl" in json.loads(text)["error"]


def test_titles_of_strangers_are_text_and_short(dashboard: Dashboard) -> None:
    crawl = dashboard.json("/crawls/2.json")
    assert len(crawl["pages"]) == 6
    _, _, text = dashboard.ask("/crawls/2")
    assert len(text) < 60_000, "a title of a million letters is cut"
    assert "<img" not in text
    assert "<svg onload" not in text
    assert "&lt;svg onload=alert(2)&gt; {{ 7*7 }}" in text
    assert "[U+202E]gnp.exe" in text
    assert not set(text) & set("\u202e\u202c\u2066\u2069\u200f\x1b\x00")
    assert "javascript:" not in text.replace("javascript:alert(3)", "", 1)
    for page in crawl["pages"]:
        query = urlencode({"url": page["url"]})
        _, _, one = dashboard.ask(f"/crawls/2/page?{query}")
        assert "<img" not in one
        assert len(one) < 110_000, "a text is cut at 100,000"
        assert 'href="javascript' not in one


def test_an_archived_page_can_do_nothing(dashboard: Dashboard) -> None:
    query = urlencode({"url": "http://hostile.th/markup"})
    status, headers, text = dashboard.ask(f"/crawls/2/archived?{query}")
    assert status == 200
    assert "<script>" in text, "it is the page itself"
    policy = headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none';")
    assert "script" not in policy
    assert "allow-" not in policy
    assert "frame-ancestors 'self'" in policy
    _, _, page = dashboard.ask(f"/crawls/2/page?{query}")
    assert '<iframe sandbox=""' in page


def test_a_review_by_a_script(dashboard: Dashboard) -> None:
    def post(**sent: object) -> dict[str, object]:
        answer = dashboard.ask(
            "/crawls/1/review", "POST", json.dumps(sent), Content_Type="application/json"
        )
        return dict(json.loads(answer[2]))

    assert "no number of pages" in str(post(draw="many")["error"])
    assert post(draw="20", reviewer="a")["ok"] is True
    for _ in range(20):
        document = dashboard.json("/crawls/1/review.json", reviewer="a")
        assert "score" not in document["next"], "the judge's verdict sways nobody"
        assert document["next"]["text"]
        assert post(page=str(document["next"]["page"]), answer="yes", reviewer="a")["ok"] is True
    document = dashboard.json("/crawls/1/review.json", reviewer="a")
    assert document["next"] is None
    assert document["figures"]["precision"]["estimate"] == 1.0
    assert dashboard.json("/crawls/1/review.json", reviewer="b")["answered"] == 0


@given(st.text())
def test_shown_text_has_no_controls_and_an_end(text: str) -> None:
    found = shown(text * 50, 100)
    assert len(found) <= 101 * 8
    assert not any(ord(letter) < 9 or letter in "\u202e\u2067\u061c\x7f" for letter in found)


def test_links_lead_to_the_web_only() -> None:
    assert web_link("https://a.th/x") == "https://a.th/x"
    for url in ("javascript:alert(1)", "data:text/html,x", " http://a.th", "//a.th", "ftp://a"):
        assert web_link(url) == ""


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (75, "1 min 15 s"), (7300, "2 h 1 min"), (2e5, "2 d 7 h")]
)
def test_spans_in_words(seconds: float, words: str) -> None:
    assert span(seconds) == words


@given(st.floats(min_value=1e-6, max_value=1e12))
def test_ticks_are_few_and_round(high: float) -> None:
    found = ticks(high)
    assert found[0] == 0
    assert found[-1] >= high * 0.998
    assert 2 <= len(found) <= 8
    assert found == sorted(set(found))


def test_a_chart_of_nothing_and_of_one_point() -> None:
    assert all(not chart.lines for chart in crawl_charts([], None))
    point = {"spent": 3.0, "at": 1.0, "pages": 5, "relevant": 2, "queue": 9, "bytes": 1,
             "failures": 0}  # fmt: skip
    end = {"at": 9.0, "seconds": 10.0, "because": "queue-empty"}
    pages, _, queue = crawl_charts([point], end)
    assert pages.summary == "5 pages so far, 2 of them relevant."
    assert [line["name"] for line in queue.lines] == ["waiting", "projected"]
    assert "It ends in about 10 seconds (queue-empty)" in queue.summary
    chart = draw("x", "x", [Line("a", [(0, 0), (50, 1e9)], "all")], "")
    assert [label for _, label in chart.y_ticks][-1] == "1G"
    assert chart.lines[0]["path"] == "M46.0,186.0L368.0,12.0"


def test_ctrl_c_ends_it_in_peace_while_a_page_is_open(
    warm: Warm, small_crawl: Path, tmp_path: Path
) -> None:
    with served(warm, linked_copy(small_crawl, tmp_path / "small")) as running:
        connection = HTTPConnection("127.0.0.1", running.port, timeout=60)
        connection.request("GET", "/crawls/1/events")
        events = connection.getresponse()
        assert events.readline() == b"retry: 2000\n"
        assert b"event: parts\n" in iter(events.readline, b"")
    assert b"\n\n" in events.read(), "what was pushed has an end"
    connection.close()
