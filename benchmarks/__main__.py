"""Run the benchmarks whose names are given, or all but those that take long or need files."""

from __future__ import annotations

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does

from benchmarks import (
    adaptive,
    adaptive_more,
    analysis,
    calibrate,
    coordinator,
    coverage,
    crawling,
    dashboard,
    debian,
    duplicates,
    exporting,
    frontier,
    generate,
    hanging,
    hostile,
    imports,
    judging,
    keywords,
    learner,
    learning,
    long_crawl,
    maintext,
    politeness,
    replay,
    scale,
    screenshots,
    segments,
    shards,
    topics,
    why,
    word_lists,
)

BENCHMARKS = {
    "replay": replay.run,
    "learner": learner.run,
    "start": scale.run_start,
    "scale": scale.run,
    "webs": analysis.run,
    "import": imports.run,
    "export": exporting.run,
    "duplicates": duplicates.run,
    "judging": judging.run,
    "learning": learning.run,
    "frontier": frontier.run,
    "topics": topics.run,
    "segments": segments.run,
    "segments-speed": segments.run_speed,
    "words": word_lists.run,
    "keywords": keywords.run,
    "maintext": maintext.run,
    "crawl": crawling.run,
    "coordinator": coordinator.run,
    "shards": shards.run,
    "slow-shards": shards.run_slow,
    "exchange": shards.run_exchange,
    "politeness": politeness.run,
    "long": long_crawl.run,
    "million": long_crawl.run_million,
    "debian": debian.run,
    "adaptive": adaptive.run,
    "adaptive-topics": adaptive_more.run_topics,
    "adaptive-time": adaptive_more.run_timed,
    "calibrate": calibrate.run,
    "coverage": coverage.run,
    "hostile": hostile.run,
    "hanging": hanging.run,
    "dashboard": dashboard.run,
    "why": why.run,
    "screenshots": screenshots.run,
    "huge": scale.run_huge,
    "huge-frontier": frontier.run_huge,
    "huge-webs": generate.run_huge,
}
_ONLY_IF_NAMED = (
    "dashboard",
    "screenshots",
    "adaptive",
    "adaptive-topics",
    "adaptive-time",
    "calibrate",
    "coverage",
    "hostile",
    "hanging",
    "huge",
    "huge-frontier",
    "huge-webs",
    "long",
    "million",
    "debian",
    "slow-shards",
    "learning",
    "maintext",
    "topics",
    "why",
    "words",
)


def main() -> None:
    wanted = sys.argv[1:] or [name for name in BENCHMARKS if name not in _ONLY_IF_NAMED]
    for name in wanted:
        if name not in BENCHMARKS:
            sys.exit(f"there is no benchmark '{name}'; there are: {', '.join(BENCHMARKS)}")
        print(f"== {name}: {BENCHMARKS[name].__doc__}", flush=True)
        BENCHMARKS[name]()


main()
