"""The seam for strategies that learn: live, simulated, saved, restored, grouped and rounded."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from langcrawl.crawl import Crawl
from langcrawl.errors import StrategyFailed
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table
from langcrawl.ports import Download, Learned, Learner, Offer, Ranking
from langcrawl.records import Step, Visit
from langcrawl.simulate import Plan, as_urls, simulate
from langcrawl.store.state import CrawlState
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb, make_small_web
from langcrawl.web.replay import ReplayedWeb
from running import Started
from warm import Warm
from webs import P, graph_of

EXAMPLE = f"{Path(__file__).resolve().parents[2]}/examples/own_learner.py:UrlWords"
WEB = {
    "s/": P("en", ["a/1", "b/1", "a/2"]),
    "a/1": P("th", ["a/3", "b/2"]),
    "a/2": P("th", ["b/3"]),
    "a/3": P("en", ["a/4"]),
    "a/4": P("th"),
    "b/1": P("en", ["b/2", "a/4"]),
    "b/2": P("en"),
    "b/3": P("en"),
}


class Told(Learner):
    """Ranks all alike, and remembers what it was shown and told."""

    name = "told"

    def __init__(self) -> None:
        self.offers: list[Offer] = []
        self.downloads: list[tuple[str, str, int, int, int]] = []

    def rank(self, offer: Offer) -> Ranking:
        self.offers.append(offer)
        return Ranking([0.5] * len(offer))

    def saw(self, download: Download) -> Iterable[str]:
        tally = download.tally
        seen = (tally.downloads, tally.hits, tally.misses)
        self.downloads.append((download.visit.url.removeprefix("http://"), download.group, *seen))
        return ()


class Order:
    def __init__(self) -> None:
        self.steps: list[Step] = []

    @property
    def names(self) -> list[str]:
        return [step.visit.url.removeprefix("http://") for step in self.steps]

    def take(self, step: Step) -> None:
        self.steps.append(step)

    def close(self) -> None: ...


def run(ranker: Learner, web: Mapping[str, P] = WEB, seeds: Sequence[str] = ("s/",)) -> Order:
    order = Order()
    group_of = ranker.group_of if ranker.grouped else None
    frontier = MemoryFrontier(ranker.last_first, group_of)
    crawl = Crawl(ReplayedWeb(graph_of(dict(web)), details=True), frontier, ranker, sinks=[order])
    crawl.run([f"http://{seed}" for seed in seeds])
    return order


def test_a_learner_is_shown_links_with_what_is_known_of_them_and_told_of_every_page() -> None:
    told = Told()
    order = run(told)
    assert order.names == [name for name, *_ in told.downloads]
    assert set(order.names) == set(WEB)
    first, second, *_ = told.offers
    assert (first.found_by, first.parent, first.download) == ("seed", "", None)
    assert [url.removeprefix("http://") for url in second.urls] == ["a/1", "b/1", "a/2"]
    assert list(second.links.urls) == second.urls
    assert second.hosts == ["a", "b", "a"]
    assert second.parent == "http://s/"
    assert second.download is not None
    assert second.download.verdict.language == "en"
    assert all(state.priority == float("inf") for state in second.states)
    third = told.offers[2]  # of a/1: b/2 is new; nothing that was downloaded is offered again
    assert [url.removeprefix("http://") for url in third.urls] == ["a/3", "b/2"]


def test_tallies_count_downloads_hits_and_misses_in_a_row() -> None:
    told = Told()
    run(told)
    of_b = [row[2:] for row in told.downloads if row[1] == "b"]
    assert of_b == [(1, 0, 1), (2, 0, 2), (3, 0, 3)]
    of_a = {row[0]: row[2:] for row in told.downloads if row[1] == "a"}
    assert of_a["a/3"] == (3, 2, 1)
    assert of_a["a/4"] == (4, 3, 0)


class FirstLetter(Told):
    """Groups URLs by the last letter of their path, across hosts."""

    name = "letters"
    grouped = True

    def group_of(self, url: str, host: str) -> str:
        return url[-1]

    def saw(self, download: Download) -> Iterable[str]:
        super().saw(download)
        return ["2", "3"] if download.visit.url == "http://s/" else ["3"]

    def rank_again(self, group: str, waiting: Sequence[Visit]) -> Ranking:
        return Ranking([{"2": 0.25, "3": 0.75}[group]] * len(waiting))


class AnswersArrays(FirstLetter):
    """Names groups in an array, which has no truth value."""

    def saw(self, download: Download) -> Iterable[str]:
        return np.array(list(super().saw(download)) * 2)


class AnswersOneByOne(FirstLetter):
    """Names groups while it is asked for them."""

    def saw(self, download: Download) -> Iterable[str]:
        yield from super().saw(download)


@pytest.mark.parametrize("kind", [FirstLetter, AnswersArrays, AnswersOneByOne])
def test_groups_may_be_any_function_of_the_url_and_their_waiting_urls_are_ranked_again(
    kind: type[FirstLetter],
) -> None:
    learner = kind()
    web = {"s/": P("en", ["a/1", "a/3", "b/2", "c/1", "c/2"]), "a/1": P("en", ["a/1"]),
           "a/3": P(), "b/2": P(), "c/1": P(), "c/2": P()}  # fmt: skip
    order = run(learner, web)
    # the links of s/ come after it was seen: all wait alike, then a/1 moves group 3 to the end
    assert order.names == ["s/", "a/1", "b/2", "c/1", "c/2", "a/3"]
    assert [row[1] for row in learner.downloads] == ["/", "1", "2", "1", "2", "3"]
    assert learner.downloads[3][2:] == (2, 0, 2)  # c/1 is the second page of group 1


def of_group(frontier: SqliteFrontier | MemoryFrontier, group: str) -> list[Visit]:
    return dict(frontier.of_groups([group])).get(group, [])


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_group_across_hosts_comes_in_the_order_of_first_queueing(
    on_disk: bool, tmp_path: Path
) -> None:
    learner = FirstLetter()
    frontier: SqliteFrontier | MemoryFrontier = MemoryFrontier(False, learner.group_of)
    if on_disk:
        frontier = SqliteFrontier(tmp_path / "f.db", False, learner.group_of, "letters")
    for name, priority in [("b/1", 1.0), ("a/1", 0.0), ("a/2", 1.0), ("c/1", 0.5)]:
        url = f"http://{name}"
        facts = run_facts()
        frontier.put(Visit(url, name[0], facts, priority, ""))
    frontier.put(Visit("http://b/1", "b", run_facts(), 0.25, "", evidence="moved"))
    frontier.commit()
    waiting = of_group(frontier, "1")
    assert [visit.url for visit in waiting] == ["http://b/1", "http://a/1", "http://c/1"]
    assert [visit.priority for visit in waiting] == [0.25, 0.0, 0.5]
    assert waiting[0].evidence == "moved"
    taken = frontier.take(lambda host: True, overtake=True)
    assert taken is not None
    assert taken.url == "http://a/1"
    assert [visit.url for visit in of_group(frontier, "1")] == ["http://b/1", "http://c/1"]
    frontier.put_back(taken)
    assert next(visit.url for visit in of_group(frontier, "1")) == "http://a/1"
    frontier.drop("http://c/1")
    assert len(of_group(frontier, "1")) == 2
    if isinstance(frontier, SqliteFrontier):
        frontier.commit()
        frontier.close()
        regrouped = SqliteFrontier(tmp_path / "f.db", False, lambda url, host: host + "!", "hosts")
        assert [visit.url for visit in of_group(regrouped, "a!")] == ["http://a/1", "http://a/2"]
        regrouped.close()


def run_facts() -> object:
    from langcrawl.records import Facts

    return Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)


class Evidence(Told):
    """Keeps the number of pages that link to a URL; the more, the sooner."""

    name = "evidence"
    keeps_evidence = True

    def rank(self, offer: Offer) -> Ranking:
        super().rank(offer)
        counts = [int(text or 0) + 1 for text in offer.evidence]
        reasons = [f"{count} links" for count in counts]
        return Ranking([1 / count for count in counts], (), reasons, list(map(str, counts)))


@pytest.mark.parametrize("on_disk", [False, True])
def test_evidence_is_given_back_while_a_url_waits(on_disk: bool, tmp_path: Path) -> None:
    web = {"s/": P("en", ["a/", "b/", "c/"]), "a/": P("en", ["x/", "y/"]), "b/": P("en", ["y/"]),
           "c/": P("en", ["y/", "x/", "z/"]), "x/": P(), "y/": P(), "z/": P()}  # fmt: skip
    order, learner = Order(), Evidence()
    frontier: SqliteFrontier | MemoryFrontier = MemoryFrontier()
    if on_disk:
        frontier = SqliteFrontier(tmp_path / "frontier.db")
    Crawl(ReplayedWeb(graph_of(web)), frontier, learner, sinks=[order]).run(["http://s/"])
    # y was linked to by three pages when they were through, x by two, z by one
    assert order.names == ["s/", "a/", "b/", "y/", "c/", "x/", "z/"]
    reasons = {step.visit.url: step.visit.reason for step in order.steps}
    assert reasons["http://y/"] == "2 links"
    assert reasons["http://x/"] == "2 links"
    if isinstance(frontier, SqliteFrontier):
        frontier.close()


class Fine(Told):
    name = "fine"

    def rank(self, offer: Offer) -> Ranking:
        return Ranking([0.1 + at / 1e6 for at in range(len(offer))])


def test_priorities_are_rounded_so_that_few_are_distinct() -> None:
    web = {"s/": P("en", [f"a/{at}" for at in range(500)])} | {f"a/{at}": P() for at in range(500)}
    order = run(Fine(), web)
    assert len({step.visit.priority for step in order.steps}) <= 2
    assert order.names[1:] == [f"a/{at}" for at in range(500)]  # within a step, first come


class Broken(Told):
    name = "broken"

    def __init__(self, answer: object) -> None:
        super().__init__()
        self.answer = answer

    def rank(self, offer: Offer) -> Ranking:
        if isinstance(self.answer, Exception):
            raise self.answer
        return Ranking(self.answer)  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [[0.0, 0.0, 0.0], [], [float("nan")], ValueError("no idea")])
def test_a_learner_that_answers_nonsense_is_named(answer: object) -> None:
    with pytest.raises(StrategyFailed, match="the strategy 'broken'"):
        run(Broken(answer))


def test_a_learner_may_discard_for_reasons_of_its_own() -> None:
    class Picky(Told):
        def rank(self, offer: Offer) -> Ranking:
            words = ["b-host" if host == "b" else "" for host in offer.hosts]
            return Ranking([0.0] * len(offer), words)

    frontier = MemoryFrontier()
    crawl = Crawl(ReplayedWeb(graph_of(WEB)), frontier, Picky())
    outcome = crawl.run(["http://s/"])
    assert outcome.counts.discards["b-host"] == 3
    assert outcome.counts.pages == 5


def test_what_was_learned_is_there_again_and_another_strategy_does_not_see_it(
    tmp_path: Path,
) -> None:
    def crawl(strategy: str, pages: int | None) -> Crawl:
        ranker = make_strategy(strategy)
        assert isinstance(ranker, Learned)
        frontier = SqliteFrontier(tmp_path / "frontier.db")
        from langcrawl.records import Limits

        web = ReplayedWeb(graph_of(WEB))
        made = Crawl(web, frontier, ranker.start("th"), limits=Limits(max_pages=pages))
        state = CrawlState(made, frontier.connection)
        state.restore(frontier.leased_hosts)
        frontier.at_commit.append(state.save)
        made.run(["http://s/"])
        frontier.close()
        return made

    first = crawl(EXAMPLE, 3)
    again = crawl(EXAMPLE, 3)
    assert again.ranker.weights == first.ranker.weights  # type: ignore[attr-defined]
    assert again.ranker.weights  # type: ignore[attr-defined]
    other = crawl(f"{EXAMPLE}:rate=0.9", 3)
    assert other.ranker.weights == {}  # type: ignore[attr-defined]


def test_each_run_starts_with_a_learner_that_knows_nothing(small_crawl: Path) -> None:
    graph, learner = load_graph(small_crawl), make_strategy(EXAMPLE)
    first = simulate(graph, learner, Plan())
    assert as_urls(graph, simulate(graph, learner, Plan()).order) == as_urls(graph, first.order)
    assert first.summary.coverage == 1.0


def test_the_example_beats_bfs_where_hosts_differ(small_crawl: Path) -> None:
    graph = load_graph(small_crawl)
    by_name = {name: simulate(graph, make_strategy(name), Plan()).summary.auc
               for name in ("bfs", EXAMPLE)}  # fmt: skip
    assert by_name[EXAMPLE] > by_name["bfs"]


def words_of(directory: Path, server: Server, seeds: Sequence[str]) -> list[str]:
    words = ["crawl", str(directory), "--lang", "th",
             "--strategy", EXAMPLE, "--connections", "1", "--workers", "1", "--delay", "0",
             "--connect-to", server.connect_to, "--json"]  # fmt: skip
    for seed in seeds:
        words += ["--seeds", seed]
    return words


def order_of(directory: Path) -> list[str]:
    urls = read_table(directory, "urls", ["url"])["url"].to_pylist()
    return [urls[number] for number in read_table(directory, "pages", ["id"])["id"].to_pylist()]


def test_live_with_kills_and_simulated_it_takes_the_same_pages_in_the_same_order(
    warm: Warm, tmp_path: Path
) -> None:
    web: SmallWeb = make_small_web(pages=90, seed=5)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    with Server(web.answer) as server:
        finish(Started(warm, *words_of(whole, server, web.seeds)))
        wanted = order_of(whole)
        for share in (0.2, 0.5, 0.8):
            started = Started(warm, *words_of(killed, server, web.seeds))
            wait_for_pages(killed, int(share * len(wanted)), started)
            started.kill()
        finish(Started(warm, *words_of(killed, server, web.seeds)))
    assert order_of(killed) == wanted
    graph = load_graph(whole)
    replayed = simulate(graph, make_strategy(EXAMPLE), Plan())
    assert as_urls(graph, replayed.order) == wanted


def finish(started: Started) -> None:
    started.communicate()
    assert started.returncode == 0, started.said


def wait_for_pages(directory: Path, pages: int, process: Started) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            uri = f"file:{directory}/frontier.db?mode=ro"
            database = sqlite3.connect(uri, uri=True)
            row = database.execute("SELECT value FROM meta WHERE key = 'counts'").fetchone()
            database.close()
            if row and json.loads(row[0])["pages"] >= pages:
                return
        except sqlite3.OperationalError:
            pass
        time.sleep(0.005)
