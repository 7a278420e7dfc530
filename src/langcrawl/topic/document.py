"""Models as files: a JSON document with its format, version and checksum, which runs nothing."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from langcrawl.errors import BadInput

T = TypeVar("T")


def write_document(path: Path, document: dict[str, Any]) -> None:
    """Write a model, with a checksum of what it says."""
    written = json.dumps(document | {"checksum": checksum_of(document)}, ensure_ascii=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(written, encoding="utf-8")
    except OSError as error:
        raise BadInput(
            f"'{path}' cannot be written ({error.strerror}); choose another place for the model."
        ) from None


def load_document(
    path: Path, form: str, version: int, kind: str, how: str, read: Callable[[dict[str, Any]], T]
) -> T:
    """What `read` makes of a model that was written here; what it cannot use is refused as well."""
    document = read_document(path, form, version, kind, how)
    try:
        return read(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"the {kind} '{path}' cannot be used ({error}); {how}.") from None


def words_of(document: dict[str, Any], *columns: str) -> tuple[list[str], list[list[float]]]:
    """The words of a model, and a finite number for each of them in each of these columns."""
    words = document["words"]
    numbers = [[float(value) for value in document[column]] for column in columns]
    if any(len(column) != len(words) for column in numbers):
        raise ValueError("its words and weights are not equally many")
    if not all(isinstance(word, str) for word in words):
        raise ValueError("a word is no text")
    if not all(math.isfinite(value) for column in numbers for value in column):
        raise ValueError("a weight is no finite number")
    return words, numbers


def read_document(path: Path, form: str, version: int, kind: str, how: str) -> dict[str, Any]:
    """A model that was written here; anything else is refused in a sentence.

    `kind` is what people call such a model, and `how` says how to make one.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"there is no model '{path}'; {how}.") from None
    except OSError as error:
        raise BadInput(f"the model '{path}' cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError):
        raise BadInput(f"'{path}' is no {kind}; {how}.") from None
    if not isinstance(document, dict) or document.get("format") != form:
        raise BadInput(f"'{path}' is no {kind}; {how}.")
    if document.get("version") != version:
        raise BadInput(
            f"'{path}' is a {kind} of version {document.get('version')}, made by langcrawl "
            f"{document.get('langcrawl')}; this langcrawl reads version {version}: train it anew."
        )
    if document.pop("checksum", "") != checksum_of(document):
        raise BadInput(f"the {kind} '{path}' is damaged or was changed; train it anew.")
    return document


def short(value: float) -> float:
    """A number of a model in seven digits, which is more than it is known to."""
    return float(f"{value:.7g}")


def checksum_of(document: dict[str, Any]) -> str:
    """Tells a document from any other."""
    written = json.dumps(document, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
