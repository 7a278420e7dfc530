"""``langcrawl status``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from langcrawl.cli.common import Json, as_one, by_language, print_json, print_table
from langcrawl.errors import UsageError

if TYPE_CHECKING:
    from langcrawl.measure.estimate import Estimate
    from langcrawl.store.status import EstimatedEnd, Status

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the crawl.")]


Metrics = Annotated[
    bool, typer.Option("--metrics", help="Print the figures as OpenMetrics text, for Prometheus.")
]
_HOSTS_SHOWN = 10


def status(directory: Directory, metrics: Metrics = False, as_json: Json = False) -> None:
    """Show what the crawl in DIR is doing, or how it ended; works while it runs.

    \b
    Example:  langcrawl status thai
              watch langcrawl status thai
    """
    from langcrawl.store.metrics import metrics_of
    from langcrawl.store.view import read_status

    if metrics and as_json:
        raise UsageError("--metrics and --json are two forms of the same; give one of them.")
    found = read_status(directory)
    if as_json:
        said = _estimate(directory)
        speed = found.lately or found.pages_per_second
        print_json(found.as_json() | {"estimate": said.as_json(speed) if said else None})
    elif metrics:
        print(metrics_of(found), end="")
    else:
        _show(directory, found)
        if (said := _estimate(directory)) is not None:
            left = said.time_left(found.lately or found.pages_per_second, found.running)
            words = f"{_first_large(said.sentence())}. {said.advice()} {left}"
            print(f"\nHow complete is it? {words.rstrip()}")


def _estimate(directory: Path) -> Estimate | None:
    """How complete the crawl seems to be, where it draws a sample."""
    from langcrawl.config import CrawlConfig

    if not CrawlConfig.load(directory).sample:
        return None
    from langcrawl.measure.crawled import estimate_crawl

    return estimate_crawl(as_one(directory))


def _first_large(words: str) -> str:
    return words[:1].upper() + words[1:]


def _show(directory: Path, found: Status) -> None:
    """The status in sentences and tables."""
    from langcrawl.store.events import moment_of
    from langcrawl.store.watch import in_words

    now = time.time()
    running = "paused" if found.paused else "running" if found.running else "not running"
    print(
        f"{directory}: {running}, {found.pages:,} pages in {found.seconds:,.0f} s "
        f"({found.pages_per_second:,.1f}/s), {found.relevant:,} of them in {found.lang} "
        f"({found.harvest:.1%})."
    )
    if languages := by_language(found.languages):
        print(f"By language: {languages}.")
    if found.lately is not None:
        print(f"Lately {found.lately:,.1f} pages/s; {_end(found.estimated_end)}.")
    print(
        f"{found.queue:,} URLs wait, {found.under_way:,} are under way; "
        f"{found.urls:,} are known on {found.hosts:,} hosts; "
        f"{found.bytes / 1e6:,.1f} MB downloaded."
    )
    if found.last_event is not None:
        since = in_words(now - moment_of(found.last_event))
        print(f"Last event, {since} ago: {_printable(found.last_event.get('words'))}")
    if found.failing:
        print()
        rows = []
        for host in found.failing[:_HOSTS_SHOWN]:
            again = f"in {in_words(host.asked_again - now)}" if host.asked_again else "now"
            rows.append((host.host, host.error or "?", f"{host.troubles:,}", again))
        heads = [f"failing hosts ({found.failing_hosts:,})", "error", "in a row", "asked again"]
        print_table(heads, rows)
    for title in ("answers", "errors", "silences", "discards", "notes"):
        counts = sorted(getattr(found, title).items(), key=lambda item: -item[1])
        if counts:
            print()
            print_table([title, "count"], [(name, f"{count:,}") for name, count in counts])


def _end(end: EstimatedEnd | None) -> str:
    from langcrawl.store.watch import in_words

    if end is None:
        return "no end is in sight"
    return f"going on like this it ends in about {in_words(end.seconds)} ({end.because})"


def _printable(words: object) -> str:
    """Without what could move the cursor: the file may be somebody else's."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(words))
