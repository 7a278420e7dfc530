"""The fuzzing itself: time shared among targets, and inputs kept that gave something new."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fuzz.child import Child, Fault
from fuzz.found import Finding, reduce, save
from fuzz.mutate import mutate
from fuzz.target import Target

_SLICE = 2.0
"""Seconds for which a target is fuzzed before the next has its turn."""
_MOST_KEPT, _LARGE = 1_000, 20_000
"""Inputs in the corpus of a target, and bytes of those that are too slow to be worth keeping."""
_MOST_CAME = 100_000
_REDUCE = 15.0
"""Seconds to make one finding smaller, at most."""


@dataclass(slots=True)
class Tally:
    """How the fuzzing of one target went."""

    target: Target
    inputs: int = 0
    kept: int = 0
    """Inputs that gave something new."""
    seconds: float = 0.0
    slowest: float = 0.0
    """Seconds by the clock of the slowest input without a fault."""
    findings: list[Finding] = field(default_factory=list)
    faults: int = 0
    """Inputs with a fault, those included that had been found before."""

    @property
    def failed(self) -> bool:
        """Whether anything was found that is not being mended already."""
        return bool(self.findings) and not self.target.pending


class Fuzzed:
    """One target while it is fuzzed."""

    def __init__(
        self, target: Target, seed: int, reducing: float, tell: Callable[[Finding], None]
    ) -> None:
        self.tally = Tally(target)
        self._seed, self._reducing, self._tell = seed, reducing, tell
        self._child = Child(target)
        self._seeds = list(target.seeds())
        self._corpus = list(self._seeds)
        self._large = max(_LARGE, *map(len, self._seeds))
        self._came: set[str] = set()
        self._known: set[tuple[str, str]] = set()

    def run(self, seconds: float) -> None:
        """Try inputs for so long: first the seeds as they are, then what is made of them."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            tally = self.tally
            if tally.inputs < len(self._seeds):
                data = self._seeds[tally.inputs]
            else:
                rng = Random(f"{self._seed}/{tally.target.name}/{tally.inputs}")
                data = mutate(rng, self._corpus, tally.target.words, tally.target.most)
            self._try(data)
        self.tally.seconds += time.monotonic() - began

    def close(self) -> None:
        self._child.close()

    def _try(self, data: bytes) -> None:
        tally, began = self.tally, time.monotonic()
        trial = self._child.try_input(data)
        tally.inputs += 1
        if trial.fault is not None:
            tally.faults += 1
            if trial.fault.key not in self._known:
                self._note(data, trial.fault)
            return
        tally.slowest = max(tally.slowest, time.monotonic() - began)
        if trial.came not in self._came and len(self._came) < _MOST_CAME:
            self._came.add(trial.came)
            self._keep(data)

    def _note(self, data: bytes, fault: Fault) -> None:
        """A fault that is new: make its input smaller, and tell of it."""
        self._known.add(fault.key)
        number = self.tally.inputs - 1
        data = reduce(self._child, data, fault, self._reducing)
        finding = Finding(self.tally.target.name, data, fault, self._seed, number)
        self.tally.findings.append(finding)
        self._tell(finding)

    def _keep(self, data: bytes) -> None:
        """Into the corpus, if there is room and it is not too large."""
        made = self.tally.inputs > len(self._seeds)
        if made and len(self._corpus) < _MOST_KEPT and len(data) <= self._large:
            self._corpus.append(data)
            self.tally.kept += 1


def fuzz(
    targets: Sequence[Target],
    seconds: float,
    seed: int,
    folder: Path,
    say: Callable[[str], None] = print,
    enough: Callable[[Sequence[Tally]], bool] = lambda tallies: False,
) -> list[Tally]:
    """Fuzz targets in turns; each finding is told in one line and written to the folder.

    It ends before its time once there is `enough`.
    """

    def tell(finding: Finding) -> None:
        say(f"{finding.line}: {save(finding, folder)}")

    share = seconds / len(targets)
    at_work = [Fuzzed(target, seed, min(_REDUCE, share / 8), tell) for target in targets]
    end = time.monotonic() + seconds
    try:
        while (left := end - time.monotonic()) > 0 and not enough([at.tally for at in at_work]):
            least = min(at_work, key=lambda each: each.tally.seconds)
            least.run(min(_SLICE, left, max(share / 4, 0.05)))
    except KeyboardInterrupt:
        say("interrupted; so far:")
    finally:
        for each in at_work:
            each.close()
    return [each.tally for each in at_work]


def report(tallies: Sequence[Tally]) -> list[str]:
    """Inputs tried and what was found, a line for each target."""
    lines = [f"{'target':<10}{'inputs':>10}{'new':>7}{'a second':>10}{'slowest':>9}  found"]
    for tally in tallies:
        rate = tally.inputs / tally.seconds if tally.seconds else 0.0
        found = f"{len(tally.findings)} ({tally.faults:,} inputs)" if tally.findings else "nothing"
        if tally.findings and tally.target.pending:
            found += f", pending: {tally.target.pending}"
        lines.append(
            f"{tally.target.name:<10}{tally.inputs:>10,}{tally.kept:>7,}{rate:>10,.0f}"
            f"{tally.slowest:>8.2f}s  {found}"
        )
    inputs = sum(tally.inputs for tally in tallies)
    faults = sum(len(tally.findings) for tally in tallies)
    return [*lines, f"{inputs:,} inputs, {faults:,} findings"]
