"""The Python interface: crawl, simulate, identify and open_log, and what they return.

Everything here calls what the command line calls, with the same names and the same defaults.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from langcrawl.crawl_log import CrawlLog
from langcrawl.errors import BadInput, BadValue, StrategyFailed, UnknownName
from langcrawl.measure.results import Result
from langcrawl.parallel import Progress, Stop, never, silent
from langcrawl.ports import Learned, Learner, Strategy
from langcrawl.settings import ADD_UP

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import pyarrow as pa

    from langcrawl.log.graph import Graph
    from langcrawl.simulate import Plan, Source

StrategyLike = str | Strategy | Learned | Callable[..., Strategy | Learner]
"""A strategy: its name, the object, or what makes one."""
PathLike = str | os.PathLike[str]


class CrawlKeys(TypedDict, total=False):
    """The settings of a crawl, as in crawl.toml; docs/config.md describes them."""

    lang: str
    bridge: str
    seeds: str | Sequence[str]
    strategy: str
    judge: str
    max_pages: int | None
    max_bytes: int | None
    max_time: float | None
    max_depth: int | None
    max_pages_per_host: int | None
    max_pages_per_domain: int | None
    max_requests: int | None
    include: str | Sequence[str]
    exclude: str | Sequence[str]
    block_hosts: PathLike | Sequence[PathLike]
    delay: float
    ip_delay: float | None
    retries: int
    backoff: float
    max_wait: float
    max_outage: float | None
    connections: int
    domain_connections: int
    workers: int | None
    timeout: float
    connect_timeout: float
    max_page_bytes: int
    user_agent: str
    contact: str
    connect_to: str | Sequence[str]
    proxy: str
    nofollow: bool
    noindex: bool
    sitemaps: bool
    store: Literal["all", "relevant"]
    normalize: Literal["none", "unicode", "zawgyi"]
    types: Literal["pages", "all"]
    context: bool
    warc_bytes: int
    durable: bool


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """How the crawl in a directory stands when `crawl` returns, earlier runs included."""

    directory: Path
    pages: int
    relevant: int
    harvest: float
    queue: int
    bytes: int
    requests: int
    seconds: float
    stopped: str
    """Why it ended: queue-empty, max-pages, max-bytes, max-requests, max-time, interrupted,
    no-answer or outage."""
    answers: dict[str, int]
    """Pages by what they are: text, file, redirect, error."""
    failures: int
    silences: dict[str, int]
    discards: dict[str, int]
    errors: dict[str, int]
    notes: dict[str, int]

    def log(self) -> CrawlLog:
        """Its pages, links and hosts."""
        return open_log(self.directory)


def crawl(
    directory: PathLike,
    *,
    config: PathLike | None = None,
    trust: bool = False,
    progress: bool = False,
    **keys: Unpack[CrawlKeys],
) -> CrawlResult:
    """Start a crawl in a directory, or resume the one that is there; returns when it ends.

    The keys are those of crawl.toml (docs/config.md). `config` names a TOML file with the same
    keys, over which these win. A limit that is None is lifted. With `progress`, what the
    command line shows is shown on standard error. The first Ctrl-C, or the stop button of a
    notebook, ends the crawl in good order; the same call resumes it.

    Pages are downloaded by other processes, so a script needs the guard below. A notebook does
    not.

    >>> if __name__ == "__main__":  # doctest: +SKIP
    ...     done = langcrawl.crawl(
    ...         "thai", lang="th", seeds=["https://www.example.co.th/"], max_pages=1000,
    ...         contact="you@example.org",
    ...     )
    ...     print(done.pages, done.harvest, done.stopped)
    ...     done.log().hosts(as_="pandas")
    """
    from langcrawl.cli.common import check_trust
    from langcrawl.cli.config_file import read_config_file
    from langcrawl.cli.progress import CrawlProgress, ProgressDisplay
    from langcrawl.run import run_crawl
    from langcrawl.settings import settings

    place, file = Path(directory), Path(config) if config is not None else None
    given = _as_options(keys)
    asked = settings(place, (read_config_file(file) if file else {}) | given)
    check_trust(place, asked, trust, given, file)
    display = ProgressDisplay("crawling", total=asked.max_pages) if progress else nullcontext()
    with _interrupt() as stop, display as shown:
        sinks = [CrawlProgress(shown.show)] if shown else []
        found = run_crawl(place, asked, sinks, stop or never)
    known = {each.name for each in fields(CrawlResult)}
    return CrawlResult(place, **{key: value for key, value in found.items() if key in known})


def _as_options(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys as the command line would give them; a limit that is None is lifted."""
    given = dict(keys)
    for key in given:
        if key not in CrawlKeys.__annotations__:
            raise UnknownName("key", key, CrawlKeys.__annotations__)
    for key in ADD_UP:
        if isinstance(given.get(key), str | os.PathLike):
            given[key] = [given[key]]
    return given


def _interrupt() -> AbstractContextManager[Stop | None]:
    """Ctrl-C as a request to stop, where this thread is the one that hears it."""
    from langcrawl.cli.progress import Interrupt

    if threading.current_thread() is threading.main_thread():
        return Interrupt()
    return nullcontext()


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
        from langcrawl.crawl_log import as_kind
        from langcrawl.report.curves import curve_table

        return as_kind(as_, lambda: curve_table(self.results))

    @overload
    def table(self, *, as_: Literal["arrow"] = "arrow") -> pa.Table: ...

    @overload
    def table(self, *, as_: Literal["pandas"]) -> pd.DataFrame: ...

    def table(self, *, as_: str = "arrow") -> Any:
        """A row for each strategy: pages, relevant, harvest, coverage, pages_to_90, ..."""
        from langcrawl.crawl_log import as_kind
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
    from langcrawl.cli.common import announce_compiling, unknown_fails
    from langcrawl.cli.progress import ProgressDisplay
    from langcrawl.config import read_seeds
    from langcrawl.languages import load_pack
    from langcrawl.records import Limits

    announce_compiling()
    from langcrawl.simulate import Plan, Source, Timing, simulate_all

    place = log.directory if isinstance(log, CrawlLog | CrawlResult) else Path(log)
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
    with _interrupt() as stop, display as shown:
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


@dataclass(frozen=True, slots=True)
class Identified:
    """What a text is in, and how one can tell."""

    language: str
    """A BCP-47 tag; ``und`` where it is not known."""
    script: str
    encoding: str
    """``unicode``, or a legacy encoding such as ``zawgyi``."""
    charset: str
    """Of bytes and files: the charset by which they were read."""
    score: float
    relevant: bool | None
    """Whether it is in the language that was asked for; None where none was."""
    evidence: tuple[str, ...]


def identify(
    source: str | bytes | os.PathLike[str], *, lang: str = "", judge: str = ""
) -> Identified:
    """Tell the language, script and encoding of a text, of bytes, or of a file.

    A string is text, or HTML; to name a file, give a `pathlib.Path`. With `lang`, it is also said
    whether the text is in that language; with `judge`, one judge is asked (docs/judges.md).

    >>> langcrawl.identify("ตลาดริมน้ำเปิดทุกเช้าตั้งแต่หกโมง วันนี้อากาศดีมาก").language
    'th'
    >>> langcrawl.identify("วันนี้อากาศดีมาก".encode("tis-620")).charset
    'cp874'
    >>> langcrawl.identify(Path("page.html"), lang="th").relevant  # doctest: +SKIP
    True
    """
    from langcrawl.importers.files import identify_bytes, make_any, read_file

    asked = make_any(lang, judge)
    if isinstance(source, str):
        # The mark says that it is UTF-8, whatever charset a page of HTML may declare.
        body = b"\xef\xbb\xbf" + source.removeprefix("\ufeff").encode("utf-8", "replace")
        body = body if source.strip() else b""
    elif isinstance(source, bytes):
        body = source
    else:
        body = read_file(Path(source))
    found: Mapping[str, Any] = identify_bytes("", body, asked, bool(lang))
    return Identified(
        language=found["language"],
        script=found["script"],
        encoding=found["encoding"],
        charset="" if isinstance(source, str) else found["charset"],
        score=found["score"],
        relevant=found["relevant"],
        evidence=tuple(found["evidence"]),
    )


def open_log(directory: PathLike) -> CrawlLog:
    """Open the log of a crawl, an import or a generated web, to read it as tables.

    It may be a crawl that is running: each call then reads what has been logged by that moment.
    Tables are Arrow tables; ``as_="pandas"`` makes data frames, if pandas is installed.

    >>> log = langcrawl.open_log("web")
    >>> log.config.lang
    'th'
    >>> pages = log.pages(["url", "language", "relevant"])
    >>> pages.num_rows, pages.column_names
    (2000, ['url', 'language', 'relevant'])
    >>> log.hosts().column_names
    ['host', 'domain', 'urls', 'pages', 'ok', 'relevant', 'bytes']
    >>> sum(batch.num_rows for batch in log.link_batches(["src", "dst"])) == log.links().num_rows
    True
    >>> next(log.texts()).language
    'th'
    """
    place = Path(directory)
    if place.is_file():
        raise BadInput(f"'{place}' is a file; give the directory of a crawl.")
    return CrawlLog(place)
