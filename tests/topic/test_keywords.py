"""The names of a country, in a text and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Cli
from langcrawl.errors import BadInput
from langcrawl.topic.build_gazetteer import facts
from langcrawl.topic.figure5 import LiteralTokenizer, phrase_code
from langcrawl.topic.gazetteer import (
    count_votes,
    load_gazetteer,
    make_gazetteer,
    read_names,
    tokens_of,
)
from langcrawl.topic.tokenizer import Found, Tokenizer

NAMES = ("Nakhon Pathom", "Nakhon", "Koh Samui", "Samui", "Bangkok", "Tak")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGCRAWL_KEYWORDS", str(tmp_path / "keywords"))


def test_thailand_has_more_than_8000_names_and_none_of_the_ordinary_words() -> None:
    known = load_gazetteer("Thailand")
    assert len(known.names) >= 8000
    assert {"Koh Samui", "Samui", "Wat Pho", "tom yum", "Khao Yai National Park"} <= set(
        known.names
    )
    assert {"Hot", "Don", "Song", "Long"} <= set(known.stopped)
    assert not {"Hot", "Don", "Song", "Long"} & set(known.names)


def test_any_other_country_begins_with_its_cities() -> None:
    assert "Luang Prabang" in load_gazetteer("la").names


def test_the_longest_name_wins_and_matches_from_left_to_right() -> None:
    found = Tokenizer(NAMES).read("From Bangkok to NAKHON PATHOM, then Nakhon and koh-samui")
    assert found.keywords == ["bangkok", "nakhon pathom", "nakhon", "koh samui"]
    assert all(name.exact for name in found.names)
    assert found.words == ["from", "to", "then", "and"]
    assert found.ratio(frozenset({"from", "to", "then", "and"})) == 1.0


def test_other_spellings_are_found_by_sound_token_by_token() -> None:
    found = Tokenizer(NAMES).read("Nakorn Patom")
    assert Tokenizer(["Nakorn Pathom"]).read("Nagorn Patom").names == [Found(0, 2, False)]
    assert found.names == []  # Nakhon is N250, Nakorn N265
    assert Tokenizer(NAMES).read("Nakon patom").names == [Found(0, 2, False)]
    assert Tokenizer(NAMES, sounds=False).read("Nakon patom").names == []


def test_short_tokens_stop_words_and_ordinary_words_never_match_by_sound() -> None:
    assert phrase_code("tok") == phrase_code("tak")
    assert Tokenizer(["Tak"]).read("tok").names == []
    assert phrase_code("something") == phrase_code("Somdang")
    assert Tokenizer(["Somdang"]).read("something").names == []
    assert phrase_code("bangs") == phrase_code("banks") == phrase_code("Bangsue")
    assert Tokenizer(["Bangsue"]).read("banks").names == []
    assert Tokenizer(["Bangsue"], guard=False).read("banks").names == [Found(0, 1, False)]


def test_figure_5_as_printed_swallows_the_rest_of_a_text() -> None:
    text = "Nakon patom has many fine old houses near the river"
    found = LiteralTokenizer(NAMES).read(text)
    assert found.names == [Found(0, 10, False)]
    assert Tokenizer(NAMES).read(text).names == [Found(0, 2, False)]


def test_the_paper_s_own_example_matches_in_neither() -> None:
    for made in (LiteralTokenizer(["Nakhon Pratom"]), Tokenizer(["Nakhon Pratom"])):
        assert made.read("NakornPrathom").names == []
        assert made.read("Nakon patom").names or isinstance(made, Tokenizer)


def figure_5(names: list[str], text: str) -> list[tuple[int, int]]:
    """Figure 5, line by line, without any shortcut."""
    entries = {" ".join(tokens_of(name)) for name in names}
    codes = {phrase_code(entry) for entry in entries}
    tokens, used, found = tokens_of(text), set[int](), []
    for first in range(len(tokens)):
        if first in used:
            continue
        word, longest = "", None
        for last in range(first, len(tokens)):
            word = f"{word} {tokens[last]}".strip()
            if word in entries or phrase_code(word) in codes:
                longest = last + 1
                used |= set(range(first, last + 1))
        if longest is not None:
            found.append((first, longest))
    return found


VOCABULARY = ("koh", "ko", "tak", "samui", "same", "nakhon", "patom", "a", "i", "ra", "bo", "1")
WORDS = st.lists(st.sampled_from(VOCABULARY))


@given(st.lists(WORDS.map(" ".join), min_size=1, max_size=4), WORDS.map(" ".join))
def test_the_literal_tokenizer_is_figure_5(names: list[str], text: str) -> None:
    names = [name for name in names if tokens_of(name)]
    found = LiteralTokenizer(names).read(text)
    assert [(name.first, name.last) for name in found.names] == figure_5(names, text)


def test_facts_are_written_in_forms() -> None:
    found = facts("# x\n[island: Koh _, _ Island]\nSamui*, Tao\n[dish: _]\ntom yum")
    assert found == {
        "Koh Samui": "island", "Samui Island": "island", "Samui": "island",
        "Koh Tao": "island", "Tao Island": "island", "tom yum": "dish",
    }  # fmt: skip


def test_an_empty_gazetteer_is_refused() -> None:
    with pytest.raises(BadInput, match="empty"):
        make_gazetteer("TH", {"Hot": "district", "A": "name"})


def test_names_come_from_geonames_csv_and_lists(tmp_path: Path) -> None:
    row = [
        "1",
        "Luang Prabang",
        "Luang Prabang",
        "Louangphabang,ຫຼວງພະບາງ",
        *[""] * 4,
        "LA",
        *[""] * 10,
    ]
    (tmp_path / "LA.txt").write_text("\t".join(row) + "\n", "utf-8")
    assert set(read_names(tmp_path / "LA.txt", "LA")) == {"Luang Prabang", "Louangphabang"}
    with pytest.raises(BadInput, match="no name of TH"):
        read_names(tmp_path / "LA.txt", "TH")
    (tmp_path / "n.csv").write_text("name,kind\nVang Vieng,town\n")
    assert read_names(tmp_path / "n.csv", "LA") == {"Vang Vieng": "town"}
    (tmp_path / "n.txt").write_text("# towns\nVang  Vieng\n")
    assert read_names(tmp_path / "n.txt", "LA") == {"Vang Vieng": "name"}


def test_the_majority_of_three_decides(tmp_path: Path) -> None:
    (tmp_path / "sheet").write_text(
        "name\ta\tb\tc\nOne\tyes\t1\tno\nTwo\t0\tyes\tno\nThree\tyes\t\t\n"
    )
    votes = count_votes(tmp_path / "sheet")
    assert votes == (("One",), ("Two",), ("Three",))
    (tmp_path / "sheet").write_text("One\tperhaps\tyes\tno\n")
    with pytest.raises(BadInput, match=r"line 1 .* 'perhaps'"):
        count_votes(tmp_path / "sheet")


def test_the_command_lists_adds_imports_annotates_and_finds(cli: Cli, tmp_path: Path) -> None:
    listed = json.loads(cli("keywords", "thailand", "--json").stdout)
    assert len(listed["names"]) >= 8000
    islands = cli("keywords", "th", "list", "--kind", "island").stdout.splitlines()
    assert "Koh Tao" in islands
    assert "Bangkok" not in islands
    added = cli("keywords", "la", "add", "Kuang Si", "Hot")
    assert "1 names" in added.stdout or "2 names" in added.stdout
    assert "Hot" in added.stdout
    (tmp_path / "n.txt").write_text("Tad Sae\nPak Ou\n")
    cli("keywords", "la", "import", "n.txt", "--sheet", "sheet.tsv")
    sheet = (tmp_path / "sheet.tsv").read_text("utf-8")
    assert "Tad Sae\t\t\t\n" in sheet
    (tmp_path / "sheet.tsv").write_text(sheet.replace("Tad Sae\t\t\t", "Tad Sae\tyes\tyes\tno"))
    votes = json.loads(cli("keywords", "la", "annotate", "sheet.tsv", "--json").stdout)
    assert (votes["kept"], votes["rejected"], votes["undecided"]) == (1, 0, 1)
    (tmp_path / "page.html").write_text("<title>Kuang Si</title><p>From Tad Sae to Vientianne")
    found = json.loads(cli("keywords", "la", "find", "page.html", "--json").stdout)["pages"][0]
    assert found["exact"] == {"kuang si": 1, "tad sae": 1}
    assert found["by_sound"] == {"vientianne": 1}
    assert "pak ou" not in found["exact"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("atlantis",), "no country 'atlantis'"),
        (("th", "steal"), "no action 'steal'"),
        (("th", "add"), "needs names"),
        (("th", "list", "x"), "takes no names"),
        (("th", "import", "none.txt"), "no file 'none.txt'"),
        (("th", "list", "--kind", "rocket"), "kind of name"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    cli: Cli, words: tuple[str, ...], said: str
) -> None:
    found = cli("keywords", *words)
    assert found.returncode in (1, 2)
    assert said in found.stderr
    assert "Traceback" not in found.stderr
