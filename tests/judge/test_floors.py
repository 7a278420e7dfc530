"""Floors under what the judges and the charset detection reach on real text.

The n-gram profiles are made of the Universal Declaration of Human Rights, the sentences come
from elsewhere; but the number of ranks and the limits of `ngram` and `cld` were chosen with these
sentences in sight. The Declaration is also among the texts that a chain has to turn down: for
Burmese, whose chain asks n-grams, Shan and Mon are therefore text that it has learnt from.
LANGCRAWL_FLOORS=0.02 lowers the floors, for one run and on purpose, by so much.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from langcrawl.judge import make_judge
from langcrawl.judge.ngram import ngram
from langcrawl.languages import load_pack, parse_tag
from langcrawl.languages.build_profiles import read
from langcrawl.languages.charsets import codec_name
from langcrawl.languages.profiles import all_profiles
from langcrawl.page import decode
from langcrawl.records import Content

LOWERED = float(os.environ.get("LANGCRAWL_FLOORS", "0"))
SENTENCES = 100
"""Of each language, every tenth of its thousand sentences."""
NEGATIVES = 15
"""Texts of each other language that a chain has to turn down."""
LONG = 300
"""Characters of a text that counts as a page."""


def sentences(shared: Path) -> dict[str, list[str]]:
    """The sentences by primary language tag."""
    files = sorted((shared / "sentences").glob("*.txt"))
    return {parse_tag(path.stem).primary: path.read_text("utf-8").splitlines() for path in files}


def joined(lines: list[str]) -> Iterator[str]:
    """Lines put together to texts of 300 characters or more."""
    text = ""
    for line in lines:
        text = f"{text} {line.strip()}".strip()
        if len(text) >= LONG:
            yield text
            text = ""


def macro_accuracy(shared: Path, only_both: bool) -> float:
    have = {parse_tag(profile.tag).primary for profile in all_profiles()}
    tested = {tag: lines for tag, lines in sentences(shared).items() if tag in have}
    assert len(tested) >= 74
    judge = ngram(parse_tag("th"), among="+".join(tested) if only_both else "")
    shares = []
    for tag, lines in tested.items():
        sample = lines[:: max(1, len(lines) // SENTENCES)][:SENTENCES]
        found = [judge.judge(Content(line)).language for line in sample]
        shares.append(sum(parse_tag(answer).primary == tag for answer in found) / len(sample))
    return sum(shares) / len(shares)


def test_ngrams_among_the_languages_of_both_sets(shared: Path) -> None:
    assert macro_accuracy(shared, only_both=True) >= 0.93 - LOWERED


def test_ngrams_among_all_profiles(shared: Path) -> None:
    assert macro_accuracy(shared, only_both=False) >= 0.88 - LOWERED


def hudum(shared: Path) -> list[str]:
    """Words in the traditional script, which the file spells by the names of their letters."""
    names = "a e i o u oe ue ee n ng b p h g m l s sh t d ch j y r w f k k2 c z hh rh lh zr cr"
    letters = {name: chr(0x1820 + at) for at, name in enumerate(names.split())}
    letters |= {f"fvs{number}": chr(0x180A + number) for number in (1, 2, 3)} | {"mvs": "\u180e"}
    lines = (shared / "mongolian" / "eac-hud.tsv").read_text("utf-8").splitlines()
    spelt = [line.split("\t")[1].split() for line in lines if line.count("\t") >= 2]
    return ["".join(letters.get(name, "") for name in word) for word in spelt]


def own_texts(shared: Path, tag: str) -> list[str]:
    """Long texts in a language.

    Thai, Japanese and Cyrillic Mongolian: sentences, and for Thai messages too; for Thai and
    Japanese also the pages and feeds of the charset corpus, in charsets that only they use.
    Burmese: texts for syllable breaking, of the government and the Declaration, which its
    chain has not learnt from, in Unicode and in Zawgyi. Traditional Mongolian: words of a
    list, put together from the names of their letters, so that only the script is tested.
    Khmer and Lao: the Declaration, which their chain, CLD2 and the script, has not learnt
    from; the n-grams have, but only to refuse garbled text.
    """
    if tag in ("km", "lo"):
        return list(joined(read(shared / "udhr" / f"udhr_{KEYS[tag]}.xml").text.splitlines()))
    if tag == "my":
        folder = shared / "burmese"
        files = [*sorted((folder / "syllables").glob("*.txt")),
                 *sorted((folder / "zawgyi-pairs").glob("*.txt"))]  # fmt: skip
        return [text for path in files for text in joined(_without_notes(path))]
    if tag == "mn-Mong":
        return list(joined(hudum(shared)))
    texts = list(joined(sentences(shared)[parse_tag(tag).primary]))
    if tag == "th":
        messages = (shared / "thai" / "neu.txt").read_text("utf-8").splitlines()
        texts += list(joined(messages[:8000]))
    for folder in OWN_CHARSETS.get(tag, ()):
        files = sorted((shared / "charsets" / folder).iterdir())
        bodies = (path.read_bytes() for path in files)
        found = [unescape(_TAG.sub(" ", decode(body).text)) for body in bodies]
        texts += [text for text in found if len(text.strip()) >= LONG]
    return texts


def _without_notes(path: Path) -> list[str]:
    """The lines of a file, but for those that say where it is from."""
    return [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]


_TAG = re.compile("<[^>]*>")
KEYS = {"km": "khm", "lo": "lao"}
OWN_CHARSETS = {"th": ["TIS-620"], "ja": ["EUC-JP", "SHIFT_JIS", "CP932", "iso-2022-jp"]}
AT_LEAST = {"th": 800, "ja": 110, "my": 100, "km": 20, "lo": 20, "mn-Cyrl": 250, "mn-Mong": 60}
"""Texts of each language that there are."""


@pytest.fixture(scope="module")
def others(shared: Path) -> list[tuple[str, str]]:
    """Texts of all the languages there are: the sentences and the Declaration."""
    found = [(tag, text) for tag, lines in sentences(shared).items()
             for text in list(joined(lines))[:NEGATIVES]]  # fmt: skip
    for path in sorted((shared / "udhr").glob("udhr_*.xml")):
        declaration = read(path)
        tag = str(declaration.tag._replace(script=declaration.script))
        found += [(tag, text) for text in list(joined(declaration.text.splitlines()))[:3]]
    return found


@pytest.mark.parametrize("tag", ["th", "ja", "my", "km", "lo", "mn-Cyrl", "mn-Mong"])
def test_the_default_chain_finds_its_language_and_no_other(
    shared: Path, others: list[tuple[str, str]], tag: str
) -> None:
    judge, target = make_judge(load_pack(tag)), parse_tag(tag)
    own = own_texts(shared, tag)
    foreign = [text for other, text in others
               if parse_tag(other).primary != target.primary]  # fmt: skip
    assert len(own) >= AT_LEAST[tag]
    assert len(foreign) >= 2000
    found = sum(judge.judge(Content(text)).relevant for text in own)
    wrong = sum(judge.judge(Content(text)).relevant for text in foreign)
    assert found / len(own) >= 0.99 - LOWERED
    assert found / (found + wrong) >= 0.99 - LOWERED


def test_the_charset_is_one_that_reads_the_file_as_its_folder_says(shared: Path) -> None:
    files = sorted((shared / "charsets").glob("*/*"))
    right = 0
    for path in files:
        body, folder = path.read_bytes(), path.parent.name
        label = folder if codec_name(folder) else folder.rsplit("-", 1)[0]
        truth = body.decode(codec_name(label) or "utf-8", errors="replace")
        right += decode(body).text == truth.lstrip("\ufeff")
    assert len(files) > 400
    assert right / len(files) >= 0.96 - LOWERED
