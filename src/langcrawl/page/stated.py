"""What a page states of itself: its title, date, author and licence.

Pages say such things in META elements, in JSON-LD, in TIME elements and by links to a licence. All
are looked for in the bytes of the page, in UTF-8, and only as far as bounds allow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any, NamedTuple

_META_WITHIN, _MOST_META, _MOST_JSON = 200_000, 200, 100_000
"""Bytes in which META elements are looked for; how many; bytes of a piece of JSON-LD."""
_LONGEST = 300
"""Characters that are kept of anything."""
_META = re.compile(rb"<[mM][eE][tT][aA]\s([^>]{1,2000})>")
_TITLE = re.compile(rb"<[tT][iI][tT][lL][eE](?:\s[^>]{0,200})?>([^<]{1,2000})")
_ATTRIBUTE = re.compile(rb"""([a-zA-Z:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_TIME = re.compile(rb"""<time\s[^>]{0,300}?datetime\s*=\s*["']?([^"'>]{4,40})""")
_LINK = re.compile(rb"<(?:a|link)\s", re.IGNORECASE)
_IS_LICENCE = re.compile(rb"""\brel\s*=\s*(?:"[^"]*|'[^']*)?\blicen[sc]e\b""", re.IGNORECASE)
_HREF = re.compile(rb"""\bhref\s*=\s*["']?([^"'\s>]{1,300})""", re.IGNORECASE)
_WORD, _MOST_WORDS, _LONGEST_TAG = b"licen", 50, 500
_COMMONS = re.compile(
    rb"""(?:https?:)?//(?:www\.)?creativecommons\.org/(?:licenses|publicdomain)/[a-z0-9.+/_-]{2,80}"""
)
_LD, _LD_END = b"application/ld+json", b"</script"
_DAY = re.compile(
    r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?!\d)|(\d{4})(\d{2})(\d{2})(?!\d)"
)
_BUDDHIST, _FIRST_YEAR = 543, 1990
_TITLES = ("og:title", "twitter:title", "dc.title", "dcterms.title")
_DATES = (
    "article:published_time", "datepublished", "date", "dc.date", "dcterms.date", "dc.date.issued",
    "dcterms.created", "pubdate", "publishdate", "publish-date", "publication_date",
    "parsely-pub-date", "sailthru.date", "article.published", "citation_publication_date",
    "og:published_time", "dc.date.created", "last-modified", "article:modified_time",
)  # fmt: skip
_AUTHORS = (
    "author", "article:author", "dc.creator", "dcterms.creator", "parsely-author",
    "sailthru.author", "citation_author", "twitter:creator",
)  # fmt: skip
_LICENCES = ("license", "licence", "dcterms.license", "dc.rights.license", "dcterms.rights",
             "dc.rights")  # fmt: skip


class Stated(NamedTuple):
    """What a page states; empty where it does not."""

    title: str = ""
    date: str = ""
    author: str = ""
    licence: str = ""


def read_stated(html: bytes) -> Stated:
    """What a page in UTF-8 states of itself."""
    meta = _meta(html)
    pieces = list(_json_ld(html))
    title = _first(meta, _TITLES) or _text(found[1] if (found := _TITLE.search(html)) else b"")
    return Stated(title, _date(html, meta, pieces), _author(meta, pieces),
                  _licence(html, meta, pieces))  # fmt: skip


def _meta(html: bytes) -> dict[str, str]:
    """The META elements by name in small letters; the first of a name counts."""
    found: dict[str, str] = {}
    for number, element in enumerate(_META.finditer(html, 0, _META_WITHIN)):
        if number >= _MOST_META:
            break
        said = {key.lower(): one or two or three
                for key, one, two, three in _ATTRIBUTE.findall(element[1])}  # fmt: skip
        name = said.get(b"property") or said.get(b"name") or said.get(b"itemprop")
        if name and (content := said.get(b"content")):
            found.setdefault(name.decode("utf-8", "replace").lower(), _text(content))
    return found


def _json_ld(html: bytes) -> Iterator[dict[str, Any]]:
    """The objects of JSON-LD on a page, the outer ones first."""
    at = html.find(_LD)
    while at >= 0:
        begin = html.find(b">", at) + 1
        end = html.find(_LD_END, begin)
        if not begin or end < 0:
            return
        if end - begin <= _MOST_JSON:
            with suppress(ValueError, RecursionError):
                yield from _objects(json.loads(html[begin:end]))
        at = html.find(_LD, end)


def _objects(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """A page's own objects: lists and @graph are looked into, what it only mentions is not."""
    if isinstance(value, dict):
        yield value
        yield from _objects(value.get("@graph", ()), depth + 1)
    elif isinstance(value, list) and depth < 3:
        for each in value[:50]:
            yield from _objects(each, depth + 1)


def _date(html: bytes, meta: dict[str, str], pieces: list[dict[str, Any]]) -> str:
    said = [meta[name] for name in _DATES[:2] if name in meta]
    said += [text for piece in pieces if isinstance(text := piece.get("datePublished"), str)]
    said += [meta[name] for name in _DATES[2:] if name in meta]
    if found := _TIME.search(html):
        said.append(_text(found[1]))
    return next(filter(None, map(day, said)), "")


def day(text: str) -> str:
    """A date in the form ``2024-05-31``, or as much of it as a text begins with; else empty.

    Years of the Buddhist era, as Thai pages have them, become those of the common one.
    """
    found = _DAY.match(text.strip())
    if found is None:
        try:
            return day(parsedate_to_datetime(text).date().isoformat())
        except (ValueError, TypeError, IndexError, OverflowError):
            return ""
    year, month, of_month = (int(part) if part else 0
                             for part in (found[1] or found[4], found[2] or found[5],
                                          found[3] or found[6]))  # fmt: skip
    this_year = date.today().year
    if _FIRST_YEAR + _BUDDHIST <= year <= this_year + 1 + _BUDDHIST:
        year -= _BUDDHIST
    if not _FIRST_YEAR <= year <= this_year + 1:
        return ""
    try:
        date(year, month or 1, of_month or 1)
    except ValueError:
        return f"{year}"
    return "-".join([f"{year}", *[f"{part:02}" for part in (month, of_month) if part]])


def _author(meta: dict[str, str], pieces: list[dict[str, Any]]) -> str:
    said = [meta[name] for name in _AUTHORS if name in meta]
    said += [name for piece in pieces for name in _named(piece.get("author"))]
    return next((name for name in said if name and "://" not in name), "")


def _named(value: Any) -> list[str]:
    """The names of an author in JSON-LD: a text, an object with a name, or some of them."""
    some = value if isinstance(value, list) else [value]
    names = [each.get("name") if isinstance(each, dict) else each for each in some[:5]]
    found = [_text(name.encode("utf-8", "replace")) for name in names if isinstance(name, str)]
    return [", ".join(found)] if found else []


def _licence(html: bytes, meta: dict[str, str], pieces: list[dict[str, Any]]) -> str:
    if link := _licence_link(html):
        return _text(link)
    said = [text for piece in pieces if isinstance(text := piece.get("license"), str)]
    said += [meta[name] for name in _LICENCES if name in meta]
    if said:
        return said[0][:_LONGEST]
    if b"creativecommons.org/" in html and (found := _COMMONS.search(html)):
        return _text(found[0])
    return ""


def _licence_link(html: bytes) -> bytes:
    """Where a link of the relation license leads; to look for the word is the fastest."""
    at = html.find(_WORD)
    for _ in range(_MOST_WORDS):
        if at < 0:
            break
        begin = html.rfind(b"<", max(0, at - _LONGEST_TAG), at)
        end = html.find(b">", at, at + _LONGEST_TAG)
        tag = html[begin:end] if begin >= 0 and end >= 0 else b""
        if _LINK.match(tag) and _IS_LICENCE.search(tag) and (found := _HREF.search(tag)):
            return found[1]
        at = html.find(_WORD, at + 1)
    return b""


def _first(meta: dict[str, str], names: tuple[str, ...]) -> str:
    return next((meta[name] for name in names if meta.get(name)), "")


def _text(said: bytes) -> str:
    """What a page says, as text on one line."""
    return " ".join(unescape(said.decode("utf-8", "replace")).split())[:_LONGEST]
