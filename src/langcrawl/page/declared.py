"""What a page declares in META and LINK elements, and a server in the headers beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from resiliparse.parse.html import DOMNode

from langcrawl.url import Resolver

_REFRESH = re.compile(
    r"""\s*(\d{1,9})[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?["']?\s*([^"'>]+)""", re.IGNORECASE
)
_SOON = 10
"""Seconds after which a refresh still is a redirect."""
_RELATED = {"canonical", "alternate", "next", "prev"}
_HEADER_LINK = re.compile(r"<([^<>]{1,2083})>([^<>,]{0,500})")
_REL = re.compile(r"""\brel\s*=\s*["']?\s*(\w+)""", re.IGNORECASE)
_MAX_HEADER = 20_000


class Declared(NamedTuple):
    """What META and LINK elements say, and headers that say the same."""

    rules: tuple[str, ...]
    """What robots are asked: ``noindex``, ``nofollow``."""
    language: str
    refresh: str
    """Where a reader is sent within seconds."""
    canonical: str
    """The address that the page itself goes by."""
    related: tuple[str, ...]
    """That address, the page in other languages, its neighbours, and where it leads later."""


def read_declared(document: DOMNode, resolve: Resolver, headers: Mapping[str, str]) -> Declared:
    """Look through the META and LINK elements of a page."""
    robots, language, soon, later = _for_all(headers.get("x-robots-tag", "")), "", "", ""
    for node in document.get_elements_by_tag_name("meta"):
        content, does = node.getattr("content"), node.getattr("http-equiv", "").lower()
        if content is None:
            continue
        if does == "content-language":
            language = content
        elif does == "refresh" and (found := _REFRESH.match(content)):
            target = resolve(found[2]) or ""
            if int(found[1]) <= _SOON and node.parent.tag != "noscript":
                soon = soon or target
            else:
                later = later or target
        elif node.getattr("name", "").lower() == "robots":
            robots += f",{content.lower()}"
    canonical, related = "", []
    for rel, href in _relations(document, headers.get("link", "")):
        if to := resolve(href):
            canonical = canonical or (to if rel == "canonical" else "")
            related.append(to)
    named = dict.fromkeys(filter(None, (canonical, *related, later)))
    return Declared(_rules(robots), language, soon, canonical, tuple(named))


def _relations(document: DOMNode, header: str) -> Iterator[tuple[str, str]]:
    """How other pages stand to this one, from the Link header and from LINK elements."""
    for href, parameters in _HEADER_LINK.findall(header[:_MAX_HEADER]):
        rel = _REL.search(parameters)
        if rel and _leads_to_a_page(rel[1].lower(), "hreflang" in parameters.lower()):
            yield rel[1].lower(), href
    for node in document.get_elements_by_tag_name("link"):
        rel, href = node.getattr("rel", "").strip().lower(), node.getattr("href")
        if href is not None and _leads_to_a_page(rel, node.hasattr("hreflang")):
            yield rel, href


def _leads_to_a_page(rel: str, in_a_language: bool) -> bool:
    """Style sheets and icons do not, nor do feeds, which are alternates without a language."""
    return rel in _RELATED and (rel != "alternate" or in_a_language)


def _for_all(header: str) -> str:
    """What X-Robots-Tag says, unless it speaks to one robot by its name."""
    said = header.lower()
    return "" if re.match(r"\s*(?!unavailable_after)[\w-]+\s*:", said) else said


def _rules(robots: str) -> tuple[str, ...]:
    if not robots:
        return ()
    words = set(re.split(r"[\s,;]+", robots))
    return tuple(rule for rule in ("noindex", "nofollow") if rule in words or "none" in words)
