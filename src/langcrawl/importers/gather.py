"""Pages from several sources, put together into one log: of a repeated URL the first counts.

Whoever reads a source makes a `Part` of it, with `Pages`: a bundle of pages and their links
in tables of the log's own columns, in which URLs have numbers of the part's own. Parts may be
made in other processes. `Gatherer` gives the URLs their final numbers and writes segments as
it goes, so that what is in memory does not grow with the pages, only with the URLs.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.log.schema import TABLES, log_table
from langcrawl.log.segments import write_segment
from langcrawl.records import Links, Page, Verdict
from langcrawl.url import host_of

_SEGMENT_PAGES, _SEGMENT_LINKS = 20_000, 1_000_000
_LINK_TEXTS = {
    "anchor": "anchors",
    "context": "contexts",
    "hreflang": "hreflangs",
    "rel": "rels",
    "tag_path": "tag_paths",
}
"""Columns of the log, and where `Links` has them."""
_URL_COLUMNS = ("id", "redirect", "parent", "src", "dst")


class Part(NamedTuple):
    """Pages with their links; URLs are numbered by their place in `urls`.

    All of it but the counts is Arrow's, which is sent to another process without looking at it.
    """

    urls: pa.StringArray
    pages: pa.Table
    links: pa.Table
    counts: Mapping[str, int]
    """What was not taken in, by the reason."""


class Pages:
    """Collects pages into a part."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._mentioned: list[str] = []
        """Every URL as often as it is spoken of; until `part`, its place here stands for it."""
        self._fetched: set[str] = set()
        self._pages: list[dict[str, Any]] = []
        self._links: list[tuple[int, int, int]] = []
        """Of each page with links: its place, the place of its first link, and how many."""
        self._texts: dict[str, list[str | None]] = {name: [] for name in _LINK_TEXTS}
        """Of each column of texts what is known; it may be shorter than the links are many."""
        self._nofollow: list[int] = []
        """The places of links that are marked so, among all links."""
        self._link_count = 0

    def add(self, page: Page, verdict: Verdict, warc_file: str, warc_offset: int | None) -> None:
        """Take in a page with its links, unless there is one of that URL."""
        if page.url in self._fetched:
            self.counts["repeated"] += 1
            return
        self._fetched.add(page.url)
        place = len(self._mentioned)
        self._mentioned.append(page.url)
        row = _page_columns(page, verdict)
        row |= {"id": place, "warc_file": warc_file, "warc_offset": warc_offset}
        if page.redirect:
            row["redirect"] = len(self._mentioned)
            self._mentioned.append(page.redirect)
        self._pages.append(row)
        if page.links:
            self._add_links(page.links, place)

    def _add_links(self, links: Links, place: int) -> None:
        before = self._link_count
        self._links.append((place, len(self._mentioned), len(links)))
        self._mentioned += links.urls
        self._link_count += len(links)
        self._nofollow += [before + at for at in links.nofollow]
        for name, attribute in _LINK_TEXTS.items():
            if values := getattr(links, attribute):
                column = self._texts[name]
                column += [None] * (before - len(column))
                column += values

    def part(self) -> Part:
        """What has been collected."""
        distinct = pa.array(self._mentioned, pa.string()).dictionary_encode()
        numbers = distinct.indices.cast(pa.int64())
        columns = {name: [row.get(name) for row in self._pages] for name in TABLES["pages"].names}
        return Part(
            distinct.dictionary,
            _renumbered(log_table("pages", len(self._pages), columns), numbers),
            _renumbered(log_table("links", self._link_count, self._link_columns()), numbers),
            self.counts,
        )

    def _link_columns(self) -> dict[str, Any]:
        """The links of all pages, in order; those of one page are spoken of in a row."""
        pages, firsts, sizes = np.array(self._links, np.int64).reshape(-1, 3).T
        before = np.cumsum(sizes) - sizes
        positions = np.arange(self._link_count) - np.repeat(before, sizes)
        nofollow = np.zeros(self._link_count, dtype=bool)
        nofollow[self._nofollow] = True
        texts = {
            name: column + [None] * (self._link_count - len(column))
            for name, column in self._texts.items()
            if column
        }
        return texts | {
            "src": np.repeat(pages, sizes),
            "dst": np.repeat(firsts, sizes) + positions,
            "position": positions,
            "nofollow": nofollow,
        }


def _page_columns(page: Page, verdict: Verdict) -> dict[str, Any]:
    """What is known of a page; what an archive does not know is null."""
    return {
        "status": page.status,
        "content_type": page.content_type,
        "bytes": page.bytes,
        "text_bytes": page.text_bytes,
        "fetched_at": page.fetched_at or None,
        "ip": page.ip,
        "charset_header": page.charsets.header,
        "charset_meta": page.charsets.meta,
        "charset_detected": page.charsets.detected,
        "digest": page.digest,
        "notes": " ".join(page.notes),
        "language": verdict.language,
        "script": verdict.script,
        "encoding": verdict.encoding,
        "score": verdict.score,
        "relevant": verdict.relevant,
        "evidence": "\n".join(verdict.evidence),
        "title": page.title,
        "html_lang": page.html_lang,
        "content_language": page.content_language,
        "fonts": ", ".join(page.fonts),
    }


class Gatherer:
    """Writes parts as the segments of one log, each URL with one number and at most one page."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._ids: defaultdict[str, int] = defaultdict(itertools.count().__next__)
        """The number of each URL; whoever asks for that of a new one gives it the next."""
        self._fetched: set[int] = set()
        self._segment = 0
        self._waiting: dict[str, list[pa.Table]] = {"pages": [], "links": []}
        self._new_urls: list[str] = []
        self.counts: Counter[str] = Counter()
        self.pages = self.links = self.relevant = 0

    @property
    def urls(self) -> int:
        return len(self._ids)

    def add(self, part: Part) -> None:
        """Take in the pages of a part that no earlier part had."""
        self.counts.update(part.counts)
        urls = part.urls.to_pylist()
        pages, links = self._first_ones(part, urls)
        final = self._numbers(urls, pages, links)
        pages, links = _renumbered(pages, final), _renumbered(links, final)
        self._fetched.update(pages["id"].to_pylist())
        self._waiting["pages"].append(pages)
        self._waiting["links"].append(links)
        self.pages += pages.num_rows
        self.links += links.num_rows
        self.relevant += pc.sum(pages["relevant"]).as_py() or 0
        sizes = {name: sum(t.num_rows for t in tables) for name, tables in self._waiting.items()}
        if sizes["pages"] >= _SEGMENT_PAGES or sizes["links"] >= _SEGMENT_LINKS:
            self.flush()

    def flush(self) -> None:
        """Write what has been taken in since the last segment."""
        if not self._waiting["pages"]:
            return
        urls = self._new_urls
        columns = {
            "id": np.arange(len(self._ids) - len(urls), len(self._ids)),
            "url": urls,
            "host": [host_of(url) for url in urls],
        }
        tables = {name: pa.concat_tables(parts) for name, parts in self._waiting.items()}
        tables["urls"] = log_table("urls", len(urls), columns)
        write_segment(self._directory, self._segment, tables)
        self._segment += 1
        self._waiting, self._new_urls = {"pages": [], "links": []}, []

    def _first_ones(self, part: Part, urls: list[str]) -> tuple[pa.Table, pa.Table]:
        """The pages and links of a part without those of pages that are already there."""
        numbers = part.pages["id"].to_pylist()
        again = [n for n in numbers if self._ids.get(urls[n], -1) in self._fetched]
        if not again:
            return part.pages, part.links
        self.counts["repeated"] += len(again)
        dropped = pa.array(again, pa.int64())
        return (
            part.pages.filter(pc.invert(pc.is_in(part.pages["id"], dropped))),
            part.links.filter(pc.invert(pc.is_in(part.links["src"], dropped))),
        )

    def _numbers(self, urls: list[str], pages: pa.Table, links: pa.Table) -> pa.Array:
        """The final numbers of a part's URLs; those that nothing speaks of get none."""
        used = np.zeros(len(urls), dtype=bool)
        for table in (pages, links):
            for name in set(_URL_COLUMNS) & set(table.column_names):
                used[table[name].drop_null().to_numpy()] = True
        places = np.flatnonzero(used)
        wanted = urls if len(places) == len(urls) else [urls[place] for place in places.tolist()]
        ids, before = self._ids, len(self._ids)
        final = np.full(len(urls), -1, dtype=np.int64)
        final[places] = [ids[url] for url in wanted]
        self._new_urls += [urls[place] for place in np.flatnonzero(final >= before).tolist()]
        return pa.array(final)


def _renumbered(table: pa.Table, numbers: pa.Array) -> pa.Table:
    """A table with another number for each URL."""
    for place, field in enumerate(table.schema):
        if field.name in _URL_COLUMNS:
            table = table.set_column(place, field, numbers.take(table[field.name]))
    return table
