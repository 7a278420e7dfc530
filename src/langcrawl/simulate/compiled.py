"""The compiled simulation: memory for the kernel, slices of work, results."""

from __future__ import annotations

import dis
import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError

from langcrawl.errors import StrategyFailed
from langcrawl.log.graph import Graph
from langcrawl.measure.results import Result
from langcrawl.parallel import Progress, crawl_words
from langcrawl.ports import GroupState, Rank, Strategy
from langcrawl.records import Facts
from langcrawl.simulate import kernel
from langcrawl.simulate.plan import NOT_IN_LOG, Plan, Seeds, sum_up

_NO_LIMIT = 1 << 40
_SLICE_SECONDS = 0.2
_MAX_LANES = 256
"""With more lanes than this, a heap is the better queue."""


_HOST_FACTS = {"same_host", "host_downloads", "host_hits", "group_state"}
_REAL_FACTS = {"parent_score", "anchor_score", "parent_share"}
_LOADS = {"LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK"}
_NO_STEP = {"RESUME", "CACHE", "NOP", "COPY_FREE_VARS"}


class CannotCompile(Exception):
    """The rule is Python that Numba does not understand."""


def simulate_compiled(
    graph: Graph,
    strategy: Strategy,
    plan: Plan,
    seeds: Seeds,
    progress: Progress,
    stop: Callable[[], bool],
) -> Result:
    """Run a strategy over a log at full speed, in the exact order of the interpreted loop."""
    rank, group_state = _compile(strategy.rank, strategy.group_state or _no_groups)
    lanes = strategy.lanes if strategy.lanes <= _MAX_LANES and not strategy.highest_first else 0
    memory, rules = _allocate(graph, strategy, plan, lanes)
    memory.hosts[:, kernel.GROUP] = _first_state(strategy, group_state)
    run = _Run(graph, strategy, plan, memory, rules, rank, group_state)
    began = time.perf_counter()
    status = run.seed(seeds.nodes)
    status = status or run.advance(progress, stop)
    seconds = time.perf_counter() - began
    if status == kernel.BAD_LANE:  # it does not keep its own word: forget the lanes
        return simulate_compiled(graph, replace(strategy, lanes=0), plan, seeds, progress, stop)
    if status == kernel.BAD_PRIORITY:
        _blame(strategy, memory)
    pages = int(memory.counters[kernel.PAGES])
    order = memory.order[:pages]
    return Result(
        name=strategy.name,
        summary=sum_up(graph, plan, order, memory.queue[:pages]),
        max_queue=int(memory.counters[kernel.MAX_QUEUE]),
        discards=_discards(strategy, memory, seeds.lost),
        seconds=seconds,
        partial=run.stopped,
        order=order,
    )


class _Run:
    """One run of the kernel, in slices short enough to show progress and to be stopped."""

    def __init__(
        self,
        graph: Graph,
        strategy: Strategy,
        plan: Plan,
        memory: kernel.Memory,
        rules: kernel.Rules,
        rank: Any,
        group_state: Any,
    ) -> None:
        arrays = graph.arrays
        kind = graph.relevant * kernel.RELEVANT + graph.bridge * kernel.BRIDGE
        gathers = strategy.gathers
        self._web = kernel.Web(
            arrays.offsets.copy(), arrays.dst, arrays.redirect, kind.astype(np.uint8), graph.score,
            graph.anchor_scores if gathers else np.empty(1, np.float32),
            graph.path_slashes if gathers else np.empty(1, np.uint16),
        )  # fmt: skip
        self._graph, self._strategy, self._memory, self._rules = graph, strategy, memory, rules
        self._rank, self._group_state = rank, group_state
        most = plan.limits.max_pages
        self._most = len(memory.nodes) if most is None else min(most, len(memory.nodes))
        self.stopped = False

    def seed(self, seeds: list[int]) -> int:
        nodes = np.array(seeds, dtype=np.int32)
        try:
            failed: int = kernel.offer_seeds(
                self._web, self._memory, self._rules, self._rank, nodes
            )
        except Exception as error:
            raise self._failure(error) from error
        return failed

    def advance(self, progress: Progress, stop: Callable[[], bool]) -> int:
        """Run to the end; 0, or what went wrong."""
        counters, step, relevant = self._memory.counters, 10_000, 0
        rules = self._rules
        plain = rules.lanes and rules.host_blind and rules.score_blind
        plain = plain and not (rules.grouped or rules.parents or rules.last_first or rules.gathers)
        go_on = kernel.advance_plain if plain else kernel.advance
        while counters[kernel.PAGES] < self._most:
            if stop():
                self.stopped = True
                return 0
            before, began = int(counters[kernel.PAGES]), time.perf_counter()
            try:
                status = go_on(
                    self._web, self._memory, self._rules, self._rank, self._group_state,
                    min(before + step, self._most),
                )  # fmt: skip
            except Exception as error:
                raise self._failure(error) from error
            taken = self._memory.order[before : counters[kernel.PAGES]]
            relevant += int(self._graph.relevant[taken[taken < self._graph.pages]].sum())
            pages, queue = int(counters[kernel.PAGES]), int(counters[kernel.QUEUE])
            progress(pages, None, crawl_words(pages, relevant, queue))
            if status != kernel.REACHED:
                return int(status)
            elapsed = time.perf_counter() - began
            step = max(1000, int(step * min(4.0, _SLICE_SECONDS / max(elapsed, 1e-6))))
        return 0

    def _failure(self, error: Exception) -> StrategyFailed:
        return StrategyFailed(f"the strategy '{self._strategy.name}' failed: {error!r}")


def _no_groups(downloads: int, hits: int) -> int:
    return 0


def _first_state(strategy: Strategy, group_state: Any) -> int:
    try:
        return int(group_state(0, 0))
    except Exception as error:
        raise StrategyFailed(f"the strategy '{strategy.name}' failed: {error!r}") from error


@lru_cache(maxsize=64)
def _compile(rank: Rank, group_state: GroupState) -> tuple[Any, Any]:
    """The strategy's own functions as machine code."""
    try:
        return _machine_code(rank, kernel.RANK), _machine_code(group_state, kernel.GROUP_STATE)
    except (NumbaError, NotImplementedError, TypeError) as error:
        raise CannotCompile(str(error).strip().splitlines()[0]) from error


def _machine_code(function: Callable[..., Any], signature: Any) -> Any:
    """A function as machine code; for a rule of ours with whole numbers it is kept on disk.

    Each set of numbers has a name, and so a file, of its own: numba may mix up what two processes
    put into one file at the same time.
    """
    values = [cell.cell_contents for cell in function.__closure__ or ()]
    ours = (function.__module__ or "").startswith("langcrawl.")
    if not ours or not all(isinstance(value, int) for value in values):
        return numba.njit(signature)(function)
    named = FunctionType(
        function.__code__, function.__globals__, function.__name__, None, function.__closure__
    )
    named.__qualname__ = "-".join([function.__qualname__, *map(str, values)])
    named.__module__ = function.__module__
    return numba.njit(signature, cache=True)(named)


def facts_read(rank: Rank) -> set[str]:
    """The facts that a rule may read, seen from its bytecode.

    A rule that only ever takes single facts out of its argument reads those; whatever else
    it does with the argument counts as reading all of it.
    """
    code = rank.__code__
    argument = code.co_varnames[0]
    everything, read = set(Facts._fields), set()
    steps = [step for step in dis.get_instructions(code) if step.opname not in _NO_STEP]
    for step, following in zip(steps, [*steps[1:], steps[-1]], strict=True):
        if isinstance(step.argval, tuple) and argument in step.argval:
            return everything  # loaded together with something else
        if step.argval == argument:
            if step.opname not in _LOADS or following.opname != "LOAD_ATTR":
                return everything
            read.add(following.argval)
    return everything if argument in code.co_cellvars else read


def memory_needed(graph: Graph, strategy: Strategy, plan: Plan) -> int:
    """About how many bytes a run touches, the graph's own among them."""
    nodes = graph.nodes if plan.unknown_fails else graph.pages
    each = 16 + 4 + 4 + 6  # row, order, queue, lanes
    each += 16 if strategy.group_state else 0
    each += 0 if strategy.lanes else 44
    each += 14 if strategy.gathers else 0
    graph_bytes = (8 if strategy.gathers else 4) * graph.links + 21 * graph.pages + 4 * graph.nodes
    return nodes * each + graph_bytes


def _allocate(
    graph: Graph, strategy: Strategy, plan: Plan, lanes: int
) -> tuple[kernel.Memory, kernel.Rules]:
    """Room for a run. What a strategy does not need is not allocated."""
    count = graph.nodes if plan.unknown_fails else graph.pages
    host = graph.arrays.host
    hosts = int(host.max(initial=-1)) + 1
    grouped = strategy.group_state is not None
    parents = grouped or bool((graph.arrays.redirect >= 0).any())
    nodes = np.empty((count, 4), dtype=np.int32)  # not zeros: numpy asks for huge pages here only
    nodes[:, : kernel.HOST] = 0
    nodes[:, kernel.HOST] = host[:count]
    offsets = graph.arrays.offsets
    spare = (
        int((offsets[1:] - offsets[:-1]).max(initial=0)) + len(plan.seeds or graph.config.seeds) + 2
    )
    heap = 0 if lanes else 2 * count + spare
    room = count + spare if lanes else 1

    def whole(size: int, needed: bool = True) -> Any:
        return np.empty(size if needed else 1, dtype=np.int32)

    memory = kernel.Memory(
        nodes=nodes,
        parent=whole(count, parents),
        hosts=np.zeros((hosts, 4), dtype=np.int32),
        lanes=np.empty((max(lanes, 1), room), dtype=np.int32),
        lane_arrivals=np.empty((max(lanes, 1), room if grouped else 1), dtype=np.int32),
        head=np.zeros(max(lanes, 1), dtype=np.int64),
        tail=np.zeros(max(lanes, 1), dtype=np.int64),
        arrival=whole(count, grouped or not lanes),
        heap_priority=np.empty(max(heap, 1), dtype=np.float64),
        heap_arrival=whole(heap, bool(heap)),
        heap_node=whole(heap, bool(heap)),
        priority=np.empty(1 if lanes else count, dtype=np.float64),
        host_first=np.full(hosts if grouped else 1, -1, dtype=np.int32),
        host_last=whole(hosts, grouped),
        next_in_host=whole(count, grouped),
        best_anchor=np.empty(count if strategy.gathers else 1, dtype=np.float32),
        shares=np.empty(count if strategy.gathers else 1, dtype=np.float64),
        order=whole(count),
        queue=whole(count),
        discards=np.zeros(kernel.OWN_REASONS + len(strategy.reasons), dtype=np.int64),
        failure=np.zeros(len(Facts._fields), dtype=np.float64),
        counters=np.zeros(kernel.COUNTERS, dtype=np.int64),
    )
    limits, read = plan.limits, facts_read(strategy.rank)
    rules = kernel.Rules(
        max_depth=_NO_LIMIT if limits.max_depth is None else limits.max_depth,
        max_per_host=_NO_LIMIT if limits.max_pages_per_host is None else limits.max_pages_per_host,
        reasons=len(strategy.reasons),
        lanes=lanes,
        grouped=int(grouped),
        parents=int(parents),
        last_first=int(strategy.last_first),
        highest_first=int(strategy.highest_first),
        gathers=int(strategy.gathers),
        host_blind=int(limits.max_pages_per_host is None and not read & _HOST_FACTS),
        score_blind=int("parent_score" not in read),
    )
    return memory, rules


def _blame(strategy: Strategy, memory: kernel.Memory) -> None:
    """Say what a rule returned, by asking it again."""
    values = [float(v) if name in _REAL_FACTS else int(v)
              for name, v in zip(Facts._fields, memory.failure, strict=True)]  # fmt: skip
    facts = Facts(*values)  # type: ignore[arg-type]
    raise StrategyFailed(
        f"the strategy '{strategy.name}' returned {strategy.rank(facts)} for {facts}; a rule "
        "returns 0 or more to queue a link and -k to discard it for its k-th reason"
    )


def _discards(strategy: Strategy, memory: kernel.Memory, lost_seeds: int) -> dict[str, int]:
    """Discards by reason, without those that did not occur."""
    names = ("max-depth", "max-pages-per-host", *strategy.reasons)
    counts = dict(zip(names, memory.discards.tolist(), strict=True))
    counts[NOT_IN_LOG] = int(memory.counters[kernel.DROPPED]) + lost_seeds
    return {name: count for name, count in counts.items() if count}
