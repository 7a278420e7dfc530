"""Floors of recognition and conversion, measured on real text; they may only be raised.

Equality of characters is measured line by line in Unicode's normal form NFC (which orders
dot below and asat, canonically equivalent either way): characters in the matching blocks of
difflib, over the characters of the longer of the two lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import Path
from xml.etree import ElementTree

import pytest

from langcrawl.script import convert, detect, menksoft, win_innwa, zawgyi, zawgyi_glyphs
from langcrawl.virtualweb.legacy import write_in

PAIRS = {
    "udhr": ("udhr_mya_zawgyi_out.txt", "udhr_mya_unicode_src.txt"),
    "mmgov": ("mmgov_zawgyi_src.txt", "mmgov_unicode_out.txt"),
}


def pairs(shared: Path, name: str) -> list[tuple[str, str]]:
    """Lines in Zawgyi and in Unicode, without the remarks at the top."""
    folder = shared / "burmese" / "zawgyi-pairs"
    sides = [(folder / file).read_text("utf-8").split("\n") for file in PAIRS[name]]
    lines = list(zip(*sides, strict=True))
    return [line for line in lines if re.search("[\u1000-\u109f]", line[0])]


def equality(found: Iterable[tuple[str, str]]) -> float:
    same = whole = 0
    for ours, theirs in found:
        a, b = (unicodedata.normalize("NFC", each) for each in (ours, theirs))
        match = SequenceMatcher(None, a, b, autojunk=False)
        same += sum(block.size for block in match.get_matching_blocks())
        whole += max(len(a), len(b))
    return same / whole


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", PAIRS)
def test_pieces_of_100_characters_are_told_apart(shared: Path, name: str, side: int) -> None:
    text = " ".join(pair[side] for pair in pairs(shared, name))
    pieces = [text[at : at + 100] for at in range(0, len(text) - 99, 100)]
    right = sum(detect(piece).encoding == ("zawgyi", "unicode")[side] for piece in pieces)
    assert len(pieces) >= 50
    assert right / len(pieces) >= 0.995


@pytest.mark.parametrize(("name", "floor"), [("udhr", 0.9995), ("mmgov", 0.9985)])
def test_zawgyi_becomes_the_unicode_of_the_pair(shared: Path, name: str, floor: float) -> None:
    found = pairs(shared, name)
    assert equality((zawgyi.to_unicode(ours).text, theirs) for ours, theirs in found) >= floor
    whole, theirs = ("\n".join(side) for side in zip(*found, strict=True))
    assert equality([(convert(whole)[1].text, theirs)]) >= floor


@pytest.mark.parametrize(("name", "floor"), [("udhr", 0.9995), ("mmgov", 0.9985)])
def test_unicode_survives_the_way_to_zawgyi_and_back(shared: Path, name: str, floor: float) -> None:
    texts = [unicode for _, unicode in pairs(shared, name)]
    back = [zawgyi.to_unicode(zawgyi_glyphs.from_unicode(text).text).text for text in texts]
    assert equality(zip(back, texts, strict=True)) >= floor


def test_real_unicode_text_is_not_touched(shared: Path) -> None:
    for name in PAIRS:
        text = "\n".join(unicode for _, unicode in pairs(shared, name))
        assert convert(text)[1].text == text
    for code in ("shn", "mnw", "tha", "khm", "eng", "khk", "khk_mong"):
        text = (shared / "udhr" / f"udhr_{code}.xml").read_text("utf-8")
        assert convert(text)[1].text == text, code


def test_the_win_innwa_pairs_are_converted(shared: Path) -> None:
    folder = shared / "burmese" / "win-innwa"
    for file, to_unicode in (("uni2win", win_innwa.to_unicode), ("uni2zgy", zawgyi.to_unicode)):
        lines = (folder / f"{file}-conversion.txt").read_text("utf-8").strip().split("\n")
        both = [line.split("\t") for line in lines]
        assert equality((to_unicode(typed).text, text) for text, typed in both) == 1.0


def test_english_among_burmese_in_win_innwa_stays_english(shared: Path) -> None:
    """On pages in the font, sentences in English stand in the same line as Burmese ones."""
    tree = ElementTree.parse(shared / "udhr" / "udhr_mya.xml")
    lines = [line.strip() for text in tree.getroot().itertext() for line in text.split("\n")]
    written = (write_in(line, "win-innwa") for line in lines if len(line) > 20)
    burmese = [line for line in written if not re.search("[\u1000-\u109f]", line)]
    pairs = (shared / "burmese" / "win-innwa" / "uni2win-conversion.txt").read_text("utf-8")
    alone = [*burmese, " ".join(line.split("\t")[1] for line in pairs.strip().split("\n"))]
    for line in alone:
        assert convert(line, fonts=["WinInnwa"])[1].text == win_innwa.to_unicode(line).text
    english = (shared / "sentences" / "en.txt").read_text("utf-8").splitlines()[1:600:2]
    kept = right = 0
    for number, sentence in enumerate(english):
        first, last = (burmese[at % len(burmese)] for at in (number, 7 * number + 3))
        done = convert(f"{first} {sentence} {last}", fonts=["WinInnwa"])[1].text
        kept += sentence in done
        right += done.startswith(win_innwa.to_unicode(first).text)
    assert kept / len(english) > 0.8  # whole sentences, to the letter
    assert right / len(english) > 0.95


def test_no_real_sentence_is_taken_for_a_legacy_encoding(shared: Path) -> None:
    """Of every other sentence: the rest were counted for the odds of Win Innwa."""
    wrong = total = 0
    for path in sorted((shared / "sentences").glob("*.txt")):
        for line in path.read_text("utf-8").splitlines()[1::2]:
            total += 1
            wrong += detect(line).encoding != "unicode"
    assert total > 30_000
    assert wrong / total <= 0.0001


def test_every_menksoft_code_with_a_letter_is_mapped(shared: Path) -> None:
    listed = {}
    for line in (shared / "mongolian" / "menksoft.yaml").read_text("utf-8").splitlines():
        if found := re.match(r"0x(\w+): ([^#\s]+)", line):
            listed[chr(int(found[1], 16))] = found[2]
    del listed[" "]
    assert len(listed) > 580
    table = menksoft.table()
    for code, name in listed.items():
        assert code in table, f"{ord(code):X}"
        if (letter := re.match(r"u(?:ni)?([0-9A-F]+)\.", name)) and code != "\ue275":
            assert table[code] == chr(int(letter[1], 16))


def test_menksoft_words_are_recognised_and_converted_without_a_rest(shared: Path) -> None:
    words = (shared / "mongolian" / "menksoft-words.txt").read_text("utf-8").splitlines()
    found = [detect(word).encoding == "menksoft" for word in words]
    assert len(words) > 8000
    assert sum(found) / len(words) >= 0.99
    done = [menksoft.to_unicode(word) for word in words]
    assert not any(each.unmapped for each in done)
    assert all(re.fullmatch("[\u1800-\u180f\u1820-\u18aa\u202f ]+", each.text) for each in done)
