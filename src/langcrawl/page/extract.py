"""HTML to what a crawl needs of it: text, links and what the page declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import DOMNode, HTMLTree

from langcrawl.page.budget import link_budget
from langcrawl.page.declared import Declared, read_declared
from langcrawl.page.links import read_links
from langcrawl.page.main_text import ReadMain, main_text
from langcrawl.page.nesting import parse
from langcrawl.records import Charsets, Content
from langcrawl.url import Resolver

MAX_TITLE, MAX_LANGUAGE = 500, 100
"""Characters that are kept."""
# The time to extract text grows with the square of its blocks: 10 MB took minutes.
TEXT_WITHIN = 500_000
_NOTICE = 100
"""Characters in which a page says that it needs scripts."""
_LITTLE_TEXT, _HARDLY_ANY_TEXT = 1_000, 200
"""Characters: a page with less sends its readers on, one with hardly any waits for scripts."""
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
_OF_NOTE = "a, area, frame, iframe, base, link, meta"
_FONT_ELEMENTS = "font, basefont"
_MAX_FONTS, _FONTS_WITHIN = 32, 200_000


class _Elements:
    """The elements that lead somewhere or speak of the page, by one walk through the tree."""

    def __init__(self, document: DOMNode) -> None:
        self.links: list[DOMNode] = []
        kinds: dict[str, list[DOMNode]] = {"base": [], "link": [], "meta": []}
        for node in document.query_selector_all(_OF_NOTE):
            kinds.get(node.tag, self.links).append(node)
        self.metas, self.related = kinds["meta"], kinds["link"]
        bases = (node.getattr("href") for node in kinds["base"])
        self.base = next((href for href in bases if href is not None), "")
        """What the links of a page are relative to, if it says so."""


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
    # The fastest place to look for a word: bytes with their ASCII letters small.
    raw = utf_8 or html.encode("utf-8", errors="replace")
    low = raw.lower()
    tree, sound = parse(html, low)
    document = tree.document
    elements = _Elements(document)
    resolve = Resolver(url, elements.base)
    declared = read_declared(elements.metas, elements.related, resolve, headers)
    links = read_links(
        document, elements.links, url, resolve, declared, link_budget(len(html)), low, context
    )
    title = _short(tree.title or "", MAX_TITLE)
    has_font_elements = (b"<font" in low or b"<basefont" in low) and (
        document.query_selector(_FONT_ELEMENTS) is not None
    )
    if len(sound) > TEXT_WITHIN:
        tree = HTMLTree.parse(sound[:TEXT_WITHIN])
    text = extract_plain_text(tree, alt_texts=True, links=False, preserve_formatting=True)
    if len(text) < _HARDLY_ANY_TEXT and b"<noscript" in low:
        text = _with_noscript(tree, text)
    root = document.first_element_child
    refresh = declared.refresh if len(text) < _LITTLE_TEXT and declared.refresh != url else ""
    return Content(
        text=text,
        charsets=charsets,
        links=links,
        title=title,
        html_lang=_short(root.getattr("lang", ""), MAX_LANGUAGE) if root else "",
        content_language=_short(declared.language, MAX_LANGUAGE),
        fonts=_fonts(sound) if has_font_elements else _style_fonts(html, raw, low),
        notes=tuple(_notes(url, declared, low, text, refresh, len(sound) < len(html))),
        refresh=refresh,
        main=(main_text if main is True else main)(raw) if main else None,
    )


def _with_noscript(tree: HTMLTree, text: str) -> str:
    """The text that a page shows where scripts are off, if that is more than a notice."""
    more = extract_plain_text(
        tree, alt_texts=True, links=False, preserve_formatting=True, noscript=True
    )
    return more if len(more) >= len(text) + _NOTICE else text


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
    if len(text) < _HARDLY_ANY_TEXT and b"<script" in low and _WAITS_FOR_SCRIPTS.search(low):
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
