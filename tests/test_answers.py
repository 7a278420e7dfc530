"""What the loop does with each kind of answer: what is counted, what waits again, what is lost."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import Any

import pytest

from langcrawl.crawl import Crawl, kind_of
from langcrawl.politeness import Politeness
from langcrawl.records import (
    UNREACHABLE,
    Later,
    Limits,
    Link,
    Links,
    Page,
    Refused,
    Sitemap,
    Step,
    Visit,
)
from scripted import ENGLISH, THAI, Answer, Told, crawl_of, page, silent, waiting

SEED = "http://a.th/"


class Steps:
    """A sink that keeps the steps."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def take(self, step: Step) -> None:
        self.steps.append(step)

    def close(self) -> None: ...


def run(answers: dict[str, Any], *seeds: str, **more: Any) -> tuple[Crawl, list[str], str]:
    """Crawl a web of these answers; whatever is not among them is a page without links.

    A list is used up, an answer each time that the URL is asked for.
    """

    def says(visit: Visit) -> Any:
        found = answers.get(visit.url, page(visit))
        return found.pop(0) if isinstance(found, list) else found

    crawl = crawl_of(says, **more)
    outcome = crawl.run(seeds or (SEED,))
    return crawl, crawl.web.asked, outcome.stopped


def links(*urls: str) -> Page:
    return Page(SEED, 200, links=Links(urls))


def test_what_the_crawler_must_not_ask_is_no_download_and_never_asked_again() -> None:
    answers = {SEED: links("http://a.th/x", "http://a.th/y"), "http://a.th/x": Refused("robots")}
    answers["http://a.th/y"] = links("http://a.th/x")
    crawl, asked, stopped = run(answers)
    assert asked == [SEED, "http://a.th/x", "http://a.th/y"]
    assert (crawl.counts.pages, crawl.counts.discards) == (2, {"robots": 1})
    assert stopped == "queue-empty"


def test_a_host_without_a_readable_robots_txt_is_forgotten_and_found_again() -> None:
    answers: dict[str, Any] = {SEED: links("http://b.th/", "http://a.th/y")}
    answers["http://b.th/"] = [UNREACHABLE, Page("http://b.th/", 200)]
    answers["http://a.th/y"] = links("http://b.th/")
    crawl, asked, _ = run(answers)
    assert asked == [SEED, "http://b.th/", "http://a.th/y", "http://b.th/"]
    assert crawl.counts.discards == {"robots-unreachable": 1}
    assert crawl.counts.pages == 3


def test_a_turn_that_only_reads_a_robots_txt_is_no_try_and_keeps_the_place() -> None:
    answers: dict[str, Any] = {SEED: [Later(), Page(SEED, 200)]}
    crawl, asked, _ = run(answers, SEED, "http://b.th/")
    assert asked == [SEED, SEED, "http://b.th/"]
    assert (crawl.counts.pages, crawl.counts.requests) == (2, 3)
    assert crawl.counts.failures == 0


@pytest.mark.parametrize(("retries", "times"), [(0, 1), (2, 3)])
def test_a_url_that_fails_is_asked_for_again_so_often_and_then_counts(
    retries: int, times: int
) -> None:
    busy = Later(Page(SEED, 503))
    crawl, asked, _ = run({SEED: busy}, retries=retries, politeness=Politeness(backoff=0.0))
    assert asked == [SEED] * times
    assert (crawl.counts.pages, crawl.counts.errors) == (1, {"503": 1})


def test_a_refusal_may_stand_for_a_host_that_goes_on_to_fail() -> None:
    crawl, asked, _ = run({SEED: Later(UNREACHABLE)}, retries=1, politeness=Politeness(backoff=0.0))
    assert asked == [SEED, SEED]
    assert (crawl.counts.pages, crawl.counts.discards) == (0, {"robots-unreachable": 1})
    assert crawl.frontier.lookup([SEED])[0].priority == inf  # it may be found again


def test_a_host_that_always_asks_to_wait_is_given_up_with_all_that_waits_for_it() -> None:
    told = Told()
    seeds = [f"http://a.th/{n}" for n in range(5)]
    answers = {seed: Later(Page(seed, 429)) for seed in seeds}
    crawl, asked, stopped = run(
        answers, *seeds, retries=100, politeness=Politeness(backoff=1.0), tell=told
    )
    assert len(asked) == 10
    assert told.names == ["host-given-up"]
    assert crawl.counts.discards == {"dead-host": 4}
    assert (crawl.counts.pages, stopped) == (1, "queue-empty")


def test_failures_are_pages_in_a_log_and_are_counted_apart_live() -> None:
    answers = {SEED: Page(SEED, 0, error="dns")}
    steps = Steps()
    replayed, _, _ = run(dict(answers))
    live, _, _ = run(dict(answers), failures_are_pages=False, sinks=(steps,))
    assert (replayed.counts.pages, replayed.counts.failures) == (1, 0)
    assert (live.counts.pages, live.counts.failures) == (0, 1)
    assert live.counts.errors == replayed.counts.errors == {"dns": 1}
    assert live.hosts == {}, "nobody knows how the host would have done"
    assert [step.page.error for step in steps.steps] == ["dns"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Page(SEED, 200), "text"),
        (Page(SEED, 200, content_type="text/html; charset=utf-8"), "text"),
        (Page(SEED, 200, content_type="application/xhtml+xml"), "text"),
        (Page(SEED, 200, content_type="application/pdf", text_bytes=9), "text"),
        (Page(SEED, 200, content_type="application/pdf"), "file"),
        (Page(SEED, 200, content_type="image/png"), "file"),
        (Page(SEED, 301, "http://b.th/"), "redirect"),
        (Page(SEED, 200, "http://b.th/", content_type="text/html"), "redirect"),
        (Page(SEED, 404, content_type="text/html"), "error"),
        (Page(SEED, 0, error="dns"), "error"),
    ],
)
def test_downloads_are_counted_by_what_they_are(answer: Page, kind: str) -> None:
    assert kind_of(answer) == kind
    crawl, _, _ = run({SEED: answer}, limits=Limits(max_pages=1))
    assert crawl.counts.answers == {kind: 1}


def test_a_chain_of_redirects_ends_where_it_is_too_long() -> None:
    chain = {f"http://a.th/{n}": Page(f"http://a.th/{n}", 302, f"http://a.th/{n + 1}")
             for n in range(9)}  # fmt: skip
    crawl, asked, _ = run(chain, "http://a.th/0", max_redirects=3)
    assert asked == [f"http://a.th/{n}" for n in range(4)]
    assert crawl.counts.discards == {"redirects": 1}
    crawl, asked, _ = run(chain, "http://a.th/0")
    assert len(asked) == 10


def test_a_redirect_behind_a_link_begins_a_chain_of_its_own() -> None:
    answers = {SEED: Page(SEED, 302, "http://a.th/1"), "http://a.th/1": links("http://a.th/2")}
    answers["http://a.th/2"] = Page("http://a.th/2", 302, "http://a.th/3")
    crawl, asked, _ = run(answers, max_redirects=1)
    assert asked == [SEED, *(f"http://a.th/{n}" for n in (1, 2, 3))]
    assert crawl.counts.discards == {}


def test_links_that_say_nofollow_are_followed_unless_that_is_obeyed() -> None:
    some = Links.of([Link("http://a.th/1", nofollow=True), Link("http://a.th/2")])
    for obeys, expected in ((False, [1, 2]), (True, [2])):
        crawl, asked, _ = run({SEED: Page(SEED, 200, links=some)}, nofollow=obeys)
        assert asked[1:] == [f"http://a.th/{n}" for n in expected]
        assert crawl.counts.discards == Counter(nofollow=2 - len(expected))


def test_a_sitemap_is_no_page_and_what_it_lists_is_found_as_by_links_of_its_parent() -> None:
    steps = Steps()
    answers: dict[str, Any] = {
        SEED: [Later(sitemaps=("http://a.th/map.xml",)), Page(SEED, 200)],
        "http://a.th/map.xml": Sitemap(("http://a.th/1", "http://b.th/1")),
    }
    crawl, asked, _ = run(answers, sinks=(steps,))
    assert asked == [SEED, SEED, "http://a.th/map.xml", "http://a.th/1"]
    assert crawl.counts.discards == {"sitemap-foreign": 1}
    assert (crawl.counts.pages, crawl.counts.sitemaps) == (2, 1)
    assert crawl.counts.notes == {"sitemap": 1}
    last = steps.steps[-1].visit
    assert (last.url, last.facts.depth, last.parent) == ("http://a.th/1", 0, "")


def test_sitemaps_in_sitemaps_are_read_one_level_deep() -> None:
    answers: dict[str, Any] = {
        SEED: [Later(sitemaps=("http://a.th/index",)), Page(SEED, 200)],
        "http://a.th/index": Sitemap(("http://a.th/map", "http://b.th/map"), is_index=True),
        "http://a.th/map": Sitemap(("http://a.th/deeper",), is_index=True),
    }
    crawl, asked, _ = run(answers)
    assert asked == [SEED, SEED, "http://a.th/index", "http://a.th/map"]
    assert crawl.counts.discards == {"sitemap-foreign": 1, "sitemap-nested": 1}


def test_a_sitemap_on_another_host_speaks_for_the_host_that_names_it() -> None:
    answers: dict[str, Any] = {
        SEED: [Later(sitemaps=("http://maps.th/x",)), Page(SEED, 200)],
        "http://maps.th/x": Sitemap(("http://a.th/1", "http://maps.th/1", "http://c.th/1")),
    }
    crawl, asked, _ = run(answers)
    assert sorted(asked[3:]) == ["http://a.th/1", "http://maps.th/1"]
    assert crawl.counts.discards == {"sitemap-foreign": 1}


def test_there_are_no_more_sitemaps_than_pages_or_pages_of_a_host() -> None:
    maps = tuple(f"http://a.th/map{n}" for n in range(5))
    for limits, asked_for in ((Limits(max_pages=3), 3), (Limits(max_pages_per_host=2), 2)):
        answers: dict[str, Any] = {SEED: [Later(sitemaps=maps), Page(SEED, 200)]}
        answers |= {url: Sitemap(()) for url in maps}
        crawl, asked, _ = run(answers, limits=limits)
        assert len([url for url in asked if url in maps]) == asked_for
        assert crawl.counts.discards == {"max-sitemaps": 5 - asked_for}


def test_the_limits_of_a_whole_crawl_name_themselves() -> None:
    def endless(visit: Visit) -> Answer:
        number = int(visit.url.rsplit("/", 1)[1] or 0)
        return page(visit, [f"http://a.th/{2 * number + n}" for n in (1, 2)], bytes=1000)

    for limits, name, pages in (
        (Limits(max_pages=7), "max-pages", 7),
        (Limits(max_bytes=4500), "max-bytes", 5),
        (Limits(max_time=9.5), "max-time", 10),
        (Limits(max_requests=4), "max-requests", 4),
    ):
        crawl = crawl_of(endless, limits=limits)
        outcome = crawl.run([SEED])
        assert (outcome.stopped, outcome.counts.pages) == (name, pages)
        assert outcome.queue == len(waiting(crawl)) > 0


def test_several_connections_do_not_go_over_a_limit() -> None:
    answers = {SEED: links(*(f"http://h{n}.th/" for n in range(50)))}
    crawl, asked, _ = run(answers, connections=16, limits=Limits(max_pages=20))
    assert len(asked) == crawl.counts.pages == 20
    crawl, asked, stopped = run(answers, connections=16, limits=Limits(max_requests=7))
    assert (len(asked), stopped) == (7, "max-requests")


def test_a_domain_that_is_full_is_left_alone_with_what_waits_for_it() -> None:
    hosts = [f"http://h{n}.many.co.th/" for n in range(6)]
    answers = {SEED: links(*hosts, "http://other.th/")}
    crawl, asked, _ = run(answers, limits=Limits(max_pages_per_domain=2))
    assert asked == [SEED, *hosts[:2], "http://other.th/"]
    assert crawl.counts.discards == {"max-pages-per-domain": 4}


def test_a_limit_of_domains_set_later_counts_what_was_there_before() -> None:
    answers = {SEED: links(*(f"http://a.th/{n}" for n in range(4)))}

    def says(visit: Visit) -> Answer:
        crawl.limit(Limits(max_pages_per_domain=3) if visit.url.endswith("/1") else crawl.limits)
        return answers.get(visit.url, page(visit))

    crawl = crawl_of(says)
    crawl.run([SEED])
    assert crawl.web.asked == [SEED, "http://a.th/0", "http://a.th/1"]
    assert crawl.counts.discards == {"max-pages-per-domain": 2}


def test_a_crawl_that_is_told_to_stop_leaves_what_is_under_way_in_its_place() -> None:
    hosts = [f"http://h{n}.th/" for n in range(6)]
    answers = {SEED: links(*hosts)}
    crawl = crawl_of(
        lambda visit: answers.get(visit.url, page(visit)),
        connections=4,
        stop=lambda: crawl.counts.pages == 2,
    )
    outcome = crawl.run([SEED])
    assert outcome.stopped == "interrupted"
    assert crawl.web.asked == [SEED, *hosts[:4]]
    assert (crawl.under_way, outcome.queue) == (0, 5)
    assert crawl.run([]).counts.pages == 2, "it stops at once while it is to stop"
    taken = []
    while visit := crawl.frontier.take(lambda host: True, False):
        taken.append(visit.url)
    assert taken == hosts[1:], "as if nobody had begun with them"


def test_an_error_about_one_result_costs_that_result_and_no_more() -> None:
    answers = {SEED: links("http://a.th/1", "http://a.th/2")}
    failed: list[str] = []

    class Fussy(Steps):
        def take(self, step: Step) -> None:
            if step.page.url.endswith("/1"):
                raise ValueError("not this one")
            super().take(step)

    def survives(visit: Visit, error: Exception) -> bool:
        failed.append(f"{visit.url} {error}")
        return True

    sink = Fussy()
    crawl, asked, stopped = run(answers, sinks=(sink,), survives=survives)
    assert failed == ["http://a.th/1 not this one"]
    assert (len(asked), len(sink.steps), stopped) == (3, 2, "queue-empty")
    assert crawl.counts.errors == {"internal": 1}
    with pytest.raises(ValueError, match="not this one"):
        run(answers, sinks=(Fussy(),))


def test_what_a_user_rules_out_leaves_the_queue_with_its_reason() -> None:
    answers = {SEED: links("http://a.th/1", "http://b.th/1", "http://b.th/2")}

    def says(visit: Visit) -> Answer:
        return answers.get(visit.url, page(visit, ["http://c.th/deep"]))

    crawl = crawl_of(says, limits=Limits(max_pages=3))
    crawl.run([SEED])  # http://a.th/ and its first two links
    assert waiting(crawl) == ["http://b.th/2", "http://c.th/deep"]
    crawl.limit(Limits(max_depth=1, max_pages_per_host=1))
    assert crawl.review([SEED]) == {"max-depth": 1, "max-pages-per-host": 1}
    assert waiting(crawl) == []
    assert crawl.counts.discards == {"max-depth": 1, "max-pages-per-host": 1}


def test_a_step_says_how_many_wait_after_the_links_were_offered() -> None:
    steps = Steps()
    answers = {SEED: links("http://a.th/1", "http://a.th/2", SEED)}
    answers["http://a.th/1"] = links("http://a.th/2", "http://a.th/3")
    crawl, _, _ = run(answers, sinks=(steps,))
    assert [(step.number, step.queue) for step in steps.steps] == [(1, 2), (2, 2), (3, 1), (4, 0)]
    assert crawl.counts.max_queue == 2


def test_relevant_pages_are_counted_for_the_crawl_and_for_their_host() -> None:
    answers: dict[str, Any] = {SEED: (links("http://b.th/1", "http://b.th/2"), THAI)}
    answers["http://b.th/2"] = (Page("http://b.th/2", 200), ENGLISH)
    crawl, _, _ = run(answers)
    assert (crawl.counts.pages, crawl.counts.relevant) == (3, 1)
    tallies = {host: (t.downloads, t.hits, t.misses) for host, t in crawl.hosts.items()}
    assert tallies == {"a.th": (1, 1, 0), "b.th": (2, 0, 2)}


def test_a_silent_host_is_overtaken_and_counted_by_why() -> None:
    answers: dict[str, Any] = {"http://b.th/": [], SEED: [Page(SEED, 200)]}
    visit = Visit("http://b.th/", "b.th", None, 0.0, "")  # type: ignore[arg-type]
    answers["http://b.th/"] = [silent(visit, "dns"), silent(visit), Page("http://b.th/", 200)]
    crawl, asked, _ = run(
        answers, "http://b.th/", SEED, retries=5, politeness=Politeness(backoff=2.0), connections=2
    )
    assert Counter(asked) == {"http://b.th/": 3, SEED: 1}
    assert crawl.counts.silences == {"dns": 1, "timeout": 1}
    assert (crawl.counts.pages, crawl.counts.failures) == (2, 0)
