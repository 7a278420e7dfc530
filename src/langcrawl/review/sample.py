"""Draws the pages that people are to look at: at random, stratified by host and score.

Of the pages that the judge called relevant, each of the largest hosts is a stratum of its own, the
other hosts are two (those with many pages, those with few); each is cut into three by score. A
stratum gets pages in proportion to the square root of its size, so that small hosts and low scores
are seen too. A fifth of the sample is of the other pages, to see what the judge has missed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.log.build import code_hosts
from langcrawl.store.migrate import open_directory
from langcrawl.store.tables import LogTables, open_tables

LEAST = 10
"""Pages that a sample has at least."""
_MISSED_SHARE = 5
"""One page in so many is one that the judge did not call relevant."""
_BANDS = 3
_MOST_HOSTS, _PAGES_A_HOST, _MANY = 8, 12, 10
"""Hosts that are strata of their own: so many at most, one for so many pages of the sample; and
how many pages make another host one with many."""
_COLUMNS = [
    "id", "status", "redirect", "text_bytes", "score", "relevant", "language", "encoding", "title",
    "warc_file", "warc_offset", "digest", "notes",
]  # fmt: skip
Numbers = npt.NDArray[np.int64]


class Stratum(NamedTuple):
    """A part of the pages from which some were drawn."""

    name: str
    size: int
    """How many pages there are in it."""
    relevant: bool
    """Whether they are pages that the judge called relevant."""


class SampledPage(NamedTuple):
    """A page of the sample, with what the judge said of it."""

    page: int
    """Its number in the log."""
    url: str
    stratum: int
    relevant: bool
    score: float
    language: str
    encoding: str
    title: str
    warc_file: str
    warc_offset: int
    digest: str
    revisit: bool


class Sample(NamedTuple):
    """The pages that reviewers look at, in this order."""

    drawn_at: float
    seed: int
    strata: tuple[Stratum, ...]
    pages: tuple[SampledPage, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "drawn_at": self.drawn_at,
            "seed": self.seed,
            "strata": [list(stratum) for stratum in self.strata],
            "pages": [list(page) for page in self.pages],
        }

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Sample:
        strata = tuple(Stratum(*stratum) for stratum in kept["strata"])
        pages = tuple(SampledPage(*page) for page in kept["pages"])
        return cls(float(kept["drawn_at"]), int(kept["seed"]), strata, pages)


def draw_sample(directory: Path, size: int, seed: int) -> Sample:
    """Draw a sample of the pages of a crawl; the same seed draws the same from the same log."""
    if size < LEAST:
        raise BadInput(f"a sample of {size} pages says nothing; draw at least {LEAST}.")
    CrawlConfig.load(directory)
    open_directory(directory)
    with open_tables(directory) as log:
        pages = _texts_of(log)
        urls = pa.chunked_array(
            [chunk for batch in log.urls(["url"]) for chunk in batch["url"].chunks], pa.string()
        )
        hosts, names = code_hosts(
            pa.chunked_array(
                [chunk for batch in log.urls(["host"]) for chunk in batch["host"].chunks],
                pa.string(),
            )
        )
    relevant = pages["relevant"].fill_null(False).to_numpy(zero_copy_only=False)
    if not relevant.any():
        raise BadInput(
            f"'{directory}' has no page that was judged relevant, so there is nothing to review."
        )
    rng = np.random.default_rng(seed)
    host = hosts[pages["id"].to_numpy()]
    score = pages["score"].fill_null(0.0).to_numpy()
    few = size // _MISSED_SHARE
    drawn: list[tuple[int, int]] = []
    strata: list[Stratum] = []
    named = _by_host_and_score(host, score, relevant, names.to_pylist(), size - few)
    for is_relevant, rows, most in (
        (True, named, size - few),
        (False, _others(host, score, relevant), few),
    ):
        for (name, members), count in zip(
            rows.items(), _shares([len(m) for m in rows.values()], most), strict=True
        ):
            chosen = rng.choice(members, count, replace=False)
            drawn += [(int(row), len(strata)) for row in chosen]
            strata.append(Stratum(name, len(members), is_relevant))
    order = rng.permutation(len(drawn))
    rows_of = pages.take(pa.array([drawn[at][0] for at in order], pa.int64())).to_pylist()
    found = [
        _sampled(row, urls[row["id"]].as_py(), drawn[at][1])
        for row, at in zip(rows_of, order, strict=True)
    ]
    return Sample(round(time.time(), 1), seed, tuple(strata), tuple(found))


def _texts_of(log: LogTables) -> pa.Table:
    """The downloads that are pages of text, each once: of several rows the last counts."""
    whole = pa.concat_tables(list(log.pages(_COLUMNS)))
    texts = whole.filter(
        pa.compute.and_(
            pa.compute.equal(whole["status"], 200), pa.compute.is_null(whole["redirect"])
        )
    )
    some = texts.filter(pa.compute.greater(pa.compute.fill_null(texts["text_bytes"], 1), 0))
    ids = some["id"].to_numpy()
    _, last = np.unique(ids[::-1], return_index=True)
    return some.take(pa.array(np.sort(len(ids) - 1 - last)))


def _by_host_and_score(
    host: npt.NDArray[np.int32],
    score: npt.NDArray[np.float64],
    relevant: npt.NDArray[np.bool_],
    names: Sequence[str],
    size: int,
) -> dict[str, Numbers]:
    """The relevant pages by stratum."""
    rows = np.flatnonzero(relevant)
    pages = np.bincount(host[rows], minlength=len(names))
    alone = min(_MOST_HOSTS, size // _PAGES_A_HOST)
    largest = [at for at in np.argsort(-pages, kind="stable")[:alone].tolist() if pages[at] > 1]
    edges = np.unique(np.quantile(score[rows], np.arange(1, _BANDS) / _BANDS))
    band = np.searchsorted(edges, score[rows], side="right")
    found: dict[str, Numbers] = {}
    is_large = np.isin(host[rows], largest)
    is_many = pages[host[rows]] >= _MANY
    groups = [(names[at], host[rows] == at) for at in largest]
    groups.append(("other hosts with many pages", ~is_large & is_many))
    groups.append(("hosts with few pages", ~is_large & ~is_many))
    for name, members in groups:
        for at in range(len(edges) + 1):
            chosen = rows[members & (band == at)]
            if len(chosen):
                low, high = score[chosen].min(), score[chosen].max()
                found[f"{name}, score {low:.2f} to {high:.2f} ({at + 1})"] = chosen
    return found


def _others(
    host: npt.NDArray[np.int32],
    score: npt.NDArray[np.float64],
    relevant: npt.NDArray[np.bool_],
) -> dict[str, Numbers]:
    """The other pages by stratum: where relevant pages are near, and where a score is left."""
    near = np.isin(host, np.unique(host[relevant]))
    found = {}
    for name, members in (
        ("not relevant, with a score", ~relevant & (score > 0)),
        ("not relevant, on hosts with relevant pages", ~relevant & (score <= 0) & near),
        ("not relevant, on other hosts", ~relevant & (score <= 0) & ~near),
    ):
        rows = np.flatnonzero(members)
        if len(rows):
            found[name] = rows
    return found


def _shares(sizes: Sequence[int], most: int) -> list[int]:
    """How many pages to draw from strata of these sizes: by the roots of the sizes, two at least.

    With more strata than pages the largest get one each.
    """
    left = np.array(sizes)
    least = 2 if 2 * len(left) <= most else 1
    shares = np.minimum(left, least)
    if shares.sum() > most:
        shares[np.argsort(-left, kind="stable")[most:]] = 0
    while (rest := min(most, left.sum()) - shares.sum()) > 0:
        room = left - shares
        weights = np.where(room > 0, np.sqrt(left), 0.0)
        more = np.minimum(np.floor(rest * weights / weights.sum()).astype(np.int64), room)
        if not more.any():
            more[np.argsort(-weights, kind="stable")[:rest]] = 1
            more = np.minimum(more, room)
        shares = shares + more
    return [int(share) for share in shares]


def _sampled(row: dict[str, Any], url: str, stratum: int) -> SampledPage:
    return SampledPage(
        row["id"], url, stratum, bool(row["relevant"]), round(row["score"] or 0.0, 6),
        row["language"] or "und", row["encoding"] or "", (row["title"] or "")[:300],
        row["warc_file"] or "", row["warc_offset"] or 0, row["digest"] or "",
        "revisit" in (row["notes"] or "").split(),
    )  # fmt: skip
