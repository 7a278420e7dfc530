"""Importing web archives and CSV files, against reading and parsing them and no more."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

import numpy as np
from fastwarc.stream_io import GzipWriter
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from langcrawl.config import CrawlConfig
from langcrawl.importers.csv import import_csv
from langcrawl.importers.warc import import_warc
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.parallel import silent
from langcrawl.virtualweb.phrases import PHRASES, WORDS

RECORDS = 10_000
LINKS, URLS, PAGES = 5_000_000, 300_000, 100_000
HOSTS = 2_000


def run() -> None:
    """Records a second from a WARC file, links a second from CSV files."""
    with tempfile.TemporaryDirectory() as name:
        _archive(Path(name))
        _tables(Path(name))


def _archive(folder: Path) -> None:
    path = folder / "pages.warc.gz"
    size = write_warc(path, RECORDS)
    print(f"a WARC of {RECORDS:,} pages of HTML, {size / RECORDS / 1000:.1f} KB each on average")
    config = CrawlConfig(source="import", lang="th")
    began = time.perf_counter()
    done = import_warc(folder / "web", [path], make_judge(load_pack("th")), config, silent)
    ours = done["pages"] / (time.perf_counter() - began)
    began = time.perf_counter()
    peer = read_and_parse(path) / (time.perf_counter() - began)
    print(
        f"langcrawl import, judged and with {done['links'] / done['pages']:.0f} links a page: "
        f"{ours:,.0f} records/s"
    )
    print(f"fastwarc and resiliparse, text only, one process: {peer:,.0f} records/s")
    print(f"ratio: {ours / peer:.2f}", flush=True)


def write_warc(path: Path, records: int) -> int:
    """A WARC file of pages in several languages, a gzip member each; the bytes of HTML in it."""
    rng, size = random.Random(1), 0
    with path.open("wb") as file:
        for number in range(records):
            body = _html(rng, number)
            size += len(body)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
            record = WarcRecord()
            record.init_headers(record_type=WarcRecordType.response)
            record.headers["WARC-Target-URI"] = (
                f"http://h{number % HOSTS}.example.com/{number // HOSTS}"
            )
            record.headers["Content-Type"] = "application/http; msgtype=response"
            record.set_bytes_content(head + body)
            writer = GzipWriter(file, compression_level=6)
            record.write(writer)
            writer.finish()
    return size


def _html(rng: random.Random, number: int) -> bytes:
    """A page of 10 to 30 KB: navigation, paragraphs, lists of links."""
    language = rng.choice(list(PHRASES))
    wanted, size = rng.randint(6_000, 26_000), 0
    parts: list[str] = []
    while size < wanted:
        text = " ".join(rng.choices(PHRASES[language], k=6))
        part = f'<div class="box wide" id="box{len(parts)}"><p class="text">{text}</p></div>\n'
        if len(parts) % 2:
            part += f'<ul class="nav">{"".join(_link(rng, language) for _ in range(6))}</ul>\n'
        parts.append(part)
        size += len(part.encode())
    style = "".join(f".c{i}{{margin:{i}px;color:#{i:06x}}}" for i in range(60))
    script = "".join(f"var v{i}=document.getElementById('e{i}');" for i in range(40))
    head = (
        f"<!doctype html><html><head><meta charset=utf-8><title>{number}</title>"
        f"<style>{style}</style><script>{script}</script></head>"
    )
    return f"{head}<body>{''.join(parts)}</body></html>".encode()


def _link(rng: random.Random, language: str) -> str:
    url = f"http://h{rng.randrange(HOSTS)}.example.com/{rng.randrange(50)}"
    return f'<li class="item"><a href="{url}" title="x">{rng.choice(WORDS[language])}</a></li>'


def read_and_parse(path: Path) -> int:
    """What a user would write: iterate, parse, take the text."""
    count = 0
    for record in ArchiveIterator(path.open("rb"), record_types=WarcRecordType.response):
        tree = HTMLTree.parse_from_bytes(record.reader.read(), "utf-8")
        extract_plain_text(tree)
        count += 1
    return count


def _tables(folder: Path) -> None:
    write_csv(folder)
    config = CrawlConfig(source="import", lang="th")
    began = time.perf_counter()
    done = import_csv(folder / "graph", folder / "pages.csv", folder / "links.csv", config)
    seconds = time.perf_counter() - began
    print(
        f"langcrawl import of CSV: {done.links:,} links between {done.urls:,} URLs in "
        f"{seconds:.1f} s, {done.links / seconds:,.0f} links/s",
        flush=True,
    )


def write_csv(folder: Path) -> None:
    """Pages and links as CSV files."""
    rng = np.random.default_rng(1)
    urls = [f"http://www{i % 7000}.site{i % 997}.co.th/dir{i % 31}/{i}.html" for i in range(URLS)]
    with (folder / "pages.csv").open("w") as file:
        file.write("url,language\n")
        file.writelines(f"{url},{'en' if i % 5 else 'th'}\n" for i, url in enumerate(urls[:PAGES]))
    src, dst = np.sort(rng.integers(0, PAGES, LINKS)), rng.integers(0, URLS, LINKS)
    with (folder / "links.csv").open("w") as file:
        file.write("src,dst\n")
        for first in range(0, LINKS, 100_000):
            pairs = zip(
                src[first : first + 100_000].tolist(), dst[first : first + 100_000].tolist(),
                strict=True,
            )  # fmt: skip
            file.writelines(f"{urls[a]},{urls[b]}\n" for a, b in pairs)
