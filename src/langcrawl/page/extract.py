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
_FONTS = re.compile(
    r"""\bface\s*=\s*(?:"([^">]{1,300})"|'([^'>]{1,300})'|([^\s"'>]{1,100}))"""
    r"""|\bfont-family\s*:\s*([^;{}<>]{1,300})""",
    re.IGNORECASE,
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
    document = tree.document
    base = document.query_selector("base[href]")
    robots, language = _meta(document)
    resolve = Resolver(url, base.getattr("href", "") if base else "")
    links = []
    for node in document.query_selector_all(_ELEMENTS):
        target = resolve(node.getattr("href" if node.tag in ("a", "area") else "src", ""))
        if target:
            nofollow = "nofollow" in robots or "nofollow" in node.getattr("rel", "").lower()
            links.append(Link(target, _anchor(node), nofollow))
    if len(html) > _TEXT_WITHIN:
        tree = HTMLTree.parse(html[:_TEXT_WITHIN])
    text = extract_plain_text(tree, alt_texts=True, links=False, preserve_formatting=True)
    root = document.query_selector("html[lang]")
    declared = language or (root.getattr("lang", "") if root else "")
    return Content(text, charsets, declared.strip(), tuple(links), declared_fonts(html))


def declared_fonts(html: str) -> tuple[str, ...]:
    """The fonts that FONT elements and style sheets of a page name, each once."""
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
    if not text.strip():
        image = node.query_selector("img[alt]")
        text = image.getattr("alt", "") if image else ""
    return " ".join(text.split())[:_MAX_ANCHOR]
