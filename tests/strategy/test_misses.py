"""What misses say of the judge and of the target."""

from __future__ import annotations

import pytest

from langcrawl.simulate import Plan, as_urls, simulate
from langcrawl.strategy import make_strategy
from langcrawl.strategy.learned.adaptive import Adaptive
from langcrawl.strategy.learned.misses import Misses
from webs import P, graph_of


def misses_in(lang: str, *languages: str) -> Misses:
    misses = Misses(lang)
    for language in languages:
        misses.count(language)
    return misses


def test_misses_in_other_languages_leave_all_trust_in_the_names_of_languages() -> None:
    assert misses_in("th").trust == misses_in("th", *["en", "de"] * 50).trust == 1.0


def test_misses_in_the_language_itself_say_that_a_topic_is_meant() -> None:
    one, many = misses_in("en", "en"), misses_in("en", *["en"] * 40)
    assert 1.0 > one.trust > 0.5 > many.trust
    assert one.trusts_names
    assert not many.trusts_names
    assert misses_in("en", *["en", "de"] * 40).trust > 0.5


@pytest.mark.parametrize("language", ["und", "mn"])
def test_pages_in_no_language_or_in_the_other_script_say_nothing_of_that(language: str) -> None:
    assert misses_in("mn-Mong", *[language] * 40).trust == 1.0


def test_what_was_counted_is_saved_and_there_again() -> None:
    misses, other = misses_in("en", "en", "de", "en"), Misses("en")
    other.restore(dict(misses.save()))
    assert (other.own, other.foreign, other.trust) == (2, 1, misses.trust)
    assert other.unnamed == misses.unnamed
    assert not dict(misses.save())


def test_where_a_topic_is_meant_directories_that_name_languages_are_not_left_for_last() -> None:
    """Courses lie under /it/ and /cs/, which are codes of languages; all pages are in Thai."""
    names = [f"d{at}" for at in range(20)] + ["it", "cs"]
    web = {"s/": P("th", ("s/list", *(f"s/{name}/0" for name in names)))}
    web["s/list"] = P("th")
    web |= {f"s/{name}/0": P("th", tuple(f"s/{name}/{at}" for at in range(1, 9))) for name in names}
    web |= {f"s/{name}/{at}": P("th") for name in names for at in range(1, 9)}
    graph = graph_of(web, ["s/"])
    graph.relevant[:] = [int("/it/" in url or "/cs/" in url) for url in graph.urls[: graph.pages]]
    order = as_urls(graph, simulate(graph, make_strategy("adaptive"), Plan()).order)
    assert max(order.index(f"http://s/{name}/8") for name in ("it", "cs")) < len(order) / 2


def test_words_of_urls_are_heard_where_no_name_of_a_language_says_more() -> None:
    learner = Adaptive("th")
    heard = {
        url: learner.hears_words(*learner.places.of(url)[1:])
        for url in ("http://a.example/docs/x", "http://a.example/th/docs/x", "http://a.th/docs/x",
                    "http://a.example/docs/x.en.html", "http://th.a.example/docs/x",
                    "http://cs.a.example/docs/x")
    }  # fmt: skip
    assert [url for url, is_heard in heard.items() if is_heard] == [
        "http://a.example/docs/x",
        "http://a.th/docs/x",
        "http://cs.a.example/docs/x",
    ]
    learner.misses.give(own=40, foreign=0)
    assert learner.hears_words(*learner.places.of("http://a.example/th/docs/x")[1:])
