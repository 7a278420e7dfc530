"""One run of `adaptive` by the kernel: room for it, slices of work, what was learned, results."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from langcrawl.log.graph import Graph
from langcrawl.measure.results import Result
from langcrawl.parallel import Progress, crawl_words
from langcrawl.simulate.adaptive import kernel
from langcrawl.simulate.adaptive.encode import Encoded, encode
from langcrawl.simulate.plan import NOT_IN_LOG, Plan, Seeds, sum_up
from langcrawl.strategy.learned import (
    adaptive,
    clues,
    fame,
    misses,
    places,
    rates,
    scouts,
    start,
    surprises,
    url_words,
    weights,
)
from langcrawl.strategy.learned.adaptive import Adaptive
from langcrawl.strategy.learned.rates import Rate
from langcrawl.strategy.learned.weights import Weights

_SLICE_SECONDS = 0.2
_FIRST_SLICE = 2000
_TABLES = {
    "clues": start.CLUES,
    "kinds": places.SLOTS,
    "words": clues.WORD_SLOTS,
    "paths": clues.PATH_SLOTS + 1,
    "said": len(start.SAID),
}
"""The tables of weights, in the order in which the kernel has them, and how long they are."""
_AT = dict(zip(_TABLES, np.cumsum([0, *_TABLES.values()]).tolist(), strict=False))
"""Where each begins there."""


def simulate_adaptive(
    graph: Graph,
    learner: Adaptive,
    plan: Plan,
    seeds: Seeds,
    progress: Progress,
    stop: Callable[[], bool],
) -> Result:
    """Run `adaptive` over a log in the exact order of the interpreted loop."""
    encoded = encode(graph, learner)
    memory, rules = _memory(graph, learner, encoded), _rules(learner)
    most = graph.pages if plan.limits.max_pages is None else plan.limits.max_pages
    counters, step, relevant, stopped = memory.counters, _FIRST_SLICE, 0, False
    began = time.perf_counter()
    kernel.offer_seeds(encoded.web, memory, rules, np.array(seeds.nodes, np.int32))
    while counters[kernel.PAGES] < most and not (stopped := stop()):
        before, slice_began = int(counters[kernel.PAGES]), time.perf_counter()
        status = kernel.advance(encoded.web, memory, rules, min(before + step, most))
        pages, queue = int(counters[kernel.PAGES]), int(counters[kernel.QUEUE])
        relevant += int(graph.relevant[memory.order[before:pages]].sum())
        progress(pages, None, crawl_words(pages, relevant, queue))
        if status == kernel.EMPTY:
            break
        elapsed = time.perf_counter() - slice_began
        step = max(1000, int(step * min(4.0, _SLICE_SECONDS / max(elapsed, 1e-6))))
    seconds = time.perf_counter() - began
    _give_back(memory, encoded, learner)
    order = memory.order[: counters[kernel.PAGES]]
    lost = _lost(graph, order) + seeds.lost
    return Result(
        name=learner.name,
        summary=sum_up(graph, plan, order, memory.queue[: len(order)]),
        max_queue=int(counters[kernel.MAX_QUEUE]),
        discards={NOT_IN_LOG: lost} if lost else {},
        seconds=seconds,
        partial=stopped,
        order=order,
    )


def _memory(graph: Graph, learner: Adaptive, encoded: Encoded) -> kernel.Memory:
    """Room for a run, with what the learner knows already."""
    count, hosts, heap = graph.pages, len(encoded.web.hosts), 2 * graph.pages + 16
    groups = np.full((encoded.groups, kernel.GROUP_COLUMNS), -1, np.int32)
    groups[:, kernel.GROUP_HITS] = 0
    return kernel.Memory(
        nodes=np.zeros((count, kernel.NODE_COLUMNS), np.int32),
        keys=np.zeros(count, np.int64),
        heap_key=np.zeros(heap, np.int64),
        heap_node=np.zeros(heap, np.int32),
        rates=_known(learner, encoded),
        weights=np.concatenate([_table(getattr(learner, name), size)
                                for name, size in _TABLES.items()]),
        url_words=np.zeros((url_words.SLOTS + 1, 2)),
        hosts=np.zeros((hosts, kernel.HOST_COLUMNS), np.int32),
        groups=groups,
        surprise=np.zeros(encoded.groups),
        order=np.zeros(count, np.int32),
        queue=np.zeros(count, np.int32),
        places=np.zeros((kernel.MOST_PLACES, 2), np.int32),
        counters=np.zeros(kernel.COUNTERS, np.int64),
    )  # fmt: skip


def _table(part: Weights, size: int) -> npt.NDArray[np.float64]:
    """A table of weights, each with the sum of its squared errors."""
    table = np.zeros((size, 2))
    for number, value in part.values.items():
        table[number, 0] = value
    for name, (_, tried) in part.tried().items():
        table[int(name), 1] = tried
    return table


def _known(learner: Adaptive, encoded: Encoded) -> npt.NDArray[np.float64]:
    """What is known of every place."""
    table = np.zeros((len(encoded.places), kernel.RATE_COLUMNS))
    for key, rate in learner.rates.known.items():
        at = encoded.places.get(key)
        if at is not None:
            table[at] = rate.hits, rate.pages, rate.found, rate.inside, 1.0
    return table


def _give_back(memory: kernel.Memory, encoded: Encoded, learner: Adaptive) -> None:
    """Tell the learner what it would have learned."""
    for name, size in _TABLES.items():
        table = memory.weights[_AT[name] : _AT[name] + size]
        for number in np.flatnonzero(table[:, 1]).tolist():
            getattr(learner, name).give(number, *table[number].tolist())
    for key, at in encoded.places.items():
        hits, pages, found, inside, known = memory.rates[at].tolist()
        if known:
            learner.rates.give(key, Rate(hits, pages, found, int(inside)))
    for word in np.flatnonzero(memory.url_words.sum(axis=1)).tolist():
        learner.url_words.counts[word] = tuple(memory.url_words[word].tolist())
    learner.downloads = int(memory.counters[kernel.DOWNLOADS])
    learner.misses.unnamed = int(memory.counters[kernel.UNNAMED])
    own, foreign = memory.counters[[kernel.OWN_MISSES, kernel.FOREIGN_MISSES]].tolist()
    learner.misses.give(own, foreign)


def _lost(graph: Graph, order: npt.NDArray[np.int32]) -> int:
    """How often the pages taken lead to where the log has no page."""
    arrays, pages = graph.arrays, graph.pages
    sources = np.repeat(np.arange(pages), np.diff(arrays.offsets))
    lost = np.bincount(sources[np.asarray(arrays.dst) >= pages], minlength=pages)
    lost = lost + (np.asarray(arrays.redirect) >= pages)
    return int(lost[order].sum())


def _rules(learner: Adaptive) -> kernel.Rules:
    """The constants of the strategy."""
    left_out = learner.left_out
    return kernel.Rules(
        highest=adaptive.HIGHEST, per_step=float(adaptive.PER_STEP), tolerance=adaptive.TOLERANCE,
        prior_rate=rates.PRIOR_RATE, prior_pages=rates.PRIOR_PAGES, leaning=rates.LEANING,
        witness=rates.WITNESS, foretold=rates.FORETOLD, fades_at=rates.FADES_AT,
        most_inside=rates.MOST_INSIDE, most_behind=rates.MOST_BEHIND, follows=rates.FOLLOWS,
        behind=adaptive.BEHIND if "behind" not in left_out else 0.0, few=adaptive.FEW,
        levels=adaptive.LEVELS, level=start.LEVEL, failure=adaptive.FAILURE,
        no_language=misses.NO_LANGUAGE, unnamed=misses.UNNAMED, names=misses.NAMES,
        foreign=misses.FOREIGN, trusted=misses.TRUSTED,
        surprise=surprises.MOST, host_turns=adaptive.HOST_TURNS, clue_rate=learner.clues.rate,
        kind_rate=learner.kinds.rate, word_rate=learner.words.rate, path_rate=learner.paths.rate,
        said_rate=learner.said.rate, most_weight=weights.LIMIT, page_at=start.PAGE,
        anchor_at=start.ANCHOR, hreflang_at=start.HREFLANG, fame_at=start.FAME,
        url_words_at=start.URL_WORDS, url_rate=url_words.PRIOR_RATE,
        url_pages=url_words.PRIOR_PAGES, url_witness=url_words.WITNESS, url_most=url_words.MOST,
        far=start.FAR,
        kinds_at=_AT["kinds"], words_at=_AT["words"], paths_at=_AT["paths"], said_at=_AT["said"],
        fame_relevant=fame.RELEVANT, fame_others=fame.OTHERS, fame_most=fame.MOST,
        scout=scouts.SCOUT, scouts=scouts.SCOUTS, scout_share=scouts.SCOUT_SHARE, own=clues.OWN,
        names_target=clues.NAMES_TARGET, seed=clues.SEED,
        signals=tuple(int(signal not in left_out) for signal in kernel.SIGNALS),
    )  # fmt: skip
