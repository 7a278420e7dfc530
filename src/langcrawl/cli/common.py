"""What the commands share: options, and how results are printed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import langcrawl
from langcrawl.config import FILE, CrawlConfig
from langcrawl.errors import UsageError
from langcrawl.store.directory import PARTS
from langcrawl.units import read_count

if TYPE_CHECKING:
    from langcrawl.measure.results import Result

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def as_one(path: Path) -> Path:
    """A directory to be read; of a crawl of several shards, all that they have is put there."""
    if not (path / PARTS).is_dir():
        return path
    from langcrawl.cluster.whole import whole

    return whole(path)


def all_as_one(paths: list[Path]) -> list[Path]:
    return [as_one(path) for path in paths]


Log = Annotated[
    Path,
    typer.Argument(callback=as_one, help="The directory of a crawl, an import or a demo."),
]
CrawlToRead = Annotated[
    Path, typer.Argument(metavar="DIR", callback=as_one, help="The directory of the crawl.")
]


def number(
    read: Callable[[object], float | None], least: float = 0, *, optional: bool = True
) -> Callable[[str], float | None]:
    """The parser of an option for a number with a unit, or ``none`` if that can be."""

    def parse(text: str) -> float | None:
        try:
            value = read(text)
        except ValueError as error:
            raise typer.BadParameter(f"{error}.") from None
        if value is None and not optional:
            raise typer.BadParameter("it needs a number.")
        if value is not None and value < least:
            raise typer.BadParameter(f"{text} is less than {least:g}.")
        return value

    parse.__name__ = "number"  # what the help shows for it
    return parse


COUNT = number(read_count)
MaxPages = Annotated[
    int | None, typer.Option(parser=COUNT, help="Stop after this many pages, such as 50k.")
]
MaxDepth = Annotated[int | None, typer.Option(parser=COUNT, help="Discard links deeper than this.")]
MaxPerHost = Annotated[
    int | None,
    typer.Option(parser=COUNT, help="Discard links to a host after this many downloads from it."),
]
Seeds = Annotated[
    list[str] | None, typer.Option(help="A URL, or a file of URLs; may be given several times.")
]
OtherLang = Annotated[
    list[str] | None,
    typer.Option(
        help="Count pages in this language as relevant, not those in the crawl's; a list, or "
        "several times, for several."
    ),
]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run the Python files that DIR's crawl.toml names.")
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS|local", help="Spread the work over this Ray cluster."),
]
_WIDE = 200
_LATE_CONTROLS = re.compile("[\x7f-\x9f]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
INTERRUPTED = 130
"""The exit status of a command that Ctrl-C ended."""


@contextmanager
def spread(cluster: str | None) -> Iterator[None]:
    """Have work that goes to several processes go to a cluster, if one is named."""
    if not cluster:
        yield
        return
    from langcrawl.cluster.tasks import on_cluster

    with on_cluster(cluster):
        yield


def check_file(path: Path | None, flag: str) -> None:
    """Complain of a file that cannot be written before the work, not after it."""
    if path and path.is_dir():
        raise UsageError(f"{flag} names the directory '{path}'; give the name of a file.")


def targets_of(lang: Sequence[str] | None) -> str:
    """The languages that --lang names, as tags parted by commas; empty where it is not given."""
    from langcrawl.languages import find_targets

    return find_targets(lang) if lang else ""


def by_language(languages: Mapping[str, int]) -> str:
    """Pages of several languages in words; empty where there is one language only."""
    if len(languages) < 2:
        return ""
    return ", ".join(f"{tag} {count:,}" for tag, count in languages.items())


def check_trust(
    directory: Path,
    config: CrawlConfig,
    trust: bool,
    given: Collection[str] = (),
    file: Path | None = None,
) -> None:
    """Refuse to run code that only a crawl.toml names, which may be somebody else's.

    `given` are the options that stand on the command line, `file` is that of --config.
    """
    from langcrawl.judge import JUDGES
    from langcrawl.spec import is_own
    from langcrawl.strategy import STRATEGIES

    for key, makers in (("strategy", STRATEGIES), ("judge", JUDGES)):
        named = getattr(config, key)
        if is_own(named, makers) and key not in given and not trust:
            raise UsageError(
                f"'{file or directory / FILE}' names the {key} '{named}', which is code and may be "
                "somebody else's; look at it, and run it with --trust if you trust it."
            )


def unknown_fails(unknown: str) -> bool:
    """What --unknown says: whether links without a page in the log fail, or are dropped."""
    if unknown not in ("drop", "fail"):
        raise UsageError(f"--unknown must be drop or fail, not '{unknown}'.")
    return unknown == "fail"


def print_json(document: Any) -> None:
    """One document in UTF-8, whatever the terminal is in.

    The bytes of a file name that are no UTF-8 become codes such as \\udcff, as JSON writes them,
    and so do controls that JSON would leave as they are: a terminal obeys them.
    """
    text = json.dumps(document, ensure_ascii=False) + "\n"
    text = _LATE_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def print_text(text: str) -> None:
    """Text of a page, in UTF-8; on a terminal its control characters are shown as codes.

    A terminal obeys them: a page could clear it, rename it, or type into it. Elsewhere the text
    stays as it is.
    """
    sys.stdout.flush()
    shown = without_controls(text) if sys.stdout.isatty() else text
    sys.stdout.buffer.write(shown.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def without_controls(text: str) -> str:
    """A text as it may stand on a terminal: lines and tabs stay, other controls are codes."""
    return _CONTROLS.sub(lambda found: f"[U+{ord(found[0]):04X}]", text.replace("\r\n", "\n"))


def announce_compiling() -> None:
    """Say why the very first simulation takes its time: the compiled loop is not on disk yet."""
    kept = Path(langcrawl.__file__).parent / "simulate" / "__pycache__"
    if not any(kept.glob("kernel.advance*.nbi")):
        print(
            "compiling the simulator; this happens once and takes about half a minute",
            file=sys.stderr,
            flush=True,
        )


def print_table(heads: Sequence[str], cells: Sequence[Sequence[str]], whole: bool = False) -> None:
    """A table of text: names to the left, numbers to the right.

    A `whole` table is not cut to the width of the terminal.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left", no_wrap=True)
    for row in cells:
        table.add_row(*row)
    console = Console(highlight=False)
    if whole:
        console.width = max(console.width, _WIDE)
    elif not console.is_terminal:
        console.width = _WIDE
    console.print(table)


def print_results(results: Sequence[Result]) -> None:
    from langcrawl.report.table import results_table

    table = results_table(results)
    print_table(table.heads, table.rows)
    for result in results:
        if result.error:
            print(f"{result.name} failed: {result.error}")
    if any(result.partial and not result.error for result in results):
        print("Interrupted: the last line is partial.")
