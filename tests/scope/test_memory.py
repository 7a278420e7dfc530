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
    told = scope.changes()
    assert set(told) == {HOST, f"*.{HOST}"}  # of the host, and of its domain
    assert json.loads(told[HOST])["forms"]
    assert scope.changes() == {}


def test_a_domain_whose_hosts_all_say_the_same_is_known_to_the_next_run() -> None:
    scope = CrawlScope(this_year=2026)
    for number in range(30):
        host = f"www{number}.wild.example"
        assert not scope.refuses(f"http://{host}/", host), number
        scope.saw(Page(f"http://{host}/", 200, fingerprint=7))
        if number % 7 == 0:
            scope = again(scope)
    assert scope.found_trap
    for known in (scope, again(scope)):
        assert known.refuses("http://new.wild.example/", "new.wild.example") == "trap-domain"
        assert not known.refuses("http://new.other.example/", "new.other.example")
        assert not known.refuses("http://new.wild.example/list/1", "new.wild.example")


def test_a_host_of_such_a_domain_that_says_several_things_is_left_in() -> None:
    scope = CrawlScope(this_year=2026)
    for text in range(3):
        scope.saw(Page(f"http://www.wild.example/{text}", 200, fingerprint=100 + text))
    for number in range(60):
        scope.saw(Page(f"http://h{number}.wild.example/", 200, fingerprint=7))
    assert scope.refuses("http://new.wild.example/", "new.wild.example") == "trap-domain"
    assert not scope.refuses("http://www.wild.example/4", "www.wild.example")


def test_one_host_with_a_trap_says_nothing_of_its_domain() -> None:
    scope = CrawlScope(this_year=2026)
    for number in range(40):
        scope.saw(Page(f"http://a.wild.example/list/{number}", 200, fingerprint=7))
    assert scope.refuses("http://a.wild.example/list/99", "a.wild.example") == "trap-content"
    assert not scope.refuses("http://b.wild.example/list/99", "b.wild.example")
