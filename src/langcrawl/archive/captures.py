"""What the log knows of an archive: present pages, and earlier visits of those asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from langcrawl.archive.index import Capture
from langcrawl.log.segments import read_batches
from langcrawl.log.visits import Visited, read_visits


def captures(
    directory: Path, url_of: Callable[[int], str], names: Sequence[str]
) -> Iterator[Capture]:
    """What these segments of the log, and files of visits, know of the archive."""
    visits = [name for name in names if "/" in name]
    for table in read_visits(directory, visits):
        for visit in map(Visited._make, zip(*table.to_pydict().values(), strict=True)):
            if visit.warc_file is not None:
                place = visit.warc_file, visit.warc_offset or 0, visit.warc_length or 0
                status = 0 if visit.revisit and visit.status == 304 else visit.status
                about = visit.fetched_at, visit.content_type, status, visit.digest
                yield Capture(url_of(visit.id), *about, *place, visit.revisit)
    wanted = [
        "fetched_at",
        "content_type",
        "status",
        "digest",
        "warc_file",
        "warc_offset",
        "warc_length",
        "notes",
        "id",
    ]
    for table in read_batches(directory, "pages", wanted, [n for n in names if "/" not in n]):
        for row in zip(*(table[name].to_pylist() for name in wanted), strict=True):
            moment, kind, status, digest, file, offset, length, notes, number = row
            if file is not None:
                revisit = "revisit" in notes.split()
                yield Capture(
                    url_of(number), moment, kind, status, digest, file, offset, length, revisit
                )
