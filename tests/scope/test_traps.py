"""Traps: the form of a URL, calendars, and pages that say the same again and again."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.scope.traps import Calendars, Lookalikes, endless_form, form_of

SITE = "http://a.th"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/" + "x/" * 3, ""),
        ("/" + "xx/" * 3, ""),
        ("/" + "xx/" * 4 + "y", "trap-repeats"),
        ("/" + "x/" * 20, ""),  # a name of one letter is none
        ("/" + "1/" * 20, ""),
        ("/" + "12/" * 24 + "z", ""),
        ("/ab/cd/ab/cd/ab/cd/z", "trap-repeats"),
        ("/ab/cd/ab/cd/z", ""),
        ("/ab/1/ab/2/ab/3/z", ""),
        ("/ab/1/ab/1/ab/1/z", "trap-repeats"),
        ("/" + "/".join(f"n{k}" for k in range(25)) + "/z", ""),
        ("/" + "/".join(f"n{k}" for k in range(26)) + "/z", "trap-path"),
        ("/z?" + "&".join(f"k{n}=1" for n in range(30)), ""),
        ("/z?" + "&".join(f"k{n}=1" for n in range(31)), "trap-query"),
        ("/z?a=1&a=1", ""),
        ("/z?a=1&a=1&a=1", "trap-repeats"),
        ("/z?a=1&a=2&a=3&a=4", ""),
        ("/z?a&a&a&a", ""),
        ("/z?id=aa/aa/aa/aa/aa/aa/aa", ""),
    ],
)
def test_the_rules_have_exact_bounds(path: str, reason: str) -> None:
    assert endless_form(SITE + path) == reason


@given(st.lists(st.sampled_from(["aa", "bb", "cc", "dd", "ee", "1", "22", "x"]), max_size=24))
def test_a_name_that_stands_four_times_in_a_path_is_a_trap(names: list[str]) -> None:
    url = f"{SITE}/" + "".join(f"{name}/" for name in names)
    most = max((names.count(n) for n in names if len(n) > 1 and not n.isdigit()), default=0)
    if most >= 4:
        assert endless_form(url) == "trap-repeats"
    elif len(set(names)) == len(names):
        assert endless_form(url) == ""


@given(
    st.lists(st.from_regex(r"[a-z]{2,6}", fullmatch=True), min_size=2, max_size=5, unique=True),
    st.integers(3, 5),
)
def test_a_group_of_names_three_times_in_a_row_is_a_trap_wherever_it_begins(
    group: list[str], times: int
) -> None:
    for before in ([], ["begin-1"], ["begin-1", "begin-2"]):
        path = "/".join([*before, *group * times, "end.html"])
        expected = "trap-path" if path.count("/") > 25 else "trap-repeats"
        assert endless_form(f"{SITE}/{path}") == expected


@pytest.mark.parametrize(
    ("path", "year", "refused"),
    [
        ("/calendar/{}/05/", 2029, False),
        ("/calendar/{}/05/", 2030, True),
        ("/agenda?date={}-01-02", 2030, True),
        ("/kalender/{}_12", 2030, True),
        ("/x?day={}0105", 2030, True),
        ("/events?yr={}", 2030, True),
        ("/events?startyear={}", 2030, True),
        ("/calendar/{}/13/", 2030, False),  # there is no such month
        ("/calendar/1{}/05/", 2030, False),  # nor is this a year
        ("/news/{}/05/", 2030, False),  # and this no calendar
        ("/dayton/{}/05/", 2030, False),
        ("/calendar/{}/05/", 2572, False),
        ("/calendar/{}/05/", 2573, True),
        ("/calendar/{}/05/", 1403, False),
    ],
)
def test_a_calendar_ends_three_years_from_now_in_either_era(
    path: str, year: int, refused: bool
) -> None:
    url = SITE + path.format(year)
    assert Calendars(2026).refuses(url, "a.th") == ("trap-calendar" if refused else "")


def test_each_host_has_a_calendar_of_its_own_and_those_long_unseen_are_forgotten() -> None:
    calendars = Calendars(2026)
    for day in range(2_000):
        assert not calendars.refuses(f"{SITE}/calendar/2020/1/{day}", "a.th")
    assert calendars.refuses(f"{SITE}/calendar/2020/1/1", "a.th") == "trap-calendar"
    for number in range(10_000):
        assert not calendars.refuses("http://x.th/calendar/2020/1/1", f"h{number}.th")
    assert not calendars.refuses(f"{SITE}/calendar/2020/1/1", "a.th")


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("/a/1.html", "/a/2.html", True),
        ("/a/one.html", "/a/two.html", True),
        ("/a/1.html", "/a/1.php", False),
        ("/a/1", "/a/1.html", False),
        ("/a/1/x", "/a/22/y", True),
        ("/a/b/x", "/a/c/x", False),
        ("/a/0123456789abcdef/x", "/a/fedcba9876543210/x", True),
        ("/x?a=1&b=2", "/y?b=3&a=4", True),
        ("/x?a=1", "/x?b=1", False),
        ("/x", "/x?", True),
        ("/a/", "/b/", True),
        ("/", "/x", True),
        ("/a/x", "/x", False),
        ("/file.verylongending", "/other", True),
    ],
)
def test_urls_are_alike_by_folder_ending_and_keys(first: str, second: str, alike: bool) -> None:
    assert (form_of(SITE + first) == form_of(SITE + second)) is alike


@given(st.from_regex(r"http://a\.th/[a-z0-9/.]{0,20}(\?[a-z=&]{0,10})?", fullmatch=True))
def test_a_form_has_no_numbers_and_no_values(url: str) -> None:
    form = form_of(url)
    folder = form.rpartition("/")[0]
    assert not any(c.isdigit() for c in folder)
    assert "=" not in form


def refused_after(texts: list[int], path: str = "/list/x{}") -> list[str]:
    """What is said of each next URL, while pages of these texts come in."""
    seen, said = Lookalikes(), []
    for number, text in enumerate(texts):
        said.append(seen.refuses(SITE + path.format(number), "a.th"))
        seen.saw(SITE + path.format(number), "a.th", text)
    return said


def test_thirty_pages_of_two_texts_are_a_trap_and_of_three_are_none() -> None:
    assert refused_after([1, 2] * 20) == [""] * 30 + ["trap-content"] * 10
    assert set(refused_after([1, 2, 3] * 40)) == {""}
    assert set(refused_after([1] * 29 + [2, 3] * 100)) == {"", "trap-content"}
    assert refused_after([1] * 27 + [2, 3] + [1] * 200).index("trap-content") == 60  # begun anew


def test_a_text_under_five_forms_of_url_is_the_answer_for_missing_pages() -> None:
    seen = Lookalikes()
    for number in range(10):
        seen.saw(f"{SITE}/{'abcde'[number % 5]}/{number}", "a.th", 404)
    assert seen.refuses(f"{SITE}/f/0", "a.th") == ""
    for number in range(5):
        assert seen.refuses(f"{SITE}/f/{number}", "a.th") == ""
        seen.saw(f"{SITE}/f/{number}", "a.th", 404)
    assert seen.refuses(f"{SITE}/f/5", "a.th") == "soft-404"
    assert seen.refuses(f"{SITE}/g/0", "a.th") == ""
    assert seen.refuses("http://b.th/f/5", "b.th") == ""


def test_a_form_that_has_a_page_of_its_own_is_not_given_up_for_missing_ones() -> None:
    seen = Lookalikes()
    for number in range(10):
        seen.saw(f"{SITE}/{'abcde'[number % 5]}/{number}", "a.th", 404)
    seen.saw(f"{SITE}/f/0", "a.th", 1)
    for number in range(1, 20):
        seen.saw(f"{SITE}/f/{number}", "a.th", 404)
    assert seen.refuses(f"{SITE}/f/99", "a.th") == ""


@given(st.integers(0, 2**32), st.integers(3, 40))
def test_pages_of_many_texts_are_never_a_trap(seed: int, texts: int) -> None:
    """Whatever their order is: three different ones among the first thirty are enough."""
    rng = random.Random(seed)
    order = list(range(texts)) * 5
    rng.shuffle(order)
    order = [0, 1, 2, *order]
    assert set(refused_after(order)) == {""}


def test_memory_is_bounded() -> None:
    seen = Lookalikes()
    for number in range(20_000):
        seen.saw(f"http://h{number}.th/x", f"h{number}.th", 1)
    for number in range(3_000):
        seen.saw(f"{SITE}/{'x' * (number % 500)}/y?k{number}=1", "a.th", number)
    assert len(seen._hosts) == 10_000
    known = seen._hosts["a.th"]
    assert (len(known.forms), len(known.texts)) == (32, 64)
