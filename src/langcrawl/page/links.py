"""The links of a page, as columns: where they lead, what they say, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from langcrawl.page.budget import A_LINK, OverBudget
from langcrawl.page.declared import MAX_HREFLANG, Declared
from langcrawl.records import NO_LINKS, Links
from langcrawl.url import SCHEMES, Resolver, absolute_links, without_noise

_PLAIN_PATH = re.compile(r"/?[A-Za-z0-9_~-][A-Za-z0-9/_.~-]{0,300}")
"""What is put behind the host or the directory as it is, but for dots as names of folders."""
_SHORT = 1_000
"""Characters of a directory behind which no plain path makes a URL too long."""
MAX_ANCHOR, MAX_REL = 500, 100
OTHER, WHOLE, BEHIND_HOST, BEHIND_DIRECTORY = range(4)
"""Kinds of links: canonical as they are, or once the host or the directory of their page stands
before them. Of others that is not known."""


class ShownLinks(Protocol):
    """The elements of a page that may lead somewhere: A, AREA, FRAME and IFRAME, as they stand.

    Which of them are wanted is told by their places in that order.
    """

    def hrefs(self) -> list[str | None]:
        """Where they lead; None for those that lead nowhere."""

    def kinds(self) -> Sequence[int]:
        """What kinds of links these are."""

    def values(self, places: list[int], attribute: str) -> list[str]:
        """What they say in an attribute."""

    def said(self, places: list[int]) -> Iterable[str]:
        """The text in them, one after the other."""

    def unwritten(self, place: int) -> str:
        """What one without text says: its own words for it, or those of an image in it."""

    def tag_paths(self, places: list[int]) -> list[str]:
        """The elements above them."""

    def contexts(self, places: list[int]) -> list[str]:
        """The text around them."""


def read_links(
    shown: ShownLinks,
    url: str,
    resolve: Resolver,
    declared: Declared,
    budget: tuple[int, int],
    low: bytes,
    context: bool = False,
) -> Links:
    """The links of a page: first those that it does not show its readers, then all others.

    The budget is one of `langcrawl.page.budget.link_budget`. `low` is the page as bytes in small
    letters: no element has an attribute whose name is not in it.
    """
    named = [(to, each) for each in declared.related if (to := without_noise(each.url)) != url]
    places, targets = _targets(shown.hrefs(), shown.kinds(), resolve)
    urls = [target for target, _ in named] + targets
    if not urls:
        return NO_LINKS
    if sum(map(len, urls)) + A_LINK * len(urls) > budget[0]:
        raise OverBudget("the page has too many links")
    before = len(named)

    def values(attribute: str) -> list[str]:
        """Most pages have the rarer attributes nowhere."""
        said = attribute.encode() in low
        return shown.values(places, attribute) if said else [""] * len(places)

    rels = [each.rel for _, each in named]
    rels += [" ".join(rel.lower().split()) if rel else "" for rel in values("rel")]
    hreflangs = [each.hreflang for _, each in named]
    hreflangs += [said.strip()[:MAX_HREFLANG] for said in values("hreflang")]
    nofollow = (place for place in range(before, len(urls)) if "nofollow" in rels[place])
    return Links(
        urls,
        [""] * before + _anchors(shown, places, budget[1]),
        frozenset(range(len(urls)) if "nofollow" in declared.rules else nofollow),
        contexts=[""] * before + shown.contexts(places) if context else (),
        hreflangs=hreflangs if any(hreflangs) else (),
        rels=[rel[:MAX_REL] for rel in rels] if any(rels) else (),
        tag_paths=[each.tag_path for _, each in named] + shown.tag_paths(places),
    )


def _anchors(shown: ShownLinks, places: list[int], left: int) -> list[str]:
    """What the links say; links can lie within links, so all together have a budget."""
    anchors = []
    for place, text in zip(places, shown.said(places), strict=True):
        left -= len(text)
        if left < 0:
            raise OverBudget("the page has too many links")
        words = text.split() or shown.unwritten(place).split()
        anchors.append(" ".join(words)[:MAX_ANCHOR])
    return anchors


def _targets(
    hrefs: list[str | None], kinds: Sequence[int], resolve: Resolver
) -> tuple[list[int], list[str]]:
    """Which of the elements lead to a page, and where; many links are there several times."""
    root, directory = (resolve("/") or "").rstrip("/"), resolve(".") or ""
    if len(directory) > _SHORT or without_noise(directory) != directory:
        directory = ""  # a URL could become too long, or keep what names its reader
    known: dict[str, str] = {}
    absolute, here = absolute_links.get, known.get
    places, targets = [], []
    for place, (href, kind) in enumerate(zip(hrefs, kinds, strict=True)):
        if href is None:
            continue
        if kind == WHOLE:
            target = href
        elif kind and (start := root if kind == BEHIND_HOST else directory):
            target = start + href
        elif (found := absolute(href)) is not None or (found := here(href)) is not None:
            target = found
        else:
            if (
                not href.startswith(SCHEMES)
                and (start := root if href.startswith("/") else directory)
                and _PLAIN_PATH.fullmatch(href)
                and "/." not in href
            ):
                target = start + href
            else:
                target = resolve.link(href) or ""
            known[href] = target
        if target:
            places.append(place)
            targets.append(target)
    return places, targets
