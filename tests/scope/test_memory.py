"""What a crawl knows of traps outlives its process."""

from __future__ import annotations

import json

from langcrawl.records import Page
from langcrawl.scope import CrawlScope

HOST = "h.example"


def page(number: int, text: int = 7) -> Page:
    return Page(f"http://{HOST}/list/{number}?p={number}", 200, fingerprint=text)


def again(scope: CrawlScope) -> CrawlScope:
    """The scope of the next process, which knows what this one has told."""
    following = CrawlScope(this_year=2026)
    following.restore(scope.changes().items())
    return following


def refuses(scope: CrawlScope) -> str:
    return scope.refuses(f"http://{HOST}/list/999?p=999", HOST)


def test_a_trap_that_was_found_is_known_to_the_next_run() -> None:
    scope = CrawlScope(this_year=2026)
    for number in range(30):
        assert not refuses(scope)
        scope.saw(page(number))
    assert refuses(scope) == "trap-content"
    assert scope.found_trap
    assert refuses(again(scope)) == "trap-content"
    assert not scope.found_trap  # it was told


def test_pages_that_point_to_a_trap_are_counted_over_several_runs() -> None:
    scope = CrawlScope(this_year=2026)
    for number in range(30):
        assert not refuses(scope), number
        scope.saw(page(number))
        scope = again(scope)
    assert refuses(scope) == "trap-content"


def test_a_site_that_answers_everything_alike_is_known_over_several_runs() -> None:
    scope = CrawlScope(this_year=2026)
    for number in range(15):
        folder = f"http://{HOST}/{'abcdefg'[number % 7]}/"
        scope.saw(Page(f"{folder}{number}", 200, fingerprint=3))
        scope = again(scope)
    for number in range(20, 26):
        scope.saw(Page(f"http://{HOST}/z/{number}", 200, fingerprint=3))
        scope = again(scope)
    assert scope.refuses(f"http://{HOST}/z/99", HOST) == "soft-404"


def test_dates_of_a_calendar_are_counted_over_several_runs() -> None:
    scope = CrawlScope(this_year=2026)
    url = f"http://{HOST}/calendar/2024-05"
    for _ in range(2000):
        assert not scope.refuses(url, HOST)
    assert again(scope).refuses(url, HOST) == "trap-calendar"


def test_only_what_has_changed_is_told() -> None:
    scope = CrawlScope(this_year=2026)
    scope.saw(page(1))
    (told,) = scope.changes().items()
    assert told[0] == HOST
    assert json.loads(told[1])["forms"]
    assert scope.changes() == {}
