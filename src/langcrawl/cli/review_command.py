"""``langcrawl review``."""

from __future__ import annotations

import getpass
import os
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from langcrawl.cli.common import CrawlToRead, Json, check_file, number, print_json, print_table
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, UsageError
from langcrawl.units import read_count

if TYPE_CHECKING:
    from langcrawl.review import Answer, Sample, SampledPage

_SHOWN, _WIDTH = 1_500, 100
"""Characters of a text that are shown at first, and the longest line."""
_SIZE = 100
"""Pages of a sample."""
_MORE, _BACK, _QUIT = "v", "b", "q"
_ENDS = ("q", "\x03", "\x04", "")


def review(
    directory: CrawlToRead,
    size: Annotated[
        int | None,
        typer.Option(
            parser=number(read_count, 1, optional=False),
            help="How many pages to draw at first; 100 by default.",
        ),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Draw a new sample; answers to the old one are kept.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="What the random sample is drawn by.")] = 0,
    reviewer: Annotated[
        str, typer.Option(help="Who looks at the pages; your user name by default.")
    ] = "",
    precision: Annotated[
        float, typer.Option(min=0, max=1, help="The precision that a threshold is to meet.")
    ] = 0.95,
    answers: Annotated[
        str, typer.Option(metavar="FILE", help="Take answers from a file; - for standard input.")
    ] = "",
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all answers as .csv or .jsonl.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge a random sample of pages by one key each, and learn how precise the crawl is.

    \b
    Example:  langcrawl review thai
              langcrawl review thai --reviewer mali --size 200
              langcrawl review thai --export answers.csv --json
    """
    from langcrawl.review import ReviewFile, figures, read_answers, write_answers
    from langcrawl.review.sample import LEAST

    check_file(export, "--export")
    if size is not None and size < LEAST:
        raise UsageError(f"--size must be {LEAST} or more: a smaller sample says nothing.")
    CrawlConfig.load(directory)  # nothing is written where there is no crawl
    kept = ReviewFile(directory)
    if size is not None and not new:
        _say_drawn_before(kept.read()[0], size)
    sample = kept.sample(size or _SIZE, seed, new=new)
    name = reviewer or _user()
    if answers:
        for page, word, who in list(read_answers(_text_of(answers), sample, name)):
            kept.add(page, word, who)
    elif not as_json and export is None and sys.stdin.isatty():
        _ask(directory, sample, kept.read()[1], name)
    _, given = kept.read()
    if export is not None:
        write_answers(export, sample, given)
    found = figures(sample, given, precision)
    if as_json:
        pages = [
            {"url": page.url, "page": page.page, "stratum": sample.strata[page.stratum].name}
            for page in sample.pages
        ]
        print_json(found | {"sample": pages})
    else:
        _show(found)


def _say_drawn_before(sample: Sample | None, size: int) -> None:
    """Say that a sample is there already, where it has another size than is asked for."""
    if sample is not None and len(sample.pages) != size:
        print(
            f"langcrawl: the sample of {len(sample.pages):,} pages that was drawn before is used; "
            "--new draws another.", file=sys.stderr,
        )  # fmt: skip


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "reviewer"


def _text_of(file: str) -> str:
    try:
        if file == "-":
            return sys.stdin.read()
        return Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"the answers in '{file}' cannot be read ({error}); check it.") from None


def _ask(directory: Path, sample: Sample, given: list[Answer], name: str) -> None:
    """Show page after page that this reviewer has not answered, and take a key for each."""
    from langcrawl.review import ANSWERS, ReviewFile, ReviewTexts

    kept, texts = ReviewFile(directory), ReviewTexts(directory)
    done = {answer.page for answer in given if answer.reviewer == name}
    at = next((at for at, page in enumerate(sample.pages) if page.page not in done), None)
    if at is None:
        print(f"{name} has answered all {len(sample.pages):,} pages; --new draws others.")
        return
    print(f"Reviewer {name}. Is the page in the target? " + _legend())
    with _single_keys(sys.stdin.fileno()):
        while at < len(sample.pages):
            page = sample.pages[at]
            text = texts.text(page)
            _show_page(page, at, len(sample.pages), text[:_SHOWN], len(text) - _SHOWN)
            key = _key()
            while key == _MORE:
                print(_printable(text[_SHOWN:]))
                key = _key()
            if key in _ENDS:
                print("Stopped; the answers are kept.")
                return
            if key == _BACK:
                at = max(0, at - 1)
            elif key in ANSWERS:
                kept.add(page.page, ANSWERS[key][0], name)
                print(f"  {ANSWERS[key][0]}")
                at += 1
            else:
                print(_legend())


def _legend() -> str:
    from langcrawl.review import ANSWERS

    keys = [f"{key} {words}" for key, (_, words) in ANSWERS.items()]
    others = [f"{_MORE} more text", f"{_BACK} back", f"{_QUIT} stop"]
    return "Keys: " + "; ".join([*keys, *others]) + "."


def _show_page(page: SampledPage, at: int, of: int, text: str, more: int) -> None:
    """A page without the judge's verdict, so that it sways nobody."""
    print(f"\n--- {at + 1} of {of}: {_title(page) or '(no title)'}")
    print(_printable(page.url[:300]))
    lines = [
        folded
        for line in text.splitlines()
        if line.strip()
        for folded in textwrap.wrap(_printable(line), _WIDTH)
    ]
    print("\n".join(lines) or "(there is no text)")
    if more > 0:
        print(f"... and {more:,} characters more: {_MORE}")


def _title(page: SampledPage) -> str:
    from langcrawl.script import readable

    return _printable(readable(page.title, page.encoding))


def _printable(text: str) -> str:
    """Without what could move the cursor or turn the line."""
    return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text)


def _key() -> str:
    """One key, without Return."""
    sys.stdout.flush()
    return os.read(sys.stdin.fileno(), 1).decode("latin-1").lower()


@contextmanager
def _single_keys(terminal: int) -> Iterator[None]:
    """Have keys come without Return; those that were pressed early are not lost."""
    import termios
    import tty

    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _show(found: dict[str, Any]) -> None:
    """The figures in sentences and a table."""
    print(
        f"{found['answered']:,} of {found['sampled']:,} pages answered by "
        f"{', '.join(map(_printable, found['reviewers'])) or 'nobody'}."
    )
    if (precision := found["precision"]) is None:
        print("There is no answer to a relevant page yet, so no figure.")
        return
    print(
        f"Precision {precision['estimate']:.1%}, {found['confidence']:.0%} interval "
        f"{precision['low']:.1%} to {precision['high']:.1%} ({precision['pages']:,} pages for "
        f"{found['relevant_pages']:,})."
    )
    if missed := found["missed"]:
        print(
            f"Missed: {missed['estimate']:.1%} of the {missed['of_pages']:,} other pages "
            f"({missed['low']:.1%} to {missed['high']:.1%})."
        )
    wanted = found["threshold"]["wanted"]
    for word in ("likely", "sure"):
        if (one := found["threshold"][word]) is not None:
            print(
                f"A threshold of {one['score']:.3f} is {word} to give {wanted:.0%}: precision "
                f"{one['precision']:.1%}, {one['kept']:.0%} of the pages kept."
            )
        else:
            print(f"No threshold is {word} to give {wanted:.0%}.")
    if found["mistakes"]:
        print()
        rows = [
            (one["kind"], f"{one['seen']:,}", f"{one['share_of_mistakes']:.0%}",
             _printable(one["examples"][0][:80]))
            for one in found["mistakes"]
        ]  # fmt: skip
        print_table(["mistake", "seen", "share", "such as"], rows)
    if agree := found["agreement"]:
        print()
        for pair in agree["pairs"]:
            kappa = "–" if pair["kappa"] is None else f"{pair['kappa']:.2f}"
            share = "–" if pair["agreement"] is None else f"{pair['agreement']:.0%}"
            names = " and ".join(map(_printable, pair["reviewers"]))
            print(f"{names} agree on {share} of {pair['pages']:,} pages (kappa {kappa}).")
        if agree["fleiss_kappa"] is not None:
            print(f"All together: Fleiss' kappa {agree['fleiss_kappa']:.2f}.")
