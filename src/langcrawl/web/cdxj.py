"""The index of an archive: which record answers which URL, as pywb and others read it (CDXJ).

Each line has a key that brings the URLs of a domain together (SURT), a time, and where the
record stands. The keys are those of the `surt` package, but for session ids, which the links of
a crawl have lost before (docs/urls.md).
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable
from contextlib import ExitStack
from heapq import merge
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TextIO
from urllib.parse import quote_from_bytes, unquote_to_bytes

from langcrawl.url import host_of
from langcrawl.web.warc import warc_date

INDEX = "index.cdxj"
_SORTED_AT_ONCE = 100_000
"""Lines that are held in memory."""
_UNQUOTED = string.punctuation.translate({ord("#"): None, ord("%"): None})
_NO_MARKS = str.maketrans("", "", "-T:")
_BEHIND_MIME = re.compile(r"[;\s]")
_WWW = re.compile(r"www\d*\.")


class Capture(NamedTuple):
    """An archived answer, as the crawl log knows it."""

    url: str
    fetched_at: float
    content_type: str
    status: int
    digest: str
    file: str
    offset: int
    length: int
    revisit: bool


def write_index(directory: Path, captures: Iterable[Capture]) -> None:
    """Write the index of the archive in this directory, sorted, in place of an earlier one."""
    lines = map(_line, captures)
    with TemporaryDirectory(prefix=".index-", dir=directory) as name, ExitStack() as opened:
        drafts = Path(name)
        parts: list[TextIO] = []
        while some := sorted(islice(lines, _SORTED_AT_ONCE)):
            part = opened.enter_context((drafts / str(len(parts))).open("w+", encoding="utf-8"))
            part.writelines(some)
            part.seek(0)
            parts.append(part)
        draft = drafts / INDEX
        with draft.open("w", encoding="utf-8") as whole:
            whole.writelines(merge(*parts))
        draft.replace(directory / INDEX)


def _line(capture: Capture) -> str:
    moment = warc_date(capture.fetched_at)[:19].translate(_NO_MARKS)
    mime = _BEHIND_MIME.split(capture.content_type, maxsplit=1)[0]
    fields = {
        "url": capture.url,
        "mime": "warc/revisit" if capture.revisit else mime,
        "status": str(capture.status),
        "digest": capture.digest,
        "length": str(capture.length),
        "offset": str(capture.offset),
        "filename": capture.file,
    }
    given = {name: value for name, value in fields.items() if value}
    return f"{surt(capture.url)} {moment} {json.dumps(given)}\n"


def surt(url: str) -> str:
    """The key of a canonical URL: host backwards, lower case, without what does not matter."""
    path, mark, query = url.split("/", 3)[3].partition("?")
    query = _sorted_query(_requoted(query)) if mark else ""
    return f"{_backwards(host_of(url))}){_straight(_requoted(path))}{query and '?'}{query}"


def _backwards(host: str) -> str:
    """``www.example.com:81`` as ``com,example:81``; of an IPv6 address only the brackets go."""
    if host.startswith("["):
        return host.replace("[", "").replace("]", "")
    name, colon, port = host.partition(":")
    words = _WWW.sub("", name, count=1) if _WWW.match(name) else name
    return ",".join(reversed(words.rstrip(".").split("."))) + colon + port


def _requoted(text: str) -> str:
    """In lower case, with only those letters quoted that must be."""
    if "%" in text:
        before, raw = b"", text.encode()
        while before != raw:
            before, raw = raw, unquote_to_bytes(raw)
        text = quote_from_bytes(raw, safe=_UNQUOTED)
    return text.lower()


def _straight(path: str) -> str:
    """Without empty segments, dots and the last slash."""
    steps: list[str] = []
    for step in path.split("/"):
        if step == ".." and steps:
            steps.pop()
        elif step not in ("", "."):
            steps.append(step)
    return "/" + "/".join(steps)


def _sorted_query(query: str) -> str:
    """Sorted by names and then by values."""
    return "&".join(sorted(query.split("&"), key=_name_and_value))


def _name_and_value(parameter: str) -> list[str]:
    return parameter.split("=", 1)
