"""learn: a pack for a language that nobody supports, from 20 KB of text, honestly measured."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.conftest import Cli


def declaration(shared: Path, name: str) -> str:
    root = ElementTree.parse(shared / "udhr" / f"udhr_{name}.xml").getroot()
    parts = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("}para")]
    return " ".join(" ".join(parts).split())


@pytest.fixture(autouse=True)
def own_packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "packs"
    monkeypatch.setenv("LANGCRAWL_PACKS", str(folder))
    return folder


def test_a_language_without_a_two_letter_code_is_learned_from_twenty_kilobytes(
    shared: Path, cli: Cli, tmp_path: Path, own_packs: Path
) -> None:
    """Sakha, told from Russian and Tatar; the last tenth of its text is seen by no training."""
    text, russian = declaration(shared, "sah"), declaration(shared, "rus")
    cut = len(text) * 9 // 10
    (tmp_path / "sah.txt").write_text(text[:cut], encoding="utf-8")
    (tmp_path / "rus.txt").write_text(russian, encoding="utf-8")
    done = cli("learn", "sah", "sah.txt", "--against", "rus.txt", "--name", "Sakha", "--json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["script"] == "Cyrl"
    assert made["neighbours"]
    assert "sah" not in made["neighbours"]
    assert made["precision"] >= 0.95
    assert made["recall"] >= 0.9
    assert 0 < made["threshold"] < 1
    assert (own_packs / "sah.toml").is_file()
    (tmp_path / "new.txt").write_text(text[cut:], encoding="utf-8")
    (tmp_path / "other.txt").write_text(declaration(shared, "tat"), encoding="utf-8")
    found = json.loads(
        cli("identify", "new.txt", "rus.txt", "other.txt", "--lang", "sah", "--json").stdout
    )
    assert [entry["relevant"] for entry in found] == [True, False, False]
    assert found[1]["language"] == "ru"


def test_too_little_text_and_no_language_are_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text("only a few words", encoding="utf-8")
    few = cli("learn", "sah", "few.txt")
    assert few.returncode == 1
    assert "too few" in few.stderr
    none = cli("learn", "no-such-language-at-all", "few.txt")
    assert none.returncode == 1
    assert "language tag" in none.stderr


def test_a_broken_pack_is_named(cli: Cli, own_packs: Path) -> None:
    own_packs.mkdir()
    (own_packs / "xx.toml").write_text("tag = 3")
    done = cli("languages")
    assert done.returncode == 1
    assert "xx.toml" in done.stderr
