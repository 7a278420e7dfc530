"""A log as a web of real pages: text in the language of each, in its charset, with its links.

A log keeps no text, so the text is written anew from plain sentences, chosen by the number
of the page: the same page always reads the same. A page of a target host of a web with
encodings is written in its encoding, with as much text in the target as its score says.
"""

from __future__ import annotations

import html
import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.languages.charsets import codec_name
from langcrawl.records import UNKNOWN
from langcrawl.script.syllables import count_syllables
from langcrawl.virtualweb.graph import Graph, load_graph
from langcrawl.virtualweb.legacy import write_in
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
        columns = ["id", "charset_meta", "charset_detected", "encoding"]
        pages = read_table(directory, "pages", columns)
        order = np.argsort(pages["id"].to_numpy(), kind="stable")
        self.encodings = _Words(pages["encoding"], order)
        self._declared = _Words(pages["charset_meta"], order)
        self._found = _Words(pages["charset_detected"], order)

    def answer(self, url: str) -> SmallPage:
        """What a server says to a request for this URL."""
        node = self.graph.find([url])[0]
        if not 0 <= node < self.graph.pages:
            return SmallPage(404, body=_SORRY)
        return self.answer_page(node)

    def answer_page(self, node: int) -> SmallPage:
        """What a server says to a request for this page."""
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
        encoding = self.encodings[node]
        declared, found = self._declared[node], self._found[node]
        charset = codec_name(declared) or codec_name(found) or "utf-8"
        meta = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">\n'
        sentences = PHRASES.get(tongue, PHRASES["en"])
        words = WORDS.get(tongue, WORDS["en"])
        if encoding and language == self.graph.config.lang:
            words = tuple(write_in(word, encoding) for word in words)
        items = self._items(node, words, rng)
        if encoding:
            text = self._mixture(node, tongue, len(items), rng)
        else:
            text = [rng.choice(sentences) for _ in range(rng.randrange(6, 14))]
        body = "</p>\n<p>".join(map(html.escape, text))
        title, head = (html.escape(rng.choice(words)) for _ in range(2))
        page = (
            f"<html><head>\n{meta if declared else ''}<title>{title}</title></head>\n"
            f"<body{_font(encoding)}><h1>{head}</h1>\n<p>{body}</p>\n"
            f"<ul>{''.join(items)}</ul></body></html>\n"
        )
        return page.encode(charset, "xmlcharrefreplace")

    def _mixture(self, node: int, tongue: str, items: int, rng: random.Random) -> list[str]:
        """Sentences in the target and in the bridge language, by the share that the log has."""
        config = self.graph.config
        target, bridge = config.lang.split("-")[0], config.bridge.split("-")[0]
        share = float(self.graph.score[node])
        words = WORDS[tongue]
        already = (items + 2) * sum(map(len, words)) / len(words)
        size = max(rng.randrange(300, 900), 2 * already)
        wanted, others = share * size, (1 - share) * size
        if tongue == target:
            wanted -= count_units(" ".join(words), target) / len(words) * (items + 2)
        else:
            others -= already
        text = _written(PHRASES[target], wanted, lambda text: count_units(text, target), rng)
        text = [write_in(each, self.encodings[node]) for each in text]
        text += _written(PHRASES[bridge], others, lambda text: count_units(text, bridge), rng)
        rng.shuffle(text)
        return text

    def _items(self, node: int, words: tuple[str, ...], rng: random.Random) -> list[str]:
        arrays = self.graph.arrays
        goals = arrays.dst[arrays.offsets[node] : arrays.offsets[node + 1]]
        return [
            f'<li><a href="{html.escape(url)}">{html.escape(rng.choice(words))}</a></li>\n'
            for url in self._named(goals[goals < self._known].tolist())
        ]


_FONTS = {
    "zawgyi": "Zawgyi-One", "win-innwa": "Win Innwa", "unicode": "Myanmar3",
    "menksoft": "Menksoft2012", "saiyin": "Saiyin",
}  # fmt: skip


def _font(encoding: str) -> str:
    """The font that a page in a legacy encoding asks for."""
    return f' style="font-family: {_FONTS[encoding]}"' if encoding in _FONTS else ""


@lru_cache(maxsize=1 << 14)
def count_units(text: str, tongue: str) -> int:
    """What the share of a language counts: syllables in Burmese (paper 003), else letters."""
    if tongue == "my":
        return count_syllables(text)
    return sum(not each.isspace() for each in text)


def _written(
    sentences: Sequence[str], wanted: float, count: Callable[[str], int], rng: random.Random
) -> list[str]:
    """Sentences until there are about as many units as wanted; of the last, its first words."""
    text = []
    while wanted >= 1:
        words = rng.choice(sentences).split()
        if count(" ".join(words)) > wanted:
            while len(words) > 1 and count(" ".join(words[:-1])) >= wanted:
                words.pop()
        text.append(" ".join(words))
        wanted -= max(1, count(text[-1]))
    return text


class _Words:
    """A column of few different words, by page."""

    def __init__(self, column: pa.ChunkedArray, order: npt.NDArray[np.int64]) -> None:
        coded = column.combine_chunks().fill_null("").dictionary_encode()
        self._words: list[str] = coded.dictionary.to_pylist()
        self._codes = coded.indices.to_numpy().astype(np.int16)[order]

    def __getitem__(self, node: int) -> str:
        return self._words[int(self._codes[node])]
