"""Words of URLs that relevant pages have had."""

from __future__ import annotations

from langcrawl.simulate import Plan, as_urls, simulate
from langcrawl.strategy import make_strategy
from langcrawl.strategy.learned.places import Places
from langcrawl.strategy.learned.url_words import MOST, UrlWords, word_number, words_of
from webs import P, graph_of


def numbers(path: str) -> list[int]:
    return [word_number(word) for word in words_of(path)]


def test_words_are_cut_from_digits_and_signs_and_each_counts_once() -> None:
    assert words_of("classes/CS101/Fall%20Dance/dance-2/a") == ["classes", "cs", "fall", "dance"]


def test_words_that_name_languages_and_kinds_of_files_are_heard_elsewhere() -> None:
    _, directory, _ = Places("th").of("http://h.example/th/html/dance/x.html")
    assert directory.words == (word_number("dance"),)


def test_words_of_relevant_pages_speak_for_a_url_and_others_never_against_it() -> None:
    words = UrlWords()
    for _ in range(10):
        words.count(numbers("undergrad/music"), 0.0, 1.0, 0.0)
        words.count(numbers("classes/dance"), 1.0, 1.0, 0.0)
    assert words.score(numbers("undergrad/dance")) > 0.0
    assert words.score(numbers("undergrad/music")) == words.score(numbers("new")) == 0.0
    assert words.score(numbers("classes/dance")) == MOST


def test_a_hundred_pages_of_one_directory_are_one_witness() -> None:
    many, few = UrlWords(), UrlWords()
    for before in range(100):
        many.count(numbers("dance"), 1.0, 1.0, float(before))
    for _ in range(20):
        few.count(numbers("dance"), 1.0, 1.0, 0.0)
    assert many.counts[word_number("dance")][0] < few.counts[word_number("dance")][0]


def test_what_was_counted_is_saved_and_there_again() -> None:
    words, other = UrlWords(), UrlWords()
    words.count(numbers("classes/dance"), 1.0, 0.3, 2.0)
    other.restore(dict(words.save()))
    assert other.counts == words.counts
    assert not dict(words.save())


def test_a_page_whose_directory_has_such_a_word_is_asked_first_on_a_host_without_any_hit() -> None:
    """The way to more pages leads over one of sixty pages of a host where nothing is relevant."""
    topics = [f"t{chr(97 + at // 10)}{chr(97 + at % 10)}" for at in range(59)] + ["dance"]
    menu = tuple(f"b/dept/{topic}/pages/x" for topic in topics)
    web = {"a/classes/dance/0": P("th", tuple(f"a/classes/dance/{at}" for at in range(1, 6)))}
    web |= {f"a/classes/dance/{at}": P("th", ("b/",)) for at in range(1, 6)}
    web["b/"] = P("en", menu)
    web |= {name: P("en") for name in menu[:-1]}
    web[menu[-1]] = P("en", ("a/classes/more/1",))
    web["a/classes/more/1"] = P("th")
    graph = graph_of(web, ["a/classes/dance/0"])
    with_words, without = (
        as_urls(graph, simulate(graph, make_strategy(name), Plan()).order)
        for name in ("adaptive", "adaptive:without=urls")
    )
    goal = "http://a/classes/more/1"
    assert with_words.index(goal) < 12 < without.index(goal)
