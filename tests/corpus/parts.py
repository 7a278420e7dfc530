"""Documents of a corpus on their way into it, made in a line each."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from langcrawl.corpus.documents import _Document, _table
from langcrawl.corpus.parts import Parts


class Doc(NamedTuple):
    """A document in short."""

    url: str
    paragraphs: tuple[str, ...]
    score: float = 1.0
    fetched_at: int = 0
    """Milliseconds since 1970; 0 where it is not known."""

    @property
    def host(self) -> str:
        return self.url.split("/")[2]

    @property
    def text(self) -> str:
        return "\n".join(self.paragraphs)


def table_of(documents: list[Doc]) -> pa.Table:
    """The documents as a part holds them."""
    return _table([
        _Document(
            {
                "url": each.url, "host": each.host, "fetched_at": each.fetched_at or None,
                "title": "", "language": "th", "script": "Thai", "encoding": "unicode",
                "charset": "utf-8", "score": each.score, "licence": None, "author": None,
                "date": None, "warc_file": "a.warc.gz", "warc_offset": 0, "digest": "",
            },
            list(each.paragraphs),
            0,
        )
        for each in documents
    ])  # fmt: skip


def parts_of(folder: Path, *bundles: list[Doc]) -> Parts:
    """Parts on the disk, one for each of these bundles."""
    parts = Parts(folder)
    with parts.opened({}):
        for bundle in bundles:
            parts.add(table_of(bundle), Counter(), 0)
            parts.flush()
    return parts
