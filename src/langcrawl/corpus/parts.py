"""Documents on their way into a corpus: files beside it, from which an export goes on.

A part is an Arrow file that is renamed into place when it is complete. It says how many bundles of
pages it and all parts before it were made of, and what was left out until then, so whoever goes on
knows where.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from errno import EFBIG
from pathlib import Path
from typing import Any

import pyarrow as pa

from langcrawl.corpus.schema import PART
from langcrawl.errors import NO_ROOM, DiskFull
from langcrawl.store.lock import locked_file

_PLAN, _LOCK = "plan.json", "lock"
_STATE = b"langcrawl"
_READY = 16 << 20
"""Bytes of text at which a part is written."""
_BUNDLES = 256
"""Bundles of pages at which one is written however little came of them."""


@dataclass(slots=True)
class Standing:
    """How far the reading of pages is."""

    bundles: int = 0
    documents: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    paragraphs_out: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "bundles": self.bundles,
            "documents": self.documents,
            "dropped": dict(sorted(self.dropped.items())),
            "paragraphs_out": self.paragraphs_out,
        }

    @classmethod
    def of(cls, said: dict[str, Any]) -> Standing:
        dropped = Counter(said["dropped"])
        return cls(said["bundles"], said["documents"], dropped, said["paragraphs_out"])


@contextmanager
def room_expected() -> Iterator[None]:
    """Say in a sentence that the disk is full, or that a file may not grow any more."""
    try:
        yield
    except OSError as error:
        if error.errno in (*NO_ROOM, EFBIG):
            raise DiskFull(
                "the disk is full; what was read so far is kept: make room and run the same "
                "command again."
            ) from None
        raise


class Parts:
    """The parts of one export, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._waiting: list[pa.Table] = []
        self._size = self._unwritten = 0
        self.standing = Standing()
        self.files: list[Path] = []

    @contextmanager
    def opened(self, plan: dict[str, Any]) -> Iterator[bool]:
        """Lock the folder; whether parts of the same plan are there, others are removed."""
        with room_expected():
            lock = locked_file(
                self.folder / _LOCK,
                f"another export is at work in '{self.folder}'; wait for it, or stop it first.",
            )
        with lock:
            yield self._resume(plan)

    def _resume(self, plan: dict[str, Any]) -> bool:
        text = json.dumps(plan, indent=1, sort_keys=True, ensure_ascii=False)
        path = self.folder / _PLAN
        same = path.is_file() and path.read_text(encoding="utf-8", errors="replace") == text
        for old in self.folder.iterdir():
            if old.name not in (_LOCK, _PLAN) and not (same and old.suffix == ".arrow"):
                shutil.rmtree(old) if old.is_dir() else old.unlink()
        if not same:
            _write_all(path, text.encode())
            return False
        for path in sorted(self.folder.glob("*.arrow")):
            self.files.append(path)
        if self.files:
            with pa.memory_map(str(self.files[-1])) as file:
                said = pa.ipc.open_file(file).schema.metadata[_STATE]
            self.standing = Standing.of(json.loads(said))
        return bool(self.files)

    def add(self, documents: pa.Table, dropped: Counter[str], paragraphs_out: int) -> None:
        """Take in what became of a bundle of pages."""
        self.standing.bundles += 1
        self.standing.documents += documents.num_rows
        self.standing.dropped.update(dropped)
        self.standing.paragraphs_out += paragraphs_out
        self._waiting.append(documents)
        self._size += documents["text"].nbytes
        self._unwritten += 1
        if self._size >= _READY or self._unwritten >= _BUNDLES:
            self.flush()

    def flush(self) -> None:
        """Write what has been taken in since the last part."""
        if not self._unwritten:
            return
        metadata = {_STATE: json.dumps(self.standing.as_json()).encode()}
        schema = PART.with_metadata(metadata)
        table = pa.concat_tables(self._waiting).combine_chunks().replace_schema_metadata(metadata)
        path = self.folder / f"{len(self.files):06}.arrow"
        draft = path.with_suffix(".tmp")
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with room_expected(), draft.open("wb") as file:
            with pa.ipc.new_file(file, schema, options=options) as writer:
                writer.write_table(table)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        self.files.append(path)
        self._waiting, self._size, self._unwritten = [], 0, 0

    def columns(self, names: Sequence[str]) -> pa.Table:
        """Some columns of all documents."""
        if not self.files:
            return pa.table({name: pa.array([], PART.field(name).type) for name in names})
        return pa.concat_tables(
            [read_part(path, names).replace_schema_metadata(None) for path in self.files]
        )

    def remove(self) -> None:
        """Remove the folder, once the corpus is complete."""
        shutil.rmtree(self.folder, ignore_errors=True)


def read_part(path: Path, names: Sequence[str] | None = None) -> pa.Table:
    """A part, or some of its columns."""
    wanted = None if names is None else sorted(PART.names.index(name) for name in names)
    with pa.memory_map(str(path)) as file:
        options = pa.ipc.IpcReadOptions(included_fields=wanted)
        return pa.ipc.open_file(file, options=options).read_all().combine_chunks()


def _write_all(path: Path, data: bytes) -> None:
    draft = path.with_suffix(".tmp")
    with room_expected():
        draft.write_bytes(data)
    draft.replace(path)
