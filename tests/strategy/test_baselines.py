"""The learners of other papers: what they learn, and that they decide the same after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl.errors import UsageError
from langcrawl.log.graph import load_graph
from langcrawl.ports import Download, Learner, Offer, Ranking, not_waiting
from langcrawl.records import Facts, Links, Page, Tally, Verdict, Visit
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy
from langcrawl.strategy.learned.tag_paths import TagPaths
from langcrawl.strategy.learned.url_classifier import UrlClassifier

MENU, TEXT, ALIKE = "body/nav/ul.tongues/li", "body/main/div/p", "body/main/div/div/p"


def show(learner: Learner, url: str, evidence: str, *, relevant: bool) -> None:
    facts = Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0)
    visit = Visit(url, url.split("/")[2], facts, 0.0, "http://a/", evidence=evidence)
    verdict = Verdict("th" if relevant else "en", relevant=relevant)
    learner.saw(Download(visit, Page(url, 200), verdict, "", Tally()))


def rank(learner: Learner, urls: list[str], paths: list[str] | None = None) -> Ranking:
    facts = [Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0)] * len(urls)
    links = Links(urls, tag_paths=paths or ())
    hosts = [url.split("/")[2] for url in urls]
    states = [not_waiting(url) for url in urls]
    return learner.rank(Offer(links, states, hosts, facts, "link", "http://a/"))


def test_the_classifier_learns_the_words_of_urls() -> None:
    learner = UrlClassifier(epsilon=0.0)
    for number in range(20):
        show(learner, f"http://h{number}.example/khao/{number}", "1", relevant=True)
        show(learner, f"http://h{number}.example/news/{number}", "1", relevant=False)
    good, bad = rank(learner, ["http://new.example/khao/x", "http://new.example/news/x"]).priorities
    assert good < bad


def test_a_share_of_links_is_followed_whatever_the_classifier_says() -> None:
    urls = [f"http://new.example/news/{number}" for number in range(1000)]
    learners = UrlClassifier(epsilon=0.0), UrlClassifier(epsilon=0.2)
    for learner in learners:
        for number in range(50):
            show(learner, f"http://h{number}.example/news/{number}", "1", relevant=False)
    greedy, curious = (rank(learner, urls).priorities for learner in learners)
    moved = sum(one != other for one, other in zip(greedy, curious, strict=True))
    assert 130 < moved < 270
    assert min(curious) < min(greedy)


def test_the_bandit_prefers_paths_that_paid_and_joins_those_that_are_alike() -> None:
    learner = TagPaths(alpha=0.1, alike=0.5)
    arms = rank(learner, ["http://b/1", "http://b/2", "http://b/3"], [MENU, TEXT, ALIKE]).evidence
    assert arms[0] != arms[1]
    assert arms[1] == arms[2]
    for number in range(10):
        show(learner, f"http://b/m{number}", arms[0], relevant=True)
        show(learner, f"http://b/t{number}", arms[1], relevant=False)
    menu, text, new = rank(
        learner, ["http://b/4", "http://b/5", "http://b/6"], [MENU, TEXT, "body/footer/a"]
    ).priorities
    assert new < menu < text  # what was never tried has no bound


@pytest.mark.parametrize("name", ["url-classifier", "tag-paths"])
def test_a_baseline_finds_what_soft_finds(name: str, small_crawl: Path) -> None:
    graph = load_graph(small_crawl)
    learned, soft = (simulate(graph, make_strategy(each), Plan()) for each in (name, "soft"))
    assert set(learned.order.tolist()) == set(soft.order.tolist())


@pytest.mark.parametrize("kind", [UrlClassifier, TagPaths])
def test_what_a_baseline_learned_is_there_again(kind: type[Learner]) -> None:
    urls, paths = ["http://c/khao/1", "http://c/news/2"], [MENU, TEXT]
    first, again = kind(), kind()
    saved: dict[str, bytes] = {}
    for number in range(12):
        arms = rank(first, [f"http://c/khao/{number}", f"http://c/news/{number}"], paths).evidence
        show(first, f"http://c/khao/{number}", arms[0], relevant=True)
        show(first, f"http://c/news/{number}", arms[1], relevant=False)
        saved |= first.save()
    again.restore(saved)
    assert rank(again, urls, paths) == rank(first, urls, paths)
    assert rank(again, urls, paths) != rank(kind(), urls, paths)


@pytest.mark.parametrize(
    "text", ["url-classifier:epsilon=2", "tag-paths:alike=0", "tag-paths:alpha=-1"]
)
def test_parameters_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=text.partition(":")[0]):
        make_strategy(text)
