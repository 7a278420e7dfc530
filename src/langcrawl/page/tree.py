"""A page as the parser sees it: a tree, and what `extract` asks of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import DOMNode, HTMLTree

from langcrawl.page.links import OTHER
from langcrawl.page.nesting import parse
from langcrawl.page.place import contexts, tag_paths

# The time to extract text grows with the square of its blocks: 10 MB took minutes.
TEXT_WITHIN = 500_000
HARDLY_ANY_TEXT, _NOTICE = 200, 100
"""Characters: a page with less waits for scripts; in so many it says that it needs them."""
_OF_NOTE = "a, area, frame, iframe, base, link, meta"
_FONT_ELEMENTS = "font, basefont"


class TreePage:
    """A page that was parsed. `low` is the page as bytes in small letters."""

    def __init__(self, html: str, low: bytes) -> None:
        self._low = low
        self._tree, self._sound = parse(html, low)
        self.is_cut = len(self._sound) < len(html)
        self._document = self._tree.document
        self._links: list[DOMNode] = []
        kinds: dict[str, list[DOMNode]] = {"base": [], "link": [], "meta": []}
        for node in self._document.query_selector_all(_OF_NOTE):  # one walk for all of them
            kinds.get(node.tag, self._links).append(node)
        self.metas, self.related = kinds["meta"], kinds["link"]
        bases = (node.getattr("href") for node in kinds["base"])
        self.base = next((href for href in bases if href is not None), "")

    @property
    def title(self) -> str:
        return self._tree.title or ""

    @property
    def lang(self) -> str:
        root = self._document.first_element_child
        return root.getattr("lang", "") if root else ""

    @property
    def has_fonts(self) -> bool:
        return (b"<font" in self._low or b"<basefont" in self._low) and (
            self._document.query_selector(_FONT_ELEMENTS) is not None
        )

    def text(self) -> str:
        tree, long = self._tree, len(self._sound) > TEXT_WITHIN
        if long:
            tree = HTMLTree.parse(self._sound[:TEXT_WITHIN])
        text = _text_of(tree)
        if len(text) < HARDLY_ANY_TEXT and b"<noscript" in self._low:
            # What is shown where scripts are off, if that is more than a notice.
            more = _text_of(tree, noscript=True)
            return more if len(more) >= len(text) + _NOTICE else text
        return text

    def hrefs(self) -> list[str | None]:
        return [node.getattr("href") or _other_href(node) for node in self._links]

    def kinds(self) -> Sequence[int]:
        return bytes([OTHER]) * len(self._links)

    def values(self, places: list[int], attribute: str) -> list[str]:
        return [node.getattr(attribute) or "" for node in self._at(places)]

    def said(self, places: list[int]) -> Iterator[str]:
        return (node.text for node in self._at(places))

    def unwritten(self, place: int) -> str:
        node = self._links[place]
        text: str = node.getattr("alt", "") or node.getattr("title", "")
        if not text.strip():
            images = (image.getattr("alt") for image in node.get_elements_by_tag_name("img"))
            text = next((alt for alt in images if alt is not None), "")
        return text

    def tag_paths(self, places: list[int]) -> list[str]:
        return tag_paths(self._document, self._at(places))

    def contexts(self, places: list[int]) -> list[str]:
        return contexts(self._document, self._at(places))

    def _at(self, places: list[int]) -> list[DOMNode]:
        links = self._links
        return links if len(places) == len(links) else [links[place] for place in places]


def _text_of(tree: HTMLTree, noscript: bool = False) -> str:
    text: str = extract_plain_text(
        tree, alt_texts=True, links=False, preserve_formatting=True, noscript=noscript
    )
    return text


def _other_href(node: DOMNode) -> str | None:
    """An empty HREF, or what a frame shows; an A or AREA element without HREF is no link."""
    if (href := node.getattr("href")) is not None:
        return str(href)
    return node.getattr("src") if node.tag in ("frame", "iframe") else None
