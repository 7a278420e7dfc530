"""The small web: what makes the search for one language hard is in it."""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache

import pytest

from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.languages.charsets import codec_name
from langcrawl.page.decode import decode
from langcrawl.page.extract import extract
from langcrawl.url import canonical, host_of
from langcrawl.virtualweb.small import SEEDS, SITES, SmallPage, SmallWeb, make_small_web

PAGES = 400


@lru_cache(maxsize=1)
def web() -> SmallWeb:
    return make_small_web(PAGES, seed=5)


def links_of(url: str, page: SmallPage) -> list[str]:
    if page.location:
        return [page.location]
    if page.status != 200 or not page.content_type.startswith("text/html"):
        return []
    decoded = decode(page.body, page.content_type)
    return [link.url for link in extract(decoded.text, url, decoded.charsets).links]


def reached(follow: str = "") -> set[str]:
    """The pages that can be reached from the seeds, over pages of one language if it is named."""
    queue, found = deque(SEEDS), set(SEEDS)
    while queue:
        url = queue.popleft()
        page = web().answer(url)
        if follow and page.language != follow and not page.location:
            continue
        for link in links_of(url, page):
            if link not in found and link in web().pages:
                found.add(link)
                queue.append(link)
    return found


def test_it_has_about_as_many_pages_as_asked_for_on_all_its_hosts() -> None:
    written = [url for url, page in web().pages.items() if page.language != "und"]
    assert len(written) == pytest.approx(PAGES, abs=len(SITES) * 2)
    assert {host_of(url) for url in written} == {site.host for site in SITES}
    assert all(canonical(url) == url for url in web().pages)


def test_every_page_can_be_reached_from_the_seeds() -> None:
    closed = {url for url in web().pages if url.endswith("/robots.txt")}
    assert set(web().pages) - reached() == closed


def test_some_thai_pages_lie_behind_pages_in_other_languages() -> None:
    thai = {url for url, page in web().pages.items() if page.language == "th"}
    near = reached(follow="th") & thai
    assert 0.3 * len(thai) < len(near) < len(thai)
    foreign = [site for site in SITES if site.language == "th" and not site.host.endswith(".th")]
    assert len(foreign) >= 4


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.host)
def test_the_pages_of_a_host_are_in_its_language_and_charset(site: object) -> None:
    host, declares = site.host, site.declares  # type: ignore[attr-defined]
    judge = make_judge(load_pack("th"))
    pages = [(u, p) for u, p in web().pages.items() if host_of(u) == host and p.language != "und"]
    for url, page in pages[:8]:
        decoded = decode(page.body, page.content_type)
        content = extract(decoded.text, url, decoded.charsets)
        assert bool(content.charsets.meta) == declares
        if declares:
            page.body.decode(codec_name(content.charsets.meta))
        assert "\ufffd" not in decoded.text
        assert judge.judge(content).language == page.language


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.host)
def test_every_host_has_what_real_hosts_have(site: object) -> None:
    root = f"http://{site.host}"  # type: ignore[attr-defined]
    pages = web().pages
    assert b"Disallow: /private/" in pages[f"{root}/robots.txt"].body
    moved = pages[f"{root}/old.html"]
    assert moved.status == 301
    assert pages[moved.location].status == 200
    assert pages[f"{root}/logo.png"].content_type == "image/png"
    home = pages[f"{root}/"]
    links = links_of(f"{root}/", home)
    for path in ("/private/diary.html", "/old.html", "/logo.png", "/gone.html"):
        assert f"{root}{path}" in links
    assert web().answer(f"{root}/gone.html").status == 404


def test_hidden_hosts_are_linked_from_english_ones_only() -> None:
    hidden = {site.host for site in SITES if site.hidden}
    for url, page in web().pages.items():
        for link in links_of(url, page):
            if host_of(link) in hidden and host_of(link) != host_of(url):
                assert page.language == "en"


def test_an_english_front_stands_before_a_thai_site() -> None:
    for site in SITES:
        if site.english_front:
            assert web().pages[f"http://{site.host}/"].language == "en"
            inside = [
                link
                for url, page in web().pages.items()
                if host_of(url) != site.host
                for link in links_of(url, page)
                if host_of(link) == site.host
            ]
            assert set(inside) <= {f"http://{site.host}/"}


def test_the_text_has_no_marks_of_its_making() -> None:
    for page in list(web().pages.values())[:200]:
        assert not re.search(rb"\{|\}|None|object at", page.body)
