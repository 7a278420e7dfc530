"""Links on their way to another shard, and what was learned, as JSON.

Only the columns travel that the strategy reads: for a rule, the URLs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from langcrawl.ports import Ranker
from langcrawl.records import Facts, Found, Links

_ALL = ("urls", "anchors", "anchor_scores", "contexts", "hreflangs", "rels", "tag_paths")


def columns_for(ranker: Ranker) -> tuple[str, ...]:
    """The columns of links that a ranker reads."""
    if ranker.reads_links:
        return _ALL
    return ("urls", "anchor_scores") if ranker.gathers else ("urls",)


def pack(found: Found, columns: Sequence[str]) -> list[Any]:
    """Links as a row of plain values."""
    texts = {name: column for name in columns if (column := getattr(found.links, name))}
    return [texts, *found[1:]]


def as_text(rows: Sequence[list[Any] | str]) -> str:
    return json.dumps(rows, separators=(",", ":"))


def unpack(text: str) -> Iterator[Found | str]:
    """The links of a batch, page by page; a text is what the sender's ranker has learned."""
    for row in json.loads(text):
        if isinstance(row, str):
            yield row
        else:
            texts, origin, *more = row
            yield Found(Links(**texts), Facts(*origin), *more)
