"""The tables, the charts and the page of ``langcrawl stats``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt

from langcrawl.corpus.stats import Group, Stats
from langcrawl.report.charts import save_side_by_side
from langcrawl.report.page import Section, write_page
from langcrawl.report.table import Table, percent

_WIDTH, _HEIGHT = 480, 300
_TOP_WORDS = 10
_REMARKS = {
    "words": "Words where they are spaced; syllables of Burmese and Tibetan; graphemes of Thai, "
    "Lao, Khmer, Chinese and Japanese, which do not part words.",
    "type_token": "How many different words the first so many words have, in the order of the "
    "corpus; a step is a batch of documents.",
    "rank_frequency": "By Zipf's law the points lie on a line with slope -1.",
    "repeated_lines": "Lines that stand in many documents are boilerplate as a rule; "
    "--site-paragraphs of langcrawl export takes them once.",
}


def lead(found: Stats) -> str:
    """The size of a corpus in one sentence."""
    lengths = found.lengths
    return (
        f"{found.documents:,} documents with {found.characters:,} characters and {found.words:,} "
        f"{found.unit}, {found.types:,} of them different; half of the documents have "
        f"{lengths['median']:,} characters or fewer, the longest {lengths['longest']:,}."
    )


def tables(found: Stats) -> list[Table]:
    """Every table that has something in it."""
    made = [_groups(found, name) for name in found.groups]
    made += [_most_frequent(found), _type_token(found), _lines(found)]
    return [table for table in made if table.rows]


def _groups(found: Stats, name: str) -> Table:
    heads = [name, "documents", "share", "characters", found.unit]
    groups = found.groups[name]
    rows = [
        [each.name or "unknown", f"{each.documents:,}", percent(each.documents / found.documents),
         f"{each.characters:,}", f"{each.words:,}"]
        for each in groups
    ]  # fmt: skip
    more = found.distinct[name] - len(groups)
    title = f"By {name}" + (
        f", the first {len(groups)} of {found.distinct[name]:,}" if more else ""
    )
    return Table(heads, rows, title, name)


def _most_frequent(found: Stats) -> Table:
    rows = [
        [word, f"{rank:,}", f"{frequency:,}", percent(frequency / max(found.words, 1))]
        for rank, frequency, word in found.rank_frequency[:_TOP_WORDS]
    ]
    slope = "" if found.zipf is None else f" (slope {found.zipf:.2f})"
    title = f"Most frequent {found.unit}{slope}"
    return Table([found.unit, "rank", "times", "share"], rows, title, "rank_frequency")


def _type_token(found: Stats) -> Table:
    steps = found.type_token[1:]
    picked = steps[:: max(len(steps) // 5, 1)][-5:]
    if steps and steps[-1] not in picked:
        picked.append(steps[-1])
    rows = [[f"{words:,}", f"{types:,}", f"{types / max(words, 1):.4f}"] for words, types in picked]
    return Table([found.unit, "different ones", "ratio"], rows, "Types and tokens", "type_token")


def _lines(found: Stats) -> Table:
    rows = [
        [line, f"{times:,}", f"{documents:,}"] for line, times, documents in found.repeated_lines
    ]
    return Table(["line", "times", "documents"], rows, "Most repeated lines", "repeated_lines")


def charts(found: Stats) -> dict[str, alt.Chart]:
    """The charts, by the name of the table that they belong to."""
    made = {
        name: _months(groups) if name == "month" else _bars(groups, name)
        for name, groups in found.groups.items()
    }
    curve = [{"words": words, "types": types} for words, types in found.type_token]
    made["type_token"] = (
        _chart(curve)
        .mark_line()
        .encode(x=alt.X("words:Q", title=found.unit), y=alt.Y("types:Q", title="different ones"))
    )
    ranks = [{"rank": rank, "times": times} for rank, times, _ in found.rank_frequency]
    made["rank_frequency"] = (
        _chart(ranks)
        .mark_line(point=True)
        .encode(
            x=alt.X("rank:Q", title="rank", scale=alt.Scale(type="log")),
            y=alt.Y("times:Q", title="times", scale=alt.Scale(type="log")),
        )
    )
    return made


def _chart(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(rows), width=_WIDTH, height=_HEIGHT)


def _bars(groups: Sequence[Group], name: str) -> alt.Chart:
    """Bars in the order given: by a domain, since names of strangers have no place in code."""
    names = [each.name or "unknown" for each in groups]
    rows: list[dict[str, Any]] = [
        {"name": label, "documents": each.documents}
        for label, each in zip(names, groups, strict=True)
    ]
    scale = alt.Scale(domain=names)
    drawn: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("documents:Q", title="documents"),
            y=alt.Y("name:N", title=name, scale=scale, axis=alt.Axis(labelLimit=220)),
        )
    )
    return drawn


def _months(groups: Sequence[Group]) -> alt.Chart:
    rows = [{"month": each.name, "documents": each.documents} for each in groups if each.name]
    drawn: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(x=alt.X("month:O", title="month"), y=alt.Y("documents:Q", title="documents"))
    )
    return drawn


def write_stats(path: Path, found: Stats) -> None:
    """Write the tables, each with its chart if it has one, as a page."""
    drawn = charts(found)
    sections = [
        Section(
            table,
            {table.name: drawn[table.name].to_dict()} if table.name in drawn else {},
            _REMARKS.get(table.name, ""),
        )
        for table in tables(found)
    ]
    write_page(path, f"The corpus {found.corpus}", lead(found), sections, [_REMARKS["words"]])


def save_curves(path: Path, found: Stats) -> None:
    """The two curves as a picture: PNG, SVG or PDF."""
    drawn = charts(found)
    save_side_by_side([drawn["type_token"], drawn["rank_frequency"]], path)
