"""The tables of a generated log: URLs, pages and links of one chunk, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.virtualweb.phrases import WORDS
from langcrawl.virtualweb.schema import TABLES
from langcrawl.virtualweb.synth import chance, pages
from langcrawl.virtualweb.synth.hosts import TARGET, Tongues
from langcrawl.virtualweb.synth.names import page_urls
from langcrawl.virtualweb.synth.web import Web

_ANCHOR = 40


def url_table(web: Web, first: int, last: int) -> pa.Table:
    host = web.labels.host[first:last]
    url = page_urls(web.names, host, web.hosts, first, web.tongues, web.has_paths)
    return log_table("urls", last - first, id=np.arange(first, last), url=url,
                  host=pa.DictionaryArray.from_arrays(pa.array(host), web.names))  # fmt: skip


def link_table(
    web: Web, first: int, counts: npt.NDArray[np.int32], goals: npt.NDArray[np.int64]
) -> pa.Table:
    """Links with anchors: in the language of the page they lead to, more often than not."""
    rows = len(goals)
    source = np.repeat(np.arange(first, first + len(counts)), counts)
    begins = np.cumsum(counts, dtype=np.int64) - counts
    position = np.arange(rows) - np.repeat(begins, counts)
    language = web.labels.language
    own = language[source]
    there = np.where(goals < len(language), language[np.minimum(goals, len(language) - 1)], 0)
    draw = chance.units(web.seed, int(source[0]) * 64 if rows else 0,
                        (int(source[0]) * 64 if rows else 0) + rows, _ANCHOR)  # fmt: skip
    spoken = np.where((draw < 0.6) & (there > 0), there, own)  # 15 % are images without text
    words, starts, counts_of = _anchor_words(web.tongues)
    pick = starts[spoken] + ((draw * 1e6).astype(np.int64) % counts_of[spoken])
    silent = draw >= 0.85
    anchor = pa.DictionaryArray.from_arrays(pa.array(np.where(silent, 0, pick), pa.int32()), words)
    score = np.where(silent, 0.0, (spoken == TARGET) * (0.7 + 0.3 * (draw * 97 % 1)))
    return log_table("links", rows, src=source, dst=goals, position=position, anchor=anchor,
                  anchor_score=score, nofollow=np.zeros(rows, bool))  # fmt: skip


def _anchor_words(
    tongues: Tongues,
) -> tuple[pa.Array, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All anchor texts, and where those of each language begin; the first is no text."""
    words = [""]
    starts, counts = [], []
    for tag in tongues.tags:
        own = WORDS.get(tag.split("-")[0], WORDS["en"])
        starts.append(len(words))
        counts.append(len(own))
        words += own
    return pa.array(words), np.array(starts), np.array(counts)


def page_table(web: Web, first: int, last: int) -> pa.Table:
    seed, about = web.seed, web.profile.pages
    host, language = web.labels.host[first:last], web.labels.language[first:last]
    place = np.arange(first, last) - web.hosts.first[host]
    leaf = place >= web.hosts.ok[host]
    status = pages.statuses(leaf, first, seed, about.redirects)
    moved = (status == 301) & (web.hosts.ok[host] > 0)
    status[(status == 301) & ~moved] = 404
    size = _lognormal(seed, first, last, pages.SIZE, about.bytes, 0.8)
    size = np.where(leaf, size / 10, size).astype(np.int64)
    host_latency = _lognormal(seed, 0, len(web.hosts), pages.LATENCY, about.latency, 0.5)
    elapsed = host_latency[host] * _lognormal(seed, first, last, pages.LATENCY + 50, 1.0, 0.3)
    relevant = (language == TARGET) & ~leaf
    draw = chance.units(seed, first, last, pages.SCORE)
    score = np.where(relevant, 1 - 0.35 * draw**2, np.where(leaf, 0.0, 0.3 * draw**4))
    tags = pa.array(web.tongues.tags)
    language = np.where(moved, 0, language)
    return log_table(
        "pages", last - first,
        id=np.arange(first, last), status=status,
        redirect=pa.array(web.hosts.first[host], mask=~moved),
        content_type=pa.array(["text/html", "application/pdf"]).take(pa.array(leaf.astype(int))),
        bytes=size, text_bytes=size // 3, elapsed=elapsed,
        charset_meta=_charsets(web, first, last, leaf, declared=True),
        charset_detected=_charsets(web, first, last, leaf, declared=False),
        language=pa.DictionaryArray.from_arrays(pa.array(language.astype(np.int32)), tags),
        score=score, relevant=relevant,
        reason=pa.DictionaryArray.from_arrays(
            pa.array(np.zeros(last - first, np.int32)), pa.array(["synth"])
        ),
    )  # fmt: skip


def _lognormal(
    seed: int, first: int, last: int, stream: int, typical: float, spread: float
) -> npt.NDArray[np.float64]:
    """Numbers that are typically so large and differ by factors."""
    draw = sum(chance.units(seed, first, last, stream + 100 * k) for k in range(4))
    return np.asarray(typical * np.exp(spread * np.sqrt(3) * (draw - 2)))


def _charsets(
    web: Web, first: int, last: int, leaf: npt.NDArray[np.bool_], declared: bool
) -> pa.DictionaryArray:
    """The charset of each page: as META declares, which target pages may omit, or as it is."""
    draw = chance.units(web.seed, first, last, pages.CHARSET)
    language, labelled = web.labels.language[first:last], web.labels.meta[first:last] == 1
    about = web.profile.pages
    names = [""]
    code = np.zeros(last - first, np.int32)

    def give(chosen: npt.NDArray[np.bool_], shares: dict[str, float]) -> None:
        bounds = np.cumsum(list(shares.values()))
        place = np.minimum(np.searchsorted(bounds / bounds[-1], draw[chosen]), len(bounds) - 1)
        code[chosen] = len(names) + place
        names.extend(shares)

    for number, tag in enumerate(web.tongues.tags):
        mine = (language == number) & ~leaf
        shares = about.charsets.get(tag)
        if number == TARGET and about.unlabelled:
            give(mine & ~labelled, about.unlabelled)
        if number == TARGET and (declared or about.unlabelled):
            mine &= labelled
        if shares:
            give(mine, shares)
    return pa.DictionaryArray.from_arrays(pa.array(code), pa.array(names))


def log_table(name: str, rows: int, **given: Any) -> pa.Table:
    """A table of the log; columns that are not given are null."""
    columns: list[Any] = []
    for field in TABLES[name]:
        values: Any = given.get(field.name)
        if values is None:
            columns.append(pa.nulls(rows, field.type))
        elif isinstance(values, pa.DictionaryArray):
            columns.append(values)
        else:
            columns.append(pa.array(values, field.type) if not isinstance(values, pa.Array)
                           else values.cast(field.type))  # fmt: skip
    return pa.Table.from_arrays(columns, names=TABLES[name].names)
