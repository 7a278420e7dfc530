"""Near-duplicates among a million generated documents, against the exact Jaccard similarity."""

from __future__ import annotations

import os
import resource
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.corpus.duplicates import Decision, Rules, decide
from langcrawl.corpus.kernels import SHINGLE
from langcrawl.corpus.parts import Parts, read_part
from langcrawl.corpus.schema import PART
from langcrawl.parallel import cores

DOCUMENTS, WORDS, LINES = 1_000_000, 250, 10
_PART = 8_000
_PLANTED = 0.1
"""The share of documents that are copies of another one, with some words replaced."""
_CHECKED = 4_000
"""Pairs whose similarity is worked out exactly."""
THRESHOLD = 0.8
Bytes = npt.NDArray[np.uint8]


def run() -> None:
    """Documents a second, memory, recall and precision of the search for near-duplicates."""
    with tempfile.TemporaryDirectory() as name:
        parts = Parts(Path(name))
        planted = write_documents(parts, DOCUMENTS)
        rules = Rules(near=THRESHOLD, site_repeats=3, min_chars=100)
        before = _peak()
        began = time.perf_counter()
        with _together() as memory:
            decision = decide(parts, rules, cores())
        seconds = time.perf_counter() - began
        print(
            f"{DOCUMENTS:,} documents of {WORDS * 8:,} characters, {len(planted):,} planted: "
            f"{seconds:.1f} s for exact, near and repeated paragraphs ({cores()} processes), "
            f"{DOCUMENTS / seconds:,.0f}/s; {before / 1e9:.2f} GB before, peak "
            f"{_peak() / 1e9:.2f} GB and {_workers() / 1e9:.2f} GB in the largest worker, "
            f"{max(memory) / 1e9:.2f} GB in all processes together"
        )
        print(f"left out: {dict(decision.dropped)}")
        _check(parts, decision, planted)


@contextmanager
def _together() -> Iterator[list[int]]:
    """What this process and those below it hold now and then; what they share counts once."""
    seen, done = [0], threading.Event()

    def look() -> None:
        while not done.wait(0.25):
            seen.append(sum(map(_held, _family(os.getpid()))))

    watch = threading.Thread(target=look, daemon=True)
    watch.start()
    try:
        yield seen
    finally:
        done.set()
        watch.join()


def _family(process: int) -> list[int]:
    found = [process]
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            found += [
                each for child in children.read_text().split() for each in _family(int(child))
            ]
    return found


def _held(process: int) -> int:
    with suppress(OSError):
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        return int(text.partition("Pss:")[2].split()[0]) * 1024
    return 0


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _workers() -> int:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def write_documents(parts: Parts, count: int) -> npt.NDArray[np.int64]:
    """Documents as an export has read them; the numbers of copies and of their originals."""
    rng = np.random.default_rng(1)
    vocabulary = rng.integers(97, 123, (50_000, 8), np.uint8)
    vocabulary[:, 7] = 32
    odds = 1.0 / np.arange(1, len(vocabulary) + 1)
    odds /= odds.sum()
    pairs = []
    for first in range(0, count, _PART):
        size = min(_PART, count - first)
        words = rng.choice(len(vocabulary), (size, WORDS), p=odds)
        copies = rng.choice(np.arange(size // 2, size), int(_PLANTED * size), replace=False)
        sources = rng.integers(0, size // 2, len(copies))
        words[copies] = words[sources]
        replaced = rng.random((len(copies), WORDS)) < rng.uniform(0, 0.15, (len(copies), 1))
        others = rng.choice(len(vocabulary), replaced.sum(), p=odds)
        words[copies] = _replaced(words[copies], replaced, others)
        parts.add(_table(vocabulary[words], first, rng), Counter(), 0)
        pairs.append(np.stack([copies + first, sources + first], 1))
    parts.flush()
    return np.concatenate(pairs)


def _replaced(
    words: npt.NDArray[np.int64], at: npt.NDArray[np.bool_], others: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    words = words.copy()
    words[at] = others
    return words


def _table(texts: Bytes, first: int, rng: np.random.Generator) -> pa.Table:
    """Texts of the same length as the documents of a part, with their hashes."""
    count, per_line = len(texts), WORDS // LINES
    texts[:, per_line - 1 :: per_line, 7] = 10
    flat = texts.reshape(count, -1)[:, :-1]
    length = flat.shape[1]
    offsets = np.arange(count + 1, dtype=np.int64) * length
    text = pa.LargeStringArray.from_buffers(
        count, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(flat))
    )
    odd = np.random.default_rng(7).integers(0, 1 << 63, per_line, np.uint64) | np.uint64(1)
    lines = (texts.reshape(count, LINES, -1).view(np.uint64) * odd).sum(2, dtype=np.uint64)
    factors = np.random.default_rng(8).integers(0, 1 << 63, LINES, np.uint64) | np.uint64(1)
    keys = np.stack([(lines * factors).sum(1), (lines ^ factors).sum(1)], 1)
    places = pa.array(np.arange(count + 1, dtype=np.int64) * LINES)
    sizes = np.full(count * LINES, per_line * 8 - 1, np.int32)
    columns = {
        "url": [f"http://h{n % 997}.example/{n}" for n in range(first, first + count)],
        "host": [f"h{n % 997}.example" for n in range(first, first + count)],
        "fetched_at": np.full(count, 1_700_000_000_000),
        "score": np.ones(count),
        "characters": np.full(count, length, np.int64),
        "text": text,
        "key": pa.array([key.tobytes() for key in keys], pa.binary(16)),
        "paragraph_keys": pa.LargeListArray.from_arrays(places, pa.array(lines.ravel())),
        "paragraph_sizes": pa.LargeListArray.from_arrays(places, pa.array(sizes)),
    }
    made = [
        columns[field.name].cast(field.type)
        if isinstance(columns.get(field.name), pa.Array)
        else pa.nulls(count, field.type)
        if field.name not in columns
        else pa.array(columns[field.name], field.type)
        for field in PART
    ]
    return pa.Table.from_arrays(made, schema=PART)


def _check(parts: Parts, decision: Decision, planted: npt.NDArray[np.int64]) -> None:
    """Recall on pairs that were planted, precision on documents that were dropped."""
    rng = np.random.default_rng(2)
    sizes = [read_part(path, ["score"]).num_rows for path in parts.files]
    firsts = np.cumsum([0, *sizes])
    checked = planted[rng.permutation(len(planted))[:_CHECKED]]
    similar = _similarities(parts, firsts, checked)
    found = decision.instead[checked[:, 0]] >= 0
    exactly = ~decision.stays[checked[:, 0]] & ~found
    for least, most in ((THRESHOLD, 1.01), (0.9, 1.01), (THRESHOLD, 0.85), (0.7, THRESHOLD)):
        among = (similar >= least) & (similar < most) & ~exactly
        print(
            f"planted pairs with a similarity of {least:g} to {min(most, 1):g}: "
            f"{found[among].mean():.4f} of {among.sum():,} found"
        )
    dropped = np.flatnonzero(decision.instead >= 0)
    dropped = dropped[rng.permutation(len(dropped))[:_CHECKED]]
    true = _similarities(parts, firsts, np.stack([dropped, decision.instead[dropped]], 1))
    print(
        f"precision: {(true >= THRESHOLD).mean():.4f} of {len(true):,} dropped documents have a "
        f"similarity of {THRESHOLD:g} or more, {(true >= THRESHOLD - 0.05).mean():.4f} of "
        f"{THRESHOLD - 0.05:g} or more",
        flush=True,
    )


def _similarities(
    parts: Parts, firsts: npt.NDArray[np.int64], pairs: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """The exact Jaccard similarity of pairs of documents."""
    wanted = np.unique(pairs)
    sets: dict[int, set[str]] = {}
    for number, path in enumerate(parts.files):
        inside = wanted[(wanted >= firsts[number]) & (wanted < firsts[number + 1])]
        if len(inside):
            texts = read_part(path, ["text"])["text"]
            for document in inside.tolist():
                bare = "".join(texts[document - int(firsts[number])].as_py().split())
                sets[document] = {bare[at : at + SHINGLE] for at in range(len(bare) - SHINGLE + 1)}
    return np.array([len(sets[a] & sets[b]) / len(sets[a] | sets[b]) for a, b in pairs.tolist()])
