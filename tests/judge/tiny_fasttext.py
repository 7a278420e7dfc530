"""A small fastText model, trained here on a few texts and written in fastText's own format.

Files of models that fastText itself has trained (softmax, hierarchical softmax and one against all;
with and without parts of words; quantised, pruned or not) are laid out as these are.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

_MAGIC, _VERSION, _SUPERVISED = 793_712_314, 12, 3
LOSSES = {"hs": 1, "softmax": 3, "ova": 4}
_SURE = 12.0
"""How steep the softmax is."""
_CODES = 256


def train(
    path: Path,
    texts: Mapping[str, str],
    supervised: int = _SUPERVISED,
    loss: str = "softmax",
    quantised: bool = False,
) -> Path:
    """Learn how often each word stands in each language, and write that as a model of words."""
    labels = list(texts)
    counts = {label: Counter(text.split()) for label, text in texts.items()}
    words = sorted({word for count in counts.values() for word in count})
    seen = np.array([[counts[label][word] for label in labels] for word in words], np.float32)
    vectors = seen / seen.sum(axis=1, keepdims=True)
    head = struct.pack(
        "<ii12id", _MAGIC, _VERSION,
        len(labels), 5, 1, 1, 5, 1, LOSSES[loss], supervised, 0, 0, 0, 100, 0.0,
    )  # fmt: skip
    entries = [(word, int(total), 0) for word, total in zip(words, seen.sum(axis=1), strict=True)]
    entries += [(f"__label__{label}", 1, 1) for label in labels]
    pruned = 0 if quantised else -1
    body = struct.pack("<iiiqq", len(entries), len(words), len(labels), int(seen.sum()), pruned)
    body += b"".join(
        word.encode() + b"\0" + struct.pack("<qb", count, kind) for word, count, kind in entries
    )
    inner = _quantised(vectors) if quantised else _matrix(vectors)
    outer = _tree(len(labels)) if loss == "hs" else _SURE * (np.eye(len(labels)) - 0.5)
    path.write_bytes(head + body + inner + _matrix(outer))
    return path


def _matrix(values: np.ndarray) -> bytes:
    """A dense matrix, after the byte that says that it is no quantised one."""
    return b"\0" + struct.pack("<qq", *values.shape) + values.astype("<f4").tobytes()


def _quantised(values: np.ndarray) -> bytes:
    """Each row as the number of the nearest of 256 rows (a single quantiser for all columns)."""
    known = np.unique(np.round(values, 2), axis=0)[:_CODES]
    codes = ((values[:, None] - known[None]) ** 2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    rows, width = values.shape
    centroids = np.zeros((_CODES, width), "<f4")
    centroids[: len(known)] = known
    head = b"\1\0" + struct.pack("<qqi", rows, width, rows)
    sizes = struct.pack("<4i", width, 1, width, width)
    return b"".join((head, codes.tobytes(), sizes, centroids.tobytes()))


def _tree(labels: int) -> np.ndarray:
    """What tells right from left at each node of the Huffman tree over equally frequent labels."""
    below = [{leaf} for leaf in range(labels)]
    counts = [1] * labels + [10**15] * (labels - 1)
    leaf, node, rows = labels - 1, labels, []
    for made in range(labels, 2 * labels - 1):
        ends = []
        for _ in range(2):
            if leaf >= 0 and counts[leaf] < counts[node]:
                ends.append(leaf)
                leaf -= 1
            else:
                ends.append(node)
                node += 1
        left, right = (below[end] for end in ends)
        counts[made] = sum(counts[end] for end in ends)
        below.append(left | right)
        rows.append([_SURE * ((at in right) - (at in left)) for at in range(labels)])
    return np.array(rows)
