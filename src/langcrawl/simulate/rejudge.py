"""A log judged anew: by the charsets that it recorded, or by its text where that is generated.

A log keeps no text. That of a generated web is written anew from the number of each page, as
`langcrawl serve` does, so any judge can judge it, and its verdicts are kept beside the log.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from langcrawl.errors import UsageError
from langcrawl.judge import make_judge
from langcrawl.judge.charset import CharsetJudge
from langcrawl.languages import load_pack
from langcrawl.page.decode import decode
from langcrawl.page.extract import extract
from langcrawl.ports import Judge
from langcrawl.records import Charsets, Content
from langcrawl.virtualweb.graph import Graph, load_graph, log_stamp
from langcrawl.virtualweb.log import read_table
from langcrawl.virtualweb.pool import cores, in_order
from langcrawl.virtualweb.served import ServedLog

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
    graph = load_graph(source.directory, source.lang)
    if not source.judge:
        return graph
    made = make_judge(load_pack(source.lang or graph.config.lang), source.judge)
    if isinstance(made, CharsetJudge):
        relevant, score = _verdicts(source.directory, made)
        relevant[graph.arrays.status != 200] = 0
        return replace(graph, relevant=relevant, score=score * relevant)
    if not graph.config.source.startswith("synth"):
        raise UsageError(
            f"a log keeps no text, so '{source.judge}' cannot judge it again; "
            "'charset:from=meta' and the like can, and any judge can judge a generated web."
        )
    relevant, score = _kept_verdicts(graph, source, made)
    return replace(graph, relevant=relevant, score=score)


def _kept_verdicts(
    graph: Graph, source: Source, judge: Judge
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    """What a judge says of the text of a generated web, worked out once."""
    words = "\n".join((source.judge, source.lang, log_stamp(source.directory)))
    digest = sha1(words.encode(), usedforsecurity=False).hexdigest()[:12]
    kept = source.directory / "log" / "graph" / f"judged-{digest}.npz"
    if kept.is_file():
        with np.load(kept) as arrays:
            return arrays["relevant"], arrays["score"]
    relevant, score = _by_text(graph, source.directory, judge)
    with suppress(OSError):
        draft = kept.with_suffix(".tmp.npz")
        np.savez(draft, relevant=relevant, score=score)
        draft.replace(kept)
    return relevant, score


def _by_text(
    graph: Graph, directory: Path, judge: Judge
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    """What the judge says of each page; where encodings are recorded, other pages have no text
    in the target and are not looked at."""
    nodes = np.flatnonzero((graph.arrays.status == 200) & (graph.arrays.redirect < 0))
    encodings = _served(directory).encodings
    encoded = [node for node in nodes.tolist() if encodings[node]]
    wanted = encoded or nodes.tolist()
    batches = [wanted[at : at + _BATCH] for at in range(0, len(wanted), _BATCH)]
    relevant, score = np.zeros(graph.pages, np.uint8), np.zeros(graph.pages)
    work, few = partial(_judge_pages, directory, judge), len(wanted) < _FEW
    found = in_order(work, batches, 1 if few else cores())
    for batch, verdicts in zip(batches, found, strict=True):
        relevant[batch], score[batch] = np.array(verdicts).T
    return relevant, score


@lru_cache(maxsize=1)
def _served(directory: Path) -> ServedLog:
    return ServedLog(directory)


def _judge_pages(directory: Path, judge: Judge, nodes: list[int]) -> list[tuple[float, float]]:
    """Whether pages are relevant, and their scores."""
    found = []
    for node in nodes:
        page = _served(directory).answer_page(node)
        decoded = decode(page.body, page.content_type)
        verdict = judge.judge(extract(decoded.text, "http://localhost/", decoded.charsets))
        found.append((float(verdict.relevant), verdict.score))
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
