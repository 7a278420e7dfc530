"""Sitemaps: the URLs that a site lists itself, in whatever of the usual forms.

Sitemap XML, sitemap indexes, RSS and Atom feeds, and plain text with a URL a line; packed
with gzip or not. The XML is not parsed but searched for the elements that hold URLs: a broken
file gives what can be had, and entities that expand or lead outside are never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import islice

from langcrawl.archive.exchange import Exchange
from langcrawl.archive.unpack import unpack
from langcrawl.page import is_html, is_text
from langcrawl.records import Sitemap
from langcrawl.url import Resolver

NO_SITEMAP = Sitemap(())
_LIMIT = 10_000_000
_MOST_URLS = 50_000
"""As many as the protocol allows in one file."""
_LOOKED_AT = 4096
"""Bytes at the beginning by which the form is told."""
_INDEX = re.compile(r"<(?:[\w.-]+:)?sitemapindex[\s>]")
_URLS = re.compile(r"<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>]")
_HTML = re.compile(r"\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+)?html[\s>]", re.IGNORECASE)
_FEED = re.compile(r"<(?:rss|feed|rdf:RDF)[\s>]")
_MARKUP = re.compile(r"\s*<")
_TEXT = r"(\s*<!\[CDATA\[[^<>]{1,4000}\]\]>|[^<>]{1,4000})"
_LOC = re.compile(r"<(?:[\w.-]+:)?loc(?:\s[^<>]{0,200})?>" + _TEXT)
_LINK = re.compile(r"<(?:atom:)?link(\s[^<>]{0,4000})>|<link>" + _TEXT)
_HREF = re.compile(r"\shref\s*=\s*[\"']([^\"']+)")
_OTHER_REL = re.compile(r"\srel\s*=\s*[\"'](?!alternate[\"'])")
_CDATA = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def sitemap_in(exchange: Exchange) -> Sitemap | None:
    """The sitemap that an answer holds, with no URLs where there is none; None for a page."""
    if exchange.status != 200:
        return NO_SITEMAP
    found = read_sitemap(exchange.url, exchange.body)
    kind = exchange.header("Content-Type")
    if found is None and (is_html(kind, exchange.body) or is_text(kind, exchange.body)):
        return None
    return found or NO_SITEMAP


def read_sitemap(url: str, body: bytes) -> Sitemap | None:
    """The URLs in the sitemap at this URL; None where it does not look like one."""
    if body.startswith(b"\x1f\x8b"):
        body = unpack(body, "gzip", _LIMIT).body
    text = _decoded(body[:_LIMIT])
    start = text[:_LOOKED_AT]
    if _MARKUP.match(start) is None:
        if not start.lstrip().startswith("http"):
            return None
        lines = (line for line in text.splitlines() if line.lstrip().startswith("http"))
        return Sitemap(_canonical(url, lines))
    text = _COMMENT.sub("", text)
    if _HTML.match(text):
        return None
    if _FEED.search(start):
        return Sitemap(_canonical(url, _feed_links(text)))
    if not (_URLS.search(start) or _LOC.search(text)):
        return None
    places = (_plain(matched[1]) for matched in _LOC.finditer(text))
    return Sitemap(_canonical(url, places), _INDEX.search(start) is not None)


def _feed_links(text: str) -> Iterator[str]:
    """The pages that a feed leads to: the text of a link in RSS, its href in Atom."""
    for matched in _LINK.finditer(text):
        if matched[2]:
            yield _plain(matched[2])
        elif (href := _HREF.search(matched[1])) and not _OTHER_REL.search(matched[1]):
            yield _plain(href[1])


def _decoded(body: bytes) -> str:
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", errors="replace")
    return body.decode("utf-8", errors="replace").removeprefix("\ufeff")


def _plain(text: str) -> str:
    """The text of an element: out of its CDATA section, or with its entities resolved."""
    matched = _CDATA.match(text)
    return matched[1] if matched else unescape(text)


def _canonical(url: str, places: Iterable[str]) -> tuple[str, ...]:
    resolve = Resolver(url)
    urls: dict[str, None] = {}
    for place in islice(places, _MOST_URLS):
        found = resolve(place)
        if found is not None:
            urls[found] = None
    return tuple(urls)
