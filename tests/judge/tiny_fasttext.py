"""A small fastText model, trained here on a few texts and written in fastText's own format."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

_MAGIC, _VERSION, _SOFTMAX, _SUPERVISED = 793_712_314, 12, 3, 3
_SURE = 12.0
"""How steep the softmax is."""


def train(path: Path, texts: Mapping[str, str], supervised: int = _SUPERVISED) -> Path:
    """Learn how often each word stands in each language, and write that as a model of words."""
    labels = list(texts)
    counts = {label: Counter(text.split()) for label, text in texts.items()}
    words = sorted({word for count in counts.values() for word in count})
    seen = np.array([[counts[label][word] for label in labels] for word in words], np.float32)
    vectors = seen / seen.sum(axis=1, keepdims=True)
    head = struct.pack(
        "<ii12id", _MAGIC, _VERSION,
        len(labels), 5, 1, 1, 5, 1, _SOFTMAX, supervised, 0, 0, 0, 100, 0.0,
    )  # fmt: skip
    entries = [(word, int(total), 0) for word, total in zip(words, seen.sum(axis=1), strict=True)]
    entries += [(f"__label__{label}", 1, 1) for label in labels]
    body = struct.pack("<iiiqq", len(entries), len(words), len(labels), int(seen.sum()), -1)
    body += b"".join(
        word.encode() + b"\0" + struct.pack("<qb", count, kind) for word, count, kind in entries
    )
    path.write_bytes(head + body + _matrix(vectors) + _matrix(_SURE * np.eye(len(labels))))
    return path


def _matrix(values: np.ndarray) -> bytes:
    """A dense matrix, after the byte that says that it is no quantised one."""
    return b"\0" + struct.pack("<qq", *values.shape) + values.astype("<f4").tobytes()
