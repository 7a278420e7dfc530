"""The segment crawler of paper 004: against a plain second reading, resumed, explained, refused."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings

from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.errors import BadInput, BadValue
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.log.graph import Graph, build_graph, load_graph
from langcrawl.log.segments import read_table
from langcrawl.ports import Learned
from langcrawl.records import Limits, Step
from langcrawl.simulate import Plan, as_urls, simulate
from langcrawl.store.state import CrawlState
from langcrawl.strategy import make_strategy
from langcrawl.topic.countries import Countries
from langcrawl.topic.expectation import Expectation
from langcrawl.topic.predictor import Features, SegmentModel, save_segment_model
from langcrawl.url import segment_of
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import make_small_web
from langcrawl.web.replay import ReplayedWeb
from running import Started
from strategy.test_learners import EXAMPLE, finish, order_of, wait_for_pages, words_of
from warm import Warm
from webs import P, Web, name_of, random_webs, tables_of, url

WORDS = ("bangkok hotels", "the market of samui", "tax law", "phuket", "", "court rules tax phuket")
MODEL = SegmentModel(
    "thai", "th", ("Bangkok", "Samui", "Phuket"), False, 0.5,
    {name: {} for name in Features._fields}
    | {
        "degree": {str(step): step / 3 - 1.3 for step in range(9)},
        "anchors": {"0": -1.0, "3": 0.4, "4": 0.7, "5": 1.0, "9": 2.0},
        "urls": {"0": -0.5, "1": 0.25},
        "goal_domain": {".h1": 0.3, ".h2": -0.3},
    },
    {"hotels": 0.8, "market": 0.3, "tax": -0.9, "court": -0.4, "anchor": 0.1, "a": 0.2, "b": -0.1},
    {}, Expectation(-0.7, 2.0, 3.0, 0.4, 2.5),
)  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "seg.json"
    save_segment_model(MODEL, path)
    return path


def anchor_of(source: str, goal: str) -> str:
    return WORDS[sum(map(ord, source + "|" + goal)) % len(WORDS)]


def context_of(source: str, goal: str) -> str:
    return WORDS[sum(map(ord, goal + goal + source)) % len(WORDS)]


def graph_of(web: Web, seeds: Iterable[str]) -> Graph:
    """A web whose links have words."""
    tables = tables_of(web)
    names = [name_of(each) for each in tables["urls"]["url"].to_pylist()]
    links = tables["links"]
    ends = list(zip(links["src"].to_pylist(), links["dst"].to_pylist(), strict=True))
    for column, text in (("anchor", anchor_of), ("context", context_of)):
        values = pa.array([text(names[src], names[dst]) for src, dst in ends], pa.string())
        links = links.set_column(links.schema.get_field_index(column), column, values)
    tables["links"] = links
    return build_graph(CrawlConfig(lang="th", seeds=tuple(map(url, seeds))), tables)


@dataclass
class Seg:
    pages: int = 0
    failed: int = 0
    hits: int = 0
    scores: float = 0.0
    misses: int = 0
    run: float = math.inf
    ended: bool = False
    seeded: bool = False


@dataclass
class Reading:
    """docs/segments.md read word by word, with lists and scans."""

    web: Web
    s: int
    d: int
    model: SegmentModel | None
    likely: bool = False
    order: list[str] = field(default_factory=list)
    discards: Counter[str] = field(default_factory=Counter)
    waiting: dict[str, list[float]] = field(default_factory=dict)  # priority, arrival, first
    parents: dict[str, str] = field(default_factory=dict)
    segments: dict[str, Seg] = field(default_factory=dict)
    links: list[tuple[str, str, str, str]] = field(default_factory=list)  # x, y, parent, page
    known: dict[str, list[str]] = field(default_factory=dict)
    current: str = ""
    counter: int = 0

    def segment(self, name: str) -> str:
        return segment_of(url(name))

    def seg(self, name: str) -> Seg:
        return self.segments.setdefault(name, Seg())

    def score(self, y: str) -> float:
        if self.seg(y).seeded:
            return 1.0
        sources = list(dict.fromkeys(x for x, goal, *_ in self.links if goal == y))
        if not sources:
            return 0.0
        parts = []
        for x in sources:
            own = self.seg(x)
            worth = own.scores / own.pages if own.pages else 0.0
            parts.append(worth * sum(self.chances(x, y)) / 2)
        return math.fsum(parts) / len(parts)

    def expected(self, y: str) -> float:
        own = self.seg(y)
        sources = list(dict.fromkeys(x for x, goal, *_ in self.links if goal == y))
        before = 1.0 if own.seeded else 0.0
        if sources and not own.seeded:
            pairs = [self.chances(x, y) for x in sources]
            said = math.fsum(2 * (links - 0.5) + 3 * (words - 0.5) for links, words in pairs)
            value = -0.7 + said / len(pairs) + 0.4 * math.log(len(pairs))
            before = 1 / (1 + math.exp(-value))
        return (2.5 * before + own.scores) / (2.5 + own.pages + own.failed)

    def chances(self, x: str, y: str) -> tuple[float, float]:
        if self.model is None:
            return 1.0, 1.0
        own = self.seg(x)
        link_names = link_rest = 0
        worth = 0.0
        pooled = [(parent, page) for a, b, parent, page in self.links if (a, b) == (x, y)][:64]
        for parent, page in pooled:
            text = f"{anchor_of(parent, page)} {context_of(parent, page)}" if parent else ""
            names, rest, value = said(text)
            link_names, link_rest = link_names + names, link_rest + rest
            worth += value
            worth += said(page.partition("/")[2])[2]
        from_urls = [said(page.partition("/")[2]) for page in self.known.get(y, [])]
        url_names = sum(each[0] for each in from_urls)
        url_rest = sum(each[1] for each in from_urls)
        values = {
            "degree": step(own.hits, own.pages),
            "anchors": step(link_names, link_names + link_rest),
            "urls": step(url_names, url_names + url_rest),
            "goal_domain": "." + y.partition("/")[0],
        }
        odds = sum(self.model.links[name].get(str(value), 0.0) for name, value in values.items())
        return 1 / (1 + math.exp(-odds)), 1 / (1 + math.exp(-worth))

    def priority(self, y: str) -> float:
        if self.likely:
            return 1 + round((1 - self.expected(y)) * 1024) / 1024
        return 0.0 if y == self.current else 1 + round((1 - self.score(y)) * 1024) / 1024

    def move(self, y: str, why: str = "") -> None:
        """All URLs of a segment that wait have its priority, in the order they were found."""
        mine = sorted((w[2], name) for name, w in self.waiting.items() if self.segment(name) == y)
        for _, name in mine:
            if why:
                self.discards[why] += 1
                del self.waiting[name]
            elif self.waiting[name][0] != self.priority(y):
                self.counter += 1
                self.waiting[name][:2] = [self.priority(y), self.counter]

    def offer(self, parent: str, names: Iterable[str], found_by: str) -> None:
        x = self.segment(parent) if parent else ""
        there = [name for name in dict.fromkeys(names) if name in self.web]
        self.discards["not-in-log"] += len(set(names)) - len(there)
        names = [name for name in there if name not in self.order]
        run = 0.0
        if x and not (self.seg(x).pages and self.seg(x).hits / self.seg(x).pages >= 0.5):
            run = self.seg(x).run + 1
        refused = {}
        for y in dict.fromkeys(map(self.segment, names)):
            own = self.seg(y)
            refused[y] = ""
            if own.ended:
                refused[y] = "segment-ended"
            elif y != x and min(run, own.run) >= self.d:
                refused[y] = "segment-distance"
            elif y != x:
                own.run = min(run, own.run)
                own.seeded = own.seeded or (not x and found_by in ("seed", "redirect"))
        fresh = []
        for name in names:
            y = self.segment(name)
            if refused[y]:
                self.discards[refused[y]] += 1
                continue
            if name not in self.waiting:
                self.counter += 1
                self.waiting[name] = [math.inf, self.counter, self.counter]
                self.parents[name] = parent
                self.known.setdefault(y, []).append(name)
                fresh.append(name)
            if x and y != x:
                # a redirect has no anchor: only the words of its URL are read
                self.links.append((x, y, parent if found_by == "link" else "", name))
        alone = {
            y
            for y in refused
            if not refused[y]
            and all(name in fresh for name in self.waiting if self.segment(name) == y)
        }
        for name in fresh:  # those of a segment of which nothing waited stay where they are put
            if self.segment(name) in alone:
                self.counter += 1
                self.waiting[name][:2] = [self.priority(self.segment(name)), self.counter]
        for name in fresh:
            y = self.segment(name)
            if y not in alone:
                olds = [
                    w[0] for n, w in self.waiting.items() if self.segment(n) == y and n not in fresh
                ]
                self.counter += 1
                self.waiting[name][:2] = [olds[0], self.counter]
        for y in refused:
            if not refused[y] and y not in alone:
                self.move(y)

    def run(self, seeds: Iterable[str]) -> Reading:
        self.offer("", seeds, "seed")
        while self.waiting:
            name = min(self.waiting, key=lambda n: self.waiting[n][:2])
            del self.waiting[name]
            self.order.append(name)
            page, x = self.web[name], self.segment(name)
            own = self.seg(x)
            relevant = page.status == 200 and not page.redirect and page.language == "th"
            if self.current != x and not self.likely:
                self.current = x
                if not (not page.redirect and not relevant and own.misses + 1 >= self.s):
                    self.move(x)
            if page.redirect:
                self.offer(self.parents[name], [page.redirect], "redirect")
                continue
            own.misses = 0 if relevant else own.misses + 1
            if own.misses >= self.s and not own.ended:
                own.ended = True
                self.move(x, "segment-ended")
            own.failed += page.status != 200
            if page.status == 200:
                own.pages += 1
                own.hits += relevant
                own.scores += float(relevant) if page.score is None else page.score
            if self.likely:
                self.move(x)
            if page.status == 200:
                for y in dict.fromkeys(goal for a, goal, *_ in self.links if a == x):
                    self.move(y)
                self.offer(name, page.links, "link")
        return self


def step(part: int, whole: int) -> int | None:
    return min(9, 10 * part // whole) if whole else None


def said(text: str) -> tuple[int, int, float]:
    words = [word for word in text.replace("/", " ").split() if not word.isdigit()]
    names = sum(word in ("bangkok", "samui", "phuket") for word in words)
    return names, len(words) - names, sum(MODEL.words.get(word, 0.0) for word in words)


def orders(web: Web, seeds: list[str], strategy: str) -> tuple[list[str], dict[str, int]]:
    graph = graph_of(web, seeds)
    result = simulate(graph, make_strategy(strategy), Plan())
    return [name_of(each) for each in as_urls(graph, result.order)], result.discards


@pytest.mark.parametrize("with_model", [False, True])
@pytest.mark.parametrize(("s", "d"), [(2, 2), (1, 1), (3, 9), (9, 9)])
@settings(deadline=None, max_examples=30)
@given(made=random_webs())
def test_the_order_is_that_of_a_plain_second_reading(
    made: tuple[Web, list[str]], s: int, d: int, with_model: bool, model: Path
) -> None:
    web, seeds = made
    name, known = f"best-segment:s={s},d={d}", None
    if with_model:
        name, known = f"segments:model={model},s={s},d={d}", MODEL
    taken, discards = orders(web, seeds, name)
    told = Reading(web, s, d, known).run(seeds)
    assert taken == [name_of(url(each)) for each in told.order]
    assert Counter(discards) == +told.discards


@settings(deadline=None, max_examples=60)
@given(made=random_webs())
def test_the_likely_segment_goes_first_as_a_plain_second_reading_has_it(
    made: tuple[Web, list[str]], model: Path
) -> None:
    web, seeds = made
    taken, discards = orders(web, seeds, f"likely-segment:model={model}")
    told = Reading(web, 10**9, 10**9, MODEL, likely=True).run(seeds)
    assert taken == [name_of(url(each)) for each in told.order]
    assert Counter(discards) == +told.discards


class Order:
    def __init__(self) -> None:
        self.names: list[str] = []

    def take(self, step: Step) -> None:
        self.names.append(name_of(step.visit.url))

    def close(self) -> None: ...


def run_some(graph: Graph, seeds: list[str], strategy: str, folder: Path, pages: int) -> list[str]:
    """Go on with a crawl in a folder until it has so many pages, and let it die there."""
    made, order = make_strategy(strategy), Order()
    assert isinstance(made, Learned)
    ranker = made.start("th")
    frontier = SqliteFrontier(folder / "frontier.db", False, ranker.group_of, ranker.name)
    crawl = Crawl(
        ReplayedWeb(graph, details=True), frontier, ranker, limits=Limits(max_pages=pages),
        sinks=[order],
    )  # fmt: skip
    state = CrawlState(crawl, frontier.connection)
    state.restore(frontier.leased_hosts)
    frontier.at_commit.append(state.save)
    crawl.run(map(url, seeds))
    frontier.close()
    return order.names


@pytest.mark.parametrize("name", ["segments", "likely-segment"])
@settings(deadline=None, max_examples=12)
@given(made=random_webs())
def test_a_crawl_that_begins_anew_after_every_page_takes_the_same_order(
    made: tuple[Web, list[str]], name: str, model: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    web, seeds = made
    strategy, graph = f"{name}:model={model}", graph_of(web, seeds)
    whole, _ = orders(web, seeds, strategy)
    folder = tmp_path_factory.mktemp("crawl")
    taken = []
    for pages in range(1, len(whole) + 2):
        taken += run_some(graph, seeds, strategy, folder, pages)
    assert taken == whole


EXPECTED = r"[01]\.\d{3} of \S+/ is expected to be relevant, "


@pytest.mark.parametrize(
    ("name", "more", "reasons"),
    [
        ("segments", ",s=4,d=4", ("a seed, or in the segment of one", r"score 0\.\d+ by \S+/")),
        ("likely-segment", "", (EXPECTED + "as the segment of a seed", EXPECTED + r"by \S+/",
                                EXPECTED + "after 2 pages of it")),
    ],
)  # fmt: skip
def test_killed_live_crawls_go_on_in_the_same_order_and_say_why(
    warm: Warm, tmp_path: Path, model: Path, name: str, more: str, reasons: tuple[str, ...]
) -> None:
    small = make_small_web(pages=90, seed=5)
    strategy = f"{name}:model={model}{more}"
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    with Server(small.answer) as server:

        def started(directory: Path) -> Started:
            words = words_of(directory, server, small.seeds)
            return Started(warm, *[strategy if word == EXAMPLE else word for word in words])

        finish(started(whole))
        wanted = order_of(whole)
        for share in (0.3, 0.7):
            process = started(killed)
            wait_for_pages(killed, int(share * len(wanted)), process)
            process.kill()
        finish(started(killed))
    assert len(wanted) > 40
    assert order_of(killed) == wanted
    graph = load_graph(whole)
    assert as_urls(graph, simulate(graph, make_strategy(strategy), Plan()).order) == wanted
    given = read_table(whole, "pages", ["reason"])["reason"].to_pylist()
    for reason in reasons:
        assert any(re.match(reason, each) for each in given), given


def test_why_names_the_source_the_keywords_and_the_chances(model: Path) -> None:
    web = {
        "h0/": P("th", ("h1/a/1", "h2/x")), "h1/a/1": P("en"), "h2/x": P("en", ("h3/y",)),
        "h3/y": P("en"),
    }  # fmt: skip
    graph, ranker = graph_of(web, ["h0/"]), make_strategy(f"segments:model={model}").start("th")
    frontier = MemoryFrontier(group_of=ranker.group_of)
    web_of = ReplayedWeb(graph, details=True)
    crawl = Crawl(web_of, frontier, ranker, limits=Limits(max_pages=1))
    crawl.run(["http://h0/"])
    said = [ranker.why(visit) for visit in (*frontier.of_host("h1"), *frontier.of_host("h2"))]
    assert all("h0/ links to it, of which 1 of 1 pages are relevant" in each for each in said)
    assert any(re.search(r"They name \w+", each) for each in said)
    found = re.search(r"chance of (0\.\d+): (0\.\d+) by what they are like, (0\.\d+)", said[0])
    assert found
    both, links, words = map(float, found.groups())
    assert both == pytest.approx((links + words) / 2, abs=0.011)


def test_why_of_likely_segment_says_what_is_expected_and_what_of_it_failed(model: Path) -> None:
    web = {"h0/": P("th", ("h1/a/1", "h1/a/2")), "h1/a/1": P("en", status=500), "h1/a/2": P("en")}
    graph = graph_of(web, ["h0/"])
    ranker = make_strategy(f"likely-segment:model={model}").start("th")
    frontier = MemoryFrontier(group_of=ranker.group_of)
    crawl = Crawl(ReplayedWeb(graph, details=True), frontier, ranker, limits=Limits(max_pages=2))
    crawl.run(["http://h0/"])
    (waiting,) = frontier.of_host("h1")
    said = ranker.why(waiting)
    assert re.search(r"0\.\d+ of h1/a/ is expected to be relevant, after 1 page of it", said)
    assert "h0/ links to it, of which 1 of 1 pages are relevant" in said


def test_a_host_has_at_most_as_many_pages_as_are_said() -> None:
    chain = {f"h0/{n}": P("th", (f"h0/{n + 1}",)) for n in range(400)} | {"h0/400": P("th")}
    assert len(orders(chain, ["h0/0"], "best-segment")[0]) == 300
    taken, discards = orders(chain, ["h0/0"], "best-segment:pages=7")
    assert (len(taken), discards) == (7, {"max-pages-per-host": 1})
    assert len(orders(chain, ["h0/0"], "best-segment:pages=0")[0]) == 401


def test_a_sum_over_all_downloaded_segments_prefers_what_many_link_to() -> None:
    web = {
        "s/": P("th", ("a/", "b/", "c/")), "a/": P("th", ("x/",)), "x/": P("en"), "y/": P("en"),
        "b/": P("th", ("y/",), score=0.5), "c/": P("th", ("y/",), score=0.6),
    }  # fmt: skip
    by_mean, _ = orders(web, ["s/"], "best-segment")
    by_sum, _ = orders(web, ["s/"], "best-segment:divide=all")
    assert by_mean[-2:] == ["x", "y"]
    assert by_sum[-2:] == ["y", "x"]


def test_the_predictor_of_likely_segment_speaks_behind_irrelevant_pages(model: Path) -> None:
    goals = tuple(f"g{n}/" for n in range(8))
    web = {"s/": P("th", ("l/",)), "l/": P("en", goals), **{goal: P("en") for goal in goals}}
    names = ("segments", "likely-segment")
    found = [orders(web, ["s/"], f"{name}:model={model}")[0] for name in names]
    assert found[0][2:] == [goal.rstrip("/") for goal in goals]
    assert sorted(found[1]) == sorted(found[0]) != found[1]


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("segments", "langcrawl train segments"),
        ("likely-segment", "likely-segment needs a model=FILE"),
        ("segments:model=nowhere.json", "there is no model"),
        ("best-segment:s=0", "1 or more"),
        ("best-segment:divide=none", "sources or all"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(strategy: str, words: str) -> None:
    with pytest.raises((BadInput, BadValue), match=words):
        make_strategy(strategy)


def test_a_model_of_another_language_is_refused(model: Path) -> None:
    made = make_strategy(f"segments:model={model}")
    assert isinstance(made, Learned)
    with pytest.raises(BadInput, match="trained for pages in 'th'"):
        made.start("ja")


def test_countries_come_from_addresses_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "networks.tsv"
    file.write_text("192.0.2.0/24\tth\n192.0.0.0/16\tUS\n2001:db8::/32\tJP\n")
    countries = Countries(str(file))
    found = map(countries.of, ("192.0.2.7", "192.0.9.9", "2001:db8::1", "10.0.0.1", ""))
    assert list(found) == ["TH", "US", "JP", None, None]
    file.write_text("192.0.2.0/24 th\n")
    with pytest.raises(BadInput, match=r"line 1 of .* should be a network, a tab"):
        Countries(str(file))
    (tmp_path / "bad.mmdb").write_bytes(b"no database")
    with pytest.raises(BadInput, match="is no database of addresses"):
        Countries(str(tmp_path / "bad.mmdb"))
