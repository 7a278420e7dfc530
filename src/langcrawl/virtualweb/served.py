"""A log as a web of real pages: text in the language of each, in its charset, with its links.

A log keeps no text, so the text is written anew from plain sentences, chosen by the number
of the page: the same page always reads the same.
"""

from __future__ import annotations

import html
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.languages.charsets import codec_name
from langcrawl.records import UNKNOWN
from langcrawl.virtualweb.graph import Graph, load_graph
from langcrawl.virtualweb.log import read_table
from langcrawl.virtualweb.phrases import PHRASES, WORDS
from langcrawl.virtualweb.small import SmallPage

_SORRY = b"<h1>Not found</h1>"
NO_ANSWER = 0
"""The status of a page whose server breaks the connection."""


class ServedLog:
    """Answers requests for the URLs of a log.

    Links to URLs that were never fetched are left out of the pages, as a simulation drops
    them; with `unknown_fails` they stand there and lead nowhere.
    """

    def __init__(
        self,
        directory: Path,
        latency: float = 0.0,
        failures: bool = False,
        unknown_fails: bool = False,
    ) -> None:
        self.graph: Graph = load_graph(directory)
        self._urls = read_table(directory, "urls", ["url"])["url"].combine_chunks()
        self._latency, self._failures = latency, failures
        self._known = self.graph.nodes if unknown_fails else self.graph.pages
        pages = read_table(directory, "pages", ["id", "charset_meta", "charset_detected"])
        order = np.argsort(pages["id"].to_numpy(), kind="stable")
        self._declared = _Words(pages["charset_meta"], order)
        self._found = _Words(pages["charset_detected"], order)

    def answer(self, url: str) -> SmallPage:
        """What a server says to a request for this URL."""
        node = self.graph.find([url])[0]
        if not 0 <= node < self.graph.pages:
            return SmallPage(404, body=_SORRY)
        arrays = self.graph.arrays
        status = int(arrays.status[node])
        seconds = self._latency * float(arrays.elapsed[node])
        if status == NO_ANSWER and not self._failures:
            status = 404
        if arrays.redirect[node] >= 0:
            goal = self._named([int(arrays.redirect[node])])[0]
            return SmallPage(status, location=goal, seconds=seconds)
        if status != 200:
            return SmallPage(status, body=_SORRY, seconds=seconds)
        language = self._language(node)
        return SmallPage(200, body=self._page(node, language), language=language, seconds=seconds)

    def _language(self, node: int) -> str:
        tongues = (*self.graph.tongues, (UNKNOWN, ""))
        return tongues[int(self.graph.arrays.tongue[node])][0]

    def _named(self, nodes: list[int]) -> list[str]:
        ids = self.graph.arrays.url_id[nodes]
        urls: list[str] = self._urls.take(pa.array(ids)).to_pylist()
        return urls

    def _page(self, node: int, language: str) -> bytes:
        """The bytes of a page: declared as it was declared, encoded as it was encoded."""
        tongue = language.split("-")[0]
        rng = random.Random(node)
        declared, found = self._declared[node], self._found[node]
        charset = codec_name(declared) or codec_name(found) or "utf-8"
        meta = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">\n'
        sentences = PHRASES.get(tongue, PHRASES["en"])
        words = WORDS.get(tongue, WORDS["en"])
        text = [html.escape(rng.choice(sentences)) for _ in range(rng.randrange(6, 14))]
        items = self._items(node, words, rng)
        page = (
            f"<html><head>\n{meta if declared else ''}<title>{rng.choice(words)}</title></head>\n"
            f"<body><h1>{rng.choice(words)}</h1>\n<p>{'</p><p>'.join(text)}</p>\n"
            f"<ul>{''.join(items)}</ul></body></html>\n"
        )
        return page.encode(charset, "xmlcharrefreplace")

    def _items(self, node: int, words: tuple[str, ...], rng: random.Random) -> list[str]:
        arrays = self.graph.arrays
        goals = arrays.dst[arrays.offsets[node] : arrays.offsets[node + 1]]
        return [
            f'<li><a href="{html.escape(url)}">{rng.choice(words)}</a></li>\n'
            for url in self._named(goals[goals < self._known].tolist())
        ]


class _Words:
    """A column of few different words, by page."""

    def __init__(self, column: pa.ChunkedArray, order: npt.NDArray[np.int64]) -> None:
        coded = column.combine_chunks().fill_null("").dictionary_encode()
        self._words: list[str] = coded.dictionary.to_pylist()
        self._codes = coded.indices.to_numpy().astype(np.int16)[order]

    def __getitem__(self, node: int) -> str:
        return self._words[int(self._codes[node])]
