"""What can be exported, by the ending of a file's name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from langcrawl.corpus.export import Order, export_documents
from langcrawl.corpus.shards import open_json_gzip, open_json_zstd, open_parquet, open_text
from langcrawl.corpus.wacz import export_wacz
from langcrawl.errors import UnknownName
from langcrawl.parallel import Progress

Export = Callable[[Order, Progress], dict[str, Any]]


class Format(NamedTuple):
    """Something that an export makes."""

    says: str
    export: Export
    ending: str = ""
    """The ending of its files, without a dot; empty where it is the format's name."""


FORMATS: dict[str, Format] = {
    "parquet": Format("a table", export_documents(open_parquet)),
    "jsonl.zst": Format("JSON lines, Zstandard", export_documents(open_json_zstd)),
    "jsonl.gz": Format("JSON lines, gzip", export_documents(open_json_gzip)),
    "txt": Format("plain text", export_documents(open_text)),
    "wacz": Format("a web archive in one file, to be replayed", export_wacz),
}
"""One entry makes a new format known to the command and its help."""


class Target(NamedTuple):
    """What ``--to`` says."""

    format: str
    path: Path | None
    """None for a bare format: then the corpus goes into the directory of the crawl."""


def read_target(text: str) -> Target:
    """The format that a user means, and the file if one is named."""
    if text in FORMATS:
        return Target(text, None)
    path = Path(text)
    for name, made in FORMATS.items():
        if path.name.endswith(f".{made.ending or name}"):
            return Target(name, path)
    known = ", ".join(f"corpus.{name}" for name in FORMATS)
    raise UnknownName("format", text, FORMATS, hint=f"the ending of the file says it: {known}.")
