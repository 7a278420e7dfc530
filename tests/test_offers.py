"""Links offered to a ranker: what it is shown, what its answers do, and what it must not answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.crawl import Crawl
from langcrawl.errors import BadValue, StrategyFailed
from langcrawl.ports import Download, Learner, Offer, Ranking
from langcrawl.records import Facts, Found, Limits, Link, Links, Tally, Visit
from langcrawl.scope import CrawlScope
from scripted import ENGLISH, THAI, crawl_of, page, waiting

ORIGIN = Facts(0, 1, 1, 0, 0.5, 0, 0, 0, 0)
PARENT = "http://p.th/"


class Fixed(Learner):
    """Ranks each link as a table says; keeps what it was shown."""

    name, step = "fixed", 0.25

    def __init__(self, priorities: Mapping[str, float] | None = None) -> None:
        self.priorities = dict(priorities or {})
        self.shown: list[Offer] = []

    def rank(self, offer: Offer) -> Ranking:
        self.shown.append(offer)
        return Ranking([self.priorities.get(url, 1.0) for url in offer.urls])


def offered(crawl: Crawl, *links: Link | str, parent: str = PARENT, **origin: float) -> Crawl:
    """Offer the links of a page."""
    facts = ORIGIN._replace(**origin)  # type: ignore[arg-type]
    crawl.offer(Found(Links.of(links), facts, parent, scored=True))
    return crawl


def crawl_by(ranker: Learner, **more: object) -> Crawl:
    return crawl_of(page, ranker, **more)


def taken(crawl: Crawl) -> list[str]:
    found = []
    while visit := crawl.frontier.take(lambda host: True, False):
        found.append(visit.url)
    return found


def test_a_ranker_is_shown_each_url_once_with_all_that_its_links_say() -> None:
    ranker = Fixed()
    crawl = crawl_by(ranker)
    offered(
        crawl,
        Link("http://a.th/1", "", context="before"),
        Link("http://b.th/1", "other", hreflang="th"),
        Link("http://a.th/1", "name", tag_path="html p"),
    )
    (offer,) = ranker.shown
    assert offer.urls == ["http://a.th/1", "http://b.th/1"]
    assert offer.hosts == ["a.th", "b.th"]
    assert (offer.parent, offer.found_by) == (PARENT, "link")
    assert [(link.anchor, link.context, link.hreflang, link.tag_path) for link in offer.links] == [
        ("name", "before", "", "html p"),
        ("other", "", "th", ""),
    ]


def test_links_stand_beside_their_urls_also_where_some_are_left_out() -> None:
    ranker = Fixed()
    crawl = crawl_by(ranker, limits=Limits(max_pages_per_host=1))
    crawl.restore(crawl.counts, {"full.th": Tally(1)}, {})
    offered(crawl, "http://a.th/1")
    assert taken(crawl) == ["http://a.th/1"]
    links = [
        Link("http://a.th/1", "taken"),
        Link("http://full.th/1", "full"),
        Link("http://a.th/2", "two"),
        Link("http://b.th/3", "three"),
    ]
    offered(crawl, *links)
    offer = ranker.shown[-1]
    assert offer.urls == ["http://a.th/2", "http://b.th/3"] == list(offer.links.urls)
    assert list(offer.links.anchors) == ["two", "three"]
    assert crawl.counts.discards == {"max-pages-per-host": 1}


def test_the_facts_are_those_of_the_link_and_of_its_host_now() -> None:
    ranker = Fixed()
    crawl = crawl_by(ranker)
    crawl.restore(crawl.counts, {"a.th": Tally(5, 2), "p.th": Tally(3, 3)}, {})
    offered(crawl, "http://a.th/1", "http://p.th/2", "http://new.th/", run=2, depth=4)
    facts = ranker.shown[0].facts
    assert [(f.run, f.depth, f.parent_score) for f in facts] == [(2, 4, 0.5)] * 3
    about = [(f.same_host, f.host_downloads, f.host_hits) for f in facts]
    assert about == [(0, 5, 2), (1, 3, 3), (0, 0, 0)]


def test_priorities_are_rounded_to_the_step_so_that_ties_are_first_come_first_served() -> None:
    ranker = Fixed({"http://a.th/1": 1.1, "http://a.th/2": 0.9, "http://a.th/3": 0.7})
    crawl = offered(crawl_by(ranker), "http://a.th/1", "http://a.th/2", "http://a.th/3")
    assert taken(crawl) == ["http://a.th/3", "http://a.th/1", "http://a.th/2"]


def test_the_words_and_the_evidence_of_a_ranker_stay_with_its_url() -> None:
    class Keeps(Fixed):
        keeps_evidence = True

        def rank(self, offer: Offer) -> Ranking:
            seen = [f"{text}+" for text in offer.evidence]
            reasons = [f"seen {len(text)} times" for text in seen]
            return super().rank(offer)._replace(evidence=seen, reasons=reasons)

    ranker = Keeps()
    crawl = crawl_by(ranker)
    offered(crawl, "http://a.th/1")
    offered(crawl, "http://a.th/1", "http://a.th/2")
    assert list(ranker.shown[1].evidence) == ["+", ""]
    ranker.priorities["http://a.th/1"] = 0.0  # a better place, so its reason is new as well
    offered(crawl, "http://a.th/1")
    one, two = crawl.frontier.of_host("a.th")
    assert (one.evidence, one.reason) == ("+++", "seen 3 times")
    assert (two.evidence, two.reason) == ("+", "seen 1 times")


def test_a_ranker_may_discard_links_for_reasons_of_its_own() -> None:
    class Picks(Fixed):
        def rank(self, offer: Offer) -> Ranking:
            words = ["" if url.endswith("/1") else "dull" for url in offer.urls]
            return Ranking([0.0] * len(words), words)

    crawl = offered(crawl_by(Picks()), "http://a.th/1", "http://a.th/2", "http://b.th/2")
    assert waiting(crawl) == ["http://a.th/1"]
    assert crawl.counts.discards == {"dull": 2}


def test_an_offer_can_have_groups_ranked_again_once_it_is_queued() -> None:
    class Again(Fixed):
        def rank(self, offer: Offer) -> Ranking:
            return super().rank(offer)._replace(again=["a.th"])

        def rank_again(self, group: str, waiting: Sequence[Visit]) -> Ranking:
            new = {"http://a.th/1": 5.0, "http://a.th/2": 0.0}
            kept = [new.get(visit.url, visit.priority) for visit in waiting]
            dropped = ["" if visit.url in new else "gone" for visit in waiting]
            return Ranking(kept, dropped)

    crawl = offered(crawl_by(Again()), "http://a.th/1", "http://b.th/1", "http://a.th/3")
    offered(crawl, "http://a.th/2")
    assert taken(crawl) == ["http://a.th/2", "http://b.th/1", "http://a.th/1"]
    assert crawl.counts.discards == {"gone": 1}


def test_groups_are_what_a_ranker_says_they_are() -> None:
    ranked: list[tuple[str, list[str]]] = []

    class ByFolder(Fixed):
        grouped = True

        def group_of(self, url: str, host: str) -> str:
            return url.split("/")[3]

        def saw(self, download: Download) -> Iterable[str]:
            return [download.group] if download.tally.hits == 1 else []

        def rank_again(self, group: str, waiting: Sequence[Visit]) -> Ranking:
            ranked.append((group, [visit.url for visit in waiting]))
            return Ranking([0.0] * len(waiting))

    crawl = crawl_of(lambda visit: (page(visit), THAI), ByFolder(), limits=Limits(max_pages=2))
    crawl.run(["http://a.th/x/1", "http://b.th/y/1", "http://c.th/x/2", "http://b.th/x/3"])
    assert ranked == [("x", ["http://c.th/x/2", "http://b.th/x/3"])]
    assert crawl.web.asked == ["http://a.th/x/1", "http://c.th/x/2"]
    assert {name: tally.hits for name, tally in crawl.groups.items()} == {"x": 2}
    assert crawl.changed_groups == {"x"}


def test_a_ranker_that_reconsiders_is_asked_before_a_url_is_taken() -> None:
    class Later(Fixed):
        reconsiders = True

        def reconsider(self, visit: Visit) -> float:
            return 2.1 if visit.url == "http://a.th/1" else visit.priority

    crawl = crawl_by(Later())
    outcome = crawl.run(["http://a.th/1", "http://a.th/2"])
    assert outcome.counts.pages == 2
    assert crawl.web.asked == ["http://a.th/2", "http://a.th/1"]


@pytest.mark.parametrize(
    ("ranking", "says"),
    [
        (Ranking([0.0]), "a priority for each of 2 links"),
        (Ranking([]), "a priority for each of 2 links"),
        (Ranking([0.0, 1.0], ["x"]), "with columns of that length or none"),
        (Ranking([0.0, 1.0], (), ["x"] * 3), "with columns of that length or none"),
        (Ranking([0.0, nan]), "returned a priority that is not a number"),
    ],
)
def test_answers_that_make_no_sense_are_told_with_the_name_of_the_strategy(
    ranking: Ranking, says: str
) -> None:
    class Wrong(Learner):
        name = "mine"

        def rank(self, offer: Offer) -> Ranking:
            return ranking

    with pytest.raises(StrategyFailed, match="'mine'") as found:
        offered(crawl_by(Wrong()), "http://a.th/1", "http://a.th/2")
    assert says in str(found.value)


@pytest.mark.parametrize("method", ["rank", "saw", "rank_again", "reconsider"])
def test_whatever_goes_wrong_in_a_ranker_is_told_as_its_failure(method: str) -> None:
    class Fails(Fixed):
        name, reconsiders = "mine", True

        def saw(self, download: Download) -> Iterable[str]:
            return ["a.th"]

    def fails(*about: object) -> object:
        raise KeyError("oops")

    ranker = Fails()
    setattr(ranker, method, fails)
    with pytest.raises(StrategyFailed, match=r"'mine' failed: KeyError\('oops'\)"):
        crawl_by(ranker).run(["http://a.th/1", "http://a.th/2"])


def test_an_error_of_our_own_keeps_its_kind() -> None:
    class Picky(Fixed):
        def rank(self, offer: Offer) -> Ranking:
            raise BadValue("no such model.")

    with pytest.raises(BadValue, match=r"no such model\."):
        crawl_by(Picky()).run(["http://a.th/1"])


def test_what_the_scope_refuses_is_never_queued_but_what_waits_stays() -> None:
    scope = CrawlScope(exclude=["/private/"])
    crawl = crawl_of(page, scope=scope)
    offered(crawl, "http://a.th/private/1", "http://a.th/2")
    assert waiting(crawl) == ["http://a.th/2"]
    scope.take_rules(CrawlScope(exclude=["a\\.th"]))
    offered(crawl, "http://a.th/2", "http://a.th/3")
    assert waiting(crawl) == ["http://a.th/2"]
    assert crawl.counts.discards == {"excluded": 2}


def test_seeds_are_wanted_whatever_is_included_but_not_what_is_excluded() -> None:
    scope = CrawlScope(include=["//b\\.th/"], exclude=["/no/"])
    crawl = crawl_of(page, scope=scope)
    crawl.seed(["http://a.th/", "http://a.th/no/", "http://b.th/", "http://a.th/"])
    assert waiting(crawl) == ["http://a.th/", "http://b.th/"]
    offered(crawl, "http://a.th/x", "http://b.th/x")
    assert crawl.counts.discards == {"excluded": 1, "not-included": 1}


def test_the_strategy_speaks_before_the_scope_and_limits_before_both() -> None:
    crawl = crawl_of(page, "hard", scope=CrawlScope(exclude=["x"]), limits=Limits(max_depth=3))
    offered(crawl, "http://a.th/x", run=1, parent_relevant=0)
    assert crawl.counts.discards == {"irrelevant-parent": 1}
    offered(crawl, "http://a.th/x", depth=4, run=1, parent_relevant=0)
    assert crawl.counts.discards == {"irrelevant-parent": 1, "max-depth": 1}
    offered(crawl, "http://a.th/x", "http://a.th/x")
    assert crawl.counts.discards == {"irrelevant-parent": 1, "max-depth": 1, "excluded": 1}


def test_a_rule_of_hosts_drops_what_waits_when_a_host_is_given_up() -> None:
    crawl = crawl_of(lambda visit: (page(visit), ENGLISH), "lswc:s=2,t=3")
    outcome = crawl.run([f"http://a.th/{n}" for n in range(5)] + ["http://b.th/"])
    assert crawl.web.asked == ["http://a.th/0", "http://a.th/1", "http://b.th/"]
    assert outcome.counts.discards == {"irrelevant-host": 3}


def test_a_rule_that_gathers_ranks_with_all_that_was_found_so_far() -> None:
    crawl = crawl_of(page, "correlation:wt=0.5,ws=0.5,wd=0,min=0.1")
    scored = Link("http://a.th/1", anchor_score=0.6)
    offered(crawl, scored, Link("http://a.th/2", anchor_score=0.7), Link("http://a.th/3"))
    assert crawl.counts.discards == {"low-correlation": 1}
    assert waiting(crawl) == ["http://a.th/2", "http://a.th/1"]
    offered(crawl, Link("http://a.th/1", anchor_score=0.2), parent="http://q.th/", parent_share=0.3)
    one = crawl.frontier.of_host("a.th")[0]
    assert (one.facts.anchor_score, one.facts.parent_share) == (0.6, 0.3)
    assert one.priority == pytest.approx(-(0.5 * 0.6 + 0.5 * 0.3))
    assert waiting(crawl) == ["http://a.th/1", "http://a.th/2"]


OFFERS = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)),
    max_size=30,
)


@settings(max_examples=30)
@given(OFFERS)
def test_a_waiting_url_has_the_best_path_of_all_its_offers_and_moves_only_to_better(
    offers: list[tuple[str, int, int, int]],
) -> None:
    """Against a plain list of what waits, in order."""
    ranker = Fixed()
    crawl = crawl_by(ranker)
    queue: list[str] = []
    best: dict[str, tuple[float, int, int]] = {}
    parents: dict[str, str] = {}
    for number, (name, run, depth, priority) in enumerate(offers):
        url = f"http://{name}.th/"
        ranker.priorities[url] = float(priority)
        offered(crawl, url, run=run, depth=depth, parent=f"http://p.th/{number}")
        old = best.get(url, (inf, 99, 99))
        if priority < old[0]:
            queue = [other for other in queue if other != url]
            behind = [at for at, other in enumerate(queue) if best[other][0] > priority]
            queue.insert(behind[0] if behind else len(queue), url)
            parents[url] = f"http://p.th/{number}"
        best[url] = (min(priority, old[0]), min(run, old[1]), min(depth, old[2]))
    states = {url: crawl.frontier.lookup([url])[0][1:4] for url in best}
    assert states == best
    for url, parent in parents.items():
        (visit,) = crawl.frontier.of_host(url.split("/")[2])
        assert visit.parent == parent, "the page that gave it its present place"
    assert taken(crawl) == queue
