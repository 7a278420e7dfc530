"""Strategies as a user names them; what they do is tested with the loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl.errors import UsageError
from langcrawl.ports import Strategy
from langcrawl.records import Facts
from langcrawl.strategy import NEED_A_MODEL, STRATEGIES, make_strategy

FACTS = Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("sotf", "there is no strategy 'sotf'; did you mean 'soft'?"),
        ("quantum", "'langcrawl strategies' lists them"),
        ("limited:m=2", "there is no parameter of limited 'm'; there are: n, prioritized"),
        ("limited:n=two", "limited's n must be a whole number, not 'two'"),
        ("limited:n=-1", "n of 0 or more"),
        ("limited:prioritized=perhaps", "true or false"),
        ("limited:2", "should be written as parameter=value"),
        ("lswc:s=0", "s of 1 or more"),
        ("lswc:t=-1", "t of 0 or more"),
        ("bfs:n=1", "it takes none"),
        ("no.such.module:rule", "cannot be loaded"),
        ("missing.py:rule", "cannot be loaded"),
    ],
)
def test_a_strategy_that_cannot_be_made_says_why(spec: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_strategy(spec)
    assert message in str(caught.value)
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - NEED_A_MODEL))
def test_every_strategy_has_a_sentence_and_keeps_its_name(name: str) -> None:
    strategy = make_strategy(name)
    assert strategy.name == name
    assert len(strategy.says) > 20
    assert not isinstance(strategy, Strategy) or strategy.rank(FACTS) >= 0


def test_lanes_bound_the_priorities() -> None:
    for spec in ("bfs", "hard", "soft", "limited:n=3,prioritized=true", "lswc:s=2,t=4"):
        strategy = make_strategy(spec)
        ranks = {
            strategy.rank(Facts(run, run + 1, int(run == 0), bridge, 0.5, same, 0, 0, state))
            for run in range(8)
            for bridge in (0, 1)
            for same in (0, 1)
            for state in (0, 1, 2)
        }
        assert max(ranks) < strategy.lanes
        assert all(rank == int(rank) for rank in ranks)


def test_a_strategy_of_ones_own_is_loaded_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from langcrawl.ports import Strategy\n"
        "def shallow(most: int = 2) -> Strategy:\n"
        "    def rank(facts): return -1.0 if facts.depth > most else 0.0\n"
        "    return Strategy('shallow', rank, 'x', ('deep',))\n"
        "def wrong():\n"
        "    return 3\n"
    )
    strategy = make_strategy(f"{file}:shallow:most=0")
    assert strategy.rank(FACTS) == -1.0
    assert strategy.name.endswith("shallow:most=0")
    with pytest.raises(UsageError, match="should return"):
        make_strategy(f"{file}:wrong")
    with pytest.raises(UsageError, match="cannot be loaded"):
        make_strategy(f"{file}:absent")
