"""A sample of the collected pages, with their title and the start of their text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import Any

from langcrawl.archive.texts import Texts, texts
from langcrawl.errors import LangcrawlError
from langcrawl.records import Content
from langcrawl.script import readable
from langcrawl.script.detect import ENCODINGS
from langcrawl.store.view import View, open_view
from langcrawl.url import host_of

_TITLE, _TEXT, _URL = 120, 320, 300
_COLUMNS = ["id", "relevant", "language", "script", "encoding", "warc_file", "warc_offset", "title"]
_VERTICAL = (range(0x1800, 0x18B0), range(0x11660, 0x11680), range(0xA840, 0xA880))
"""Mongolian with its supplement, and 'Phags-pa."""
_A_LOT = 0.3
_HIDDEN = dict.fromkeys(
    [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0xFEFF]
)
"""Characters that turn the direction of what follows them, also outside of their own text."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A page as a report shows it; nothing of it is trusted."""

    url: str
    link: str
    """The URL where a browser may follow it, else empty."""
    host: str
    language: str
    encoding: str
    """Where it is a legacy one: the text is shown in Unicode."""
    title: str
    text: str
    direction: str
    """``vertical``, ``rtl`` or ``auto``."""
    warc_file: str
    warc_offset: int


def sample_pages(directory: Path, most: int = 12) -> list[Sample]:
    """Relevant pages, as many different hosts as there are, the same at every call."""
    with open_view(directory) as view:
        chosen = _chosen(view, most)
        urls = {row["id"]: view.lookup().url_of(row["id"]) for row in chosen}
    try:
        source = texts(directory, main=True)
    except LangcrawlError:  # a crawl that has just begun has no text to read
        return []
    try:
        made = [_sample(row, urls[row["id"]], _content(source, row["id"])) for row in chosen]
    finally:
        source.close()
    return [sample for sample in made if sample is not None][:most]


def _chosen(view: View, most: int) -> list[dict[str, Any]]:
    """Rows of pages in the order of a hash, hosts in turn; some more than are wanted."""
    lookup = view.lookup()
    rows: list[tuple[bytes, dict[str, Any]]] = []
    for table in view.pages(_COLUMNS):
        kept = table.filter(table["relevant"])
        rows += [
            (sha1(str(row["id"]).encode(), usedforsecurity=False).digest(), row)
            for row in kept.to_pylist()
            if row["warc_file"] is not None
        ]
        rows = sorted(rows, key=lambda pair: pair[0])[: 20 * most]
    turns: dict[str, int] = {}
    ranked = []
    for place, (_, row) in enumerate(rows):
        host = host_of(lookup.url_of(row["id"]))
        turns[host] = turns.get(host, 0) + 1
        ranked.append((turns[host], place, row))
    return [row for _, _, row in sorted(ranked, key=lambda entry: entry[:2])[: 2 * most]]


def _content(source: Texts, page: int) -> Content | None:
    try:
        return source.content(page)
    except LangcrawlError:
        return None


def _sample(row: dict[str, Any], url: str, content: Content | None) -> Sample | None:
    if content is None or not content.text.strip():
        return None
    text = content.main.text if content.main is not None else ""
    encoding = str(row["encoding"] or "")
    legacy = encoding if encoding in ENCODINGS and encoding != "unicode" else ""
    shown = _shown(text.strip() or content.text, legacy, content.fonts, _TEXT)
    return Sample(
        cut(url, _URL),
        url if url.startswith(("http://", "https://")) and len(url) <= 2000 else "",
        cut(host_of(url), 80),
        str(row["language"] or "und"),
        legacy,
        _shown(content.title or str(row["title"] or ""), legacy, content.fonts, _TITLE),
        shown,
        direction_of(shown),
        str(row["warc_file"]),
        int(row["warc_offset"] or 0),
    )


def _shown(text: str, legacy: str, fonts: tuple[str, ...], most: int) -> str:
    """The start of a text in Unicode, on one line."""
    start = readable(text[: 20 * most], legacy, fonts)  # by lines: each may be in one language
    return cut(" ".join(start.split()), most)


def direction_of(text: str) -> str:
    """How a text in Unicode is written: ``vertical``, ``rtl`` or ``auto``."""
    letters = [letter for letter in text if letter.isalpha()]
    upright = sum(any(ord(letter) in part for part in _VERTICAL) for letter in letters)
    if letters and upright >= _A_LOT * len(letters):
        return "vertical"
    turned = sum(unicodedata.bidirectional(letter) in ("R", "AL") for letter in letters)
    return "rtl" if letters and turned > len(letters) / 2 else "auto"


def cut(text: str, most: int) -> str:
    """A text from elsewhere: not endless, and without what turns the direction of other text."""
    clean = "".join(
        letter if letter.isprintable() or letter == " " else " "
        for letter in text[: 4 * most].translate(_HIDDEN)
    )
    return clean if len(clean) <= most else f"{clean[:most]}…"
