"""``python -m fuzz``: fuzz targets for a while, or try one finding again."""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path

from fuzz.child import Child
from fuzz.found import load
from fuzz.run import fuzz, report
from fuzz.targets import TARGETS

FOUND = Path(__file__).parent / "found"
_HOURS = 4 * 3600.0


def main(words: list[str] | None = None) -> int:
    """Exit status 1 if anything was found."""
    parser = argparse.ArgumentParser("fuzz", description="Fuzz langcrawl.")
    parser.add_argument("--seconds", type=float, default=_HOURS, help="how long; else four hours")
    parser.add_argument("--seed", type=int, help="of all chance; else the time")
    parser.add_argument(
        "--target", action="append", choices=[*TARGETS], help="only this one; may be repeated"
    )
    parser.add_argument("--replay", type=Path, help="try the input of a finding again")
    chosen = parser.parse_args(words)
    say = partial(print, flush=True)
    if chosen.replay:
        return _replay(chosen.replay)
    seed = int(time.time()) if chosen.seed is None else chosen.seed
    targets = [TARGETS[name] for name in chosen.target or TARGETS]
    say(f"fuzzing {len(targets)} targets for {chosen.seconds:,.0f} s with --seed {seed}")
    tallies = fuzz(targets, chosen.seconds, seed, FOUND, say)
    say("\n".join(report(tallies)))
    return int(any(tally.failed for tally in tallies))


def _replay(path: Path) -> int:
    """Try one input once more, and show what comes of it."""
    kept = load(path, SystemExit)
    if kept.target not in TARGETS:
        raise SystemExit(f"there is no target '{kept.target}'; there are: {', '.join(TARGETS)}.")
    target = TARGETS[kept.target]
    target.seeds()  # what its check needs is made with them
    child = Child(target)
    trial = child.try_input(kept.data)
    child.close()
    if trial.fault is None:
        print(f"{target.name}: nothing is wrong any more; {trial.came}")
        return 0
    print(f"{target.name}: {trial.fault.kind} in {trial.fault.where}\n{trial.fault.text}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
