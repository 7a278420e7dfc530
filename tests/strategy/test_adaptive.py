"""The strategy that learns: what it finds, how soon, and that it decides the same after a crash."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from langcrawl.crawl import Crawl
from langcrawl.errors import UsageError
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table
from langcrawl.ports import Download, Offer, QueueState, not_waiting
from langcrawl.records import Facts, Limits, Links, Page, Step, Tally, Verdict, Visit
from langcrawl.simulate import Plan, as_urls, simulate
from langcrawl.store.state import CrawlState
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.strategy.learned.adaptive import PER_STEP, Adaptive
from langcrawl.strategy.learned.clues import (
    FOREIGN,
    NAMES_OTHER,
    NAMES_TARGET,
    OWN,
    PLAIN,
    SHARED,
    Anchors,
)
from langcrawl.strategy.learned.places import NO_TONGUE, OTHER, TARGET, Places, places_of
from langcrawl.strategy.learned.rates import MOST_INSIDE, Rates
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import make_small_web
from langcrawl.web.replay import ReplayedWeb
from running import Started
from warm import Warm
from webs import P, graph_of


class Order:
    """A sink that remembers the URLs in the order in which they were taken."""

    def __init__(self) -> None:
        self.urls: list[str] = []

    def take(self, step: Step) -> None:
        self.urls.append(step.visit.url)

    def close(self) -> None: ...


def manuals(pages: int = 30) -> dict[str, P]:
    """A site with a manual in four languages; all of its pages link to all languages."""
    tongues = ("de", "en", "ja", "th")
    web = {"m/": P("en", tuple(f"m/{tongue}/0" for tongue in tongues))}
    for tongue in tongues:
        for at in range(pages):
            next_pages = tuple(f"m/{tongue}/{more}" for more in (2 * at + 1, 2 * at + 2)
                               if more < pages)  # fmt: skip
            others = tuple(f"m/{other}/{at}" for other in tongues if other != tongue)
            web[f"m/{tongue}/{at}"] = P(tongue, (*others, *next_pages))
    return web


def run(web: dict[str, P], ranker: Adaptive, pages: int | None = None) -> list[str]:
    order = Order()
    frontier = MemoryFrontier(False, ranker.group_of)
    replayed = ReplayedWeb(graph_of(dict(web)), details=True)
    Crawl(replayed, frontier, ranker, limits=Limits(max_pages=pages), sinks=[order]).run(
        ["http://m/"]
    )
    return order.urls


def test_the_code_of_the_target_in_a_url_is_known_from_the_start() -> None:
    order = run(manuals(), Adaptive("th"), pages=32)
    assert sum("/th/" in url for url in order) == 30


def test_without_codes_it_learns_which_directory_is_good() -> None:
    web = {name.replace("/th/", "/x1/").replace("/ja/", "/x2/").replace("/de/", "/x3/"): P(
        page.language, tuple(link.replace("/th/", "/x1/").replace("/ja/", "/x2/")
                             .replace("/de/", "/x3/") for link in page.links))
        for name, page in manuals().items()}  # fmt: skip
    order = run(web, Adaptive("th"))
    taken = [at for at, url in enumerate(order) if "/x1/" in url]
    assert len(order) == 121
    assert taken[26] < 45  # 90 % of 30, where 121 wait


def test_it_discards_nothing_and_finds_what_soft_finds(small_crawl: Path) -> None:
    graph = load_graph(small_crawl)
    learned, soft = (simulate(graph, make_strategy(name), Plan()) for name in ("adaptive", "soft"))
    assert set(learned.order.tolist()) == set(soft.order.tolist())
    assert learned.summary.auc > soft.summary.auc
    assert not set(learned.discards) - {"not-in-log"}


def test_each_run_starts_knowing_nothing_and_takes_the_same_pages(small_crawl: Path) -> None:
    graph, strategy = load_graph(small_crawl), make_strategy("adaptive")
    first, again = (simulate(graph, strategy, Plan()) for _ in range(2))
    assert as_urls(graph, first.order) == as_urls(graph, again.order)


def offer_of(urls: Sequence[str], links: Links, *, relevant: bool = True) -> Offer:
    facts = Facts(0 if relevant else 1, 1, int(relevant), 0, 1.0, 0, 0, 0, 0)
    verdict = Verdict("th" if relevant else "en", relevant=relevant)
    visit = Visit("http://a.example/", "a.example", facts, 0.0, "")
    download = Download(visit, Page(visit.url, 200), verdict, "", Tally())
    states: list[QueueState] = [not_waiting(url) for url in urls]
    hosts = [url.split("/")[2] for url in urls]
    return Offer(links, states, hosts, [facts] * len(urls), "link", visit.url, download)


def test_priorities_lie_on_steps_and_clues_move_them() -> None:
    urls = [f"http://b.example/{at}" for at in range(6)]
    anchors = ["ภาษาไทย", "ข่าววันนี้", "news", "日本語", "ニュース", "news"]
    tags = ["", "", "th", "", "", "ja"]
    ranking = Adaptive("th").rank(offer_of(urls, Links(urls, anchors, hreflangs=tags)))
    assert all((priority * PER_STEP).is_integer() for priority in ranking.priorities)
    named, thai, tagged, other, japanese, other_tag = ranking.priorities
    assert max(named, thai, tagged) < min(other, japanese, other_tag)
    assert not ranking.discards


def visit_of(url: str, evidence: str = "") -> Visit:
    facts = Facts(0, 1, 1, 0, 1.0, 1, 0, 0, 0)
    return Visit(url, url.split("/")[2], facts, 0.0, "http://a.example/", evidence=evidence)


def show(learner: Adaptive, url: str, language: str, times: int = 1, status: int = 200) -> None:
    for at in range(times):
        visit = visit_of(f"{url}{at}.html")
        verdict = Verdict(language, relevant=language == "th")
        learner.saw(Download(visit, Page(visit.url, status), verdict, "", Tally(7, 0, 7)))


def test_what_a_directory_has_shown_wins_over_what_others_have_shown() -> None:
    learner = Adaptive("th")
    for host in range(40):
        show(learner, f"http://h{host}.example/list/", "en", 5)
    before = learner.chance(visit_of("http://good.example/list/x.html"))
    show(learner, "http://good.example/list/", "th", 12)
    after = learner.chance(visit_of("http://good.example/list/x.html"))
    assert before < 0.2
    assert after > 0.7


def test_a_page_in_no_language_hardly_counts_as_a_miss() -> None:
    chances = []
    for language in ("und", "en"):
        learner = Adaptive("th")
        show(learner, "http://a.example/x/", "th", 4)
        show(learner, "http://a.example/x/", language, 8)
        chances.append(learner.chance(visit_of("http://a.example/x/new.html")))
    assert chances[0] > chances[1] + 0.2


def test_misses_of_a_judge_that_names_no_other_language_count() -> None:
    learner = Adaptive("th")
    show(learner, "http://a.example/x/", "th", 4)
    show(learner, "http://a.example/x/", "und", 8)
    before = learner.chance(visit_of("http://a.example/x/new.html"))
    show(learner, "http://a.example/x/", "und", 8)
    after = learner.chance(visit_of("http://a.example/x/new.html"))
    assert before > 0.5 > after


def test_it_follows_a_web_that_changes() -> None:
    learner = Adaptive("th")
    show(learner, "http://a.example/x/", "th", 2000)
    show(learner, "http://a.example/x/", "en", 600)
    assert learner.chance(visit_of("http://a.example/x/new.html")) < 0.5


def test_it_says_why_in_words() -> None:
    learner = Adaptive("th")
    show(learner, "http://a.example/th/", "th", 9)
    show(learner, "http://a.example/th/", "en", 3)
    urls = ["http://a.example/th/z.html", "http://a.example/ja/z.html"]
    ranking = learner.rank(offer_of(urls, Links(urls, ["ข่าว", "news"])))
    chance, good, bad, changes = learner.why(visit_of(urls[0], ranking.evidence[0])).split("\n")
    assert chance.endswith(", sure: 75% of what came from a.example/th was relevant.")
    assert good.startswith("For it: ")
    assert "what its place has shown (+" in good
    assert "an anchor in the target's letters (+" in good
    assert "its place is named for the target (+" in good
    assert bad.startswith("Against it: directories and files of such names (-")
    assert changes.startswith("One relevant page from there would make it ")
    other = learner.why(visit_of(urls[1], ranking.evidence[1]))
    assert "a guess: nothing has come from a.example/ja; " in other
    assert "its place is named for another language (-2" in other
    new = learner.why(visit_of("http://new.test/"))
    assert "a guess: nothing has come from its host" in new


def test_hosts_that_were_never_asked_get_a_look_within_a_budget() -> None:
    learner = Adaptive("th")
    show(learner, "http://a.example/", "en", 30)
    urls = [f"http://h{at}.example/" for at in range(100)]
    ranking = learner.rank(offer_of(urls, Links(urls), relevant=False))
    scouts = [".s|" in text for text in ranking.evidence]
    assert sum(scouts) == 16 + 3
    assert max(p for p, sent in zip(ranking.priorities, scouts, strict=True) if sent) < min(
        p for p, sent in zip(ranking.priorities, scouts, strict=True) if not sent
    )


def test_a_host_takes_bounded_memory() -> None:
    rates, places = Rates(), Places("th")
    groups = set()
    for at in range(3 * MOST_INSIDE):
        url = f"http://a.example/{at}/x.html"
        _, directory, file = places.of(url)
        rates.count(*places_of(directory, file), 0.0, 1.0)
        groups.add(places.group(url, "a.example"))
    assert len(rates.known) < MOST_INSIDE + 10
    assert len(groups) <= 64


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://a.example/th/x.html", TARGET), ("http://th.a.example/x.html", TARGET),
        ("http://a.example/th-TH/x.html", TARGET), ("http://a.example/thai/", TARGET),
        ("http://a.example/x.th.html", TARGET), ("http://a.example/x?lang=th", TARGET),
        ("http://a.example/ja_JP/x.html", OTHER), ("http://ja.a.example/", OTHER),
        ("http://a.example/index.html.ja.utf8", OTHER), ("http://a.example/x?hl=km-KH", OTHER),
        ("http://a.example/news/x.html", NO_TONGUE), ("http://www.a.example/", NO_TONGUE),
    ],
)  # fmt: skip
def test_languages_are_read_in_host_path_file_and_query(url: str, said: int) -> None:
    _, directory, file = Places("th").of(url)
    assert max(places_of(directory, file)[1]) == said
    assert max(places_of(*Places("th", codes=False).of(url)[1:])[1]) == NO_TONGUE


def test_of_several_targets_each_is_known_by_its_names_and_letters() -> None:
    places, anchors = Places("my,shn,th"), Anchors("my,shn,th")
    for name, said in (("my", TARGET), ("shn", TARGET), ("thai", TARGET), ("ja", OTHER)):
        _, directory, file = places.of(f"http://a.example/{name}/x.html")
        assert max(places_of(directory, file)[1]) == said
    texts = ("ไทย", "မြန်မာ", "တႆး", "ข่าว", "Привет", "日本語")
    assert [anchors.read(text)[0] for text in texts] == [
        NAMES_TARGET, NAMES_TARGET, NAMES_TARGET, OWN, FOREIGN, NAMES_OTHER,
    ]  # fmt: skip
    assert [anchors.hreflang(tag) for tag in ("shn", "my-MM", "en")] == [TARGET, TARGET, OTHER]


@pytest.mark.parametrize(
    ("lang", "anchor"), [("as", "অসমীয়া বাতৰি"), ("dv", "ޚަބަރު"), ("bo", "གསར་འགྱུར")]
)
def test_a_language_that_other_crawls_do_not_know_is_known_as_a_target(
    lang: str, anchor: str
) -> None:
    assert Anchors(lang).read(anchor)[0] == OWN
    assert Anchors("th").read(anchor)[0] == FOREIGN
    for target, said in ((lang, TARGET), ("th", NO_TONGUE)):
        _, directory, file = Places(target).of(f"http://a.example/{lang}/x.html")
        assert max(places_of(directory, file)[1]) == said


def test_anchors_are_read_by_letters_and_by_names_of_languages() -> None:
    def kinds(lang: str, *texts: str) -> list[int]:
        anchors = Anchors(lang)
        return [anchors.read(text)[0] for text in texts]

    assert kinds("ja", "ひらがな", "東京", "ไทย", "news", "日本語", "Deutsch") == [
        OWN, SHARED, NAMES_OTHER, PLAIN, NAMES_TARGET, NAMES_OTHER,
    ]  # fmt: skip
    assert kinds("th", "ข่าว", "Привет", "Thai", "ไทย") == [
        OWN, FOREIGN, NAMES_TARGET, NAMES_TARGET,
    ]  # fmt: skip


@pytest.mark.parametrize("signal", ["codes", "anchor", "hreflang", "scouts+words"])
def test_a_signal_can_be_left_out(signal: str) -> None:
    learner = start_ranker(make_strategy(f"adaptive:without={signal}"), "th")
    assert isinstance(learner, Adaptive)
    assert len(run(manuals(), learner)) == 121


def test_an_unknown_signal_is_named() -> None:
    with pytest.raises(UsageError, match="knows no signal 'smell'"):
        make_strategy("adaptive:without=smell")


def test_what_was_learned_is_there_again(tmp_path: Path) -> None:
    web = manuals()
    whole = run(web, Adaptive("th"))

    def part(pages: int) -> list[str]:
        ranker, order = Adaptive("th"), Order()
        frontier = SqliteFrontier(tmp_path / "frontier.db", False, ranker.group_of, "adaptive")
        replayed = ReplayedWeb(graph_of(dict(web)), details=True)
        made = Crawl(replayed, frontier, ranker, limits=Limits(max_pages=pages), sinks=[order])
        state = CrawlState(made, frontier.connection)
        state.restore(frontier.leased_hosts)
        frontier.at_commit.append(state.save)
        made.run(["http://m/"])
        frontier.close()
        return order.urls

    assert [url for pages in (7, 20, 33, 60, 121) for url in part(pages)] == whole


def test_what_has_not_changed_is_not_saved_again() -> None:
    learner = Adaptive("th")
    show(learner, "http://h/th/1", "th")
    saved = dict(learner.save())
    assert saved
    assert not learner.save()
    other = Adaptive("th")
    other.restore(saved)
    assert not other.save()
    show(other, "http://h/th/2", "th")
    assert "n" in other.save()


def words_of(directory: Path, server: Server, seeds: Sequence[str]) -> list[str]:
    words = ["crawl", str(directory), "--lang", "th",
             "--strategy", "adaptive", "--connections", "1", "--workers", "1", "--delay", "0",
             "--connect-to", server.connect_to, "--json"]  # fmt: skip
    for seed in seeds:
        words += ["--seeds", seed]
    return words


def order_of(directory: Path) -> list[str]:
    urls = read_table(directory, "urls", ["url"])["url"].to_pylist()
    return [urls[number] for number in read_table(directory, "pages", ["id"])["id"].to_pylist()]


def test_live_killed_and_simulated_it_takes_the_same_pages_in_the_same_order(
    warm: Warm, tmp_path: Path
) -> None:
    web = make_small_web(pages=90, seed=5)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    with Server(web.answer) as server:
        finish(Started(warm, *words_of(whole, server, web.seeds)))
        wanted = order_of(whole)
        for share in (0.3, 0.7):
            started = Started(warm, *words_of(killed, server, web.seeds))
            wait_for_pages(killed, int(share * len(wanted)), started)
            started.kill()
        finish(Started(warm, *words_of(killed, server, web.seeds)))
    assert order_of(killed) == wanted
    graph = load_graph(whole)
    assert as_urls(graph, simulate(graph, make_strategy("adaptive"), Plan()).order) == wanted


def finish(started: Started) -> None:
    started.communicate()
    assert started.returncode == 0, started.said


def wait_for_pages(directory: Path, pages: int, process: Started) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            database = sqlite3.connect(f"file:{directory}/frontier.db?mode=ro", uri=True)
            row = database.execute("SELECT value FROM meta WHERE key = 'counts'").fetchone()
            database.close()
            if row and json.loads(row[0])["pages"] >= pages:
                return
        except sqlite3.OperationalError:
            pass
        time.sleep(0.005)
