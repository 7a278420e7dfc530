"""A log as a web of real pages: text in the language of each, in its charset, with its links.

A log keeps no text, so the text is written anew from plain sentences, chosen by the number
of the page: the same page always reads the same. A page of a target host of a web with
encodings is written in its encoding, with as much text in the target as its score says; one of a
topical web with as much text about the topic.
"""

from __future__ import annotations

import html
import random
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.languages import parse_targets
from langcrawl.languages.charsets import codec_name
from langcrawl.log.anchors import link_texts
from langcrawl.log.graph import Graph, load_graph
from langcrawl.log.segments import read_batches, read_table
from langcrawl.records import UNKNOWN
from langcrawl.script.syllables import count_syllables
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES, WORDS
from langcrawl.virtualweb.small import SmallPage
from langcrawl.virtualweb.topical.text import topical_text

_SORRY = b"<h1>Not found</h1>"
_LEAST = 0.012
"""The share of the target that anchors alone may have on a page of which none is said."""
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
        self._anchors, self._anchor_of = link_texts(
            self.graph.arrays, partial(read_batches, directory, "links")
        )
        self._topical = topical_text(self.graph.config.source)
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
        if encoding and language in self.graph.config.lang.split(","):
            words = tuple(write_in(word, encoding) for word in words)
        links = self._links(node)
        if encoding:
            text = self._mixture(node, [anchor for _, anchor in links], rng)
        elif self._topical and tongue == "en":
            text = self._topical.write(float(self.graph.score[node]), rng)
        else:
            text = [rng.choice(sentences) for _ in range(rng.randrange(6, 14))]
        body = "</p>\n<p>".join(map(html.escape, text))
        title, head = (html.escape(rng.choice(words)) for _ in range(2))
        page = (
            f"<html><head>\n{meta if declared else ''}<title>{title}</title></head>\n"
            f"<body{_font(encoding)}><h1>{head}</h1>\n<p>{body}</p>\n"
            f"<ul>{''.join(map(_item, links))}</ul></body></html>\n"
        )
        return page.encode(charset, "xmlcharrefreplace")

    def _mixture(self, node: int, anchors: list[str], rng: random.Random) -> list[str]:
        """Sentences in the target and in the bridge language, by the share that the log has.

        The anchors of the page are a part of its text, and count in it.
        """
        config = self.graph.config
        targets = parse_targets(config.lang)
        target = (targets.of(self._language(node)) or str(targets.tags[0])).split("-")[0]
        target = target if target in WORDS else targets.tags[0].primary
        bridge = config.bridge.partition(",")[0].split("-")[0]
        share = float(self.graph.score[node])
        own = {write_in(word, self.encodings[node]): word for word in WORDS[target]}
        there = sum(count_units(own[anchor], target) for anchor in anchors if anchor in own)
        around = sum(count_units(anchor, bridge) for anchor in anchors if anchor not in own)
        size = max(rng.randrange(300, 900), 1.5 * (there + around), there / max(share, _LEAST))
        wanted, others = share * size - there, (1 - share) * size - around
        text = _written(PHRASES[target], wanted, lambda text: count_units(text, target), rng)
        text = [write_in(each, self.encodings[node]) for each in text]
        text += _written(PHRASES[bridge], others, lambda text: count_units(text, bridge), rng)
        rng.shuffle(text)
        return text

    def _links(self, node: int) -> list[tuple[str, str]]:
        """Where the links of a page lead, and their anchors."""
        arrays = self.graph.arrays
        row = slice(arrays.offsets[node], arrays.offsets[node + 1])
        goals = arrays.dst[row]
        known = goals < self._known
        anchors = [self._anchors[code] for code in self._anchor_of[row][known].tolist()]
        return list(zip(self._named(goals[known].tolist()), anchors, strict=True))


_FONTS = {
    "zawgyi": "Zawgyi-One", "win-innwa": "Win Innwa", "unicode": "Myanmar3",
    "menksoft": "Menksoft2012", "saiyin": "Saiyin",
}  # fmt: skip


def _item(link: tuple[str, str]) -> str:
    """A link in a list; without a text it is a picture."""
    url, anchor = map(html.escape, link)
    return f'<li><a href="{url}">{anchor or "<img src=logo.png>"}</a></li>\n'


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
