"""Web archives with texts that are told apart: Thai, English and pages of other kinds."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from archives import ArchiveFile
from langcrawl.virtualweb.phrases import PHRASES

THAI_WORDS = sorted({word for line in PHRASES["th"] for word in line.split()})
ENGLISH_WORDS = sorted({word for line in PHRASES["en"] for word in line.split()})


def sentences(seed: int, lang: str = "th", count: int = 6) -> list[str]:
    """Sentences that no other seed has: syllables in a random order."""
    rng = random.Random(f"{lang} {seed}")
    if lang == "th":
        letters = "กขคงจชซญดตถทนบปผพฟมยรลวสหอ"
        words = [rng.choice(letters) + "า" + rng.choice(letters) for _ in range(400)]
        phrases = PHRASES["th"]
        return [rng.choice(phrases) + " " + "".join(rng.choices(words, k=12)) for _ in range(count)]
    return [" ".join(rng.choices(ENGLISH_WORDS, k=14)).capitalize() + "." for _ in range(count)]


def html(paragraphs: list[str], title: str = "A page", head: str = "") -> str:
    body = "".join(f"<p>{each}</p>" for each in paragraphs)
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title>{head}</head>"
        f"<body><main><article>{body}</article></main></body></html>"
    )


def archive(path: Path, pages: dict[str, str]) -> Path:
    """An archive of these pages, by URL."""
    made = ArchiveFile()
    for url, body in pages.items():
        made.answer(url, body)
    return made.save(path)


def rows(path: Path) -> list[dict[str, object]]:
    table: pa.Table = pq.read_table(path)
    found: list[dict[str, object]] = table.to_pylist()
    return found
