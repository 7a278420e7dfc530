"""A log judged anew: by the charsets that it recorded, since it keeps no text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from langcrawl.errors import UsageError
from langcrawl.judge import make_judge
from langcrawl.judge.charset import CharsetJudge
from langcrawl.languages import load_pack
from langcrawl.records import Charsets, Content
from langcrawl.virtualweb.graph import Graph, load_graph
from langcrawl.virtualweb.log import read_table

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
    if not isinstance(made, CharsetJudge):
        raise UsageError(
            f"a log keeps no text, so '{source.judge}' cannot judge it again; "
            "'charset:from=meta' and the like can."
        )
    relevant, score = _verdicts(source.directory, made)
    relevant[graph.arrays.status != 200] = 0
    return replace(graph, relevant=relevant, score=score * relevant)


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
