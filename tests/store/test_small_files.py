"""What a crawl keeps beside its log: events, seals, files that were set aside, drafts, history."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.config import FILE, CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.log.schema import log_table
from langcrawl.log.segments import write_segment
from langcrawl.records import Counts
from langcrawl.store.draft import new_copies, new_crawl
from langcrawl.store.events import FILE as EVENTS
from langcrawl.store.events import EventLog, last_event, read_events
from langcrawl.store.history import History
from langcrawl.store.lost import LostAndFound, free_name
from langcrawl.store.sealed import forget, problem_of, read_seals, remember, seal_of
from langcrawl.store.status import Sample, Watched

CONFIG = CrawlConfig(lang="th", seeds=("http://a.th/",))


class TestEvents:
    """Lines that people and programs read, while the crawl writes them."""

    @staticmethod
    def words(directory: Path) -> list[str]:
        return [event["words"] for event in read_events(directory)]

    def test_events_are_kept_in_order_and_passed_on(self, tmp_path: Path) -> None:
        heard: list[tuple[str, str]] = []
        with EventLog(tmp_path, lambda event, words: heard.append((event, words))) as tell:
            tell("start", "begun", pages=3, host="ไทย")
            tell.notice("something")
        assert heard == [("start", "begun"), ("notice", "something")]
        first, second = read_events(tmp_path)
        assert (first["pages"], first["host"]) == (3, "ไทย")
        assert first["time"] <= second["time"]
        assert last_event(tmp_path) == second == tell.last

    def test_nothing_is_written_before_the_first_event(self, tmp_path: Path) -> None:
        with EventLog(tmp_path, lambda *_: None):
            pass
        assert not (tmp_path / EVENTS).exists()
        assert last_event(tmp_path) is None
        assert list(read_events(tmp_path / "nowhere")) == []

    @pytest.mark.parametrize(
        ("error", "words"),
        [
            (ValueError("it broke"), "it broke"),
            (KeyboardInterrupt(), "stopped at once by Ctrl-C."),
            (MemoryError(), "MemoryError"),
        ],
    )
    def test_an_error_that_ends_the_crawl_is_its_last_event(
        self, tmp_path: Path, error: BaseException, words: str
    ) -> None:
        def run() -> None:
            with EventLog(tmp_path, lambda *_: None) as tell:
                tell("start", "begun")
                raise error

        with pytest.raises(type(error)):
            run()
        last = last_event(tmp_path)
        assert last is not None
        assert (last["event"], last["words"]) == ("failed", words)

    def test_half_a_line_is_left_out_and_ended_by_the_next_run(self, tmp_path: Path) -> None:
        with EventLog(tmp_path, lambda *_: None) as tell:
            tell("start", "one")
        with (tmp_path / EVENTS).open("ab") as file:
            file.write(b'{"time": 1, "event": "sto')
        assert self.words(tmp_path) == ["one"]
        with EventLog(tmp_path, lambda *_: None) as tell:
            tell("start", "two")
        assert self.words(tmp_path) == ["one", "two"]

    def test_lines_that_are_no_events_are_left_out(self, tmp_path: Path) -> None:
        lines = [
            "null",
            "[]",
            "{}",
            '{"event": 5}',
            '{"event": "x", "words": "y"}',
            "\x00",
            "[" * 5000,
        ]
        (tmp_path / EVENTS).write_text("\n".join(lines))
        assert self.words(tmp_path) == ["y"]

    def test_only_the_end_of_a_long_file_is_read(self, tmp_path: Path) -> None:
        with EventLog(tmp_path, lambda *_: None) as tell:
            for number in range(200):
                tell("notice", f"{number}")
        some = [event["words"] for event in read_events(tmp_path, most=1000)]
        assert some == [f"{n}" for n in range(200 - len(some), 200)]
        assert 5 < len(some) < 50

    def test_text_that_is_no_unicode_is_kept_readable(self, tmp_path: Path) -> None:
        with EventLog(tmp_path, lambda *_: None) as tell:
            tell("notice", "half \ud800 letter")
        assert self.words(tmp_path) == ["half \\ud800 letter"] or "half" in self.words(tmp_path)[0]


class TestSeals:
    """Files that are complete: what has happened to them since."""

    @pytest.fixture
    def database(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE files (name PRIMARY KEY, size, mtime, checksum)")
        yield connection
        connection.close()

    def test_what_is_remembered_can_be_replaced_and_forgotten(
        self, tmp_path: Path, database: sqlite3.Connection
    ) -> None:
        for name in ("a", "b"):
            (tmp_path / name).write_text(name)
        remember(database, tmp_path, ["a", "b"])
        (tmp_path / "a").write_text("longer")
        remember(database, tmp_path, ["a"])
        assert read_seals(database) == {name: seal_of(tmp_path / name) for name in ("a", "b")}
        forget(database, ["a", "unknown"])
        assert list(read_seals(database)) == ["b"]

    def test_each_change_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_bytes(b"1234")
        seal = seal_of(path)
        assert problem_of(path, seal) == problem_of(path, seal, thorough=True) == ""
        os.utime(path, ns=(1, 1))
        assert problem_of(path, seal) == ""  # another time, but the same bytes
        path.write_bytes(b"12345")
        assert problem_of(path, seal) == "has 5 bytes in place of 4"
        path.write_bytes(b"1235")
        assert problem_of(path, seal) == "has changed: its checksum is another"
        path.unlink()
        assert problem_of(path, seal) == "is missing"
        assert "cannot be read" in problem_of(tmp_path / ("x" * 300), seal)

    def test_a_change_that_keeps_size_and_time_is_found_by_a_thorough_look(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "file"
        path.write_bytes(b"1234")
        seal = seal_of(path)
        path.write_bytes(b"1235")
        os.utime(path, ns=(seal.mtime, seal.mtime))
        assert problem_of(path, seal) == ""
        assert "checksum" in problem_of(path, seal, thorough=True)


class TestLostAndFound:
    """Files that the database does not know are set aside, never deleted."""

    def test_files_of_one_name_do_not_overwrite_each_other(self, tmp_path: Path) -> None:
        lost = LostAndFound(tmp_path)
        for text in ("one", "two"):
            (tmp_path / "a.warc.gz").write_text(text)
            lost.move(tmp_path / "a.warc.gz")
        assert {path.name: path.read_text() for path in lost.path.iterdir()} == {
            "a.warc.gz": "one", "a.2.warc.gz": "two",
        }  # fmt: skip
        assert (lost.files, lost.bytes) == (2, 6)

    def test_the_end_of_a_file_is_kept_before_it_is_cut_off(self, tmp_path: Path) -> None:
        path = tmp_path / "a.warc.gz"
        path.write_bytes(b"known" + b"unknown")
        lost = LostAndFound(tmp_path)
        place = lost.cut(path, 5, "end")
        assert (path.read_bytes(), place.read_bytes()) == (b"known", b"unknown")
        path.write_bytes(b"known" + b"unknown")  # as if killed before it was cut
        assert lost.cut(path, 5, "end") == place
        path.write_bytes(b"known" + b"another")
        assert lost.cut(path, 5, "end") != place
        assert sorted(p.name for p in lost.path.iterdir()) == ["end", "end.2"]
        assert not list(lost.path.glob("*.tmp"))

    def test_a_folder_is_moved_with_all_that_is_in_it(self, tmp_path: Path) -> None:
        (tmp_path / "log" / "deep").mkdir(parents=True)
        (tmp_path / "log" / "deep" / "x").write_text("12345")
        lost = LostAndFound(tmp_path)
        place = lost.move_folder(tmp_path / "log", "crawl")
        assert (place / "deep" / "x").read_text() == "12345"
        assert (lost.files, lost.bytes) == (1, 5)

    @pytest.mark.parametrize(
        ("files", "ends", "words"),
        [
            (0, 0, ""),
            (1, 0, "does not know 1 file ("),
            (2, 1, "does not know 2 files and the end of an archive file"),
            (0, 3, "does not know the ends of 3 archive files"),
        ],
    )
    def test_it_says_what_was_taken_and_what_to_do(
        self, tmp_path: Path, files: int, ends: int, words: str
    ) -> None:
        lost = LostAndFound(tmp_path)
        lost.files, lost.ends = files, ends
        said = lost.sentence()
        assert words in said
        assert ("langcrawl recover" in said) == bool(words)

    def test_names_are_numbered_before_their_endings(self, tmp_path: Path) -> None:
        for name in ("a.b.warc.gz", "a.b.2.warc.gz", "plain", "x.tar.gz"):
            (tmp_path / name).touch()
        assert free_name(tmp_path, "a.b.warc.gz").name == "a.b.3.warc.gz"
        assert free_name(tmp_path, "plain").name == "plain.2"
        assert free_name(tmp_path, "x.tar.gz").name == "x.2.tar.gz"
        assert free_name(tmp_path, "new").name == "new"


def empty_log(directory: Path) -> None:
    write_segment(
        directory, 0, {name: log_table(name, 0, {}) for name in ("urls", "links", "pages")}
    )


class TestDrafts:
    """A directory that is made is there as a whole, or not at all."""

    def test_it_is_a_crawl_when_all_has_gone_well(self, tmp_path: Path) -> None:
        with new_crawl(tmp_path / "web", CONFIG) as draft:
            empty_log(draft)
            assert not (tmp_path / "web" / FILE).exists()
        assert sorted(path.name for path in (tmp_path / "web").iterdir()) == [FILE, "log"]
        assert CrawlConfig.load(tmp_path / "web").seeds == CONFIG.seeds

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    @pytest.mark.parametrize("there", [False, True])
    def test_nothing_is_left_of_one_that_failed(
        self, tmp_path: Path, error: type[BaseException], there: bool
    ) -> None:
        if there:
            (tmp_path / "web").mkdir()
            (tmp_path / "web" / "mine").write_text("x")

        def fail() -> None:
            with new_crawl(tmp_path / "web", CONFIG) as draft:
                empty_log(draft)
                raise error

        with pytest.raises(error):
            fail()
        left = sorted(path.name for path in tmp_path.rglob("*"))
        assert left == (["mine", "web"] if there else [])

    def test_what_a_killed_process_left_is_removed(self, tmp_path: Path) -> None:
        (tmp_path / "web" / "draft.tmp" / "log").mkdir(parents=True)
        with new_crawl(tmp_path / "web", CONFIG) as draft:
            assert list(draft.iterdir()) == []
            empty_log(draft)
        assert (tmp_path / "web" / "log").is_dir()

    def test_a_crawl_or_a_log_is_never_overwritten(self, tmp_path: Path) -> None:
        with new_crawl(tmp_path / "web", CONFIG) as draft:
            empty_log(draft)
        for words in ("already holds a crawl", "already holds a log"):
            with pytest.raises(BadInput, match=words), new_crawl(tmp_path / "web", CONFIG):
                pass
            (tmp_path / "web" / FILE).unlink(missing_ok=True)

    def test_a_place_that_cannot_be_written_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with (
            pytest.raises(BadInput, match="choose another directory"),
            new_crawl(tmp_path / "file" / "web", CONFIG),
        ):
            pass

    def test_copies_go_with_the_failure_unless_they_were_there_before(self, tmp_path: Path) -> None:
        folder = tmp_path / "web" / "warc"

        def fail() -> None:
            with new_copies(folder) as place:
                place.mkdir(parents=True, exist_ok=True)
                (place / "copy").touch()
                raise ValueError("no")

        for there in (False, True):
            if there:
                folder.mkdir(parents=True)
                (folder / "old").touch()
            with pytest.raises(ValueError, match="no"):
                fail()
            assert folder.exists() == there
        shutil.rmtree(tmp_path / "web")
        with new_copies(folder) as place:
            place.mkdir(parents=True)
        assert folder.exists()


NUMBERS = st.floats(0, 1e9)
SAMPLES = st.lists(st.builds(Sample, *[NUMBERS] * 5), max_size=4).map(tuple)


@given(st.builds(Watched, NUMBERS, NUMBERS, SAMPLES, st.dictionaries(st.text(), st.text()),
                 st.booleans()))  # fmt: skip
def test_what_a_crawl_keeps_of_itself_comes_back(watched: Watched) -> None:
    assert Watched.from_text(watched.as_text()) == watched
    assert Watched.from_text(None) == Watched.from_text("") == Watched()


def test_a_crawl_of_an_earlier_version_was_never_paused() -> None:
    kept = json.loads(Watched(1.0, 2.0).as_text())
    del kept["paused"]
    assert Watched.from_text(json.dumps(kept)) == Watched(1.0, 2.0)


@given(st.lists(st.floats(0, 50), max_size=60))
def test_points_of_a_history_are_a_second_apart_at_least(gaps: list[float]) -> None:
    history, counts = History(), Counts()
    for gap in gaps:
        counts.spent += gap
        counts.pages += 1
        history.note(counts, 0, counts.spent)
    spent = [point.spent for point in history.points]
    assert all(later - before >= 0.98 for before, later in pairwise(spent))
    assert history.changed == bool(gaps)
    again = History.from_text(history.as_text())
    assert again.points == history.points
    assert not history.changed
    assert History.from_text(None).points == []
