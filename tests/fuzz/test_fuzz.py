"""The fuzzer finds what is planted, survives it, and finds nothing in what is sound."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from fuzz.child import Child
from fuzz.found import load
from fuzz.mutate import mutate
from fuzz.run import Tally, fuzz, report
from fuzz.target import Broken, Target
from fuzz.targets import TARGETS

ROOT = Path(__file__).resolve().parents[2]
SEEDS = (b"hello, world", b"12 monkeys and 13 more")


def a_target(check: Callable[[bytes], object], seconds: int = 1) -> Target:
    return Target("planted", "nothing", lambda: SEEDS, check, (b"!",), 1000, seconds, 100_000_000)


def raises(data: bytes) -> object:
    if b"!" in data:
        raise IndexError("planted")
    return len(data) // 10


def breaks(data: bytes) -> object:
    if b"!" in data:
        raise Broken(f"a promise is kept: {len(data)}")
    return None


def hangs(data: bytes) -> object:
    while b"!" in data:
        pass
    return None


def takes_memory(data: bytes) -> object:
    return len(b"x" * 300_000_000) if b"!" in data else None


def crashes(data: bytes) -> object:
    return ctypes.string_at(0) if b"!" in data else None


def met_again(tallies: Sequence[Tally]) -> bool:
    """Whether a fault was found, and met once more, and sound inputs were tried between."""
    return all(tally.faults > 1 and tally.inputs > len(SEEDS) + 2 for tally in tallies)


def run(check: Callable[[bytes], object], folder: Path, seconds: float = 4.0) -> Tally:
    (tally,) = fuzz([a_target(check)], seconds, 1, folder, lambda line: None, met_again)
    return tally


@pytest.mark.parametrize(
    ("check", "kind"),
    [
        (raises, "raised"),
        (breaks, "broken"),
        (hangs, "time"),
        (takes_memory, "memory"),
        (crashes, "crash"),
    ],
)
def test_a_planted_fault_is_found_once_and_can_be_tried_again(
    check: Callable[[bytes], object], kind: str, tmp_path: Path
) -> None:
    tally = run(check, tmp_path)
    (finding,) = tally.findings
    assert finding.fault.kind == kind
    assert tally.faults >= 1
    assert tally.inputs > len(SEEDS)
    (path,) = tmp_path.iterdir()
    kept = load(path, AssertionError)
    assert kept.data == finding.data
    assert b"!" in kept.data
    child = Child(a_target(check))
    again = child.try_input(kept.data)
    child.close()
    assert again.fault is not None
    assert again.fault.kind == kind


def test_a_finding_is_made_small_and_says_where_it_was(tmp_path: Path) -> None:
    (finding,) = run(raises, tmp_path).findings
    assert finding.data == b"!"
    (path,) = tmp_path.iterdir()
    said = json.loads(path.read_text("utf-8"))
    assert said["target"] == "planted"
    assert said["seed"] == 1
    assert "IndexError: planted" in said["traceback"]


def test_who_waits_for_ever_is_ended_and_others_go_on() -> None:
    waits = Target("waits", "", lambda: SEEDS, lambda data: time.sleep(600), patience=0.3)
    child = Child(waits)
    for _ in range(2):
        fault = child.try_input(b"x").fault
        assert fault is not None
        assert fault.kind == "hang"
    child.close()


def test_an_input_of_which_something_new_comes_is_kept(tmp_path: Path) -> None:
    (tally,) = fuzz([a_target(len)], 1.0, 1, tmp_path, print)
    assert tally.kept > 10
    assert not tally.findings
    assert not list(tmp_path.iterdir())


def test_what_is_being_mended_is_told_and_fails_no_run(tmp_path: Path) -> None:
    pending = replace(a_target(raises), pending="the index")
    lines: list[str] = []
    (tally,) = fuzz([pending], 1.0, 1, tmp_path, lines.append)
    assert len(lines) == len(tally.findings) == 1
    assert not tally.failed
    assert "pending: the index" in report([tally])[1]


def test_the_same_seed_makes_the_same_inputs_within_their_limit() -> None:
    made = [
        [mutate(Random(f"{seed}/{n}"), SEEDS, (b"!",), 500) for n in range(500)]
        for seed in (1, 1, 2)
    ]
    assert made[0] == made[1] != made[2]
    assert len(set(made[0])) > 400
    assert max(map(len, made[0])) == 500


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_keeps_its_promise_for_its_seeds_and_for_a_second_of_others(
    name: str, tmp_path: Path
) -> None:
    lines: list[str] = []
    (tally,) = fuzz([TARGETS[name]], 2.0, 7, tmp_path, lines.append)
    assert tally.inputs > 0
    assert not tally.failed, lines
    assert report([tally])[-1].endswith(f" {len(lines)} findings")


def test_the_command_tells_of_inputs_and_of_a_finding_tried_again(tmp_path: Path) -> None:
    def call(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "fuzz", *words]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    done = call("--target", "http", "--target", "sitemap", "--seconds", "1", "--seed", "5")
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[0] == "fuzzing 2 targets for 1 s with --seed 5"
    assert done.stdout.splitlines()[-1].endswith("inputs, 0 findings")
    mended = tmp_path / "mended.json"
    mended.write_text(json.dumps({"target": "http", "input": "SFRUUC8="}))
    again = call("--replay", str(mended))
    assert again.returncode == 0
    assert "nothing is wrong any more" in again.stdout
    wrong = call("--replay", str(tmp_path / "none.json"))
    assert wrong.returncode == 1
    assert "is no finding of this fuzzer" in wrong.stderr
