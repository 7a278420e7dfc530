"""Several strategies on one log: side by side or in turn, and what a failure leaves alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.errors import BadInput, UnknownName
from langcrawl.parallel import silent
from langcrawl.simulate import Plan, Source, parallel, simulate_all

GOOD, BAD = "soft", "mine.py:falls"
MINE = """\
from langcrawl.ports import Strategy

def fall(facts):
    return 1 // (3 - min(facts.depth, 3))

def falls():
    \"\"\"Fails at the third level.\"\"\"
    return Strategy("falls", fall, "fails at the third level")
"""


@pytest.fixture
def web(cli: Cli, tmp_path: Path) -> Path:
    """A generated web, and a strategy of one's own that fails on it."""
    (tmp_path / "mine.py").write_text(MINE)
    assert cli("synth", "web", "--pages", "20000").returncode == 0
    return tmp_path / "web"


def test_strategies_side_by_side_give_what_they_give_alone(
    small_crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["bfs", "lswc:s=1,t=1", "best-first", "perfect"]
    shown: dict[int, str] = {}

    def progress(done: int, share: float | None = None, words: str = "", job: int = 0, /) -> None:
        shown[job] = f"{done} {words}"

    _, alone = simulate_all(Source(small_crawl), names, Plan(), progress, lambda: False)
    in_turn = dict(shown)
    shown.clear()
    monkeypatch.setattr(parallel, "_SMALL", 0)
    monkeypatch.setattr(parallel, "cores", lambda: 3)
    _, together = simulate_all(Source(small_crawl), names, Plan(), progress, lambda: False)
    assert [result.name for result in together] == names
    for one, other in zip(alone, together, strict=True):
        assert one.order.tolist() == other.order.tolist()
        assert one.summary == other.summary
    assert shown == in_turn
    assert set(shown) == {0, 1, 2, 3}
    assert "harvest" in shown[0]


@pytest.mark.parametrize("smallest", [10**9, 0], ids=["in-turn", "side-by-side"])
def test_wrong_names_and_seeds_are_said_before_anything_runs(
    small_crawl: Path, monkeypatch: pytest.MonkeyPatch, smallest: int
) -> None:
    monkeypatch.setattr(parallel, "_SMALL", smallest)
    monkeypatch.setattr(parallel, "simulate", None)
    with pytest.raises(UnknownName, match="sfot"):
        simulate_all(Source(small_crawl), ["soft", "sfot"], Plan(), silent, lambda: False)
    plan = Plan(seeds=("http://nowhere.example/",))
    with pytest.raises(BadInput, match="none of the 1 seeds"):
        simulate_all(Source(small_crawl), ["soft", "bfs"], plan, silent, lambda: False)


@pytest.mark.parametrize("more", [[], ["--interpreted"]], ids=["in-turn", "side-by-side"])
def test_a_strategy_that_fails_leaves_the_results_of_the_others(
    cli: Cli, web: Path, tmp_path: Path, more: list[str]
) -> None:
    """20,000 pages are few for the compiled loop and many for the interpreted one."""
    names = ["--strategy", GOOD, "--strategy", BAD, "--strategy", "bfs"]
    files = ["--order", "order", "--report", "report.html", "--plot", "plot.svg"]
    done = cli("simulate", web, *names, *files, "--json", *more)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last == f"langcrawl: 1 of 3 strategies failed: '{BAD}'; the results say why."
    soft, falls, bfs = json.loads(done.stdout)["strategies"]
    assert soft["pages"] == bfs["pages"] == 20_000
    assert "error" not in soft
    assert not bfs["partial"]
    assert falls["error"].startswith(f"the strategy '{BAD}' failed")
    assert "ZeroDivisionError" in falls["error"]
    assert set(falls) == set(soft) | {"error"}
    assert (falls["pages"], falls["curve"], falls["partial"]) == (0, [], True)
    assert sorted(path.name for path in tmp_path.glob("order.*")) == ["order.1", "order.3"]
    assert len((tmp_path / "order.3").read_text().splitlines()) == 20_000
    assert "falls failed: " in (tmp_path / "report.html").read_text()
    assert "falls" not in (tmp_path / "plot.svg").read_text()


def test_the_table_shows_why_a_strategy_failed(cli: Cli, web: Path) -> None:
    timed = ["--timed", "--latency", "0.1", "--max-pages", "500"]
    done = cli("simulate", web, "--strategy", BAD, "--strategy", GOOD, *timed)
    assert done.returncode == 1
    _, falls, soft, why, *rest = done.stdout.splitlines()
    assert falls.split() == [BAD, *"-" * 11]
    assert soft.split()[:2] == ["soft", "500"]
    assert why.startswith(f"{BAD} failed: the strategy '{BAD}' failed")
    assert rest == []


def test_one_strategy_that_fails_alone_is_one_sentence(cli: Cli, web: Path, tmp_path: Path) -> None:
    done = cli("simulate", web, "--strategy", BAD, "--report", "report.html", "--order", "order")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"langcrawl: the strategy '{BAD}' failed: Zero")
    assert not (tmp_path / "report.html").exists()
    assert not (tmp_path / "order").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="children are found through /proc")
@pytest.mark.parametrize("signals", [1, 2], ids=["once", "twice"])
def test_ctrl_c_keeps_what_was_begun_and_a_second_one_ends_at_once(
    web: Path, tmp_path: Path, signals: int
) -> None:
    command = [sys.executable, "-m", "langcrawl", "simulate", str(web), "--interpreted", "--json"]
    long = [f"limited:n={n}" for n in range(20, 30)]  # each takes far longer than the wait below
    for name in ("soft", "bfs", *long):
        command += ["--strategy", name]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as running:  # fmt: skip
        children = _children(running.pid)
        time.sleep(0.2)
        for _ in range(signals):
            os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all of them
            time.sleep(0.05)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in err
    assert err.count("stopping; press Ctrl-C again") == 1
    assert not any(Path(f"/proc/{child}").exists() for child in children)
    if signals == 1:
        entries = json.loads(out)["strategies"]
        assert 1 <= len(entries) < 2 + len(long)
        assert any(entry["partial"] for entry in entries)


@pytest.mark.skipif(sys.platform != "linux", reason="children are found through /proc")
def test_a_process_that_is_killed_costs_no_result(web: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "langcrawl", "simulate", str(web), "--interpreted", "--json"]
    with subprocess.Popen(
        [*command, "--strategy", "soft", "--strategy", "bfs"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        os.kill(_children(running.pid)[0], signal.SIGKILL)
        out, err = running.communicate(timeout=120)
    assert (running.returncode, err.count("stopping")) == (0, 0), err
    assert [entry["pages"] for entry in json.loads(out)["strategies"]] == [20_000, 20_000]


def _children(parent: int) -> list[int]:
    """The processes that another has started, as soon as there are two."""
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = [int(word) for word in listed.read_text().split()]
        if len(found) >= 2:
            return found
        time.sleep(0.02)
    pytest.fail("no processes were started")
