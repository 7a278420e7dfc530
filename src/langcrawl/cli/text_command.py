"""``langcrawl text``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from langcrawl.cli.common import Json, print_json, print_text
from langcrawl.cli.progress import ProgressDisplay, load_main_text_explained
from langcrawl.errors import BadInput, UsageError


def text(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE|DIR|WARC...", help="Pages, directories, archives, or -."),
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--text", help="main; full, the whole visible text; best, trafilatura's main text."
        ),
    ] = "main",
    as_json: Json = False,
) -> None:
    """Print the main text of pages, without menus and the like, in Unicode.

    \b
    Example:  langcrawl text page.html
              langcrawl text archive.warc.gz --json
              langcrawl text folder/ --text full
    """
    from langcrawl.importers.main_texts import read_texts, text_of_bytes

    given = sys.stdin.buffer.read() if files == [Path("-")] else None
    if kind == "main" and (given is not None or all(file.exists() for file in files)):
        load_main_text_explained(_size(files) if given is None else len(given))
    if given is not None:
        found = [text_of_bytes("-", given, kind)]
    elif Path("-") in files:
        raise UsageError("- is standard input; give no other file with it.")
    else:
        with ProgressDisplay("reading") as display:
            found = list(read_texts(files, kind, display.show))
    if as_json:
        print_json(found)
    else:
        _print(found)
    if unread := sum(entry["error"] is not None for entry in found):
        first = next(entry for entry in found if entry["error"] is not None)
        raise BadInput(
            f"{unread:,} of {len(found):,} pages have no text that can be read: "
            f"'{first['source']}': {first['error']}."
        )


def _size(files: list[Path]) -> int | None:
    """The bytes of all pages; None where archives or directories hide how many there are."""
    from langcrawl.importers.given import ARCHIVE

    if any(file.is_dir() or ARCHIVE.search(file.name) for file in files):
        return None
    return sum(file.stat().st_size for file in files)


def _print(found: list[dict[str, Any]]) -> None:
    """One text as it is; of several, each under its name."""
    for number, entry in enumerate(found):
        if len(found) > 1:
            print_text(f"{'' if not number else chr(10)}==> {entry['source']} <==\n")
        if entry["text"]:
            print_text(f"{entry['text']}\n")
