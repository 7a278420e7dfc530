"""``langcrawl synth`` and ``serve``: a generated web from the command line, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.virtualweb.synth import profiles
from langcrawl.virtualweb.topical import topical_profiles


def test_profiles_are_listed_in_words_and_in_json(cli: Cli) -> None:
    listed = json.loads(cli("synth", "--profiles", "--json").stdout)
    assert [entry["name"] for entry in listed] == profiles() + topical_profiles()
    assert all(entry["says"] for entry in listed)
    assert len(cli("synth", "--profiles").stdout.splitlines()) == len(listed)


def test_what_was_made_is_told_with_what_to_try_next(cli: Cli, tmp_path: Path) -> None:
    done = cli("synth", "web", "--pages", "1500", "--seed", "2")
    said = [line for line in done.stderr.splitlines() if not line.startswith("generating: ")]
    assert (done.returncode, said) == (0, [])
    assert done.stdout.startswith("1,500 pages on ")
    assert "langcrawl simulate web --strategy" in done.stdout
    assert (tmp_path / "web" / "crawl.toml").exists()
    served = cli("serve", "web", "--port", "0", "--max-time", "0")
    assert served.returncode == 0, served.stderr
    assert "1,500 pages are served on 127.0.0.1:" in served.stdout
    assert "0 requests were answered." in served.stdout


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["synth"], 2, "name a new directory"),
        (["synth", "new", "--pages", "0"], 2, "pages"),
        (["synth", "new", "--seed", "-1"], 2, "seed"),
        (["synth", "new", "--profile", "thai-1905"], 1, "there is no profile and no file"),
        (["synth", "new", "--profile", "."], 1, "cannot be read"),
        (["synth", "new", "--pages", "3"], 1, "too small"),
        (["serve", "absent"], 1, "there is no directory 'absent'"),
        (["serve", "."], 1, "not a crawl directory"),
        (["serve", "absent", "--unknown", "maybe"], 1, "absent"),
        (["serve"], 2, "DIR"),
    ],
)
def test_bad_input_gives_one_sentence_and_leaves_nothing(
    cli: Cli, tmp_path: Path, words: list[str], status: int, says: str
) -> None:
    done = cli(*words)
    assert (done.returncode, done.stdout) in ((status, ""), (2, "")), done.stderr
    assert says in done.stderr or "drop or fail" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "new").exists()
