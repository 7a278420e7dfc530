"""The tables of a generated log: URLs, pages and links of one chunk, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.languages.ngrams import likeness
from langcrawl.languages.profiles import windows
from langcrawl.log.schema import log_table
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import WORDS
from langcrawl.virtualweb.synth import chance, pages
from langcrawl.virtualweb.synth.encodings import encoding_names, text_shares
from langcrawl.virtualweb.synth.hosts import BRIDGE, TARGET
from langcrawl.virtualweb.synth.names import page_urls, unfetched_urls
from langcrawl.virtualweb.synth.web import Web

_ANCHOR = 40
ANCHOR_SIZE = 2
"""The size of the n-grams by which anchors are scored."""


def url_table(web: Web, first: int, last: int) -> pa.Table:
    """The URLs of pages, whose hosts follow each other."""
    host = web.labels.host[first:last]
    url = page_urls(web.names, host, web.hosts, first, web.tongues, web.has_paths)
    return _url_table(web, host, first, url)


def unfetched_table(web: Web, host: npt.NDArray[np.int32], first: int) -> pa.Table:
    """URLs that are known from links only, numbered from `first` on."""
    return _url_table(web, host, first, unfetched_urls(web.names, host, first))


def _url_table(web: Web, host: npt.NDArray[np.int32], first: int, url: pa.Array) -> pa.Table:
    """With the names of no more hosts than there are: a segment carries its own."""
    hosts, place = np.unique(host, return_inverse=True)
    names = web.names.take(pa.array(hosts))
    columns = {
        "id": np.arange(first, first + len(host)),
        "url": url,
        "host": pa.DictionaryArray.from_arrays(pa.array(place.astype(np.int32)), names),
    }
    return log_table("urls", len(host), columns)


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
    place = int(source[0]) * 64 if rows else 0
    draw = chance.units(web.seed, place, place + rows, _ANCHOR)
    spoken = np.where((draw < 0.6) & (there > 0), there, own)  # 15 % are images without text
    written = np.where(spoken == TARGET, web.encoding[web.labels.host[source]], 0)
    words, starts, counts_of, scores = _anchor_words(web)
    kind = np.where(written > 0, len(web.tongues.tags) + written - 1, spoken)
    pick = starts[kind] + ((draw * 1e6).astype(np.int64) % counts_of[kind])
    pick = np.where(draw >= 0.85, 0, pick)
    anchor = _words(pick, words)
    columns = {
        "src": source,
        "dst": goals,
        "position": position,
        "anchor": anchor,
        "anchor_score": scores[pick],
        "nofollow": np.zeros(rows, bool),
    }
    return log_table("links", rows, columns)


def _anchor_words(
    web: Web,
) -> tuple[pa.Array, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """All anchor texts, where those of each language begin, how many, and their scores.

    The first is no text. Behind the languages come the target's words in each encoding.
    """
    words, scores = [""], [0.0]
    starts, counts = [], []
    model = windows(web.profile.lang, ANCHOR_SIZE)
    kinds = [(tag, "") for tag in web.tongues.tags]
    kinds += [(web.profile.lang, name) for name in encoding_names(web.profile)[1:]]
    for tag, encoding in kinds:
        own = WORDS.get(tag.split("-")[0], WORDS["en"])
        starts.append(len(words))
        counts.append(len(own))
        words += [write_in(word, encoding) for word in own]
        blind = encoding == "saiyin"  # nobody can name its letters: its script counts alone
        scores += [1.0 if blind else likeness(model, word, ANCHOR_SIZE) for word in own]
    return pa.array(words), np.array(starts), np.array(counts), np.array(scores, np.float32)


def page_table(web: Web, first: int, last: int) -> pa.Table:
    """What was recorded of pages: how they answered, and what they were judged to be."""
    host, language = web.labels.host[first:last], web.labels.language[first:last]
    leaf = np.arange(first, last) - web.hosts.first[host] >= web.hosts.ok[host]
    status = pages.statuses(leaf, first, web.seed, web.profile.pages.redirects)
    moved = (status == 301) & (web.hosts.ok[host] > 0)
    status[(status == 301) & ~moved] = 404
    relevant = (language == TARGET) & ~leaf
    draw = chance.units(web.seed, first, last, pages.SCORE)
    columns = {
        "id": np.arange(first, last),
        "status": status,
        "redirect": pa.array(web.hosts.first[host], mask=~moved),
        "content_type": _words(leaf, ("text/html", "application/pdf")),
        "charset_meta": _charsets(web, first, last, leaf, declared=True),
        "charset_detected": _charsets(web, first, last, leaf, declared=False),
        "language": _words(np.where(moved, 0, language), web.tongues.tags),
        "score": np.where(relevant, 1 - 0.35 * draw**2, np.where(leaf, 0.0, 0.3 * draw**4)),
        **_texts(web, first, last, host, leaf),
        "relevant": relevant,
        "reason": _words(np.zeros(last - first), ("synth",)),
    }
    return log_table("pages", last - first, columns | _costs(web, first, last, host, leaf))


def _texts(
    web: Web, first: int, last: int, host: npt.NDArray[np.int32], leaf: npt.NDArray[np.bool_]
) -> dict[str, Any]:
    """Of a web with encodings: that of each page, and how much of it is in the target."""
    names, about = encoding_names(web.profile), web.profile.pages
    if len(names) == 1:
        return {}
    code = np.where(leaf, 0, web.encoding[host])
    language, score = web.labels.language[first:last], np.zeros(last - first)
    for tongue, shares in ((TARGET, about.target_text), (BRIDGE, about.bridge_text)):
        if shares:
            mine = (language == tongue) & (code > 0)
            score[mine] = text_shares(shares, web.seed, first, last)[mine]
    return {"encoding": _words(code, names), "score": score}


def _words(codes: npt.NDArray[Any], words: Sequence[str] | pa.Array) -> pa.DictionaryArray:
    """Words by their places in a list, which may name a word twice.

    The dictionary must not: Parquet files of one that does are not the same to the byte.
    """
    distinct = pa.array(words).dictionary_encode()
    places = distinct.indices.to_numpy()[codes.astype(np.int32)]
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), distinct.dictionary)


def _costs(
    web: Web, first: int, last: int, host: npt.NDArray[np.int32], leaf: npt.NDArray[np.bool_]
) -> dict[str, npt.NDArray[Any]]:
    """Sizes and seconds; the hosts of a chunk follow each other, and each has its latency."""
    seed, about = web.seed, web.profile.pages
    size = _lognormal(seed, first, last, pages.SIZE, about.bytes, 0.8)
    size = np.where(leaf, size / 10, size).astype(np.int64)
    low, high = int(host[0]), int(host[-1]) + 1
    latency = _lognormal(seed, low, high, pages.LATENCY, about.latency, 0.5)[host - low]
    elapsed = latency * _lognormal(seed, first, last, pages.LATENCY + 50, 1.0, 0.3)
    return {"bytes": size, "text_bytes": size // 3, "elapsed": elapsed}


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
    return _words(code, names)
