"""Sample texts of a language: files read, cut into pieces, and parted for trials.

A pack that was learned of some texts says little of itself on the same texts, nor on the rest of
the same documents: a document repeats itself. So whole documents are kept apart where there are
enough of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from langcrawl.errors import BadInput
from langcrawl.judge.learned import cut
from langcrawl.languages.scripts import script_shares
from langcrawl.page import read_document
from langcrawl.page.kind import is_binary
from langcrawl.parallel import Progress, silent

PARTS = 5
"""The texts are parted so often; each part in turn is kept from training."""
_MOST = 4_000
"""Pieces that are learned from: more change no rank that matters."""
_LARGEST = 10_000_000
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd]")
_OWN_SCRIPT = 0.5


class Samples(NamedTuple):
    """The texts of a language in parts that have no document in common, where that can be had."""

    script: str
    """The script of most letters; empty where there is none."""
    parts: tuple[tuple[str, ...], ...]
    documents: int
    left_out: int
    """Files that are no text, or hold none in that script."""

    @property
    def pieces(self) -> list[str]:
        return [piece for part in self.parts for piece in part]

    @property
    def characters(self) -> int:
        return sum(map(len, self.pieces))

    @property
    def of_many_documents(self) -> bool:
        """Whether the parts have no document in common."""
        return self.documents >= PARTS


def read_samples(paths: Sequence[Path], script: str = "", progress: Progress = silent) -> Samples:
    """Read files; `script` names the script that counts, else that of most letters does.

    Pieces in other scripts, such as the menu of a page in English, are left out.
    """
    documents: list[list[str]] = []
    for number, path in enumerate(paths, 1):
        documents.append(cut(_text(path)))
        progress(number, number / len(paths))
    script = script or next(iter(script_shares(" ".join(_some(documents)))), "")
    kept = [
        [piece for piece in document if script_shares(piece).get(script, 0.0) >= _OWN_SCRIPT]
        for document in documents
    ]
    kept = _thinned([document for document in kept if document])
    return Samples(script, _parted(kept), len(kept), len(paths) - len(kept))


def _some(documents: Iterable[list[str]]) -> list[str]:
    """Enough of each document to see what script they are in."""
    return [piece for document in documents for piece in document[:100]]


def _thinned(documents: list[list[str]]) -> list[list[str]]:
    """Every so manieth piece of texts that are more than enough."""
    step = -(-sum(map(len, documents)) // _MOST) or 1
    return [thin for at, document in enumerate(documents) if (thin := document[at % step :: step])]


def _parted(documents: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """Parts of about the same size: of whole documents, or of what stands together."""
    if len(documents) < PARTS:
        pieces = [piece for document in documents for piece in document]
        ends = [len(pieces) * part // PARTS for part in range(PARTS + 1)]
        return tuple(tuple(pieces[a:b]) for a, b in pairwise(ends))
    parts: list[list[str]] = [[] for _ in range(PARTS)]
    for document in sorted(documents, key=len, reverse=True):
        min(parts, key=len).extend(document)
    return tuple(map(tuple, parts))


def _text(path: Path) -> str:
    """The text of a file; empty where it is none."""
    try:
        with path.open("rb") as file:
            body = file.read(_LARGEST)
    except OSError as error:
        raise BadInput(
            f"'{path}' cannot be read ({error.strerror}); check its permissions."
        ) from None
    if is_binary(body):
        return ""
    text = read_document(body).content.text
    return "" if len(_CONTROL.findall(text)) > len(text) // 100 else text
