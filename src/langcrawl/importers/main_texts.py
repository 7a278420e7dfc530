"""The texts of files, of web archives and of crawls, one page after another.

Each is read as a crawl would read it, judged, and turned into Unicode whatever its encoding was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from langcrawl.archive.message import read_answer
from langcrawl.archive.reader import find_archives, read_records
from langcrawl.archive.record import Record
from langcrawl.config import FILE
from langcrawl.errors import BadInput, UsageError
from langcrawl.importers.files import find_files, make_any
from langcrawl.importers.given import ARCHIVE, archives_given
from langcrawl.page import (
    Answer,
    ReadMain,
    best_text,
    is_html,
    is_pdf,
    is_text,
    read_document,
    understand,
)
from langcrawl.page.budget import OverBudget
from langcrawl.page.helper import Helper
from langcrawl.page.kind import is_binary
from langcrawl.page.main_text import has_best_text
from langcrawl.parallel import Progress, cores, in_order, silent
from langcrawl.ports import Judge
from langcrawl.records import UNKNOWN, Content, MainText, Verdict
from langcrawl.script import convert
from langcrawl.url import is_robots_txt

KINDS = ("full", "main", "best")
"""The whole visible text; the main text; the main text as trafilatura finds it."""
_LARGEST = 10_000_000
"""Bytes of a file or an answer that are read."""
_TOLD = ("source", "title", "text", "language", "script", "encoding", "charset", "date", "author",
         "licence", "notes", "error")  # fmt: skip
_BATCH, _BATCH_BYTES = 64, 2_000_000


class _Source(NamedTuple):
    """A page to read: its name for the user, and the answer that it came as, or its bytes."""

    name: str
    body: bytes
    answer: Answer | None = None
    problem: str = ""


def check_kind(kind: str) -> None:
    """Refuse a kind of text that there is not, or not here."""
    if kind not in KINDS:
        raise UsageError(f"--text is full, main or best, not '{kind}'.")
    if kind == "best" and not has_best_text():
        raise BadInput(
            "--text best needs trafilatura, which is not installed; run 'pip install trafilatura', "
            "or use --text main."
        )


def read_texts(
    given: Sequence[Path], kind: str = "main", progress: Progress = silent
) -> Iterator[dict[str, Any]]:
    """The texts of what is given, in its order, as the JSON of ``text`` has them."""
    check_kind(kind)
    files = [file for path in given for file in _files(path)]
    processes = 1 if len(files) < _BATCH and not any(map(_is_archive, files)) else cores()
    done = 0
    work = partial(_texts_of, kind)
    for found in in_order(work, _batches(files), processes):
        done += len(found)
        progress(done, None)
        yield from found


def text_of_bytes(name: str, body: bytes, kind: str = "main") -> dict[str, Any]:
    """The text of some bytes, as the JSON of ``text`` has it."""
    check_kind(kind)
    return _texts_of(kind, [_Source(name, body)])[0]


def _files(path: Path) -> list[Path]:
    """Of a crawl directory its archive, else the file itself or all below a directory."""
    return archives_given([path]) if (path / FILE).exists() else find_files([path])


def _is_archive(path: Path) -> bool:
    return bool(ARCHIVE.search(path.name))


def _batches(files: Sequence[Path]) -> Iterator[list[_Source]]:
    batch: list[_Source] = []
    size = 0
    for source in (source for path in files for source in _sources(path)):
        batch.append(source)
        size += len(source.body)
        if len(batch) >= _BATCH or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _sources(path: Path) -> Iterator[_Source]:
    """The pages in a file: itself, or the answers with status 200 of an archive."""
    if not _is_archive(path):
        try:
            with path.open("rb") as file:
                yield _Source(str(path), file.read(_LARGEST))
        except OSError as error:
            yield _Source(str(path), b"", problem=f"cannot be read ({error.strerror})")
        return
    tally: Counter[str] = Counter()
    for archive in find_archives(path):
        for record in read_records(archive, _LARGEST, tally):
            if not is_robots_txt(record.url) and (answer := _answer(record)) is not None:
                yield _Source(record.url, answer.body, answer)
    if broken := tally["broken"]:
        problem = f"{broken:,} of its records cannot be read (it may be cut short)"
        yield _Source(str(path), b"", problem=problem)


def _answer(record: Record) -> Answer | None:
    """The answer in a record, if it is a page."""
    if record.kind == "resource":
        kind, body, heeded = record.content_type, record.block[:_LARGEST], dict[str, str]()
    elif record.kind == "response" and (found := read_answer(record.block, _LARGEST)):
        if found.status != 200:
            return None
        kind, body, heeded = found.header("Content-Type"), found.body, found.heeded
    else:
        return None
    if not (is_html(kind, body) or is_text(kind, body) or is_pdf(body)):
        return None
    return Answer(record.url, 200, kind, "", body, heeded)


def _texts_of(kind: str, sources: Sequence[_Source]) -> list[dict[str, Any]]:
    judge = make_any("", "")
    read = Helper(partial(_entry, kind, judge))
    try:
        return [_within_budget(read, source) for source in sources]
    finally:
        read.close()


def _within_budget(read: Helper[[_Source], dict[str, Any]], source: _Source) -> dict[str, Any]:
    try:
        return read(source)
    except OverBudget as error:
        return _row(source.name, problem=f"not read: {error}")


def _entry(kind: str, judge: Judge, source: _Source) -> dict[str, Any]:
    """What one page says; what is no text says why."""
    if source.problem:
        return _row(source.name, problem=source.problem)
    if not source.body.strip():
        return _row(source.name, problem="there is nothing in it")
    main: bool | ReadMain = best_text if kind == "best" else True
    charset = ""
    if source.answer is not None:
        _, _, content = understand(
            *source.answer[:5], _Silent(), headers=source.answer.headers, main=main, pdf=True
        )
    elif is_binary(source.body) and not is_pdf(source.body):
        return _row(source.name, problem="no text, but an image, an archive, a program or the like")
    else:
        document = read_document(source.body, main)
        content, charset = document.content, document.codec
    return _told(source.name, kind, content, judge.judge(content), charset)


def _told(name: str, kind: str, content: Content, verdict: Verdict, charset: str) -> dict[str, Any]:
    stated = content.main or MainText()
    text = content.text if kind == "full" else stated.text
    source = verdict.encoding if verdict.encoding not in ("", "unicode") else ""
    encoding = source or "unicode"
    if source:
        _, done = convert(text, source, fonts=content.fonts)
        text = done.text
    charsets = content.charsets
    return _row(
        name,
        title=stated.title or content.title,
        text=text,
        language=verdict.language,
        script=verdict.script,
        encoding=encoding,
        charset=charset or charsets.header or charsets.meta or charsets.detected,
        date=stated.date,
        author=stated.author,
        licence=stated.licence,
        notes=list(content.notes),
    )


def _row(name: str, problem: str | None = None, **known: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(_TOLD, "")
    row |= {"source": name, "language": UNKNOWN, "encoding": "unicode", "notes": []}
    return row | known | {"error": problem}


class _Silent:
    """A judge that is not asked."""

    def judge(self, content: Content) -> Verdict:
        return Verdict()
