"""Somebody else's crawl directory: it runs no code, crashes nothing, and is told in a sentence."""

from __future__ import annotations

import json
import marshal
import os
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import langcrawl
from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.frontier.moves import Move, packed, unpacked
from langcrawl.log.graph import load_graph
from langcrawl.records import Facts
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.migrate import convert
from langcrawl.store.old_journal import read_old_journal

CODE = """
from pathlib import Path
Path("was-run").write_text("yes")
from langcrawl.strategy.bfs import bfs
from langcrawl.judge.charset import charset

def walk():
    return bfs()

def judge(target, pack):
    return charset(target)
"""


@pytest.fixture
def foreign(small_crawl: Path, tmp_path: Path) -> Path:
    """A copy of a crawl, as somebody might send it."""
    shutil.copytree(small_crawl, tmp_path / "foreign")
    return tmp_path / "foreign"


def rewrite(directory: Path, key: str, value: str) -> None:
    path = directory / "crawl.toml"
    lines = [line for line in path.read_text().splitlines() if not line.startswith(f"{key} =")]
    lines = [f'{key} = "{value}"', *lines]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("key", "name"),
    [("strategy", "evil.py:walk"), ("judge", "evil.py:judge"), ("strategy", "evil.sub:walk"),
     ("judge", "evil.sub:judge"), ("strategy", "foreign/evil.py:walk")],
)  # fmt: skip
def test_no_code_is_run_that_only_crawl_toml_names(
    foreign: Path, tmp_path: Path, cli: Cli, key: str, name: str
) -> None:
    for path in (tmp_path / "evil.py", foreign / "evil.py"):
        path.write_text(CODE)
    rewrite(foreign, key, name)
    others = [
        ("crawl", foreign, "--max-pages", "1"), ("recover", foreign),
        ("recover", foreign, "--rebuild"), ("status", foreign), ("verify", foreign),
        ("simulate", foreign, "--strategy", "bfs"), ("analyze", foreign),
        ("tune", foreign, "--strategy", "limited", "--tries", "2"),
        ("import", tmp_path / "new", "--crawl", foreign, "--lang", "th"),
        ("serve", foreign, "--port", "0", "--max-time", "0.1"),
    ]  # fmt: skip
    for words in others:
        done = cli(*words)
        assert not (tmp_path / "was-run").exists(), words
        if words[0] in ("crawl", "recover"):
            assert done.returncode == 2
            assert done.stderr.count("\n") == 1
            assert "--trust" in done.stderr
            assert name in done.stderr
    if "sub" not in name:
        done = cli("crawl", foreign, "--max-pages", "1", "--trust")
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "was-run").exists()


def test_code_on_the_command_line_needs_no_trust(foreign: Path, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "mine.py").write_text(CODE)
    done = cli("crawl", foreign, "--max-pages", "1", "--strategy", "mine.py:walk")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "was-run").exists()
    assert cli("crawl", foreign, "--max-pages", "1").returncode == 2, "it is in crawl.toml now"


ARRAYS = (
    "url_id", "url_hash", "hash_node", "host", "offsets", "dst", "status", "redirect", "tongue",
    "relevant", "score", "bytes", "elapsed",
)  # fmt: skip


def harmed(data: bytes, how: str) -> bytes:
    body = bytearray(data)
    if how == "bits":
        for place in range(128, len(body), max(1, len(body) // 50)):
            body[place] ^= 0x55
    elif how == "high":
        body[128:] = b"\x7f" * (len(body) - 128)
    elif how == "negative":
        body[128:] = b"\xfe" * (len(body) - 128)
    elif how == "head":
        body[60:70] = b"9999999999"
    else:
        del body[len(body) // 2 :]
    return bytes(body)


@pytest.mark.parametrize("forged", [False, True])
def test_altered_arrays_never_crash_and_honest_ones_are_made_anew(
    foreign: Path, cli: Cli, forged: bool
) -> None:
    """Bytes are flipped in each array; where it is forged, its time and size are as before.

    Each array meets one harm, and those that steer compiled loops meet all where it is forged.
    """
    commands = [("simulate", foreign, "--strategy", "soft", "--strategy", "correlation", "--json"),
                ("analyze", foreign, "--json")]  # fmt: skip

    def results() -> list[object]:
        found: list[object] = []
        for words in commands:
            done = cli(*words)
            assert done.returncode in (0, 1), (words, done.returncode, done.stderr)
            assert "Traceback" not in done.stderr, done.stderr
            if forged and done.returncode:
                assert done.stderr.startswith("langcrawl: "), done.stderr
                found.append({"strategies": []})
                continue
            found.append(json.loads(done.stdout))
        for strategy in found[0]["strategies"]:  # type: ignore[index]
            strategy.pop("seconds", None)
            strategy.pop("pages_per_second", None)
        return found

    right = results()
    folder = foreign / "log" / "graph"
    names = [*(f"{name}.npy" for name in ARRAYS), "hosts.parquet", "meta.json"]
    names += [path.name for path in folder.glob("anchors*.npy")]
    assert len(names) == len(ARRAYS) + 3
    how = ("bits", "high", "negative", "head", "half")
    for number, name in enumerate(names):
        steers = name in ("dst.npy", "offsets.npy", "hash_node.npy")  # the compiled loops
        for harm in how if forged and steers else [how[number % len(how)]]:
            path = folder / name
            status, honest = path.stat(), path.read_bytes()
            path.write_bytes(harmed(honest, harm))
            if forged:
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            found = results()
            assert forged or found == right, (name, harm)
            if forged:
                path.write_bytes(honest)
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_an_array_of_another_type_is_not_believed(foreign: Path) -> None:
    graph = load_graph(foreign)
    path = foreign / "log" / "graph" / "dst.npy"
    np.save(path, np.asarray(graph.arrays.dst, np.float64))
    assert load_graph(foreign).arrays.dst.dtype == np.int32
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert load_graph(foreign).arrays.dst.dtype == np.int32


DAMAGE = (
    "UPDATE meta SET value = 'nonsense' WHERE key = 'counters'",
    "UPDATE meta SET value = 'nonsense' WHERE key = 'counts'",
    """UPDATE meta SET value = '{"pages": "x", "under_way": 0, "errors": {}, "discards": {},
       "notes": {}}' WHERE key = 'counts'""",
    "UPDATE meta SET value = 'x y z' WHERE key = 'seed'",
    "INSERT OR REPLACE INTO meta VALUES ('leases', 'one two')",
    "INSERT OR REPLACE INTO meta VALUES ('leases', '99999999')",
    "UPDATE hosts SET downloads = 'many'",
    "UPDATE hosts SET ready_at = x'00ff'",
    "UPDATE hosts SET ip = x'00ff'",
    "INSERT OR REPLACE INTO traps VALUES ('a.th', 'nonsense')",
    "INSERT OR REPLACE INTO traps VALUES ('a.th', '[1, 2]')",
    "UPDATE known SET state = 1, priority = 'first'",
    "UPDATE known SET state = 1, depth = 'deep'",
    "UPDATE known SET state = 1, parent_score = NULL",
    "UPDATE known SET id = 'x' WHERE id = 3",
    "UPDATE urls SET url = x'ff00ff'",
    "UPDATE urls SET url = 'nonsense'; UPDATE known SET state = 1",
    "INSERT INTO batches (pages, links, size) VALUES (x'00ff', x'00ff', 3)",
    "INSERT INTO batches (pages, links, size) VALUES ('text', 'text', 'size')",
    "INSERT INTO moves (rows) VALUES (x'00ff00ff00ff')",
    "INSERT INTO moves (rows) VALUES ('text')",
    "UPDATE archives SET bytes = 'all'",
    "UPDATE segments SET urls = 'all'",
    "UPDATE files SET size = 'big'",
    "DROP TABLE archives",
    "DROP TABLE meta",
    "DROP TABLE known",
)


@pytest.mark.parametrize("statement", DAMAGE)
def test_damaged_rows_give_a_sentence(foreign: Path, cli: Cli, statement: str) -> None:
    with sqlite3.connect(foreign / "frontier.db") as database:
        database.executescript(statement)
    database.close()
    before = {path: path.read_bytes() for path in (foreign / "warc").glob("*.warc.gz")}
    for words in (("verify", foreign), ("status", foreign), ("crawl", foreign, "--max-outage", "1"),
                  ("recover", foreign)):  # fmt: skip
        done = cli(*words)
        said = done.stdout + done.stderr
        assert done.returncode in (0, 1), said
        assert "Traceback" not in said, said
        assert words[0] == "status" or "sense" not in said or done.returncode == 1
        if words[0] == "verify":
            assert done.returncode == 1, said
            assert "--rebuild" in said or "langcrawl crawl" in said
        if done.returncode == 1 and "nobody answered" not in said:  # its servers are gone
            assert f"{foreign}" in said
    assert {path: path.read_bytes() for path in (foreign / "warc").glob("*.warc.gz")} == before
    done = cli("recover", foreign, "--rebuild", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] > 100
    assert cli("verify", foreign).returncode == 0


def test_a_damaged_file_of_the_log_is_told_in_a_sentence(foreign: Path, cli: Cli) -> None:
    (path,) = (foreign / "log" / "pages").glob("*.parquet")
    os.truncate(path, 100)
    seed = CrawlConfig.load(foreign).seeds[0]
    for words, says in [
        (("crawl", foreign, "--max-outage", "1"), f"the log file '{path}' is cut short"),
        (("recrawl", foreign), f"the log file '{path}' is cut short"),
        (("why", foreign, seed), f"a log file of '{foreign}' is cut short"),
    ]:
        done = cli(*words)
        assert (done.returncode, says in done.stderr) == (1, True), done.stderr
        assert done.stderr.count("\n") == 1


def test_a_report_on_a_damaged_database_is_refused_in_a_sentence(foreign: Path, cli: Cli) -> None:
    (foreign / "frontier.db").write_bytes(b"nonsense" * 1000)
    done = cli("report", foreign, "--to", "r.html")
    assert done.returncode == 1
    assert done.stderr.count("langcrawl: ") == 1
    assert f"'{foreign / 'frontier.db'}' is damaged" in done.stderr
    assert "Traceback" not in done.stderr


PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.text()
)


@given(st.lists(st.tuples(PLAIN, st.tuples(PLAIN, PLAIN), PLAIN, st.just("link"))))
def test_the_journal_of_earlier_versions_is_read_without_marshal(moves: list[object]) -> None:
    assert read_old_journal(marshal.dumps(moves)) == moves
    assert read_old_journal(marshal.dumps([*moves, *moves])) == [*moves, *moves]


@settings(max_examples=500)
@given(st.binary(max_size=60), st.integers(0, 200))
def test_whatever_else_stands_there_is_refused(data: bytes, place: int) -> None:
    good = bytearray(marshal.dumps([(1.0, 2, (3, 4.5), None, "link")] * 3))
    good[place % len(good)] ^= 1 + place
    for row in (data, bytes(good), marshal.dumps(compile("1", "x", "eval"))):
        for read in (read_old_journal, lambda row: list(unpacked(row))):
            try:
                read(row)
            except ValueError:
                continue


def test_moves_come_back_from_the_journal_as_they_were() -> None:
    moves = [
        Move(0.5, -7, Facts(1, 2, 1, 0, 0.25, 0, 3, 4, 5), parent, "link", 0, 1, why, "", 2**62, -9)
        for parent in (None, 0, 17)
        for why in ("", "because \u0e01")
    ]
    assert list(unpacked(packed(moves))) == moves


def test_a_journal_of_the_version_before_is_converted(foreign: Path) -> None:
    database = sqlite3.connect(foreign / "frontier.db", isolation_level=None)
    database.execute("UPDATE known SET state = 1, priority = 9, arrival = 1 WHERE id = 5")
    ((host, fp),) = database.execute("SELECT host, fp FROM known WHERE id = 5")
    facts = (0, 1, 1, 0, 0.5, 0, 0, 0, 0, 0.0, 0.0, 1)
    rows = marshal.dumps([(2.5, 77, facts, 4, "link", 0, 0, "why", "", host, fp)])
    database.execute("INSERT INTO moves (rows) VALUES (?)", (rows,))
    database.execute("ALTER TABLE archives DROP COLUMN last")
    database.execute("DROP TABLE files")
    database.execute("PRAGMA user_version = 4")
    database.close()
    convert(CrawlDirectory(foreign))
    database = sqlite3.connect(foreign / "frontier.db")
    moved = database.execute("SELECT priority, arrival, depth, parent, reason FROM known "
                             "WHERE id = 5").fetchone()  # fmt: skip
    assert moved == (2.5, 77, 1, 4, "why")
    assert database.execute("SELECT count(*) FROM moves").fetchone() == (0,)
    database.close()


def test_nothing_in_the_program_reads_marshal_or_foreign_pickles() -> None:
    root = Path(langcrawl.__file__).parent
    for path in root.rglob("*.py"):
        text = path.read_text("utf-8")
        assert "import marshal" not in text, path
        between_our_own = path.parent.name == "web" or path.name == "helper.py"
        assert "import pickle" not in text or between_our_own, path
