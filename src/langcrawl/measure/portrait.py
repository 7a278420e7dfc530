"""A crawl in figures: what was asked, what was collected, where, how fast, and what was lost.

Everything is counted from the log and the database, which are read and not changed; the crawl may
be running. Hosts and pages come from strangers: whoever shows them escapes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.config import CrawlConfig
from langcrawl.measure.crawled import estimate_crawl
from langcrawl.measure.estimate import Estimate
from langcrawl.measure.recapture import Recapture
from langcrawl.records import UNKNOWN
from langcrawl.store.database import undamaged
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.status import Status
from langcrawl.store.view import View, open_view
from langcrawl.url import tld_of

_COLUMNS = [
    "id", "status", "bytes", "text_bytes", "fetched_at", "elapsed", "language", "script",
    "encoding", "relevant", "digest",
]  # fmt: skip
_RECORDS = ("config", "status", "curve", "estimate", "recapture")
POINTS = 80
"""Of a curve."""
_SUSPICIOUS_SHARE, _SUSPICIOUS_TIMES, _SUSPICIOUS_PAGES = 0.02, 5.0, 10
Numbers = npt.NDArray[np.int64]


class Moment(NamedTuple):
    """How far a crawl was at a moment."""

    at: float
    """Seconds since 1970."""
    hours: float
    """Since the first answer, without the time in which the crawl did not run."""
    pages: int
    relevant: int
    harvest: float
    """Relevant pages / pages since the moment before."""
    known: int
    """URLs found so far."""
    pages_per_second: float
    """Since the moment before."""


class HostFigures(NamedTuple):
    """What a host gave."""

    host: str
    pages: int
    relevant: int
    text_bytes: int
    """Of its relevant pages."""
    different: int
    """Different bodies among its pages with status 200."""

    @property
    def wasted(self) -> int:
        """Downloads that were not relevant."""
        return self.pages - self.relevant


@dataclass(frozen=True, slots=True)
class Portrait:
    """A crawl in figures."""

    directory: str
    config: CrawlConfig
    status: Status
    first: float | None
    """When the first answer came, in seconds since 1970."""
    last: float | None
    curve: tuple[Moment, ...]
    languages: Mapping[str, int]
    """Pages of text by language."""
    scripts: Mapping[str, int]
    """Relevant pages by script."""
    encodings: Mapping[str, int]
    """Relevant pages by encoding; legacy ones have names of their own."""
    tlds: Mapping[str, int]
    """Relevant pages by top-level domain."""
    statuses: Mapping[str, int]
    sizes: Mapping[int, int]
    """Pages by size: from 2 to the power of the key up to the double."""
    seconds: Mapping[str, float]
    """How long answers took: median, 90 and 99 of 100."""
    text_bytes: int
    """Of relevant pages."""
    relevant_hosts: int
    best_hosts: tuple[HostFigures, ...] = ()
    """Those with most relevant pages."""
    wasteful_hosts: tuple[HostFigures, ...] = ()
    estimate: Estimate | None = None
    """How complete it seems to be, where a sample was drawn."""
    recapture: Recapture | None = None
    """Its sites against those of another source."""
    suspicious_hosts: tuple[HostFigures, ...] = ()
    """Those with far more text than others: they may be generated."""

    def as_json(self) -> dict[str, Any]:
        """The document of ``langcrawl report``."""
        made = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in _RECORDS and name[-5:] != "hosts"
        }
        speed = self.status.lately or self.status.pages_per_second
        return made | {
            "relevant_hosts": self.relevant_hosts,
            "config": self.config.model_dump(mode="json"),
            "status": self.status.as_json(),
            "estimate": self.estimate.as_json(speed) if self.estimate else None,
            "recapture": self.recapture.as_json() if self.recapture else None,
            "curve": [moment._asdict() for moment in self.curve],
            "best_hosts": [host._asdict() for host in self.best_hosts],
            "wasteful_hosts": [host._asdict() for host in self.wasteful_hosts],
            "suspicious_hosts": [host._asdict() for host in self.suspicious_hosts],
        }


def portrait_of(directory: Path, top: int = 10) -> Portrait:
    """Count the crawl in a directory; `top` hosts of each kind are named."""
    config = CrawlConfig.load(directory)
    with undamaged(CrawlDirectory(directory).database), open_view(directory) as view:
        tally = _Tally()
        for table in view.pages(_COLUMNS):
            tally.add(table)
        known = _known_by_page(view)
        hosts = _host_column(view)
        status = view.status()
    found = tally.portrait(str(directory), config, status, known, hosts, top)
    return replace(found, estimate=estimate_crawl(directory)) if config.sample else found


def _known_by_page(view: View) -> dict[int, int]:
    """For each page with links, the largest number of a URL on it: how many were known then."""
    largest: dict[int, int] = {}
    for links in view.links(["src", "dst"]):
        if not len(links):
            continue
        src, dst = links["src"].to_numpy(), links["dst"].to_numpy()
        starts = np.concatenate(([0], np.flatnonzero(src[1:] != src[:-1]) + 1))
        tops = np.maximum.reduceat(dst, starts)
        largest.update(zip(src[starts].tolist(), tops.tolist(), strict=True))
    return largest


def _host_column(view: View) -> pa.ChunkedArray:
    """The host of each URL, by its number."""
    parts = [table["host"] for table in view.urls(["host"])]
    return pa.chunked_array([chunk for part in parts for chunk in part.chunks], pa.string())


@dataclass(slots=True)
class _Tally:
    """What is counted while the pages go by."""

    parts: list[pa.Table] = field(default_factory=list)

    def add(self, table: pa.Table) -> None:
        self.parts.append(
            pa.table(
                [
                    table[name].cast(pa.string())
                    if pa.types.is_dictionary(table.schema.field(name).type)
                    else table[name]
                    for name in _COLUMNS
                ],
                _COLUMNS,
            )
        )

    def portrait(
        self, directory: str, config: CrawlConfig, status: Status, known: dict[int, int],
        hosts: pa.ChunkedArray, top: int,
    ) -> Portrait:  # fmt: skip
        answered = pa.concat_tables(self.parts) if self.parts else None
        if answered is not None:
            answered = answered.filter(pc.greater(answered["status"], 0))
            answered = answered.sort_by("fetched_at")
        if answered is None or not len(answered):
            return Portrait(
                directory, config, status, None, None, (), {}, {}, {}, {}, {}, {}, {}, 0, 0
            )
        relevant = pc.fill_null(answered["relevant"], False)
        wanted = answered.filter(relevant)
        texts = answered.filter(pc.greater(pc.fill_null(answered["text_bytes"], 0), 0))
        figures = _host_figures(answered, hosts)
        moments = answered["fetched_at"].to_numpy()
        return Portrait(
            directory, config, status, float(moments[0]), float(moments[-1]),
            _curve(answered, known, status.seconds),
            _counts(texts["language"], UNKNOWN),
            _counts(wanted["script"], "unknown"),
            _counts(wanted["encoding"], "unicode"),
            _tlds(figures),
            {str(word): count for word, count in _counts(answered["status"], "").items()},
            _sizes(answered["bytes"]),
            _seconds(answered["elapsed"]),
            int(pc.sum(wanted["text_bytes"]).as_py() or 0),
            sum(1 for host in figures if host.relevant),
            tuple(sorted((h for h in figures if h.relevant), key=lambda h: -h.relevant)[:top]),
            tuple(sorted((h for h in figures if h.wasted), key=lambda h: -h.wasted)[:top]),
            suspicious_hosts=tuple(_suspicious(figures)[:top]),
        )  # fmt: skip


def _counts(column: pa.ChunkedArray, empty: str) -> dict[str, int]:
    """How often each word stands in a column, the most frequent first."""
    found: Counter[str] = Counter()
    for row in column.value_counts().to_pylist():
        found[row["values"] if row["values"] not in (None, "") else empty] += row["counts"]
    return dict(found.most_common())


def _curve(pages: pa.Table, known: dict[int, int], running: float) -> tuple[Moment, ...]:
    """The crawl at evenly spread moments of its order, the last page among them.

    Moments that nobody could tell apart on an axis are one: several pages may come at once, and
    speed is a matter of more than an instant.
    """
    when = np.maximum.accumulate(pages["fetched_at"].to_numpy())
    at = _running_time(when, running)
    hits = np.cumsum(pc.fill_null(pages["relevant"], False).to_numpy().astype(np.int64))
    urls = np.maximum.accumulate(
        np.array([known.get(number, -1) for number in pages["id"].to_pylist()], np.int64) + 1
    )
    count = len(at)
    places = np.unique(np.linspace(0, count - 1, min(POINTS, count)).round().astype(np.int64))
    moments, before = [], -1
    for place in _apart(at, places.tolist()):
        new = place - before
        found = int(hits[place]) - (int(hits[before]) if before >= 0 else 0)
        spent = float(at[place] - at[before]) if before >= 0 else 0.0
        moments.append(
            Moment(
                float(when[place]), float(at[place]) / 3600, place + 1, int(hits[place]),
                found / new, max(int(urls[place]), place + 1), new / spent if spent > 0 else 0.0,
            )
        )  # fmt: skip
        before = place
    return tuple(moments)


def _running_time(when: npt.NDArray[np.float64], running: float) -> npt.NDArray[np.float64]:
    """Seconds since the first answer, without the longest gaps: those in which nothing ran.

    A crawl may be resumed after weeks. How long it ran is known, and the rest is taken away.
    """
    gaps = np.diff(when, prepend=when[0])
    rest = float(when[-1] - when[0]) - running
    for place in np.argsort(-gaps).tolist():
        if rest < gaps[place] / 2:
            break
        rest -= float(gaps[place])
        gaps[place] = 0.0
    return np.cumsum(gaps)


def _apart(at: npt.NDArray[np.float64], places: list[int]) -> list[int]:
    """The places that lie apart in time, and the last one."""
    kept, apart = places[:1], float(at[-1] - at[0]) / (2 * POINTS)
    for place in places[1:]:
        if at[place] - at[kept[-1]] >= apart:
            kept.append(place)
    if len(kept) > 1:
        kept.pop()  # it may lie close to the last one
    return [*kept, places[-1]] if len(places) > 1 else kept


def _host_figures(pages: pa.Table, hosts: pa.ChunkedArray) -> list[HostFigures]:
    relevant = pc.fill_null(pages["relevant"], False)
    texts = pc.if_else(relevant, pc.fill_null(pages["text_bytes"], 0), 0)
    table = pa.table(
        {
            "host": hosts.take(pages["id"]),
            "relevant": relevant.cast(pa.int64()),
            "text": texts,
            "digest": pc.if_else(pc.equal(pages["status"], 200), pages["digest"], None),
        }
    )
    rows = table.group_by("host").aggregate(
        [("relevant", "count"), ("relevant", "sum"), ("text", "sum"), ("digest", "count_distinct")]
    )
    names = ("host", "relevant_count", "relevant_sum", "text_sum", "digest_count_distinct")
    columns = [rows[name].to_pylist() for name in names]
    return [HostFigures(*row) for row in zip(*columns, strict=True)]


def _suspicious(figures: list[HostFigures]) -> list[HostFigures]:
    """Hosts with a large part of all text, many times that of the middle host."""
    giving = [host for host in figures if host.text_bytes]
    if len(giving) < 3:
        return []
    whole = sum(host.text_bytes for host in giving)
    middle = float(np.median([host.text_bytes for host in giving]))
    found = [
        host
        for host in giving
        if host.relevant >= _SUSPICIOUS_PAGES
        and host.text_bytes >= _SUSPICIOUS_SHARE * whole
        and host.text_bytes >= _SUSPICIOUS_TIMES * middle
    ]
    return sorted(found, key=lambda host: -host.text_bytes)


def _tlds(figures: list[HostFigures]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for host in figures:
        if host.relevant:
            found[tld_of(host.host)] += host.relevant
    return dict(found.most_common())


def _sizes(column: pa.ChunkedArray) -> dict[int, int]:
    sizes = pc.fill_null(column, 0).to_numpy()
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return {}
    powers = np.frexp(sizes)[1] - 1  # the logarithm of 2 ** 49 - 1 would be rounded to 49
    counts = np.bincount(powers)
    first = int(powers.min())
    return {power: int(counts[power]) for power in range(first, len(counts))}


def _seconds(column: pa.ChunkedArray) -> dict[str, float]:
    spent = column.drop_null().to_numpy()
    if not len(spent):
        return {}
    return {
        name: float(np.quantile(spent, share))
        for name, share in (("median", 0.5), ("90 of 100", 0.9), ("99 of 100", 0.99))
    }
