"""Judge a log again: by its recorded charsets, or by its texts.

A log keeps no text. That of a crawl or an import is read from its archive, that of a generated
web is written anew (`archive.texts`), so any judge can judge it. Verdicts are kept beside the log.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from langcrawl.archive.texts import GeneratedTexts, Texts, texts
from langcrawl.errors import UsageError
from langcrawl.judge import JUDGES, make_judge
from langcrawl.judge.charset import CharsetJudge
from langcrawl.languages import load_packs
from langcrawl.log.graph import Graph, load_graph, log_stamp
from langcrawl.log.segments import read_table
from langcrawl.parallel import cores, in_order
from langcrawl.ports import Judge
from langcrawl.records import Charsets, Content
from langcrawl.spec import is_own
from langcrawl.store.migrate import open_directory

_BATCH, _FEW = 200, 2000
"""Pages that a process judges at a time; so few that no other process is worth its start."""
_SOURCES = ("charset_header", "charset_meta", "charset_detected")


class Source(NamedTuple):
    """A log, and which of its pages are relevant."""

    directory: Path
    lang: str = ""
    """Empty for the language of the log."""
    judge: str = ""
    """Empty for what was judged when the log was made."""


def open_graph(source: Source) -> Graph:
    """Open a log; with a judge, a page is relevant where that judge says so."""
    open_directory(source.directory)
    graph = load_graph(source.directory, source.lang)
    if not source.judge:
        return graph
    made = make_judge(load_packs(source.lang or graph.config.lang), source.judge)
    if isinstance(made, CharsetJudge):
        relevant, score = _verdicts(source.directory, made)
        relevant[graph.arrays.status != 200] = 0
        return replace(graph, relevant=relevant, score=score * relevant)
    relevant, score = _kept_verdicts(graph, source, made)
    return replace(graph, relevant=relevant, score=score)


def _kept_verdicts(
    graph: Graph, source: Source, judge: Judge
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    """What a judge says of the texts of a crawl, worked out once.

    That of a user's own judge is not kept: its file may say something else the next time.
    """
    if is_own(source.judge, JUDGES):
        return _by_text(graph, source, judge)
    stamp: str = getattr(judge, "stamp", "")  # a judge whose file may change has one
    words = "\n".join((source.judge, source.lang, log_stamp(source.directory), stamp))
    digest = sha1(words.encode(), usedforsecurity=False).hexdigest()[:12]
    kept = source.directory / "log" / "graph" / f"judged-{digest}.npz"
    with (
        suppress(OSError, ValueError, KeyError, EOFError, BadZipFile),
        kept.open("rb") as file,
        np.load(file) as arrays,
    ):
        known = arrays["relevant"].astype(np.uint8), arrays["score"].astype(np.float64)
        if known[0].shape == known[1].shape == (graph.pages,):
            return known
    relevant, score = _by_text(graph, source, judge)
    with suppress(OSError):
        draft = kept.with_suffix(".tmp.npz")
        np.savez(draft, relevant=relevant, score=score)
        draft.replace(kept)
    return relevant, score


def _by_text(
    graph: Graph, source: Source, judge: Judge
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    """What the judge says of each page; what has no text is not relevant."""
    ids = np.asarray(graph.arrays.url_id[: graph.pages], np.int64)
    judged = (graph.arrays.status == 200) & (graph.arrays.redirect < 0)
    stamp = log_stamp(source.directory)
    there = _texts(source.directory, stamp)
    wanted = _pages_to_judge(there, ids[judged]).tolist()
    if judged.any() and not wanted:
        raise UsageError(
            f"the crawl in '{source.directory}' has no archive, so '{source.judge}' cannot judge "
            "its pages again; 'charset:from=meta' and the like can, by what the log says of them."
        )
    batches = [wanted[at : at + _BATCH] for at in range(0, len(wanted), _BATCH)]
    relevant, score = np.zeros(graph.pages, np.uint8), np.zeros(graph.pages)
    work, few = partial(_judge_pages, source.directory, stamp, judge), len(wanted) < _FEW
    for verdicts in in_order(work, batches, 1 if few else cores()):
        for page, is_relevant, how_much in verdicts:
            node = np.searchsorted(ids, page)
            relevant[node], score[node] = is_relevant, how_much
    return relevant, score


def _pages_to_judge(there: Texts, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The pages with a text, in the order in which they are read fastest.

    Where a generated web has encodings, its other pages have no text in the target.
    """
    wanted = there.ids[np.isin(there.ids, ids)]
    if isinstance(there, GeneratedTexts):
        encoded = there.encoded
        return wanted[np.isin(wanted, encoded)] if len(encoded) else wanted
    return wanted


@lru_cache(maxsize=1)
def _texts(directory: Path, stamp: str) -> Texts:
    """The texts of a log as it stands, opened once in each process."""
    return texts(directory)


def _judge_pages(
    directory: Path, stamp: str, judge: Judge, pages: list[int]
) -> list[tuple[int, bool, float]]:
    """Whether pages are relevant, and their scores."""
    found = []
    for page, content in _texts(directory, stamp).some(pages):
        verdict = judge.judge(content)
        found.append((page, verdict.relevant, verdict.score))
    return found


def _verdicts(
    directory: Path, judge: CharsetJudge
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    """What the judge says of every page, in the order of their ids."""
    table = read_table(directory, "pages", ["id", *_SOURCES])
    code = np.zeros(table.num_rows, np.int64)
    labels: list[list[str]] = []
    for name in _SOURCES:
        words = table[name].combine_chunks().fill_null("").dictionary_encode()
        labels.append(words.dictionary.to_pylist())
        code = code * max(1, len(labels[-1])) + words.indices.to_numpy()
    distinct, place = np.unique(code, return_inverse=True)
    found = [judge.judge(Content(charsets=_charsets(int(each), labels))) for each in distinct]
    order = np.argsort(table["id"].to_numpy(), kind="stable")
    relevant = np.array([verdict.relevant for verdict in found], np.uint8)[place][order]
    score = np.array([verdict.score for verdict in found], np.float64)[place][order]
    return relevant, score


def _charsets(code: int, labels: list[list[str]]) -> Charsets:
    words = []
    for column in reversed(labels):
        code, place = divmod(code, max(1, len(column)))
        words.append(column[place])
    detected, meta, header = words
    return Charsets(header, meta, detected)
