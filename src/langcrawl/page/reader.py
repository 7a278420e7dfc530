"""Reads answers to the end: decoded, extracted, judged, their anchors scored, their text converted.

`PageReader` is all that can be dear about a page, and nothing that touches a file or a network, so
that a helper can do it as well as the process that downloads. `CarefulReader` keeps it within a
budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from langcrawl.page.answer import Steps, at_once, digest_of, understand_in_steps
from langcrawl.page.budget import Budget, OverBudget, is_ordinary
from langcrawl.page.declared import clean
from langcrawl.page.helper import Helper
from langcrawl.page.kind import is_html, is_text
from langcrawl.page.main_text import ReadMain
from langcrawl.page.pdf import is_pdf
from langcrawl.ports import Judge
from langcrawl.records import OVER_BUDGET, UNJUDGED, Page, Verdict
from langcrawl.script import Conversion, convert

_SHORT = 20_000
"""Bytes of a page whose text is harmless to convert, which takes longer than all else."""

ScoreAnchor = Callable[[str, tuple[str, ...]], float]
"""How much an anchor is in the target, given the fonts that its page asks for."""


class Answer(NamedTuple):
    """What a server sent, as far as reading it goes."""

    url: str
    status: int
    content_type: str
    location: str
    body: bytes
    headers: Mapping[str, str]
    """Those in `HEEDED_HEADERS`, by their names in small letters."""


class Reading(NamedTuple):
    """What reading an answer gave."""

    page: Page
    verdict: Verdict
    conversion: Conversion | None = None
    """The text of a relevant page in the encoding that was asked for, if one was."""


@dataclass(frozen=True, slots=True)
class PageReader:
    """How answers are read."""

    judge: Judge
    score_anchor: ScoreAnchor | None = None
    normalize: str = "none"
    """The encoding in which the text of relevant pages is wanted, or ``none``."""
    context: bool = False
    """Take the text around links as well."""
    fingerprinted: bool = True
    main: bool | ReadMain = False
    """Find the main text, for its size."""
    pdf: bool = False
    """Read PDFs too."""

    def could_be_dear(self, answer: Answer) -> bool:
        """Whether reading an answer could take more than a moment."""
        if answer.status != 200:
            return False
        if self.pdf and is_pdf(answer.body):
            return True
        short = self.normalize == "none" or len(answer.body) <= _SHORT
        if short and is_ordinary(answer.body):
            return False
        kind, body = answer.content_type, answer.body
        return is_html(kind, body) or is_text(kind, body)

    def read(self, answer: Answer) -> Reading:
        """Decode, extract and judge what a server sent."""
        return at_once(self.steps(answer))

    def steps(self, answer: Answer) -> Steps[Reading]:
        """The same in steps."""
        page, verdict, content = yield from understand_in_steps(
            *answer[:5],
            self.judge,
            answer.headers,
            self.fingerprinted,
            self.context,
            self.main,
            self.pdf,
        )
        if self.score_anchor is not None and page.links:
            score, links = self.score_anchor, page.links
            anchors = links.anchors or ("",) * len(links)
            scores = [score(anchor, content.fonts) for anchor in anchors]
            page = page._replace(links=replace(links, anchor_scores=scores))
        conversion = None
        if self.normalize != "none" and verdict.relevant:
            _, conversion = convert(content.text, target=self.normalize, fonts=content.fonts)
            if conversion.unmapped:
                page = page._replace(notes=(*page.notes, "unmapped"))
        return Reading(page, verdict, conversion)


class CarefulReader:
    """Reads answers within a budget: on the spot where that is harmless, else in a helper."""

    def __init__(self, reader: PageReader, budget: Budget | None = None) -> None:
        self.could_be_dear = reader.could_be_dear
        self._reader = reader
        self._helper = Helper(reader.read, budget)

    def read(self, answer: Answer, careful: bool = False) -> Reading:
        """Read an answer; `careful` where it is known to be dear, however small it is."""
        if careful or self.could_be_dear(answer):
            return self._read_beside(answer)
        return at_once(self.steps(answer))

    def steps(self, answer: Answer) -> Steps[Reading]:
        """Read an answer that is not dear, in steps."""
        try:
            return (yield from self._reader.steps(answer))
        except MemoryError:  # it was dear after all
            return self._read_beside(answer)
        except OverBudget:
            return unread(answer)

    def _read_beside(self, answer: Answer) -> Reading:
        try:
            return self._helper(answer)
        except OverBudget:
            return unread(answer)

    def close(self) -> None:
        self._helper.close()


def unread(answer: Answer) -> Reading:
    """A page that was not read, because that would have cost too much."""
    page = Page(
        url=answer.url,
        status=answer.status,
        content_type=clean(answer.content_type),
        bytes=len(answer.body),
        digest=digest_of(answer.body),
        notes=(OVER_BUDGET,),
    )
    return Reading(page, UNJUDGED)
