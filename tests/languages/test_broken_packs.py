"""A pack of the user's own that cannot be used stops only who asks for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Cli

BROKEN = {
    "nokey": ('name = "Khakas"\n', "tag: field required"),
    "wrongtype": ('tag = "kjh"\nname = 5\n', "name: input should be a valid string"),
    "extra": ('tag = "kjh"\nname = "K"\nscript = ["Cyrl"]\n', "script: extra inputs"),
    "notag": ('tag = "Khakas"\nname = "K"\n', "tag: 'Khakas' is not a language tag"),
    "nojudge": ('tag = "kjh"\nname = "K"\njudge = []\n', "judge: it names no judge"),
    "noscript": ('tag = "kjh"\nname = "K"\nprofile = "a b"\n', "profile: a learned pack needs"),
    "threshold": ('tag = "kjh"\nname = "K"\nthreshold = "x"\n', "threshold: input should be"),
    "toml": ('tag = "kjh"\nname = \n', "it is not valid TOML"),
}


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "packs"
    folder.mkdir()
    monkeypatch.setenv("LANGCRAWL_PACKS", str(folder))
    (folder / "sah.toml").write_text('tag = "sah"\nname = "Sakha of mine"\n')
    (tmp_path / "a.txt").write_text("This page is in English, and has a few words of it.")
    return folder


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_pack_is_told_with_file_and_key_and_stops_nobody_else(
    cli: Cli, packs: Path, kind: str
) -> None:
    text, says = BROKEN[kind]
    (packs / "kjh.toml").write_text(text)
    other = cli("identify", "a.txt", "--lang", "English", "--json")
    assert (other.returncode, other.stderr) == (0, "")
    assert json.loads(other.stdout)[0]["relevant"]
    assert cli("identify", "a.txt", "--json").returncode == 0
    for said in ("kjh", "Khakas"):
        asked = cli("identify", "a.txt", "--lang", said)
        assert (asked.returncode, asked.stdout) == (1, "")
        assert len(asked.stderr.splitlines()) == 1
        assert f"'{packs / 'kjh.toml'}' cannot be used: {says}" in asked.stderr


def test_languages_lists_the_broken_and_all_the_rest(cli: Cli, packs: Path) -> None:
    (packs / "kjh.toml").write_text(BROKEN["wrongtype"][0])
    (packs / "th.toml").write_bytes(b"\xff\xfe\x00")
    done = cli("languages")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert "sah        Sakha of mine" in lines
    assert "lo         Lao" in lines
    told = {line.split()[0]: line for line in lines if "broken:" in line}
    assert set(told) == {"kjh", "th"}
    assert f"'{packs / 'kjh.toml'}' cannot be used: name:" in told["kjh"]
    entries = json.loads(cli("languages", "--json").stdout)
    assert {entry["tag"] for entry in entries if entry["error"]} == {"kjh", "th"}
    assert len({entry["tag"] for entry in entries}) == len(entries) == len(lines)


def test_a_pack_that_cannot_be_read_or_whose_name_says_nothing_is_listed(
    cli: Cli, packs: Path
) -> None:
    (packs / "my notes.toml").write_text("some words")
    (packs / "gone.toml").symlink_to(packs / "nowhere")
    done = cli("languages")
    assert done.returncode == 0
    assert f"'{packs / 'my notes.toml'}' cannot be used: it is not valid TOML" in done.stdout
    assert f"'{packs / 'gone.toml'}' cannot be used: No such file or directory" in done.stdout


def test_a_judge_that_does_not_exist_is_told_with_the_file(cli: Cli, packs: Path) -> None:
    (packs / "kjh.toml").write_text('tag = "kjh"\nname = "K"\njudge = ["cdl"]\n')
    asked = cli("identify", "a.txt", "--lang", "kjh")
    assert asked.returncode == 1
    path = packs / "kjh.toml"
    sentence = f"'{path}' cannot be used: judge: there is no judge 'cdl'; did you mean 'cld'?"
    assert sentence in asked.stderr
    assert "Khakas" not in asked.stderr
    assert cli("identify", "a.txt", "--lang", "th").returncode == 0


def test_learning_a_language_anew_mends_its_pack(cli: Cli, packs: Path, shared: Path) -> None:
    (packs / "cy.toml").write_text("nonsense")
    sample = (shared / "sentences" / "cy.txt").read_text("utf-8")
    (packs.parent / "cy.txt").write_text(sample, "utf-8")
    done = cli("learn", "Welsh", "cy.txt", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tag"] == "cy"
    (entry,) = json.loads(cli("identify", "cy.txt", "--lang", "cy", "--json").stdout)
    assert entry["relevant"]


def test_a_folder_of_packs_that_is_a_file_stops_nothing(
    cli: Cli, packs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGCRAWL_PACKS", str(packs / "sah.toml"))
    assert cli("identify", "a.txt", "--lang", "en").returncode == 0
