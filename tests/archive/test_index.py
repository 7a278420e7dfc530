"""The index of an archive; test_oracles.py compares it with that of another program."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import pytest

from langcrawl.archive.index import INDEX, Capture, surt, update_index, write_index
from langcrawl.config import CrawlConfig
from langcrawl.log.segments import read_table
from langcrawl.run import run_crawl
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb


def capture(url: str, number: int = 0, **changes: object) -> Capture:
    made = Capture(
        url, 1794809700.999999 + number, "text/html; charset=utf-8", 200, "sha1:AB", "f.warc.gz",
        number, 7, False,
    )  # fmt: skip
    return made._replace(**changes)


def test_a_line_says_where_a_record_stands(tmp_path: Path) -> None:
    write_index(tmp_path, [capture("http://www.one.example/A/?c&b=1", 3)])
    assert (tmp_path / INDEX).read_text() == (
        "example,one)/a?b=1&c 20261116061503 "
        '{"url": "http://www.one.example/A/?c&b=1", "mime": "text/html", "status": "200", '
        '"digest": "sha1:AB", "length": "7", "offset": "3", "filename": "f.warc.gz"}\n'
    )


def test_a_revisit_is_marked_and_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    captures = [
        capture("http://a.example/", revisit=True),
        capture("http://b.example/", content_type=""),
    ]
    write_index(tmp_path, captures)
    revisit, bare = (tmp_path / INDEX).read_text().splitlines()
    assert '"mime": "warc/revisit"' in revisit
    assert '"mime"' not in bare


def test_the_index_is_sorted_however_little_of_it_is_held_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("langcrawl.archive.index._SORTED_AT_ONCE", 7)
    numbers = list(range(100))
    Random(1).shuffle(numbers)
    write_index(tmp_path, [capture("http://old.example/")])
    write_index(tmp_path, (capture(f"http://h{n % 9}.example/{n}", n) for n in numbers))
    lines = (tmp_path / INDEX).read_bytes().splitlines()
    assert lines == sorted(lines)
    assert len(lines) == 100
    assert [path.name for path in tmp_path.iterdir()] == [INDEX]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.com/", "com,example)/"),
        ("https://www2.example.co.th:8443/A//B/?", "th,co,example:8443)/a/b"),
        ("http://127.0.0.1/x", "1,0,0,127)/x"),
        ("http://[::1]/x", "::1)/x"),
        ("http://example.com/%E0%B8%81%41%2541?x=%26", "com,example)/%e0%b8%81aa?&x="),
    ],
)
def test_a_key_begins_with_the_end_of_the_host(url: str, key: str) -> None:
    assert surt(url) == key


class Log:
    """A log that grows part by part, and remembers which parts were asked for."""

    def __init__(self, parts: int = 0, size: int = 30) -> None:
        self.parts: dict[str, list[Capture]] = {}
        self.asked: list[list[str]] = []
        self._size, self._rng = size, Random(2)
        for _ in range(parts):
            self.grow()

    def grow(self) -> None:
        first = len(self.parts) * self._size
        numbers = range(first, first + self._size)
        made = [capture(f"http://h{self._rng.randrange(40)}.example/{n}", n) for n in numbers]
        self.parts[f"{len(self.parts):06}"] = made

    @property
    def sources(self) -> dict[str, int]:
        return {name: len(part) for name, part in self.parts.items()}

    def captures(self, names: Sequence[str]) -> Iterator[Capture]:
        self.asked.append(list(names))
        return (each for name in names for each in self.parts[name])

    def update(self, directory: Path) -> list[str]:
        """Update the index; which parts of the log were read for it last, if any was."""
        self.asked = []
        update_index(directory, self.sources, self.captures)
        return self.asked[-1] if self.asked else []

    def is_indexed(self, directory: Path) -> bool:
        whole = directory.parent / f"{directory.name}-whole"
        whole.mkdir(exist_ok=True)
        write_index(whole, self.captures(list(self.parts)))
        return (directory / INDEX).read_bytes() == (whole / INDEX).read_bytes()


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    (tmp_path / "warc").mkdir()
    return tmp_path / "warc"


@pytest.mark.parametrize("block", [1, 200, 1 << 20])
def test_an_index_that_grows_is_the_one_that_is_written_whole(
    warc: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("langcrawl.archive.index._BLOCK", block)
    monkeypatch.setattr("langcrawl.archive.index._SORTED_AT_ONCE", 11)
    log = Log()
    for number in range(8):
        log.grow()
        assert log.update(warc) == [f"{number:06}"], "only what is new is read"
        assert log.is_indexed(warc)
        assert log.update(warc) == [], "nothing is new, nothing is read"
    assert sorted(path.name for path in warc.iterdir()) == [INDEX, "index.state.json"]


def test_several_new_parts_and_parts_without_captures_are_taken_in_at_once(warc: Path) -> None:
    log = Log(1)
    log.update(warc)
    log.parts["000001"] = []
    log.parts["000002"] = [capture("http://a.example/"), capture("http://zz.example/")]
    assert log.update(warc) == ["000001", "000002"]
    assert log.is_indexed(warc)
    assert log.update(warc) == []


@pytest.mark.parametrize(
    "damage", ["gone", "cut", "longer", "other byte", "no state", "bad state", "old state"]
)
@pytest.mark.parametrize("grown", [True, False])
def test_a_missing_or_damaged_index_is_written_anew(warc: Path, damage: str, grown: bool) -> None:
    log = Log(1)
    log.update(warc)
    index, state = warc / INDEX, warc / "index.state.json"
    before = state.read_bytes()
    log.grow()
    log.update(warc)
    data = index.read_bytes()
    if damage == "gone":
        index.unlink()
    elif damage == "cut":
        index.write_bytes(data[:-300])
    elif damage == "longer":
        index.write_bytes(data + b"x\n")
    elif damage == "other byte":
        index.write_bytes(data[:400] + b"#" + data[401:])
    elif damage == "no state":
        state.unlink()
    else:
        state.write_bytes(before if damage == "old state" else b'{"sources": 3}')
    if grown:
        log.grow()
    assert log.update(warc) == list(log.parts)
    assert log.is_indexed(warc)


def test_a_log_that_lost_or_changed_a_part_is_indexed_anew(warc: Path) -> None:
    log = Log(3)
    log.update(warc)
    del log.parts["000002"]
    assert log.update(warc) == ["000000", "000001"]
    assert log.is_indexed(warc)
    log.parts["000001"].append(capture("http://new.example/"))
    assert log.update(warc) == ["000000", "000001"]
    assert log.is_indexed(warc)


def grow_for_ever(folder: Path, parts: int, told: Connection) -> None:
    """In a process of its own: an archive that grows until it is killed."""
    log = Log(parts, 2000)
    while True:
        log.grow()
        log.update(folder)
        told.send(len(log.parts))


def test_whenever_the_process_is_killed_the_next_update_makes_it_right(warc: Path) -> None:
    rng, parts, left = Random(6), 0, 0
    processes = get_context("forkserver")
    for _ in range(8):
        heard, told = processes.Pipe(duplex=False)
        process = processes.Process(target=grow_for_ever, args=(warc, parts, told))
        process.start()
        told.close()
        with heard:
            for _ in range(rng.randint(1, 2)):
                parts = heard.recv()
            time.sleep(rng.random() / 20)
            process.kill()
            process.join()
        process.close()
        left += any(warc.glob(".index-*"))
        log = Log(parts, 2000)
        log.update(warc)
        assert log.is_indexed(warc)
        assert sorted(path.name for path in warc.iterdir()) == [INDEX, "index.state.json"]
    assert left, "no kill came in the middle of an update"


def test_the_index_of_a_resumed_crawl_is_the_one_that_is_written_whole(
    tmp_path: Path, small_web: SmallWeb
) -> None:
    crawl = tmp_path / "crawl"
    index, state = crawl / "warc" / INDEX, crawl / "warc" / "index.state.json"
    with Server(small_web.answer) as server:
        for most in (40, 90, 140, 140):
            config = CrawlConfig(
                lang="th", seeds=small_web.seeds, strategy="bfs", delay=0.0, max_pages=most,
                connect_to=(server.connect_to,),
            )  # fmt: skip
            run_crawl(crawl, config)
        grown = index.read_bytes()
        state.unlink()
        index.unlink()
        run_crawl(crawl, config)
    files = [file for file in read_table(crawl, "pages")["warc_file"].to_pylist() if file]
    assert len(grown.splitlines()) == len(files) > 100
    assert index.read_bytes() == grown
