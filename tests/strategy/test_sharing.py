"""What shards learn is told to the others as sums: all of it, and each step once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from langcrawl.ports import Download
from langcrawl.records import Facts, Page, Tally, Verdict, Visit
from langcrawl.strategy.learned.adaptive import Adaptive
from langcrawl.strategy.learned.prior import prior_of

FACTS = Facts(0, 1, 1, 0, 1.0, 1, 0, 0, 0)
PATHS = "0.4.0.0.|ข่าว", "0.1.0.0.|news"


def saw(learner: Adaptive, host: str, count: int) -> None:
    """Links with Thai anchors led to Thai pages, others did not; a page of each on .th."""
    for number in range(count):
        relevant = number % 2 == 0
        url = f"http://{host}/{'thai' if relevant else 'other'}/{number}"
        visit = Visit(url, host, FACTS, 5.0, "", evidence=PATHS[number % 2])
        verdict = Verdict("th" if relevant else "en", relevant=relevant)
        group = learner.group_of(url, host)
        learner.saw(Download(visit, Page(url, 200), verdict, group, Tally(1, 1, 0)))


def chances(learner: Adaptive) -> list[float]:
    """Of two links on a host that none of the shards has asked."""
    url = "http://other.th/page"
    return [learner.chance(Visit(url, "other.th", FACTS, 5.0, "", evidence=path)) for path in PATHS]


def spread(learner: Adaptive) -> float:
    thai, other = chances(learner)
    return thai - other


def again(learner: Adaptive, lang: str = "th", prior: str = "") -> Adaptive:
    """The same learner after a restart."""
    fresh = Adaptive(lang, prior=prior)
    fresh.restore(dict(learner.save()))
    return fresh


def test_one_shard_learns_from_another_what_anchors_and_domains_are_worth() -> None:
    one, two = Adaptive("th"), Adaptive("th")
    untaught = spread(two)
    saw(one, "a.th", 60)
    two.take_in(one.share())
    assert spread(two) > untaught + 0.1
    assert chances(two) == pytest.approx(chances(one), abs=0.01)
    assert "a.th" not in two.rates.known, "places of a host are its shard's business"


def test_what_was_told_is_not_told_again_nor_what_others_told() -> None:
    one, two = Adaptive("th"), Adaptive("th")
    saw(one, "a.th", 40)
    told = one.share()
    assert told
    assert one.share() == ""
    two.take_in(told)
    assert two.share() == "", "it would come back to its sender"
    saw(two, "b.th", 1)
    news, old = json.loads(two.share()), json.loads(told)
    assert news["c"].keys() < old["c"].keys(), "only what has changed here"


def test_a_shard_that_was_killed_tells_what_it_had_not_and_nothing_twice() -> None:
    one, undisturbed = Adaptive("th"), Adaptive("th")
    saved: dict[str, bytes] = {}
    told = []
    for part in range(4):
        for learner in (one, undisturbed):
            saw(learner, f"h{part}.th", 20)
        shared = one.share()
        if part != 2:  # one transaction: the message, and that it was told
            told.append(shared)
            saved |= one.save()
        else:  # it died before
            one = Adaptive("th")
            one.restore(saved)
            saw(one, "h2.th", 20)
    told.append(one.share())
    other, whole = Adaptive("th"), Adaptive("th")
    for text in filter(None, told):
        other.take_in(text)
    whole.take_in(undisturbed.share())
    for name in ("clues", "kinds", "words", "said"):
        squares = [getattr(learner, name).tried() for learner in (other, whole)]
        assert squares[0].keys() == squares[1].keys() != set()
        for number, (_, tried) in squares[0].items():
            assert tried == pytest.approx(squares[1][number][1], abs=0.001)
    for key in ("", ".th"):
        assert other.rates.sums(key) == pytest.approx(whole.rates.sums(key), abs=0.001)
    assert other.rates.sums(".th")[1] > 1.0


def test_shards_that_learn_the_same_are_not_twice_as_sure() -> None:
    """Each sees half of the pages; together they stand where one stands that sees all."""
    alone, halves = Adaptive("th"), [Adaptive("th"), Adaptive("th")]
    for part in range(10):
        for number, learner in enumerate(halves):
            saw(learner, f"h{part}-{number}.th", 10)
            saw(alone, f"h{part}-{number}.th", 10)
        told = [learner.share() for learner in halves]
        halves[0].take_in(told[1])
        halves[1].take_in(told[0])
    for half in halves:
        assert spread(half) == pytest.approx(spread(alone), abs=0.05)
    separate = Adaptive("th")
    for part in range(10):
        saw(separate, f"h{part}-0.th", 10)
    behind = abs(spread(separate) - spread(alone))
    assert abs(spread(halves[0]) - spread(alone)) < behind


def test_a_prior_is_everybodys_and_is_not_told(tmp_path: Path) -> None:
    earlier = Adaptive("th")
    saw(earlier, "a.th", 60)
    path = tmp_path / "prior.json"
    prior_of(earlier, "th").write(path)
    learner = Adaptive("th", prior=str(path))
    assert learner.share() == ""
    learner = again(learner, prior=str(path))
    assert learner.share() == ""
    saw(learner, "b.th", 2)
    assert learner.share()


def test_a_place_that_forgets_half_of_its_pages_tells_no_page_twice() -> None:
    one, two = Adaptive("th"), Adaptive("th")
    told = 0.0
    for part in range(900):
        saw(one, f"h{part}.th", 1)
        if part % 50 == 49:
            two.take_in(one.share())
            told = max(told, two.rates.sums(".th")[1])
    hits, pages = two.rates.sums(".th")
    assert 0.0 <= hits <= pages
    assert told <= 900
