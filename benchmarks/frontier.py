"""The frontier on disk under the real loop: links offered, takes and memory, as it grows."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from zlib import crc32

import altair as alt
import numpy as np
import numpy.typing as npt

from langcrawl.crawl import Crawl
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.records import Finished, Limits, Links, Page, Verdict, Visit
from langcrawl.run import few_collections
from langcrawl.store.database import fingerprints, seed_of
from langcrawl.strategy import make_strategy, start_ranker

KNOWN, HUGE = (100_000, 1_000_000, 10_000_000), 100_000_000
CONNECTIONS = 50
"""Visits that begin together: the loop commits once for them."""
CHUNK = 25
"""Links that were first met together, from one host and one page."""
BLOCK = 1000
"""Pages whose URLs are made together."""
INSERT = (
    "INSERT INTO known SELECT ?1, ?2, ?3, 1, ?4, ?3, ?3, ?4, 3, 1 - ?4, 0, 0.0, 0, 0, 0, 0, 0.0, "
    "0.0, 1, ?5, 'link', 0, 0, '', '', NULL"
)
"""Host, fingerprint, id, lane and parent of a URL that waits."""
PANELS = {
    "Links offered a second": {"links": "by the clock", "cpu": "by processor time"},
    "Milliseconds of a take": {"take": "median", "take99": "99th percentile"},
    "Memory of the process, MB": {"memory": "peak"},
    "Seconds to open it": {"open": "by the clock", "open_cpu": "by processor time"},
}
DOCS = Path(__file__).parent.parent / "docs"
PLOT, FIGURES = DOCS / "frontier.svg", DOCS / "frontier.json"
"""The chart, and what was last measured for each number of known URLs."""


class Site:
    """A web of numbered URLs: 21 a host on average, heavy-tailed, met in a random order.

    A page has 50 links. Known are 43 of them: 10 to the first pages of its host (the menu),
    18 to random pages within 60 of it, 15 to pages anywhere, of which those met early are
    linked to more often. New are 7: 6 on its host and 1 on another.
    """

    def __init__(self, known: int) -> None:
        self.rng = np.random.default_rng(1)
        self.known = self.urls = known
        self.chunks = self.rng.permutation(known // CHUNK)
        sizes = np.minimum(self.rng.pareto(1.1, known // 12) * 3.0 + 1, 50_000)
        starts = np.concatenate([[0], np.cumsum(sizes.astype(np.int64))])
        self.starts = starts[: int(np.searchsorted(starts, known))]

    def met(self) -> Iterator[list[str]]:
        """The known URLs in the order in which they were met, many pages at a time.

        Half of each page is from one place, half from another.
        """
        for first in range(0, len(self.chunks), 2 * BLOCK):
            chunks = self.chunks[first : first + 2 * BLOCK]
            yield self.known_urls((chunks[:, None] * CHUNK + np.arange(CHUNK)).ravel())

    def by_host(self, seed: int) -> Iterator[tuple[list[int], ...]]:
        """The same URLs by fingerprint, as columns for `INSERT`: some hosts at a time."""
        names = [f"www.site-{host}.example" for host in range(len(self.starts))]
        prints = np.array(fingerprints(names, seed))
        pages = self.chunks[::2] * CHUNK  # the first URL of each page, whose host counts
        hosts = np.searchsorted(self.starts, pages, "right") - 1
        relevant = np.array([self.is_relevant(names[host]) for host in hosts.tolist()], np.int64)
        place = np.argsort(self.chunks)
        ends = np.append(self.starts[1:], self.known)
        order = np.argsort(prints)
        shares = np.cumsum((ends - self.starts)[order]) // (20 * CHUNK * BLOCK)
        for some in np.split(order, np.flatnonzero(np.diff(shares)) + 1):
            sizes = (ends - self.starts)[some]
            within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            numbers = np.repeat(self.starts[some], sizes) + within
            its_host = np.repeat(prints[some], sizes)
            fps = np.array(fingerprints(self.known_urls(numbers), seed))
            sort = np.lexsort((fps, its_host))
            ids = (place[numbers // CHUNK] * CHUNK + numbers % CHUNK)[sort]
            page = ids // (2 * CHUNK)
            columns = (its_host[sort], fps[sort], ids, 1 - relevant[page], page * 2 * CHUNK)
            yield tuple(column.tolist() for column in columns)

    def links(self, url: str) -> list[str]:
        host = int(url.split("-", 1)[1].split(".", 1)[0])
        number = int(url.rsplit("-", 1)[1])
        start = int(self.starts[host])
        near = (start if number >= self.known else number) + self.rng.integers(-60, 61, 18)
        far = (self.rng.random(15) ** 3 * self.known).astype(np.int64)
        far = self.chunks[far // CHUNK] * CHUNK + far % CHUNK
        numbers = np.concatenate([start + np.arange(10), near, far])
        other = int(self.rng.integers(0, len(self.starts)))
        new = [url_of(place, self.urls + i) for i, place in enumerate([host] * 6 + [other])]
        self.urls += len(new)
        return self.known_urls(np.clip(numbers, 0, self.known - 1)) + new

    def is_relevant(self, host: str) -> bool:
        """One host in three is in the language, and one page in ten is not as its host."""
        return (crc32(host.encode()) % 3 == 0) != (self.rng.random() < 0.1)

    def known_urls(self, numbers: npt.NDArray[np.int64]) -> list[str]:
        hosts = np.searchsorted(self.starts, numbers, "right") - 1
        return list(map(url_of, hosts.tolist(), numbers.tolist()))


def url_of(host: int, number: int) -> str:
    return f"http://www.site-{host}.example/articles/{number % 97}/page-{number}"


class SiteWeb:
    """Answers at once; keeps the seconds that it took itself, which are not the crawl's."""

    def __init__(self, site: Site) -> None:
        self.clock = self
        self.site = site
        self.visits: list[Visit] = []
        self.seconds = self.cpu = 0.0
        self.links = 0

    def now(self) -> float:
        return 0.0

    def sleep_until(self, moment: float) -> None: ...

    def begin(self, visits: Sequence[Visit]) -> None:
        self.visits.extend(visits)

    def next_done(self, until: float) -> list[Finished]:
        began, cpu = time.perf_counter(), time.process_time()
        done = [self.answer(visit) for visit in self.visits]
        self.visits.clear()
        self.seconds += time.perf_counter() - began
        self.cpu += time.process_time() - cpu
        return done

    def answer(self, visit: Visit) -> Finished:
        links = Links(self.site.links(visit.url))
        self.links += len(links)
        verdict = Verdict(relevant=self.site.is_relevant(visit.host))
        return Finished(visit, Page(visit.url, 200, links=links), verdict)

    def stop(self) -> list[Finished]:
        return []

    def close(self) -> None: ...


class TimedFrontier(SqliteFrontier):
    """Notes the seconds of every take and every commit."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.takes: list[float] = []
        self.commits: list[float] = []

    def take(
        self,
        ready: Callable[[str], bool],
        overtake: bool,
        reconsider: Callable[[Visit], float] | None = None,
    ) -> Visit | None:
        began = time.perf_counter()
        visit = super().take(ready, overtake, reconsider)
        self.takes.append(time.perf_counter() - began)
        return visit

    def commit(self) -> None:
        began = time.perf_counter()
        super().commit()
        self.commits.append(time.perf_counter() - began)


def fill(path: Path, site: Site) -> None:
    """Write the known URLs as if they had been met page by page, in the order of the tables.

    Rows come in the order of their keys, so that a hundred million take minutes; the tables are
    packed more tightly than those of a crawl.
    """
    SqliteFrontier(path).close()
    database = sqlite3.connect(path, isolation_level=None)
    known = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'")
    indexes = [(name, sql) for name, sql in known if sql]
    for name, _ in indexes:
        database.execute(f"DROP INDEX {name}")
    for setting in ("cache_size = -1000000", "journal_mode = OFF", "synchronous = OFF"):
        database.execute(f"PRAGMA {setting}")  # a fill that is cut off is begun anew
    database.execute("BEGIN")
    number, seed = 0, seed_of(database)
    for urls in site.met():
        rows = zip(range(number, number + len(urls)), urls, strict=True)
        database.executemany("INSERT INTO urls VALUES (?, ?)", rows)
        number += len(urls)
    for columns in site.by_host(seed):
        database.executemany(INSERT, zip(*columns, strict=True))
    for _, sql in indexes:
        database.execute(sql)
    database.execute("INSERT INTO meta VALUES ('counters', ?)", (f"{site.known} {site.known}",))
    database.execute("COMMIT")
    database.execute("PRAGMA journal_mode = WAL")
    database.close()


def measure(path: Path, site: Site) -> dict[str, float]:
    """Open a frontier that was filled, and crawl with it.

    Moves that wait at the end to be written with others count too: all are written, at once.
    """
    known = site.known
    began, cpu = time.perf_counter(), time.process_time()
    timed = TimedFrontier(path)
    opened, opened_cpu = time.perf_counter() - began, time.process_time() - cpu
    web = SiteWeb(site)
    pages = min(known // 100, 40_000)
    crawl = Crawl(
        web, timed, start_ranker(make_strategy("soft")),
        connections=CONNECTIONS, limits=Limits(max_pages=pages),
    )  # fmt: skip
    met = timed.id_of("http://none.example/")
    began, cpu = time.perf_counter(), time.process_time()
    with few_collections():
        crawl.run(())
        settling = time.perf_counter()
        timed.write_all()
        settling = time.perf_counter() - settling
    seconds = time.perf_counter() - began - web.seconds
    cpu = time.process_time() - cpu - web.cpu
    new = timed.id_of("http://none-either.example/") - met - 1
    size = path.stat().st_size
    timed.close()
    return {
        "known": known,
        "open": opened,
        "open_cpu": opened_cpu,
        "settling": settling,
        "links": web.links / seconds,
        "cpu": web.links / cpu,
        "share": 1 - new / web.links,
        "take": float(np.median(timed.takes) * 1000),
        "take99": float(np.quantile(timed.takes, 0.99) * 1000),
        "commit": float(np.median(timed.commits) * 1000),
        "commit_max": max(timed.commits) * 1000,
        "memory": peak_memory() / 1e6,
        "disk": size / 1e9,
        "load": os.getloadavg()[0] / (os.cpu_count() or 1),
    }


def peak_memory() -> int:
    """Bytes; the kernel's other count, ru_maxrss, begins with the process that started us."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def peer() -> float:
    """Links a second that the loop offers with the frontier in memory."""
    site = Site(KNOWN[0])
    frontier, web = MemoryFrontier(), SiteWeb(site)
    crawl = Crawl(
        web, frontier, start_ranker(make_strategy("soft")),
        connections=CONNECTIONS, limits=Limits(max_pages=2000),
    )  # fmt: skip
    for urls in site.met():
        crawl.seed(urls)
    began = time.perf_counter()
    crawl.run(())
    return web.links / (time.perf_counter() - began - web.seconds)


def plot(results: list[dict[str, float]]) -> None:
    charts = []
    for title, measures in PANELS.items():
        rows = [
            {"known": result["known"], "value": result[key], "what": name}
            for key, name in measures.items()
            for result in results
            if key in result
        ]
        charts.append(
            alt.Chart(alt.InlineData(rows), title=title, width=230, height=200)
            .mark_line(point=True)
            .encode(
                x=alt.X("known:Q", title="known URLs", scale=alt.Scale(type="log"),
                        axis=alt.Axis(format="~s", values=[*KNOWN, HUGE])),
                y=alt.Y("value:Q", title=None, axis=alt.Axis(format="~s"),
                        scale=alt.Scale(domainMin=0)),
                color=alt.Color("what:N", title=None, legend=alt.Legend(orient="bottom")),
            )
        )  # fmt: skip
    alt.hconcat(*charts).resolve_scale(color="independent").save(PLOT)


def keep(results: list[dict[str, float]]) -> None:
    """Write down what was measured, in place of what was before, and draw all of it."""
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else []
    figures = {each["known"]: each for each in [*known, *results]}
    FIGURES.write_text(json.dumps([figures[key] for key in sorted(figures)], indent=1) + "\n")
    plot([figures[key] for key in sorted(figures)])


def run() -> None:
    """links offered to a frontier of 10^5 to 10^7 known URLs, its takes, and its memory"""
    with few_collections():
        print(f"in memory, {KNOWN[0]:,} known URLs: {peer():,.0f} links/s")
    keep([_report(known) for known in KNOWN])


def run_huge() -> None:
    """the same with 10^8 known URLs: 20 GB of disk, ten minutes of processor time to fill it"""
    keep([_report(HUGE)])


def _report(known: int) -> dict[str, float]:
    """Fill a frontier, measure it, and say so."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.frontier", f"{folder}/frontier.db"]
        subprocess.run([*command, str(known), "fill"], check=True)
        done = subprocess.run([*command, str(known)], check=True, stdout=subprocess.PIPE)
    result: dict[str, float] = json.loads(done.stdout)
    print(
        "{known:>11,} known: {links:7,.0f} links/s ({cpu:,.0f} by processor time), "
        "{share:.0%} known; take {take:.3f} ms, p99 {take99:.3f} ms; commit {commit:.1f} ms, "
        "at most {commit_max:.0f} ms; moves written in {settling:.1f} s; "
        "opened in {open:.1f} s ({open_cpu:.1f} by processor time); {memory:.0f} MB of memory, "
        "{disk:.1f} GB on disk; {load:.1f} processes wanted each core".format(**result),
        flush=True,
    )
    return result


if __name__ == "__main__":  # in processes of their own, so that memory is that of the crawl
    if sys.argv[3:] == ["fill"]:
        fill(Path(sys.argv[1]), Site(int(sys.argv[2])))
    else:
        print(json.dumps(measure(Path(sys.argv[1]), Site(int(sys.argv[2])))))
