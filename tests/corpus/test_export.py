"""``langcrawl export``: what is in a corpus, and what is left out for which reason."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import zstandard

import pdfs
from archives import ArchiveFile
from conftest import Cli
from corpus.pages import archive, html, rows, sentences
from langcrawl.api.tables import CrawlLog
from langcrawl.archive.reader import Archive, OpenArchive
from langcrawl.corpus.schema import COLUMNS, DOCUMENT
from langcrawl.virtualweb.phrases import PHRASES

THAI = {f"http://www.a.example/{n}": html(sentences(n), f"หน้า {n}") for n in range(6)}
LOOSE = ("--min-chars", "1", "--max-repeated-lines", "none", "--max-symbols", "none")


def exported(cli: Cli, *words: str | Path) -> dict[str, object]:
    done = cli("export", *words, "--json")
    assert done.returncode == 0, done.stderr
    report: dict[str, object] = json.loads(done.stdout)
    return report


def test_a_crawl_becomes_a_table_of_its_relevant_pages(
    cli: Cli, tmp_path: Path, small_crawl: Path
) -> None:
    words = (*LOOSE, "--min-mean-line", "none", "--no-exact", "--no-near")
    report = exported(cli, small_crawl, "--to", "c.parquet", *words)
    found = rows(tmp_path / "c.parquet")
    log = CrawlLog(small_crawl).pages(["url", "relevant", "title", "digest"]).to_pylist()
    relevant = {row["url"]: row for row in log if row["relevant"]}
    assert {row["url"] for row in found} == set(relevant)
    assert report["documents"] == len(found) == len(relevant)
    assert list(found[0]) == DOCUMENT.names
    for row in found:
        assert row["language"] == "th"
        assert row["script"] == "Thai"
        assert row["digest"] == relevant[row["url"]]["digest"]
        assert row["characters"] == len(str(row["text"]))
        assert "\n\n" not in str(row["text"])
    assert {"tis-620", "utf-8"} <= {row["charset"] for row in found}
    assert all("ก" <= str(row["text"])[0] <= "๛" for row in found)


def test_the_place_of_a_document_is_that_of_its_record(
    cli: Cli, tmp_path: Path, small_crawl: Path
) -> None:
    exported(cli, small_crawl, "--to", "c.parquet", *LOOSE)
    for row in rows(tmp_path / "c.parquet")[:5]:
        path = small_crawl / "warc" / str(row["warc_file"])
        opened = OpenArchive(Archive(path, "", path.stat().st_size))
        record = opened.record_at(int(str(row["warc_offset"])), 10_000_000)
        opened.close()
        assert record is not None
        assert record.url == row["url"]


def test_a_bare_format_writes_into_the_directory_as_hugging_face_expects(
    cli: Cli, tmp_path: Path
) -> None:
    file = archive(tmp_path / "a.warc.gz", THAI)
    assert cli("import", "web", "--warc", file, "--lang", "th").returncode == 0
    report = exported(cli, "web", "--to", "parquet")
    assert report["files"] == ["web/corpus/data/train-00000-of-00001.parquet"]
    card = (tmp_path / "web" / "corpus" / "README.md").read_text("utf-8")
    assert card.startswith("---\nlanguage:\n- th\n")
    assert 'path: "data/train-*.parquet"' in card
    assert len(rows(tmp_path / str(report["files"][0]))) == 6  # type: ignore[index]
    assert sorted(path.name for path in (tmp_path / "web").iterdir() if "export" in path.name) == []


def test_archives_of_others_are_judged_by_the_language_that_is_asked_for(
    cli: Cli, tmp_path: Path
) -> None:
    made = ArchiveFile()
    made.answer("http://a.example/th", html(sentences(1)))
    made.answer("http://a.example/en", html(sentences(1, "en")))
    made.answer("http://a.example/gone", "gone", "404 Not Found")
    made.answer("http://a.example/robots.txt", "User-agent: *", kind="text/plain")
    made.answer("http://a.example/x.png", b"\x89PNG\r\n\x1a\n" + bytes(200), kind="image/png")
    file = made.save(tmp_path / "a.warc.gz")
    report = exported(cli, file, "--lang", "Thai", "--to", "th.parquet")
    assert [row["url"] for row in rows(tmp_path / "th.parquet")] == ["http://a.example/th"]
    assert report["dropped"] == {"not-text": 1, "other-language": 1}
    exported(cli, file, "--to", "all.parquet")
    assert {row["language"] for row in rows(tmp_path / "all.parquet")} == {"th", "en"}


def test_text_is_unicode_whatever_the_page_was_written_in(
    cli: Cli, tmp_path: Path, shared: Path
) -> None:
    pairs = shared / "burmese" / "zawgyi-pairs"
    zawgyi = next(
        path for path in sorted(pairs.rglob("*")) if "zawgyi" in path.name and path.is_file()
    )
    old = zawgyi.read_text("utf-8")[:3000]
    made = ArchiveFile()
    made.answer("http://a.example/my", html(old.split("\n")))
    made.answer("http://a.example/th", html(sentences(2)).encode("tis-620"), kind="text/html")
    made.save(tmp_path / "a.warc.gz")
    exported(cli, "a.warc.gz", "--lang", "my,th", "--to", "c.parquet", *LOOSE)
    found = {str(row["url"])[-2:]: row for row in rows(tmp_path / "c.parquet")}
    assert found["my"]["encoding"] == "zawgyi"
    from langcrawl.script import detect

    assert detect(str(found["my"]["text"])).encoding == "unicode"
    assert found["th"]["text"] == "\n".join(sentences(2))
    assert found["th"]["charset"] == "tis-620"


@pytest.mark.parametrize(
    ("words", "reason", "left"),
    [
        (["--min-chars", "5000"], "short", 0),
        (["--max-chars", "300"], "long", 1),
        (["--host", "b.example"], "host", 1),
        (["--not-host", "a.example"], "host", 1),
        (["--since", "2999-01-01"], "date", 0),
        (["--until", "1999-01-01"], "date", 0),
        (["--max-symbols", "0.05"], "symbols", 2),
        (["--max-repeated-lines", "0.2"], "repeated-lines", 2),
        (["--min-mean-line", "60"], "short-lines", 2),
    ],
)
def test_filters_leave_out_and_count(
    cli: Cli, tmp_path: Path, words: list[str], reason: str, left: int
) -> None:
    long, short = sentences(1, count=8), sentences(2, count=3)
    odd = [*sentences(3, count=4), "★ ☆ " * 40, *["เมนู ก"] * 20, *sentences(3, count=2)]
    pages = {
        "http://www.a.example/1": html(long),
        "http://b.example/2": html(short),
        "http://www.a.example/3": html(odd),
    }
    archive(tmp_path / "a.warc.gz", pages)
    loose = ("--min-chars", "1", "--max-repeated-lines", "none", "--max-symbols", "none",
             "--min-mean-line", "none", "--text", "full")  # fmt: skip
    done = cli("export", "a.warc.gz", "--lang", "th", "--to", "c.parquet", *loose, *words, "--json")
    if not left:
        assert done.returncode == 1
        assert "langcrawl: no page is left to export: all 3 were left out" in done.stderr
        assert f"{reason} 3" in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["a.warc.gz"]
        return
    report = json.loads(done.stdout)
    assert report["documents"] == left
    assert report["dropped"] == {reason: 3 - left}
    assert f"| {reason} | {3 - left} |" in (tmp_path / "c.README.md").read_text("utf-8")


def test_the_command_names_the_option_that_keeps_most_of_what_was_left_out(
    cli: Cli, tmp_path: Path
) -> None:
    menu = [*sentences(3, count=2), *["เมนูของเว็บไซต์นี้ทั้งหมด"] * 20]
    odd = {f"http://a.example/{n}": html([*menu, f"หน้า {n}"]) for n in range(3)}
    archive(tmp_path / "a.warc.gz", {**odd, "http://b.example/": html(sentences(1))})
    words = ("--lang", "th", "--text", "full", "--no-near", "--to")
    done = cli("export", "a.warc.gz", *words, "c.parquet")
    said = "Of 4 pages 3 were left out as repeated-lines: --max-repeated-lines none keeps them."
    assert said in done.stdout.splitlines()
    more = ("--max-repeated-lines", "none")
    assert exported(cli, "a.warc.gz", *words, "all.parquet", *more)["documents"] == 4
    nothing = cli("export", "a.warc.gz", *words, "none.parquet", "--min-chars", "9000")
    assert "4 were left out as short: --min-chars 0 keeps them." in nothing.stderr


def test_low_scores_are_left_out(cli: Cli, tmp_path: Path) -> None:
    mixed = [*sentences(1, count=5), *sentences(1, "en", 5)]
    pages = {"http://a.example/1": html(sentences(2)), "http://a.example/2": html(mixed)}
    archive(tmp_path / "a.warc.gz", pages)
    exported(cli, "a.warc.gz", "--lang", "th", "--to", "all.parquet")
    high, low = (float(str(row["score"])) for row in rows(tmp_path / "all.parquet"))
    assert high > low
    words = ("--lang", "th", "--to", "c.parquet", "--min-score", f"{(high + low) / 2}")
    assert exported(cli, "a.warc.gz", *words)["dropped"] == {"score": 1}


def test_paragraphs_in_other_languages_go_if_asked(cli: Cli, tmp_path: Path) -> None:
    thai, english = sentences(1), sentences(1, "en", 2)
    archive(tmp_path / "a.warc.gz", {"http://a.example/": html([*thai, *english])})
    exported(cli, "a.warc.gz", "--lang", "th", "--to", "all.txt")
    assert english[0] in (tmp_path / "all.txt").read_text("utf-8")
    report = exported(cli, "a.warc.gz", "--lang", "th", "--to", "c.txt", "--paragraphs-in-target")
    assert (tmp_path / "c.txt").read_text("utf-8") == "\n".join(thai) + "\n\n"
    assert report["paragraphs_dropped"] == {"repeated": 0, "other-language": 2}


def test_every_format_holds_the_same(cli: Cli, tmp_path: Path) -> None:
    archive(tmp_path / "a.warc.gz", THAI)
    for ending in ("parquet", "jsonl.zst", "jsonl.gz", "txt"):
        exported(cli, "a.warc.gz", "--lang", "th", "--to", f"c.{ending}")
    table = rows(tmp_path / "c.parquet")
    with (tmp_path / "c.jsonl.zst").open("rb") as file:
        lines = zstandard.ZstdDecompressor().stream_reader(file).read().decode().splitlines()
    assert lines == gzip.decompress((tmp_path / "c.jsonl.gz").read_bytes()).decode().splitlines()
    assert [json.loads(line)["text"] for line in lines] == [row["text"] for row in table]
    assert list(json.loads(lines[0])) == list(COLUMNS)
    texts = (tmp_path / "c.txt").read_text("utf-8").split("\n\n")
    assert texts[:-1] == [row["text"] for row in table]


def test_shards_have_the_size_asked_for_and_the_names_of_hugging_face(
    cli: Cli, tmp_path: Path
) -> None:
    archive(tmp_path / "a.warc.gz", THAI)
    report = exported(
        cli, "a.warc.gz", "--lang", "th", "--to", "thai.parquet", "--shard-size", "2kB"
    )
    names = sorted((tmp_path / "thai" / "data").iterdir())
    assert [str(path.relative_to(tmp_path)) for path in names] == report["files"]
    assert names[0].name == f"train-00000-of-{len(names):05}.parquet"
    assert len(names) > 1
    assert sum(pq.read_metadata(path).num_rows for path in names) == 6
    for path in names[:-1]:
        texts = pq.read_table(path)["text"].to_pylist()
        assert sum(len(text.encode()) for text in texts[:-1]) < 2000
        assert sum(len(text.encode()) for text in texts) >= 2000


def test_what_is_there_already_is_replaced_only_if_asked(cli: Cli, tmp_path: Path) -> None:
    archive(tmp_path / "a.warc.gz", THAI)
    (tmp_path / "c.parquet").write_text("mine")
    done = cli("export", "a.warc.gz", "--lang", "th", "--to", "c.parquet")
    assert done.returncode == 1
    assert "--overwrite" in done.stderr
    assert (tmp_path / "c.parquet").read_text() == "mine"
    exported(cli, "a.warc.gz", "--lang", "th", "--to", "c.parquet", "--overwrite")
    assert len(rows(tmp_path / "c.parquet")) == 6


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["absent.warc.gz", "--to", "c.parquet"], 1, "there is no file 'absent.warc.gz'"),
        (["a.warc.gz", "--to", "c.csv"], 2, "there is no format 'c.csv'"),
        (["a.warc.gz", "--to", "parquet"], 2, "name a file"),
        (["a.warc.gz", "--to", "c.txt", "--keep", "oldest"], 2, "--keep must be"),
        (["a.warc.gz", "--to", "c.txt", "--since", "May"], 2, "--since needs a day"),
        (["a.warc.gz", "--to", "c.txt", "--max-symbols", "7"], 2, "a share from 0 to 1"),
        (["a.warc.gz", "--to", "c.txt", "--paragraphs-in-target"], 2, "needs --lang"),
        (["no.warc.gz", "--to", "c.txt"], 1, "is not a WARC file"),
        (
            ["a.warc.gz", "--to", "c.txt", "--lang", "th", "--judge", "fasttext:model=no.warc.gz"],
            1,
            "is not a fastText model",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    cli: Cli, tmp_path: Path, words: list[str], status: int, says: str
) -> None:
    archive(tmp_path / "a.warc.gz", {"http://a.example/": html(sentences(1))})
    (tmp_path / "no.warc.gz").write_text("this is no archive")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = cli("export", *words)
    assert done.returncode == status
    assert says in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_half_an_archive_gives_what_can_be_read_and_says_so(cli: Cli, tmp_path: Path) -> None:
    whole = archive(tmp_path / "a.warc.gz", THAI)
    data = whole.read_bytes()
    whole.write_bytes(data[: len(data) * 2 // 3])
    done = cli("export", "a.warc.gz", "--lang", "th", "--to", "c.parquet")
    assert done.returncode == 0
    assert "1 record could not be read" in done.stdout
    assert 2 <= len(rows(tmp_path / "c.parquet")) < 6


def test_pdfs_of_a_crawl_that_reads_them_are_exported_like_pages(cli: Cli, tmp_path: Path) -> None:
    made = ArchiveFile()
    lines = [line.encode("ascii", "ignore").decode() for line in PHRASES["de"]]
    made.answer("http://a.example/p.pdf", pdfs.text_pdf(lines, title="P"), kind="application/pdf")
    made.save(tmp_path / "a.warc.gz")
    words = ("--warc", "a.warc.gz", "--lang", "de", "--types", "pdf")
    assert cli("import", "web", *words).returncode == 0
    for text in ("main", "full", "best"):
        done = cli("export", "web", "--to", f"{text}.parquet", "--text", text, *LOOSE)
        assert done.returncode == 0, done.stderr
        (row,) = rows(tmp_path / f"{text}.parquet")
        assert (row["language"], row["title"]) == ("de", "P")
        assert lines[0] in str(row["text"])
