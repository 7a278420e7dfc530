"""The review on the dashboard: the next page of a sample for a reviewer, and the figures."""

from __future__ import annotations

import getpass
from secrets import randbelow
from typing import Any

from langcrawl.dashboard.watched import WatchedCrawl
from langcrawl.errors import BadInput
from langcrawl.review import ANSWERS, ReviewFile, ReviewTexts, Sample, figures
from langcrawl.script import readable

_WHOLE = 20_000
"""Characters of a text that a reviewer is shown."""
_SIZE = 100


def review_document(crawl: WatchedCrawl, reviewer: str, wanted: float) -> dict[str, Any]:
    """What a reviewer sees: the judge's verdict is not among it, so that it sways nobody."""
    kept = ReviewFile(crawl.directory)
    sample, answers = kept.read()
    name = reviewer.strip() or default_reviewer()
    document: dict[str, Any] = {
        "reviewer": name,
        "size": _SIZE,
        "keys": [{"key": key, "answer": word, "says": says} for key, (word, says) in
                 ANSWERS.items()],
        "figures": None, "next": None, "answered": 0, "sampled": 0,
    }  # fmt: skip
    if sample is None:
        return document
    done = {given.page for given in answers if given.reviewer == name}
    return document | {
        "figures": figures(sample, answers, wanted),
        "next": _next(crawl, sample, done),
        "answered": len(done),
        "sampled": len(sample.pages),
    }


def _next(crawl: WatchedCrawl, sample: Sample, done: set[int]) -> dict[str, Any] | None:
    """The first page of the sample that is not among those."""
    for page in sample.pages:
        if page.page not in done:
            texts = ReviewTexts(crawl.directory)
            text, archived = texts.text(page), texts.archived(page)
            return {
                "page": page.page, "url": page.url, "title": readable(page.title, page.encoding),
                "text": text[:_WHOLE], "text_cut": len(text) > _WHOLE,
                "archived": archived is not None,
            }  # fmt: skip
    return None


def take_answer(crawl: WatchedCrawl, sent: dict[str, Any]) -> str:
    """Keep what a reviewer says, or draw a sample where one is asked for; who the reviewer is."""
    kept = ReviewFile(crawl.directory)
    name = str(_one(sent, "reviewer")).strip() or default_reviewer()
    if size := _one(sent, "draw"):
        if not str(size).isascii() or not str(size).isdigit() or len(str(size)) > 6:
            raise BadInput(f"'{str(size)[:60]}' is no number of pages; write 100.")
        kept.sample(int(size), randbelow(1 << 31), new=bool(_one(sent, "new")))
        return name
    sample, _ = kept.read()
    page = str(_one(sent, "page"))
    if sample is None or page not in {str(one.page) for one in sample.pages}:
        raise BadInput("that page is not in the sample; go back to the review.")
    kept.add(int(page), str(_one(sent, "answer")), name)
    return name


def default_reviewer() -> str:
    """Who runs the dashboard."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "reviewer"


def _one(sent: dict[str, Any], key: str) -> Any:
    value = sent.get(key, "")
    return (value[0] if value else "") if isinstance(value, list) else value
