"""What is said at the end of a crawl: what was collected, or why nothing was; what to do next."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from langcrawl.cli.common import INTERRUPTED, by_language, print_json
from langcrawl.config import CrawlConfig

_STOPPED = {
    "queue-empty": "no URL is left",
    "no-answer": "only hosts that do not answer are left; the next run asks them again",
    "outage": "nobody has answered for too long; the next run asks again",
    "interrupted": "interrupted",
}


def tell_result(
    directory: Path,
    config: CrawlConfig,
    result: Mapping[str, Any],
    as_json: bool,
    *,
    by_service: bool = False,
) -> None:
    """Print the result of a crawl, and end with the status that it deserves.

    One that was stopped `by_service`, which sends SIGTERM, or through its local channel has done
    what it was told.
    """
    if as_json:
        print_json(result)
    else:
        print(_in_a_sentence(config, result))
        if found := by_language(result["languages"]):
            print(f"By language: {found}.")
    stopped, collected = result["stopped"], result["answers"]
    if stopped == "interrupted":
        if not as_json:
            print(f"Resume it with:  langcrawl crawl {shlex.quote(str(directory))}")
        told = by_service or result.get("told_to_stop")
        raise typer.Exit(0 if told else INTERRUPTED)
    nothing = not (collected.get("text") or collected.get("file"))
    if stopped == "outage" or (config.max_pages != 0 and nothing):
        what = "nothing was collected" if nothing else "the crawl ended"
        print(f"langcrawl: {what}, because {why_nothing(result)}", file=sys.stderr)
        raise typer.Exit(1)
    if not as_json:
        print(
            f"Try next:  langcrawl simulate {shlex.quote(str(directory))} "
            "--strategy soft --strategy lswc"
        )


def _in_a_sentence(config: CrawlConfig, result: Mapping[str, Any]) -> str:
    """What came, told apart, and what is left."""
    kinds, relevant = result["answers"], result["relevant"]
    topical = config.judge.startswith("topic")
    pages = f"relevant pages in {config.lang}" if topical else f"pages in {config.lang}"
    said = [f"{relevant:,} {pages} ({result['harvest']:.1%})"]
    for count, what in (
        (kinds.get("text", 0) - relevant, "other pages" if topical else "in other languages"),
        (kinds.get("redirect", 0), "redirects"),
        (kinds.get("error", 0), "errors"),
        (kinds.get("file", 0), "other files"),
    ):
        if count > 0:
            said.append(f"{count:,} {what}")
    if result["failures"]:
        said.append(f"and {result['failures']:,} URLs without an answer")
    stopped = _STOPPED.get(result["stopped"], f"stopped by --{result['stopped']}")
    waiting = f"{result['queue']:,} URLs wait; " if result["queue"] else ""
    return f"{result['pages']:,} downloads: {', '.join(said)}. {waiting}{stopped}."


def why_nothing(result: Mapping[str, Any]) -> str:
    """The most likely reason for an empty crawl, and what to do."""
    words = {
        name: ", ".join(f"{reason} {count:,}" for reason, count in result[name].items() if count)
        for name in ("silences", "errors", "discards")
    }
    if result["stopped"] in ("max-time", "max-requests", "max-bytes") and not any(words.values()):
        return f"--{result['stopped']} ended the crawl first; allow more."
    if words["silences"]:
        return (
            f"nobody answered ({words['silences']}); check the network and the names of the "
            "seeds, and run the same command again."
        )
    if "dns" in result["errors"]:
        return f"the names of the seeds do not exist ({words['errors']}); check their spelling."
    if "robots" in result["discards"]:
        return "the robots.txt of the seeds' hosts forbids it; choose other seeds."
    if words["errors"]:
        return f"the servers answered with errors ({words['errors']}); check the seeds."
    if words["discards"]:
        return f"all links were left out ({words['discards']}); check seeds and patterns."
    return "no page was found; check the seeds."
