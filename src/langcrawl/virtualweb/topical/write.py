"""A topical web as a crawl log."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from langcrawl.log.schema import log_table
from langcrawl.log.segments import write_segment
from langcrawl.parallel import Progress, Stop, never, silent
from langcrawl.store.draft import new_crawl
from langcrawl.virtualweb.synth.write import Generated, generated_config
from langcrawl.virtualweb.topical.plan import Goals, Segment, Site, Vocabulary, draw_sites
from langcrawl.virtualweb.topical.profile import TopicalProfile

_SEEDS = 20
_BRANCHING = 4
_CONTEXT = 10
"""Words on both sides of a link."""
_TO_INDEX = 0.6
"""Links from elsewhere that lead to the first page of a segment."""
_CHUNK = 200
"""Segments between two looks whether to stop."""
_Row = dict[str, list[Any]]


def generate_topical(
    directory: Path,
    profile: TopicalProfile,
    size: int,
    seed: int,
    progress: Progress = silent,
    stop: Stop = never,
) -> Generated:
    """Make a web of so many pages and write it as a crawl directory."""
    progress(0, 0.0)
    random = Random(f"{profile.name} {seed}")
    sites = draw_sites(profile, size, random)
    segments = [segment for site in sites for segment in site.segments]
    seeds = _seeds(sites, random)
    pages = _pages(profile, segments, random)
    links = _Links(profile, segments, random)
    for at, segment in enumerate(segments):
        links.add(segment)
        if at % _CHUNK == 0:
            progress(segment.first, segment.first / size)
            if stop():
                raise KeyboardInterrupt
    urls: _Row = {"id": list(range(size)), "url": [url for each in segments for url in each.urls],
            "host": [each.site.host for each in segments for _ in each.urls]}  # fmt: skip
    config = generated_config(profile.name, size, seed, seeds, profile.lang)
    with new_crawl(directory, config) as draft:
        columns = {"urls": urls, "links": links.rows, "pages": pages}
        tables = {name: log_table(name, len(next(iter(rows.values()))), rows)
                  for name, rows in columns.items()}  # fmt: skip
        write_segment(draft, 0, tables)
    relevant = sum(pages["relevant"])
    return Generated(size, relevant, size, len(links.rows["src"]), len(sites), seeds)


def _seeds(sites: list[Site], random: Random) -> tuple[str, ...]:
    """First pages of relevant segments, as one finds by a search engine."""
    found = [segment.urls[0] for site in sites if site.specialist for segment in site.segments
             if segment.relevant and segment.urls]  # fmt: skip
    found = found or [segment.urls[0] for site in sites for segment in site.segments
                      if segment.urls][:1]  # fmt: skip
    return tuple(sorted(random.sample(found, min(_SEEDS, len(found)))))


def _pages(profile: TopicalProfile, segments: list[Segment], random: Random) -> _Row:
    rows: _Row = {name: [] for name in (
        "id", "status", "content_type", "bytes", "text_bytes", "elapsed", "ip", "language",
        "score", "relevant", "depth", "charset_detected",
    )}  # fmt: skip
    for segment in segments:
        share = profile.relevant_pages if segment.relevant else profile.stray_pages
        for at in range(len(segment.urls)):
            ours = segment.language == profile.lang
            relevant = ours and random.random() < share
            score = 0.5 + 0.5 * random.betavariate(4, 1.5) if relevant else (
                0.49 * random.betavariate(1, 4) if ours else 0.0)  # fmt: skip
            values = (segment.first + at, 200, "text/html", 12_000, 4_000, 0.3, segment.site.ip,
                      segment.language, round(score, 4), relevant, None, "utf-8")  # fmt: skip
            for name, value in zip(rows, values, strict=True):
                rows[name].append(value)
    return rows


class _Links:
    """The links of all pages, in document order."""

    def __init__(self, profile: TopicalProfile, segments: list[Segment], random: Random) -> None:
        self._profile, self._random = profile, random
        self._goals, self._vocabulary = Goals(segments, random), Vocabulary(profile)
        self._given = profile.anchors.given(profile.base)
        self.rows: _Row = {name: [] for name in ("src", "dst", "position", "anchor", "context")}

    def add(self, segment: Segment) -> None:
        """The links of a segment's pages: to its other pages, and to other segments."""
        random, profile, size = self._random, self._profile, len(segment.urls)
        for at in range(size):
            page = segment.first + at
            below = range(_BRANCHING * at + 1, min(size, _BRANCHING * at + _BRANCHING + 1))
            within = [*below, *(random.randrange(size) for _ in range(self._count(
                profile.links_within)))]  # fmt: skip
            for position, other in enumerate(within):
                self._link(page, segment.first + other, position, segment)
            for position in range(self._count(profile.links_out)):
                goal = self._goals.draw(segment, profile, random)
                if goal is None or not goal.urls:
                    continue
                far = random.random() >= _TO_INDEX
                there = goal.first + (random.randrange(len(goal.urls)) if far else 0)
                self._link(page, there, len(within) + position, goal)

    def _count(self, mean: float) -> int:
        return int(self._random.expovariate(1 / mean)) if mean else 0

    def _link(self, source: int, goal: int, position: int, segment: Segment) -> None:
        """A link whose anchor, or the text around it, may have a name (Table 6)."""
        random, profile = self._random, self._profile
        kind = 0 if segment.relevant else 1
        topical = profile.topic_words[kind]
        anchor = self._vocabulary.words(random, random.randrange(1, 4), topical)
        context = self._vocabulary.words(random, _CONTEXT, topical)
        if random.random() < self._given[kind]:
            text = anchor if random.random() < 0.5 else context
            for _ in range(random.randrange(1, 4)):
                text.insert(random.randrange(len(text) + 1), self._vocabulary.name(random))
        values = (source, goal, position, " ".join(anchor), " ".join(context))
        for name, value in zip(self.rows, values, strict=True):
            self.rows[name].append(value)
