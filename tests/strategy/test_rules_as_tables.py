"""The rules of section 5 of the design, each against the table that it was written down as."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from langcrawl.errors import BadValue, StrategyFailed, UnknownName, UsageError
from langcrawl.ports import Learned, Strategy
from langcrawl.records import Facts, Tally, Visit
from langcrawl.strategy import STRATEGIES, make_strategy, start_ranker
from langcrawl.strategy.catalogue import NEED_A_MODEL, make_rule
from langcrawl.strategy.rule import RuleRanker

RUNS = range(6)
DISCARDED = "-"


def facts(run: int = 0, **more: Any) -> Facts:
    return Facts(run, 1, int(run == 0), 0, 1.0 if run == 0 else 0.0, 0, 0, 0, 0)._replace(**more)


def rule(text: str) -> RuleRanker:
    ranker = start_ranker(make_strategy(text))
    assert isinstance(ranker, RuleRanker)
    return ranker


def lanes(text: str, links: list[Facts]) -> list[float | str]:
    """The priority of each link, or that it is discarded."""
    answers = [rule(text).rank_facts(link) for link in links]
    return [DISCARDED if reason else priority for priority, reason in answers]


@pytest.mark.parametrize(
    ("text", "by_run"),
    [
        ("bfs", [0, 0, 0, 0, 0, 0]),
        ("dfs", [0, 0, 0, 0, 0, 0]),
        ("hard", [0, "-", "-", "-", "-", "-"]),
        ("soft", [0, 1, 1, 1, 1, 1]),
        ("soft:n=3", [0, 1, 1, 1, "-", "-"]),
        ("hard:n=3", [0, "-", "-", "-", "-", "-"]),
        ("limited:n=0", [0, "-", "-", "-", "-", "-"]),
        ("limited:n=2", [0, 0, 0, "-", "-", "-"]),
        ("limited:n=2,prioritized=true", [0, 1, 2, "-", "-", "-"]),
        ("limited:n=2,prioritized=false", [0, 0, 0, "-", "-", "-"]),
    ],
)
def test_rules_of_the_run_alone(text: str, by_run: list[float | str]) -> None:
    assert lanes(text, [facts(run) for run in RUNS]) == by_run


def lswc_as_written(s: int, t: int, link: Facts) -> float | str:
    """The row of `lswc`, clause by clause."""
    if link.run > t:
        return DISCARDED
    if link.host_hits:
        return 0
    if link.host_downloads >= s:
        return DISCARDED
    if link.run == 0:
        return 1 if link.same_host else 2
    if link.run == 1 and link.parent_bridge:
        return 2
    return 2 + link.run


@pytest.mark.parametrize(("s", "t"), [(1, 0), (1, 3), (2, 1), (3, 5)])
def test_lswc_agrees_with_its_row_for_every_link(s: int, t: int) -> None:
    ranker = rule(f"lswc:s={s},t={t}")
    for run, bridge, same, downloads in product(range(t + 3), (0, 1), (0, 1), range(s + 2)):
        if run == 0 and bridge:
            continue  # a relevant page is not in the bridge language
        for hits in {0, downloads}:
            tally = Tally(downloads, hits)
            link = facts(run, parent_bridge=bridge, same_host=same, host_downloads=downloads,
                         host_hits=hits, group_state=ranker.state_of(tally))  # fmt: skip
            priority, reason = ranker.rank_facts(link)
            assert (DISCARDED if reason else priority) == lswc_as_written(s, t, link), link


def test_lswc_names_which_of_two_reasons_it_has() -> None:
    ranker = rule("lswc:s=2,t=1")
    far, dull = facts(2), facts(0, host_downloads=2, group_state=ranker.state_of(Tally(2)))
    assert ranker.rank_facts(far)[1] == "distance"
    assert ranker.rank_facts(dull)[1] == "irrelevant-host"


def test_a_host_changes_its_state_when_it_is_relevant_and_when_it_is_given_up() -> None:
    ranker = rule("lswc:s=3,t=1")
    unknown, relevant = ranker.state_of(Tally()), ranker.state_of(Tally(1, 1))
    assert [ranker.state_of(Tally(n)) for n in (1, 2)] == [unknown, unknown]
    given_up = ranker.state_of(Tally(3))
    assert len({unknown, relevant, given_up}) == 3
    assert {ranker.state_of(Tally(n, 1)) for n in range(1, 50)} == {relevant}, "for good"


def test_best_first_goes_by_the_score_of_the_parent() -> None:
    scores = [0.0, 0.1, 0.5, 0.99, 1.0]
    found = lanes("best-first", [facts(parent_score=score) for score in scores])
    assert sorted(range(5), key=lambda at: found[at]) == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("weights", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.5, 0.3, 0.2)])
def test_correlation_is_the_weighted_sum_of_three_degrees(weights: tuple[float, ...]) -> None:
    text = "correlation:wt={},ws={},wd={},min=0.2".format(*weights)
    for anchor, share, slashes in product((0.0, 0.4, 1.0), (0.0, 0.3, 1.5), (1, 2, 4)):
        link = facts(anchor_score=anchor, parent_share=share, path_slashes=slashes)
        degree = weights[0] * anchor + weights[1] * share + weights[2] / slashes
        (found,) = lanes(text, [link])
        if degree <= 0.2:
            assert found == DISCARDED
        else:
            assert found == pytest.approx(-degree)


@pytest.mark.parametrize("text", ["lswc", "hard", "limited", "soft:n=2", "correlation:min=0.3"])
def test_each_discard_has_a_word_of_its_own_and_links_that_are_kept_have_none(text: str) -> None:
    ranker = rule(text)
    reasons = ranker.strategy.reasons
    assert len(set(reasons)) == len(reasons) > 0
    links = [facts(run, path_slashes=9) for run in range(12)]
    words = {ranker.rank_facts(link)[1] for link in links}
    assert words <= {"", *reasons}
    assert words & set(reasons)


def test_links_that_are_alike_are_ranked_alike_however_they_are_shown() -> None:
    ranker = rule("limited:n=2,prioritized=true")
    shared = [facts(run) for run in range(4)]
    links = [shared[at] for at in (0, 3, 3, 1, 0, 2)]
    ranking = ranker._ranking(links)
    assert list(ranking.discards) == ["", "distance", "distance", "", "", ""]
    assert [ranking.priorities[at] for at in (0, 3, 4, 5)] == [0, 1, 0, 2]


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("lswc:s=0", BadValue, "s"),
        ("lswc:t=-1", BadValue, "t"),
        ("limited:n=-1", BadValue, "n"),
        ("soft:n=-2", BadValue, "n"),
        ("limited:m=1", UnknownName, "there is no parameter of limited 'm'"),
        ("bsf", UnknownName, "did you mean 'bfs'?"),
        ("correlation:wt=2,ws=0,wd=0", BadValue, "correlation"),
        ("adaptive:without=nothing", UsageError, "nothing"),
        ("segments", UsageError, "model"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    text: str, error: type[UsageError], words: str
) -> None:
    with pytest.raises(error) as found:
        make_strategy(text)
    assert words in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - NEED_A_MODEL))
def test_every_strategy_says_in_a_sentence_what_it_does_and_why(name: str) -> None:
    strategy = make_strategy(name)
    assert strategy.name == name
    assert 10 < len(strategy.says) < 300
    assert "\n" not in strategy.says
    ranker = start_ranker(strategy, "th", 4)
    url = "http://a.th/x/y"
    why = ranker.why(Visit(url, "a.th", facts(), 0.25, "http://b.th/", reason="its own words"))
    assert len(why) > 5
    if isinstance(strategy, Strategy):
        assert strategy.says in why
        assert make_rule(name).says == strategy.says
    else:
        assert isinstance(strategy, Learned)
        with pytest.raises(UsageError, match="is a learning strategy; name a rule"):
            make_rule(name)


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - NEED_A_MODEL))
def test_a_ranker_that_has_seen_nothing_saves_nothing_that_harms_the_next(name: str) -> None:
    first, second = (start_ranker(make_strategy(name), "th") for _ in range(2))
    second.restore(dict(first.save()))
    assert dict(second.save()) in ({}, dict(start_ranker(make_strategy(name), "th").save()))
    assert isinstance(second.share(), str)


@pytest.mark.parametrize("answer", [float("nan"), -1.5, -3.0, None, "soon"])
def test_a_rule_that_answers_nonsense_is_named_with_the_link(answer: Any) -> None:
    broken = RuleRanker(Strategy("mine", lambda link: answer, "says nothing", ("one", "two")))
    with pytest.raises(StrategyFailed, match=r"'mine' (returned|failed on).*Facts\(run=0"):
        broken.rank_facts(facts())


def test_a_state_that_cannot_be_worked_out_is_named_with_its_counts() -> None:
    broken = RuleRanker(Strategy("mine", lambda link: 0.0, "x", group_state=lambda d, h: d // h))
    with pytest.raises(StrategyFailed, match="a group with 3 downloads and 0 hits"):
        broken.state_of(Tally(3, 0))
