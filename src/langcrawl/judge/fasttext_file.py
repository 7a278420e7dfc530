"""What a fastText model file says of itself: whether it is one, and its labels.

The labels of a model are not exposed by the library that runs it, so they are read from the
dictionary at the beginning of the file. Words go before labels there.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from pathlib import Path
from typing import NamedTuple

from langcrawl.errors import BadInput
from langcrawl.languages import Tag, parse_tag

_MAGIC, _VERSIONS = 793_712_314, (11, 12)
_HEAD = struct.Struct("<ii12id")
_COUNTS = struct.Struct("<iiiqq")
_ENTRY = struct.Struct("<qb")
_SUPERVISED = 3
_LABEL = "__label__"
_NO_LANGUAGE = frozenset(("und", "zxx", "mis", "mul", "unk", "noise", "other", "xxx"))
"""Classes of a model that stand for noise, or for no language that it knows."""
_MEANT = {"no": "nb"}
"""Labels by which models mean a language that has a tag of its own."""


class ModelFile(NamedTuple):
    """A model on disk."""

    path: str
    sha256: str
    labels: tuple[str, ...]
    """As the model has them, without their common beginning."""


def read_model_file(path: Path) -> ModelFile:
    """Look into a model file; BadInput where it is none."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
                labels = _labels(whole)
    except FileNotFoundError:
        raise BadInput(f"there is no model '{path}'; check the path.") from None
    except OSError as error:
        raise BadInput(f"the model '{path}' cannot be read ({error.strerror}).") from None
    except (struct.error, ValueError, IndexError):
        raise BadInput(
            f"'{path}' is not a fastText model that tells labels apart; give a .bin or .ftz file "
            "of a language model, such as lid.176.ftz."
        ) from None
    return ModelFile(str(path), digest, labels)


def _labels(whole: mmap.mmap) -> tuple[str, ...]:
    magic, version, *arguments = _HEAD.unpack_from(whole, 0)
    if magic != _MAGIC or version not in _VERSIONS or arguments[7] != _SUPERVISED:
        raise ValueError("no supervised model")
    at = _HEAD.size
    size, words, labels, _, _ = _COUNTS.unpack_from(whole, at)
    at += _COUNTS.size
    if size != words + labels or not 0 < labels <= size:
        raise ValueError("no labels")
    found = []
    for number in range(size):
        end = whole.find(b"\0", at)
        if end < 0:
            raise ValueError("the dictionary ends too early")
        if number >= words:
            _, kind = _ENTRY.unpack_from(whole, end + 1)
            if kind != 1:
                raise ValueError("a word among the labels")
            found.append(whole[at:end].decode("utf-8", "replace").removeprefix(_LABEL))
        at = end + 1 + _ENTRY.size
    return tuple(found)


def tag_of(label: str) -> Tag:
    """The language and script of a label such as ``eng_Latn``, ``zho_Hant``, ``en`` or ``nob``."""
    text = label.removeprefix(_LABEL).replace("_", "-")
    if text.partition("-")[0].lower() in _NO_LANGUAGE:
        return Tag("und")
    return parse_tag(_MEANT.get(text, text))
