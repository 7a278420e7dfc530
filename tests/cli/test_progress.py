"""What a user sees while work goes on: through a pipe, and on a real pseudo-terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.cli import progress

SHOW = """
import sys, time
from langcrawl.cli.progress import ProgressDisplay
"""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def through_a_pipe(code: str) -> list[str]:
    """The lines that code writes to standard error where that is no terminal."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW + code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == ""
    return done.stderr.splitlines()


def on_a_terminal(
    command: Sequence[str], cwd: Path | None = None, interrupt_at: str = ""
) -> tuple[str, int]:
    """What a command writes to a terminal, and how it ends; Ctrl-C is typed when words appear."""
    parent, child = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "140", "LINES": "40"}
    with subprocess.Popen(
        command, cwd=cwd, stdin=child, stdout=subprocess.DEVNULL, stderr=child,
        env=environment, start_new_session=True, close_fds=True,
    ) as running:  # fmt: skip
        os.close(child)
        written = b""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if select.select([parent], [], [], 0.2)[0]:
                try:
                    part = os.read(parent, 65536)
                except OSError:  # the other side is closed
                    break
                written += part
            if interrupt_at and re.search(interrupt_at, written.decode(errors="ignore")):
                os.killpg(running.pid, signal.SIGINT)
                interrupt_at = ""
        os.close(parent)
        return written.decode(), running.wait(timeout=60)


def drawn(written: str) -> list[str]:
    """The lines that were drawn, one after the other, without colours and movements."""
    return [line.strip() for line in re.split(r"[\r\n]+", _ESCAPES.sub("", written)) if line]


def test_short_work_needs_no_plain_lines() -> None:
    assert (
        through_a_pipe("""
with ProgressDisplay("importing") as display:
    for n in range(1, 1000):
        display.show(n, n / 1000)
    display.show(0, None, "a stage")
""")
        == []
    )


def test_plain_lines_come_after_two_seconds_and_then_every_five() -> None:
    lines = through_a_pipe("""
with ProgressDisplay("importing") as display:
    for tenth in range(81):
        display.show(100 * tenth, tenth / 100)
        time.sleep(0.1)
""")
    assert len(lines) == 2
    numbers = [re.fullmatch(
        r"importing: ([\d,]+) pages, ([\d,]+)/s, (\d+)% done, (\d+) s left", line
    ) for line in lines]  # fmt: skip
    assert all(numbers), lines
    first, second = ([int(each.replace(",", "")) for each in m.groups()] for m in numbers if m)
    assert 1_000 <= first[0] < second[0] <= 8_000
    for done, speed, share, left in (first, second):
        assert 400 <= speed <= 1_010
        assert share == pytest.approx(done / 100, abs=1)
        assert 2 <= left <= 30


def test_a_stage_is_said_when_it_begins_once_the_work_takes_long() -> None:
    lines = through_a_pipe("""
with ProgressDisplay("analyze") as display:
    display.show(0, None, "opening the log")
    time.sleep(2.1)
    display.show(0, None, "components")
    display.show(0, None, "components")
    display.show(0, None, "distances")
""")
    assert lines == ["analyze: components ...", "analyze: distances ..."]


def test_every_job_has_its_own_line_and_its_own_speed() -> None:
    lines = through_a_pipe("""
with ProgressDisplay("soft", "hard") as display:
    for tenth in range(50):
        display.show(1 + 1000 * tenth, None, f"queue {tenth}", 0)
        if tenth >= 20:  # it begins later
            display.show(1 + 100 * (tenth - 20), None, "queue 0", 1)
        time.sleep(0.1)
""")
    soft, hard = lines
    assert re.fullmatch(r"soft: [\d,]+ pages, [\d,]+/s, queue \d+", soft)
    speed = re.fullmatch(r"hard: [\d,]+ pages, ([\d,]+)/s, queue 0", hard)
    assert speed
    assert 300 <= int(speed[1].replace(",", "")) <= 1_010


def test_what_a_crawl_did_before_does_not_count_as_speed() -> None:
    (line,) = through_a_pipe("""
with ProgressDisplay("crawling", total=2_000_000) as display:
    for tenth in range(25):
        display.show(1_000_000 + tenth)
        time.sleep(0.1)
""")
    speed = re.fullmatch(r"crawling: 1,000,0\d\d of 2,000,000 pages, (\d+)(\.\d)?/s", line)
    assert speed
    assert 3 <= int(speed[1]) <= 11


def test_a_terminal_shows_a_bar_that_is_gone_at_the_end() -> None:
    written, status = on_a_terminal([sys.executable, "-c", SHOW + """
with ProgressDisplay("importing", unit="files") as display:
    for n in range(1, 11):
        display.show(n, n / 10)
        time.sleep(0.1)
print("done", file=sys.stderr)
"""])  # fmt: skip
    assert status == 0
    lines = drawn(written)
    shown = [line for line in lines if "importing: " in line]
    assert len({re.search(r"(\d+)% done", line)[1] for line in shown}) >= 3  # type: ignore[index]
    assert any("\u2501" in line for line in shown)
    assert lines[-1] == "done"
    after = written[written.rindex("importing") :]
    assert "\x1b[2K" in after  # the line is wiped


def test_a_terminal_shows_all_jobs_at_once_and_a_stage_with_what_turns() -> None:
    written, status = on_a_terminal([sys.executable, "-c", SHOW + """
with ProgressDisplay("soft", "hard") as display:
    display.show(0, None, "opening the log")
    time.sleep(0.6)
    for n in range(1, 5):
        display.show(n, None, "queue 7", 0)
        display.show(2 * n, None, "queue 9", 1)
        time.sleep(0.25)
"""])  # fmt: skip
    assert status == 0
    lines = drawn(written)
    turning = {line[0] for line in lines if line.endswith("soft: opening the log ...")}
    assert len(turning) >= 2
    places = [at for at, line in enumerate(lines) if line.startswith("hard: ")]
    assert len(places) >= 3
    assert all(lines[at - 1].startswith("soft: ") for at in places)


def test_simulations_side_by_side_have_a_live_line_each_until_ctrl_c(
    cli: Cli, tmp_path: Path
) -> None:
    assert cli("synth", "web", "--pages", "60000").returncode == 0
    command = [sys.executable, "-m", "langcrawl", "simulate", "web", "--interpreted",
               "--strategy", "soft", "--strategy", "bfs"]  # fmt: skip
    both = r"(?s)(?=.*soft: \S+ pages, \S+/s).*bfs: \S+ pages, \S+/s"
    written, status = on_a_terminal(command, tmp_path, interrupt_at=both)
    assert status == 130
    assert "stopping; press Ctrl-C again" in written
    assert "Traceback" not in written
    lines = drawn(written)
    for name in ("soft", "bfs"):
        form = rf"{name}: [\d,]+ pages(, [\d,]+(\.\d)?/s)?, harvest [\d.]+%, queue [\d,]+"
        assert any(re.fullmatch(form, line) for line in lines), lines[-5:]


STOPPED_TWICE = """
import os, signal, sys
from langcrawl.cli.progress import Interrupt
first, second = map(int, sys.argv[2:])
with Interrupt(ends_process=sys.argv[1] == "command") as stop:
    os.kill(os.getpid(), first)
assert stop()
os.kill(os.getpid(), second)
print("said at its end")
"""


@pytest.mark.parametrize("where", ["command", "program of a user"])
@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGHUP])
def test_a_service_that_asks_twice_lets_a_command_say_what_it_did(
    where: str, second: signal.Signals
) -> None:
    """The second request comes when the work is done; a user's own program still hears it."""
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_TWICE, where, str(int(signal.SIGTERM)), str(int(second))],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    if where == "command":
        assert (done.returncode, done.stdout) == (0, "said at its end\n"), done.stderr
    else:
        assert (done.returncode, done.stdout) == (-second, "")


def test_ctrl_c_after_the_work_ends_a_command_as_before() -> None:
    numbers = [str(int(signal.SIGTERM)), str(int(signal.SIGINT))]
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_TWICE, "command", *numbers],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGINT
    assert done.stdout == ""


def test_a_crawl_shows_its_pages_harvest_and_queue(tmp_path: Path) -> None:
    form = r"crawling: [\d,]+ pages, [\d,]+(\.\d)?/s, harvest [\d.]+%, queue [\d,]+"
    demo = [sys.executable, "-m", "langcrawl", "demo"]
    written, status = on_a_terminal(demo, tmp_path, interrupt_at=form)
    assert status == 130
    assert any(re.match(form, line) for line in drawn(written))


def test_who_waits_longer_than_two_seconds_is_told_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.explained("the code is compiled"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "_QUIET_FOR", 0.01)
    with progress.explained("the code is compiled"):
        time.sleep(0.5)
    assert capsys.readouterr().err == "the code is compiled\n"
