"""A log as a simulation sees it: arrays over URL ids, links as compressed sparse rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.config import CrawlConfig
from langcrawl.errors import BrokenLog
from langcrawl.languages import Tag, parse_tag
from langcrawl.records import UNKNOWN, Verdict
from langcrawl.virtualweb.log import read_table

NEVER_FETCHED = -1
_Key = tuple[str, str | None, float | None, bool]


@dataclass(frozen=True)
class Graph:
    """Pages and links of a log; the index into every array is the URL's id."""

    config: CrawlConfig
    url_column: pa.ChunkedArray
    status: npt.NDArray[np.int16]
    """The HTTP status; NEVER_FETCHED for a URL that is known from links only."""
    redirect: npt.NDArray[np.int64]
    """The id that the page redirects to, or -1."""
    verdict_index: npt.NDArray[np.int32]
    """Which of `verdicts` is the page's."""
    verdicts: tuple[Verdict, ...]
    bytes: npt.NDArray[np.int64]
    elapsed: npt.NDArray[np.float32]
    offsets: npt.NDArray[np.int64]
    """The links of page i are ``dst[offsets[i]:offsets[i + 1]]``, in document order."""
    dst: npt.NDArray[np.int64]

    @cached_property
    def urls(self) -> list[str]:
        urls: list[str] = self.url_column.to_pylist()
        return urls

    @property
    def pages(self) -> int:
        """How many URLs were fetched."""
        return int(np.count_nonzero(self.status != NEVER_FETCHED))

    @property
    def relevant_total(self) -> int:
        """How many pages are relevant."""
        flags = np.array([verdict.relevant for verdict in self.verdicts])
        return int(flags[self.verdict_index].sum()) if len(flags) else 0


def load_graph(directory: Path, lang: str = "") -> Graph:
    """Read a log; with `lang`, a page is relevant where it is in that language."""
    config = CrawlConfig.load(directory)
    columns = {"urls": ["id", "url"], "links": ["src", "dst"], "pages": None}
    tables = {name: read_table(directory, name, wanted) for name, wanted in columns.items()}
    try:
        return build_graph(config, tables, lang)
    except BrokenLog as error:
        raise BrokenLog(f"the log in '{directory}' contradicts itself: {error}.") from None


def build_graph(config: CrawlConfig, tables: dict[str, pa.Table], lang: str = "") -> Graph:
    """Make a graph of the three tables of a log."""
    urls, pages, links = tables["urls"], tables["pages"], tables["links"]
    count = urls.num_rows
    if not np.array_equal(urls["id"].to_numpy(), np.arange(count)):
        raise BrokenLog("the ids in urls are not 0, 1, 2, ... in order")
    ids = _ids(pages["id"], count, "pages")
    if len(np.unique(ids)) != len(ids):
        raise BrokenLog("a page stands twice in pages")
    index, verdicts = _verdicts(pages, parse_tag(lang) if lang else None)
    src, dst = _ids(links["src"], count, "links"), _ids(links["dst"], count, "links")
    return Graph(
        config=config,
        url_column=urls["url"],
        status=_spread(ids, pages["status"], count, NEVER_FETCHED, np.int16),
        redirect=_spread(ids, pc.fill_null(pages["redirect"], -1), count, -1, np.int64),
        verdict_index=_spread(ids, index, count, 0, np.int32),
        verdicts=verdicts,
        bytes=_spread(ids, pc.fill_null(pages["bytes"], 0), count, 0, np.int64),
        elapsed=_spread(ids, pc.fill_null(pages["elapsed"], 0.0), count, 0, np.float32),
        offsets=np.concatenate([[0], np.cumsum(np.bincount(src, minlength=count))]),
        dst=dst[np.argsort(src, kind="stable")],
    )


def _ids(column: pa.ChunkedArray, count: int, name: str) -> npt.NDArray[np.int64]:
    ids: npt.NDArray[np.int64] = column.to_numpy()
    if len(ids) and (ids.min() < 0 or ids.max() >= count):
        raise BrokenLog(f"{name} names a URL id that is not in urls")
    return ids


def _spread(
    ids: npt.NDArray[np.int64], values: pa.ChunkedArray, count: int, empty: int, kind: type
) -> npt.NDArray[Any]:
    """Values of pages, laid out over all URLs."""
    result: npt.NDArray[Any] = np.full(count, empty, dtype=kind)
    result[ids] = np.asarray(values)
    return result


def _verdicts(
    pages: pa.Table, target: Tag | None
) -> tuple[npt.NDArray[np.int32], tuple[Verdict, ...]]:
    """The distinct verdicts of a log, the first that on no page, and each page's place in them."""
    places: dict[_Key, int] = {}
    distinct = [Verdict()]
    index = np.zeros(pages.num_rows, dtype=np.int32)
    ok = (pages["status"].to_numpy() == 200) & pages["redirect"].is_null().to_numpy()
    names = ("language", "script", "score", "relevant")
    rows = zip(*(pages[name].to_pylist() for name in names), strict=True)
    for number, key in enumerate(rows):
        if not ok[number]:
            continue
        place = places.get(key)
        if place is None:
            place = places[key] = len(distinct)
            distinct.append(_verdict(key, target))
        index[number] = place
    return index, tuple(distinct)


def _verdict(key: _Key, target: Tag | None) -> Verdict:
    """A recorded verdict, as it is for the target of this simulation."""
    language, script, score, relevant = key
    if target is not None:
        judged = target.matches(language, script or "")
        score = score if judged == relevant else None
        relevant = judged
    if score is None:
        score = float(relevant)
    return Verdict(language or UNKNOWN, script or "", "", score, relevant)
