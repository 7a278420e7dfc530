"""The charts of a crawl: how it went on over time, and what it collected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import altair as alt

from langcrawl.languages.names import named, script_name
from langcrawl.measure.estimate import Estimate
from langcrawl.measure.portrait import Moment, Portrait
from langcrawl.records import UNKNOWN
from langcrawl.report.theme import HEIGHT, SHORT_NUMBERS, WIDTH

Row = dict[str, Any]
_MOST_BARS = 10
_SHORT = alt.Axis(labelExpr=SHORT_NUMBERS)
_DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2])


def crawl_charts(found: Portrait) -> dict[str, alt.Chart]:
    """The charts that have something to show, by name."""
    curve = found.curve
    over_time = curve if len(curve) > 1 else ()
    made = {
        "pages": _lines(
            over_time,
            {"downloaded": "pages", f"in {named(found.config.lang)}": "relevant"},
            "pages",
        ),
        "harvest": _line(over_time[1:], "harvest", "relevant, of the pages lately", "%"),
        "coverage": _coverage(over_time, found.estimate),
        "queue": _lines(over_time, {"URLs known": "known", "downloaded": "pages"}, "URLs"),
        "speed": _line(over_time[1:], "pages_per_second", "pages a second", ",~r"),
        "languages": _bars(_by_name(found.languages), "pages of text"),
        "scripts": _bars(_each(found.scripts, script_name), "relevant pages"),
        "encodings": _bars(found.encodings, "relevant pages"),
        "tlds": _bars(found.tlds, "relevant pages"),
        "statuses": _bars(_each(found.statuses, _status_name), "answers"),
        "discards": _bars(found.status.discards, "links or URLs left out"),
        "sizes": _sizes(found.sizes),
    }
    return {name: chart for name, chart in made.items() if chart is not None}


def _by_name(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts by language under the names of the languages."""
    named_counts: dict[str, int] = {}
    for tag, count in counts.items():
        name = "unknown" if tag in ("", UNKNOWN) else named(tag)
        named_counts[name] = named_counts.get(name, 0) + count
    return named_counts


def _each(counts: Mapping[str, int], name: Callable[[str], str]) -> dict[str, int]:
    """Counts under other names."""
    return {name(word): count for word, count in counts.items()}


def _status_name(status: str) -> str:
    """What a server answered, with what it means: ``404 Not Found``."""
    try:
        return f"{status} {HTTPStatus(int(status)).phrase}"
    except ValueError:
        return status


def _x(curve: Sequence[Moment]) -> tuple[float, str]:
    """What a second of the crawl is on the axis, and what the axis is called."""
    hours = curve[-1].hours
    if hours >= 72:
        return 1 / 24, "days of running"
    if hours >= 1.5:
        return 1.0, "hours of running"
    return (60.0, "minutes of running") if hours >= 0.05 else (3600.0, "seconds of running")


def _chart(rows: list[Row], height: int = HEIGHT) -> alt.Chart:
    return alt.Chart(alt.InlineData(rows), width=WIDTH, height=height)


def _line(curve: Sequence[Moment], name: str, title: str, number: str) -> alt.Chart | None:
    if not curve:
        return None
    times, unit = _x(curve)
    rows = [{"x": moment.hours * times, "y": getattr(moment, name)} for moment in curve]
    drawn: alt.Chart = (
        _chart(rows)
        .mark_line()
        .encode(
            x=alt.X("x:Q", title=unit),
            y=alt.Y("y:Q", title=title, axis=alt.Axis(format=number), scale=alt.Scale(zero=True)),
        )
    )
    return drawn


def _coverage(curve: Sequence[Moment], said: Estimate | None) -> alt.Chart | None:
    """The part that was collected by each moment, of the whole as it is estimated now."""
    if not curve or said is None:
        return None
    times, unit = _x(curve)
    rows = [
        {"x": moment.hours * times, "y": part * said.coverage, "low": part * said.low,
         "high": part * said.high}
        for moment in curve
        for part in (moment.relevant / said.found,)
    ]  # fmt: skip
    axis = alt.Axis(format="%", tickCount=5)
    base = _chart(rows).encode(x=alt.X("x:Q", title=unit))
    title = "collected, of the estimated whole"
    y = alt.Y("y:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, 1]))
    band = base.mark_area(opacity=0.25).encode(y=alt.Y("low:Q", title=title), y2="high:Q")
    layered: alt.Chart = (band + base.mark_line().encode(y=y)).properties(
        width=WIDTH, height=HEIGHT
    )
    return layered


def _lines(curve: Sequence[Moment], lines: dict[str, str], title: str) -> alt.Chart | None:
    if not curve:
        return None
    times, unit = _x(curve)
    rows = [
        {"x": moment.hours * times, "y": getattr(moment, column), "line": name}
        for name, column in lines.items()
        for moment in curve
    ]
    names = list(lines)
    legend = alt.Legend(title=None, symbolType="stroke", symbolSize=500)
    dashes = alt.Scale(domain=names, range=list(_DASHES[: len(names)]))
    drawn: alt.Chart = (
        _chart(rows)
        .mark_line()
        .encode(
            x=alt.X("x:Q", title=unit),
            y=alt.Y("y:Q", title=title, axis=_SHORT),
            color=alt.Color("line:N", scale=alt.Scale(domain=names), legend=legend),
            strokeDash=alt.StrokeDash("line:N", scale=dashes, legend=legend),
        )
    )
    return drawn


def _bars(counts: Mapping[str, int], unit: str) -> alt.Chart | None:
    """Horizontal bars, so that names of any length can be read; the rest together."""
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    rows: list[Row] = [
        {"name": str(name)[:40], "count": count} for name, count in ranked[:_MOST_BARS]
    ]
    if rest := sum(count for _, count in ranked[_MOST_BARS:]):
        rows.append({"name": "others", "count": rest})
    if not rows:
        return None
    names = list(dict.fromkeys(row["name"] for row in rows))
    base = _chart(rows, height=max(60, 24 * len(rows))).encode(
        y=alt.Y("name:N", scale=alt.Scale(domain=names), title=None,
                axis=alt.Axis(labelLimit=130)),
    )  # fmt: skip
    room = alt.Scale(domainMax=1.18 * max(row["count"] for row in rows), zero=True)
    x = alt.X(
        "count:Q", title=unit, scale=room, axis=alt.Axis(labelExpr=SHORT_NUMBERS, tickCount=4)
    )
    label = base.mark_text(align="left", dx=4, color="#010203", font="sans-serif").encode(
        x=x, text=alt.Text("count:Q", format=",")
    )
    layered: alt.Chart = (base.mark_bar().encode(x=x) + label).properties(
        width=WIDTH - 110, height=max(60, 24 * len(rows))
    )
    return layered


def _sizes(sizes: Mapping[int, int]) -> alt.Chart | None:
    """Pages by size; a size that no page has shows no bar."""
    if not sizes:
        return None
    rows: list[Row] = [{"size": _bytes(power), "pages": count} for power, count in sizes.items()]
    names = [row["size"] for row in rows]
    drawn: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("size:N", scale=alt.Scale(domain=names), title="bytes, up to twice as many",
                    axis=alt.Axis(labelAngle=-40)),
            y=alt.Y("pages:Q", title="pages", axis=_SHORT),
        )
    )  # fmt: skip
    return drawn


def _bytes(power: int) -> str:
    for unit, bits in (("G", 30), ("M", 20), ("k", 10)):
        if power >= bits:
            return f"{1 << (power - bits)}{unit}"
    return str(1 << power)
