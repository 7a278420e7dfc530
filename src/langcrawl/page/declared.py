"""What a page declares in META and LINK elements, and a server in the headers beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from langcrawl.url import Resolver

_REFRESH = re.compile(
    r"""\s*(\d{1,9})[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?["']?\s*([^"'>]+)""", re.IGNORECASE
)
_SOON = 10
"""Seconds after which a refresh still is a redirect."""
_RELATED = {"canonical", "alternate", "next", "prev"}
_HEADER_LINK = re.compile(r"<([^<>]{1,2083})>([^<>,]{0,500})")
_REL = re.compile(r"""\brel\s*=\s*["']?\s*(\w+)""", re.IGNORECASE)
_HREFLANG = re.compile(r"""hreflang(?:\s*=\s*["']?\s*([\w-]{1,35}))?""", re.IGNORECASE)
_HEAD = "head"
"""Where LINK and META elements belong: their `tag_path`."""
MAX_HREFLANG = 35
"""Characters: no language tag that is in use is longer."""
_MAX_HEADER = 20_000


class Element(Protocol):
    """A META or LINK element."""

    @property
    def parent(self) -> Any:
        """The element around it, which has a `tag`."""

    def getattr(self, name: str, default: str | None = None) -> Any:
        """The value of an attribute."""


class Relation(NamedTuple):
    """Another page that a page names without showing it: by LINK, META or the Link header."""

    url: str
    rel: str = ""
    hreflang: str = ""
    tag_path: str = ""


class Declared(NamedTuple):
    """What META and LINK elements say, and headers that say the same."""

    rules: tuple[str, ...]
    """What robots are asked: ``noindex``, ``nofollow``."""
    language: str
    """What META says, or else the header Content-Language."""
    refresh: str
    """Where a reader is sent within seconds."""
    canonical: str
    """The address that the page itself goes by."""
    related: tuple[Relation, ...]
    """That address, the page in other languages, its neighbours, and where it leads in time."""


def read_declared(
    metas: Iterable[Element],
    links: Iterable[Element],
    resolve: Resolver,
    headers: Mapping[str, str],
) -> Declared:
    """Look through the META and LINK elements of a page."""
    robots, soon, later = _for_all(headers.get("x-robots-tag", "")), "", ""
    language = clean(headers.get("content-language", ""))
    for node in metas:
        does, name = node.getattr("http-equiv", ""), node.getattr("name", "")
        if not (does or name.lower() == "robots") or (content := node.getattr("content")) is None:
            continue
        does = does.lower()
        if does == "content-language":
            language = content.strip() or language
        elif does == "refresh" and (found := _REFRESH.match(content)):
            target = resolve(found[2]) or ""
            if int(found[1]) <= _SOON and node.parent.tag != "noscript":
                soon = soon or target
            else:
                later = later or target
        elif name.lower() == "robots":
            robots += f",{content.lower()}"
    related = list(_relations(links, resolve, headers.get("link", "")))
    canonical = next((to.url for to in related if to.rel == "canonical"), "")
    related += [Relation(to, tag_path=_HEAD) for to in (later, soon) if to]
    return Declared(_rules(robots), language, soon, canonical, _each_once(canonical, related))


def clean(text: str) -> str:
    """What a server says, as text that can be kept: no broken letters, no line breaks."""
    return " ".join(text.encode("utf-8", errors="replace").decode("utf-8").split())


def _relations(links: Iterable[Element], resolve: Resolver, header: str) -> Iterator[Relation]:
    """How other pages stand to this one, from the Link header and from LINK elements."""
    for href, parameters in _HEADER_LINK.findall(header[:_MAX_HEADER]):
        if found := _REL.search(parameters):
            rel, language = found[1].lower(), _HREFLANG.search(parameters)
            if _leads_to_a_page(rel, language is not None) and (to := resolve(href)):
                yield Relation(to, rel, (language and language[1]) or "")
    for node in links:
        rel = node.getattr("rel", "").strip().lower()
        if rel in _RELATED and (href := node.getattr("href")) is not None:
            hreflang = node.getattr("hreflang")
            if _leads_to_a_page(rel, hreflang is not None) and (to := resolve(href)):
                yield Relation(to, rel, (hreflang or "").strip()[:MAX_HREFLANG], _HEAD)


def _each_once(canonical: str, related: list[Relation]) -> tuple[Relation, ...]:
    """Each page once, the canonical one first; a later mention may name the language."""
    kept: dict[str, Relation] = {}
    for relation in related:
        before = kept.setdefault(relation.url, relation)
        if relation.hreflang and not before.hreflang:
            kept[relation.url] = before._replace(hreflang=relation.hreflang)
    first = (kept.pop(canonical),) if canonical else ()
    return (*first, *kept.values())


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
