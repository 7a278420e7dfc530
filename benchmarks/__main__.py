"""Run all benchmarks, or those whose names are given."""

from __future__ import annotations

import sys

from benchmarks import replay, scale

BENCHMARKS = {"replay": replay.run, "scale": scale.run}


def main() -> None:
    wanted = sys.argv[1:] or list(BENCHMARKS)
    for name in wanted:
        if name not in BENCHMARKS:
            sys.exit(f"there is no benchmark '{name}'; there are: {', '.join(BENCHMARKS)}")
        print(f"== {name}: {BENCHMARKS[name].__doc__}")
        BENCHMARKS[name]()


main()
