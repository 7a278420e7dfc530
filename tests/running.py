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


class Running:
    """``langcrawl crawl`` in a session of its own; a context manager that leaves nothing behind."""

    def __init__(
        self, directory: Path, connect_to: str, *words: str, before: Sequence[str] = ()
    ) -> None:
        self.directory = directory
        self.out = self.err = ""
        self._command = [
            *before, sys.executable, "-m", "langcrawl", "crawl", str(directory), "--lang", "th",
            "--seeds", "http://h0.th/0", "--strategy", "bfs", "--connect-to", connect_to, *words,
        ]  # fmt: skip

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the crawl, as a terminal and as systemd do."""
        os.killpg(self.process.pid, number)

    def wait(self, seconds: float = 60) -> int:
        self.out, self.err = self.process.communicate(timeout=seconds)
        return self.process.returncode

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
