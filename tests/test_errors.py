"""What can go wrong for a user: the tree of errors, their exit statuses and their sentences."""

from __future__ import annotations

import re

import pytest

from langcrawl import errors
from langcrawl.errors import (
    BadInput,
    BadValue,
    BrokenLog,
    DiskFull,
    LangcrawlError,
    NoSuchLog,
    StrategyFailed,
    UnknownName,
    UsageError,
)

ALL = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, LangcrawlError)
]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (LangcrawlError, 1), (NoSuchLog, 1), (BrokenLog, 1), (BadInput, 1), (DiskFull, 1),
        (StrategyFailed, 1), (UsageError, 2), (UnknownName, 2), (BadValue, 2),
    ],
)  # fmt: skip
def test_what_is_asked_wrongly_ends_with_2_and_what_cannot_be_done_with_1(
    kind: type[LangcrawlError], status: int
) -> None:
    assert kind.exit_status == status


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes() -> None:
    drawn: dict[str, str] = {}
    above: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"^( +(?:[│ ├└─]*))(\w+)  +\S", line):
            depth, name = len(found[1]), found[2]
            nearest = [above[at] for at in sorted(above) if at < depth]
            drawn[name] = nearest[-1] if nearest else "Exception"
            above = {at: each for at, each in above.items() if at < depth} | {depth: name}
    assert drawn == {kind.__name__: kind.__base__.__name__ for kind in ALL if kind.__base__}


def test_every_error_says_when_it_is_raised() -> None:
    for kind in ALL:
        assert kind.__doc__, kind
        assert kind.__doc__.endswith(".")


@pytest.mark.parametrize(
    ("name", "known", "see", "says"),
    [
        ("sotf", ["soft", "hard"], "", "there is no strategy 'sotf'; did you mean 'soft'?"),
        ("sotf", ["soft"], "langcrawl strategies", "did you mean 'soft'?"),
        ("quux", ["soft", "hard"], "", "there are: hard, soft."),
        ("quux", ["soft"], "langcrawl strategies", "'langcrawl strategies' lists them."),
        ("quux", [], "", "it takes none."),
        ("", ["soft"], "", "there is no strategy ''"),
    ],
)
def test_an_unknown_name_is_told_with_what_there_is(
    name: str, known: list[str], see: str, says: str
) -> None:
    assert says in str(UnknownName("strategy", name, known, see))


def test_known_names_may_come_once_only() -> None:
    """A generator is used up by the first look at it."""
    assert "did you mean 'b-first'?" in str(UnknownName("x", "bfirst", iter(["a", "b-first"])))


def test_a_full_disk_says_what_to_do() -> None:
    assert str(DiskFull()) == "the disk is full; make room and run the same command again."
