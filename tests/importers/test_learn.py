"""learn: a pack for a language that nobody supports, from 20 KB of text, honestly measured."""

from __future__ import annotations

import json
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.conftest import Cli

from langcrawl.importers.learn import learn
from langcrawl.importers.samples import PARTS, read_samples
from langcrawl.judge import make_judge
from langcrawl.judge.learned import cut
from langcrawl.languages.packs import Pack
from langcrawl.records import Content
from langcrawl.virtualweb.phrases import PHRASES


def declaration(shared: Path, name: str) -> str:
    root = ElementTree.parse(shared / "udhr" / f"udhr_{name}.xml").getroot()
    parts = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("}para")]
    return " ".join(" ".join(parts).split())


def sentences(shared: Path, tag: str, every: int = 1) -> str:
    lines = (shared / "sentences" / f"{tag}.txt").read_text("utf-8").splitlines()
    return " ".join(lines[::every])


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


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
    at = len(text) * 9 // 10
    written(tmp_path, "sah.txt", text[:at])
    written(tmp_path, "rus.txt", russian)
    done = cli("learn", "sah", "sah.txt", "--against", "rus.txt", "--name", "Sakha", "--json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["script"], made["documents"], made["left_out"]) == ("Cyrl", 1, 0)
    assert made["neighbours"]
    assert "sah" not in made["neighbours"]
    assert made["precision"] >= 0.95
    assert made["recall"] >= 0.9
    assert 0 < made["threshold"] < 1
    assert (own_packs / "sah.toml").is_file()
    written(tmp_path, "new.txt", text[at:])
    written(tmp_path, "other.txt", declaration(shared, "tat"))
    found = json.loads(
        cli("identify", "new.txt", "rus.txt", "other.txt", "--lang", "sah", "--json").stdout
    )
    assert [entry["relevant"] for entry in found] == [True, False, False]
    assert found[1]["language"] == "rus"  # as the user calls what was given


@pytest.mark.parametrize(
    ("tag", "name"), [("af", "afr"), ("be", "bel"), ("mr", "mar"), ("fa", "pes_1")]
)
def test_a_pack_of_one_document_finds_the_language_in_others(
    shared: Path, tmp_path: Path, tag: str, name: str
) -> None:
    """At least as often as was promised, on short pages and on long ones."""
    made = learn(tag, [written(tmp_path, "own.txt", declaration(shared, name))])
    judge = make_judge(made.pack)
    pages = cut(sentences(shared, tag, every=4))
    found = sum(judge.judge(Content(page)).relevant for page in pages)
    assert found / len(pages) >= made.estimate.recall_least
    assert judge.judge(Content(" ".join(pages[:30]))).relevant


def test_texts_in_a_relative_make_a_rival(shared: Path, tmp_path: Path) -> None:
    """Nynorsk of many documents: Bokmål is taken for it until texts in Bokmål are given."""
    lines = {tag: sentences(shared, tag, every=2) for tag in ("nn", "nb")}
    for tag, text in lines.items():
        (tmp_path / tag).mkdir()
        for number, piece in enumerate(cut(text)):
            written(tmp_path / tag, f"{number}.txt", piece)
    files = {tag: sorted((tmp_path / tag).iterdir()) for tag in lines}
    alone = learn("nn", files["nn"])
    assert alone.estimate.precision is None  # and does not pretend to know
    assert "nb" in alone.pack.neighbours
    told = learn("nn", files["nn"], {"bokmål": files["nb"]})
    assert told.estimate.precision is not None
    others = (shared / "sentences" / "nb.txt").read_text("utf-8").splitlines()[1::2]
    wrong = {}
    for name, made in (("alone", alone), ("told", told)):
        judge = make_judge(Pack(**made.pack.model_dump()))
        pages = cut(" ".join(others))
        wrong[name] = sum(judge.judge(Content(page)).relevant for page in pages) / len(pages)
    assert wrong["told"] < 0.2 < wrong["alone"]
    promised = told.estimate.precision_least
    assert promised is not None
    assert told.estimate.recall / (told.estimate.recall + wrong["told"]) >= promised - 0.05


def test_gibberish_is_not_taken_for_a_learned_language(shared: Path, tmp_path: Path) -> None:
    made = learn("af", [written(tmp_path, "own.txt", declaration(shared, "afr"))])
    judge, chance = make_judge(made.pack), random.Random(1)
    for _ in range(30):
        words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(60)]
        assert not judge.judge(Content(" ".join(words))).relevant


def test_too_little_text_and_no_language_are_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text("only a few words", encoding="utf-8")
    few = cli("learn", "sah", "few.txt")
    assert few.returncode == 1
    assert "too few" in few.stderr
    none = cli("learn", "no-such-language-at-all", "few.txt")
    assert none.returncode == 2
    assert "language tag" in none.stderr


def test_rubbish_among_the_samples_is_left_out(tmp_path: Path) -> None:
    chance = random.Random(3)
    thai, english = (" ".join(PHRASES[tag]) for tag in ("th", "en"))
    bodies = {
        "thai.txt": (thai * 8).encode(),
        "english.txt": english.encode(),
        "noise": chance.randbytes(50_000),
        "picture": b"\x89PNG\r\n\x1a\n" + chance.randbytes(5_000),
        "empty": b"",
    }
    for name, body in bodies.items():
        (tmp_path / name).write_bytes(body)
    found = read_samples([tmp_path / name for name in bodies])
    assert (found.script, found.documents, found.left_out) == ("Thai", 1, 4)
    assert found.characters < len(thai) * 8 + 100


def test_whole_documents_are_kept_apart_where_there_are_enough(tmp_path: Path) -> None:
    paths = []
    for number, tag in enumerate(["en", "de", "fr", "es", "it", "nl"]):
        text = " ".join(PHRASES[tag]) * (number + 1)
        paths.append(written(tmp_path, f"{tag}.txt", text))
    found = read_samples(paths)
    assert found.of_many_documents
    assert len(found.parts) == PARTS
    first = {piece.split()[0]: at for at, part in enumerate(found.parts) for piece in part}
    assert len(set(first.values())) == PARTS
    for path in paths:
        pieces = set(cut(path.read_text("utf-8")))
        assert sum(not pieces.isdisjoint(part) for part in found.parts) == 1


def test_a_tag_that_names_another_script_is_refused(cli: Cli, tmp_path: Path) -> None:
    written(tmp_path, "ru.txt", " ".join(PHRASES["ru"]) * 15)
    done = cli("learn", "mn-Mong", "ru.txt")
    assert (done.returncode, done.stdout) == (1, "")
    assert "samples are in Cyrl" in done.stderr


def test_a_language_that_is_known_keeps_its_charsets(cli: Cli, tmp_path: Path) -> None:
    written(tmp_path, "th.txt", " ".join(PHRASES["th"]) * 15)
    done = cli("learn", "th", "th.txt")
    assert done.returncode == 0, done.stderr
    assert "in place of its own" in done.stdout
    assert "Precision is not known" in done.stdout
    assert "tis-620" in (tmp_path / "packs" / "th.toml").read_text("utf-8")


def test_a_broken_pack_is_named(cli: Cli, own_packs: Path) -> None:
    own_packs.mkdir()
    (own_packs / "xx.toml").write_text("tag = 3")
    done = cli("languages")
    assert done.returncode == 0
    assert "xx.toml' cannot be used: tag:" in done.stdout
    asked = cli("identify", ".", "--lang", "xx")
    assert asked.returncode == 1
    assert "xx.toml' cannot be used: tag:" in asked.stderr
