"""``langcrawl recrawl``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from langcrawl.cli.common import (
    COUNT,
    INTERRUPTED,
    Json,
    Trust,
    check_trust,
    number,
    print_json,
    print_table,
)
from langcrawl.cli.progress import Interrupt
from langcrawl.cli.watching import CrawlDisplay, Loudness
from langcrawl.config import CrawlConfig
from langcrawl.store.status import Status
from langcrawl.units import read_seconds

if TYPE_CHECKING:
    from langcrawl.recrawl.run import Recrawl

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the crawl.")]
OlderThan = Annotated[
    float | None,
    typer.Option(
        parser=number(read_seconds),
        help="Only pages that were last asked for so long ago: 12h, 30d.",
    ),
]
Host = Annotated[
    list[str] | None,
    typer.Option(help="Only pages of this host; may be given several times."),
]
Everything = Annotated[
    bool, typer.Option("--all", help="Also pages in other languages, redirects and errors.")
]
MaxPages = Annotated[
    int | None,
    typer.Option(parser=COUNT, help="Ask for at most so many pages, new ones included."),
]
MaxTime = Annotated[
    float | None,
    typer.Option(parser=number(read_seconds), help="Stop after this time: seconds, or 2h."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be asked for, and ask nobody.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing but errors and the result.")
]


def recrawl(
    directory: Directory,
    older_than: OlderThan = None,
    host: Host = None,
    everything: Everything = False,
    max_pages: MaxPages = None,
    max_time: MaxTime = None,
    dry_run: DryRun = False,
    trust: Trust = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Ask what has changed since in the pages of the crawl in DIR, the likeliest first.

    Servers are asked only for what is new, wherever they can tell. Changed pages are archived
    beside the old ones; new pages that they link to are downloaded. By default all pages in the
    language are asked for, and those that were gone the last time.

    \b
    Example:  langcrawl recrawl thai --older-than 30d --max-pages 10k
              langcrawl recrawl thai --host www.example.co.th
              langcrawl recrawl thai --dry-run
    """
    from langcrawl.recrawl import Options
    from langcrawl.recrawl.plan import Wanted
    from langcrawl.recrawl.run import Recrawl, checked, try_out
    from langcrawl.recrawl.run import recrawl as run
    from langcrawl.upkeep.forget import wanted as named

    config = checked(directory)
    check_trust(directory, config, trust)
    hosts = named(host, ()).hosts if host else frozenset()
    options = Options(Wanted(older_than or 0.0, hosts, everything), max_pages, max_time)
    if dry_run:
        _tell_plan(try_out(directory, options), as_json)
        return
    loudness = Loudness.QUIET if quiet else Loudness.NORMAL
    with Interrupt() as stop:
        errand = Recrawl(options)
        with RecrawlDisplay(errand, loudness) as display:
            result = run(directory, options, [display], stop, display, errand)
    _tell_result(directory, config, result, as_json, by_service=stop.by_service)


class RecrawlDisplay(CrawlDisplay):
    """Shows how far a recrawl is, where there is no terminal; there, the crawl's own line."""

    def __init__(self, errand: Recrawl, loudness: Loudness) -> None:
        super().__init__(None, loudness)
        self._errand = errand

    def line(self, status: Status) -> str:
        done = self._errand.round
        of = f" of {self._errand.total:,}" if self._errand.total else ""
        same = done.not_modified + done.same_bytes
        return (
            f"recrawling: {done.asked:,}{of} pages asked for, {same:,} unchanged, "
            f"{done.changed:,} changed, {done.gone:,} gone, {done.failed:,} failed, "
            f"{done.new_pages:,} new"
        )


def _tell_plan(found: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    print(
        f"Nobody was asked. {found['due']:,} pages are due; {found['asked']:,} would be asked for, "
        f"of which about {found['expected_changes']:,.0f} may have changed."
    )
    if found["first"]:
        rows = [(f"{each['probability']:.0%}", each["url"]) for each in found["first"]]
        print_table(["may have changed", "first URLs"], rows)


def _tell_result(
    directory: Path,
    config: CrawlConfig,
    result: Mapping[str, Any],
    as_json: bool,
    *,
    by_service: bool,
) -> None:
    """Print what came of a recrawl, and end with the status that it deserves."""
    told = by_service or result["told_to_stop"]
    if as_json:
        print_json(result)
    else:
        for line in in_words(config.lang, result):
            print(line)
    if result["stopped"] == "interrupted":
        if not as_json:
            print("The same command resumes it.")
        raise typer.Exit(0 if told else INTERRUPTED)
    if result["stopped"] == "outage":
        raise typer.Exit(1)
    if not as_json and result["queue"]:
        print(
            f"{result['queue']:,} URLs of the crawl wait; download them with:  langcrawl crawl "
            f"{shlex.quote(str(directory))}"
        )


def in_words(lang: str, result: Mapping[str, Any]) -> list[str]:
    """A recrawl in a few sentences."""
    asked = result["asked"]
    if not asked and not result["new_pages"]:
        none = "asked for yet" if result.get("stopped") == "interrupted" else "due"
        return [f"No page was {none}: {result['pages']:,} pages, {result['relevant']:,} in {lang}."]
    same = result["not_modified"] + result["same_bytes"]
    lines = [
        f"{asked:,} pages asked for again: {same:,} unchanged ({result['not_modified']:,} by their "
        f"servers' word, {result['same_bytes']:,} by the same bytes), {result['changed']:,} "
        f"changed, {result['gone']:,} gone, {result['failed']:,} failed."
    ]
    if result["failures"]:
        ranked = sorted(result["failures"].items(), key=lambda item: -item[1])
        lines.append("Failed for: " + ", ".join(f"{why} {count:,}" for why, count in ranked) + ".")
    lines.append(
        f"{result['new_urls']:,} new URLs were found and {result['new_pages']:,} new pages "
        f"downloaded, {result['new_relevant']:,} of them in {lang}."
    )
    share = result["bytes"] / result["full_bytes"] if result["full_bytes"] else 0.0
    lines.append(
        f"{_size(result['bytes'])} came for the pages asked for again, where all of them whole "
        f"would have taken {_size(result['full_bytes'])} ({share:.0%}); "
        f"{_size(result['new_bytes'])} came for new pages."
    )
    if result["left_out"]:
        reasons = ", ".join(f"{why} {count:,}" for why, count in result["left_out"].items())
        lines.append(f"Left out by what the crawl excludes now: {reasons}.")
    if result["stopped"] in ("max-pages", "max-time"):
        lines.append(f"Stopped by --{result['stopped']}.")
    elif result["stopped"] in ("outage", "no-answer"):
        lines.append("Hosts that do not answer are left; the same command asks them again.")
    return lines


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
