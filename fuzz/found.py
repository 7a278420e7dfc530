"""Findings: made smaller, and kept in files that can be tried again."""

from __future__ import annotations

import json
import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from fuzz.child import Child, Fault

_SHOWN = 300
"""Bytes of an input that are shown as they are."""


class Finding(NamedTuple):
    """An input that did what none may do."""

    target: str
    data: bytes
    fault: Fault
    seed: int
    number: int
    """The how manieth input of its target it was."""

    @property
    def line(self) -> str:
        """The finding in one line."""
        return f"{self.target}: {self.fault.kind} in {self.fault.where}, {len(self.data):,} bytes"


def reduce(child: Child, data: bytes, fault: Fault, seconds: float) -> bytes:
    """A smaller input with the same fault, found by leaving parts out."""
    end = time.monotonic() + seconds
    size = len(data) // 2
    while size and time.monotonic() < end:
        at, before = 0, len(data)
        while at < len(data) and time.monotonic() < end:
            shorter = data[:at] + data[at + size :]
            found = child.try_input(shorter).fault
            if found is not None and found.key == fault.key:
                data = shorter
            else:
                at += size
        if len(data) == before:
            size //= 2
        size = min(size, len(data) // 2)
    return data


def save(finding: Finding, folder: Path) -> Path:
    """Write a finding to a file."""
    folder.mkdir(parents=True, exist_ok=True)
    name = blake2b(finding.data, digest_size=5).hexdigest()
    path = folder / f"{finding.target}-{name}.json"
    text = {
        "target": finding.target,
        "kind": finding.fault.kind,
        "where": finding.fault.where,
        "seed": finding.seed,
        "number": finding.number,
        "bytes": len(finding.data),
        "begins": finding.data[:_SHOWN].decode("utf-8", "backslashreplace"),
        "traceback": finding.fault.text.splitlines(),
        "input": b64encode(finding.data).decode(),
    }
    path.write_text(json.dumps(text, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


class Kept(NamedTuple):
    """What a file of a finding says."""

    target: str
    data: bytes


def load(path: Path, complain: Callable[[str], BaseException]) -> Kept:
    """Read a finding from its file."""
    try:
        text = json.loads(path.read_text("utf-8"))
        return Kept(str(text["target"]), b64decode(text["input"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise complain(f"'{path}' is no finding of this fuzzer ({error}).") from None
