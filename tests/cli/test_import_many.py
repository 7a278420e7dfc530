"""``langcrawl import``: many files, patterns and folders after one option."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from archives import THAI, ArchiveFile
from conftest import Cli
from langcrawl.archive.sources import recorded_sources
from langcrawl.log.segments import read_table, read_urls
from webs import P, write_web

NAMES = ("a.warc.gz", "b.warc.gz", "more/c.warc", "more/deep/d.warc.gz")


@pytest.fixture
def archives(tmp_path: Path) -> Path:
    """Four archives of a page each, and a file beside them that is none."""
    for name in NAMES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        letter = path.name[0]
        archive = ArchiveFile(packed=name.endswith(".gz"))
        path.write_bytes(archive.answer(f"http://{letter}.th/", THAI).data)
    (tmp_path / "more" / "notes.txt").write_text("no archive")
    return tmp_path


def pages(web: Path) -> list[str]:
    """The first letters of the pages' URLs, in the order of the log."""
    urls = read_urls(web, ["url"])["url"].to_pylist()
    ids = read_table(web, "pages", ["id"])["id"].to_pylist()
    return [urls[page].removeprefix("http://")[0] for page in ids]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["web", "--warc", "b.warc.gz", "a.warc.gz", "--lang", "th"], "ba"),
        (["web", "--lang", "th", "--warc", "a.warc.gz", "b.warc.gz"], "ab"),
        (["--lang", "th", "web", "--warc", "a.warc.gz", "b.warc.gz"], "ab"),
        (["--warc", "a.warc.gz", "b.warc.gz", "web", "--lang", "th"], "ab"),
        (["--warc", "a.warc.gz", "web", "--lang", "th"], "a"),
        (["--warc=a.warc.gz", "b.warc.gz", "--lang", "th", "web"], "ab"),
        (["--json", "web", "--warc", "a.warc.gz", "b.warc.gz", "--lang=th"], "ab"),
        (["web", "--warc", "a.warc.gz", "--lang", "th", "--warc", "b.warc.gz"], "ab"),
        (["web", "--warc", "*.warc.gz", "--lang", "th"], "ab"),
        (["web", "--warc", "**/*.warc*", "--lang", "th"], "abcd"),
        (["web", "--warc", "more", "--lang", "th"], "cd"),
        (["web", "--warc", "more/", "b.warc.gz", "--lang", "th"], "cdb"),
        (["web", "--warc", "b.warc.gz", ".", "*.warc.gz", "--lang", "th"], "bacd"),
    ],
)
def test_files_patterns_and_folders_are_taken_in_order(
    cli: Cli, archives: Path, words: list[str], found: str
) -> None:
    done = cli("import", *words)
    assert done.returncode == 0, done.stderr
    assert "".join(pages(archives / "web")) == found
    assert len(recorded_sources(archives / "web")) == len(found)  # none of them twice


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(cli: Cli, archives: Path) -> None:
    (archives / "a.warc.gz").rename(archives / "[ab].warc.gz")
    assert cli("import", "web", "--warc", "[ab].warc.gz", "--lang", "th").returncode == 0
    assert pages(archives / "web") == ["a"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--warc", "x-*.warc.gz"], "no file matches 'x-*.warc.gz'; check the pattern."),
        (["--warc", "empty"], "the folder 'empty' holds no archive"),
        (["--wat", "more"], "the folder 'more' holds no WAT file"),
        (["--crawl", "x-*"], "no file matches 'x-*'"),
        (["--crawl", "more"], "'more' is not a crawl directory"),
        (["--warc", "a.warc.gz", "absent.warc"], "there is no file 'absent.warc'"),
        (["--warc", "more/notes.txt"], "'more/notes.txt' is not a WARC file"),
    ],
)
def test_what_names_nothing_is_told_in_a_sentence(
    cli: Cli, archives: Path, words: list[str], says: str
) -> None:
    (archives / "empty").mkdir()
    done = cli("import", "web", *words, "--lang", "th")
    assert (done.returncode, done.stdout) == (1, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (archives / "web").exists()


def test_what_a_crawl_has_set_aside_is_no_archive_of_its_folder(cli: Cli, archives: Path) -> None:
    (archives / "more" / "lost+found").mkdir()
    (archives / "a.warc.gz").rename(archives / "more" / "lost+found" / "a.warc.gz")
    assert cli("import", "web", "--warc", "more", "--lang", "th").returncode == 0
    assert pages(archives / "web") == ["c", "d"]


@pytest.mark.parametrize("words", [["one", "two"], ["crawls"], ["crawls/*"]])
def test_crawls_are_named_by_folder_and_pattern_too(
    cli: Cli, tmp_path: Path, words: list[str]
) -> None:
    for number, name in enumerate(("one", "two")):
        for folder in (tmp_path / name, tmp_path / "crawls" / name):
            write_web(folder, {f"{number}/": P("th")}, [f"{number}/"])
    done = cli("import", "both", "--crawl", *words, "--lang", "th", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] == 2
