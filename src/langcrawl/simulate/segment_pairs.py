"""Pairs of segments of a log, as a crawler comes to know them, to train a predictor on.

The log is crawled segment by segment, first come first served, as paper 004 has its training
pages crawled breadth first (section 5.1). When the crawl comes to a segment, each segment that
links to it makes an example: what is known of the pair at that moment, and nothing that is found
later. What the segment was is known once the crawl is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from langcrawl.crawl import Crawl
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.log.graph import Graph
from langcrawl.parallel import Progress, silent
from langcrawl.ports import Download, Offer
from langcrawl.records import Limits, Step
from langcrawl.simulate.plan import Plan, find_seeds
from langcrawl.strategy.learned.pooling import features_of, pool_links
from langcrawl.strategy.learned.segment_graph import Segment, SegmentGraph
from langcrawl.strategy.learned.segments import BestSegment
from langcrawl.topic.clues import TextReader
from langcrawl.topic.countries import Countries
from langcrawl.topic.predictor import Features
from langcrawl.topic.segment_learn import Example
from langcrawl.topic.tokenizer import Tokenizer
from langcrawl.url import segment_of
from langcrawl.web.replay import ReplayedWeb

_ENDLESS = 1 << 40
_TELL_EVERY = 500


class Question(NamedTuple):
    """How a log is read."""

    language: str
    names: Sequence[str] = ()
    sounds: bool = True
    threshold: float = 0.5
    hops: int | None = None
    """Links from the first pages, beyond which nothing is read."""
    pages_per_host: int | None = 300
    countries: str = ""
    seeds: tuple[str, ...] = ()


class Pairs(NamedTuple):
    """What a log has to learn from."""

    examples: list[Example]
    segments: int
    """With a page in them."""
    relevant: int
    pages: int


class _Seen(NamedTuple):
    source: str
    goal: Segment
    features: Features
    words: tuple[str, ...]


class _Recorder(BestSegment):
    """Takes segments as they come, and notes what is known of each when its turn has come."""

    reads_links = True

    def __init__(self, question: Question) -> None:
        super().__init__(s=_ENDLESS, d=_ENDLESS, pages=0)
        self.graph = SegmentGraph(nothing=())
        tokenizer = Tokenizer(question.names, sounds=question.sounds)
        self._reader: TextReader[tuple[str, ...]] = TextReader(tokenizer, question.language, tuple)
        self._countries = Countries(question.countries)
        self._addresses: dict[str, str] = {}
        self._begun: set[Segment] = set()
        self.seen: list[_Seen] = []

    def score(self, segment: Segment) -> float:
        return 0.0

    def saw(self, download: Download) -> Iterable[str]:
        segment = self.graph.segment(download.group)
        if segment not in self._begun:
            self._begun.add(segment)
            for source, pair in segment.sources.items():
                assert isinstance(pair.worth, tuple)
                features = features_of(pair, self._country)
                self.seen.append(_Seen(source.name, segment, features, pair.worth))
        if download.page.ip:
            self._addresses[download.visit.host] = download.page.ip
        return super().saw(download)

    def _country(self, host: str) -> str | None:
        return self._countries.of(self._addresses.get(host, "")) if self._countries else None

    def _learn(
        self,
        offer: Offer,
        source: Segment | None,
        goals: Sequence[Segment],
        discards: Sequence[str],
    ) -> None:
        pool_links(self.graph, self._reader, offer, source, goals, discards)


class _Told:
    """A sink that tells how far the reading is."""

    def __init__(self, pages: int, progress: Progress) -> None:
        self._pages, self._progress = pages, progress

    def take(self, step: Step) -> None:
        if step.number % _TELL_EVERY == 0:
            self._progress(step.number, min(1.0, step.number / self._pages))

    def close(self) -> None:
        """Nothing to release."""


def back_links(graph: Graph, seeds: Sequence[str] = ()) -> tuple[str, ...]:
    """The pages of a log that link to these pages; to its relevant pages where none are named.

    Links within a segment do not count, since no pair comes of them.
    """
    arrays = graph.arrays
    wanted = np.zeros(len(graph.urls), bool)
    if seeds:
        wanted[[node for node in graph.find(seeds) if 0 <= node < graph.pages]] = True
    else:
        wanted[: graph.pages] = graph.relevant != 0
    sources = np.repeat(np.arange(graph.pages), np.diff(arrays.offsets[: graph.pages + 1]))
    goals = arrays.dst[: len(sources)]
    found = {
        graph.urls[source]: None
        for source, goal in zip(
            sources[wanted[goals]].tolist(), goals[wanted[goals]].tolist(), strict=True
        )
        if segment_of(graph.urls[source]) != segment_of(graph.urls[goal])
    }
    return tuple(found)


def read_pairs(graph: Graph, question: Question, progress: Progress = silent) -> Pairs:
    """The pairs of segments of a log, with its verdicts."""
    recorder = _Recorder(question)
    nodes = find_seeds(graph, Plan(question.seeds)).nodes
    crawl = Crawl(
        ReplayedWeb(graph, details=True),
        MemoryFrontier(group_of=recorder.group_of),
        recorder,
        limits=Limits(max_depth=question.hops, max_pages_per_host=question.pages_per_host),
        sinks=(_Told(graph.pages, progress),),
    )
    outcome = crawl.run(graph.urls[node] for node in nodes)
    examples = [
        Example(seen.source, seen.goal.name, seen.features, seen.words,
                seen.goal.is_relevant(question.threshold), seen.goal.pages, seen.goal.relevant)
        for seen in recorder.seen
        if seen.goal.pages
    ]  # fmt: skip
    found = [segment for segment in recorder.graph.segments.values() if segment.pages]
    relevant = sum(segment.is_relevant(question.threshold) for segment in found)
    return Pairs(examples, len(found), relevant, outcome.counts.pages)
