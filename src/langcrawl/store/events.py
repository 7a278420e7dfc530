"""What happened in a crawl, a line each, in events.jsonl: for people and for monitoring."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

FILE = "events.jsonl"


class EventLog:
    """Appends events to a file, and passes their words on to whoever is to read them."""

    def __init__(self, directory: Path, say: Callable[[str], None]) -> None:
        self._file = (directory / FILE).open("a", encoding="utf-8")
        self._say = say

    def __call__(self, event: str, words: str, /, **about: object) -> None:
        line = {"time": round(time.time(), 3), "event": event, "words": words, **about}
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()
        self._say(words)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
