"""The segment crawler of paper 004: whole website segments, the most promising first.

A segment that was begun is worked off before another one is begun. Which one that is, says the
score of the segments that wait: `best-segment` goes by how relevant the segments are that link to
it, `segments` also by what the links say. docs/segments.md has the rules to the letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Final

from langcrawl.errors import BadInput, BadValue
from langcrawl.ports import Download, Learner, Offer, Ranking
from langcrawl.records import UNKNOWN, Visit
from langcrawl.strategy.learned.pooling import features_of, pool_links
from langcrawl.strategy.learned.segment_graph import Pair, Segment, SegmentGraph
from langcrawl.topic.countries import Countries
from langcrawl.topic.expectation import logistic
from langcrawl.topic.predictor import load_segment_model
from langcrawl.url import segment_of

ENDED, TOO_FAR, HOST_FULL = "segment-ended", "segment-distance", "max-pages-per-host"
OPEN: Final = 0.0
"""The priority of what waits in a segment that was begun; others come behind 1."""
_STEPS: Final = 1024
_MOST_OPEN: Final = 256
_OPEN = "o"
_Words = Sequence[str]


class BestSegment(Learner):
    """Scores segments by the mean page scores of the segments that link to them."""

    says = "whole website segments; those that relevant segments link to first"
    step = 1 / _STEPS
    reads_links = False
    grouped = True

    def __init__(self, s: int = 2, d: int = 2, pages: int = 300, divide: str = "sources") -> None:
        if s < 1 or d < 1 or pages < 0:
            raise BadValue("s and d must be 1 or more, and pages 0 (no limit) or more.")
        if divide not in ("sources", "all"):
            raise BadValue(f"divide must be sources or all, not '{divide}'.")
        self.most_misses, self.most_run, self.most_pages = s, d, pages
        self._by_all = divide == "all"
        self.threshold = 0.5
        self.graph = SegmentGraph()
        self._open: dict[Segment, None] = {}
        """Segments that were begun and of which something waits, the last one last."""
        self._current: Segment | None = None
        self._moved = True
        """Whether what is open has changed since it was saved."""

    def group_of(self, url: str, host: str) -> str:
        return segment_of(url)

    # -- what a pair, and a segment, is worth

    def chance(self, pair: Pair) -> float:
        """P_E of a pair; 1 where nobody predicts."""
        return 1.0

    def worth(self, pair: Pair) -> float:
        """What a source says of a segment: its mean page score, times the chance."""
        return pair.source.mean * self.chance(pair)

    def score(self, segment: Segment) -> float:
        """Formula 8: the mean over the segments that link to it; 1 for the segment of a seed."""
        if segment.seeded:
            return 1.0
        if not segment.sources:
            return 0.0
        worth = [self.worth(pair) for pair in segment.sources.values()]
        total = fsum(worth)  # the same in any order
        if self._by_all:  # all have the same divisor, so the order is that of the sums
            return total / (1 + total)
        return total / len(worth)

    def _priority(self, segment: Segment) -> float:
        if segment in self._open:
            return OPEN
        segment.score = self.score(segment)
        return 1 + round((1 - segment.score) * _STEPS) / _STEPS

    # -- what happens

    def saw(self, download: Download) -> Iterable[str]:
        page, verdict = download.page, download.verdict
        segment = self.graph.segment(download.group)
        segment.waiting = max(0, segment.waiting - 1)
        self.graph.changed(segment)
        again = self._begin(segment)
        self._note_address(download)
        if page.redirect or 300 <= page.status < 400:  # wherever it leads, it is no page
            return again
        segment.misses = 0 if verdict.relevant else segment.misses + 1
        if segment.misses >= self.most_misses and not segment.ended:
            segment.ended = True
            again = [segment.name]
        if page.status != 200:
            segment.failed += 1
            return again
        self.graph.downloaded += not segment.pages
        segment.count(verdict.relevant, verdict.score)
        return [*again, *self._score_again(segment)]

    def _begin(self, segment: Segment) -> list[str]:
        """A page of a segment was downloaded: the others of it are next."""
        before, self._current = self._current, segment
        if before is not None and before is not segment and before.waiting <= 0:
            self._open.pop(before, None)
            self._moved = True
        if segment in self._open:
            return []
        self._open[segment] = None
        self._moved = True
        if len(self._open) > _MOST_OPEN:
            del self._open[next(iter(self._open))]
        segment.priority = OPEN
        return [segment.name]

    def _score_again(self, source: Segment) -> list[str]:
        """A source has grown: the segments that it links to whose priority is another one now."""
        again = []
        for goal in source.goals:
            if goal.waiting > 0 and not goal.ended:
                priority = self._priority(goal)
                if priority != goal.priority:
                    goal.priority = priority
                    self.graph.changed(goal)
                    again.append(goal.name)
        return again

    def rank(self, offer: Offer) -> Ranking:
        source = self.graph.segment(segment_of(offer.parent)) if offer.parent else None
        goals = [self.graph.segment(segment_of(state[0])) for state in offer.states]
        refused = self._refused(offer, source, goals)
        full = self.most_pages or float("inf")
        discards = [
            refused[goal] or (HOST_FULL if facts.host_downloads >= full else "")
            for goal, facts in zip(goals, offer.facts, strict=True)
        ]
        before = {goal: (goal.waiting, goal.priority) for goal in refused}
        self._learn(offer, source, goals, discards)
        again, said = [], dict.fromkeys(before, "")
        now = {goal: old for goal, (_, old) in before.items()}
        for goal, (waiting, old) in before.items():
            if refused[goal]:
                continue
            goal.priority = self._priority(goal)
            self.graph.changed(goal)
            said[goal] = self.reason(goal)
            if waiting > 0 and goal.priority != old:
                again.append(goal.name)  # all of it moves, in the order in which it was found
            else:
                now[goal] = goal.priority
        return Ranking(
            [now[goal] for goal in goals], discards, [said[goal] for goal in goals], again=again
        )

    def _refused(
        self, offer: Offer, source: Segment | None, goals: Sequence[Segment]
    ) -> dict[Segment, str]:
        """Why no link to a segment is queued, in a word; the runs of the others."""
        run = 0
        if source is not None and not source.is_relevant(self.threshold):
            run = source.run + 1
        refused = {}
        for goal in dict.fromkeys(goals):
            why = ""
            if goal.ended:
                why = ENDED
            elif goal is not source and min(run, goal.run) >= self.most_run:
                why = TOO_FAR
            elif goal is not source:
                goal.run = min(run, goal.run)
                goal.seeded |= source is None and offer.found_by in ("seed", "redirect")
            refused[goal] = why
        return refused

    def _learn(
        self, offer: Offer, source: Segment | None, goals: Sequence[Segment], discards: _Words
    ) -> None:
        """Count what is queued, and who links to whom."""
        for goal, state, discard in zip(goals, offer.states, discards, strict=True):
            if discard:
                continue
            if state[1] == float("inf"):
                goal.waiting += 1
            if source is not None and goal is not source:
                self.graph.pair(source, goal)

    def _note_address(self, download: Download) -> None:
        """For those who want to know where hosts are."""

    def rank_again(self, group: str, waiting: Sequence[Visit]) -> Ranking:
        segment, count = self.graph.segment(group), len(waiting)
        if segment.ended:
            segment.waiting = 0
            return Ranking([OPEN] * count, [ENDED] * count)
        return Ranking([segment.priority] * count, (), [self.reason(segment)] * count)

    # -- in words

    def reason(self, segment: Segment) -> str:
        """Why the URLs of a segment have their priority, in a few words."""
        if segment in self._open:
            return f"{segment.name} was begun"
        if segment.seeded:
            return "a seed, or in the segment of one"
        if not segment.sources:
            return "no segment links to it"
        score = segment.score if segment.score >= 0 else self.score(segment)
        return f"score {score:.3f} by {self._first_source(segment)}"

    def _first_source(self, segment: Segment) -> str:
        if not segment.sources:
            return "no segment"
        more = len(segment.sources) - 1
        first = next(iter(segment.sources)).name
        return f"{first} and {more} more" if more else first

    def why(self, visit: Visit) -> str:
        segment = self.graph.segment(segment_of(visit.url))
        words = [f"It is in the segment {segment.name}: {self.reason(segment)}."]
        ranked = sorted(segment.sources.values(), key=lambda pair: -self.worth(pair))
        words += [self._in_words(pair) for pair in ranked[:3]]
        if segment.ended:
            words.append(f"It ended after {self.most_misses} irrelevant pages in a row.")
        return " ".join(words)

    def _in_words(self, pair: Pair) -> str:
        source = pair.source
        return (
            f"{source.name} links to it, of which {source.relevant} of {source.pages} pages are "
            f"relevant, with a mean score of {source.mean:.2f}."
        )

    # -- kept in the crawl's transaction

    def save(self) -> Mapping[str, bytes]:
        saved = self.graph.save()
        if self._moved:
            current = self._current.name if self._current else ""
            saved[_OPEN] = "\n".join((current, *(each.name for each in self._open))).encode()
            self._moved = False
        return saved

    def restore(self, saved: Mapping[str, bytes]) -> None:
        self.graph.restore(saved)
        if _OPEN in saved:
            current, *names = saved[_OPEN].decode().split("\n")
            self._current = self.graph.segment(current) if current else None
            self._open = {self.graph.segment(name): None for name in names}


class Segments(BestSegment):
    """The same with what the links say: each source counts by the chance that it gives."""

    says = "whole website segments; by who links to them and what these links say, as was trained"
    reads_links = reads_context = True
    called = "segments"

    def __init__(
        self,
        model: str = "",
        s: int = 2,
        d: int = 2,
        pages: int = 300,
        divide: str = "sources",
        countries: str = "",
        lang: str = UNKNOWN,
    ) -> None:
        super().__init__(s, d, pages, divide)
        if not model:
            raise BadValue(
                f"{self.called} needs a model=FILE: make one with 'langcrawl train segments FILE'."
            )
        self.model = load_segment_model(Path(model))
        if lang != UNKNOWN and self.model.language not in _primaries(lang):
            raise BadInput(
                f"the segment model '{model}' was trained for pages in '{self.model.language}' and "
                f"cannot guide a crawl for '{lang}'; train one on a log of that language."
            )
        self.threshold = self.model.threshold
        self._reader = self.model.reader()
        self._countries = Countries(countries)
        self._addresses: dict[str, str] = {}
        self._new_addresses: set[str] = set()

    def chance(self, pair: Pair) -> float:
        source, goal = pair.source, pair.goal
        key: tuple[object, ...] = (source.degree, goal.urls)
        if self._countries:
            key = (*key, self._country(source.host), self._country(goal.host))
        if pair.key != key:
            pair.key = key
            by_links, by_words = self._both(pair)
            pair.chance = self._combined(by_links, by_words)
        return pair.chance

    def _combined(self, by_links: float, by_words: float) -> float:
        """P_E (formula 9)."""
        return (by_links + by_words) / 2

    def _both(self, pair: Pair) -> tuple[float, float]:
        """P_L and P_W."""
        assert isinstance(pair.worth, float)
        return self.model.by_links(features_of(pair, self._country)), logistic(pair.worth)

    def _learn(
        self, offer: Offer, source: Segment | None, goals: Sequence[Segment], discards: _Words
    ) -> None:
        pool_links(self.graph, self._reader, offer, source, goals, discards)

    def _note_address(self, download: Download) -> None:
        host, ip = download.visit.host, download.page.ip
        if self._countries and ip and self._addresses.get(host) != ip:
            self._addresses[host] = ip
            self._new_addresses.add(host)

    def _country(self, host: str) -> str | None:
        return self._countries.of(self._addresses.get(host, "")) if self._countries else None

    def _in_words(self, pair: Pair) -> str:
        by_links, by_words = self._both(pair)
        said = f" They name {', '.join(pair.said)}." if pair.said else " They have no keyword."
        return (
            f"{super()._in_words(pair)} Its links give a chance of {(by_links + by_words) / 2:.2f}:"
            f" {by_links:.2f} by what they are like, {by_words:.2f} by their words.{said}"
        )

    def save(self) -> Mapping[str, bytes]:
        saved = dict(super().save())
        for host in self._new_addresses:
            saved[f"h{host}"] = self._addresses[host].encode()
        self._new_addresses.clear()
        return saved

    def restore(self, saved: Mapping[str, bytes]) -> None:
        super().restore(saved)
        self._addresses = {name[1:]: ip.decode() for name, ip in saved.items() if name[0] == "h"}


def _primaries(lang: str) -> set[str]:
    return {tag.split("-")[0] for tag in lang.split(",")}
