"""Segments by the share of their pages that is expected to be relevant, whoever links to them.

The segment crawler of paper 004 multiplies what links say by how relevant their source is, so that
nothing speaks for what an irrelevant list links to. Here both are clues of one expectation, which
was learned, and each page of a segment that is read changes what is expected of the others. So
there is no end of a segment and no distance to set. docs/segments.md has the rules to the letter.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from sys import maxsize
from typing import Final

from langcrawl.errors import BadInput
from langcrawl.ports import Download
from langcrawl.records import UNKNOWN
from langcrawl.strategy.learned.segment_graph import Pair, Segment
from langcrawl.strategy.learned.segments import Segments

_NEVER: Final = maxsize // 2


class LikelySegment(Segments):
    """Takes URLs of the segment of which most is expected, one after the other."""

    says = "URLs of the website segment whose pages are most likely relevant, as was trained"
    called = "likely-segment"

    def __init__(
        self, model: str = "", pages: int = 300, countries: str = "", lang: str = UNKNOWN
    ) -> None:
        super().__init__(model, _NEVER, _NEVER, pages, "sources", countries, lang)
        if self.model.expected is None:
            raise BadInput(
                f"the segment model '{model}' was made by an older langcrawl and does not say what "
                "to expect of a segment; train it anew, or use the strategy 'segments'."
            )
        self._expected = self.model.expected

    def _combined(self, by_links: float, by_words: float) -> float:
        return self._expected.said(by_links, by_words)

    def worth(self, pair: Pair) -> float:
        """What a source says of a segment: any number, 0 where it says nothing."""
        return self.chance(pair)

    def prior(self, segment: Segment) -> float:
        """The share of relevant pages that is expected before any was read; 1 for a seed's."""
        if segment.seeded:
            return 1.0
        if not segment.sources:
            return 0.0
        said = [self.chance(pair) for pair in segment.sources.values()]
        return self._expected.chance(fsum(said) / len(said), len(said))

    def score(self, segment: Segment) -> float:
        """The share of relevant pages that is expected now; a failed download is none."""
        pages = segment.pages + segment.failed
        return self._expected.share(self.prior(segment), segment.scores, pages)

    def _begin(self, segment: Segment) -> list[str]:
        """A segment is not worked off at once: each page says whether the next one is worth it."""
        return []

    def saw(self, download: Download) -> Iterable[str]:
        again = super().saw(download)
        segment = self.graph.segment(download.group)
        priority = self._priority(segment)
        if segment.waiting <= 0 or priority == segment.priority:
            return again
        segment.priority = priority
        return [segment.name, *again]

    def reason(self, segment: Segment) -> str:
        score = segment.score if segment.score >= 0 else self.score(segment)
        said = f"{score:.3f} of {segment.name} is expected to be relevant"
        if read := segment.pages + segment.failed:
            return f"{said}, after {read:,} page{'s' * (read > 1)} of it"
        if segment.seeded:
            return f"{said}, as the segment of a seed"
        return f"{said}, by {self._first_source(segment)}"
