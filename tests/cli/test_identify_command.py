"""``langcrawl identify``: files, directories and standard input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES

KEYS = {"source", "language", "script", "encoding", "charset", "score", "relevant", "evidence"}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "th.html").write_bytes(
        ("<html><p>" + " ".join(PHRASES["th"])).encode("cp874", "replace")
    )
    (folder / "ja.txt").write_text(" ".join(PHRASES["ja"]), "utf-8")
    (folder / "zawgyi.txt").write_text(write_in(" ".join(PHRASES["my"]), "zawgyi"), "utf-8")
    (folder / "none.txt").write_text("12345 67890\n")
    return folder


def by_name(text: str) -> dict[str, dict[str, object]]:
    return {Path(str(entry["source"])).name: entry for entry in json.loads(text)}


def test_a_directory_is_identified_file_by_file(cli: Cli, files: Path) -> None:
    found = by_name(cli("identify", "files", "--json").stdout)
    assert set(found) == {"th.html", "ja.txt", "zawgyi.txt", "none.txt"}
    for entry in found.values():
        assert set(entry) >= KEYS
        assert entry["relevant"] is None  # of what?
    assert {name: entry["language"] for name, entry in found.items()} == {
        "th.html": "th", "ja.txt": "ja", "zawgyi.txt": "my", "none.txt": "und",
    }  # fmt: skip
    assert found["zawgyi.txt"]["encoding"] == "zawgyi"
    assert found["zawgyi.txt"]["script"] == "Mymr"


def test_with_a_language_each_file_is_in_it_or_not(cli: Cli, files: Path) -> None:
    found = by_name(cli("identify", "files", "--lang", "mya", "--json").stdout)
    assert {name for name, entry in found.items() if entry["relevant"]} == {"zawgyi.txt"}
    assert all(0 <= float(str(entry["score"])) <= 1 for entry in found.values())


def test_a_judge_of_ones_choice_says_how_it_knows(cli: Cli, files: Path) -> None:
    found = by_name(cli("identify", "files", "--judge", "ngram", "--json").stdout)
    assert found["ja.txt"]["language"] == "ja"
    assert found["ja.txt"]["evidence"]


def test_the_table_has_a_line_and_its_evidence_for_each_file(cli: Cli, files: Path) -> None:
    done = cli("identify", "files/th.html", "files/ja.txt", "--lang", "th")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["source", "language", "script", "encoding", "charset", "score"]
    facts = [line for line in lines[1:] if not line.startswith(" ")]
    assert [line.split()[1] for line in facts] == ["th", "ja"]
    assert "th *" in facts[0]
    assert all(line.startswith("    ") for line in lines[1:] if line not in facts)


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["absent"], 1, "absent"),
        (["files/th.html", "absent"], 1, "absent"),
        (["-", "files/th.html"], 2, "give no other file with it"),
        (["files", "--lang", "klingon"], 2, "no language 'klingon'"),
        (["files", "--judge", "ngrm"], 2, "did you mean 'ngram'"),
        ([], 2, "FILE"),
    ],
)
def test_bad_input_gives_one_sentence(
    cli: Cli, files: Path, words: list[str], status: int, says: str
) -> None:
    done = cli("identify", *words)
    assert (done.returncode, done.stdout) == (status, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_file_that_cannot_be_read_does_not_hide_the_others(cli: Cli, files: Path) -> None:
    (files / "memory").symlink_to("/proc/self/mem")
    done = cli("identify", "files", "--json")
    found = by_name(done.stdout)
    assert done.returncode == 1
    assert "1 of 5 files could not be read" in done.stderr
    assert found["ja.txt"]["language"] == "ja"
    assert found["memory"]["evidence"]
