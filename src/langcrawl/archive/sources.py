"""Where the archives of a crawl directory lie: its own in ``warc/``, others where they were given.

Those that an import has copied from an object store are in ``archives/``. The log names the archive
of a page by its file name alone. An import keeps the whole paths in ``log/archives.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from langcrawl.archive.reader import Archive
from langcrawl.store.collected import need_all

_FILE = "archives.json"
_OPEN = ".open"
"""The end of the name of an archive that is being written."""


def record_sources(directory: Path, files: Iterable[Path]) -> None:
    """Keep where the archives are that a log was made of."""
    (directory / "log").mkdir(parents=True, exist_ok=True)
    paths = [str(path.absolute()) for path in files]
    text = json.dumps(paths, indent=1, ensure_ascii=False)
    (directory / "log" / _FILE).write_text(text + "\n", encoding="utf-8")


def recorded_sources(directory: Path) -> list[Path]:
    """The archives that a log was made from, if it names them; they may have been moved since."""
    try:
        paths = json.loads((directory / "log" / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [Path(path) for path in paths if isinstance(path, str)]


def all_sources(directory: Path) -> list[Path]:
    """The archives of a crawl directory: its own, and those that it was made of."""
    need_all(directory, "this")
    return [*sorted((directory / "warc").glob("*.warc.gz")), *recorded_sources(directory)]


def find_sources(directory: Path, name: str, folders: Sequence[Path] = ()) -> list[Archive]:
    """The archives that may be the one of that name in the log, the likeliest first."""
    file, _, member = name.partition("/archive/") if "/archive/" in name else (name, "", "")
    file, member = Path(file).name, f"archive/{member}" if member else ""
    places = [path for path in recorded_sources(directory) if path.name == file]
    around = (directory / "warc", directory / "archives", *folders, directory, directory.parent)
    places += [folder / file for folder in around]
    places.append(directory / "warc" / f"{file}{_OPEN}")
    return [
        Archive(path, member, path.stat().st_size)
        for path in dict.fromkeys(places)
        if path.is_file()
    ]
