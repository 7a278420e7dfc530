"""Coverage: how often the interval of the estimate holds the truth, where the truth is known.

None of these webs had a part in the calibration (``python -m benchmarks calibrate``). The manuals
are the crawl that ``python -m benchmarks debian`` keeps, or ``LANGCRAWL_MANUALS``.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.debian import CRAWL
from benchmarks.quick_crawls import QuickWeb, crawl, crawled, generated, of_graph, reachable
from benchmarks.time_left import Left, timed_crawls
from langcrawl.log.graph import load_graph
from langcrawl.measure.estimate import ENOUGH, Estimate, estimate
from langcrawl.virtualweb.synth import load_profile

WEBS = {
    "thai-2005": 100_000,
    "myanmar-2014": 100_000,
    "mongolian-2014": 200_000,
    "japanese-2005": 40_000,
}
"""Profiles, and pages of a web of each."""
MANUALS = ("de", "ru", "vi", "nl", "sv", "es", "fr", "it", "pl", "cs", "id", "da")
MANUALS_CRAWLS = 4
"""Crawls of the manuals of a language: they differ in what is drawn."""
LEVELS = (0.2, 0.5, 0.8)
DEAD = "dead links, "
"""Webs whose names begin so keep a fifth of the URLs without a page; others leave them out."""
_SHARE = 0.02
_TIMED = {
    "thai-2005": 12_000,
    "myanmar-2014": 12_000,
    "mongolian-2014": 25_000,
    "japanese-2005": 8_000,
}
"""Pages of the webs that are crawled with a clock."""


class Case(NamedTuple):
    """One estimate, and what is true."""

    web: str
    seed: int
    truth: float
    draws: int
    said: Estimate | None
    left: int
    """Downloads until most is found."""

    @property
    def holds(self) -> bool:
        return self.said is not None and self.said.low <= self.truth <= self.said.high

    @property
    def time_left(self) -> Left | None:
        """At one download a second."""
        said = self.said.seconds_left(1.0) if self.said else None
        return Left(round(self.truth, 1), self.left, said) if said else None


def run() -> None:
    """how often the 90 % interval of the estimated coverage holds the truth, and of time left"""
    strategy = os.environ.get("LANGCRAWL_STRATEGY", "soft")
    cases: list[Case] = []
    crawls = 0
    for name, seed, web in _webs():
        cases += estimates(web, name, seed, strategy)
        crawls += 1
    print(f"\n{crawls} crawls by {strategy}, {_SHARE:.0%} drawn")
    _show(cases)
    print("\nUntil 90 % is reached, at one download a second:", flush=True)
    _show_left([case.time_left for case in cases if DEAD not in case.web])
    timed = int(os.environ.get("LANGCRAWL_TIMED", "24"))
    if timed:
        print(f"\nThe same by a clock, {timed} other crawls:", flush=True)
        _show_left(list(timed_crawls(_TIMED, timed, _first_seed(), _SHARE, LEVELS)))


def _first_seed() -> int:
    return int(os.environ.get("LANGCRAWL_FIRST_SEED", "1001"))


def _webs() -> Iterator[tuple[str, int, QuickWeb]]:
    crawls = int(os.environ.get("LANGCRAWL_CRAWLS", "200"))
    for number in range(crawls + crawls // 4):
        dead = number >= crawls
        name = list(WEBS)[number % len(WEBS)]
        seed = _first_seed() + number // len(WEBS)
        web = generated(load_profile(name), WEBS[name], seed, 0.2 if dead else 0.0)
        yield DEAD + name if dead else name, seed, web
    folder = Path(os.environ.get("LANGCRAWL_MANUALS", CRAWL))
    for lang in MANUALS if folder.is_dir() else ():
        web = of_graph(load_graph(folder, lang=lang))
        for seed in range(MANUALS_CRAWLS):
            yield f"manuals {lang}", seed, web


def estimates(web: QuickWeb, name: str, seed: int, strategy: str) -> Iterator[Case]:
    """The estimates of one crawl at each level of true coverage."""
    whole = reachable(web)
    done = crawl(web, strategy, _SHARE, seed)
    found = np.cumsum(web.relevant[done.order])
    enough = int(np.searchsorted(found, ENOUGH * whole - 1e-9)) + 1
    for level in LEVELS:
        end = int(np.searchsorted(found, level * whole - 1e-9)) + 1
        said = estimate(crawled(done, end))
        truth, draws = float(found[end - 1] / whole), int(np.count_nonzero(done.drawn[:end]))
        yield Case(name, seed, truth, draws, said, max(0, enough - end))
        words = f"{said.low:.3f} {said.coverage:.3f} {said.high:.3f}" if said else "nothing said"
        print(f"{name} {seed}: {truth:.3f} {words} ({draws} draws)", flush=True)


def _show(cases: list[Case]) -> None:
    print("| web | true coverage | estimates | hold the truth | median half-width | mean error |")
    print("| --- | --- | --- | --- | --- | --- |")
    for kind in (*WEBS, "manuals", "all", *(DEAD + name for name in WEBS), DEAD):
        for level in LEVELS:
            some = [
                case for case in cases
                if abs(case.truth - level) < 0.05
                and (case.web.startswith(kind) or (kind == "all" and DEAD not in case.web))
            ]  # fmt: skip
            said = [case.said for case in some if case.said is not None]
            if not said:
                continue
            errors = [c.said.coverage - c.truth for c in some if c.said is not None]
            print(
                f"| {kind.rstrip(', ')} | {level:.0%} | {len(said)} of {len(some)} "
                f"| {sum(case.holds for case in some) / len(said):.1%} "
                f"| {statistics.median((s.high - s.low) / 2 for s in said):.3f} "
                f"| {statistics.mean(errors):+.3f} |"
            )


def _show_left(given: Sequence[Left | None]) -> None:
    """How often the interval holds; how wide it is, as a factor from its middle to its ends."""
    print("| true coverage | estimates | hold the truth | too soon | too late | factor |")
    print("| --- | --- | --- | --- | --- | --- |")
    for level in LEVELS:
        some = [left for left in given if left is not None and abs(left.level - level) < 0.05]
        if not some:
            continue
        early = sum(left.truth > left.said[1] for left in some) / len(some)
        late = sum(left.truth < left.said[0] for left in some) / len(some)
        factors = [(high / low) ** 0.5 if low else float("inf") for low, high in (
            left.said for left in some)]  # fmt: skip
        print(
            f"| {level:.0%} | {len(some)} | {1 - early - late:.1%} | {early:.1%} | {late:.1%} "
            f"| {statistics.median(factors):.1f} |"
        )
