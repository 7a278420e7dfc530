"""Archive files of a crawl that lie in an object store, and no longer on this machine.

``warc/collected.json`` says where each is. It is written once the copy was read back, and before
the file here is removed, so that a file is always in one place at least.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from langcrawl.errors import BadInput

_FILE = "collected.json"


class Collected(NamedTuple):
    """Where an archive file lies, and how to know it again."""

    uri: str
    size: int
    checksum: str


def collected(warc: Path) -> dict[str, Collected]:
    """The files of this archive that are elsewhere, by name."""
    path = warc / _FILE
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        found = {str(name): Collected(*row) for name, row in rows.items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise BadInput(
            f"'{path}', which says where archive files lie, cannot be read ({error}); restore it "
            "from a backup."
        ) from None
    return {name: place for name, place in found.items() if not (warc / name).exists()}


def write_collected(warc: Path, files: Mapping[str, Collected]) -> None:
    """Say from now on that these files, and no others, are elsewhere."""
    draft = warc / f".{_FILE}"
    with draft.open("w", encoding="utf-8") as file:
        json.dump({name: list(place) for name, place in sorted(files.items())}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(warc / _FILE)


def need_all(directory: Path, purpose: str) -> None:
    """Refuse what cannot be done while archive files are in an object store."""
    if files := collected(directory / "warc"):
        uri = next(iter(files.values())).uri
        raise BadInput(
            f"{len(files):,} archive files of '{directory}' are in an object store ({uri}, ...), "
            f"and {purpose} needs them here; bring them back with 'langcrawl collect "
            f"{directory} --back'."
        )
