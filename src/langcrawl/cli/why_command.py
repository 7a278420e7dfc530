"""``langcrawl why``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from langcrawl.cli.common import CrawlToRead, Json, print_json
from langcrawl.draws import reason_in_words

if TYPE_CHECKING:
    from langcrawl.why import Explanation, PageSeen

Url = Annotated[str, typer.Argument(metavar="URL", help="The URL to explain.")]
_WIDEST = 300


def why(directory: CrawlToRead, url: Url, as_json: Json = False) -> None:
    """Say how URL came to be crawled, queued or left out; works while the crawl runs.

    \b
    Example:  langcrawl why thai https://www.example.co.th/news/
    """
    from langcrawl.why import explain

    found = explain(directory, url)
    if as_json:
        print_json(found.as_json())
    else:
        _show(found)


def _show(found: Explanation) -> None:
    """The explanation in sentences, the answer first."""
    _say(f"{found.url}\n{found.state}: {found.says}.")
    if found.reason:
        _say(f"Its place: {found.reason}.")
    if found.path:
        print("\nFrom a seed:")
        for step in found.path:
            _say(f"  {step.url}")
            _say(f"    {_step(step)}")
            for line in step.evidence:
                _say(f"    {line}")
    if found.visits:
        print("\nAsked for more than once:")
        for visit in found.visits:
            when = datetime.fromtimestamp(visit.fetched_at, UTC)
            answer = f"status {visit.status}" if visit.status else visit.error
            _say(f"  {when:%Y-%m-%d %H:%M} UTC: {visit.outcome}, {answer}")
    if found.rules:
        print("\nRules that leave it out:")
        for rule in found.rules:
            _say(f"  {rule.word}: {rule.says}")
    for title, urls in (("Linked from", found.linked_from), ("Nearest known", found.nearest)):
        if urls:
            print(f"\n{title}:")
            for url in urls:
                _say(f"  {url}")
    if (host := found.host) is not None:
        _say(
            f"\nIts host {host.host}: {host.urls:,} URLs known, {host.waiting:,} waiting, "
            f"{host.downloads:,} downloaded, {host.relevant:,} of them relevant"
            + (f", {host.failures:,} failures in a row." if host.failures else ".")
        )


def _step(step: PageSeen) -> str:
    """A page on the path in a line."""
    words = [step.found_by or "link", f"status {step.status}" if step.status else step.error]
    if step.lane is not None:
        words.append(f"lane {step.lane:g}")
    if step.status == 200:
        encoding = f" in {step.encoding}" if step.encoding not in ("", "unicode") else ""
        score = "" if step.score is None else f", score {step.score:.2f}"
        relevant = "relevant" if step.relevant else "not relevant"
        words.append(f"{step.language or 'und'}{encoding}, {relevant}{score}")
    if step.reason:
        words.append(reason_in_words(step.reason))
    if step.warc_file:
        words.append(f"{step.warc_file} at {step.warc_offset}")
    return "; ".join(words)


def _say(text: str) -> None:
    """Print what may come from a page: without what could move the cursor, and not endless."""
    for line in text.split("\n"):
        shown = "".join(letter if letter.isprintable() else "?" for letter in line)
        print(shown if len(shown) <= _WIDEST else f"{shown[:_WIDEST]}...")
