"""The best parameters of a strategy on a log: a search over simulations, checked on other hosts.

Some hosts are held out. The search runs on the web as if the log had no page of them, so that
nothing of them can flatter it. What it found best, and the runners-up, then crawl the whole
web, and only relevant pages on the held-out hosts count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache, partial
from hashlib import sha1
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from langcrawl.errors import BadInput, UsageError
from langcrawl.log.graph import Graph, log_stamp
from langcrawl.measure.results import Trial, Tuned
from langcrawl.parallel import Progress, Stop, cores, in_order, never, silent
from langcrawl.simulate.plan import Plan, hits_of
from langcrawl.simulate.rejudge import Source, open_graph
from langcrawl.simulate.run import simulate
from langcrawl.strategy import make_strategy

Values = tuple[Any, ...]
_TENTHS = tuple(round(k / 10, 1) for k in range(11))
SPACES: dict[str, dict[str, Values]] = {
    "lswc": {"s": (1, 2, 3, 4, 5), "t": (0, 1, 2, 3, 4, 5, 6)},
    "limited": {"n": (0, 1, 2, 3, 4, 5), "prioritized": ("false", "true")},
    "hard": {"n": (0, 1, 2, 3, 4, 5)},
    "soft": {"n": (0, 1, 2, 3, 4, 5)},
    "correlation": {"wt": _TENTHS, "ws": _TENTHS, "wd": _TENTHS, "min": (0, 0.05, 0.1, 0.2)},
}
"""What is tried of each strategy, unless a user says otherwise."""
MEASURES = ("auc", "coverage", "harvest")
_RUNNERS_UP = 5
_SMALL = 2_000_000
"""Pages that are simulated sooner than a process is started."""
Point = tuple[tuple[str, Any], ...]


class Question(NamedTuple):
    """What is asked of every simulation of a search."""

    source: Source
    plan: Plan
    measure: str
    held_out: float
    seed: int


def search_space(text: str, more: Iterable[str] = ()) -> tuple[str, list[Point]]:
    """The name of the strategy, and all that can be tried: what `text` names stays as it is.

    `more` are values to try, as ``s=1,2,4``.
    """
    name, given = _split(text)
    values: dict[str, Values] = dict(SPACES.get(name, {}))
    for item in more:
        key, equals, listed = item.partition("=")
        if not equals or not listed:
            raise UsageError(
                f"--try takes a parameter and its values, such as s=1,2,4, not '{item}'."
            )
        values[key.strip()] = tuple(listed.split(","))
    values |= {key: (value,) for key, value in given.items()}
    points = [tuple(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    possible = [point for point in points if _is_possible(name, point)]
    if not possible:
        make_strategy(_spec(name, points[0]))  # says what is wrong with it
    if len(possible) == 1:
        raise UsageError(
            f"'{text}' leaves nothing to try; give values with --try, such as s=1,2,4."
        )
    return name, possible


def _split(text: str) -> tuple[str, dict[str, str]]:
    """A strategy's name, its file with it where it is a user's own, and its parameters."""
    parts = text.split(":")
    last = parts.pop() if len(parts) > 1 and "=" in parts[-1] else ""
    items = (item.partition("=") for item in filter(None, last.split(",")))
    return ":".join(parts), {key.strip(): value.strip() for key, _, value in items}


def _spec(name: str, point: Point) -> str:
    values = ",".join(f"{key}={value}" for key, value in point)
    return f"{name}:{values}" if values else name


def _is_possible(name: str, point: Point) -> bool:
    with suppress(UsageError):
        make_strategy(_spec(name, point))
        return True
    return False


def tune(
    question: Question,
    text: str,
    tries: int,
    more: Iterable[str] = (),
    progress: Progress = silent,
    stop: Stop = never,
) -> Tuned:
    """Search for the best parameters in at most so many simulations, then check them."""
    name, points = search_space(text, more)
    given = make_strategy(text).name
    graph = open_graph(question.source)
    _check(graph, question)
    tries = min(tries, len(points))
    processes = cores() if graph.pages * tries > _SMALL else 1
    notebook = _Notebook(question)
    total = tries + (_RUNNERS_UP + 1 if question.held_out else 0)
    done: dict[str, Trial] = {}

    def run(names: Sequence[str], checking: bool) -> Iterator[Trial]:
        work = partial(_try, question, checking)
        for trial in notebook.through(names, checking, work, processes):
            yield trial
            if stop():
                return

    rng = np.random.default_rng(question.seed)
    while len(done) < tries and not stop():
        batch = [_spec(name, point) for point in _next(points, name, done, tries, processes, rng)]
        for trial in run(batch, False):
            done[trial.name] = trial
            progress(len(done), min(1.0, len(done) / total))
    trials = tuple(sorted(done.values(), key=lambda trial: -trial.score))
    checked: list[Trial] = []
    if question.held_out and trials and not stop():
        names = dict.fromkeys([*(trial.name for trial in trials[:_RUNNERS_UP]), given])
        for trial in run(list(names), True):
            checked.append(trial)
            progress(len(done) + len(checked), min(1.0, (len(done) + len(checked)) / total))
    return Tuned(
        log=str(question.source.directory),
        strategy=text,
        measure=question.measure,
        held_out=question.held_out,
        trials=trials,
        checked=tuple(checked),
        given=given,
        complete=not stop(),
    )


def _check(graph: Graph, question: Question) -> None:
    """Say before the search, not after it, that nothing can be learnt from this log."""
    if not graph.relevant_total:
        raise BadInput(
            "the log has no relevant page, so there is nothing to tune; choose another --lang."
        )
    if question.held_out:
        held = _held_out(graph, question)
        there = int(np.count_nonzero(graph.relevant[held[graph.arrays.host[: graph.pages]]]))
        if not 0 < there < graph.relevant_total:
            raise BadInput(
                "the relevant pages are on too few hosts to hold some of them out; "
                "try another --seed, or --held-out 0 to hold none out."
            )


def _next(
    points: Sequence[Point],
    name: str,
    done: Mapping[str, Trial],
    tries: int,
    processes: int,
    rng: np.random.Generator,
) -> list[Point]:
    """What to try next: half of the tries anywhere, the others near the best so far."""
    left = [point for point in points if _spec(name, point) not in done]
    if not done:
        first = len(points) if tries == len(points) else max(1, tries // 2)
        return [left[k] for k in sorted(rng.permutation(len(left))[:first])]
    best = max(done.values(), key=lambda trial: trial.score).name
    center = next(point for point in points if _spec(name, point) == best)
    near = sorted(left, key=lambda point: _steps(points, center, point))
    return near[: min(max(2 * processes, 4), tries - len(done))]


def _steps(points: Sequence[Point], one: Point, other: Point) -> int:
    """How many steps lie between two points, over all their parameters."""
    scales = _scales(tuple(points))
    pairs = zip(one, other, strict=True)
    return sum(abs(scales[key].index(a) - scales[key].index(b)) for (key, a), (_, b) in pairs)


@lru_cache(maxsize=4)
def _scales(points: tuple[Point, ...]) -> dict[str, list[Any]]:
    scales: dict[str, dict[Any, None]] = {}
    for point in points:
        for key, value in point:
            scales.setdefault(key, {})[value] = None
    return {key: list(values) for key, values in scales.items()}


def _held_out(graph: Graph, question: Question) -> npt.NDArray[np.bool_]:
    """Which hosts the search does not see; those of the seeds it must see."""
    hosts = int(graph.arrays.host.max(initial=-1)) + 1
    held = np.random.default_rng(question.seed).random(hosts) < question.held_out
    seeds = question.plan.seeds or graph.config.seeds
    held[graph.arrays.host[[node for node in graph.find(seeds) if node >= 0]]] = False
    return held


@lru_cache(maxsize=1)
def _web(question: Question, checking: bool) -> tuple[Graph, Graph]:
    """In each process: the web to crawl, and the web with the relevant pages that count."""
    graph = open_graph(question.source)
    if not question.held_out:
        return graph, graph
    held = _held_out(graph, question)
    if not checking:
        seen = graph.without_hosts(held)
        return seen, seen
    there = np.where(held[graph.arrays.host[: graph.pages]], graph.relevant, 0).astype(np.uint8)
    return graph, replace(graph, relevant=there)


def _try(question: Question, checking: bool, name: str) -> Trial:
    """In each process: one simulation."""
    crawled, measured = _web(question, checking)
    result = simulate(crawled, make_strategy(name), replace(question.plan, points=1))
    hits = hits_of(measured, result.order)
    score = _score(question, hits, measured.relevant_total, crawled.pages)
    return Trial(name, score, len(hits), result.seconds)


def _score(
    question: Question, hits: npt.NDArray[np.bool_], relevant_total: int, log_pages: int
) -> float:
    """The measure of a crawl: of `auc`, the mean coverage over the pages that may be taken."""
    found = int(np.count_nonzero(hits))
    if question.measure == "harvest":
        return found / len(hits) if len(hits) else 0.0
    if question.measure == "coverage":
        return found / relevant_total
    most = question.plan.limits.max_pages
    budget = max(len(hits), log_pages if most is None else min(most, log_pages))
    area = float(np.cumsum(hits, dtype=np.int64).sum()) + found * (budget - len(hits))
    return area / (relevant_total * budget)


class _Notebook:
    """Keeps every trial beside the log at once, so that a search that was ended goes on."""

    def __init__(self, question: Question) -> None:
        directory = question.source.directory
        words = f"{log_stamp(directory)}\n{question}"
        digest = sha1(words.encode(), usedforsecurity=False).hexdigest()[:12]
        self._path = directory / "log" / "graph" / f"tune-{digest}.jsonl"
        self._known: dict[tuple[str, bool], Trial] = {}
        lines = self._path.read_text(encoding="utf-8") if self._path.is_file() else ""
        for line in lines.splitlines():
            with suppress(ValueError, TypeError, KeyError, AttributeError):  # it was cut short
                row = json.loads(line)
                checking = row.pop("checking")
                self._known[row["name"], checking] = Trial(**row)

    def through(
        self, names: Sequence[str], checking: bool, work: Callable[[str], Trial], processes: int
    ) -> Iterator[Trial]:
        """The trials of these strategies, those that were done before first."""
        fresh = []
        for name in names:
            if known := self._known.get((name, checking)):
                yield known
            else:
                fresh.append(name)
        for trial in in_order(work, fresh, min(processes, len(fresh))):
            self._note(trial, checking)
            yield trial

    def _note(self, trial: Trial, checking: bool) -> None:
        with suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(trial) | {"checking": checking}) + "\n")
