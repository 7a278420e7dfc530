"""A small web that can be served and crawled: what the demo and the tests run on.

It has what makes the search for one language hard: Thai pages on foreign domains, English
home pages in front of Thai sites, Thai sections behind English ones, pages in legacy
charsets with and without a declaration, redirects, dead links, files that are no pages, and
areas that robots.txt closes. The same seed makes the same web, to the byte.
"""

from __future__ import annotations

import html
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from langcrawl.records import UNKNOWN
from langcrawl.virtualweb.phrases import PHRASES, WORDS


class Site(NamedTuple):
    """One host of the small web."""

    host: str
    language: str
    charset: str
    share: float
    """The host's part of all pages."""
    declares: bool = True
    """Whether its pages name their charset."""
    english_front: bool = False
    """Whether an English home page stands in front of it, which all links from abroad lead to."""
    hidden: bool = False
    """Whether only hosts in English link to it."""


SITES = (
    Site("www.talad-nam.th", "th", "utf-8", 1.4),
    Site("khao.example.co.th", "th", "tis-620", 1.2),
    Site("nangsue.or.th", "th", "windows-874", 1.0),
    Site("www.ahan-dee.com", "th", "windows-874", 1.3, english_front=True),
    Site("blog.chiangmai-life.com", "th", "utf-8", 1.2),
    Site("rotfai.net", "th", "tis-620", 0.8, declares=False, hidden=True),
    Site("muban.org", "th", "utf-8", 0.7, english_front=True),
    Site("thai.travel-notes.de", "th", "utf-8", 0.6, english_front=True, hidden=True),
    Site("www.river-news.com", "en", "utf-8", 1.5),
    Site("www.workshop.co.uk", "en", "iso-8859-1", 1.3),
    Site("museum-valley.org", "en", "utf-8", 1.2),
    Site("www.asia-guide.com", "en", "utf-8", 1.2),
    Site("recipes.example.net", "en", "us-ascii", 1.1),
    Site("choir.example.org", "en", "utf-8", 0.9),
    Site("www.hon-ya.jp", "ja", "shift_jis", 1.3),
    Site("umi-no-yado.co.jp", "ja", "euc-jp", 1.1),
    Site("nikki.ne.jp", "ja", "utf-8", 1.1),
    Site("www.ywa-thadin.com.mm", "my", "utf-8", 1.0),
    Site("sar-ok.org.mm", "my", "utf-8", 0.8),
)
SEEDS = ("http://www.talad-nam.th/", "http://khao.example.co.th/")
TARGET = "th"


@dataclass(frozen=True, slots=True)
class SmallPage:
    """A page as its server sends it, and the language it was written in."""

    status: int = 200
    content_type: str = "text/html"
    body: bytes = b""
    location: str = ""
    language: str = UNKNOWN
    seconds: float = 0.0
    """How long the server thinks about it."""
    content_encoding: str = ""


@dataclass(frozen=True)
class SmallWeb:
    """All pages by URL; a robots.txt is a page too."""

    pages: dict[str, SmallPage] = field(default_factory=dict)
    seeds: tuple[str, ...] = SEEDS

    def answer(self, url: str) -> SmallPage:
        """What a server says to a request for this URL."""
        return self.pages.get(url) or SmallPage(404, body=b"<h1>Not found</h1>")


def make_small_web(pages: int = 1600, seed: int = 1) -> SmallWeb:
    """Make a web of about so many pages on the hosts of SITES."""
    rng = random.Random(seed)
    total = sum(site.share for site in SITES)
    layout = {site: _Layout(site, max(4, round(pages * site.share / total)), rng) for site in SITES}
    web = SmallWeb()
    for site, plan in layout.items():
        for number, path in enumerate(plan.paths):
            links = _links(site, number, layout, rng)
            web.pages[plan.url(number)] = _write(plan.language(number), site, path, links, rng)
        _add_oddities(web, site, plan)
    return web


class _Layout:
    """The pages of one host: a tree of sections, each page below an earlier one."""

    def __init__(self, site: Site, size: int, rng: random.Random) -> None:
        self.site = site
        self.paths = ["/"]
        self.parents = [0]
        for number in range(1, size):
            parent = min(int(rng.random() ** 1.5 * number), number - 1)
            self.parents.append(parent)
            self.paths.append(f"/{('news', 'a', 'p')[number % 3]}/{number}.html")
        # On a guide in English, one branch is in Thai: it lies behind irrelevant pages only.
        self.thai_branch = self._below(1) if site.host.startswith("www.asia") else set()

    def _below(self, root: int) -> set[int]:
        members = {root}
        for number, parent in enumerate(self.parents):
            if parent in members:
                members.add(number)
        return members - {root}

    def url(self, number: int) -> str:
        return f"http://{self.site.host}{self.paths[number]}"

    def language(self, number: int) -> str:
        if number == 0 and self.site.english_front:
            return "en"
        return TARGET if number in self.thai_branch else self.site.language


def _links(
    site: Site, number: int, layout: dict[Site, _Layout], rng: random.Random
) -> Iterator[tuple[str, str]]:
    """The links of a page with their anchors' languages: home, children, cousins, abroad."""
    plan = layout[site]
    language = plan.language(number)
    yield plan.url(0), language
    yield plan.url(plan.parents[number]), language
    for child, parent in enumerate(plan.parents):
        if parent == number and child:
            yield plan.url(child), language if number == 0 else plan.language(child)
    for _ in range(rng.randrange(3)):
        yield plan.url(rng.randrange(len(plan.paths))), language
    if number == 0 or rng.random() < 0.25:
        for other in rng.choices(list(layout), [_pull(site, o) for o in layout], k=3):
            away = layout[other]
            deep = rng.randrange(len(away.paths)) if rng.random() < 0.3 else 0
            deep = 0 if other.english_front else deep
            yield away.url(deep), away.language(deep)


def _pull(site: Site, other: Site) -> float:
    """How likely one host links to another: its own language most, English always."""
    if site == other or (other.hidden and site.language != "en"):
        return 0.0
    return {site.language: 6.0, "en": 2.0}.get(other.language, 1.0)


def _write(
    language: str, site: Site, path: str, links: Iterator[tuple[str, str]], rng: random.Random
) -> SmallPage:
    """A page of HTML in its language and its host's charset."""
    charset = site.charset if language == site.language else "utf-8"
    title = rng.choice(WORDS[language])
    text = [html.escape(rng.choice(PHRASES[language])) for _ in range(rng.randrange(4, 12))]
    anchors = "\n".join(
        f'<li><a href="{html.escape(url)}">{rng.choice(WORDS[tongue])} {path}</a></li>'
        for url, tongue in links
        if tongue == language or charset == "utf-8" or tongue == "en"
    )
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">\n'
    page = (
        f"<!DOCTYPE html>\n<html><head>\n{meta if site.declares else ''}"
        f"<title>{title}</title>\n</head><body>\n<h1>{title}</h1>\n"
        + "".join(f"<p>{sentence}</p>\n" for sentence in text)
        + f"<ul>\n{anchors}\n</ul>\n</body></html>\n"
    )
    codec = "cp874" if charset == "windows-874" else charset
    return SmallPage(body=page.encode(codec, errors="xmlcharrefreplace"), language=language)


def _add_oddities(web: SmallWeb, site: Site, plan: _Layout) -> None:
    """What every real host has: robots.txt, a closed area, a moved page, a picture, a dead link."""
    root = f"http://{site.host}"
    rules = "User-agent: *\nDisallow: /private/\n"
    web.pages[f"{root}/robots.txt"] = SmallPage(content_type="text/plain", body=rules.encode())
    web.pages[f"{root}/private/diary.html"] = SmallPage(body=b"<p>Nobody should read this.</p>")
    web.pages[f"{root}/old.html"] = SmallPage(301, location=plan.url(len(plan.paths) - 1))
    web.pages[f"{root}/logo.png"] = SmallPage(content_type="image/png", body=b"\x89PNG\r\n\x1a\n")
    home = web.pages[plan.url(0)]
    extra = "".join(
        f'<a href="{path}">{path}</a>\n'
        for path in ("/private/diary.html", "/old.html", "logo.png", "/gone.html#top")
    )
    body = home.body.replace(b"</body>", extra.encode("ascii") + b"</body>")
    web.pages[plan.url(0)] = SmallPage(body=body, language=home.language)
