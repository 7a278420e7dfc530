"""What the examples share: their options, generated webs, and numbers of several webs as text."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean

from langcrawl.virtualweb.synth import generate, load_profile

Claim = tuple[str, str, bool]
"""What a paper says, what we found, and whether that is the same."""


def options(about: str | None, pages: int, seeds: int) -> argparse.ArgumentParser:
    """The options of every example, with their defaults."""
    parser = argparse.ArgumentParser(description=(about or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=pages, help="pages of each web")
    parser.add_argument("--seeds", type=int, default=seeds, help="how many webs, from seed 1 on")
    parser.add_argument("--into", type=Path, help="a file with marks to put the tables between")
    return parser


def say(*words: object) -> None:
    """Tell what is being done."""
    print(*words, file=sys.stderr, flush=True)


@contextmanager
def generated(profile: str, pages: int, seed: int) -> Iterator[Path]:
    """A web of a profile, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        say(f"{profile}, web {seed}: generating {pages:,} pages")
        directory = Path(folder) / "web"
        generate(directory, load_profile(profile), pages, seed)
        yield directory


def spread(values: Sequence[float], digits: int) -> str:
    """A mean, and the range where there are several values."""
    middle = f"{mean(values):,.{digits}f}"
    if len(values) == 1 or max(values) - min(values) < 10**-digits / 2:
        return middle
    return f"{middle} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> list[str]:
    """A table in Markdown; the first columns hold words, the others numbers."""
    rule = ["---"] * words + ["---:"] * (len(heads) - words)
    return [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)]


def claims_table(claims: Sequence[Claim]) -> list[str]:
    """Which claims of a paper come out."""
    rows = [(claim, ours, "yes" if right else "no") for claim, ours, right in claims]
    return table(("claim", "ours", "comes out"), rows, 3)


def show(text: str, into: Path | None, mark: str) -> None:
    """Print a text, or put it in place of what stands between two marks in a file."""
    if into is None:
        print(text)
        return
    begin, end = f"<!-- begin {mark} -->", f"<!-- end {mark} -->"
    before, _, rest = into.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    into.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
