"""Website segments as a crawl comes to know them, and the pairs of them that links make.

`docs/segments.md` tells the rules. All of it is kept as small numbers, so that a crawl can save
what has changed with each batch, and resume where it was.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from sys import maxsize
from typing import Final

from langcrawl.topic.clues import Said, step_of

_SEGMENT = struct.Struct("<IIdIqBiIIdI")
_PAIR = struct.Struct("<IIIId")
MOST_LINKS: Final = 64
"""Links of a pair that are read; more would only repeat the menu of a site."""
_SEEDED, _ENDED = 1, 2


class Segment:
    """A website segment: what was downloaded from it, and who links to it."""

    __slots__ = (
        "degree", "ended", "failed", "goals", "host", "mean", "misses", "name", "pages", "priority",
        "relevant", "run", "score", "scores", "seeded", "sources", "url_names", "url_rest", "urls",
        "waiting",
    )  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name = name
        self.host = name.partition("/")[0]
        self.pages = 0
        """Downloads with status 200."""
        self.relevant = 0
        self.scores = self.mean = 0.0
        """The sum of the scores of these pages, and their mean."""
        self.degree: int | None = None
        """Its relevance degree, in ten steps."""
        self.misses = 0
        """Irrelevant downloads in a row, redirects apart."""
        self.run: int = maxsize
        """Irrelevant segments in a row just before it, on the best path found."""
        self.failed = 0
        """Downloads with another status, redirects apart."""
        self.seeded = self.ended = False
        self.waiting = 0
        """URLs that it was given to queue and that were not downloaded: some may be gone."""
        self.url_names = self.url_rest = 0
        self.urls: int | None = None
        """The share of names in its known URLs, in ten steps."""
        self.score = -1.0
        """As it was last worked out; below 0 before that."""
        self.priority = -1.0
        """What its waiting URLs have; below 0 before any was queued."""
        self.sources: dict[Segment, Pair] = {}
        self.goals: dict[Segment, Pair] = {}

    def count(self, relevant: bool, score: float) -> None:
        """A page of it was downloaded."""
        self.pages += 1
        self.relevant += relevant
        self.scores += score
        self._sum_up()

    def _sum_up(self) -> None:
        self.mean = self.scores / self.pages if self.pages else 0.0
        self.degree = step_of(self.relevant, self.pages)
        self.urls = step_of(self.url_names, self.url_names + self.url_rest)

    def is_relevant(self, threshold: float) -> bool:
        return self.pages > 0 and self.relevant >= threshold * self.pages

    def add_url(self, said: Said[object]) -> None:
        self.url_names += said.keywords
        self.url_rest += said.rest
        self.urls = step_of(self.url_names, self.url_names + self.url_rest)

    def pack(self) -> bytes:
        flags = _SEEDED * self.seeded | _ENDED * self.ended
        return _SEGMENT.pack(
            self.pages, self.relevant, self.scores, self.misses, self.run, flags, self.waiting,
            self.url_names, self.url_rest, self.priority, self.failed,
        )  # fmt: skip

    def unpack(self, saved: bytes) -> None:
        """What `pack` has written; older crawls did not count what failed."""
        (
            self.pages, self.relevant, self.scores, self.misses, self.run, flags, self.waiting,
            self.url_names, self.url_rest, self.priority, self.failed,
        ) = _SEGMENT.unpack(saved.ljust(_SEGMENT.size, b"\0"))  # fmt: skip
        self.seeded, self.ended = bool(flags & _SEEDED), bool(flags & _ENDED)
        self._sum_up()


class Pair:
    """A segment that links to another one, with what its links say."""

    __slots__ = (
        "chance",
        "goal",
        "key",
        "links",
        "names",
        "number",
        "rest",
        "said",
        "source",
        "worth",
    )

    def __init__(self, source: Segment, goal: Segment, number: int, worth: object) -> None:
        self.source, self.goal, self.number = source, goal, number
        self.links = self.names = self.rest = 0
        self.worth = worth
        """Of all words of its links: see `langcrawl.topic.clues.Said`."""
        self.said: tuple[str, ...] = ()
        """Some of the names in them, for people."""
        self.chance = -1.0
        """P_E, as it was last worked out, for the `key`."""
        self.key: object = None

    @property
    def anchors(self) -> int | None:
        """The share of names in anchors and the text around them, in ten steps."""
        return step_of(self.names, self.names + self.rest)

    def add(self, link: Said[object], url: Said[object]) -> None:
        """Pool what another link says, and the words of its URL."""
        self.links += 1
        self.names += link.keywords
        self.rest += link.rest
        self.worth += link.worth  # type: ignore[operator]
        self.worth += url.worth  # type: ignore[operator]
        if len(self.said) < 3 and (link.names or url.names):
            self.said = tuple(dict.fromkeys((*self.said, *link.names, *url.names)))[:3]
        self.key = None

    def pack(self) -> bytes:
        assert isinstance(self.worth, float)
        numbers = _PAIR.pack(self.number, self.links, self.names, self.rest, self.worth)
        return numbers + "\t".join(self.said).encode()

    def unpack(self, saved: bytes) -> None:
        self.number, self.links, self.names, self.rest, self.worth = _PAIR.unpack(
            saved[: _PAIR.size]
        )
        self.said = tuple(filter(None, saved[_PAIR.size :].decode().split("\t")))


class SegmentGraph:
    """All segments that a crawl has met."""

    def __init__(self, nothing: object = 0.0) -> None:
        """`nothing` is what no word is worth."""
        self.segments: dict[str, Segment] = {}
        self.downloaded = 0
        """Segments with a page of status 200."""
        self._nothing = nothing
        self._pairs = 0
        self._changed: set[Segment] = set()
        self._changed_pairs: set[Pair] = set()

    def segment(self, name: str) -> Segment:
        found = self.segments.get(name)
        if found is None:
            found = self.segments[name] = Segment(name)
        return found

    def changed(self, segment: Segment) -> None:
        self._changed.add(segment)

    def pair(self, source: Segment, goal: Segment) -> Pair:
        """The pair of two segments, about to change."""
        found = source.goals.get(goal)
        if found is None:
            self._pairs += 1
            found = Pair(source, goal, self._pairs, self._nothing)
            source.goals[goal] = goal.sources[source] = found
        self._changed_pairs.add(found)
        return found

    def save(self) -> dict[str, bytes]:
        """What has changed since the last call."""
        saved = {f"s{segment.name}": segment.pack() for segment in self._changed}
        for pair in self._changed_pairs:
            saved[f"p{pair.source.name} {pair.goal.name}"] = pair.pack()
        self._changed.clear()
        self._changed_pairs.clear()
        return saved

    def restore(self, saved: Mapping[str, bytes]) -> None:
        """All of it, pairs in the order in which they were found."""
        pairs = []
        for name, value in saved.items():
            if name[0] == "s":
                self.segment(name[1:]).unpack(value)
            elif name[0] == "p":
                source, _, goal = name[1:].partition(" ")
                pair = Pair(self.segment(source), self.segment(goal), 0, 0.0)
                pair.unpack(value)
                pairs.append(pair)
        for pair in sorted(pairs, key=lambda pair: pair.number):
            pair.source.goals[pair.goal] = pair.goal.sources[pair.source] = pair
            self._pairs = pair.number
        self.downloaded = sum(segment.pages > 0 for segment in self.segments.values())
