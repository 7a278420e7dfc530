"""The crawl directory: the names of its files, who may write it, and its version."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from langcrawl.config import FILE
from langcrawl.errors import BadInput

DATABASE = "frontier.db"
PARTS = "shards"
_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class CrawlDirectory:
    """Where a crawl is kept. docs/crawl-log.md lists what is in it."""

    path: Path

    @property
    def config(self) -> Path:
        return self.path / FILE

    @property
    def database(self) -> Path:
        return self.path / DATABASE

    @property
    def log(self) -> Path:
        return self.path / "log"

    @property
    def warc(self) -> Path:
        return self.path / "warc"

    @property
    def parts(self) -> list[Path]:
        """The directories of the shards of a crawl that has several, in order."""
        return sorted(path for path in (self.path / PARTS).glob("[0-9][0-9][0-9]"))

    def part(self, number: int) -> Path:
        """The directory of a shard."""
        return self.path / PARTS / f"{number:03}"

    @property
    def is_empty(self) -> bool:
        """Whether nothing is there that a new crawl could harm."""
        if not self.path.is_dir():
            return not self.path.exists()
        return not any(entry.name != _LOCK for entry in self.path.iterdir())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the directory against other crawls; create it if it does not exist."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / _LOCK).open("w")
        except OSError as error:
            raise BadInput(
                f"'{self.path}' cannot be written to ({error.strerror}); check its permissions."
            ) from None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadInput(
                    f"another process is crawling into '{self.path}'; stop it first."
                ) from None
            yield

    @property
    def is_running(self) -> bool:
        """Whether a process is crawling into the directory: then it holds the lock."""
        try:
            with (self.path / _LOCK).open() as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False
