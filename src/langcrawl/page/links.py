"""The links of a page, as columns: where they lead, what they say, and where they stand."""

from __future__ import annotations

import re

from resiliparse.parse.html import DOMNode

from langcrawl.page.budget import A_LINK, OverBudget
from langcrawl.page.declared import MAX_HREFLANG, Declared
from langcrawl.page.place import contexts, tag_paths
from langcrawl.records import NO_LINKS, Links
from langcrawl.url import Resolver, without_noise

_ANY_LINK = "a, area, frame, iframe"
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9_~-][A-Za-z0-9/_.~-]{0,300}")
"""What is put behind the host as it is, but for dots as names of folders: four links in ten."""
MAX_ANCHOR, MAX_REL = 500, 100


def read_links(
    document: DOMNode,
    url: str,
    resolve: Resolver,
    declared: Declared,
    budget: tuple[int, int],
    context: bool = False,
) -> Links:
    """The links of a page: first those that it does not show its readers, then all others.

    The budget is one of `langcrawl.page.budget.link_budget`.
    """
    named = [(to, each) for each in declared.related if (to := without_noise(each.url)) != url]
    urls_left, anchors_left = budget
    urls_left -= sum(A_LINK + len(to) for to, _ in named)
    urls, anchors = [to for to, _ in named], [""] * len(named)
    rels, hreflangs = [each.rel for _, each in named], [each.hreflang for _, each in named]
    targets, nodes, nofollow = _Targets(resolve), [], []
    for node in document.query_selector_all(_ANY_LINK):
        href = node.getattr("href")
        if href is None and (href := _source(node)) is None:
            continue
        if not (target := targets[href]):
            continue
        if rel := node.getattr("rel", ""):
            rel = " ".join(rel.lower().split())
            if "nofollow" in rel:
                nofollow.append(len(urls))
            rel = rel[:MAX_REL]
        text = node.text
        urls_left -= A_LINK + len(target)
        anchors_left -= len(text)
        if urls_left < 0 or anchors_left < 0:
            raise OverBudget("the page has too many links")
        nodes.append(node)
        urls.append(target)
        anchors.append((" ".join(text.split()) or _unwritten_anchor(node))[:MAX_ANCHOR])
        rels.append(rel)
        hreflangs.append(said.strip()[:MAX_HREFLANG] if (said := node.getattr("hreflang")) else "")
    if not urls:
        return NO_LINKS
    return Links(
        urls,
        anchors,
        frozenset(range(len(urls)) if "nofollow" in declared.rules else nofollow),
        contexts=[""] * len(named) + contexts(document, nodes) if context else (),
        hreflangs=hreflangs if any(hreflangs) else (),
        rels=rels if any(rels) else (),
        tag_paths=[each.tag_path for _, each in named] + tag_paths(document, nodes),
    )


class _Targets(dict[str, str | None]):
    """Where the links of a page lead; many are there several times."""

    def __init__(self, resolve: Resolver) -> None:
        self._resolve, self._root = resolve.link, (resolve("/") or "").rstrip("/")

    def __missing__(self, href: str) -> str | None:
        plain = self._root and _PLAIN_PATH.fullmatch(href) and "/." not in href
        self[href] = target = f"{self._root}{href}" if plain else self._resolve(href)
        return target


def _source(node: DOMNode) -> str | None:
    """What a frame shows; an A or AREA element without HREF is no link."""
    return node.getattr("src") if node.tag in ("frame", "iframe") else None


def _unwritten_anchor(node: DOMNode) -> str:
    """What a link without text says: its own words for it, or those of an image in it."""
    text = node.getattr("alt", "") or node.getattr("title", "")
    if not text.strip():
        images = (image.getattr("alt") for image in node.get_elements_by_tag_name("img"))
        text = next((alt for alt in images if alt is not None), "")
    return " ".join(text.split())
