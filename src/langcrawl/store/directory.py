"""The crawl directory: the names of its files, who may write it, and its version."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from langcrawl.config import FILE
from langcrawl.errors import BadInput
from langcrawl.store.lock import is_locked, locked_file

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
    def whole(self) -> Path | None:
        """The directory of the crawl of which this is a shard; None where it is a crawl itself."""
        above = self.path.absolute().parent
        is_shard = above.name == PARTS and (above.parent / FILE).is_file()
        return above.parent if is_shard else None

    def lost_shard(self, shards: int) -> str:
        """A sentence where one of so many shards is gone though others have begun."""
        if any((part / FILE).exists() for part in self.parts):
            for database in [self.part(number) / DATABASE for number in range(shards)]:
                if not database.exists():
                    part = database.parent
                    anew = f", or let 'langcrawl recover {part}' make it anew of its archive"
                    kept = (part / FILE).exists() and any((part / "warc").glob("langcrawl-*"))
                    return (
                        f"'{database}' is missing; restore '{part}' from a backup"
                        f"{anew if kept else ''}."
                    )
        return ""

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
            lock = locked_file(
                self.path / _LOCK,
                f"another process is crawling into '{self.path}'; stop it first.",
            )
        except OSError as error:
            raise BadInput(
                f"'{self.path}' cannot be written to ({error.strerror}); check its permissions."
            ) from None
        with lock:
            yield

    @property
    def is_running(self) -> bool:
        """Whether a process is crawling into the directory: then it has the lock."""
        return is_locked(self.path / _LOCK)
