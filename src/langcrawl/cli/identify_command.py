"""``langcrawl identify``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from langcrawl.cli.common import Json, print_json, targets_of
from langcrawl.cli.progress import ProgressDisplay
from langcrawl.errors import BadInput, UsageError


def identify(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE|DIR...", help="Files, directories, or -."),
    ],
    lang: Annotated[
        list[str] | None,
        typer.Option(help="Also say whether each file is in this language, or one of several."),
    ] = None,
    judge: Annotated[str, typer.Option(help="Use this judge; see 'langcrawl judges'.")] = "",
    as_json: Json = False,
) -> None:
    """Tell the language, script and encoding of files, with the evidence.

    \b
    Example:  langcrawl identify page.html
              langcrawl identify archive/ --lang my --json
    """
    from langcrawl.importers.files import find_files, identify_bytes, make_any
    from langcrawl.importers.files import identify as judge_files

    target = targets_of(lang)
    if files == [Path("-")]:
        body = sys.stdin.buffer.read()
        found = [identify_bytes("-", body, make_any(target, judge), bool(target))]
    elif Path("-") in files:
        raise UsageError("- is standard input; give no other file with it.")
    else:
        paths = find_files(files)
        with ProgressDisplay("identifying", unit="files") as display:
            found = list(judge_files(paths, target, judge, display.show))
    if as_json:
        print_json(found)
    else:
        _print_answers(found)
    if unread := sum(entry["error"] is not None for entry in found):
        raise BadInput(
            f"{unread:,} of {len(found):,} files could not be read; their evidence says why."
        )


def _on_one_line(name: str) -> str:
    """The name of a file with what would break a table, or is no text, written as its code."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)


def _print_answers(found: list[dict[str, Any]]) -> None:
    """A line of facts for each file, and under it how one can tell."""
    heads = ["source", "language", "script", "encoding", "charset", "score"]
    rows = [
        [
            _on_one_line(entry["source"]),
            entry["language"] + (" *" if entry["relevant"] else ""),
            entry["script"] or "-",
            entry["encoding"],
            entry["charset"] or "-",
            f"{entry['score']:.2f}",
        ]
        for entry in found
    ]
    widths = [max(len(row[k]) for row in [heads, *rows]) for k in range(len(heads))]
    print("  ".join(head.ljust(width) for head, width in zip(heads, widths, strict=True)).rstrip())
    for row, entry in zip(rows, found, strict=True):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(line.rstrip())
        for line in entry["evidence"]:
            print(f"    {line}")
