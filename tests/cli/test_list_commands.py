"""``langcrawl strategies``, ``judges`` and ``languages``: what there is, a line each."""

from __future__ import annotations

import json

import pytest

from conftest import Cli
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.strategy import NEED_A_MODEL, make_strategy


@pytest.mark.parametrize("name", ["strategies", "judges", "languages"])
def test_the_table_and_the_json_have_the_same_entries(name: str, cli: Cli) -> None:
    lines = cli(name).stdout.splitlines()
    entries = json.loads(cli(name, "--json").stdout)
    assert len(entries) == len({json.dumps(entry, sort_keys=True) for entry in entries})
    key = "tag" if name == "languages" else "name"
    begins = [line.split(":")[0].split()[0] for line in lines if line and line[0] != " "]
    assert [entry[key] for entry in entries] == begins


def test_every_strategy_that_is_listed_can_be_made(cli: Cli) -> None:
    for entry in json.loads(cli("strategies", "--json").stdout):
        assert entry["says"].endswith(".")
        if entry["name"] not in {"perfect"} | NEED_A_MODEL:  # the first needs the answers
            spec = ",".join(f"{key}={value}" for key, value in entry["parameters"].items())
            assert make_strategy(f"{entry['name']}:{spec}")


def test_every_judge_that_is_listed_can_be_made_or_says_what_it_needs(cli: Cli) -> None:
    for entry in json.loads(cli("judges", "--json").stdout):
        assert entry["says"].endswith(".")
        lang = {"syllables": "my", "code-interval": "mn-Mong", "mean-distance": "mn-Mong"}
        if entry["name"] not in ("fasttext", "learned", "topic"):
            assert make_judge(load_pack(lang.get(entry["name"], "th")), entry["name"])


def test_every_language_that_is_listed_can_be_asked_for(cli: Cli) -> None:
    entries = json.loads(cli("languages", "--json").stdout)
    assert all(load_pack(entry["tag"]).name == entry["name"] for entry in entries)
    assert len({entry["tag"] for entry in entries}) == len(entries)
