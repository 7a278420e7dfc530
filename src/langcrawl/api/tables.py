"""A crawl log as tables for people: pages, links and hosts with URLs in place of numbers.

Works on the directory of a crawl, also while it runs, of an import and of a generated web. Each
call reads the log as it stands at that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
import pyarrow as pa

from langcrawl.config import CrawlConfig
from langcrawl.errors import BadValue, UnknownName
from langcrawl.log.build import code_hosts
from langcrawl.log.schema import LINKS, PAGES, TABLES
from langcrawl.store.migrate import open_directory
from langcrawl.store.tables import LogTables, open_tables
from langcrawl.url import domain_of

if TYPE_CHECKING:
    import pandas as pd

Arrow = Literal["arrow"]
Pandas = Literal["pandas"]


class _Column(NamedTuple):
    """A column that users see: one of the log's, as it is or as the URL or host that it names."""

    raw: str
    shown: str = ""


_PAGES = {
    "url": _Column("id", "url"),
    "host": _Column("id", "host"),
    **{
        name: _Column(name, "url" if name in ("redirect", "parent") else "")
        for name in PAGES.names
        if name != "id"
    },
}
_LINKS = {
    "src": _Column("src", "url"),
    "dst": _Column("dst", "url"),
    "src_host": _Column("src", "host"),
    "dst_host": _Column("dst", "host"),
    **{name: _Column(name) for name in LINKS.names if name not in ("src", "dst")},
}
_ON_REQUEST = {
    "pages": {
        "id": _Column("id"),
        "redirect_id": _Column("redirect"),
        "parent_id": _Column("parent"),
    },
    "links": {"src_id": _Column("src"), "dst_id": _Column("dst")},
}
"""Numbers, for who wants to join tables by them."""
_SHOWN = {"pages": _PAGES, "links": _LINKS}


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page, with what the log says of it."""

    url: str
    language: str
    relevant: bool
    title: str
    text: str


class CrawlLog:
    """The log of a crawl, an import or a generated web; `langcrawl.open_log` opens one."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.config = CrawlConfig.load(directory)
        """What was asked of the crawl: `config.lang`, `config.seeds`, ..."""
        open_directory(directory)

    def __repr__(self) -> str:
        return f"CrawlLog({str(self.directory)!r}, lang={self.config.lang!r})"

    @overload
    def pages(self, columns: Sequence[str] | None = None, *, as_: Arrow = "arrow") -> pa.Table: ...

    @overload
    def pages(self, columns: Sequence[str] | None = None, *, as_: Pandas) -> pd.DataFrame: ...

    def pages(self, columns: Sequence[str] | None = None, *, as_: str = "arrow") -> Any:
        """All pages, one row a download: url, host, status, language, relevant, ...

        docs/crawl-log.md explains the columns. `redirect` and `parent` are URLs. `id`,
        `redirect_id` and `parent_id` are there if you name them.
        """
        return as_kind(as_, lambda: self._whole("pages", columns))

    @overload
    def links(self, columns: Sequence[str] | None = None, *, as_: Arrow = "arrow") -> pa.Table: ...

    @overload
    def links(self, columns: Sequence[str] | None = None, *, as_: Pandas) -> pd.DataFrame: ...

    def links(self, columns: Sequence[str] | None = None, *, as_: str = "arrow") -> Any:
        """All links, in document order for each page: src, dst, src_host, dst_host, anchor, ...

        `src` and `dst` are URLs. `src_id` and `dst_id` are there if you name them.
        """
        return as_kind(as_, lambda: self._whole("links", columns))

    @overload
    def hosts(self, *, as_: Arrow = "arrow") -> pa.Table: ...

    @overload
    def hosts(self, *, as_: Pandas) -> pd.DataFrame: ...

    def hosts(self, *, as_: str = "arrow") -> Any:
        """All hosts, those with most relevant pages first.

        The columns: host, domain (the registered one), urls (known), pages (downloads), ok (of
        them with status 200), relevant, bytes.
        """
        return as_kind(as_, self._hosts)

    def page_batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The pages a part at a time, for logs that do not fit into memory."""
        return self._batches("pages", columns)

    def link_batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The links a part at a time."""
        return self._batches("links", columns)

    def texts(
        self, *, relevant: bool = True, folders: Sequence[str | Path] = ()
    ) -> Iterator[PageText]:
        """The texts of pages, relevant ones only unless told otherwise.

        They are read from the archive, in its order; those of a generated web are written anew.
        Archives that have moved since are looked for in `folders` too. While a crawl runs, its
        last archive files are not complete, and their texts cannot be read yet.
        """
        from langcrawl.archive.texts import texts

        wanted: dict[int, tuple[str, str, bool]] = {}
        columns = ["id", "url", "language", "relevant"]
        for batch in self.page_batches(columns):
            for page, url, language, is_relevant in zip(
                *(batch[name].to_pylist() for name in columns), strict=True
            ):
                if is_relevant or not relevant:
                    wanted[page] = (url, language, bool(is_relevant))
        found = texts(self.directory, [Path(folder) for folder in folders])
        try:
            ids = [page for page in found.ids.tolist() if page in wanted]
            for page, content in found.some(ids):
                yield PageText(*wanted[page], content.title, content.text)
        finally:
            found.close()

    def _whole(self, name: str, columns: Sequence[str] | None) -> pa.Table:
        empty = _shown(name, TABLES[name].empty_table(), _chosen(name, columns), _Names())
        return pa.concat_tables([empty, *self._batches(name, columns)])

    def _batches(self, name: str, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        chosen = _chosen(name, columns)  # a name that is wrong is said at once
        return self._read(name, chosen)

    def _read(self, name: str, chosen: dict[str, _Column]) -> Iterator[pa.Table]:
        raw = list(dict.fromkeys(column.raw for column in chosen.values()))
        with open_tables(self.directory) as reader:
            names = _Names.of(reader, {column.shown for column in chosen.values()} - {""})
            for batch in getattr(reader, name)(raw):
                yield _shown(name, batch, chosen, names)

    def _hosts(self) -> pa.Table:
        with open_tables(self.directory) as reader:
            codes, names = code_hosts(_column(reader, "host"))
            counts = np.zeros((4, len(names)), np.int64)
            for batch in reader.pages(["id", "status", "relevant", "bytes"]):
                host = codes[batch["id"].to_numpy()]
                ok = batch["status"].to_numpy() == 200
                relevant = batch["relevant"].fill_null(False).to_numpy()
                sizes = batch["bytes"].fill_null(0).to_numpy()
                for row, weights in enumerate((np.ones(len(host)), ok, relevant, sizes)):
                    counts[row] += np.bincount(host, weights, len(names)).astype(np.int64)
        table = pa.table(
            {
                "host": names,
                "domain": pa.array([domain_of(host) for host in names.to_pylist()], pa.string()),
                "urls": np.bincount(codes, minlength=len(names)),
                "pages": counts[0],
                "ok": counts[1],
                "relevant": counts[2],
                "bytes": counts[3],
            }
        )
        return table.sort_by(
            [("relevant", "descending"), ("pages", "descending"), ("host", "ascending")]
        )


class _Names:
    """The URL and host of every id, as far as they are asked for."""

    def __init__(self, **columns: pa.Array) -> None:
        self._columns = columns

    @classmethod
    def of(cls, reader: LogTables, wanted: set[str]) -> _Names:
        return cls(**{name: _column(reader, name).combine_chunks() for name in wanted})

    def take(self, name: str, ids: pa.ChunkedArray) -> pa.ChunkedArray:
        """Names of ids; null stays null."""
        if not len(ids):
            return pa.chunked_array([], pa.large_string())
        return pa.chunked_array([self._columns[name].take(ids.combine_chunks())])


def _column(reader: LogTables, name: str) -> pa.ChunkedArray:
    """A column of all URLs, in the order of their ids; large, because all may be many bytes."""
    parts = [batch[name].cast(pa.large_string()) for batch in reader.urls([name])]
    return pa.chunked_array([c for part in parts for c in part.chunks], pa.large_string())


def _chosen(name: str, columns: Sequence[str] | None) -> dict[str, _Column]:
    """The columns that are asked for."""
    if columns is None:
        return _SHOWN[name]
    if isinstance(columns, str):
        raise BadValue(f"columns must be a list of names: ['{columns}'].")
    known = _SHOWN[name] | _ON_REQUEST[name]
    for column in columns:
        if column not in known:
            raise UnknownName(f"column of {name}", column, known)
    return {column: known[column] for column in columns}


def _shown(name: str, batch: pa.Table, chosen: dict[str, _Column], names: _Names) -> pa.Table:
    """A part of a table as users see it: of the same types whatever part it is."""
    made = {
        column: names.take(shown, batch[raw])
        if shown
        else batch[raw].cast(TABLES[name].field(raw).type)
        for column, (raw, shown) in chosen.items()
    }
    return pa.table(made)


def as_kind(kind: str, make: Callable[[], pa.Table]) -> Any:
    """A table in the kind that is asked for; pandas is not among our dependencies."""
    if kind == "arrow":
        return make()
    if kind != "pandas":
        raise BadValue(f"as_ must be 'arrow' or 'pandas', not '{kind}'.")
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise BadValue(
            "as_='pandas' needs pandas, which is not installed; run 'pip install pandas', or use "
            "the Arrow table, which other libraries read as well."
        ) from None
    return make().to_pandas()
