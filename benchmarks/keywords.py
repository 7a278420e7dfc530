"""The names of Thailand in English text about other things: speed, and how often it errs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from langcrawl.page import read_document
from langcrawl.topic.figure5 import LiteralTokenizer
from langcrawl.topic.gazetteer import load_gazetteer
from langcrawl.topic.tokenizer import Tokenizer, Tokens

WEBKB = Path(__file__).resolve().parents[2] / "shared" / "data" / "webkb"
ARCHIVES = ("cornell", "washington")


def run() -> None:
    """names of Thailand in pages of computer science departments: speed, and errors"""
    if not WEBKB.is_dir():
        print("needs the data folder ../shared/data")
        return
    texts = [text for archive in ARCHIVES for text in _texts(archive)]
    names = load_gazetteer("TH").names
    size = sum(map(len, texts)) / 1e6
    print(f"{len(names):,} names in {len(texts):,} pages, {size:.1f} MB of text")
    _try("exact only", Tokenizer(names, sounds=False).read, texts)
    _try("exact or by sound", Tokenizer(names).read, texts)
    _try("the same, without guard", Tokenizer(names, guard=False).read, texts)
    _try("Figure 5 as printed", LiteralTokenizer(names).read, texts)


def _texts(archive: str) -> list[str]:
    with (WEBKB / f"{archive}.warc.gz").open("rb") as file:
        records = ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True)
        return [read_document(record.reader.read()).content.text for record in records]


def _try(name: str, read: Callable[[str], Tokens], texts: list[str]) -> None:
    start = time.perf_counter()
    found = [read(text) for text in texts]
    speed = sum(map(len, texts)) / 1e6 / (time.perf_counter() - start)
    tokens = sum(len(each.tokens) for each in found)
    inside = sum(name.last - name.first for each in found for name in each.names)
    pages = sum(bool(each.names) for each in found)
    print(
        f"{name:26} {speed:6.2f} MB/s, {inside / tokens:8.3%} of the words taken for names, "
        f"on {pages / len(texts):.1%} of the pages"
    )
