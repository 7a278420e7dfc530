"""Word lists: what tells a language from its neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.judge import tiny_fasttext

from langcrawl.errors import BadValue
from langcrawl.importers.learn import learn
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.languages.word_lists import WordLists, make_lists, tokens
from langcrawl.records import Content

OWN = "the dog and the cat see the house by the river " * 4
OTHER = "the hound and the cat see the home by the stream " * 4


def test_words_that_both_have_tell_nothing() -> None:
    lists = make_lists({"a": [OWN], "b": [OTHER]})
    assert set(lists["a"]) == {"dog", "house", "river"}
    assert set(lists["b"]) == {"hound", "home", "stream"}


def test_a_script_without_spaces_is_cut_into_threes() -> None:
    assert tokens("ภาษาไทย and more") == ["ภาษ", "าษา", "ษาไ", "าไท", "ไทย", "and", "more"]
    assert tokens("က") == ["က"]


def test_a_look_says_whose_words_are_more() -> None:
    lists = make_lists({"a": [OWN], "b": [OTHER]})
    words = WordLists(frozenset(lists["a"]), {"b": frozenset(lists["b"])})
    assert words.look("A dog at the river, a home.") == (2, "b", 1)
    assert words.look("A dog at the river, a home.").agrees
    assert not words.look("A stream, a home and a house.").agrees
    assert not words.look("Nothing of the kind.").agrees


@pytest.mark.shared
def test_lists_of_a_learned_pack_turn_a_mistaken_page_away(shared: Path, tmp_path: Path) -> None:
    texts = {tag: (shared / "sentences" / f"{tag}.txt").read_text("utf-8").splitlines()
             for tag in ("nn", "nb")}  # fmt: skip
    for tag, lines in texts.items():
        (tmp_path / f"{tag}.txt").write_text("\n".join(lines[::2]), encoding="utf-8")
    pack = learn("nn", [tmp_path / "nn.txt"], {"nb": [tmp_path / "nb.txt"]}).pack
    assert set(pack.words) == {"nn", "nb"}
    blind = {"nno_Latn": " ".join(texts["nn"] + texts["nb"]), "eng_Latn": "the of and to in"}
    model = tiny_fasttext.train(tmp_path / "blind.bin", blind)
    plain = make_judge(pack, f"fasttext:model={model}")
    second = make_judge(pack, f"fasttext:model={model},words=true")
    pages = {tag: [" ".join(lines[at : at + 6 : 2]) for at in range(1, 300, 6)]
             for tag, lines in texts.items()}  # fmt: skip
    taken = {tag: sum(plain.judge(Content(page)).relevant for page in some)
             for tag, some in pages.items()}  # fmt: skip
    left = {tag: sum(second.judge(Content(page)).relevant for page in some)
            for tag, some in pages.items()}  # fmt: skip
    assert taken == {"nn": 50, "nb": 50}
    assert left["nn"] >= 47
    assert left["nb"] <= 5


def test_a_pack_without_words_is_refused_in_words(tmp_path: Path) -> None:
    model = tiny_fasttext.train(tmp_path / "m.bin", {"th": "a", "en": "b"})
    with pytest.raises(BadValue, match="langcrawl learn th TEXTS --against OTHERS"):
        make_judge(load_pack("th"), f"fasttext:model={model},words=true")
