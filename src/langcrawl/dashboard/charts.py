"""Line charts as numbers for an SVG template: no script draws anything.

A chart is laid out here, in the units of its view box, and drawn by ``chart.html``. Colours and
dashes belong to classes, so that the style sheet decides them, also in the dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any

WIDTH, HEIGHT = 380, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 12, 34
_MOST_TICKS = 5
_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart, with its name in the legend; `kind` is its class in the style sheet."""

    name: str
    points: Points
    kind: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that a template can draw."""

    name: str
    title: str
    summary: str
    """What it shows, in words, for whoever cannot see it."""
    lines: list[dict[str, Any]] = field(default_factory=list)
    x_ticks: list[tuple[float, str]] = field(default_factory=list)
    y_ticks: list[tuple[float, str]] = field(default_factory=list)
    x_label: str = ""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = HEIGHT - _BOTTOM


def draw(
    name: str, title: str, lines: Sequence[Line], summary: str, *, shares: bool = False
) -> Chart:
    """Lay out lines over seconds; with `shares`, of numbers between 0 and 1."""
    drawn = [line for line in lines if line.points]
    last = max((x for line in drawn for x, _ in line.points), default=0.0) or 1.0
    high = 1.0 if shares else max((y for line in drawn for _, y in line.points), default=0.0)
    steps = ticks(high or 1.0)
    top = steps[-1]
    seconds, unit = next(each for each in _UNITS if last >= 2 * each[0] or each[0] == 1)

    def x(value: float) -> float:
        return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * value / last, 1)

    def y(value: float) -> float:
        return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / top, 1)

    return Chart(
        name,
        title,
        summary,
        [
            {
                "name": line.name,
                "kind": line.kind,
                "path": "M" + "L".join(f"{x(at)},{y(value)}" for at, value in line.points),
                "dot": (x(line.points[-1][0]), y(line.points[-1][1])),
            }
            for line in drawn
        ],
        [(x(tick * seconds), short(tick)) for tick in ticks(last / seconds, within=True)],
        [(y(tick), f"{tick:.0%}" if shares else short(tick)) for tick in steps],
        f"time run ({unit})",
    )


def ticks(high: float, *, within: bool = False) -> list[float]:
    """Round numbers from 0 up to the first that is not below a number, or the last not above."""
    rough = high / _MOST_TICKS
    size = 10.0 ** floor(log10(rough))
    step = size * next(n for n in (1, 2, 2.5, 5, 10) if size * n >= rough * 0.999)
    if high >= _MOST_TICKS and step < 1:
        step = 1.0
    last = floor(high / step * 1.001) if within else ceil(high / step * 0.999)
    return [round(step * n, 10) for n in range(max(1, last) + 1)]


def short(number: float) -> str:
    """A number for an axis: 1500 is 1.5k."""
    for factor, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= factor:
            return f"{number / factor:.4g}{unit}"
    return f"{number:.4g}"


def crawl_charts(history: Sequence[dict[str, Any]], end: dict[str, Any] | None) -> list[Chart]:
    """How a crawl has come along: pages, harvest, and the queue with its projected end."""
    pages = [(point["spent"], point["pages"]) for point in history]
    relevant = [(point["spent"], point["relevant"]) for point in history]
    queue = [(point["spent"], point["queue"]) for point in history]
    now = history[-1] if history else {"spent": 0, "pages": 0, "relevant": 0, "queue": 0}
    so_far = [(x, hits / of) for (x, of), (_, hits) in zip(pages, relevant, strict=True) if of]
    projected, ends = [], ""
    if end is not None and history:
        at_end = 0.0 if end["because"] == "queue-empty" else float(now["queue"])
        shown = min(end["seconds"], max(60.0, 2.0 * now["spent"]))  # no chart of mostly future
        part = shown / end["seconds"] if end["seconds"] else 1.0
        value = now["queue"] + (at_end - now["queue"]) * part
        projected = [(now["spent"], now["queue"]), (now["spent"] + shown, value)]
        ends = f" It ends in about {round(end['seconds']):,} seconds ({end['because']})."
    return [
        draw(
            "pages", "Pages", [Line("all", pages, "all"), Line("relevant", relevant, "relevant")],
            f"{now['pages']:,} pages so far, {now['relevant']:,} of them relevant.",
        ),
        draw(
            "harvest", "Harvest rate",
            [Line("so far", so_far, "all"), Line("lately", lately(history), "relevant")],
            "The share of relevant pages, so far and lately.", shares=True,
        ),
        draw(
            "queue", "URLs that wait",
            [Line("waiting", queue, "all"), Line("projected", projected, "projected")],
            f"{now['queue']:,} URLs wait.{ends}",
        ),
    ]  # fmt: skip


def lately(history: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    """The share of relevant pages among those of the last twentieth of the time."""
    found = []
    width = max(2, len(history) // 20)
    for before, after in zip(history, history[width:], strict=False):
        pages = after["pages"] - before["pages"]
        if pages > 0:
            found.append((after["spent"], (after["relevant"] - before["relevant"]) / pages))
    return found
