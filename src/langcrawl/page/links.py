"""The links of a page, as columns: where they lead, what they say, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from resiliparse.parse.html import DOMNode

from langcrawl.page.budget import A_LINK, OverBudget
from langcrawl.page.declared import MAX_HREFLANG, Declared
from langcrawl.page.place import contexts, tag_paths
from langcrawl.records import NO_LINKS, Links
from langcrawl.url import SCHEMES, Resolver, without_noise

_PLAIN_PATH = re.compile(r"/?[A-Za-z0-9_~-][A-Za-z0-9/_.~-]{0,300}")
"""What is put behind the host or the directory as it is, but for dots as names of folders."""
_SHORT = 1_000
"""Characters of a directory behind which no plain path makes a URL too long."""
MAX_ANCHOR, MAX_REL = 500, 100


def read_links(
    document: DOMNode,
    elements: Iterable[DOMNode],
    url: str,
    resolve: Resolver,
    declared: Declared,
    budget: tuple[int, int],
    low: bytes,
    context: bool = False,
) -> Links:
    """The links of a page: first those that it does not show its readers, then all others.

    `elements` are its A, AREA, FRAME and IFRAME elements, as they stand on the page. The budget
    is one of `langcrawl.page.budget.link_budget`. `low` is the page as bytes in small letters: no
    element has an attribute whose name is not in it.
    """
    named = [(to, each) for each in declared.related if (to := without_noise(each.url)) != url]
    shown = list(_shown(elements, resolve))
    nodes = [node for node, _ in shown]
    urls = [target for target, _ in named] + [target for _, target in shown]
    if not urls:
        return NO_LINKS
    if sum(map(len, urls)) + A_LINK * len(urls) > budget[0]:
        raise OverBudget("the page has too many links")
    before = len(named)
    rels = [each.rel for _, each in named]
    rels += [" ".join(rel.lower().split()) if rel else "" for rel in _values(nodes, "rel", low)]
    hreflangs = [each.hreflang for _, each in named]
    hreflangs += [said.strip()[:MAX_HREFLANG] for said in _values(nodes, "hreflang", low)]
    nofollow = (place for place in range(before, len(urls)) if "nofollow" in rels[place])
    return Links(
        urls,
        [""] * before + _anchors(nodes, budget[1]),
        frozenset(range(len(urls)) if "nofollow" in declared.rules else nofollow),
        contexts=[""] * before + contexts(document, nodes) if context else (),
        hreflangs=hreflangs if any(hreflangs) else (),
        rels=[rel[:MAX_REL] for rel in rels] if any(rels) else (),
        tag_paths=[each.tag_path for _, each in named] + tag_paths(document, nodes),
    )


def _anchors(nodes: list[DOMNode], left: int) -> list[str]:
    """What the links say; links can lie within links, so all together have a budget."""
    anchors = []
    for node in nodes:
        text = node.text
        left -= len(text)
        if left < 0:
            raise OverBudget("the page has too many links")
        anchors.append((" ".join(text.split()) or _unwritten_anchor(node))[:MAX_ANCHOR])
    return anchors


def _values(nodes: list[DOMNode], attribute: str, low: bytes) -> list[str]:
    """What the links say in an attribute; most pages have the rarer ones nowhere."""
    if attribute.encode() not in low:
        return [""] * len(nodes)
    return [node.getattr(attribute) or "" for node in nodes]


def _shown(elements: Iterable[DOMNode], resolve: Resolver) -> Iterator[tuple[DOMNode, str]]:
    """The elements that lead to a page, and where; many links are there several times."""
    root, directory = (resolve("/") or "").rstrip("/"), resolve(".") or ""
    if len(directory) > _SHORT or without_noise(directory) != directory:
        directory = ""  # a URL could become too long, or keep what names its reader
    targets: dict[str, str] = {}
    for node in elements:
        if not (href := node.getattr("href")) and (href := _other_href(node)) is None:
            continue
        if (target := targets.get(href)) is None:
            if (
                not href.startswith(SCHEMES)
                and (start := root if href.startswith("/") else directory)
                and _PLAIN_PATH.fullmatch(href)
                and "/." not in href
            ):
                target = start + href
            else:
                target = resolve.link(href) or ""
            targets[href] = target
        if target:
            yield node, target


def _other_href(node: DOMNode) -> str | None:
    """An empty HREF, or what a frame shows; an A or AREA element without HREF is no link."""
    if (href := node.getattr("href")) is not None:
        return str(href)
    return node.getattr("src") if node.tag in ("frame", "iframe") else None


def _unwritten_anchor(node: DOMNode) -> str:
    """What a link without text says: its own words for it, or those of an image in it."""
    text = node.getattr("alt", "") or node.getattr("title", "")
    if not text.strip():
        images = (image.getattr("alt") for image in node.get_elements_by_tag_name("img"))
        text = next((alt for alt in images if alt is not None), "")
    return " ".join(text.split())
