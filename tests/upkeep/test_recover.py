"""What was collected is never deleted: it is set aside, noticed, and taken in again."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from conftest import Cli
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import outdated, read_table
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb, make_small_web
from warm import Warm

PAGES = 120


@pytest.fixture(scope="module")
def web() -> SmallWeb:
    return make_small_web(pages=PAGES, seed=3)


@pytest.fixture(scope="module")
def server(web: SmallWeb) -> Iterator[Server]:
    with Server(web.answer) as running:
        yield running


class Tried:
    """A crawl of the small web through the command line."""

    def __init__(self, cli: Cli, web: SmallWeb, server: Server, directory: Path) -> None:
        self._cli, self.web, self.server, self.path = cli, web, server, directory
        self.said = ""

    def crawl(self, *words: str) -> dict[str, int]:
        seeds = [word for seed in self.web.seeds for word in ("--seeds", seed)]
        done = self._cli(
            "crawl", self.path, "--lang", "th", *seeds, "--strategy", "bfs", "--delay", "0",
            "--connect-to", self.server.connect_to, "--json", *words,
        )  # fmt: skip
        self.said = done.stderr
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def refuses(self, *words: str) -> str:
        done = self._cli(*words, self.path)
        assert done.returncode == 1, (done.stdout, done.stderr)
        assert done.stderr.count("\n") == 1, done.stderr
        return done.stderr

    def recover(self, *words: str) -> dict[str, int]:
        done = self._cli("recover", self.path, "--json", *words)
        self.said = done.stderr
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def verify(self) -> None:
        done = self._cli("verify", self.path)
        assert done.returncode == 0, (done.stdout, done.stderr)

    def urls(self) -> set[str]:
        urls = read_table(self.path, "urls")["url"].to_pylist()
        pages = read_table(self.path, "pages")["id"].to_pylist()
        assert len(set(pages)) == len(pages), "a page is in the log twice"
        return {urls[number] for number in pages}

    def asked(self) -> int:
        return len([r for r in self.server.requests if not r.path.endswith("/robots.txt")])

    def archive(self) -> dict[str, bytes]:
        """All that was ever archived, by the place where it stood."""
        return {path.name: path.read_bytes() for path in (self.path / "warc").glob("*.warc.gz")}


@pytest.fixture
def tried(cli: Cli, web: SmallWeb, server: Server, tmp_path: Path) -> Tried:
    return Tried(cli, web, server, tmp_path / "thai")


def test_an_older_database_costs_nothing(tried: Tried) -> None:
    """Restored from a backup, it makes the next start set aside what is newer."""
    tried.crawl("--max-pages", "40")
    backup = (tried.path / "frontier.db").read_bytes()
    whole = tried.crawl("--max-pages", "90")
    archive, pages = tried.archive(), tried.urls()
    (tried.path / "frontier.db").write_bytes(backup)
    tried.crawl("--max-pages", "40")  # opens and closes it, and downloads nothing
    assert "lost+found" in tried.said
    assert f"langcrawl recover {tried.path}" in tried.said
    kept = {path.name: path.read_bytes() for path in (tried.path / "lost+found").glob("*.gz")}
    assert tried.archive() | kept == archive
    assert len(list((tried.path / "lost+found" / "crawl" / "log").rglob("*.parquet"))) == 3
    asked = tried.asked()
    done = tried.recover()
    assert done["pages"] == 50
    assert tried.asked() == asked, "recovering asks no server"
    assert tried.urls() == pages
    assert tried.archive() == archive
    tried.verify()
    end = tried.crawl("--max-pages", "90")
    assert (
        (end["pages"], end["relevant"])
        == (whole["pages"], whole["relevant"])
        == (90, end["relevant"])
    )
    assert tried.asked() == asked
    assert len(load_graph(tried.path).arrays.status) == 90


@pytest.mark.parametrize("harm", ["removed", "emptied", "with its log"])
def test_a_crawl_without_its_database_is_made_anew_from_its_archive(
    tried: Tried, harm: str
) -> None:
    whole = tried.crawl()
    archive, pages = tried.archive(), tried.urls()
    if harm == "removed":
        (tried.path / "frontier.db").unlink()
    else:
        (tried.path / "frontier.db").write_bytes(b"")
    if harm == "with its log":
        shutil.rmtree(tried.path / "log")
    said = tried.refuses("crawl")
    assert f"langcrawl recover {tried.path}" in said
    assert tried.archive() == archive, "a refusal touches nothing"
    done = tried.recover()
    assert done["rebuilt"]
    asked = tried.asked()
    archived = {url for url in pages if url in tried.urls()}
    assert len(archived) == done["pages"]
    if harm != "with its log":
        assert archived == pages, "the log knows what was never archived"
    assert tried.archive() == archive
    tried.verify()
    end = tried.crawl()
    assert tried.urls() == pages
    assert (end["pages"], end["relevant"]) == (whole["pages"], whole["relevant"])
    assert tried.asked() - asked == len(pages - archived), "only what was never archived"
    again = tried.recover()
    assert again["pages"] == 0


@pytest.mark.parametrize("words", [(), ("--rebuild",)])
def test_a_log_without_an_archive_stays_where_it_is(
    cli: Cli, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """A generated web has no other copy of its log."""
    web = tmp_path / "web"
    assert cli("synth", web, "--profile", "today", "--pages", "300").returncode == 0
    files = {path for path in web.rglob("*") if path.name != ".lock"}
    done = cli("recover", web, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"langcrawl: there is no archive in '{web}' to recover from.\n"
    assert {path for path in web.rglob("*") if path.name != ".lock"} == files
    assert cli("analyze", web).returncode == 0


def test_a_flipped_byte_in_the_write_ahead_log_is_noticed_and_costs_no_page(
    tried: Tried, warm: Warm, tmp_path: Path
) -> None:
    """SQLite drops all commits behind it without a word."""
    seeds = [word for seed in tried.web.seeds for word in ("--seeds", seed)]
    words = ["crawl", str(tried.path), "--lang", "th", *seeds, "--strategy",
             "bfs", "--delay", "0.03", "--connect-to", tried.server.connect_to]  # fmt: skip
    with (tmp_path / "out").open("wb") as out:
        process = warm.start(words, tmp_path, out.fileno(), out.fileno())
        end, before = time.monotonic() + 60, tried.asked()
        while tried.asked() - before < 60 and time.monotonic() < end:
            time.sleep(0.01)
        process.kill()
    wal = tried.path / "frontier.db-wal"
    data = bytearray(wal.read_bytes())
    data[len(data) // 2] ^= 255
    wal.write_bytes(data)
    collected = _answers(tried.path)
    tried.crawl("--max-pages", "0")
    assert "frontier.db-wal' is damaged" in tried.said
    assert _answers(tried.path) >= collected
    done = tried.recover()
    assert done["pages"] > 0
    tried.verify()
    tried.crawl("--delay", "0")
    assert len(tried.urls()) == len(set(tried.urls()))
    tried.verify()


def _answers(directory: Path) -> set[str]:
    """The URLs of all pages in the archive and in lost+found."""
    from warcio.archiveiterator import ArchiveIterator

    urls = set()
    for path in directory.rglob("langcrawl-*.warc.gz*"):
        with path.open("rb") as file:
            try:
                for record in ArchiveIterator(file):
                    if record.rec_type in ("response", "revisit"):
                        urls.add(record.rec_headers.get_header("WARC-Target-URI"))
            except Exception:
                assert path.name.endswith(".open")
    return urls


@pytest.mark.parametrize("harm", ["missing", "short", "flipped"])
def test_pages_whose_records_are_lost_are_noticed_at_the_start_and_asked_for_again(
    tried: Tried, harm: str
) -> None:
    tried.crawl("--max-pages", "30", "--connections", "1")
    archived = 30 - read_table(tried.path, "pages")["warc_file"].null_count
    whole = tried.crawl("--max-pages", "60")
    urls = tried.urls()
    first = sorted((tried.path / "warc").glob("*.warc.gz"))[0]
    data = first.read_bytes()
    if harm == "missing":
        first.unlink()
    elif harm == "short":
        first.write_bytes(data[: len(data) // 2])
    else:
        changed = bytearray(data)
        pages = read_table(tried.path, "pages", ["warc_file", "warc_offset", "warc_length"])
        row = next(row for row in pages.to_pylist() if row["warc_file"] == first.name)
        changed[row["warc_offset"] + row["warc_length"] // 2] ^= 255
        first.write_bytes(changed)
    asked = tried.asked()
    end = tried.crawl("--max-pages", "60")
    assert first.name in tried.said
    assert "will be downloaded again" in tried.said
    lost = sum(map(len, outdated(tried.path).values()))
    assert lost == {"missing": archived, "flipped": 1}.get(harm, lost) > 0
    assert tried.asked() - asked == lost
    assert (end["pages"], end["relevant"]) == (whole["pages"], whole["relevant"])
    assert tried.urls() == urls
    assert len(load_graph(tried.path).arrays.status) == 60
    tried.verify()
    for path in sorted((tried.path / "warc").glob("*.warc.gz")):  # others read it to its end
        with path.open("rb") as stream:
            assert sum(1 for _ in ArchiveIterator(stream)) > 1
            assert stream.tell() == path.stat().st_size
    tried.crawl("--max-pages", "60")
    assert "again" not in tried.said, "it is told once"


def test_damage_between_pages_is_told_and_mended_and_costs_no_page(tried: Tried) -> None:
    whole = tried.crawl("--max-pages", "30", "--connections", "1")
    path = sorted((tried.path / "warc").glob("*.warc.gz"))[0]
    data = bytearray(path.read_bytes())
    with path.open("rb") as stream:
        records = ArchiveIterator(stream)
        kinds = [(record.rec_type, records.get_record_offset()) for record in records]
    place = next(offset for kind, offset in kinds[6:] if kind == "metadata")
    data[place + 60] ^= 255
    path.write_bytes(data)
    asked = tried.asked()
    end = tried.crawl("--max-pages", "30")
    assert path.name in tried.said
    assert (end["pages"], tried.asked()) == (whole["pages"], asked)
    tried.verify()
    with path.open("rb") as stream:
        assert len(list(ArchiveIterator(stream))) == len(kinds)
    assert len(list((tried.path / "lost+found").glob(f"{path.name}.damaged-*"))) == 1


def test_a_lost_segment_is_told_at_the_start_and_its_urls_are_written_anew(tried: Tried) -> None:
    tried.crawl("--max-pages", "40")
    pages = tried.urls()
    for name in ("urls", "links"):
        path = tried.path / "log" / name / "000000.parquet"
        data = bytearray(path.read_bytes())
        data[len(data) // 3] ^= 1
        path.write_bytes(data)
    tried.crawl("--max-pages", "40")
    assert "urls/000000.parquet' has changed" in tried.said
    assert "written anew from the database" in tried.said
    assert "links/000000.parquet' has changed" in tried.said
    assert "--rebuild" in tried.said
    done = tried.recover("--rebuild")
    assert done["rebuilt"]
    assert tried.urls() <= pages
    tried.verify()


def test_a_recovery_that_is_killed_can_be_run_again(
    tried: Tried, warm: Warm, tmp_path: Path
) -> None:
    whole = tried.crawl("--warc-bytes", "20000")
    pages = tried.urls()
    assert len(tried.archive()) > 3, "files are completed at the size that was asked for"
    total = _answers(tried.path)
    (tried.path / "frontier.db").unlink()
    for number in range(6):
        with (tmp_path / "out").open("wb") as out:
            words = ["recover", str(tried.path), *(["--rebuild"] if number == 3 else [])]
            process = warm.start(words, tmp_path, out.fileno(), out.fileno())
            time.sleep(0.1 + 0.12 * number)
            process.kill()
    assert _answers(tried.path) == total
    tried.recover()
    tried.verify()
    end = tried.crawl()
    assert tried.urls() == pages
    assert (end["pages"], end["relevant"]) == (whole["pages"], whole["relevant"])


def test_a_durable_crawl_writes_the_same(tried: Tried) -> None:
    end = tried.crawl("--durable", "--max-pages", "50")
    assert end["pages"] == 50
    assert "durable = true" in (tried.path / "crawl.toml").read_text()
    tried.verify()


def test_other_files_are_left_alone(tried: Tried) -> None:
    tried.crawl("--max-pages", "20")
    mine = tried.path / "warc" / "notes.txt"
    mine.write_text("mine")
    os.utime(next(iter((tried.path / "warc").glob("*.warc.gz"))))  # another time, same bytes
    tried.crawl("--max-pages", "25")
    assert mine.read_text() == "mine"
    assert "langcrawl:" not in tried.said
    with sqlite3.connect(tried.path / "frontier.db") as database:
        assert database.execute("SELECT count(*) FROM files").fetchone()[0] >= 4
