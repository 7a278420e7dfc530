"""A graph as `adaptive` sees it: what its URLs and links say, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from langcrawl.log.details import LinkDetails
from langcrawl.log.graph import Graph
from langcrawl.records import UNKNOWN
from langcrawl.simulate.adaptive import kernel
from langcrawl.strategy.learned.adaptive import Adaptive
from langcrawl.strategy.learned.clues import KEPT_OF_ANCHOR, SILENT, path_number
from langcrawl.strategy.learned.places import HOST, Directory, places_of

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A graph for the kernel."""

    web: kernel.Web
    places: dict[str, int]
    """The number of every place; that of the whole web is 0."""
    groups: int


def encode(graph: Graph, learner: Adaptive) -> Encoded:
    """What the learner would read off the URLs and links of a graph."""
    pages, arrays = graph.pages, graph.arrays
    host = np.asarray(arrays.host, np.int32)
    urls = _Urls(learner, graph.urls, pages, host)
    redirect = np.where(arrays.redirect < pages, arrays.redirect, -1).astype(np.int32)
    unknown = np.array([*(language == UNKNOWN for language, _ in graph.tongues), True])
    kinds = (graph.relevant != 0) * kernel.RELEVANT
    kinds |= unknown[arrays.tongue] * kernel.UNKNOWN
    kinds |= (np.asarray(arrays.status) != 200) * kernel.FAILED
    own = np.array([*(learner.misses.is_own(language) for language, _ in graph.tongues), False])
    kinds |= own[arrays.tongue] * kernel.OWN
    links, anchors, words = _links(graph, learner, host, urls.host_names)
    web = kernel.Web(
        offsets=np.array(arrays.offsets, np.int64), dst=np.array(arrays.dst, np.int32),
        redirect=redirect, kinds=kinds.astype(np.uint8), nodes=urls.nodes,
        folders=np.array(urls.folders, np.int32).reshape(-1, 4),
        folder_places=np.array(urls.folder_places, np.int32).reshape(-1, 2),
        folder_words=np.array(urls.folder_words, np.int32), hosts=urls.hosts,
        links=links, anchors=anchors, words=words,
    )  # fmt: skip
    return Encoded(web, urls.places, urls.groups)


class _Urls:
    """The URLs of a graph, cut into places, kinds and groups."""

    def __init__(self, learner: Adaptive, urls: Sequence[str], pages: int, host: Ints) -> None:
        self.places: dict[str, int] = {"": 0}
        self.folders, self.folder_places = (
            list[tuple[int, int, int, int]](),
            list[tuple[int, int]](),
        )
        self.folder_words = list[int]()
        hosts = int(host.max(initial=-1)) + 1
        self.host_names = [""] * hosts
        self.nodes = np.zeros((pages, 6), np.int32)
        self.nodes[:, kernel.HOST] = host[:pages]
        self.hosts = np.zeros((hosts + 1, 2), np.int32)
        groups: dict[tuple[int, int], int] = {}
        folder_group = list[int]()
        known: dict[str, int] = {}
        for node, of_host in enumerate(host[:pages].tolist()):
            text, directory, file = learner.places.of(urls[node])
            folder = known.setdefault(text, len(known))
            if folder == len(self.folders):
                self._add(directory)
                self.hosts[of_host, 0] = self._number(directory.keys[HOST])
                self.host_names[of_host] = directory.host
                group = learner.group_of(urls[node], directory.host).rpartition("#")[2]
                folder_group.append(groups.setdefault((of_host, int(group)), len(groups)))
            place = self._number(places_of(directory, file)[0][-1]) if file.speaks else -1
            self.nodes[node, 1:5] = folder, file.speaks, file.kind, place
        self.folders.append((len(self.folder_places), 0, len(self.folder_words), 0))
        self.groups = len(groups)
        order = sorted(groups)
        renamed = np.zeros(len(groups), np.int32)
        renamed[[groups[group] for group in order]] = np.arange(len(order))
        of_folder = renamed[np.array(folder_group, np.int64)]
        self.nodes[:, kernel.GROUP] = of_folder[self.nodes[:, kernel.FOLDER]]
        counts = np.bincount([of_host for of_host, _ in order], minlength=hosts)
        self.hosts[1:, 1] = np.cumsum(counts)

    def _add(self, directory: Directory) -> None:
        """One folder more."""
        at, words, names = len(self.folder_places), len(self.folder_words), int(directory.names)
        self.folders.append((at, directory.kind, words, names))
        self.folder_words += directory.words
        for key, says in zip(directory.keys, directory.speaks, strict=True):
            self.folder_places.append((self._number(key), says))

    def _number(self, key: str) -> int:
        return self.places.setdefault(key, len(self.places))


def _links(graph: Graph, learner: Adaptive, host: Ints, hosts: list[str]) -> tuple[Any, ...]:
    """What every link says; every anchor, and where its words begin; the words."""
    details = LinkDetails.of(graph)
    columns = {
        name: (texts.distinct, texts.rows if details.whole is None else texts.rows[details.whole])
        for name, texts in details.columns.items()
        if name in ("anchors", "hreflangs", "tag_paths")
    }
    links = np.zeros((graph.links if columns else 0, 3), np.int32)
    read: list[tuple[int, tuple[int, ...]]] = [(SILENT, ())]
    if "anchors" in columns and learner.reads_anchors:
        distinct, links[:, 0] = columns["anchors"]
        read = [learner.anchors.read(text[:KEPT_OF_ANCHOR]) for text in distinct]
    if "hreflangs" in columns:
        distinct, rows = columns["hreflangs"]
        links[:, 1] = np.array(list(map(learner.anchors.hreflang, distinct)), np.int32)[rows]
    if "tag_paths" in columns:
        distinct, rows = columns["tag_paths"]
        pairs = host[graph.arrays.dst].astype(np.int64) * len(distinct) + rows
        different, where = np.unique(pairs, return_inverse=True)
        numbers = [
            path_number(hosts[pair // len(distinct)], text)
            if (text := distinct[pair % len(distinct)]) else 0
            for pair in different.tolist()
        ]  # fmt: skip
        links[:, 2] = np.array(numbers, np.int32)[where]
    anchors = np.zeros((len(read) + 1, 2), np.int32)
    anchors[:-1, 0] = [kind for kind, _ in read]
    anchors[1:, 1] = np.cumsum([len(words) for _, words in read])
    return links, anchors, np.array([word for _, words in read for word in words], np.int32)
