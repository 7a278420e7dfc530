"""The config of a crawl: what it takes, how it is kept in crawl.toml, and what it complains of."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from langcrawl.config import FILE, CrawlConfig, first_problem, read_seeds
from langcrawl.errors import BadInput, BrokenLog, NoSuchLog, UsageError
from langcrawl.url import canonical

LINES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), max_size=40)
NUMBERS = st.none() | st.integers(0, 10**12)
SECONDS = st.floats(0, 1e6, allow_nan=False)
CONFIGS = st.builds(
    CrawlConfig,
    lang=st.sampled_from(["th", "mn-Mong", "my"]),
    seeds=st.lists(st.sampled_from(["http://a.th/", "http://b.th/?q=1"])).map(tuple),
    strategy=st.sampled_from(["bfs", "limited:n=2", "mine.py:rule"]),
    max_pages=NUMBERS,
    max_bytes=NUMBERS,
    max_time=st.none() | SECONDS,
    include=st.lists(LINES, max_size=3).map(tuple),
    exclude=st.lists(LINES, max_size=3).map(tuple),
    delay=SECONDS,
    ip_delay=st.none() | SECONDS,
    workers=st.none() | st.integers(1, 99),
    contact=LINES.filter(str.isprintable),
    nofollow=st.booleans(),
    store=st.sampled_from(["all", "relevant"]),
)


def config(**given: Any) -> CrawlConfig:
    return CrawlConfig(**{"lang": "th", "seeds": ("http://a.th/",)} | given)


def problem(**given: Any) -> str:
    with pytest.raises(ValidationError) as found:
        config(**given)
    return first_problem(found.value)


@given(CONFIGS)
def test_what_is_saved_is_loaded_again(
    tmp_path_factory: pytest.TempPathFactory, made: CrawlConfig
) -> None:
    directory = tmp_path_factory.mktemp("c")
    made.save(directory)
    assert CrawlConfig.load(directory) == made


def test_a_new_crawl_is_adaptive_and_one_that_names_no_strategy_is_of_before(
    tmp_path: Path,
) -> None:
    assert config().strategy == "adaptive"
    (tmp_path / FILE).write_text('version = "0.1.0"\nlang = "th"\nseeds = ["http://a.th/"]\n')
    assert CrawlConfig.load(tmp_path).strategy == "soft"


def test_crawl_toml_names_the_language_the_seeds_and_the_version(tmp_path: Path) -> None:
    config().save(tmp_path / "new" / "crawl")
    table = tomllib.loads((tmp_path / "new" / "crawl" / FILE).read_text("utf-8"))
    assert (table["lang"], table["seeds"]) == ("th", ["http://a.th/"])
    assert table["version"]
    assert "max_pages" not in table  # TOML has no word for none
    assert [path.name for path in (tmp_path / "new" / "crawl").iterdir()] == [FILE]


def test_saving_again_replaces_the_file_as_a_whole(tmp_path: Path) -> None:
    config(max_pages=10).save(tmp_path)
    config().save(tmp_path)
    assert CrawlConfig.load(tmp_path).max_pages is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"delay": -1}, "delay: input should be greater than or equal to 0"),
        ({"connections": 0}, "connections: "),
        ({"workers": 0}, "workers: "),
        ({"timeout": 0}, "timeout: "),
        ({"max_page_bytes": 0}, "max_page_bytes: "),
        ({"max_pages": -1}, "max_pages: "),
        ({"store": "some"}, "store: "),
        ({"types": "pictures"}, "types: "),
        ({"normalize": "win-innwa"}, "normalize: "),
        ({"user_agent": "a\r\nX: y"}, "user_agent: it must be one line"),
        ({"contact": "a\x00"}, "contact: it must be one line"),
        ({"normalize": "zawgyi"}, "normalize: zawgyi is an encoding of Burmese"),
        ({"colour": "red"}, "colour: "),
        ({"delay": "soon"}, "delay: "),
        ({"seeds": "http://a.th/"}, "seeds: "),
    ],
)
def test_a_value_that_cannot_be_is_named_with_its_key(given: dict[str, Any], says: str) -> None:
    said = problem(**given)
    assert said.startswith(says)
    assert "\n" not in said


def test_zawgyi_is_for_burmese_whatever_its_script_is_called() -> None:
    for lang in ("my", "my-Mymr"):
        assert config(lang=lang, normalize="zawgyi").normalize == "zawgyi"


def test_a_config_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        config().delay = 0.0  # type: ignore[misc]


def test_a_directory_that_is_none_is_told_apart_from_one_without_a_crawl(tmp_path: Path) -> None:
    with pytest.raises(NoSuchLog, match=r"there is no directory .*absent"):
        CrawlConfig.load(tmp_path / "absent")
    with pytest.raises(NoSuchLog, match=r"because it has no crawl\.toml"):
        CrawlConfig.load(tmp_path)
    (tmp_path / FILE).mkdir()
    with pytest.raises(NoSuchLog, match="not a crawl directory"):
        CrawlConfig.load(tmp_path)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (b"lang = th\n", "is not valid TOML"),
        (b"\xff\xfe", "is not valid TOML"),
        (b"delay = " + b"1" * 5_000, "is not valid TOML"),
        (b"seeds = " + b"[" * 5_000, "is not valid TOML"),
        (b'lang = "th"\nseeds = []\ndelay = -1\n', "cannot be used: delay: "),
        (b"", "cannot be used: lang: field required"),
        (b'lang = "th"\nseeds = []\nshape = "round"\n', "cannot be used: shape: "),
    ],
)
def test_a_broken_crawl_toml_is_named(tmp_path: Path, written: bytes, says: str) -> None:
    (tmp_path / FILE).write_bytes(written)
    with pytest.raises(BrokenLog, match=says) as found:
        CrawlConfig.load(tmp_path)
    assert FILE in str(found.value)
    assert "\n" not in str(found.value)


def test_seeds_are_urls_and_files_of_urls_in_the_order_given(tmp_path: Path) -> None:
    path = tmp_path / "seeds.txt"
    path.write_text("\ufeff# ours\nhttp://B.th\n\nhttp://c.th/x  # the third\n", "utf-8")
    assert read_seeds(["http://a.th", str(path), "http://b.th/"]) == (
        "http://a.th/", "http://b.th/", "http://c.th/x",
    )  # fmt: skip
    assert read_seeds([]) == ()


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("", "is empty"),
        ("# only\n   # remarks\n", "is empty"),
        ("www.a.th\n", "'www.a.th' in '.*' is not a URL; write it as http://host/path"),
        ("http://a.th/\nftp://a.th/\n", "'ftp://a.th/' in '.*' is not a URL"),
        ("http://[x\n", "is not a URL"),
    ],
)
def test_a_seed_file_that_cannot_be_used_is_named(tmp_path: Path, written: str, says: str) -> None:
    path = tmp_path / "s"
    path.write_text(written)
    with pytest.raises(BadInput, match=says):
        read_seeds([str(path)])


def test_a_seed_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("http://a.th/é".encode("latin-1"))
    for name, says in (("absent", "there is no file"), ("latin", "cannot be read"), ("", "cannot")):
        with pytest.raises(BadInput, match=says):
            read_seeds([str(tmp_path / name)])
    with pytest.raises(UsageError, match=r"'ftp://a\.th' in --seeds is not a URL"):
        read_seeds(["ftp://a.th"])


@given(st.lists(st.from_regex(r"http://[a-c]\.(th|com)/[ab]?", fullmatch=True)))
def test_seeds_are_canonical_and_come_once_in_order(given: list[str]) -> None:
    seeds = read_seeds(given)
    assert list(seeds) == list(dict.fromkeys(given))
    assert all(canonical(seed) == seed for seed in seeds)
