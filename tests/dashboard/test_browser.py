"""The dashboard in a real browser: a crawl that runs is watched, steered, asked and reviewed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import opened_page
from dashboards import Dashboard, crawl_hostile, served
from langcrawl.store.control import ask
from langcrawl.virtualweb.serve import Server
from running import Running, endless, events, wait_for
from warm import Warm

PATIENCE = 90_000.0
"""Milliseconds: the machine that runs the tests may be busy."""


class Watched:
    """A crawl of an endless web, and a dashboard on it and on a hostile web."""

    def __init__(
        self, directory: Path, server: Server, dashboard: Dashboard, beacon: Server
    ) -> None:
        self.directory, self.server, self.dashboard = directory, server, dashboard
        self.beacon = beacon
        """Is asked for something where a hostile page gets through."""

    def at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.dashboard.port}{path}"


@pytest.fixture(scope="module")
def watched(warm: Warm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("crawls")
    directory, other = folder / "thai", folder / "hostile"
    with (
        Server(endless) as server,
        Server(endless) as beacon,
        Running(directory, server.connect_to, "--delay", "0.2", "--connections", "6",
                "--workers", "1", "--max-pages", "100k", "-q", warm=warm),
    ):  # fmt: skip
        crawl_hostile(other, f"http://127.0.0.1:{beacon.port}")
        wait_for(lambda: (ask(directory, "/status") or {}).get("pages", 0) > 20)
        with served(warm, directory, other) as dashboard:
            yield Watched(directory, server, dashboard, beacon)


def figure(page: Page, name: str) -> int:
    text = page.locator(".figures div", has_text=name).locator("dd").first.inner_text()
    return int(text.replace(",", ""))


def no_overflow(page: Page) -> bool:
    """Whether nothing is wider than the window."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_a_running_crawl_is_watched_and_steered(watched: Watched, browser: Browser) -> None:
    with opened_page(browser) as page:
        page.set_default_timeout(PATIENCE)
        page.goto(watched.at("/crawls/1"))
        expect(page.locator(".state")).to_have_text("The crawl is running.")
        path = page.locator('[data-chart="pages"] .line-all')
        before, pages = path.get_attribute("d"), figure(page, "Pages")
        expect(path).not_to_have_attribute("d", before or "", timeout=PATIENCE)
        page.wait_for_function(f"document.querySelector('.figures dd').innerText != '{pages}'")
        assert figure(page, "Pages") > pages
        assert page.locator('[data-live="pages"] .text').first.inner_text()
        assert page.locator("figure svg[role=img]").count() == 3
        assert page.locator("figure .empty").count() == 0, "no chart is empty"

        page.keyboard.press("p")
        expect(page.locator(".state")).to_contain_text("paused", timeout=PATIENCE)
        wait_for(lambda: (ask(watched.directory, "/status") or {})["under_way"] == 0)
        answered = watched.server.answered
        page.wait_for_timeout(600)
        assert watched.server.answered == answered

        page.get_by_label("Host, with all below it").fill("h5.th")
        page.get_by_role("button", name="Preview").click()
        expect(page.locator(".lead")).to_contain_text("Nothing has been changed yet")
        said = page.locator(".lead").inner_text()
        assert int(said.split()[0].replace(",", "")) > 0
        assert "http://h5.th/" in page.locator(".urls").inner_text()
        page.get_by_role("button", name="Leave them out").click()
        page.wait_for_url("**/crawls/1?left=*")
        (change,) = events(watched.directory, "scope-changed")
        assert f"left={change['reasons']['excluded']}" in page.url

        page.get_by_label("Seeds, a URL a line").fill("http://more.th/123457\nhttp://more.th/8")
        page.get_by_role("button", name="Add seeds").click()
        page.wait_for_load_state()
        page.get_by_label("depth").fill("40")
        page.get_by_role("button", name="Set limits").click()
        page.wait_for_load_state()
        assert page.get_by_label("depth").get_attribute("placeholder") == "40"
        page.get_by_role("button", name="Resume").click()
        expect(page.locator(".state")).to_have_text("The crawl is running.", timeout=PATIENCE)
        wait_for(lambda: watched.server.answered > answered + 20)
        later = [request.host for request in watched.server.requests[answered:]]
        assert "h5.th" not in later
        assert "more.th" in later


def test_hosts_why_and_review(watched: Watched, browser: Browser) -> None:
    with opened_page(browser) as page:
        page.set_default_timeout(PATIENCE)
        page.goto(watched.at("/crawls/1/hosts"))
        page.keyboard.press("/")
        page.keyboard.type("h1")
        page.keyboard.press("Enter")
        page.wait_for_url("**search=h1*")
        hosts = page.locator("tbody th").all_inner_texts()
        assert {"h1.th", "h10.th", "h11.th"} >= set(hosts) > set()

        page.get_by_role("link", name="Why").click()
        page.get_by_label("URL").fill("http://h3.th/3")
        page.get_by_role("button", name="Ask").click()
        expect(page.locator(".lead")).to_contain_text("downloaded")
        assert page.locator(".path > li").count() >= 2, "the path from the seed"
        page.locator(".path a").last.click()
        expect(page.frame_locator("iframe").locator("p").first).not_to_be_empty()

        page.get_by_role("link", name="Review").click()
        page.get_by_label("Pages").fill("20")
        page.get_by_role("button", name="Draw a sample").click()
        for answered, key in enumerate("yyou", 1):
            expect(page.locator("iframe")).to_be_visible(timeout=PATIENCE)
            page.wait_for_load_state()
            page.keyboard.press(key)
            expect(page.locator("h1")).to_contain_text(f"{answered} of", timeout=PATIENCE)
        expect(page.locator(".figures")).to_contain_text("Precision")
        expect(page.locator("table")).to_contain_text("other-language")


def test_hostile_pages_do_nothing(watched: Watched, browser: Browser) -> None:
    with opened_page(browser) as page:
        page.set_default_timeout(PATIENCE)
        page.goto(watched.at("/crawls/2"))
        assert page.title() == "hostile · langcrawl"
        assert page.locator("main img, main script, svg[onload]").count() == 0
        assert "<svg onload=alert(2)>" in page.locator(".pages").inner_text()
        assert "[U+202E]gnp.exe" in page.locator(".pages").inner_text()
        for name in ("markup", "quotes", "long"):
            page.goto(
                watched.at("/crawls/2/page?" + urlencode({"url": f"http://hostile.th/{name}"}))
            )
            expect(page.frame_locator("iframe").locator("p").first).not_to_be_empty()
            page.wait_for_timeout(200)
            assert "owned" not in page.title()
            assert no_overflow(page)
        page.goto(f"http://127.0.0.1:{watched.beacon.port}/1")  # it would have heard
    assert watched.beacon.requests[0].path == "/1"


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_in_the_light_and_in_the_dark(
    watched: Watched, browser: Browser, dark: bool
) -> None:
    with opened_page(browser, width=400, dark=dark) as page:
        page.set_default_timeout(PATIENCE)
        for path in ("/", "/crawls/1", "/crawls/1/hosts", "/crawls/1/why", "/crawls/2/review"):
            page.goto(watched.at(path))
            assert no_overflow(page), path
        page.goto(watched.at("/"))
        assert page.locator("article").count() == 2
        style = "getComputedStyle(document.body)"
        colours = page.evaluate(f"[{style}.backgroundColor, {style}.color]")
        ground, ink = (sum(map(int, colour[4:-1].split(","))) for colour in colours)
        assert (ground < ink) is dark
        assert abs(ground - ink) > 400, "letters are read"


def test_a_reader_without_sight_finds_the_way(watched: Watched, browser: Browser) -> None:
    with opened_page(browser) as page:
        page.set_default_timeout(PATIENCE)
        page.goto(watched.at("/crawls/1"))
        assert page.get_by_role("navigation", name="This crawl").count() == 1
        assert page.get_by_role("main").count() == 1
        assert page.get_by_role("status").count() == 1
        assert "pages so far" in (
            page.get_by_role("img", name="Pages").first.get_attribute("aria-label") or ""
        )
        nameless = page.evaluate(
            "[...document.querySelectorAll('input:not([type=hidden]), textarea, select')]"
            ".filter(e => !e.labels.length && !e.ariaLabel).length"
        )
        assert nameless == 0
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
