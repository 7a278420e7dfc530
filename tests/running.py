"""A crawl of an endless web by the real command, to be watched while it runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Self

from langcrawl.virtualweb.small import SmallPage
from warm import Warm

HOSTS = 12
WORDS = [
    "ภาษา", "ไทย", "ประเทศ", "ข่าว", "บ้าน", "เมือง", "น้ำ", "ฝน",
    "โรงเรียน", "อาหาร", "ตลาด", "ถนน", "หนังสือ", "ดนตรี", "กีฬา",
    "รถไฟ", "ทะเล", "ภูเขา", "วัด", "เด็ก", "แม่", "พ่อ", "ครู",
    "หมอ", "งาน", "เงิน", "เวลา", "วันนี้", "พรุ่งนี้", "เมื่อวาน",
    "สวย", "ดี", "ใหญ่", "เล็ก", "ร้อน", "เย็น", "เดิน", "กิน",
    "นอน", "อ่าน",
]  # fmt: skip


def endless(url: str) -> SmallPage:
    """Twelve hosts of Thai pages without an end; every seventh page is missing."""
    path = url.rsplit("/", 1)[1]
    if path == "robots.txt":
        return SmallPage(404)
    number = int(path or "0")
    if number % 7 == 6:
        return SmallPage(404)
    links = "".join(
        f'<a href="http://h{n % HOSTS}.th/{n}">x</a>' for n in (2 * number + 1, 2 * number + 2)
    )
    text = " ".join(Random(number).choices(WORDS, k=30))  # like pages would be taken for a trap
    return SmallPage(body=f"<p>{text}</p>{links}".encode())


def wait_for(condition: Callable[[], object], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


class Started:
    """A command that runs in a copy of a warm process; what it says can be read meanwhile."""

    def __init__(self, warm: Warm, *words: str | Path, directory: Path | None = None) -> None:
        self._out, self._err = _Written(), _Written()
        self._process = warm.start(
            [str(word) for word in words], directory or Path.cwd(), self._out.file, self._err.file
        )
        self.pid, self.poll, self.kill = self._process.pid, self._process.poll, self._process.kill

    @property
    def said(self) -> str:
        """What it has complained of so far."""
        return self._err.text()

    @property
    def returncode(self) -> int | None:
        return self._process.returncode

    def communicate(self, timeout: float = 60) -> tuple[str, str]:
        """Wait for its end; what it said, and what it complained of."""
        self._process.wait(timeout)
        return self._out.text(), self._err.text()


class _Written:
    """A file in memory that another process writes."""

    def __init__(self) -> None:
        self.file = os.memfd_create("written")

    def text(self) -> str:
        """All of it; without a seek, because who writes shares the place in the file."""
        size = os.fstat(self.file).st_size
        return os.pread(self.file, size, 0).decode().replace("\r\n", "\n")

    def __del__(self) -> None:
        os.close(self.file)


class Running:
    """``langcrawl crawl`` while it runs; a context manager that leaves nothing behind.

    It is a copy of a `warm` process where one is given, which spares the seconds of a start. Else
    it is a new interpreter in a session of its own, and all its processes can be told a signal.
    """

    def __init__(
        self,
        directory: Path,
        connect_to: str,
        *words: str,
        before: Sequence[str] = (),
        warm: Warm | None = None,
    ) -> None:
        self.directory = directory
        self.out = self.err = ""
        self._before, self._warm = before, warm
        self._words = [
            "crawl", str(directory), "--lang", "th", "--seeds", "http://h0.th/0",
            "--strategy", "bfs", "--connect-to", connect_to, *words,
        ]  # fmt: skip

    def __enter__(self) -> Self:
        self.process: Started | subprocess.Popen[str]
        if self._warm:
            self.process = Started(self._warm, *self._words)
        else:
            self.process = subprocess.Popen(
                [*self._before, sys.executable, "-m", "langcrawl", *self._words],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.returncode is None:
            if self._warm:
                self.process.kill()
            else:
                self.signal_all(signal.SIGKILL)
            self.process.communicate()

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the crawl, as a terminal and as systemd do."""
        assert not self._warm, "the download processes of a copy are not in a session with it"
        os.killpg(self.process.pid, number)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process that was started, as ``kill`` does."""
        os.kill(self.process.pid, number)

    def wait(self, seconds: float = 60) -> int:
        self.out, self.err = self.process.communicate(timeout=seconds)
        status = self.process.returncode
        assert status is not None
        return status

    def events(self, kind: str = "") -> list[dict[str, Any]]:
        return events(self.directory, kind)


def events(directory: Path, kind: str = "") -> list[dict[str, Any]]:
    """What has happened in a crawl so far."""
    path = directory / "events.jsonl"
    lines = path.read_text("utf-8").split("\n")[:-1] if path.exists() else []
    found = [json.loads(line) for line in lines]
    return [event for event in found if kind in ("", event["event"])]


def children(pid: int) -> list[int]:
    """The processes that a process has started and not yet waited for."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for task in tasks for word in task.read_text().split()]
