"""A crawl of several shards, by the real command: the same pages, the same views, the limits."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from langcrawl import open_log
from langcrawl.cluster import local
from langcrawl.cluster.run import prepare
from langcrawl.cluster.whole import whole
from langcrawl.config import CrawlConfig
from langcrawl.errors import NoSuchLog
from langcrawl.store.database import VERSION
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.events import read_events
from langcrawl.store.learned import read_learned
from langcrawl.store.view import read_status
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage
from warm import Warm

HOSTS, PAGES = 12, 150
THAI = "ภาษาไทย เป็นภาษาราชการ ของประเทศไทย และเป็นภาษา ที่มีผู้พูด หลายสิบล้านคน"


def url_of(number: int) -> str:
    return f"http://h{number % HOSTS}.th/{number}"


def answer(url: str) -> SmallPage:
    """Page n links to 2n + 1 and 2n + 2, so that all are reached; every tenth is a redirect."""
    name = url.rsplit("/", 1)[1]
    if not name.isdigit():
        return SmallPage(404)
    number = int(name)
    if number % 10 == 7 and number + PAGES < 2 * PAGES:
        return SmallPage(302, location=url_of(number + PAGES))
    rng, linked = random.Random(number), [2 * number + 1, 2 * number + 2]
    linked = [n for n in linked if n < PAGES] + [rng.randrange(PAGES) for _ in range(4)]
    links = "".join(f'<a href="{url_of(n)}">{n}</a> ' for n in linked if n % 10 != 7 or n < PAGES)
    words = " ".join(rng.choices(THAI.split(), k=20)) if number % 3 else f"english words {number}"
    return SmallPage(body=f"<p>{words} {number}</p>{links}".encode())


Run = Callable[..., Any]


@pytest.fixture(scope="module")
def run(warm: Warm, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command; its output, as JSON where that is asked for."""
    folder = tmp_path_factory.mktemp("runs")

    def run(*words: str | Path, status: int = 0) -> Any:
        out, err = folder / "out", folder / "err"
        with out.open("wb") as o, err.open("wb") as e:
            process = warm.start([str(word) for word in words], folder, o.fileno(), e.fileno())
            assert process.wait(180) == status, err.read_text()
        assert "Traceback" not in err.read_text(), err.read_text()
        if status:
            return err.read_text() + out.read_text()
        return json.loads(out.read_bytes()) if "--json" in words else out.read_text()

    return run


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(answer) as server:
        yield server


def words_of(directory: Path, server: Server, *more: str) -> list[str]:
    return [
        "crawl", str(directory), "--lang", "th", "--seeds", url_of(0), "--seeds", url_of(5),
        "--strategy", "bfs", "--delay", "0", "--connections", "10", "--workers", "1",
        "--connect-to", server.connect_to, "--json", *more,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def one(run: Run, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("one") / "crawl"
    run(*words_of(directory, server))
    return directory


@pytest.fixture(scope="module")
def three(run: Run, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of two shards that was cut off by a limit, looked at, and resumed with three."""
    directory = tmp_path_factory.mktemp("three") / "crawl"
    before = len(server.requests)
    first = run(*words_of(directory, server, "--shards", "2", "--max-pages", "40"))
    assert (first["pages"], first["stopped"]) == (40, "max-pages")
    assert run("analyze", directory, "--json")["pages"] == 40
    tried = run("crawl", directory, "--exclude", "h3", "--dry-run", "--json")
    assert 0 < tried["left_out"] < tried["waiting"] == first["queue"]
    rest = run("crawl", directory, "--shards", "3", "--max-pages", "none", "--json")
    assert rest["stopped"] == "queue-empty"
    asked = Counter(request.host + request.path for request in server.requests[before:])
    pages = [count for url, count in asked.items() if not url.endswith("/robots.txt")]
    assert max(pages) == 1, (
        "a page was downloaded by the shard that had its host and by the new one"
    )
    return directory


def test_shards_find_the_pages_that_one_crawl_finds(run: Run, one: Path, three: Path) -> None:
    alone, shared = (run("status", directory, "--json") for directory in (one, three))
    for key in ("pages", "relevant", "queue", "bytes", "answers", "hosts", "errors"):
        assert shared[key] == alone[key], key
    columns = ["url", "status", "language", "relevant"]  # depth depends on what comes first
    pages = [
        {tuple(row.values()) for row in open_log(d).pages(columns).to_pylist()}
        for d in (one, three)
    ]
    assert not pages[0] ^ pages[1]
    parts = [open_log(three / "shards" / f"00{n}").pages(["url"]).num_rows for n in range(3)]
    assert sum(parts) == alone["pages"]
    assert min(parts) > 0, "a shard had nothing to do"


def test_every_command_that_reads_sees_one_crawl(run: Run, one: Path, three: Path) -> None:
    for words in (("analyze",), ("simulate", "--strategy", "soft", "--strategy", "lswc")):
        alone, shared = (run(words[0], d, *words[1:], "--json") for d in (one, three))
        for key in ("pages", "relevant", "urls", "links", "hosts", "locality", "distance"):
            assert shared.get(key) == alone.get(key), key
        for a, b in zip(alone.get("strategies", ()), shared.get("strategies", ()), strict=True):
            assert (b["pages"], b["relevant"]) == (a["pages"], a["relevant"])
    assert "all is well" in run("verify", three)
    alone, shared = (run("report", directory, "--json") for directory in (one, three))
    assert shared["languages"] == alone["languages"] != {}
    corpus = three.parent / "corpus.jsonl.gz"
    exported = [
        run("export", d, "--to", corpus, "--overwrite", "--json")["documents"] for d in (one, three)
    ]
    assert exported[0] == exported[1] > 0


def test_the_last_event_is_that_of_the_whole_crawl_or_says_of_which_shard_it_is(
    run: Run, three: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(three, tmp_path / "copy")
    assert "ago: stopped (queue-empty) with " in run("status", copy)
    events = list(read_events(copy))
    start, stop = (next(e for e in reversed(events) if e["event"] == k) for k in ("start", "stop"))
    assert {"version", "pid", "lang", "strategy", "pages", "queue"} < start.keys()
    assert {"stopped", "pages", "relevant", "queue", "bytes", "seconds"} < stop.keys()
    event = {"time": time.time() + 60, "event": "milestone", "words": "10 pages"}
    with (copy / "shards" / "001" / "events.jsonl").open("a") as file:
        file.write(json.dumps(event) + "\n")
        file.write('{"event": "without a time", "time": "x"}\n')
    with (copy / "shards" / "002" / "events.jsonl").open("a") as file:
        file.write(json.dumps(event | {"words": "20 pages"}) + "\n")
    assert "ago: shard 2: 20 pages" in run("status", copy)


def test_why_follows_a_path_from_shard_to_shard(run: Run, three: Path) -> None:
    found = run("why", three, url_of(PAGES - 1), "--json")
    assert found["state"] == "downloaded"
    path = [step["url"] for step in found["path"]]
    assert path[0] in (url_of(0), url_of(5))
    assert path[-1] == url_of(PAGES - 1)
    # Another shard may have told of a shorter way while it waited: its depth is the smallest.
    assert len(path) >= found["path"][-1]["depth"] + 1
    owned = {
        url: {n for n in range(3) if url in _pages(three / "shards" / f"00{n}")} for url in path
    }
    assert all(len(owners) == 1 for owners in owned.values())


def _pages(directory: Path) -> set[str]:
    return set(open_log(directory).pages(["url"])["url"].to_pylist())


def test_fewer_shards_and_what_speaks_of_one_database_are_refused(run: Run, three: Path) -> None:
    assert "3 shards" in run("crawl", three, "--shards", "2", "--json", status=2)
    assert "3 shards" in run("recover", three, status=1)


def test_what_is_forgotten_is_gone_from_the_shards_and_from_the_view(run: Run, three: Path) -> None:
    before = run("analyze", three, "--json")["pages"]
    gone = run("forget", three, "--url", url_of(0), "--json")
    assert (gone["pages"], gone["stopped"]) == (1, False)
    assert any(url_of(0).rsplit("/", 1)[1] in rule for rule in CrawlConfig.load(three).exclude)
    assert run("analyze", three, "--json")["pages"] == before - 1
    archives = list(three.rglob("*.warc.gz"))
    assert {path.parent.parent for path in archives} == {three, *(three / "shards").iterdir()}
    record = f"WARC-Target-URI: {url_of(0)}\r\n".encode()
    assert not any(record in _unpacked(path) for path in archives)
    said = run("why", three, url_of(0))
    assert "left out or taken out: it matches the exclude pattern" in said
    assert "robots.txt" not in said


def _unpacked(path: Path) -> bytes:
    return subprocess.run(["gzip", "-dc", str(path)], capture_output=True, check=True).stdout


def test_shards_tell_each_other_what_adaptive_has_learned(
    run: Run, server: Server, one: Path, tmp_path: Path
) -> None:
    directory = tmp_path / "crawl"
    words = words_of(directory, server, "--shards", "2")
    words[words.index("bfs")] = "adaptive"
    done = run(*words)
    assert done["pages"] == run("status", one, "--json")["pages"]
    assert done["stopped"] == "queue-empty"
    for number in range(2):
        database = sqlite3.connect(directory / "shards" / f"00{number}" / "frontier.db")
        told = read_learned(database)
        (left,) = database.execute("SELECT count(*) FROM outbox").fetchone()
        database.close()
        assert any(name.startswith("oc ") for name in told), "nothing of links"
        assert "orates .th" in told, "nothing of the top-level domain"
        assert left == 0


def test_shards_of_an_earlier_version_are_looked_at_as_they_are_and_converted_by_crawl(
    run: Run, server: Server, one: Path, tmp_path: Path
) -> None:
    directory = tmp_path / "crawl"
    words = words_of(directory, server, "--shards", "2", "--max-pages", "40")
    words[words.index("bfs")] = "adaptive"
    run(*words)
    run("why", directory, url_of(0))  # which makes a database of the whole
    databases = [directory / "shards" / f"00{number}" / "frontier.db" for number in range(2)]
    for path in (directory / "frontier.db", *databases):
        database = sqlite3.connect(path)
        rows = read_learned(database).items()
        database.executemany("INSERT OR REPLACE INTO learned VALUES (?, ?)", rows)
        database.execute("DROP TABLE lessons")
        database.execute("PRAGMA user_version = 5")
        database.commit()
        database.close()
    assert "downloaded" in run("why", directory, url_of(0))
    done = run("crawl", directory, "--max-pages", "none", "--json")
    assert done["pages"] == run("status", one, "--json")["pages"]
    assert run("verify", directory, "--json")["problems"] == []
    run("why", directory, url_of(0))
    for path in (directory / "frontier.db", *databases):
        database = sqlite3.connect(path)
        assert database.execute("PRAGMA user_version").fetchone() == (VERSION,)
        database.close()


# Commits forty URLs of a shard, and ends at once.
COMMITS = """
import os, sys
from pathlib import Path
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.records import Facts, Visit
frontier = SqliteFrontier(Path(sys.argv[1]))
for n in range(40):
    host = f"h{n}.th"
    frontier.put(Visit(f"http://{host}/", host, Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0), 0.0, ""))
    frontier.commit()
os._exit(0)
"""


def test_commits_that_a_shard_has_lost_are_noticed(tmp_path: Path) -> None:
    config = CrawlConfig(lang="th", seeds=("http://h0.th/",), shards=1)
    database = tmp_path / "shards" / "000" / "frontier.db"
    database.parent.mkdir(parents=True)
    for directory in (tmp_path, database.parent):
        config.save(directory)
    subprocess.run([sys.executable, "-c", COMMITS, str(database)], check=True, timeout=60)
    wal = database.with_name("frontier.db-wal")
    damaged = bytearray(wal.read_bytes())
    damaged[len(damaged) // 2 + 50] ^= 255
    wal.write_bytes(damaged)
    told: list[str] = []
    whole(tmp_path)  # whoever only reads changes nothing
    prepare(CrawlDirectory(tmp_path), config, lambda _, words, **about: told.append(words))
    assert len(told) == 1
    assert "is damaged, so what was committed to the database last is lost" in told[0]
    assert (database.parent / "lost+found" / wal.name).read_bytes() == damaged


def test_a_shard_is_no_crawl_of_its_own(run: Run, three: Path) -> None:
    shard = three / "shards" / "000"
    before = read_status(three)
    for words in (("crawl", shard), ("retry", shard), ("recrawl", shard, "--older-than", "1s")):
        assert f"is a shard of the crawl in '{three}'" in run(*words, status=1)
    assert read_status(three).pages == before.pages


def test_a_shard_that_is_gone_is_missed(run: Run, three: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(three, tmp_path / "copy")
    for path in (copy / "shards" / "001").glob("frontier.db*"):
        path.unlink()
    recover = f"recover {copy / 'shards' / '001'}' make it anew"
    for words in (("crawl", copy), ("verify", copy)):
        assert recover in run(*words, status=1), words
    assert "is missing" in run("analyze", copy, status=1)
    shutil.rmtree(copy / "shards" / "001")
    said = run("crawl", copy, status=1)
    assert "from a backup." in said
    assert "recover" not in said


def test_a_shard_that_is_made_anew_knows_urls_by_the_same_numbers(
    run: Run, three: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(three, tmp_path / "copy")
    before = run("analyze", copy, "--json")
    run("recover", copy / "shards" / "001", "--rebuild")
    assert run("verify", copy, "--json")["problems"] == []
    after = run("analyze", copy, "--json")
    for key in ("pages", "relevant", "urls", "links"):
        assert after[key] == before[key], key


def test_what_is_made_of_all_shards_is_made_anew_when_it_is_damaged(
    run: Run, three: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(three, tmp_path / "copy")
    pages = run("analyze", copy, "--json")["pages"]
    database = copy / "frontier.db"
    database.write_bytes(database.read_bytes()[: database.stat().st_size // 2])
    assert run("verify", copy, "--json")["problems"] == []
    assert run("analyze", copy, "--json")["pages"] == pages
    shard = copy / "shards" / "001" / "frontier.db"
    shard.write_bytes(b"no database" * 100)
    for command in ("analyze", "report", "why"):
        said = run(command, copy, *([url_of(1)] if command == "why" else []), status=1)
        assert f"'{shard}' is damaged" in said, command


def test_shards_that_have_not_begun_are_no_crawl_yet(run: Run, tmp_path: Path) -> None:
    CrawlConfig(lang="th", seeds=("http://h0.th/",), shards=2).save(tmp_path)
    (tmp_path / "shards" / "000").mkdir(parents=True)
    run("status", tmp_path, status=1)
    with pytest.raises(NoSuchLog, match="have not begun; let the same 'langcrawl crawl' command"):
        read_status(tmp_path)


def test_shards_are_copies_of_a_process_that_has_loaded_what_they_need() -> None:
    code = (
        "import langcrawl.cluster.preloaded, langcrawl.url, pyarrow as pa, sys\n"
        "pa.array([0])\n"
        "assert 'pandas' not in sys.modules\n"
        "assert langcrawl.url._suffixes.cache_info().currsize == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "langcrawl.cluster.preloaded" in local._PRELOADED


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_the_archives_of_all_shards_are_collected_at_one_place(
    run: Run, three: Path, tmp_path: Path, scheme: str
) -> None:
    directory = tmp_path / "crawl"
    shutil.copytree(three, directory)
    names = {path.name for path in (directory / "shards").glob("*/warc/*.warc.gz")}
    done = run("collect", directory, "--to", f"{scheme}{tmp_path / 'far'}", "--json")
    assert done["files"] == len(names)
    assert {path.name for path in (tmp_path / "far").iterdir()} == names
    run("verify", directory)
    corpus = tmp_path / "corpus.txt"
    if scheme:
        assert f"{directory}" in run("export", directory, "--to", corpus, status=1)
        assert run("collect", directory, "--back", "--json")["files"] == len(names)
    run("export", directory, "--to", corpus)
    assert corpus.stat().st_size > 0
