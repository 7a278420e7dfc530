"""A score is how much a page is in the target: within 0 and 1, and 0 in another language."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judge.tongues import TONGUES

from langcrawl.errors import BadInput
from langcrawl.importers.files import AnyJudge
from langcrawl.importers.wat import _verdict
from langcrawl.judge import JUDGES, make_judge
from langcrawl.judge import cld as cld_module
from langcrawl.languages import load_pack, parse_tag
from langcrawl.languages.packs import Pack
from langcrawl.records import UNKNOWN, Charsets, Content, Verdict
from langcrawl.script.zawgyi_glyphs import from_unicode
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES
from webs import P, graph_of

TARGETS = (*TONGUES, "en", "mn", "zh", "ko", "ru")
LABELS = ("tis-620", "shift_jis", "euc-kr", "gb2312", "big5", "koi8-r", "windows-1251", "utf-8", "")
TEXTS = {
    **{tongue: " ".join(lines) for tongue, lines in TONGUES.items()},
    "en": " ".join(PHRASES["en"]),
    "zawgyi": from_unicode(" ".join(PHRASES["my"])).text,
    "menksoft": write_in(" ".join(PHRASES["mn"]), "menksoft"),
    "manchu": "ᠮᠠᠨᠵᡠ ᡤᡳᠰᡠᠨ ᠪᡳᡨᡥᡝ ᡥᡝᡵᡤᡝᠨ " * 4,
    "kayah": "ၵၢၼ် \u1075\u1082 \u108f\u1087 " * 4 + "\u1061\u1062\u1063 \u1065\u1066" * 8,
    "": "",
}


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_no_verdict_has_a_score_outside_0_and_1(score: float) -> None:
    made = Verdict("th", "Thai", "", score, True)
    assert 0.0 <= made.score <= 1.0
    assert made.score == score or not 0.0 <= score <= 1.0
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_score_just_outside_goes_to_the_nearer_end() -> None:
    scores = (1.00003, -0.1, math.nan, math.inf, -math.inf, np.float32(1.00003), 1, 0)
    assert [Verdict(score=score).score for score in scores] == [1, 0, 0, 1, 0, 1, 1, 0]


def test_a_model_that_is_more_than_sure_is_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """fastText gives 1.00003 for some texts."""

    class Model:
        def predict(self, text: str, k: int) -> tuple[tuple[str, ...], tuple[float, ...]]:
            return ("__label__th",), (1.00003,)

    monkeypatch.setattr(cld_module, "_model", Model)
    assert cld_module._fasttext("ข้อความ") == [("th", 1.0, "fastText")]


def test_a_log_with_such_scores_is_crawled_best_first() -> None:
    pages = {
        "a": P("th", ("b", "c"), score=1.00003),
        "b": P("th", ("d",), score=-0.2),
        "c": P("en", score=math.nan),
        "d": P("th"),
    }
    graph = graph_of(pages, ["a"])
    assert np.asarray(graph.score).tolist() == [1.0, 0.0, 0.0, 1.0]
    assert len(simulate(graph, make_strategy("best-first"), Plan()).order) == 4


def _learned(target: str) -> Pack:
    profile = " ".join(itertools.islice(dict.fromkeys("".join(TONGUES["th"]).replace(" ", "")), 50))
    return load_pack(target).model_copy(
        update={"profile": profile, "scripts": load_pack(target).scripts or ("Latn",)}
    )


# Those of models have tests of their own: test_fasttext_model.py and tests/topic.
@pytest.mark.parametrize("name", sorted(set(JUDGES) - {"fasttext", "topic"}))
def test_a_page_in_another_language_scores_0(name: str) -> None:
    """Whatever the judge is sure of: live best-first would follow its links first."""
    known = 0
    for lang in TARGETS:
        try:
            judge = make_judge(_learned(lang), name)
        except BadInput:  # mean-distance has no profile of the language
            continue
        for (what, text), label in itertools.product(TEXTS.items(), LABELS):
            if label and name not in ("charset", "charset+ngram"):
                continue
            verdict = judge.judge(Content(text, Charsets(meta=label, detected=label)))
            assert 0.0 <= verdict.score <= 1.0
            other = verdict.language != UNKNOWN and not parse_tag(lang).matches(
                verdict.language, verdict.script
            )
            known += other
            assert verdict.relevant or not other or verdict.score == 0.0, (lang, what, label)
            assert not (verdict.relevant and other), (lang, what, label)
    assert known > 5 or name in ("mean-distance", "learned")


@pytest.mark.parametrize("lang", TARGETS)
def test_so_it_does_by_the_chain_of_the_language(lang: str) -> None:
    judge, target = make_judge(load_pack(lang)), parse_tag(lang)
    for (what, text), label in itertools.product(TEXTS.items(), ("", "shift_jis", "tis-620")):
        verdict = judge.judge(Content(text, Charsets(meta=label)))
        if verdict.language != UNKNOWN and not target.matches(verdict.language, verdict.script):
            assert (verdict.relevant, verdict.score) == (False, 0.0), (what, label)
        elif verdict.relevant:
            assert verdict.score > 0


def test_the_cases_that_were_found() -> None:
    japanese = make_judge(load_pack("th"), "charset").judge(Content("", Charsets(meta="Shift_JIS")))
    assert (japanese.language, japanese.relevant, japanese.score) == ("ja", False, 0.0)
    shan = make_judge(load_pack("my")).judge(Content(TEXTS["shn"]))
    assert (shan.language, shan.relevant, shan.score) == ("shn", False, 0.0)
    manchu = make_judge(load_pack("mn-Mong")).judge(Content(TEXTS["manchu"]))
    assert (manchu.language, manchu.relevant, manchu.score) == ("mnc", False, 0.0)


def test_a_declared_language_scores_for_the_target_only() -> None:
    assert _verdict(Verdict(), "ja", parse_tag("th")).score == 0.0
    assert _verdict(Verdict(), "th-TH", parse_tag("th")).score == 1.0


def test_who_is_asked_without_a_target_says_how_sure_it_is() -> None:
    for what in ("shn", "mnw", "manchu", "th", "zawgyi", "menksoft"):
        verdict = AnyJudge().judge(Content(TEXTS[what]))
        assert verdict.score > 0.5, (what, verdict)
