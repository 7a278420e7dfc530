"""Which language files are in: each is read as a page would be, and judged."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from langcrawl.errors import BadInput
from langcrawl.judge import make_judge
from langcrawl.languages import known_languages, load_packs, parse_tag
from langcrawl.page import read_document
from langcrawl.page.kind import is_binary
from langcrawl.parallel import Progress, cores, in_order, silent
from langcrawl.ports import Judge
from langcrawl.records import UNKNOWN, Content, Verdict

_BATCH = 64
"""Files that a process is handed at a time."""
_LARGEST = 10_000_000
"""Bytes of a file that are read."""
_ANY = ("code-interval", "syllables", "cld", "charset", "ngram")
"""Who is asked, in this order, where no language is asked for."""
_HEARD = ("charset", "cld", "ngram")
"""Whose words are given where nobody knows: those that speak of one script say nothing then."""


def find_files(given: Sequence[Path]) -> list[Path]:
    """The files that are named, and all below the directories that are.

    A directory that cannot be looked into is among them, so that it is missed by whoever reads.
    """
    found: list[Path] = []
    for path in given:
        if path.is_dir():
            found += sorted(_below(path))
        elif path.exists():
            found.append(path)
        else:
            raise BadInput(f"there is no file or directory '{path}'; check the path.")
    if not found:
        raise BadInput("there is no file to read; name a file, or a directory that holds some.")
    return found


def _below(directory: Path) -> Iterator[Path]:
    closed: list[OSError] = []
    for folder, _, names in os.walk(directory, onerror=closed.append):
        yield from (path for path in (Path(folder, name) for name in names) if path.is_file())
    yield from (Path(error.filename) for error in closed)


def identify(
    files: Sequence[Path], lang: str = "", judge: str = "", progress: Progress = silent
) -> Iterator[dict[str, Any]]:
    """Judge files, on all cores where they are many; in their order."""
    batches = [files[first : first + _BATCH] for first in range(0, len(files), _BATCH)]
    processes = 1 if len(batches) < 2 else cores()
    done = 0
    for answers in in_order(partial(_judge_all, lang, judge), batches, processes):
        done += len(answers)
        progress(done, done / len(files))
        yield from answers


def _judge_all(lang: str, judge: str, files: Sequence[Path]) -> list[dict[str, Any]]:
    made = make_any(lang, judge)
    return [_identify_file(path, made, bool(lang)) for path in files]


def _identify_file(path: Path, judge: Judge, wanted: bool) -> dict[str, Any]:
    """What a judge says of a file; one that cannot be read does not end the work."""
    try:
        with path.open("rb") as file:
            body = file.read(_LARGEST)
    except OSError as error:
        why = f"cannot be read ({error.strerror})"
        if path.is_dir():
            why = "a directory that cannot be looked into"
        return _entry(str(path), Verdict(evidence=(why,)), "", wanted, error=why)
    return identify_bytes(str(path), body, judge, wanted)


def read_file(path: Path) -> bytes:
    """The bytes of a file, as far as they are read."""
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST)
    except FileNotFoundError:
        raise BadInput(f"there is no file '{path}'; check the path.") from None
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read ({error.strerror}); name a file.") from None


def make_any(lang: str, judge: str) -> Judge:
    """The judge that is named, else those of the language, else all that know languages."""
    return make_judge(load_packs(lang or "en"), judge) if lang or judge else AnyJudge()


class AnyJudge:
    """Asks all judges in turn; the first that knows the language is asked how sure it is."""

    def judge(self, content: Content) -> Verdict:
        heard: tuple[str, ...] = ()
        for name in _ANY:
            verdict = _judge_for(UNKNOWN, name).judge(content)  # a target may win with 30 %
            if verdict.language != UNKNOWN:
                return _judge_for(verdict.language, name).judge(content)
            if name in _HEARD:
                heard += verdict.evidence
        return Verdict(evidence=tuple(dict.fromkeys(heard)))


@lru_cache(maxsize=512)
def _judge_for(language: str, name: str) -> Judge:
    packs = known_languages()
    pack = packs.get(str(parse_tag(language)))
    return make_judge(pack or packs["en"].model_copy(update={"tag": language}), name)


def identify_bytes(source: str, body: bytes, judge: Judge, wanted: bool) -> dict[str, Any]:
    """What a judge says of some bytes, as the JSON of ``identify`` has it."""
    if not body.strip():
        return _entry(source, Verdict(evidence=("there is nothing in it",)), "", wanted)
    if is_binary(body):
        said = "no text, but an image, an archive, a program or the like"
        return _entry(source, Verdict(evidence=(said,)), "", wanted)
    document = read_document(body)
    return _entry(source, judge.judge(document.content), document.codec, wanted)


def _entry(
    source: str, verdict: Verdict, charset: str, wanted: bool, error: str | None = None
) -> dict[str, Any]:
    return {
        "source": source,
        "language": verdict.language,
        "script": verdict.script,
        "encoding": verdict.encoding or "unicode",
        "charset": charset,
        "score": round(verdict.score, 4),
        "relevant": verdict.relevant if wanted else None,
        "evidence": list(verdict.evidence),
        "error": error,
    }
