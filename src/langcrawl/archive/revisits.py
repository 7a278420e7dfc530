"""Find the bodies of revisit records, by digest, in a set of archives."""

from __future__ import annotations

from collections.abc import Iterator

from langcrawl.archive.message import with_body
from langcrawl.archive.reader import Archive, OpenArchive
from langcrawl.archive.record import Record


class Revisits:
    """Gives revisits the body of the answer that they repeat, as far as it has been met.

    A revisit may come before the answer: it is kept by its place, to be tried at the end.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._archives: list[Archive] = []
        self._at_random = False
        self._originals: dict[int, tuple[int, int]] = {}
        """Of a digest, by its hash: the archive, and where the answer begins."""
        self._waiting: list[tuple[Record, int]] = []
        """Revisits without their blocks, and their archives."""

    def enter(self, archive: Archive) -> None:
        """The records that come now are those of this archive."""
        self._archives.append(archive)
        self._at_random = archive.at_random

    def note(self, record: Record) -> None:
        """Remember where an answer is; of several with the same body, the first."""
        if record.digest and record.offset is not None and self._at_random:
            place = (len(self._archives) - 1, record.offset)
            self._originals.setdefault(hash(record.digest), place)

    def whole(self, record: Record) -> Record | None:
        """A revisit with its body; None if the body is not known yet."""
        if not (record.same_body and record.digest):
            return None
        place = self._originals.get(hash(record.digest))
        if place is None:
            return None
        original = self._read(*place)
        if original is None or original.digest != record.digest:
            return None
        block = with_body(record.block, original.block)
        return record._replace(block=block) if block is not None else None

    def wait(self, record: Record) -> None:
        """Keep a revisit for the end."""
        self._waiting.append((record._replace(block=b""), len(self._archives) - 1))

    def rest(self) -> Iterator[tuple[Record, Record | None]]:
        """The revisits that waited, and what became of each."""
        for bare, number in self._waiting:
            again = None
            if bare.offset is not None and hash(bare.digest) in self._originals:
                again = self._read(number, bare.offset)
            yield bare, self.whole(again) if again else None

    def _read(self, number: int, place: int) -> Record | None:
        opened = OpenArchive(self._archives[number])
        try:
            return opened.record_at(place, self._limit)
        finally:
            opened.close()
