"""How charts look: one theme, drawn once as SVG that follows the page into the dark.

A chart becomes a picture when a page is written, so a page needs no program. The colours of text
and grid are names in the picture, which the page's style sheet gives a value.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import vl_convert
from markupsafe import Markup

Spec = dict[str, Any]
"""A chart in Vega-Lite, as JSON."""
WIDTH, HEIGHT = 380, 230
"""Of the space within the axes: a chart fits a phone without being made smaller."""
COLOURS = (
    "#3b82c4", "#e07b28", "#2f9e6e", "#c94f6d", "#8a6fd1", "#9a7b4f", "#3fa7b8", "#a39a2c",
)  # fmt: skip
_INK, _GRID = "#010203", "#010204"
_ON_PAPER = {_INK: "#222222", _GRID: "#dddddd"}
_ON_PAGE = {_INK: "currentColor", _GRID: "var(--line)"}
_FONT = "sans-serif"
_TEXT = {"labelColor": _INK, "titleColor": _INK, "labelFont": _FONT, "titleFont": _FONT}
_CONFIG = {
    "background": None,
    "view": {"stroke": _GRID},
    "axis": _TEXT | {"gridColor": _GRID, "domainColor": _GRID, "tickColor": _GRID,
                     "titleFontWeight": "normal", "labelOverlap": True, "labelFlush": False,
                     "tickCount": 6, "titleFontSize": 12, "labelFontSize": 11},
    "legend": _TEXT | {"orient": "bottom", "columns": 2, "labelLimit": WIDTH, "labelFontSize": 11,
                       "symbolStrokeWidth": 2.5},
    "title": {"color": _INK, "font": _FONT, "anchor": "start", "fontSize": 14},
    "range": {"category": list(COLOURS)},
    "bar": {"color": COLOURS[0]},
    "line": {"color": COLOURS[0]},
    "point": {"color": COLOURS[0]},
    "area": {"color": COLOURS[0]},
}  # fmt: skip
SHORT_NUMBERS = "datum.value ? format(datum.value, '~s') : '0'"
"""How counts are written on an axis: 0, 500, 1k, 2M."""
_NO_LETTERS = dict.fromkeys([0x2028, 0x2029, *range(0xD800, 0xE000)], " ")
_SIZE = re.compile(r'(<svg[^>]*?) width="(\d+)" height="(\d+)"')


def themed(spec: Spec) -> Spec:
    """A chart with the theme of all of them; what it says itself wins."""
    return spec | {"config": _CONFIG | {"padding": 4}}


def draw(spec: Spec) -> Markup:
    """A chart as SVG within a page: its text is escaped, and it shrinks with the page."""
    picture = _svg(spec)
    picture = _SIZE.sub(r'\1 width="\2" height="\3" role="img"', picture, count=1)
    picture = picture.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    return Markup(_coloured(picture, _ON_PAGE))


def _svg(spec: Spec) -> str:
    """The picture; of what would end a line in a program, and of half letters, a space is left."""
    text = json.dumps(themed(spec), ensure_ascii=False).translate(_NO_LETTERS)
    picture: str = vl_convert.vegalite_to_svg(text)
    return picture


def save(spec: Spec, path: Path) -> None:
    """A chart as a picture on white paper: PNG, SVG or PDF, by the ending of the file's name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = _coloured(_svg(spec), _ON_PAPER)
    kind = path.suffix.lower()
    if kind == ".svg":
        path.write_text(text, encoding="utf-8")
    elif kind == ".pdf":
        path.write_bytes(vl_convert.svg_to_pdf(text))
    else:
        path.write_bytes(vl_convert.svg_to_png(_on_white(text), scale=2.0))


def _coloured(picture: str, colours: dict[str, str]) -> str:
    for name, colour in colours.items():
        picture = picture.replace(f'"{name}"', f'"{colour}"')
    return picture


def _on_white(picture: str) -> str:
    head, _, rest = picture.partition(">")
    return f'{head}><rect width="100%" height="100%" fill="white"/>{rest}'
