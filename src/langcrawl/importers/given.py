"""Which files a user means: those named, those that a pattern matches, those below a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path

from langcrawl.config import FILE
from langcrawl.errors import BadInput
from langcrawl.store.lost import LOST

ARCHIVE = re.compile(r"\.(w?arc(\.(gz|zst))?|wacz)$", re.IGNORECASE)
"""How the names of web archives end."""
WAT = re.compile(r"\.wat(\.gz)?$", re.IGNORECASE)
"""How the names of Common Crawl's WAT files end."""
CSV = re.compile(r"\.csv(\.gz)?$", re.IGNORECASE)
"""How the names of tables end."""


def archives_given(given: Sequence[Path]) -> list[Path]:
    """The archives that are named, as files, patterns or folders; each once, in a fixed order."""
    return _all(given, ARCHIVE, "no archive (*.warc, *.warc.gz, *.arc, *.arc.gz, *.wacz)")


def wats_given(given: Sequence[Path]) -> list[Path]:
    """The same of WAT files."""
    return _all(given, WAT, "no WAT file (*.wat, *.wat.gz)")


def crawls_given(given: Sequence[Path]) -> list[Path]:
    """The crawl directories that are named: by patterns too, and all just below a folder."""
    found: list[Path] = []
    for path in _matched(given):
        below = [] if (path / FILE).exists() or not path.is_dir() else sorted(path.iterdir())
        crawls = [each for each in below if (each / FILE).exists()]
        found += crawls or [path]  # who reads it says what is wrong with it
    return _once(found)


def _all(given: Sequence[Path], ending: re.Pattern[str], nothing: str) -> list[Path]:
    found: list[Path] = []
    for path in _matched(given):
        if not path.is_dir():
            found.append(path)  # by its name: what it is shows when it is read
            continue
        below = list(_below(path, ending))
        if not below:
            raise BadInput(f"the folder '{path}' holds {nothing}; name the files themselves.")
        found += below
    return _once(found)


def _matched(given: Sequence[Path]) -> Iterator[Path]:
    """The paths as given, and for a pattern what it matches, by name."""
    for path in given:
        text = str(path)
        if path.exists() or not has_magic(text):
            yield path
        elif matched := sorted(glob(text, recursive=True)):
            yield from map(Path, matched)
        else:
            raise BadInput(f"no file matches '{text}'; check the pattern.")


def _below(folder: Path, ending: re.Pattern[str]) -> list[Path]:
    """The files with such an ending; what a crawl has set aside does not count."""
    return sorted(
        path
        for path in folder.rglob("*")
        if ending.search(path.name)
        and path.is_file()
        and LOST not in path.relative_to(folder).parts
    )


def _once(paths: Sequence[Path]) -> list[Path]:
    """Each file once, at its first place, however it is named."""
    found: dict[Path, Path] = {}
    for path in paths:
        found.setdefault(path.resolve(), path)
    return list(found.values())
