"""What reviewers say, kept in ``review.jsonl`` beside the crawl: a sample, and a line an answer.

A line is written in one piece and reaches the disk before the next page is shown, so that whoever
kills the process loses nothing. Half a line that a power cut left is not read. The last answer of a
reviewer to a page counts. Several processes may write at the same time.
"""

from __future__ import annotations

import csv
import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from langcrawl.errors import BadInput
from langcrawl.review.sample import Sample, draw_sample

FILE = "review.jsonl"
ANSWERS = {
    "y": ("yes", "in the target"),
    "o": ("other-language", "in another language"),
    "m": ("mixed", "mostly in another language"),
    "g": ("garbled", "garbled, or in a wrong encoding"),
    "n": ("no-text", "hardly any text: a menu, an error, a login"),
    "s": ("spam", "generated or spam"),
    "u": ("unsure", "cannot tell"),
}
"""The keys of a reviewer: the word that is kept, and what it means. All but the first and the last
are kinds of mistakes where the judge called the page relevant."""
WORDS = tuple(word for word, _ in ANSWERS.values())
_LONGEST_NAME = 60
_HEADS = ("url", "answer", "reviewer", "at", "relevant", "score", "language", "stratum")


class Answer(NamedTuple):
    """What a reviewer says of a page."""

    page: int
    answer: str
    reviewer: str
    at: float


class ReviewFile:
    """The sample of a crawl, and the answers to it."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.path = directory, directory / FILE

    def read(self) -> tuple[Sample | None, list[Answer]]:
        """The latest sample, and the answers that count for it."""
        sample: Sample | None = None
        answers: dict[tuple[str, int], Answer] = {}
        for line in self._lines():
            if (drawn := _sample_in(line)) is not None:
                sample = drawn
                answers.clear()
            elif (given := _answer_in(line)) is not None:
                answers.pop((given.reviewer, given.page), None)
                answers[given.reviewer, given.page] = given
        known = {page.page for page in sample.pages} if sample else set()
        return sample, [given for given in answers.values() if given.page in known]

    def sample(self, size: int, seed: int, *, new: bool = False) -> Sample:
        """The sample that is there, or else a new one, which is kept."""
        with self._locked() as file:
            kept, _ = self.read()
            if kept is not None and not new:
                return kept
            drawn = draw_sample(self.directory, size, seed)
            _append(file, {"sample": drawn.as_json()})
            return drawn

    def add(self, page: int, answer: str, reviewer: str) -> Answer:
        """Keep an answer; it is on the disk when this returns."""
        if answer not in WORDS:
            raise BadInput(f"'{answer}' is no answer; there are: {', '.join(WORDS)}.")
        name = reviewer.strip()
        if not name or len(name) > _LONGEST_NAME or not name.isprintable():
            raise BadInput("name the reviewer in a few letters with --reviewer.")
        given = Answer(page, answer, name, round(time.time(), 1))
        with self._locked() as file:
            _append(file, given._asdict())
        return given

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return
        for line in text.split(b"\n"):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield found

    @contextmanager
    def _locked(self) -> Iterator[int]:
        try:
            file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise BadInput(
                f"'{self.path}' cannot be written ({error.strerror}); check its permissions."
            ) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


def _sample_in(line: dict[str, Any]) -> Sample | None:
    """The sample that a line holds; None where it holds none, or a damaged one."""
    try:
        return Sample.from_json(line["sample"])
    except (KeyError, TypeError, ValueError):
        return None


def _answer_in(line: dict[str, Any]) -> Answer | None:
    """The answer that a line holds; None where it holds none that a reviewer could have given."""
    given = Answer(*(line.get(name) for name in Answer._fields))  # type: ignore[arg-type]
    is_one = (
        isinstance(given.page, int)
        and given.answer in WORDS
        and isinstance(given.reviewer, str)
        and isinstance(given.at, (int, float))
    )
    return given if is_one else None


def _append(file: int, line: dict[str, Any]) -> None:
    """Append a line, after ending half a line that was left there."""
    size = os.fstat(file).st_size
    whole = not size or os.pread(file, 1, size - 1) == b"\n"
    left = (b"" if whole else b"\n") + json.dumps(line, ensure_ascii=False).encode(
        "utf-8", "backslashreplace"
    )
    left += b"\n"
    while left:
        left = left[os.write(file, left) :]
    os.fsync(file)


def read_answers(text: str, sample: Sample, reviewer: str) -> Iterator[tuple[int, str, str]]:
    """Answers from a file: CSV with a head of url and answer, or a JSON object a line.

    A reviewer's name may stand in each line. An answer is a word or its key.
    """
    pages = {page.url: page.page for page in sample.pages}
    keys = {key: word for key, (word, _) in ANSWERS.items()}
    for number, row in enumerate(_rows(text), 1):
        url, answer = str(row.get("url", "")), str(row.get("answer", ""))
        if url not in pages:
            raise BadInput(f"line {number} is about '{url[:200]}', which is not in the sample.")
        yield pages[url], keys.get(answer, answer), str(row.get("reviewer") or reviewer)


def _rows(text: str) -> Iterable[dict[str, Any]]:
    if not text.lstrip().startswith("{"):
        rows = csv.DictReader(StringIO(text, newline=None))
        try:
            if not {"url", "answer"} <= set(rows.fieldnames or ()):
                raise BadInput("a file of answers begins with the line 'url,answer'.")
            return list(rows)
        except csv.Error as error:
            raise BadInput(f"the answers are no CSV that can be read ({error}); fix it.") from None
    found = []
    for number, line in enumerate(filter(str.strip, text.splitlines()), 1):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise BadInput(f"line {number} of the answers is no JSON object; fix it.")
        found.append(row)
    return found


def write_answers(path: Path, sample: Sample, answers: Iterable[Answer]) -> int:
    """Export answers as CSV or JSON lines, by the name of the file; how many there are."""
    pages = {page.page: page for page in sample.pages}
    rows = []
    for given in answers:
        page = pages[given.page]
        about = (page.relevant, page.score, page.language, sample.strata[page.stratum].name)
        rows.append(
            dict(zip(_HEADS, (page.url, given.answer, given.reviewer, given.at, *about),
                     strict=True))
        )  # fmt: skip
    out = StringIO()
    if path.suffix in (".json", ".jsonl"):
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    elif path.suffix == ".csv":
        table = csv.DictWriter(out, _HEADS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    else:
        raise BadInput(f"answers are exported as .csv or .jsonl; '{path.name}' is neither.")
    draft = path.with_name(f".{path.name}.tmp")
    draft.write_text(out.getvalue(), encoding="utf-8", errors="backslashreplace")
    draft.replace(path)
    return len(rows)
