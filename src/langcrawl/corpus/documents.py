"""An archived page as a document of a corpus: its main text, in Unicode, judged and filtered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import pyarrow as pa
from xxhash import xxh3_64_intdigest, xxh3_128_digest

from langcrawl.corpus.quality import Filters, text_length
from langcrawl.corpus.schema import PART
from langcrawl.corpus.tidy import tidy
from langcrawl.errors import JudgeFailed
from langcrawl.languages.charsets import codec_name, reading_codec
from langcrawl.page import (
    Answer,
    Decoded,
    best_text,
    decode,
    is_html,
    is_pdf,
    is_text,
    main_text,
    understand,
)
from langcrawl.page.budget import OverBudget, is_ordinary
from langcrawl.page.helper import Helper
from langcrawl.ports import Judge
from langcrawl.records import PDF, UNJUDGED, UNKNOWN, Content, MainText, Verdict
from langcrawl.url import host_of

TEXTS: Final = ("main", "full", "best")
"""What can be taken of a page: what it is about, or all that it shows."""
_TINY = b"<!doctype html><p>A page, so that everything is there to read pages with.</p>"
_LITTLE = 200
"""Characters of a main text that are too few to tell its language for sure."""


class Found(NamedTuple):
    """An archived page as a source hands it over."""

    answer: Answer
    fetched_at: float
    """Seconds since 1970; 0 where the archive does not say."""
    digest: str
    warc_file: str
    warc_offset: int | None
    verdict: Verdict | None = None
    """What the log says of it; None where it is to be judged."""
    fonts: tuple[str, ...] = ()


class Batch(NamedTuple):
    """What became of some pages: the documents, and how many were left out for which reason."""

    documents: pa.Table
    dropped: Counter[str]
    paragraphs_out: int
    """Paragraphs that are not in the target, where only those were asked for."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How pages are read."""

    judge: Judge
    """Asked of pages without a verdict, and of paragraphs."""
    filters: Filters
    text: str = "main"
    only_target: bool = True
    paragraphs_in_target: bool = False


class _Document(NamedTuple):
    row: dict[str, Any]
    paragraphs: list[str]
    paragraphs_out: int


class DocumentReader:
    """Makes documents of pages, those that could be dear in a helper that may be ended for it."""

    def __init__(self, how: Reading) -> None:
        self.how = how
        self._helper = Helper(self._read)

    def prepare(self) -> None:
        """Load what reading takes, before this process is copied."""
        page = Answer("http://localhost/", 200, "text/html", "", _TINY, {})
        self.how.judge.judge(_see(page, self.how.text).content)

    def read_all(self, pages: Iterable[Found]) -> Batch:
        """The documents among some pages."""
        dropped: Counter[str] = Counter()
        documents: list[_Document] = []
        for found in pages:
            made = self.read(found)
            if isinstance(made, str):
                dropped[made] += 1
            else:
                documents.append(made)
        out = sum(document.paragraphs_out for document in documents)
        return Batch(_table(documents), dropped, out)

    def read(self, found: Found) -> _Document | str:
        """The document of a page, or why there is none."""
        answer = found.answer
        kind, body = answer.content_type, answer.body
        pdf = found.verdict is not None and is_pdf(body)  # of a crawl that reads PDFs
        if not (pdf or is_html(kind, body) or is_text(kind, body)):
            return "not-text"
        if reason := self.how.filters.before_reading(host_of(answer.url), found.fetched_at):
            return reason
        try:
            harmless = is_ordinary(body) and not pdf
            return self._read(found) if harmless else self._helper(found)
        except (JudgeFailed, MemoryError):  # nothing is wrong with the page
            raise
        except OverBudget:
            return "unreadable"
        except Exception:  # a page must not be able to stop the export
            return "unreadable"

    def close(self) -> None:
        self._helper.close()

    def _read(self, found: Found) -> _Document | str:
        how, verdict = self.how, found.verdict
        seen = _see(found.answer, how.text)
        fonts = found.fonts or seen.content.fonts
        if verdict is None:
            verdict = how.judge.judge(seen.content)
            if _needs_another_look(seen.content, verdict):
                content = _whole(found.answer).content
                verdict, fonts = how.judge.judge(content), content.fonts
        if how.only_target and not verdict.relevant:
            return "other-language"
        paragraphs = tidy(seen.main.text, verdict.encoding, fonts)
        before = len(paragraphs)
        if how.paragraphs_in_target:
            paragraphs = [each for each in paragraphs if self._in_target(each, verdict)]
        if reason := how.filters.reason(verdict.score, paragraphs):
            return reason
        title = " ".join(tidy(seen.main.title, verdict.encoding, fonts))
        row = _row(found, seen, verdict) | {"title": title}
        return _Document(row, paragraphs, before - len(paragraphs))

    def _in_target(self, paragraph: str, page: Verdict) -> bool:
        """Whether a paragraph is in the target; if it is too short to tell, its script says so."""
        verdict = self.how.judge.judge(Content(paragraph))
        return verdict.relevant or (
            verdict.language == UNKNOWN and verdict.script in ("", page.script)
        )


class _Silent:
    """A judge that is not asked."""

    def judge(self, content: Content) -> Verdict:
        return UNJUDGED


class _Seen(NamedTuple):
    content: Content
    """What a judge is shown."""
    main: MainText
    """What is exported."""
    charset: str


def _see(answer: Answer, text: str) -> _Seen:
    """What a judge is shown of a page, and the text that is exported of it.

    The main text is enough for both: no time is spent on links, nor on what the page declares.
    """
    if text == "full" or not is_html(answer.content_type, answer.body):
        return _whole(answer, text != "full")
    decoded = decode(answer.body, answer.content_type)
    main = (best_text if text == "best" else main_text)(
        decoded.utf_8 or decoded.text.encode("utf-8", "replace")
    )
    return _Seen(Content(main.text, decoded.charsets, title=main.title), main, _charset(decoded))


def _whole(answer: Answer, main: bool = False) -> _Seen:
    """All that a page says, as a crawl sees it."""
    _, _, content = understand(
        *answer[:5], _Silent(), headers=answer.headers, fingerprinted=False, main=main, pdf=True
    )
    said = content.main or MainText(content.text, content.title)
    if PDF in content.notes:
        return _Seen(content, said, "")
    return _Seen(content, said, _charset(decode(answer.body, answer.content_type)))


def _needs_another_look(content: Content, verdict: Verdict) -> bool:
    """Whether a page may be in the target although its main text does not show it.

    There may be too little of it, or it may be typed in a font that only the whole page names.
    """
    if verdict.relevant:
        return False
    return verdict.language == UNKNOWN or len(content.text) < _LITTLE


def _charset(decoded: Decoded) -> str:
    """The charset that read a page, by the name that the page or the detector has for it."""
    charsets = decoded.charsets
    for codec in map(codec_name, (charsets.header, charsets.meta, charsets.detected)):
        if codec and decoded.codec in (codec, reading_codec(codec)):
            return codec
    return decoded.codec


def _row(found: Found, seen: _Seen, verdict: Verdict) -> dict[str, Any]:
    main = seen.main
    return {
        "url": found.answer.url,
        "host": host_of(found.answer.url),
        "fetched_at": round(found.fetched_at * 1000) or None,
        "language": verdict.language,
        "script": verdict.script,
        "encoding": verdict.encoding or "unicode",
        "charset": seen.charset,
        "score": verdict.score,
        "licence": main.licence or None,
        "author": main.author or None,
        "date": main.date or None,
        "warc_file": found.warc_file,
        "warc_offset": found.warc_offset,
        "digest": found.digest,
    }


def _table(documents: Sequence[_Document]) -> pa.Table:
    """Documents as a table, with the hashes that the search for duplicates needs."""
    columns: dict[str, list[Any]] = {name: [] for name in PART.names}
    for row, paragraphs, _ in documents:
        text = "\n".join(paragraphs)
        for name, value in row.items():
            columns[name].append(value)
        columns["characters"].append(text_length(paragraphs))
        columns["text"].append(text)
        columns["key"].append(xxh3_128_digest(text.encode()))
        columns["paragraph_keys"].append([xxh3_64_intdigest(each.encode()) for each in paragraphs])
        columns["paragraph_sizes"].append([len(each) for each in paragraphs])
    arrays = [pa.array(columns[field.name], field.type) for field in PART]
    return pa.Table.from_arrays(arrays, schema=PART)
