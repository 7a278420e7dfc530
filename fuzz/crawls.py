"""Targets: the directory of a crawl that somebody else made, or damaged."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from fuzz.target import Target, scratch, workplace
from langcrawl.archive.repair import check_database, check_wal, look_after
from langcrawl.config import FILE, CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.errors import LangcrawlError
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.importers.csv import import_csv
from langcrawl.log.build import Arrays
from langcrawl.log.graph import Graph, load_graph
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import segments, write_file
from langcrawl.log.writer import LogWriter
from langcrawl.measure.webgraph import analyze_graph
from langcrawl.politeness import Politeness
from langcrawl.ports import Learned, Strategy
from langcrawl.records import Limits
from langcrawl.run import Survivor, scope_of
from langcrawl.simulate import Plan
from langcrawl.simulate.run import simulate
from langcrawl.store.database import NONSENSE, undamaged
from langcrawl.store.directory import DATABASE, CrawlDirectory
from langcrawl.store.migrate import convert, open_directory
from langcrawl.store.state import CrawlState
from langcrawl.store.view import read_status
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.web.replay import ReplayedWeb

_STRATEGIES = ("bfs", "lswc:s=2,t=1", "correlation", "perfect")
_SEED = "http://h0.example/0"
_FIRST_PAGES, _MORE_PAGES = 6, 12
_DROP, _CUT, _TWICE = "DROP", "CUT", "TWICE"
"""In place of a value: a column is not there, rows are missing from there on, a row comes twice."""
_MOST_EDITS = 50


@cache
def _logged() -> Path:
    """A small web, imported from tables, with arrays for simulation."""
    folder = scratch() / "logged"
    folder.mkdir()
    names = [f"http://h{n % 4}.example/{n}" for n in range(20)]
    rows = [
        f"{name},{('th', 'en', 'th', 'ja')[n % 4]},{404 if n == 7 else 200},,{n * 100},0.{n % 10}"
        for n, name in enumerate(names)
    ]
    rows[9] = f"{names[9]},,301,{names[3]},,"
    links = [
        f"{names[n]},{names[to]},{'ภาษาไทย' if to % 2 else 'x'}"
        for n in range(20)
        for to in ((n + 1) % 20, (n * 3 + 2) % 20, (n * 7) % 20)
    ]
    links.append(f"{names[0]},http://unknown.example/,")
    pages, edges = folder / "pages.csv", folder / "links.csv"
    pages.write_text("url,language,status,redirect,bytes,score\n" + "\n".join(rows) + "\n")
    edges.write_text("src,dst,anchor\n" + "\n".join(links) + "\n")
    made = folder / "crawl"
    import_csv(made, pages, edges, CrawlConfig(source="import", lang="th", seeds=(_SEED,)))
    _look_at(made)
    return made


@cache
def _strategies() -> tuple[Strategy | Learned, ...]:
    """Made once, because each is compiled anew when it is made anew."""
    return tuple(make_strategy(name) for name in _STRATEGIES)


def _look_at(directory: Path) -> object:
    """What `simulate` and `analyze` do with a directory."""
    open_directory(directory)
    graph = load_graph(directory)
    simulated = [simulate(graph, strategy, Plan()) for strategy in _strategies()]
    analyze_graph(graph, graph.config.lang)
    analyze_graph(load_graph(directory, "ja"), "ja")
    return [result.summary.pages.bit_length() for result in simulated]


@cache
def _crawled() -> Path:
    """A crawl of that web that has not come to its end."""
    directory = scratch() / "crawled"
    _crawl_on(directory, CrawlConfig(lang="th", strategy="soft", seeds=(_SEED,)), _FIRST_PAGES)
    return directory


@cache
def _web_graph() -> Graph:
    return load_graph(_logged())


def _crawl_on(directory: Path, config: CrawlConfig, pages: int) -> object:
    """What `langcrawl.run` does with a directory, with a recorded web in place of servers."""
    ranker = start_ranker(make_strategy(config.strategy), config.lang)
    place, scope = CrawlDirectory(directory), scope_of(config)
    with place.locked(), undamaged(place.database):
        check_database(place)
        check_wal(place, _unheard)
        convert(place)
        config.save(directory)
        look_after(place, _unheard)
        frontier = SqliteFrontier(
            place.database,
            ranker.last_first,
            ranker.group_of if ranker.grouped else None,
            ranker.name if ranker.grouped else "",
        )
        try:
            log = LogWriter(directory, frontier.connection, frontier.id_of)
            crawl = Crawl(
                ReplayedWeb(_web_graph(), unknown_fails=True), frontier, ranker,
                politeness=Politeness(1.0), scope=scope, limits=Limits(max_pages=pages),
                connections=4, retries=1, max_redirects=20, sinks=(log,),
                survives=Survivor(lambda sentence: None),
            )  # fmt: skip
            state = CrawlState(crawl, frontier.connection, scope)
            with undamaged(place.database, *NONSENSE):
                state.restore(frontier.leased_hosts)
            frontier.at_commit += [log.save, state.save]
            outcome = crawl.run(config.seeds)
            frontier.at_commit += [
                partial(log.save, all_of_it=True), partial(state.save, all_of_it=True)
            ]  # fmt: skip
            frontier.write_all()
        finally:
            frontier.close()
    return outcome.stopped, outcome.queue.bit_length()


def _unheard(sentence: str) -> None:
    """Nobody is there to be told."""


def _is_told(look: Callable[[], object]) -> object:
    """What came of a look; a sentence to the user is as good as a result."""
    try:
        return look()
    except LangcrawlError as error:
        return type(error).__name__, str(error).split("(")[0][-20:]


def _resumed(directory: Path) -> object:
    status = _is_told(lambda: read_status(directory).queue.bit_length())
    config = CrawlConfig.load(directory)
    return status, _is_told(partial(_crawl_on, directory, config, _MORE_PAGES))


class _Edit(NamedTuple):
    """A value that is to stand in a table."""

    table: str
    column: str
    row: int
    value: Any


def _edits(data: bytes) -> Iterator[_Edit]:
    """Lines of table, column, row and value: a value is JSON, or else a text."""
    for line in data.decode("utf-8", "replace").splitlines()[:_MOST_EDITS]:
        words = line.split(" ", 3)
        if len(words) < 4 or not words[2].isdecimal():
            continue
        try:
            value = json.loads(words[3])
        except (ValueError, RecursionError):
            value = words[3]
        yield _Edit(words[0], words[1], int(words[2][:6]), value)


def _check_log(data: bytes) -> object:
    """A log with odd values in it: of the right type or of another."""
    with workplace() as folder:
        directory = folder / "crawl"
        shutil.copytree(_logged(), directory, ignore=shutil.ignore_patterns("graph"))
        tables: dict[str, dict[str, list[Any]]] = {}
        (segment,) = segments(directory)
        for edit in _edits(data):
            if edit.table not in TABLES:
                continue
            path = directory / "log" / edit.table / segment
            if edit.table not in tables:
                tables[edit.table] = pq.read_table(path, partitioning=None).to_pydict()
            _apply(edit, tables[edit.table])
        for name, columns in tables.items():
            made = {column: _column(name, column, values) for column, values in columns.items()}
            write_file(directory / "log" / name / segment, pa.table(made))
        return _is_told(partial(_look_at, directory))


def _apply(edit: _Edit, columns: dict[str, list[Any]]) -> None:
    rows = max(map(len, columns.values()), default=0)
    if edit.value == _DROP:
        columns.pop(edit.column, None)
    elif edit.value == _CUT:
        for values in columns.values():
            del values[edit.row :]
    elif edit.value == _TWICE and edit.row < rows:
        for values in columns.values():
            values.append(values[edit.row])
    elif edit.column in columns and edit.row < rows:
        columns[edit.column][edit.row] = edit.value


def _column(table: str, name: str, values: list[Any]) -> pa.Array:
    """The values as the log has them if that can be, else as they are, else as text."""
    for kind in (TABLES[table].field(name).type, None):
        try:
            return pa.array(values, kind)
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            continue
    return pa.array([json.dumps(value) for value in values])


def _log_seeds() -> list[bytes]:
    _logged()
    return [
        b'pages id 3 -1\npages status 2 200.5\nurls url 1 ""\nlinks dst 0 99\n',
        b"urls host 1 null\nurls id 4 7\npages redirect 9 9\npages relevant 0 null\n",
        b'pages score 1 NaN\npages score 2 1e308\npages language 0 ""\npages bytes 3 -5\n',
        b"links src 5 -9223372036854775808\nlinks anchor 3 null\nlinks position 2 null\n",
        b"pages id 5 CUT\nlinks src 0 DROP\npages id 1 TWICE\nurls id 19 TWICE\n",
        b'pages elapsed 0 -1\npages script 1 [1]\npages charset_header 2 {"a":1}\n',
        b"urls url 0 http://\nurls url 2 x\nurls host 5 :80\nurls host 6 []\n",
    ]


def _check_parquet(data: bytes) -> object:
    """A table's name, and its file as bytes."""
    name, _, content = data.partition(b"\n")
    table = name.decode("latin-1") if name.decode("latin-1") in TABLES else "pages"
    with workplace() as folder:
        directory = folder / "crawl"
        shutil.copytree(_logged(), directory, ignore=shutil.ignore_patterns("graph"))
        (segment,) = segments(directory)
        (directory / "log" / table / segment).write_bytes(content)
        return _is_told(partial(_look_at, directory))


def _parquet_seeds() -> list[bytes]:
    """Each table as it is written, and once plain, so that changes go deeper."""
    (segment,) = segments(_logged())
    seeds = []
    for name in TABLES:
        path = _logged() / "log" / name / segment
        seeds.append(name.encode() + b"\n" + path.read_bytes())
        plain = io.BytesIO()
        table = pq.read_table(path, partitioning=None)
        pq.write_table(table, plain, compression="none", use_dictionary=False)
        seeds.append(name.encode() + b"\n" + plain.getvalue())
    return seeds


def _check_arrays(data: bytes) -> object:
    """The name of an array, and its file as bytes; the log itself is sound."""
    name, _, content = data.partition(b"\n")
    known = _array_files()
    file = name.decode("latin-1") if name.decode("latin-1") in known else known[0]
    with workplace() as folder:
        directory = folder / "crawl"
        shutil.copytree(_logged(), directory)
        (directory / "log" / "graph" / file).write_bytes(content)
        return file, _is_told(partial(_look_at, directory))


def _array_files() -> list[str]:
    return sorted(path.name for path in (_logged() / "log" / "graph").iterdir())


def _array_seeds() -> list[bytes]:
    folder = _logged() / "log" / "graph"
    return [name.encode() + b"\n" + (folder / name).read_bytes() for name in _array_files()]


def _check_database(data: bytes) -> object:
    """The bytes of a database, behind one that has them whole."""
    with workplace() as folder:
        directory = folder / "crawl"
        shutil.copytree(_crawled(), directory)
        (directory / DATABASE).write_bytes(data)
        return _resumed(directory)


def _check_rows(data: bytes) -> object:
    """A database that is sound for SQLite, with odd values in its rows."""
    with workplace() as folder:
        directory = folder / "crawl"
        shutil.copytree(_crawled(), directory)
        with closing(sqlite3.connect(directory / DATABASE, isolation_level=None)) as database:
            for edit in _edits(data):
                with suppress(sqlite3.Error):  # what SQLite does not take cannot stand there
                    _edit_row(database, edit)
        return _resumed(directory)


def _edit_row(database: sqlite3.Connection, edit: _Edit) -> None:
    """Set a value if the table takes it."""
    columns = [
        row[1] for row in database.execute("SELECT * FROM pragma_table_info(?)", [edit.table])
    ]
    if edit.column not in columns:
        return
    value = edit.value if isinstance(edit.value, int | float | str | None) else repr(edit.value)
    rows = database.execute(f'SELECT * FROM "{edit.table}" LIMIT 1 OFFSET {edit.row}').fetchall()
    if not rows:
        return
    same = " AND ".join(f'"{column}" IS ?' for column in columns)
    try:
        if value in (_DROP, _CUT):
            database.execute(f'DELETE FROM "{edit.table}" WHERE {same}', rows[0])
        else:
            change = f'UPDATE "{edit.table}" SET "{edit.column}" = ? WHERE {same}'
            database.execute(change, (value, *rows[0]))
    except (sqlite3.Error, OverflowError, UnicodeEncodeError):
        return


def _database_seeds() -> list[bytes]:
    return [(_crawled() / DATABASE).read_bytes()]


def _row_seeds() -> list[bytes]:
    """Every column of every table once, and some that hurt."""
    with closing(sqlite3.connect(_crawled() / DATABASE)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM pragma_table_list")]
        columns = [
            (name, column)
            for name in names
            if not name.startswith("sqlite_")
            for (column,) in database.execute("SELECT name FROM pragma_table_info(?)", [name])
        ]
    made = [f"{name} {column} 0 {value}" for name, column in columns for value in (None, -1, "x")]
    parts = [made[start : start + 3] for start in range(0, len(made), 3)]
    hurt = b'meta value 0 x\nmeta value 1 {}\nmeta value 2 -1 -1\nmeta value 3 ""\nurls url 0 x\n'
    return [hurt, *("\n".join(part).replace("None", "null").encode() for part in parts)]


def _check_config(data: bytes) -> object:
    with workplace() as folder:
        (folder / FILE).write_bytes(data)
        return _is_told(lambda: CrawlConfig.load(folder).strategy[:10])


def _config_seeds() -> list[bytes]:
    everything = CrawlConfig(lang="th", seeds=(_SEED,), max_pages=5, contact="a@b.example")
    with workplace() as folder:
        everything.save(folder)
        return [(folder / FILE).read_bytes(), b'lang = "th"\nversion = "99.0"\n']


_VALUES = tuple(
    value.encode()
    for value in (
        "null", "-1", "0", "1e308", "NaN", "Infinity", "9223372036854775807", "true", '""', "[]",
        "2147483648", _DROP, _CUT, _TWICE, '"http://"', '"a b"', "65536", "-9223372036854775808",
    )
)  # fmt: skip


def _places(tables: Sequence[tuple[str, str]]) -> tuple[bytes, ...]:
    return tuple(f"\n{table} {column} 1 ".encode() for table, column in tables)


_IN_LOG = _places([(name, column) for name, schema in TABLES.items() for column in schema.names])
_ARRAYS = tuple(f"{field.name}.npy\n".encode() for field in fields(Arrays))


CRAWLS = (
    Target("log", "odd values in a log: a sentence, or a result",
           _log_seeds, _check_log, _VALUES + _IN_LOG, most=5_000, seconds=10),
    Target("parquet", "damaged files of a log: a sentence, or a result",
           _parquet_seeds, _check_parquet, most=50_000, seconds=10),
    Target("arrays", "damaged arrays beside a log: a sentence, or a result",
           _array_seeds, _check_arrays, _ARRAYS, most=20_000, seconds=10),
    Target("database", "a damaged frontier.db: a sentence, or the crawl goes on",
           _database_seeds, _check_database, most=400_000, seconds=10),
    Target("rows", "odd values in frontier.db: a sentence, or the crawl goes on",
           _row_seeds, _check_rows, _VALUES, most=5_000, seconds=10),
    Target("config", "any crawl.toml: a sentence, or a configuration",
           _config_seeds, _check_config, (*_VALUES, b"lang = ", b"[x]\n", b"seeds = [", b'"'),
           most=20_000),
)  # fmt: skip
