"""Pages that have come together are read together, and none notices the others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.page import Answer, PageReader, Reading, Steps
from langcrawl.records import Page, Verdict
from langcrawl.virtualweb.phrases import PHRASES
from langcrawl.web.in_step import InStep

LANGUAGES = ("th", "en", "ja", "ru")


def reading(url: str) -> Reading:
    return Reading(Page(url, 200), Verdict())


def all_of(*work: Coroutine[Any, Any, Any]) -> list[Any]:
    """What comes of work that begins in the same turn of an event loop; errors are results."""

    async def together() -> list[Any]:
        return await asyncio.gather(*work, return_exceptions=True)

    return asyncio.run(together())


def test_each_step_is_done_to_all_pages_before_the_next_begins() -> None:
    story: list[str] = []

    def steps(name: str, count: int) -> Steps[Reading]:
        for number in range(count):
            story.append(f"{name}{number}")
            yield
        story.append(f"{name} ends")
        return reading(name)

    def at_work(name: str) -> Any:
        return lambda: story.append(f"{name}:")

    reader = InStep()
    pages = {"a": 2, "b": 1, "c": 2}
    found = all_of(*(reader.read(steps(name, pages[name]), at_work(name)) for name in pages))
    assert [result.page.url for result, _ in found] == ["a", "b", "c"]
    assert story == [
        *("a:", "a0", "b:", "b0", "c:", "c0"),
        *("a:", "a1", "b:", "b ends", "c:", "c1"),
        *("a:", "a ends", "c:", "c ends"),
    ]


def test_what_goes_wrong_with_one_page_is_told_to_it_alone() -> None:
    def broken() -> Steps[Reading]:
        yield
        raise RuntimeError("this page only")

    def sound() -> Steps[Reading]:
        yield
        yield
        return reading("sound")

    reader = InStep()
    one, other, late = all_of(
        reader.read(broken(), list), reader.read(sound(), list), reader.read(sound(), list)
    )
    assert isinstance(one, RuntimeError)
    assert other[0] == late[0] == reading("sound")


def test_a_page_that_nobody_waits_for_any_more_is_not_read() -> None:
    begun: list[str] = []

    def steps(name: str) -> Steps[Reading]:
        begun.append(name)
        yield
        return reading(name)

    async def crawl() -> Reading:
        reader = InStep()
        given_up = asyncio.ensure_future(reader.read(steps("given up"), list))
        wanted = asyncio.ensure_future(reader.read(steps("wanted"), list))
        asyncio.get_running_loop().call_soon(given_up.cancel)
        result, _ = await wanted
        with pytest.raises(asyncio.CancelledError):
            await given_up
        return result

    assert asyncio.run(crawl()).page.url == "wanted"
    assert begun[-1] == "wanted"


def test_the_event_loop_has_its_turn_between_many_pages() -> None:
    story: list[str] = []

    def steps() -> Steps[Reading]:
        story.append("begins")
        yield
        return reading("one of many")

    async def crawl() -> None:
        reader, loop = InStep(), asyncio.get_running_loop()
        pages = [asyncio.ensure_future(reader.read(steps(), list)) for _ in range(50)]
        loop.call_soon(loop.call_soon, story.append, "something else")
        assert [result.page.url for result, _ in await asyncio.gather(*pages)] == [
            "one of many"
        ] * 50

    asyncio.run(crawl())
    assert story.count("begins") == 50
    assert story.index("something else") <= 32


def test_the_time_of_a_page_is_its_own() -> None:
    def busy(seconds: float) -> Steps[Reading]:
        for _ in range(2):
            until = time.thread_time() + seconds
            while time.thread_time() < until:
                pass
            yield
        return reading("busy")

    reader = InStep()
    (_, long), (_, short) = all_of(reader.read(busy(0.1), list), reader.read(busy(0.0), list))
    assert long >= 0.2
    assert short < 0.1


def test_pages_read_in_step_are_what_they_are_when_read_alone() -> None:
    reader = PageReader(make_judge(load_pack("th")))
    answers = [
        Answer(
            f"http://{language}.example/{number}",
            200 if number else 301,
            "text/html; charset=utf-8",
            "/elsewhere",
            f"<title>{language}</title><a href=/{number}>{number}</a><p>{text}".encode(),
            {},
        )
        for language in LANGUAGES
        for number, text in enumerate(PHRASES[language][:5])
    ]
    in_step = InStep()
    found = all_of(*(in_step.read(reader.steps(answer), list) for answer in answers))
    assert [result for result, _ in found] == [reader.read(answer) for answer in answers]
    assert {result.verdict.language for result, _ in found} >= {"th", "ja"}
