"""Exporting archived pages as a corpus, against trafilatura on the same pages."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from benchmarks.commands import run_command
from langcrawl.parallel import cores, in_order
from langcrawl.virtualweb.phrases import PHRASES

PAGES, HOSTS, PEER_PAGES = 20_000, 500, 800
_SIZE = 30_000
_LETTERS = "กขคงจชซญดตถทนบปผพฟมยรลวสหอ"
_NEAR = 0.1
"""The share of pages that are an earlier one with another last paragraph."""


def run() -> None:
    """Pages a second from a WARC file to Parquet, with main text and near-duplicates."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = write_pages(folder / "pages.warc.gz", PAGES)
        print(f"a WARC of {PAGES:,} Thai pages of {size / PAGES / 1000:.1f} KB on average")
        target = str(folder / "corpus.parquet")
        words = ("export", str(folder / "pages.warc.gz"), "--lang", "th", "--to", target, "--json")
        done = run_command(*words)
        ours = PAGES / done.seconds
        print(
            f"langcrawl export, judged, {cores()} processes: {ours:,.0f} pages/s "
            f"({done.seconds:.1f} s for the whole command), "
            f"{done.document['documents']:,} documents, left out {done.document['dropped']}; "
            f"peak {done.peak:.2f} GB"
        )
        peer = _trafilatura(folder / "pages.warc.gz")
        print(f"trafilatura, {cores()} processes, {PEER_PAGES} of the pages: {peer:,.0f} pages/s")
        print(f"ratio: {ours / peer:.1f}", flush=True)


def _trafilatura(path: Path) -> float:
    """Pages a second of trafilatura on the first pages, which it gets in memory."""
    bodies: list[list[bytes]] = []
    for record in ArchiveIterator(path.open("rb"), record_types=WarcRecordType.response):
        bodies.append([record.reader.read()])
        if len(bodies) == PEER_PAGES:
            break
    import trafilatura  # noqa: F401  (loaded before its processes are made)

    began = time.perf_counter()
    done = sum(1 for _ in in_order(_extract, bodies, cores()))
    return done / (time.perf_counter() - began)


def _extract(bodies: list[bytes]) -> int:
    from trafilatura import extract

    return sum(len(extract(body.decode()) or "") for body in bodies)


def write_pages(path: Path, pages: int) -> int:
    """A WARC file of pages as sites make them: a menu, an article, lists of links, a footer."""
    rng, size = random.Random(1), 0
    articles: list[list[str]] = []
    with path.open("wb") as file:
        for number in range(pages):
            article = list(_article(rng))
            if articles and rng.random() < _NEAR:
                article = [*rng.choice(articles)[:-1], article[-1]]
            articles = [*articles[-200:], article]
            body = _page(rng, number, article).encode()
            size += len(body)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
            record = WarcRecord()
            record.init_headers(record_type=WarcRecordType.response)
            record.headers["WARC-Target-URI"] = (
                f"http://h{number % HOSTS}.example.com/{number // HOSTS}"
            )
            record.headers["WARC-Date"] = "2026-01-01T00:00:00Z"
            record.headers["Content-Type"] = "application/http; msgtype=response"
            record.set_bytes_content(head + body)
            writer = GzipWriter(file, compression_level=6)
            record.write(writer)
            writer.finish()
    return size


def _article(rng: random.Random) -> Iterator[str]:
    """Paragraphs of an article: phrases, and words that nobody else has."""
    for _ in range(rng.randint(8, 16)):
        words = ("".join(rng.choices(_LETTERS, k=2)) + "า" for _ in range(30))
        yield " ".join([*rng.choices(PHRASES["th"], k=3), "".join(words)])


def _page(rng: random.Random, number: int, article: list[str]) -> str:
    phrases = PHRASES["th"]

    def links(count: int) -> str:
        return "".join(
            f'<li class="item"><a href="/{rng.randrange(1000)}.html" title="x">'
            f"{rng.choice(phrases)[:20]}</a></li>"
            for _ in range(count)
        )

    menu = f'<nav class="menu"><ul>{links(40)}</ul></nav>'
    body = "".join(f"<p>{each}</p>" for each in article)
    side = f'<aside class="sidebar"><h3>ข่าว</h3><ul>{links(50)}</ul></aside>'
    script = "".join(f"var v{i}=document.getElementById('e{i}');" for i in range(60))
    page = (
        f"<!doctype html><html lang=th><head><meta charset=utf-8><title>หน้า {number}</title>"
        f"<script>{script}</script></head><body><header>{menu}</header><main><article><h1>หน้า "
        f"{number}</h1>{body}</article></main>{side}<footer><p>สงวนลิขสิทธิ์</p>{{}}</footer></body></html>"
    )
    missing = max(_SIZE - len(page.encode()), 0)
    return page.format(f"<ul>{links(missing // 130)}</ul>")
