"""`langcrawl.simulate`: the strategies that it takes and the result that it returns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from langcrawl.api.common import PathLike, interrupt
from langcrawl.api.crawling import CrawlResult
from langcrawl.api.tables import CrawlLog
from langcrawl.errors import BadValue, StrategyFailed, UnknownName
from langcrawl.measure.results import Result
from langcrawl.parallel import Progress, never, silent
from langcrawl.ports import Learned, Learner, Strategy

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import pyarrow as pa

    from langcrawl.log.graph import Graph
    from langcrawl.simulate import Plan, Source

StrategyLike = str | Strategy | Learned | Callable[..., Strategy | Learner]
"""A strategy: its name, the object, or what makes one."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """What strategies would have done on the web of a log: a `Result` each, in their order."""

    log: Path
    lang: str
    relevant_total: int
    """How many relevant pages the log has."""
    results: tuple[Result, ...]
    _graph: Graph = field(repr=False)
    _source: Source = field(repr=False)
    _plan: Plan = field(repr=False)

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __getitem__(self, name: str | int) -> Result:
        """A result by the name of its strategy, or by its place."""
        if isinstance(name, int):
            return self.results[name]
        for result in self.results:
            if result.name == name:
                return result
        raise UnknownName("strategy in this simulation", name, [each.name for each in self])

    @overload
    def curves(self, *, as_: Literal["arrow"] = "arrow") -> pa.Table: ...

    @overload
    def curves(self, *, as_: Literal["pandas"]) -> pd.DataFrame: ...

    def curves(self, *, as_: str = "arrow") -> Any:
        """Every point of every curve: strategy, pages, harvest, coverage, queue."""
        from langcrawl.api.tables import as_kind
        from langcrawl.report.curves import curve_table

        return as_kind(as_, lambda: curve_table(self.results))

    @overload
    def table(self, *, as_: Literal["arrow"] = "arrow") -> pa.Table: ...

    @overload
    def table(self, *, as_: Literal["pandas"]) -> pd.DataFrame: ...

    def table(self, *, as_: str = "arrow") -> Any:
        """A row for each strategy: pages, relevant, harvest, coverage, pages_to_90, ..."""
        from langcrawl.api.tables import as_kind
        from langcrawl.report.curves import summary_table

        return as_kind(as_, lambda: summary_table(self.results))

    def chart(self, panel: str = "harvest") -> alt.Chart:
        """The curves as an Altair chart: `harvest`, `coverage` or `queue` over pages."""
        from langcrawl.report.charts import MEASURES, chart

        if panel not in MEASURES:
            raise UnknownName("panel", panel, MEASURES)
        return chart([result for result in self.results if not result.error], panel)

    def save(
        self, path: PathLike, panels: Sequence[str] = ("harvest", "coverage", "queue")
    ) -> None:
        """Write the curves: PNG, SVG, PDF, CSV, or HTML for a report, by the ending of the name.

        With ``{panel}`` in the name of a picture, each panel becomes a file of its own.
        """
        from langcrawl.cli.simulate_command import check_plots, write_plots, write_report_of

        target, results = Path(path), list(self.results)
        if target.suffix.lower() in (".html", ".htm"):
            write_report_of(target, self._graph, results, self._source, self._plan)
        else:
            write_plots([target], results, check_plots([target], list(panels)))

    def urls(self, name: str | int) -> list[str]:
        """The URLs that a strategy took, in their order."""
        from langcrawl.simulate import as_urls

        return as_urls(self._graph, self[name].order)


def simulate(
    log: PathLike | CrawlLog | CrawlResult,
    strategies: StrategyLike | Sequence[StrategyLike],
    *,
    seeds: str | Sequence[str] = (),
    lang: str = "",
    judge: str = "",
    max_pages: int | None = None,
    max_depth: int | None = None,
    max_pages_per_host: int | None = None,
    unknown: Literal["drop", "fail"] = "drop",
    points: int = 200,
    timed: bool = False,
    delay: float = 1.0,
    connections: int = 16,
    latency: float | None = None,
    seed: int = 1,
    interpreted: bool = False,
    progress: bool = False,
) -> Simulation:
    """Show what strategies would have done on the web of a log.

    A strategy is a name as on the command line (``"lswc:s=3,t=5"``, ``"file.py:name"``), a
    `langcrawl.ports.Strategy`, or a function or class that makes one or a `Learner`. The other
    arguments are those of ``langcrawl simulate``. A strategy that fails has an `error` in its
    result; if all fail, `StrategyFailed` is raised.

    >>> found = langcrawl.simulate("web", ["bfs", "soft"], max_pages=500)
    >>> [result.name for result in found]
    ['bfs', 'soft']
    >>> found["soft"].harvest > found["bfs"].harvest
    True
    >>> found["bfs"].curve[-1].pages
    500
    >>> found.curves().column_names
    ['strategy', 'pages', 'harvest', 'coverage', 'queue']
    >>> found.save("figure.svg", ["harvest"])
    """
    from langcrawl.cli.common import announce_compiling, as_one, unknown_fails
    from langcrawl.cli.progress import ProgressDisplay
    from langcrawl.config import read_seeds
    from langcrawl.languages import load_pack
    from langcrawl.records import Limits

    announce_compiling()
    from langcrawl.simulate import Plan, Source, Timing, simulate_all

    place = as_one(log.directory if isinstance(log, CrawlLog | CrawlResult) else Path(log))
    one = isinstance(strategies, str | Strategy | Learned) or callable(strategies)
    wanted = [strategies] if one else list(strategies)  # type: ignore[arg-type]
    if not wanted:
        raise BadValue("there is no strategy to simulate; name one, such as 'soft'.")
    made = [_strategy(each) for each in wanted]  # type: ignore[arg-type]
    source = Source(place, load_pack(lang).tag if lang else "", judge)
    plan = Plan(
        read_seeds([seeds] if isinstance(seeds, str) else seeds),
        Limits(max_pages=max_pages, max_depth=max_depth, max_pages_per_host=max_pages_per_host),
        unknown_fails(unknown),
        points,
        Timing(delay, connections, latency, seed) if timed else None,
    )
    names = [each if isinstance(each, str) else each.name for each in made]
    display = ProgressDisplay(*names) if progress else nullcontext()
    with interrupt() as stop, display as shown:
        tell: Progress = shown.show if shown else silent
        graph, results = simulate_all(source, made, plan, tell, stop or never, interpreted)
    _complain_of_failures(results)
    target = source.lang or graph.config.lang
    return Simulation(place, target, graph.relevant_total, tuple(results), graph, source, plan)


def _strategy(given: StrategyLike) -> str | Strategy | Learned:
    """A strategy that a simulation can run, of whatever names or makes one."""
    if isinstance(given, str | Strategy | Learned):
        return given
    if isinstance(given, Learner):
        raise BadValue(
            "a learner that is made already may have learned before; give the class or a function "
            "that makes one."
        )
    name = getattr(given, "__name__", type(given).__name__)
    made = given() if callable(given) else None
    if isinstance(made, Strategy):
        return made
    if isinstance(made, Learner):

        def start(lang: str) -> Learner:
            fresh = given()
            assert isinstance(fresh, Learner)
            fresh.name = name
            return fresh

        return Learned(name, start, made.says)
    raise BadValue(
        f"'{name}' is no strategy: give a name, a langcrawl.ports.Strategy, or what makes one."
    )


def _complain_of_failures(results: Sequence[Result]) -> None:
    failed = [result for result in results if result.error]
    if failed and len(failed) == len(results):
        raise StrategyFailed(failed[0].error)
    for result in failed:
        warnings.warn(f"the strategy '{result.name}' failed: {result.error}", stacklevel=3)
