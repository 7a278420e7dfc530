"""Where a link stands on its page: the elements above it, and the text on both sides of it."""

from __future__ import annotations

from collections.abc import Iterator

from resiliparse.parse.html import DOMNode

_STEPS = 8
_MAX_NAME = 32
"""Characters that are kept of the name of an element, and of its class."""
_AROUND = 100
"""Characters on each side of a link that are its context."""
_UNSEEN = frozenset({"head", "script", "style", "noscript", "template", "iframe", "textarea"})
_INLINE = frozenset(
    {
        *("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "em", "font", "i", "ins", "kbd"),
        *("mark", "q", "s", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"),
        "wbr",
    }
)
"""Elements that do not part words: Thai and Japanese have no space to show where they would."""


def tag_paths(document: DOMNode, links: list[DOMNode]) -> list[str]:
    """For each link the names and first classes of the elements above it: ``body/ul.langs/li``.

    The last eight are kept. Each element is looked at once, however many links are in it.
    """
    known: dict[DOMNode | None, str] = dict.fromkeys(
        (None, document, document.first_element_child), ""
    )
    alike: dict[tuple[str, str, str], str] = {}
    """The path of an element, by the one above it, its name and its classes: items of a menu."""

    def below(path: str, node: DOMNode) -> str:
        place = (path, node.tag, node.class_name)
        if (deeper := alike.get(place)) is None:
            deeper = alike[place] = one_deeper(*place)
        known[node] = deeper
        return deeper

    paths = []
    for link in links:
        node = link.parent
        if (path := known.get(node)) is None:
            above = node.parent
            if (path := known.get(above)) is None:
                unknown = []
                while (path := known.get(above)) is None:
                    unknown.append(above)
                    above = above.parent
                for each in reversed(unknown):
                    path = below(path, each)
            path = below(path, node)
        paths.append(path)
    return paths


def one_deeper(path: str, tag: str, classes: str) -> str:
    """The path of an element below another one."""
    step = tag[:_MAX_NAME]
    if words := classes.split(None, 1):
        step = f"{step}.{words[0][:_MAX_NAME].replace('/', '_')}"
    if path.count("/") == _STEPS - 1:
        path = path.partition("/")[2]
    return f"{path}/{step}" if path else step


def contexts(document: DOMNode, links: list[DOMNode]) -> list[str]:
    """The visible text before and after each of the links, without the links' own.

    The text of the page is gone through once, so that many links cost no more than few.
    """
    begins: dict[DOMNode, int] = {}
    ends: dict[DOMNode, int] = {}
    wanted, pieces, size, apart = set(links), [], 0, False
    for node, entered in _walk(document):
        if (name := node.tag) == "#text":
            if not entered:
                continue
            said: str = node.value
            if words := said.split():
                piece = " ".join(words)
                pieces.append(f" {piece}" if apart or said[0].isspace() else piece)
                size += len(pieces[-1])
            apart = said[-1:].isspace() or (apart and not words)
            continue
        apart = apart or name not in _INLINE
        if node in wanted:
            (begins if entered else ends)[node] = size
    text = "".join(pieces)
    return [_around(text, begins.get(node), ends.get(node)) for node in links]


def _around(text: str, begin: int | None, end: int | None) -> str:
    if begin is None or end is None:  # within what nobody sees
        return ""
    before, after = text[max(0, begin - _AROUND) : begin], text[end : end + _AROUND]
    return f"{before.strip()} {after.strip()}".strip()


def _walk(document: DOMNode) -> Iterator[tuple[DOMNode, bool]]:
    """All that is visible in document order, each as it begins (True) and as it ends (False)."""
    node: DOMNode | None = document.first_element_child
    while node is not None:
        yield node, True
        child = None if node.tag in _UNSEEN else node.first_child
        while child is None:
            yield node, False
            child = node.next
            node = node.parent
            if child is None and (node is None or node == document):
                return
        node = child
