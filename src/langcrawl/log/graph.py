"""A log as a simulation sees it: arrays over nodes, kept beside the log and memory-mapped.

A node is a URL. The fetched ones, the pages, come first (0 to pages - 1), in the order of
their ids in the log; URLs that are known from links only come behind them. Links are
compressed sparse rows over the pages: in document order, each target once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from hashlib import sha1
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from langcrawl.config import CrawlConfig
from langcrawl.languages import parse_tag, parse_targets
from langcrawl.log.anchors import anchor_scores
from langcrawl.log.build import (
    ARRAY_TYPES,
    Arrays,
    Built,
    build_arrays,
    code_hosts,
    hash_strings,
    slashes_in_paths,
)
from langcrawl.log.segments import OUTDATED, read_batches, read_table, read_urls, segments
from langcrawl.records import UNKNOWN
from langcrawl.store.sealed import Seal, checksum_of, problem_of, seal_of

_FOLDER = "graph"
_META = "meta.json"
_HOSTS = "hosts.parquet"
_FORMAT = 4
_SIZES = {
    "url_id": "nodes", "url_hash": "nodes", "hash_node": "nodes", "host": "nodes",
    "offsets": "offsets", "dst": "links",
}  # fmt: skip
"""How long an array is; others have an entry for each page."""
_NODES = ("url_id", "hash_node", "dst")
"""Arrays of which every entry is a node, or the id of one."""


@dataclass(frozen=True)
class Graph:
    """Pages and links of a log, with what is relevant in them."""

    config: CrawlConfig
    arrays: Arrays
    tongues: tuple[tuple[str, str], ...]
    """(language, script) of the pages, by the code in `arrays.tongue`."""
    relevant: npt.NDArray[np.uint8]
    """1 for a page in the target."""
    score: npt.NDArray[np.float64]
    """How much a page is in the target; 1 or 0 where the log does not say."""
    directory: Path | None = None
    url_column: pa.ChunkedArray | None = None
    host_names: pa.Array | None = None
    """By the code in `arrays.host`, where they are in memory already; see `hosts`."""
    lang: str = ""
    """The language that is asked for instead of the log's target; empty for that."""
    link_table: pa.Table | None = None
    """The links of the log, where they are in memory already; see `anchor_scores`."""
    page_table: pa.Table | None = None
    """The pages of the log, where they are in memory already."""
    part_of: tuple[Graph, npt.NDArray[np.bool_]] | None = None
    """Where only some links of another graph are left: that graph, and which of its links."""

    @property
    def pages(self) -> int:
        """How many URLs were fetched."""
        return len(self.arrays.status)

    @property
    def nodes(self) -> int:
        """How many URLs are known."""
        return len(self.arrays.url_id)

    @property
    def links(self) -> int:
        return len(self.arrays.dst)

    @cached_property
    def relevant_total(self) -> int:
        """How many pages are relevant."""
        return int(np.count_nonzero(self.relevant))

    @cached_property
    def bridge(self) -> npt.NDArray[np.uint8]:
        """1 for a page in the bridge language, or in one of several."""
        bridges = parse_targets(self.config.bridge).primaries
        flags = [parse_tag(language).primary in bridges for language, _ in self.tongues]
        return np.array([*flags, False], dtype=np.uint8)[self.arrays.tongue]

    def relevant_by_target(
        self, among: npt.NDArray[np.integer[Any]] | None = None
    ) -> dict[str, int]:
        """How many pages, of all or of some nodes, are relevant in each target."""
        targets = parse_targets(self.lang or self.config.lang)
        relevant, tongue = self.relevant, self.arrays.tongue
        if among is not None:
            relevant, tongue = relevant[among], tongue[among]
        counts = np.bincount(tongue[relevant != 0], minlength=len(self.tongues) + 1)
        tongues = (*self.tongues, (UNKNOWN, ""))
        return targets.tally(zip(tongues, counts.tolist(), strict=True))

    @cached_property
    def urls(self) -> list[str]:
        """The URL of every node."""
        urls: list[str] = self._urls_of_log.take(pa.array(self.arrays.url_id)).to_pylist()
        return urls

    @property
    def _urls_of_log(self) -> pa.ChunkedArray:
        """All URLs in the order of their ids."""
        if self.url_column is not None:
            return self.url_column
        assert self.directory is not None
        return read_table(self.directory, "urls", ["url"])["url"]

    @cached_property
    def hosts(self) -> pa.Array:
        """The name of every host, by its number in `arrays.host`."""
        if self.host_names is not None:
            return self.host_names
        assert self.directory is not None
        return code_hosts(read_table(self.directory, "urls", ["host"])["host"])[1]

    @cached_property
    def path_slashes(self) -> npt.NDArray[np.uint16]:
        """How many slashes the path of every node has, at least 1."""
        return slashes_in_paths(self._urls_of_log)[self.arrays.url_id]

    @cached_property
    def anchor_scores(self) -> npt.NDArray[np.float32]:
        """How much the anchor of every link in `arrays.dst` is in the target.

        They are made when a strategy first asks for them, and kept beside the arrays.
        """
        if self.part_of is not None:
            whole, kept_links = self.part_of
            return whole.anchor_scores[kept_links]
        lang = self.lang or self.config.lang
        if self.directory is None:
            return anchor_scores(self.arrays, lambda columns: iter([self.link_table]), lang)
        folder = self.directory / "log" / _FOLDER
        stamp = sha1(log_stamp(self.directory).encode(), usedforsecurity=False).hexdigest()[:12]
        for kept in folder.glob(f"anchors-{lang}-{stamp}-*.npy"):
            with suppress(OSError, ValueError):
                if kept.stem.rpartition("-")[2] == checksum_of(kept):
                    scores = _open(kept)
                    if scores.shape == (self.links,) and scores.dtype == np.float32:
                        return scores
        batches = partial(read_batches, self.directory, "links")
        scores = anchor_scores(self.arrays, batches, lang)
        with suppress(OSError):
            for old in folder.glob(f"anchors-{lang}-*.npy"):
                old.unlink()
            draft = folder / f"anchors-{lang}.tmp.npy"
            np.save(draft, scores)
            draft.replace(folder / f"anchors-{lang}-{stamp}-{checksum_of(draft)}.npy")
        return scores

    def without_hosts(self, gone: npt.NDArray[np.bool_]) -> Graph:
        """The graph as if no page of some hosts, by number, were in the log."""
        arrays = self.arrays
        lost = gone[arrays.host]
        lost[self.pages :] = False
        source = np.repeat(np.arange(self.pages), np.diff(arrays.offsets))
        kept = ~(lost[arrays.dst] | lost[source])
        counts = np.bincount(source[kept], minlength=self.pages)
        redirect = np.where((arrays.redirect >= 0) & lost[arrays.redirect], -1, arrays.redirect)
        fewer = replace(
            arrays, dst=arrays.dst[kept], redirect=redirect.astype(np.int32),
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        )  # fmt: skip
        relevant = np.where(lost[: self.pages], 0, self.relevant).astype(np.uint8)
        return replace(self, arrays=fewer, relevant=relevant, part_of=(self, kept))

    def find(self, urls: Sequence[str]) -> list[int]:
        """The nodes of these URLs; -1 for what the log has never heard of."""
        arrays = self.arrays
        wanted = hash_strings(pa.chunked_array([pa.array(urls, pa.string())]))
        if not self.nodes:
            return [-1] * len(urls)
        places = np.searchsorted(arrays.url_hash, wanted)
        inside = np.minimum(places, self.nodes - 1)
        found = arrays.url_hash[inside] == wanted
        return [int(node) for node in np.where(found, arrays.hash_node[inside], -1)]


def load_graph(directory: Path, lang: str = "") -> Graph:
    """Open a log; with `lang`, a page is relevant where it is in that language.

    The arrays are made once and kept in ``log/graph``; later calls map them into memory.
    """
    config = CrawlConfig.load(directory)
    folder, stamp = directory / "log" / _FOLDER, log_stamp(directory)
    try:
        arrays, tongues, hosts = _kept(folder, stamp)
    except Altered:
        arrays, tongues, hosts = _build(directory)
        with suppress(OSError):  # a log that cannot be written to is read anew each time
            save_arrays(folder, arrays, tongues, stamp, hosts)
    return with_target(config, arrays, tongues, lang, directory=directory, host_names=hosts)


def build_graph(config: CrawlConfig, tables: dict[str, pa.Table], lang: str = "") -> Graph:
    """Make a graph of the three tables of a log, in memory."""
    urls, pages, links = tables["urls"], tables["pages"], tables["links"]
    arrays, tongues, hosts = build_arrays(urls, pages, lambda: iter([links]))
    return with_target(
        config, arrays, tongues, lang, url_column=urls["url"], host_names=hosts, link_table=links,
        page_table=pages,
    )  # fmt: skip


def with_target(
    config: CrawlConfig,
    arrays: Arrays,
    tongues: tuple[tuple[str, str], ...],
    lang: str = "",
    **more: Any,
) -> Graph:
    """A graph in which the pages of the log's target, or of another language, are relevant."""
    relevant, score = arrays.relevant, arrays.score
    if lang:
        target = parse_targets(lang)
        flags = [target.matches(language, script) for language, script in tongues]
        other = np.array([*flags, False], dtype=np.uint8)[arrays.tongue]
        score = np.where(other == relevant, score, np.nan)
        relevant = other
    if not ((score >= 0.0) & (score <= 1.0)).all():  # unknown, or of a log that is not ours
        score = np.where(np.isnan(score), relevant, np.clip(score, 0.0, 1.0))
    return Graph(config, arrays, tongues, relevant, score, lang=lang, **more)


def save_arrays(
    folder: Path,
    arrays: Arrays,
    tongues: Sequence[tuple[str, str]],
    stamp: str,
    hosts: pa.Array | None = None,
) -> None:
    """Write the arrays of a graph; they count from the moment their meta.json is in place.

    Without the names of the hosts, they are read from the log when they are asked for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _META).unlink(missing_ok=True)
    (folder / _HOSTS).unlink(missing_ok=True)
    if hosts is not None:
        pq.write_table(pa.table({"host": hosts}), folder / _HOSTS, compression="zstd")
    for field in fields(Arrays):
        np.save(folder / f"{field.name}.npy", getattr(arrays, field.name))
    seals = {path.name: seal_of(path) for path in sorted(folder.iterdir()) if path.name in _names()}
    _write_meta(folder, {"stamp": stamp, "tongues": list(tongues), "files": seals})


def _write_meta(folder: Path, meta: dict[str, Any]) -> None:
    draft = folder / f"{_META}.tmp"
    draft.write_text(json.dumps(meta), encoding="utf-8")
    draft.replace(folder / _META)


def _names() -> set[str]:
    return {_HOSTS, *(f"{field.name}.npy" for field in fields(Arrays))}


class Altered(Exception):
    """The arrays beside a log are not those that were made of it; the message says what differs."""


def arrays_problem(directory: Path) -> str:
    """What is wrong with the arrays beside a log; empty where there are none."""
    folder, stamp = directory / "log" / _FOLDER, log_stamp(directory)
    if _read_meta(folder).get("stamp") != stamp:
        return ""
    try:
        _kept(folder, stamp, thorough=True)
    except Altered as altered:
        return str(altered)
    return ""


def _kept(folder: Path, stamp: str, thorough: bool = False) -> Built:
    """The arrays as they were saved, mapped and checked; Altered where they are others.

    Compiled code reads them without looking at bounds, so they are looked at here, each time. The
    checksums are worked out where a file has another time than it had, and then the new time is
    remembered.
    """
    meta = _read_meta(folder)
    if meta.get("stamp") != stamp:
        raise Altered("they were made of another log")
    try:
        seals = {str(name): Seal(*seal) for name, seal in meta["files"].items()}
        tongues = tuple((str(language), str(script)) for language, script in meta["tongues"])
        moved = False
        for name in _names() & ({*seals} | _names() - {_HOSTS}):
            path, seal = folder / name, seals[name]
            if problem := problem_of(path, seal, thorough):
                raise Altered(f"{name} {problem}")
            if (mtime := path.stat().st_mtime_ns) != seal.mtime:
                seals[name], moved = seal._replace(mtime=mtime), True
        arrays = Arrays(**{f.name: _open(folder / f"{f.name}.npy") for f in fields(Arrays)})
        _check_bounds(arrays, len(tongues))
        hosts = None
        if _HOSTS in seals:
            hosts = pq.read_table(folder / _HOSTS)["host"].combine_chunks()
            if len(arrays.host) and len(hosts) <= int(arrays.host.max()):
                raise Altered(f"{_HOSTS} names too few hosts")
    except (OSError, ValueError, TypeError, KeyError, AttributeError, pa.ArrowException) as error:
        raise Altered(f"they cannot be read ({error})") from None
    if moved:
        with suppress(OSError):
            _write_meta(folder, {**meta, "files": seals})
    return Built(arrays, tongues, hosts)


def _check_bounds(arrays: Arrays, tongues: int) -> None:
    """Raise Altered where an entry leads out of an array, or the arrays do not fit together."""
    sizes = {"nodes": len(arrays.url_id), "pages": len(arrays.status), "links": len(arrays.dst)}
    sizes["offsets"] = sizes["pages"] + 1
    for field in fields(Arrays):
        array, wanted = getattr(arrays, field.name), sizes[_SIZES.get(field.name, "pages")]
        if array.shape != (wanted,) or array.dtype != ARRAY_TYPES[field.name]:
            raise Altered(f"{field.name}.npy has another shape or type")
    nodes, offsets = sizes["nodes"], arrays.offsets
    if sizes["pages"] > nodes or offsets[0] or offsets[-1] != sizes["links"]:
        raise Altered("the arrays do not fit together")
    if (np.diff(offsets) < 0).any():
        raise Altered("offsets.npy goes back")
    ends = dict.fromkeys(_NODES, (0, nodes))
    ends |= {"redirect": (-1, nodes), "host": (0, nodes), "tongue": (0, tongues + 1)}
    ends |= {"relevant": (0, 2)}
    for name, (low, high) in ends.items():
        array = getattr(arrays, name)
        if len(array) and not (low <= array.min() and array.max() < high):
            raise Altered(f"{name}.npy leads out of the arrays")
    if not (arrays.elapsed >= 0).all() or not np.isfinite(arrays.elapsed).all():
        raise Altered("elapsed.npy has times that cannot be")


def _build(directory: Path) -> Built:
    return build_arrays(
        read_urls(directory, ["url", "host"]),
        read_table(directory, "pages", Arrays.page_columns()),
        lambda: read_batches(directory, "links", ["src", "dst"]),
    )


def log_stamp(directory: Path) -> str:
    """What the arrays were made from: the log's files with their sizes and times."""
    parts = [f"format {_FORMAT}"]
    for name in segments(directory):
        for table in ("urls", "links", "pages"):
            path = directory / "log" / table / name
            if path.exists():
                status = path.stat()
                parts.append(f"{table}/{name} {status.st_size} {status.st_mtime_ns}")
    if (path := directory / "log" / OUTDATED).exists():
        parts.append(f"{OUTDATED} {path.stat().st_size} {path.stat().st_mtime_ns}")
    return "\n".join(parts)


def _read_meta(folder: Path) -> dict[str, Any]:
    try:
        meta = json.loads((folder / _META).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return meta if isinstance(meta, dict) else {}


def _open(path: Path) -> npt.NDArray[Any]:
    """An array on disk, mapped; private to this process if it is ever written to."""
    try:
        return np.asarray(np.load(path, mmap_mode="c"))
    except OSError:
        raise
    except Exception as error:  # whatever NumPy makes of a damaged head
        raise ValueError(f"{path.name}: {error}") from None
