"""Parts as a user names them, ``name:parameter=value``: what is made, and what is refused."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.errors import BadValue, UnknownName, UsageError
from langcrawl.spec import make


class Part(NamedTuple):
    n: int
    share: float
    yes: bool
    from_: str
    lang: str


def part(
    n: int = 1, share: float = 0.5, yes: bool = False, from_: str = "any", lang: str = "th"
) -> Part:
    return Part(n, share, yes, from_, lang)


def plain() -> str:
    return "plain"


MAKERS: dict[str, Any] = {"part": part, "plain": plain}


def made(spec: str, **given: Any) -> Any:
    return make("judge", spec, MAKERS, **given)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("part", Part(1, 0.5, False, "any", "th")),
        ("part:", Part(1, 0.5, False, "any", "th")),
        ("part:n=3", Part(3, 0.5, False, "any", "th")),
        ("part:n=-3,share=1e-3", Part(-3, 0.001, False, "any", "th")),
        ("part: n = 3 , yes = TRUE", Part(3, 0.5, True, "any", "th")),
        ("part:from=meta", Part(1, 0.5, False, "meta", "th")),
        ("part:from_=meta", Part(1, 0.5, False, "meta", "th")),
        ("part:,n=2,,", Part(2, 0.5, False, "any", "th")),
        ("part:from=a=b", Part(1, 0.5, False, "a=b", "th")),
    ],
)
def test_parameters_have_the_types_of_the_function(spec: str, expected: Part) -> None:
    assert made(spec) == expected


@pytest.mark.parametrize(
    ("text", "truth"),
    [("true", True), ("Yes", True), ("1", True), ("false", False), ("NO", False), ("0", False)],
)
def test_truth_has_several_words(text: str, truth: bool) -> None:
    assert made(f"part:yes={text}").yes is truth


@pytest.mark.parametrize(
    ("spec", "error", "says"),
    [
        ("prat", UnknownName, "there is no judge 'prat'; did you mean 'part'?"),
        ("xyz", UnknownName, "'langcrawl judges' lists them"),
        ("part:m=1", UnknownName, "there is no parameter of part 'm'"),
        ("part:shrae=1", UnknownName, "did you mean 'share'?"),
        ("plain:n=1", UnknownName, "it takes none"),
        ("part:n", UsageError, "'n' in the judge 'part:n' should be written as parameter=value"),
        ("part:n=one", BadValue, "part's n must be a whole number, not 'one'"),
        ("part:n=1.5", BadValue, "a whole number, not '1.5'"),
        ("part:share=much", BadValue, "part's share must be a number, not 'much'"),
        ("part:yes=maybe", BadValue, "part's yes must be true or false, not 'maybe'"),
    ],
)
def test_what_cannot_be_made_is_told_in_a_sentence(
    spec: str, error: type[UsageError], says: str
) -> None:
    with pytest.raises(error) as found:
        made(spec)
    assert says in str(found.value)


def test_the_program_gives_what_the_function_asks_for_and_a_user_cannot() -> None:
    assert made("part:n=2", lang="my", unheard_of=1) == Part(2, 0.5, False, "any", "my")
    assert made("plain", lang="my") == "plain"
    with pytest.raises(UnknownName, match="no parameter of part 'lang'") as found:
        made("part:lang=my", lang="my")
    assert "share" in str(found.value) or "did you mean" in str(found.value)


def test_strategies_are_named_in_the_plural() -> None:
    with pytest.raises(UnknownName, match="'langcrawl strategies' lists them"):
        make("strategy", "xyz", MAKERS)


@given(st.integers(), st.floats(allow_nan=False), st.booleans())
def test_what_python_writes_is_read_back(n: int, share: float, yes: bool) -> None:
    found = made(f"part:n={n},share={share!r},yes={yes}")
    assert (found.n, found.share, found.yes) == (n, share, yes)
