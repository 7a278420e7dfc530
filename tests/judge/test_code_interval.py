"""The judge of paper 001, section 5: Mongolian by the interval of its codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl.errors import BadValue
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.records import Content, Verdict

MENKSOFT = "\ue2f1\ue289\ue2bc\ue2ec\ue289\ue2f9 \ue2b1\ue26c\ue2f3\ue26a"


def judge(text: str, lang: str = "mn-Mong", spec: str = "code-interval") -> Verdict:
    return make_judge(load_pack(lang), spec).judge(Content(text))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (MENKSOFT, "menksoft"),
        ("\ue245\ue250\ue261 \ue270\ue262\ue251", "saiyin"),
        ("\ue266\ue26c\ue268 \ue271\ue276\ue273", ""),
        ("ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ", "unicode"),
    ],
)
def test_each_interval_is_mongolian(text: str, encoding: str) -> None:
    for spec in ("code-interval", ""):
        verdict = judge(text, spec=spec)
        assert (verdict.language, verdict.script, verdict.relevant) == ("mn", "Mong", True)
        assert verdict.encoding == encoding
        assert verdict.score == pytest.approx(1.0)
        assert len(verdict.evidence) == 2


def test_a_page_with_chinese_around_it_counts_from_the_threshold_on() -> None:
    page = MENKSOFT + "蒙古文网站首页" * 20
    assert judge(page).language == "und"
    assert judge(page, spec="code-interval:threshold=0.05").relevant
    assert judge(page, spec="").language == "zh"
    with pytest.raises(BadValue, match="threshold must be above 0"):
        judge("", spec="code-interval:threshold=0")


@pytest.mark.parametrize(
    "text",
    ["", "Монгол хэл бол Монгол улсын хэл", "Home \uf015 \ue250 Search \uf002",
     "\ue2c7 \ue314 \ue324", "\ue88a\ue8b6\ue5d2 \ue2c0\ue2c3\ue2c6", "မြန်မာ"],
)  # fmt: skip
def test_what_is_not_mongolian_in_its_own_script_is_unknown(text: str) -> None:
    assert judge(text).language == "und"


def test_other_languages_of_the_block_are_told_by_their_letters() -> None:
    assert judge("ᠮᠠᠨᠵᡠ ᡤᡳᠰᡠᠨ ᡶᡳ ᡩᡝ ᡥᡝᡵᡤᡝᠨ ᡳᠴᡝ ᡶᡝ").relevant is False
    assert judge("ᡐᡆᡑᡆ ᡋᡅᡔᡅᡎ").language == "xal"


def test_the_words_of_the_corpus_are_relevant(shared: Path) -> None:
    words = (shared / "mongolian" / "menksoft-words.txt").read_text("utf-8").splitlines()
    pages = [" ".join(words[at : at + 40]) for at in range(0, len(words), 40)]
    found = [judge(page, spec="") for page in pages]
    assert all(verdict.relevant and verdict.encoding == "menksoft" for verdict in found)


PLAIN = "code-interval:plain=true"


def test_plain_is_the_share_of_characters_in_the_intervals_and_nothing_else() -> None:
    page = "\ue244\ue293\ue34f abcd 1"
    verdict = judge(page, spec=PLAIN)
    assert (verdict.language, verdict.script, verdict.relevant) == ("mn", "Mong", True)
    assert verdict.score == pytest.approx(3 / 10)
    assert verdict.evidence == ("3 of 10 characters in the intervals of Mongolian, 30.0%",)
    assert judge(page, spec=f"{PLAIN},threshold=0.31").language == "und"
    assert judge("\ue243\ue350", spec=PLAIN).language == "und", "just outside"


def test_plain_takes_icons_for_mongolian_and_does_not_know_unicode() -> None:
    """What the paper's rule does, and the default does not."""
    icons, unicode = "\ue2c7 \ue314 \ue324", "ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ"
    assert judge(icons, spec=PLAIN).relevant
    assert judge(icons).language == "und"
    assert judge(unicode, spec=PLAIN).language == "und"
    assert judge(unicode).relevant


def test_plain_names_the_encoding_by_interval() -> None:
    assert judge(MENKSOFT, spec=PLAIN).encoding == "menksoft"
    assert judge("\ue245\ue250\ue261", spec=PLAIN).encoding == "saiyin"
    assert judge("\ue266\ue26c\ue268", spec=PLAIN).encoding == ""
    foreign = judge(MENKSOFT, "th", PLAIN)
    assert (foreign.language, foreign.relevant, foreign.score) == ("mn", False, 0.0)
