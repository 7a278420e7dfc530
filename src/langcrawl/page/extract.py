"""HTML to what a crawl needs of it: text, links and what the page declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import DOMNode, HTMLTree

from langcrawl.page.declared import Declared, read_declared
from langcrawl.page.nesting import parse
from langcrawl.records import Charsets, Content, Link
from langcrawl.url import Resolver, without_noise

_RARE_LINKS = ("area", "frame", "iframe")
_ANY_LINK = "a[href], area[href], frame[src], iframe[src]"
_MAX_ANCHOR = 500
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
_NAME_FONTS = (b"<font", b"<basefont", b"font-family")
_MAX_FONTS, _FONTS_WITHIN = 32, 200_000


class _Nofollow(NamedTuple):
    """What a page asks crawlers not to follow."""

    all: bool
    some: bool
    """Whether the word is on the page at all, so that its links have to be asked."""


def extract(
    html: str,
    url: str,
    charsets: Charsets,
    headers: Mapping[str, str] = MappingProxyType({}),
    utf_8: bytes = b"",
) -> Content:
    """The visible text, the links in document order, and what a page declares.

    Headers have their names in small letters; X-Robots-Tag and Link speak of the page too.
    Whoever has the page as bytes in UTF-8 saves the time to make them.
    """
    # The fastest place to look for a word: bytes with their ASCII letters small.
    low = (utf_8 or html.encode("utf-8", errors="replace")).lower()
    tree, sound = parse(html, low)
    document = tree.document
    resolve = Resolver(url, _base(document))
    declared = read_declared(document, resolve, headers)
    nofollow = _Nofollow("nofollow" in declared.rules, b"nofollow" in low)
    links = _related(url, declared) + _links(document, resolve, nofollow)
    if len(sound) > TEXT_WITHIN:
        tree = HTMLTree.parse(sound[:TEXT_WITHIN])
    text = extract_plain_text(tree, alt_texts=True, links=False, preserve_formatting=True)
    if len(text) < _HARDLY_ANY_TEXT and b"<noscript" in low:
        text = _with_noscript(tree, text)
    root = document.first_element_child
    language = declared.language or (root.getattr("lang", "") if root else "")
    refresh = declared.refresh if len(text) < _LITTLE_TEXT and declared.refresh != url else ""
    return Content(
        text=text,
        charsets=charsets,
        declared_language=language.strip(),
        links=links,
        fonts=_fonts(sound) if _names_fonts(low) else (),
        notes=tuple(_notes(url, declared, low, text, refresh, len(sound) < len(html))),
        refresh=refresh,
    )


def _with_noscript(tree: HTMLTree, text: str) -> str:
    """The text that a page shows where scripts are off, if that is more than a notice."""
    more = extract_plain_text(
        tree, alt_texts=True, links=False, preserve_formatting=True, noscript=True
    )
    return more if len(more) >= len(text) + _NOTICE else text


def _related(url: str, declared: Declared) -> tuple[Link, ...]:
    """The links that a page does not show its readers."""
    nofollow = "nofollow" in declared.rules
    targets = dict.fromkeys((*declared.related, declared.refresh))
    return tuple(Link(to, "", nofollow) for to in map(without_noise, targets) if to and to != url)


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


def _base(document: DOMNode) -> str:
    """What the links of a page are relative to, if it says so."""
    bases = (node.getattr("href") for node in document.get_elements_by_tag_name("base"))
    return next((href for href in bases if href is not None), "")


def _links(document: DOMNode, resolve: Resolver, nofollow: _Nofollow) -> tuple[Link, ...]:
    """The links of a page; most pages have no frame and no nofollow, and are not asked.

    Elements of one name are found in a fraction of the time that a selector takes.
    """
    links = []
    to, rare = resolve.link, any(map(document.get_elements_by_tag_name, _RARE_LINKS))
    find = document.query_selector_all if rare else document.get_elements_by_tag_name
    for node in find(_ANY_LINK if rare else "a"):
        href = node.getattr("src" if rare and node.tag in ("frame", "iframe") else "href")
        if href is not None and (target := to(href)):
            asked = nofollow.all or (
                nofollow.some and "nofollow" in node.getattr("rel", "").lower()
            )
            anchor = " ".join(node.text.split()) or _unwritten_anchor(node)
            # In half the time of a call to Link: a page has many.
            links.append(tuple.__new__(Link, (target, anchor[:_MAX_ANCHOR], asked, None)))
    return tuple(links)


def _names_fonts(low: bytes) -> bool:
    return b"font" in low and any(word in low for word in _NAME_FONTS)


def _fonts(html: str) -> tuple[str, ...]:
    """The fonts that FONT elements and style sheets of a page name, each once."""
    fonts: dict[str, None] = {}
    for found in _FONTS.finditer(html, 0, _FONTS_WITHIN):
        for name in next(filter(None, found.groups())).split(","):
            if name := name.replace("!important", "").strip().strip("\"'").strip():
                fonts[name] = None
        if len(fonts) >= _MAX_FONTS:
            break
    return tuple(fonts)[:_MAX_FONTS]


def _unwritten_anchor(node: DOMNode) -> str:
    """What a link without text says: its own words for it, or those of an image in it."""
    text = node.getattr("alt", "") or node.getattr("title", "")
    if not text.strip() and (image := node.query_selector("img[alt]")):
        text = image.getattr("alt", "")
    return " ".join(text.split())
