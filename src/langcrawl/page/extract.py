"""HTML to what a crawl needs of it: text, links and what the page declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from langcrawl.page.budget import link_budget
from langcrawl.page.declared import Declared, Element, read_declared
from langcrawl.page.links import ShownLinks, read_links
from langcrawl.page.main_text import ReadMain, main_text
from langcrawl.page.quick import NotPlain, quick_page
from langcrawl.page.tree import HARDLY_ANY_TEXT, TreePage
from langcrawl.records import Charsets, Content, MainText
from langcrawl.url import Resolver

MAX_TITLE, MAX_LANGUAGE = 500, 100
"""Characters that are kept."""
_LITTLE_TEXT = 1_000
"""Characters: a page with less sends its readers on."""
_WAITS_FOR_SCRIPTS = re.compile(
    rb"""<noscript[^>]{0,100}>[^~]{0,400}?javascript|<app-root\b|\bng-app\b"""
    rb"""|<\w+[^>]{0,80}\bid=["']?(?:root|app|__next|__nuxt|___gatsby|react-root)\b"""
)
# A class of letters at the front is found three times as fast as a word in any case.
_FONTS = re.compile(
    r"""[fF](?<!\w[fF])(?:[aA][cC][eE]\s*=\s*(?:"([^">]{1,300})"|'([^'>]{1,300})'|([^\s"'>]{1,100}))"""
    r"""|[oO][nN][tT]-[fF][aA][mM][iI][lL][yY]\s*:\s*([^;{}<>]{1,300}))"""
)
# On a page without FONT elements, as most are. A word at the front is found ten times as fast.
_STYLE_FONTS = re.compile(rb"font-family(?<!\wfont-family)\s*:\s*([^;{}<>]{1,300})")
_MAX_FONTS, _FONTS_WITHIN = 32, 200_000


class ReadPage(ShownLinks, Protocol):
    """A page whose markup was read: `TreePage`, or `QuickPage` with the same answers."""

    @property
    def metas(self) -> Sequence[Element]:
        """Its META elements."""

    @property
    def related(self) -> Sequence[Element]:
        """Its LINK elements."""

    @property
    def base(self) -> str:
        """What its links are relative to, if it says so."""

    @property
    def title(self) -> str:
        """As it stands there, with all its white space."""

    @property
    def lang(self) -> str:
        """The language that it says it is in."""

    @property
    def has_fonts(self) -> bool:
        """Whether there are FONT elements."""

    @property
    def is_cut(self) -> bool:
        """Whether it was too deep to be read whole."""

    def text(self) -> str:
        """What its readers see."""


class _Source(NamedTuple):
    """A page, and where it comes from."""

    html: str
    raw: bytes
    low: bytes
    """The fastest place to look for a word: bytes with their ASCII letters small."""
    url: str
    charsets: Charsets
    headers: Mapping[str, str]


def extract(
    html: str,
    url: str,
    charsets: Charsets,
    headers: Mapping[str, str] = MappingProxyType({}),
    utf_8: bytes = b"",
    context: bool = False,
    main: bool | ReadMain = False,
) -> Content:
    """The visible text, the links in document order, and what a page declares.

    Headers have their names in small letters; Content-Language, Link and X-Robots-Tag speak of the
    page too. Whoever has the page as bytes in UTF-8 saves the time to make them. `main` asks
    for the main text as well.
    """
    raw = utf_8 or html.encode("utf-8", errors="replace")
    source = _Source(html, raw, raw.lower(), url, charsets, headers)
    told = (main_text if main is True else main)(raw) if main else None
    if not context and (page := quick_page(raw, source.low)):
        try:
            return _content(source, page, False, told)
        except NotPlain:
            pass
    return _content(source, TreePage(html, source.low), context, told)


def _content(source: _Source, page: ReadPage, context: bool, main: MainText | None) -> Content:
    html, raw, low, url, charsets, headers = source
    resolve = Resolver(url, page.base)
    declared = read_declared(page.metas, page.related, resolve, headers)
    links = read_links(page, url, resolve, declared, link_budget(len(html)), low, context)
    text = page.text()
    refresh = declared.refresh if len(text) < _LITTLE_TEXT and declared.refresh != url else ""
    return Content(
        text=text,
        charsets=charsets,
        links=links,
        title=_short(page.title, MAX_TITLE),
        html_lang=_short(page.lang, MAX_LANGUAGE),
        content_language=_short(declared.language, MAX_LANGUAGE),
        fonts=_fonts(html) if page.has_fonts else _style_fonts(html, raw, low),
        notes=tuple(_notes(url, declared, low, text, refresh, page.is_cut)),
        refresh=refresh,
        main=main,
    )


def _notes(
    url: str, declared: Declared, low: bytes, text: str, refresh: str, deep: bool
) -> Iterator[str]:
    """What is remarkable about a page, a word each."""
    yield from declared.rules
    if declared.canonical not in ("", url):
        yield "canonical"
    if refresh:
        yield "refresh"
    if deep:
        yield "deep"
    if len(text) < HARDLY_ANY_TEXT and b"<script" in low and _WAITS_FOR_SCRIPTS.search(low):
        yield "javascript"


def _short(text: str, most: int) -> str:
    return " ".join(text.split())[:most]


def _fonts(html: str) -> tuple[str, ...]:
    """The fonts that FONT elements and style sheets of a page name, each once."""
    found = _FONTS.finditer(html, 0, _FONTS_WITHIN)
    return _each_font(next(filter(None, each.groups())) for each in found)


def _style_fonts(html: str, raw: bytes, low: bytes) -> tuple[str, ...]:
    """The fonts that style sheets name, from the bytes of a page and the same in small letters."""
    short = len(html) <= _FONTS_WITHIN
    end = len(raw) if short else len(html[:_FONTS_WITHIN].encode("utf-8", errors="replace"))
    found = _STYLE_FONTS.finditer(low, 0, end)
    return _each_font(raw[each.start(1) : each.end(1)].decode(errors="ignore") for each in found)


def _each_font(lists: Iterator[str]) -> tuple[str, ...]:
    fonts: dict[str, None] = {}
    for names in lists:
        for name in names.split(","):
            if name := name.replace("!important", "").strip().strip("\"'").strip():
                fonts[name] = None
        if len(fonts) >= _MAX_FONTS:
            break
    return tuple(fonts)[:_MAX_FONTS]
