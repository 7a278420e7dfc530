"""Links, one by one and as the columns in which the links of a page travel.

From the parser to the frontier the links of a page are one `Links`: an object for each link would
cost more than all that is done with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple


class Link(NamedTuple):
    """One link as it stands on a page."""

    url: str
    anchor: str = ""
    nofollow: bool = False
    anchor_score: float | None = None
    """How much the anchor is in the target, 0 to 1; None where it was not judged."""
    context: str = ""
    """The text around the link, where it was asked for."""
    hreflang: str = ""
    rel: str = ""
    tag_path: str = ""
    """The names and first classes of the elements above the link, the nearest last."""


@dataclass(slots=True, unsafe_hash=True)
class Links:
    """The links of a page in document order, as columns: an object for each would cost too much.

    A column is as long as `urls`, or empty where nothing is known for any of the links. Never
    changed once it is made; it is not frozen only because that makes it four times as dear.
    """

    urls: Sequence[str] = ()
    anchors: Sequence[str] = ()
    nofollow: Collection[int] = frozenset()
    """The places of the links that are marked nofollow, or whose page is."""
    anchor_scores: Sequence[float | None] = ()
    contexts: Sequence[str] = ()
    hreflangs: Sequence[str] = ()
    rels: Sequence[str] = ()
    tag_paths: Sequence[str] = ()

    @classmethod
    def of(cls, links: Iterable[Link | str]) -> Links:
        """Columns of single links; of plain URLs, nothing else is known."""
        rows = [Link(link) if isinstance(link, str) else link for link in links]
        if not rows:
            return NO_LINKS
        urls, anchors, nofollow, scores, *texts = zip(*rows, strict=True)
        return cls(
            urls,
            anchors if any(anchors) else (),
            frozenset(at for at, marked in enumerate(nofollow) if marked),
            scores if any(score is not None for score in scores) else (),
            *[column if any(column) else () for column in texts],
        )

    def __reduce__(self) -> tuple[type[Links], tuple[object, ...]]:
        """How it travels between processes: what dataclasses do of themselves is slow."""
        return Links, (
            self.urls, self.anchors, self.nofollow, self.anchor_scores, self.contexts,
            self.hreflangs, self.rels, self.tag_paths,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.urls)

    def __iter__(self) -> Iterator[Link]:
        """The links one by one, for whoever has few of them."""
        none: tuple[str, ...] = ("",) * len(self)
        columns = (self.contexts, self.hreflangs, self.rels, self.tag_paths)
        marked = map(self.nofollow.__contains__, range(len(self)))
        return map(
            Link, self.urls, self.anchors or none, marked,
            self.anchor_scores or (None,) * len(self), *[column or none for column in columns],
        )  # fmt: skip

    def at(self, places: Sequence[int]) -> Links:
        """The links at these places only."""
        marked = self.nofollow and [new for new, old in enumerate(places) if old in self.nofollow]
        chosen = {
            name: list(map(column.__getitem__, places))
            for name in _LINK_COLUMNS
            if (column := getattr(self, name))
        }
        return Links(**chosen, nofollow=frozenset(marked))

    def distinct(self) -> Links:
        """Each URL once, in the place where it is first; its texts are the first that say
        something, its anchor score is the best."""
        count = len(self.urls)
        first = dict(zip(reversed(self.urls), range(count - 1, -1, -1), strict=True))
        if len(first) == count:
            return self
        again = [(at, kept) for at, url in enumerate(self.urls) if (kept := first[url]) != at]
        filled: dict[str, Any] = {}
        for name in _TEXT_COLUMNS:
            column = getattr(self, name)
            if column and "" in column:
                column = list(column)
                for at, kept in again:
                    column[kept] = column[kept] or column[at]
                filled[name] = column
        if self.anchor_scores:
            scores = list(self.anchor_scores)
            for at, kept in again:
                scores[kept] = max(scores[kept] or 0.0, scores[at] or 0.0)
            filled["anchor_scores"] = scores
        whole = replace(self, **filled) if filled else self
        return whole.at(sorted(first.values()))


_TEXT_COLUMNS = ("anchors", "contexts", "hreflangs", "rels", "tag_paths")
_LINK_COLUMNS = tuple(column.name for column in fields(Links) if column.name != "nofollow")
NO_LINKS = Links()
