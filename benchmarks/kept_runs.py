"""Orders of simulations, kept on disk, so that a long benchmark can be stopped and resumed.

A run is known by its web, its strategy and the code that decides: who changes one of them runs
anew. The files of `adaptive` alone do not count for the other strategies, which take most of the
time. ``LANGCRAWL_RUNS`` names another folder than ``.benchmark-runs``.
"""

from __future__ import annotations

import os
from functools import lru_cache
from hashlib import sha1
from pathlib import Path

import numpy as np
import numpy.typing as npt

import langcrawl
from langcrawl.log.graph import Graph
from langcrawl.records import Limits
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy

FOLDER = Path(os.environ.get("LANGCRAWL_RUNS", ".benchmark-runs"))
DECIDING = ("strategy", "simulate", "frontier", "virtualweb", "crawl.py", "offers.py", "url.py")
"""Rooms and modules that decide which page is taken when."""
OF_ADAPTIVE = ("simulate/adaptive/", "strategy/learned/")
"""Where the files of `adaptive` are; those of other learners are there as well."""
OF_OTHERS = ("url_classifier.py", "tag_paths.py")
Nodes = npt.NDArray[np.int32]


class Runs:
    """The runs of one web."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        arrays = graph.arrays
        self._web = sha1(repr((graph.lang or graph.config.lang, graph.tongues)).encode())
        for part in (
            graph.relevant, graph.score, arrays.url_hash, arrays.offsets, arrays.dst,
            arrays.redirect, arrays.status, arrays.tongue,
        ):  # fmt: skip
            self._web.update(np.ascontiguousarray(part).data)

    def order(
        self, strategy: str, pages: int | None = None, seeds: tuple[str, ...] = ()
    ) -> tuple[Nodes, float]:
        """The pages in the order in which they are taken, and the seconds that it took."""
        code = code_of("adaptive" if strategy.startswith("adaptive") else "")
        asked = self._web.copy()
        asked.update(repr((strategy, pages, seeds, code)).encode())
        file = FOLDER / f"{asked.hexdigest()}.npz"
        if file.exists():
            with np.load(file) as kept:
                return kept["order"], float(kept["seconds"])
        plan = Plan(seeds, limits=Limits(max_pages=pages))
        result = simulate(self.graph, make_strategy(strategy), plan)
        FOLDER.mkdir(exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}.npz")
        np.savez(draft, order=result.order, seconds=result.seconds)
        draft.replace(file)
        return result.order, result.seconds


@lru_cache(2)
def code_of(strategy: str) -> str:
    """A digest of the code that decides: with the files of `adaptive`, or without them."""
    root = Path(langcrawl.__file__).parent
    digest = sha1()
    for place in DECIDING:
        path = root / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            name = file.relative_to(root).as_posix()
            its_own = name.startswith(OF_ADAPTIVE) and not name.endswith(OF_OTHERS)
            if strategy == "adaptive" or not its_own:
                digest.update(name.encode() + file.read_bytes())
    return digest.hexdigest()
