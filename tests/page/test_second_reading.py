"""Pages made of a tree that is known: links, anchors, places and contexts against that tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from random import Random

import lxml.html
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.page import extract
from langcrawl.records import NO_CHARSETS, Link
from langcrawl.url import Resolver

PAGE = "http://a.th/dir/page.html"
BLOCKS = ("div", "section", "article", "blockquote")
INLINE = ("span", "b", "em", "strong", "i")
WORDS = ("x", "ข่าว", " a ", "b c", "\n", "&", "<tag>", '"q"', " ", "日本", "don't")
CLASSES = ("", "menu", "lang active", "a/b", "  first  second ", "คลาส")
HREFS = (
    "1.html", "/2", "?q=1&r=2", "http://b.th/3", "//c.th/", "#top", "../up", "mailto:x@a.th",
     "javascript:void(0)", "4.html#part", "x?utm_source=y", "ftp://d.th/", "http://b.th/ข่าว", "",
)  # fmt: skip


@dataclass
class Node:
    """An element of the page, as it was meant."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in it, also of elements further down."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


def link_of(chance: Random) -> Node:
    attributes = {"href": chance.choice(HREFS)}
    for name, values in (
        ("rel", ["nofollow", "NoFollow external", "next"]),
        ("hreflang", ["th", " en-GB "]),
        ("title", ["its title", " "]),
    ):
        if chance.random() < 0.3:
            attributes[name] = chance.choice(values)
    parts: list[Node | str] = chance.choices(WORDS, k=chance.randint(0, 2))
    if chance.random() < 0.5:
        words: list[Node | str] = chance.choices(WORDS, k=chance.randint(0, 2))
        parts.append(Node(chance.choice(INLINE), {}, words))
    if chance.random() < 0.2:
        parts.append(Node("img", {"src": "i.png", "alt": chance.choice(["", "a picture"])}))
    return Node("a", attributes, parts)


def inline_of(chance: Random, depth: int = 0) -> list[Node | str]:
    """Text, links, and elements that may stand in a paragraph."""
    found: list[Node | str] = []
    for _ in range(chance.randint(0, 3)):
        kind = chance.random()
        if kind < 0.25 and depth < 2:
            name = {"class": chance.choice(CLASSES)}
            found.append(Node(chance.choice(INLINE), name, inline_of(chance, depth + 1)))
        elif kind < 0.7:
            found.append(link_of(chance))
        else:
            found.append(chance.choice(WORDS))
    return found


def blocks_of(chance: Random, depth: int = 0) -> list[Node | str]:
    found: list[Node | str] = []
    for _ in range(chance.randint(depth == 0, 3)):
        kind, name = chance.random(), {"class": chance.choice(CLASSES)}
        if kind < 0.2:
            found.append(Node("p", name, inline_of(chance)))
        elif kind < 0.4 and depth < 10:
            count = chance.randint(1, 2)
            items = [Node("li", name, blocks_of(chance, depth + 2)) for _ in range(count)]
            found.append(Node("ul", {}, list(items)))
        elif kind < 0.75 and depth < 10:
            found.append(Node(chance.choice(BLOCKS), name, blocks_of(chance, depth + 1)))
        else:
            found += inline_of(chance)
    return found


def body_of(seed: int) -> Node:
    """A page by chance."""
    return Node("body", {}, blocks_of(Random(seed)))


def written(node: Node | str, loud: bool, noise: str) -> str:
    """The node as HTML; in large letters or small, with or without remarks in between."""
    if isinstance(node, str):
        return escape(node, quote=False)
    tag = node.tag.upper() if loud else node.tag
    words = [f'{key}="{escape(value)}"' for key, value in node.attributes.items() if value or
             key in ("href", "alt")]  # fmt: skip
    begin = "<" + " ".join([tag, *words]) + ">"
    if node.tag == "img":
        return begin
    inner = "".join(written(child, loud, noise) for child in node.children)
    return f"{begin}{noise}{inner}</{tag}>"


def walk(node: Node, above: tuple[Node, ...] = ()) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """All links in their order, each with the elements above it."""
    if node.tag == "a":
        yield node, above
    for child in node.children:
        if isinstance(child, Node):
            yield from walk(child, (*above, node))


def step_of(node: Node) -> str:
    first = node.attributes.get("class", "").split()[:1]
    return ".".join([node.tag, *(word.replace("/", "_") for word in first)])


def expected(root: Node) -> list[Link]:
    """The links as the rules in docs/urls.md say, read off the tree."""
    resolve, found = Resolver(PAGE), []
    for node, above in walk(root):
        url = resolve.link(node.attributes["href"])
        if url is None:
            continue
        anchor = " ".join(node.text.split())
        if not anchor:
            pictures = [child for child in node.children if isinstance(child, Node)]
            alts = [child.attributes["alt"] for child in pictures if child.tag == "img"]
            said = node.attributes.get("title", "")
            anchor = " ".join((said if said.strip() else (alts or [""])[0]).split())
        rel = " ".join(node.attributes.get("rel", "").lower().split())
        path = "/".join([step_of(each) for each in above][-8:])
        language = node.attributes.get("hreflang", "").strip()
        found.append(
            Link(url, anchor, "nofollow" in rel, hreflang=language, rel=rel, tag_path=path)
        )
    return found


BODIES = st.builds(body_of, st.integers(0, 10**9))


def page_of(body: Node, loud: bool = False, noise: str = "") -> str:
    return f"<!doctype html><html><head><title>t</title></head>{written(body, loud, noise)}</html>"


@settings(max_examples=60)
@given(BODIES, st.booleans(), st.sampled_from(["", "<!-- a remark -->"]))
def test_links_are_those_of_the_tree_with_anchors_and_places(
    body: Node, loud: bool, noise: str
) -> None:
    html = page_of(body, loud, noise)
    assert list(extract(html, PAGE, NO_CHARSETS).links) == expected(body)


@settings(max_examples=40)
@given(BODIES)
def test_another_parser_finds_the_same_links(body: Node) -> None:
    html = page_of(body)
    resolve = Resolver(PAGE)
    tree = lxml.html.document_fromstring(html)
    found = [resolve.link(node.get("href")) for node in tree.iter("a") if "href" in node.attrib]
    urls = list(extract(html, PAGE, NO_CHARSETS).links.urls)
    assert urls == [url for url in found if url]


def pieces(node: Node, target: Node) -> Iterator[tuple[str, str]]:
    """The text of the page, as ``before``, ``in`` and ``after`` a link; blocks part words."""
    place = "before"

    def visit(each: Node | str, inside: bool) -> Iterator[tuple[str, str]]:
        nonlocal place
        if isinstance(each, str):
            yield ("in" if inside else place), each
            return
        parts = each.tag not in ("a", *INLINE)
        if parts:
            yield ("in" if inside else place), "\n"
        for child in each.children:
            yield from visit(child, inside or each is target)
        if each is target:
            place = "after"
        if parts:
            yield ("in" if inside else place), "\n"

    yield from visit(node, False)


@settings(max_examples=60)
@given(BODIES)
def test_the_context_is_the_text_on_both_sides(body: Node) -> None:
    content = extract(page_of(body), PAGE, NO_CHARSETS, context=True)
    resolve = Resolver(PAGE)
    shown = [node for node, _ in walk(body) if resolve.link(node.attributes["href"])]
    for node, link in zip(shown, content.links, strict=True):
        told = {"before": "", "in": "", "after": ""}
        for where, text in pieces(body, node):
            told[where] += text
        sides = [" ".join(told[side].split()) for side in ("before", "after")]
        if max(map(len, sides)) < 90:  # what is longer is cut
            assert link.context == " ".join(filter(None, sides))


@settings(max_examples=30)
@given(BODIES)
def test_without_its_end_tags_a_list_is_the_same_list(body: Node) -> None:
    html = page_of(body)
    assert extract(html.replace("</li>", ""), PAGE, NO_CHARSETS).links == (
        extract(html, PAGE, NO_CHARSETS).links
    )


def test_the_pages_that_are_made_have_links_of_many_kinds() -> None:
    """So that the tests above see something."""
    found = [link for seed in range(60) for link in expected(body_of(seed))]
    assert len(found) > 300
    assert len({link.tag_path for link in found}) > 60
    assert max(link.tag_path.count("/") for link in found) == 7
    for name in ("anchor", "hreflang", "rel"):
        assert {bool(getattr(link, name)) for link in found} == {True, False}


def test_a_page_of_many_kinds_of_links_in_one() -> None:
    """Links that are not shown come first, then all others as they stand."""
    html = """<html lang=th><head><link rel=canonical href=/canon>
      <link rel=alternate hreflang=en href="http://a.th/en/"><base href="http://a.th/base/"></head>
      <body><a href=one>1</a><map><area href=two alt="2"></map><iframe src=three></iframe>
      <a name=none>no link</a><a href="one">again</a></body></html>"""
    links = extract(html, PAGE, NO_CHARSETS).links
    assert list(links.urls) == [
        "http://a.th/canon", "http://a.th/en/", "http://a.th/base/one", "http://a.th/base/two",
        "http://a.th/base/three", "http://a.th/base/one",
    ]  # fmt: skip
    assert list(links.anchors) == ["", "", "1", "2", "", "again"]
    assert list(links.rels)[:2] == ["canonical", "alternate"]
