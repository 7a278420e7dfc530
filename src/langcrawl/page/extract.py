"""HTML to what a crawl needs of it: text, links and what the page declares."""

from __future__ import annotations

import re

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import DOMNode, HTMLTree

from langcrawl.records import Charsets, Content, Link
from langcrawl.url import Resolver

_HTML_TYPES = {"text/html", "application/xhtml+xml"}
_LOOKS_LIKE_HTML = re.compile(
    rb"\s*(?:<!--|<!doctype html|<html|<head|<body|<title)", re.IGNORECASE
)
_ELEMENTS = "a[href], area[href], frame[src], iframe[src]"
_MAX_ANCHOR = 500
# The time to extract text grows with the square of its blocks: 10 MB took minutes.
_TEXT_WITHIN = 500_000
# A class of letters at the front is found three times as fast as a word in any case.
_FONTS = re.compile(
    r"""[fF](?<!\w[fF])(?:[aA][cC][eE]\s*=\s*(?:"([^">]{1,300})"|'([^'>]{1,300})'|([^\s"'>]{1,100}))"""
    r"""|[oO][nN][tT]-[fF][aA][mM][iI][lL][yY]\s*:\s*([^;{}<>]{1,300}))"""
)
_MAX_FONTS, _FONTS_WITHIN = 32, 200_000


def media_type(content_type: str) -> str:
    """The media type of a Content-Type header, without its parameters."""
    return content_type.split(";", 1)[0].strip().lower()


def is_html(content_type: str, body: bytes) -> bool:
    """Whether an answer is a page of HTML; without a type, its first bytes decide."""
    kind = media_type(content_type)
    return kind in _HTML_TYPES or (not kind and bool(_LOOKS_LIKE_HTML.match(body)))


def is_text(content_type: str) -> bool:
    """Whether an answer is plain text, which has a language but no links."""
    return media_type(content_type) == "text/plain"


def extract(html: str, url: str, charsets: Charsets) -> Content:
    """The visible text, the links in document order, and the declared language of a page."""
    tree = HTMLTree.parse(html)
    document, low = tree.document, _ascii_lower(html)
    base = document.query_selector("base[href]") if b"<base" in low else None
    robots, language = _meta(document)
    resolve = Resolver(url, base.getattr("href", "") if base else "")
    links = _links(document, low, resolve, "nofollow" in robots)
    if len(html) > _TEXT_WITHIN:
        tree = HTMLTree.parse(html[:_TEXT_WITHIN])
    text = extract_plain_text(tree, alt_texts=True, links=False, preserve_formatting=True)
    root = document.first_element_child
    declared = language or (root.getattr("lang", "") if root else "")
    return Content(text, charsets, declared.strip(), links, _fonts(html, low))


def _ascii_lower(html: str) -> bytes:
    """A page as bytes with its ASCII letters small: the fastest place to look for a word."""
    return html.encode("utf-8", errors="replace").lower()


def _links(
    document: DOMNode, low: bytes, resolve: Resolver, nofollow_all: bool
) -> tuple[Link, ...]:
    """The links of a page; most pages have no frame and no nofollow, and are not asked."""
    frames, nofollow = b"frame" in low, b"nofollow" in low
    links = []
    for node in document.query_selector_all(_ELEMENTS):
        place = "src" if frames and node.tag in ("frame", "iframe") else "href"
        if target := resolve(node.getattr(place, "")):
            alone = nofollow and (nofollow_all or "nofollow" in node.getattr("rel", "").lower())
            links.append(Link(target, _anchor(node), alone))
    return tuple(links)


def _fonts(html: str, low: bytes) -> tuple[str, ...]:
    """The fonts that FONT elements and style sheets of a page name, each once."""
    if b"font-family" not in low and b"face" not in low:
        return ()
    fonts: dict[str, None] = {}
    for found in _FONTS.finditer(html, 0, _FONTS_WITHIN):
        for name in next(filter(None, found.groups())).split(","):
            if name := name.replace("!important", "").strip().strip("\"'").strip():
                fonts[name] = None
        if len(fonts) >= _MAX_FONTS:
            break
    return tuple(fonts)[:_MAX_FONTS]


def _meta(document: DOMNode) -> tuple[str, str]:
    """What the META elements say to robots, and the content language they declare."""
    robots = language = ""
    for node in document.query_selector_all("meta[content]"):
        content = node.getattr("content", "")
        if node.getattr("name", "").lower() == "robots":
            robots += " " + content.lower()
        elif node.getattr("http-equiv", "").lower() == "content-language":
            language = content
    return robots, language


def _anchor(node: DOMNode) -> str:
    """The text of a link; an image in it speaks by its alternative text."""
    text = node.text or node.getattr("alt", "") or node.getattr("title", "")
    anchor = " ".join(text.split())
    if not anchor and (image := node.query_selector("img[alt]")):
        anchor = " ".join(image.getattr("alt", "").split())
    return anchor[:_MAX_ANCHOR]
