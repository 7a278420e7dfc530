"""``lost+found``: where everything goes that is in a crawl directory and not in its database.

A database may be older than the files beside it: it was restored from a backup, or the process died
before it committed. Nothing of these files is deleted. ``langcrawl recover`` takes their pages in
again.
"""

from __future__ import annotations

import os
import shutil
from filecmp import cmp
from pathlib import Path

LOST = "lost+found"
_BLOCK = 1 << 20


class LostAndFound:
    """Takes files, and ends of files, that the database does not know."""

    def __init__(self, directory: Path) -> None:
        self._directory, self.path = directory, directory / LOST
        self.files = self.ends = self.bytes = 0

    def move(self, path: Path, name: str = "") -> Path:
        """Move a file here, under its name or another."""
        self.path.mkdir(exist_ok=True)
        place = free_name(self.path, name or path.name)
        self.files += 1
        self.bytes += path.stat().st_size
        path.rename(place)
        return place

    def move_folder(self, folder: Path, name: str) -> Path:
        """Move a folder here, into one of that name."""
        self.path.mkdir(exist_ok=True)
        place = free_name(self.path, name) / folder.name
        place.parent.mkdir()
        files = [path for path in folder.rglob("*") if path.is_file()]
        self.files += len(files)
        self.bytes += sum(path.stat().st_size for path in files)
        folder.rename(place)
        return place

    def cut(self, path: Path, size: int, name: str) -> Path:
        """Keep what stands behind the first bytes of a file, and then cut it off there.

        It is on the disk before it is cut off, so whenever this is interrupted, it is in one place
        at least.
        """
        self.path.mkdir(exist_ok=True)
        draft = self.path / f"{name}.tmp"
        with path.open("rb") as source, draft.open("wb") as end:
            source.seek(size)
            shutil.copyfileobj(source, end, _BLOCK)
            end.flush()
            os.fsync(end.fileno())
        place = self.path / name
        if place.exists() and cmp(place, draft, shallow=False):  # kept, and not cut off yet
            draft.unlink()
        else:
            place = free_name(self.path, name)
            draft.rename(place)
        sync_folder(self.path)
        self.ends += 1
        self.bytes += place.stat().st_size
        os.truncate(path, size)
        return place

    def keep(self, data: bytes, name: str) -> None:
        """Keep bytes of a file that are about to be replaced."""
        self.path.mkdir(exist_ok=True)
        place = free_name(self.path, name)
        with place.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(self.path)

    def sentence(self) -> str:
        """What was taken, and what to do; empty where nothing was."""
        parts = []
        if self.files:
            parts.append(f"{self.files:,} file{'s' * (self.files > 1)}")
        if self.ends:
            files = "an archive file" if self.ends == 1 else f"{self.ends:,} archive files"
            parts.append(f"the end{'s' * (self.ends > 1)} of {files}")
        if not parts:
            return ""
        told = " and ".join(parts)
        return (
            f"the database does not know {told} ({self.bytes:,} bytes), so that is now in "
            f"'{self.path}'; 'langcrawl recover {self._directory}' takes its pages in "
            "again."
        )


def free_name(folder: Path, name: str) -> Path:
    """A path of this name, with a number before its endings where there is one already."""
    stem, dot, endings = name.partition(".warc.gz") if ".warc.gz" in name else name.partition(".")
    place, number = folder / name, 2
    while place.exists():
        place = folder / f"{stem}.{number}{dot}{endings}"
        number += 1
    return place


def sync_folder(folder: Path) -> None:
    """Have the names in a folder reach the disk."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
