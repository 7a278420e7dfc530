"""What a user changes in a crawl that is there: previewed, applied while it runs, or refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from langcrawl.changes import LeftOut, changed, host_pattern, in_words, left_out
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, UsageError
from langcrawl.records import Page, Visit
from langcrawl.store.control import Command
from scripted import Kept, Told, kept, kept_crawl, page, waiting

SEED = "http://a.th/"
LINKS = [f"http://{host}.th/{n}" for host in "abc" for n in range(4)]


def says(visit: Visit) -> Page:
    """The seed links to all, and each of them to one page more."""
    if visit.url == SEED:
        return page(visit, LINKS)
    return page(visit, [f"{visit.url}/deep"] if visit.url in LINKS else ())


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A crawl that has taken the seed and two of its links."""
    return kept(tmp_path / "c", says, seeds=(SEED,), max_pages=3)


@pytest.fixture
def running(directory: Path) -> Iterator[Kept]:
    with kept_crawl(directory, says) as found:
        yield found


def test_a_preview_counts_what_would_leave_the_queue_with_examples(directory: Path) -> None:
    config = changed(directory, {"exclude": ["//b\\.th/"], "max_depth": 1})
    found = left_out(directory, config)
    assert found.waiting == 12
    assert found.reasons == {"excluded": 4, "max-depth": 2}
    assert sorted(found.examples["excluded"]) == LINKS[4:8]
    assert found.as_json() == {
        "waiting": 12, "left_out": 6, "reasons": dict(found.reasons), "examples": found.examples,
    }  # fmt: skip


def test_a_preview_shows_five_examples_of_a_reason_and_changes_nothing(directory: Path) -> None:
    config = changed(directory, {"exclude_hosts": ["th"]})
    found = left_out(directory, config)
    assert found.reasons == {"excluded": 12}
    assert len(found.examples["excluded"]) == 5
    assert CrawlConfig.load(directory).exclude == ()
    assert left_out(directory, CrawlConfig.load(directory)).reasons == {}


def test_there_is_nothing_to_preview_where_no_crawl_is(tmp_path: Path) -> None:
    config = CrawlConfig(lang="th", seeds=(SEED,), exclude=("x",))
    assert left_out(tmp_path, config) == LeftOut()
    assert LeftOut().as_json() == {"waiting": 0, "left_out": 0, "reasons": {}, "examples": {}}


def test_hosts_that_have_had_enough_are_part_of_a_preview(directory: Path) -> None:
    config = changed(directory, {"max_pages_per_host": 3})
    assert left_out(directory, config).reasons == {"max-pages-per-host": 4}
    config = changed(directory, {"max_pages_per_host": "4"})
    assert left_out(directory, config).reasons == {}


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({}, "nothing to change is named."),
        ({"exclude": []}, None),
        ({"delay": 1}, "there is nothing called 'delay' to change; there are: seeds, exclude,"),
        ({"max_pages": [1]}, "max_pages must be a number such as 500 or 50k, or none."),
        ({"max_pages": True}, "max_pages must be a number such as 500 or 50k, or none."),
        ({"max_pages": "many"}, "'many' is not a number such as 500, 50k or 2M, or none"),
        ({"max_bytes": -5}, "'-5' is not a number of bytes such as 5000"),
        ({"seeds": ["seeds.txt"]}, "'seeds.txt' is not a URL; write it as http://host/path."),
        ({"seeds": ["ftp://a.th/"]}, "'ftp://a.th/' in --seeds is not a URL"),
        ({"exclude": {"a": 1}}, "exclude must be a list of texts."),
        ({"exclude": [1]}, "exclude must be a list of texts."),
        ({"no_exclude": ["x"]}, "there is no --exclude 'x' to take back; there is none."),
        ({"exclude_hosts": ["a b"]}, "'a b' is not the name of a host"),
    ],
)
def test_what_cannot_be_changed_is_told_in_a_sentence(
    directory: Path, said: dict[str, Any], sentence: str | None
) -> None:
    if sentence is None:
        assert changed(directory, said).exclude == ()
        return
    with pytest.raises((UsageError, BadInput)) as found:
        changed(directory, said)
    assert sentence in str(found.value)


@pytest.mark.parametrize(
    ("said", "key", "value"),
    [
        ({"max_pages": 5}, "max_pages", 5),
        ({"max_pages": "5k"}, "max_pages", 5000),
        ({"max_pages": None}, "max_pages", None),
        ({"max_time": "2h"}, "max_time", 7200.0),
        ({"max_bytes": "1.5MB"}, "max_bytes", 1_500_000),
        ({"seeds": "http://B.th"}, "seeds", (SEED, "http://b.th/")),
        ({"seeds": [SEED, " "]}, None, None),
        ({"exclude": ["x", "x", ""]}, "exclude", ("x",)),
        ({"exclude": ["x"], "exclude_hosts": ["b.th"]}, "exclude", ("x", host_pattern("b.th"))),
    ],
)
def test_what_is_said_is_read_as_on_the_command_line(
    directory: Path, said: dict[str, Any], key: str | None, value: object
) -> None:
    if key is None:
        assert changed(directory, said).seeds == (SEED,)
    else:
        assert getattr(changed(directory, said), key) == value


def test_commands_that_say_what_is_so_already_are_obeyed_and_told_once(running: Kept) -> None:
    told, changes = running.told, running.changes
    for command, paused, stopping in [
        ("resume", False, False), ("pause", True, False), ("pause", True, False),
        ("resume", False, False), ("stop", False, True), ("stop", False, True),
    ]:  # fmt: skip
        answer = changes.obey(Command(command, {}))
        assert answer == {"ok": True, "paused": paused, "stopping": stopping}
        assert running.crawl.paused is paused
    assert told.names == ["paused", "resumed", "told-to-stop"]


def test_a_change_binds_at_once_and_stands_in_the_directory(running: Kept, directory: Path) -> None:
    said = {"exclude_hosts": ["b.th"], "seeds": ["http://new.th/"], "max_pages": 8}
    answer = running.changes.obey(Command("change", said))
    assert answer == {"ok": True, "left_out": 4, "reasons": {"excluded": 4}, "new_seeds": 1}
    assert not [url for url in waiting(running.crawl) if "//b.th/" in url]
    assert running.told.names == ["changed", "scope-changed"]
    assert running.told.events[0][1] == (
        "changed: exclude_hosts b.th; seeds http://new.th/; max_pages 8."
    )
    outcome = running.run()
    assert (outcome.stopped, outcome.counts.pages) == ("max-pages", 8)
    assert outcome.counts.discards["excluded"] == 4
    config = CrawlConfig.load(directory)
    assert (config.max_pages, config.seeds) == (8, (SEED, "http://new.th/"))


def test_a_change_that_is_refused_leaves_everything_as_it_was(
    running: Kept, directory: Path
) -> None:
    before, queue = CrawlConfig.load(directory), waiting(running.crawl)
    with pytest.raises(UsageError):
        running.changes.obey(Command("change", {"max_pages": 9, "exclude": [7]}))
    assert CrawlConfig.load(directory) == before == running.changes.config
    assert waiting(running.crawl) == queue
    assert running.crawl.limits.max_pages == 3
    assert running.told.events == []


def test_what_is_taken_back_may_be_found_again(running: Kept) -> None:
    obey = running.changes.obey
    obey(Command("change", {"exclude": ["//[bc]\\.th/"], "max_pages": None}))
    assert running.run().counts.pages == 9  # all of a.th: two are done, and each has one below
    answer = obey(Command("change", {"no_exclude": ["//[bc]\\.th/"], "seeds": ["http://b.th/1"]}))
    assert (answer["left_out"], answer["new_seeds"]) == (0, 1)
    outcome = running.run()
    assert running.crawl.web.asked[-2:] == ["http://b.th/1", "http://b.th/1/deep"]
    assert outcome.counts.pages == 11


def test_the_same_rules_leave_out_nothing_more_the_second_time(directory: Path) -> None:
    config = changed(directory, {"exclude": ["//b"]})
    config.save(directory)
    for expected in (["scope-changed"], []):
        with kept_crawl(directory, says) as found:
            assert found.told.names == expected
            assert found.changes.review() == {}


def test_many_values_are_told_as_a_few_and_how_many_more(running: Kept) -> None:
    seeds = [f"http://s{n}.th/" for n in range(1234)]
    running.changes.obey(Command("change", {"seeds": seeds, "max_time": None}))
    words = "seeds http://s0.th/, http://s1.th/, http://s2.th/ and 1,231 more; max_time none"
    assert running.told.events[0][1] == f"changed: {words}."


def test_reasons_are_told_with_the_largest_first() -> None:
    assert in_words({"a": 2, "excluded": 12345, "b": 7}) == "excluded 12,345, b 7, a 2"
    assert in_words({}) == ""
    assert Told().names == []
