"""Run the benchmarks whose names are given, or all but the huge one."""

from __future__ import annotations

import sys

from benchmarks import analysis, judging, replay, scale

BENCHMARKS = {
    "replay": replay.run,
    "start": scale.run_start,
    "scale": scale.run,
    "analyze": analysis.run,
    "judging": judging.run,
    "huge": scale.run_huge,
}


def main() -> None:
    wanted = sys.argv[1:] or [name for name in BENCHMARKS if name != "huge"]
    for name in wanted:
        if name not in BENCHMARKS:
            sys.exit(f"there is no benchmark '{name}'; there are: {', '.join(BENCHMARKS)}")
        print(f"== {name}: {BENCHMARKS[name].__doc__}", flush=True)
        BENCHMARKS[name]()


main()
