"""Settings from what a user says: of a new crawl, of one that is there, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from langcrawl import __version__
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, LangcrawlError, UsageError
from langcrawl.records import Limits
from langcrawl.settings import (
    fetch_settings_of,
    ip_delay_of,
    limits_of,
    max_requests_of,
    politeness_of,
    scope_of,
    settings,
    workers_of,
)

NEW = {"lang": "thai", "seeds": ["http://A.th", "http://b.th/#x"]}


def config(**about: Any) -> CrawlConfig:
    return CrawlConfig(**{"lang": "th", "seeds": ("http://a.th/",)} | about)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A crawl that somebody has begun."""
    place = tmp_path / "c"
    said = {"exclude": ("/a/", "/b/"), "include": ("th",), "max_pages": "5k", "delay": 2.5}
    settings(place, NEW | said).save(place)
    return place


def test_a_new_crawl_names_languages_and_urls_in_one_form(tmp_path: Path) -> None:
    made = settings(tmp_path / "c", NEW)
    assert (made.lang, made.seeds) == ("th", ("http://a.th/", "http://b.th/"))
    assert (made.bridge, made.version, made.source) == ("en", __version__, "crawl")
    several = settings(tmp_path / "c", {"lang": ["my", "shn"], "seeds": ["http://a.mm/"]})
    assert several.lang == "my,shn"
    assert not (tmp_path / "c").exists(), "nothing is written"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({}, "a new crawl needs --lang and --seeds."),
        ({"lang": "th"}, "a new crawl needs --seeds."),
        ({"seeds": ["http://a.th/"]}, "a new crawl needs --lang."),
        (NEW | {"delay": -1}, "delay: input should be greater than or equal to 0."),
        (NEW | {"max_pages": "ten"}, "max_pages: 'ten' is not a number such as 500, 50k or 2M"),
        (NEW | {"no_exclude": ("x",)}, "there is no --exclude 'x' to take back; there is none."),
        (NEW | {"normalize": "zawgyi"}, "normalize: zawgyi is an encoding of Burmese"),
        (NEW | {"contact": "a\nb"}, "contact: it must be one line without control characters."),
        (NEW | {"lang": "klingonish"}, "klingonish"),
        (NEW | {"seeds": ["gone.txt"]}, "there is no file 'gone.txt'"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(
    tmp_path: Path, said: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(LangcrawlError) as found:
        settings(tmp_path / "c", said)
    assert sentence in str(found.value)
    assert "\n" not in str(found.value)


def test_a_place_that_is_not_for_a_new_crawl_is_refused(tmp_path: Path) -> None:
    file, full = tmp_path / "file", tmp_path / "full"
    file.write_text("x")
    full.mkdir()
    (full / "thesis.doc").write_text("x")
    with pytest.raises(BadInput, match="is a file; name a new directory"):
        settings(file, NEW)
    with pytest.raises(BadInput, match="is not empty and holds no crawl"):
        settings(full, NEW)


def test_on_resume_lists_add_up_once_and_single_values_replace(directory: Path) -> None:
    said = {"seeds": ["http://c.th/", "http://a.th/"], "exclude": ("/c/", "/a/"), "delay": 1.0}
    made = settings(directory, said)
    assert made.seeds == ("http://a.th/", "http://b.th/", "http://c.th/")
    assert made.exclude == ("/a/", "/b/", "/c/")
    assert (made.delay, made.max_pages, made.include) == (1.0, 5000, ("th",))


def test_on_resume_values_can_be_taken_back(directory: Path) -> None:
    made = settings(directory, {"no_exclude": ("/a/",), "no_include": ("th",), "max_pages": None})
    assert (made.exclude, made.include, made.max_pages) == (("/b/",), (), None)
    exchanged = settings(directory, {"exclude": ("/c/",), "no_exclude": ("/b/",)})
    assert exchanged.exclude == ("/a/", "/c/")
    with pytest.raises(UsageError) as found:
        settings(directory, {"no_exclude": ("/z/",)})
    assert str(found.value) == ("there is no --exclude '/z/' to take back; there is '/a/', '/b/'.")


def test_a_crawl_keeps_its_language(directory: Path) -> None:
    assert settings(directory, {"lang": "tha"}).lang == "th"
    with pytest.raises(BadInput, match="was started with another --lang"):
        settings(directory, {"lang": "ja"})


def test_several_languages_may_be_named_in_another_order(tmp_path: Path) -> None:
    place = tmp_path / "c"
    settings(place, NEW | {"lang": "th,lo"}).save(place)
    assert settings(place, {"lang": "lo,th"}).lang == "th,lo"
    with pytest.raises(BadInput, match="another --lang"):
        settings(place, {"lang": "th"})


def test_a_log_that_is_no_crawl_is_not_gone_on_with(tmp_path: Path) -> None:
    config(source="import").save(tmp_path / "c")
    with pytest.raises(BadInput, match="was made by 'import' and cannot be resumed as a crawl"):
        settings(tmp_path / "c", {})


def test_a_resumed_crawl_is_one_of_this_version(directory: Path) -> None:
    before = CrawlConfig.load(directory).model_copy(update={"version": "0.1.0"})
    before.save(directory)
    assert settings(directory, {}).version == __version__


def test_block_lists_are_kept_by_their_whole_path(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.txt").write_text("bad.th\n")
    monkeypatch.chdir(tmp_path)
    made = settings(directory, {"block_hosts": ("bad.txt",)})
    assert made.block_hosts == (str((tmp_path / "bad.txt").resolve()),)
    assert scope_of(made).rules_out("http://www.bad.th/th", "www.bad.th") == "blocked-host"
    made.save(directory)
    assert settings(directory, {"no_block_hosts": ("bad.txt",)}).block_hosts == ()


def test_a_judge_whose_model_was_made_certain_stays_the_same(directory: Path) -> None:
    model = Path("m.bin").absolute()
    pinned = f"fasttext:model={model},sha256=abc"
    CrawlConfig.load(directory).model_copy(update={"judge": pinned}).save(directory)
    assert settings(directory, {"judge": "fasttext:model=m.bin"}).judge == pinned
    assert settings(directory, {"judge": "fasttext:model=n.bin"}).judge == "fasttext:model=n.bin"
    assert settings(directory, {}).judge == pinned


def test_limits_are_those_of_the_config_and_bound_requests() -> None:
    made = config(max_pages=10, max_bytes="1MB", max_time="1h", max_depth=3, max_pages_per_host=4,
                  max_pages_per_domain=5)  # fmt: skip
    assert limits_of(made) == Limits(10, 1_000_000, 3600.0, 3, 4, 5, 300)
    assert limits_of(config()) == Limits()


@pytest.mark.parametrize(
    ("about", "most"),
    [
        ({}, None),
        ({"max_pages": 0}, 100),
        ({"max_pages": 50}, 1100),
        ({"max_requests": 7}, 7),
        ({"max_pages": 50, "max_requests": 7}, 7),
        ({"max_pages": 1, "max_requests": 10**6}, 10**6),
    ],
)
def test_a_crawl_of_few_pages_is_one_of_few_requests(
    about: dict[str, Any], most: int | None
) -> None:
    assert max_requests_of(config(**about)) == most


@pytest.mark.parametrize(
    ("about", "seconds"),
    [
        ({}, 0.2),
        ({"delay": 0.05}, 0.05),
        ({"delay": 9.0}, 0.2),
        ({"ip_delay": 3.0}, 3.0),
        ({"connect_to": ("::127.0.0.1:80",)}, 0.0),
        ({"proxy": "http://p.th:8080"}, 0.0),
        ({"proxy": "http://p.th:8080", "ip_delay": 0.5}, 0.5),
    ],
)
def test_an_address_rests_unless_many_hosts_are_sent_to_it(
    about: dict[str, Any], seconds: float
) -> None:
    assert ip_delay_of(config(**about)) == seconds
    politeness = politeness_of(config(**about, max_wait=60.0, backoff=4.0))
    assert (politeness.ip_delay, politeness.longest, politeness.backoff) == (seconds, 60.0, 4.0)


def test_there_are_never_more_workers_than_connections() -> None:
    assert workers_of(config(connections=1)) == 1
    assert 1 <= workers_of(config(connections=100)) <= 8
    assert workers_of(config(connections=1, workers=5)) == 5


def test_servers_are_asked_as_the_config_says() -> None:
    made = fetch_settings_of(
        config(user_agent="bot/1", contact="me@a.th", timeout=3.0, max_page_bytes=99)
    )
    assert (made.user_agent, made.contact, made.timeout) == ("bot/1", "me@a.th", 3.0)
    assert made.max_page_bytes == 99
    assert made.agent_line.startswith("bot/1")
    assert "me@a.th" in made.agent_line
