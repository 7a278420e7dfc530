"""``langcrawl convert``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from langcrawl.cli.common import Json, check_file, print_json, print_text
from langcrawl.errors import BadInput

if TYPE_CHECKING:
    from langcrawl.script import Conversion, Detection


def convert(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Text or HTML; - for standard input.")
    ],
    source: Annotated[
        str, typer.Option("--from", help="The encoding of the text; detected by default.")
    ] = "",
    target: Annotated[str, typer.Option("--to", help="unicode or zawgyi.")] = "unicode",
    output: Annotated[Path | None, typer.Option(help="Write the text to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Convert text in a legacy encoding to Unicode; for an HTML page, its visible text.

    \b
    Example:  langcrawl convert old.txt > new.txt
              langcrawl convert page.html --from win-innwa --output page.txt
    """
    from langcrawl import script

    check_file(output, "--output")
    texts, reports = [], []
    for name in files:
        read = _read(name)
        found, done = script.convert(read.text, source, target, read.fonts)
        texts.append(done.text)
        reports.append(_report(name, read, target, found, done))
    whole = "".join(texts)
    if output:
        _write(output, whole.encode("utf-8", "replace"))
    elif not as_json:
        print_text(whole)
    if as_json:
        print_json(reports[0] if len(reports) == 1 else reports)
        return
    for report in reports:
        _complain(report)


class _Read(NamedTuple):
    """The text of a file, how it was read, and the fonts that it declares where it is a page."""

    text: str
    charset: str
    fonts: tuple[str, ...]
    cut: bool


def _read(name: str) -> _Read:
    from langcrawl.page import read_document
    from langcrawl.page.kind import is_binary

    label = "standard input" if name == "-" else f"'{name}'"
    if Path(name).is_dir():
        raise BadInput(f"{label} is a directory; name a file of text or HTML.")
    if name != "-" and not Path(name).exists():
        raise BadInput(
            f"there is no file {label}; name a file of text or HTML, or - for standard input."
        )
    try:
        body = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise BadInput(
            f"{label} cannot be read ({error.strerror}); check its permissions."
        ) from None
    if not body.strip():
        raise BadInput(f"{label} is empty; there is nothing to convert.")
    document = read_document(body)
    content = document.content
    if is_binary(body) or "\0" in content.text:
        raise BadInput(f"{label} is not text; name a file of text or HTML.")
    text = content.text.rstrip("\n") + "\n" if document.html else content.text
    return _Read(text, document.codec, content.fonts, document.cut)


def _write(output: Path, whole: bytes) -> None:
    try:
        output.write_bytes(whole)
    except OSError as error:
        raise BadInput(
            f"'{output}' cannot be written ({error.strerror}); choose another --output."
        ) from None


def _report(
    name: str, read: _Read, target: str, found: Detection, done: Conversion
) -> dict[str, Any]:
    return {
        "source": name,
        "charset": read.charset,
        "from": found.encoding or None,
        "to": target,
        "characters": len(read.text),
        "unread": read.text.count("\ufffd"),
        "cut": read.cut,
        "unmapped": {_codes(each): number for each, number in sorted(done.unmapped.items())},
        "merged": {_codes(each): number for each, number in sorted(done.merged.items())},
        "evidence": found.evidence,
    }


def _codes(characters: str) -> str:
    return " ".join(f"U+{ord(each):04X}" for each in characters)


def _complain(report: dict[str, Any]) -> None:
    """Say what stands in the text as it was, and what does not stand in it."""
    if report["cut"]:
        print(
            f"langcrawl: {report['source']} is too long or too deeply nested: "
            "only the beginning of its text was converted.",
            file=sys.stderr,
        )
    if report["unread"]:
        print(
            f"langcrawl: {report['source']}: {report['unread']:,} places are not "
            f"{report['charset']}, or were damaged before; they are now U+FFFD.",
            file=sys.stderr,
        )
    if report["from"] is None:
        print(
            f"langcrawl: {report['source']} is Mongolian in codes that both Menksoft and "
            "Saiyin use; "
            "choose one with --from.",
            file=sys.stderr,
        )
    if report["unmapped"]:
        codes = ", ".join(f"{code} ({number})" for code, number in report["unmapped"].items())
        print(
            f"langcrawl: {report['source']}: {sum(report['unmapped'].values()):,} characters could "
            f"not be converted from {report['from']} and were left as they are: {codes}",
            file=sys.stderr,
        )
