"""The data card of a corpus: what is in it, how it was made, from what, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from langcrawl import __version__
from langcrawl.corpus.quality import REASONS, Filters
from langcrawl.corpus.schema import COLUMNS

if TYPE_CHECKING:
    from langcrawl.corpus.export import Layout, Order

_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")
"""How Hugging Face names the sizes of datasets."""
CORPUS = "corpus"
"""Where the corpus of a crawl goes, in its directory."""
_MOST = 20
"""Rows of a table of languages or encodings."""


class Card(NamedTuple):
    """What a card tells."""

    order: Order
    target: str
    sources: Sequence[str]
    report: Mapping[str, Any]


def write_card(path: Path, layout: Layout, card: Card) -> None:
    """Write the card; the same corpus always has the same card, so no date of today is in it."""
    place = layout.place
    name = (
        place.parent.name if place.name == CORPUS else place.name.removesuffix(f".{layout.ending}")
    )
    text = "\n".join([*_header(layout, card, name), *_body(card, name, layout)])
    path.write_text(text + "\n", encoding="utf-8")


def _header(layout: Layout, card: Card, name: str) -> Iterator[str]:
    """The YAML that Hugging Face reads."""
    languages = sorted(
        {tag.split("-")[0] for tag in card.report["languages"] if tag not in ("", "und")}
    )
    yield "---"
    if languages:
        yield "language:"
        yield from (f"- {tag}" for tag in languages)
    yield f"pretty_name: {_quoted(name)}"
    yield "license: other"
    yield "task_categories:\n- text-generation"
    yield f"size_categories:\n- {size_category(card.report['documents'])}"
    yield "tags:\n- web\n- langcrawl"
    path = f"data/train-*.{layout.ending}" if layout.is_folder else layout.place.name
    yield "configs:\n- config_name: default\n  data_files:\n  - split: train"
    yield f"    path: {_quoted(path)}"
    yield "---"


def _body(card: Card, name: str, layout: Layout) -> Iterator[str]:
    report, order = card.report, card.order
    target = card.target or "any language"
    yield f"# {name}\n"
    yield (
        f"{report['documents']:,} documents with {report['characters']:,} characters in {target}, "
        f"from {report['hosts']:,} hosts, downloaded between {report['oldest'] or 'unknown'} and "
        f"{report['newest'] or 'unknown'}.\n"
    )
    yield "## How it was made\n"
    yield f"By langcrawl {__version__} from:\n"
    yield from (f"- `{source}`" for source in card.sources)
    words = {"full": "All text of each page", "best": "The main text of each page, by trafilatura"}
    text = words.get(order.text, "The main text of each page, without menus and the like")
    yield f"\n{text}, in Unicode (NFC), a line for each paragraph.\n"
    yield from _table(("setting", "value"), settings(card))
    yield "\n## What was left out\n"
    yield f"Of {report['pages']:,} pages, for the first reason that held:\n"
    rows = [(reason, f"{count:,}", REASONS[reason]) for reason, count in report["dropped"].items()]
    yield from _table(("reason", "pages", "meaning"), rows)
    paragraphs = report["paragraphs_dropped"]
    yield (
        f"\n{paragraphs['repeated']:,} paragraphs were left out because they stand on several "
        f"pages of their host, and {paragraphs['other-language']:,} because they are in another "
        "language."
    )
    if report["broken_records"]:
        yield f"\n{report['broken_records']:,} records of the archives could not be read."
    yield "\n## What is in it\n"
    yield from _table(("language", "documents"), _first(report["languages"]))
    yield ""
    yield from _table(("encoding of the pages", "documents"), _first(report["encodings"]))
    if not layout.ending.startswith("txt"):
        yield "\n## Columns\n"
        yield from _table(("column", "meaning"), [(f"`{k}`", v) for k, v in COLUMNS.items()])
    yield "\n## Rights\n"
    yield (
        "The texts belong to their authors and publishers. `licence` says what a page states; most "
        "state nothing. Take out what you are asked to take out."
    )


def settings(card: Card) -> list[tuple[str, str]]:
    """Every threshold, as it was."""
    order, rules = card.order, card.order.rules
    return [
        ("target", card.target or "none"),
        ("judge", order.judge or "the language's own, or the verdicts of the crawl"),
        ("text", order.text),
        ("only paragraphs in the target", _yes(order.paragraphs_in_target)),
        *((name.replace("_", " "), value) for name, value in _filters(order.filters)),
        ("exact duplicates left out", _yes(rules.exact)),
        ("near-duplicates left out from", "no" if rules.near is None else f"{rules.near:g}"),
        ("paragraphs kept once from so many pages of a host", str(rules.site_repeats or "no")),
        ("kept of duplicates", rules.keep),
    ]


def _filters(filters: Filters) -> Iterator[tuple[str, str]]:
    for name in Filters.__slots__:
        value = getattr(filters, name)
        if name in ("since", "until") and value is not None:
            value = datetime.fromtimestamp(value, UTC).isoformat()
        elif isinstance(value, tuple):
            value = ", ".join(value) or None
        yield name, "none" if value is None else str(value)


def size_category(documents: int) -> str:
    """How Hugging Face names a size."""
    return _SIZES[min(max(len(str(documents)) - 3, 0), len(_SIZES) - 1)]


def _first(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(name or "unknown", f"{count:,}") for name, count in list(counts.items())[:_MOST]]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    yield from (f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
