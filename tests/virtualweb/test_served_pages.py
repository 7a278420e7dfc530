"""Pages written anew from a log: what a log of a few lines looks like over HTTP."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from langcrawl.config import CrawlConfig
from langcrawl.log.segments import write_segment
from langcrawl.page.decode import decode
from langcrawl.page.extract import extract
from langcrawl.virtualweb.phrases import PHRASES
from langcrawl.virtualweb.served import ServedLog, _written, count_units
from langcrawl.virtualweb.small import SmallPage
from webs import P, Web, tables_of, url

WEB: Web = {
    "a/": P("th", ("a/1", "b/?x=1&y=<2>", "c/never", "a/moved", "a/1")),
    "a/1": P("ja"),
    "b/?x=1&y=<2>": P("xx"),
    "a/moved": P("und", status=301, redirect="a/1"),
    "a/gone": P("und", status=404),
    "a/silent": P("und", status=0),
    "a/lost": P("und", status=302, redirect="c/never"),
}


def served(folder: Path, charsets: dict[str, str] | None = None, **options: bool) -> ServedLog:
    """A log with these pages, some with a charset that they declare."""
    tables = tables_of(WEB)
    if charsets:
        pages = tables["pages"]
        names = [charsets.get(name) for name in WEB]
        at = pages.column_names.index("charset_meta")
        tables["pages"] = pages.set_column(at, "charset_meta", pa.array(names, pa.string()))
    write_segment(folder, 0, tables)
    CrawlConfig(lang="th", seeds=(url("a/"),)).save(folder)
    return ServedLog(folder, **options)


def links_of(page: SmallPage, address: str) -> list[str]:
    decoded = decode(page.body, "text/html")
    return list(extract(decoded.text, address, decoded.charsets).links.urls)


def test_a_page_has_the_links_of_the_log_each_once_and_escaped(tmp_path: Path) -> None:
    page = served(tmp_path).answer(url("a/"))
    assert page.status == 200
    assert page.language == "th"
    assert b"&amp;y=&lt;2&gt;" in page.body
    assert [link.partition("?")[0] for link in links_of(page, url("a/"))] == [
        url("a/1"), url("b/"), url("a/moved"),
    ]  # fmt: skip


def test_links_to_what_was_never_fetched_stand_there_if_asked(tmp_path: Path) -> None:
    page = served(tmp_path, unknown_fails=True).answer(url("a/"))
    assert url("c/never") in links_of(page, url("a/"))


def test_redirects_lead_where_the_log_says_even_out_of_it(tmp_path: Path) -> None:
    log = served(tmp_path)
    moved = log.answer(url("a/moved"))
    assert (moved.status, moved.location, moved.body) == (301, url("a/1"), b"")
    assert log.answer(url("a/lost")).location == url("c/never")


@pytest.mark.parametrize("name", ["a/gone", "a/silent", "c/never", "nowhere/"])
def test_what_is_not_there_is_not_found(tmp_path: Path, name: str) -> None:
    page = served(tmp_path).answer(url(name))
    assert (page.status, page.location) == (404, "")
    assert b"Not found" in page.body


def test_a_page_reads_the_same_every_time_and_another_reads_otherwise(tmp_path: Path) -> None:
    log = served(tmp_path)
    assert log.answer(url("a/")) == log.answer(url("a/"))
    assert log.answer(url("a/")).body == ServedLog(tmp_path).answer(url("a/")).body
    assert log.answer(url("a/")).body != log.answer(url("a/1")).body


@pytest.mark.parametrize(
    ("declared", "codec"),
    [("tis-620", "tis-620"), ("windows-874", "cp874"), ("UTF-8", "utf-8"), ("", "utf-8"),
     ("no-such-charset", "utf-8")],
)  # fmt: skip
def test_bytes_are_in_the_charset_that_is_declared(
    tmp_path: Path, declared: str, codec: str
) -> None:
    body = served(tmp_path, {"a/": declared}).answer(url("a/")).body
    text = body.decode(codec)
    assert any(sentence in text for sentence in PHRASES["th"])
    assert (f"charset={declared}" in text) == bool(declared)


def test_what_a_charset_cannot_write_is_written_as_a_reference(tmp_path: Path) -> None:
    page = served(tmp_path, {"a/": "us-ascii"}).answer(url("a/"))
    assert page.body.isascii()
    decoded = decode(page.body, "text/html")
    text = extract(decoded.text, url("a/"), decoded.charsets).text
    assert any(sentence in text for sentence in PHRASES["th"])


def test_a_language_without_sentences_is_written_in_english(tmp_path: Path) -> None:
    page = served(tmp_path).answer(url("b/?x=1&y=<2>"))
    assert page.language == "xx"
    assert any(sentence.encode() in page.body for sentence in PHRASES["en"])


def test_an_answer_takes_a_share_of_its_recorded_time(tmp_path: Path) -> None:
    served(tmp_path)
    for latency in (0.0, 2.0):
        log = ServedLog(tmp_path, latency=latency)
        assert log.answer(url("a/")).seconds == 0.25 * latency
        assert log.answer(url("a/gone")).seconds == 0.25 * latency


@pytest.mark.parametrize(
    ("text", "tongue", "units"),
    [("a b\tc", "en", 3), ("ภาษา ไทย", "th", 7), ("", "th", 0), ("မြန်မာစာ", "my", 3)],
)
def test_text_is_measured_in_what_its_judge_counts(text: str, tongue: str, units: int) -> None:
    assert count_units(text, tongue) == units


@pytest.mark.parametrize("wanted", [0, 0.5, 1, 10, 137, 900])
def test_as_much_is_written_as_is_wanted_to_the_word(wanted: float) -> None:
    for seed in range(5):
        text = _written(PHRASES["en"], wanted, lambda text: count_units(text, "en"), Random(seed))
        size = sum(count_units(each, "en") for each in text)
        longest = max(len(word) for sentence in PHRASES["en"] for word in sentence.split())
        assert int(wanted) <= size <= wanted + longest
