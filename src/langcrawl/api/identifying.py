"""`langcrawl.identify`: the language, script and encoding of a text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Identified:
    """What a text is in, and how one can tell."""

    language: str
    """A BCP-47 tag; ``und`` where it is not known."""
    script: str
    encoding: str
    """``unicode``, or a legacy encoding such as ``zawgyi``."""
    charset: str
    """Of bytes and files: the charset by which they were read."""
    score: float
    relevant: bool | None
    """Whether it is in the language that was asked for; None where none was."""
    evidence: tuple[str, ...]


def identify(
    source: str | bytes | os.PathLike[str], *, lang: str = "", judge: str = ""
) -> Identified:
    """Tell the language, script and encoding of a text, of bytes, or of a file.

    A string is text, or HTML; to name a file, give a `pathlib.Path`. With `lang`, it is also said
    whether the text is in that language; with `judge`, one judge is asked (docs/judges.md).

    >>> langcrawl.identify("ตลาดริมน้ำเปิดทุกเช้าตั้งแต่หกโมง วันนี้อากาศดีมาก").language
    'th'
    >>> langcrawl.identify("วันนี้อากาศดีมาก".encode("tis-620")).charset
    'cp874'
    >>> langcrawl.identify(Path("page.html"), lang="th").relevant  # doctest: +SKIP
    True
    """
    from langcrawl.importers.files import identify_bytes, make_any, read_file

    asked = make_any(lang, judge)
    if isinstance(source, str):
        # The mark says that it is UTF-8, whatever charset a page of HTML may declare.
        body = b"\xef\xbb\xbf" + source.removeprefix("\ufeff").encode("utf-8", "replace")
        body = body if source.strip() else b""
    elif isinstance(source, bytes):
        body = source
    else:
        body = read_file(Path(source))
    found: Mapping[str, Any] = identify_bytes("", body, asked, bool(lang))
    return Identified(
        language=found["language"],
        script=found["script"],
        encoding=found["encoding"],
        charset="" if isinstance(source, str) else found["charset"],
        score=found["score"],
        relevant=found["relevant"],
        evidence=tuple(found["evidence"]),
    )
