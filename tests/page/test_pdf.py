"""PDFs are read like pages: judged, archived, counted; and what they may cost is bounded."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import pdfs
from conftest import Cli
from langcrawl.archive.texts import texts
from langcrawl.config import CrawlConfig
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.page import Answer, Budget, CarefulReader, PageReader
from langcrawl.page.pdf import is_pdf, read_pdf
from langcrawl.records import Content
from langcrawl.run import run_crawl
from langcrawl.virtualweb.phrases import PHRASES
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

GERMAN = tuple(line.encode("ascii", "ignore").decode() for line in PHRASES["de"])
URL = "http://a.example/paper.pdf"


def answer(body: bytes, kind: str = "application/pdf") -> Answer:
    return Answer(URL, 200, kind, "", body, {})


def careful(seconds: int = 2, **options: bool) -> CarefulReader:
    reader = PageReader(make_judge(load_pack("de"), "cld"), **({"pdf": True} | options))
    return CarefulReader(reader, Budget(seconds=seconds))


def test_the_text_of_a_pdf_comes_page_by_page_with_what_it_states() -> None:
    content = read_pdf(pdfs.text_pdf(["One", "Two  words"], ["Three"], title="A title"), main=True)
    assert content.text == "One\nTwo words\nThree"
    assert content.title == "A title"
    assert content.notes == ("pdf",)
    assert content.main is not None
    assert (content.main.date, content.main.author) == ("2024-05-31", "A. Writer")


def test_a_pdf_is_judged_like_a_page_only_where_that_is_asked_for() -> None:
    body = pdfs.text_pdf(GERMAN)
    with_pdf, without = careful(), careful(pdf=False)
    page, verdict, _ = with_pdf.read(answer(body, "application/octet-stream"))
    assert (verdict.language, verdict.relevant) == ("de", True)
    assert page.text_bytes > 100
    assert page.notes == ("pdf",)
    page, verdict, _ = without.read(answer(body))
    assert (verdict.language, page.text_bytes) == ("und", 0)
    with_pdf.close()
    without.close()


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (b"%PDF-1.7\n" + b"\0" * 500, "broken"),
        (pdfs.text_pdf(GERMAN)[:150], "broken"),
        (pdfs.encrypted_pdf(), "encrypted"),
        (pdfs.text_pdf(()), "no-text"),
    ],
)
def test_what_cannot_be_read_is_noted(body: bytes, note: str) -> None:
    assert is_pdf(body)
    assert read_pdf(body) == Content(notes=("pdf", note), title=read_pdf(body).title)


def test_a_short_file_of_very_many_pages_is_read_up_to_a_bound() -> None:
    assert read_pdf(pdfs.repeated_pages(50_000)).text.count("\n") == 2 * 2_000 - 1


def test_a_pdf_that_takes_too_long_is_over_budget_and_the_next_is_read() -> None:
    reader = careful(seconds=1)
    page, verdict, _ = reader.read(answer(pdfs.nested_forms(9, 8)))
    assert page.notes == ("over-budget",)
    assert verdict.language == "und"
    assert reader.read(answer(pdfs.text_pdf(GERMAN))).verdict.relevant
    reader.close()


def test_a_crawl_reads_and_archives_pdfs_if_told_to(tmp_path: Path) -> None:
    def serve(url: str) -> SmallPage:
        if url.endswith(".pdf"):
            return SmallPage(200, "application/pdf", body=pdfs.text_pdf(GERMAN))
        return SmallPage(200, body=b"<html><a href='/paper.pdf'>paper</a></html>")

    with Server(serve) as server:
        for types in ("pdf", "pages"):
            config = CrawlConfig(
                lang="de", seeds=("http://a.example/",), strategy="bfs", delay=0.0,
                connect_to=(server.connect_to,), types=types,
            )  # fmt: skip
            run_crawl(tmp_path / types, config)
    rows = {row["id"]: row for row in pq.read_table(tmp_path / "pdf" / "log" / "pages").to_pylist()}
    (paper,) = (row for row in rows.values() if row["content_type"] == "application/pdf")
    assert paper["relevant"]
    assert paper["notes"] == "pdf"
    content = texts(tmp_path / "pdf", main=True).content(paper["id"])
    assert content.main is not None
    assert content.main.paragraphs == [" ".join(line.split()) for line in GERMAN]
    plain = pq.read_table(tmp_path / "pages" / "log" / "pages").to_pylist()
    assert [row["warc_file"] for row in plain if row["content_type"] == "application/pdf"] == [None]


def test_an_import_reads_pdfs_if_told_to(cli: Cli, tmp_path: Path) -> None:
    body = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n" + pdfs.text_pdf(GERMAN)
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {URL}\r\n"
        "WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    (tmp_path / "a.warc").write_bytes(head.encode() + body + b"\r\n\r\n")
    for types, relevant in (("pdf", 1), ("pages", 0)):
        done = cli("import", types, "--warc", "a.warc", "--lang", "de", "--types", types, "--json")
        assert json.loads(done.stdout)["relevant"] == relevant
    wrong = cli("import", "x", "--warc", "a.warc", "--lang", "de", "--types", "images")
    assert wrong.returncode == 2
    assert "pages or pdf" in wrong.stderr
