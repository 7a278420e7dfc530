"""The judges that read n-grams: ngram, charset+ngram, mean-distance."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from langcrawl.errors import BadInput, BadValue, LangcrawlError, UnknownName
from langcrawl.judge import make_judge
from langcrawl.judge.mean_distance import (
    MeanDistanceJudge,
    mean_distance_to,
    read_model,
    train,
    write_model,
)
from langcrawl.languages import load_pack, parse_tag
from langcrawl.records import Charsets, Content, Verdict
from langcrawl.virtualweb.phrases import PHRASES


def judge(lang: str, spec: str, text: str, meta: str = "") -> Verdict:
    content = Content(text, Charsets(meta=meta))
    return make_judge(load_pack(lang), spec).judge(content)


def joined(language: str) -> str:
    return " ".join(PHRASES[language])


@pytest.mark.parametrize("language", sorted(set(PHRASES) - {"zh", "id", "en"}))
def test_ngrams_know_a_paragraph(language: str) -> None:
    verdict = judge(language, "ngram", joined(language))
    assert (verdict.language, verdict.relevant) == (language, True), verdict.evidence
    assert 0 < verdict.score < 1
    assert verdict.script
    assert language in verdict.evidence[0]


def test_near_languages_are_all_named_and_too_many_are_unknown() -> None:
    text = "Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima."
    several = judge("hr", "ngram:factor=1.3", text)
    assert {"hr", "bs"} <= {part.split()[0] for part in several.evidence[0][9:].split(", ")}
    unknown = judge("hr", "ngram:factor=1.3,most=1", text)
    assert unknown.language == "und"
    assert "about as near" in unknown.evidence[0]


def test_only_languages_that_are_asked_for_are_candidates() -> None:
    assert judge("nl", "ngram:among=nl+th", joined("de")).language == "nl"
    verdict = judge("th", "ngram:among=th", joined("de"))
    assert (verdict.language, verdict.relevant) == ("und", False)


def test_mongolian_is_kept_apart_by_script() -> None:
    text = "Монгол хэл бол Монгол улсын албан ёсны хэл юм. Хүн бүр эрх чөлөөтэй төрдөг."
    verdict = judge("mn-Cyrl", "ngram", text)
    assert (verdict.language, verdict.script, verdict.relevant) == ("mn", "Cyrl", True)
    assert not judge("mn-Mong", "ngram", text).relevant


def test_chinese_is_told_apart_by_its_spelling() -> None:
    old = "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神對待。"
    assert judge("zh-Hant", "ngram", old).language == "zh-Hant"


# Paper 000, Table 1: the charset's language, the n-grams' language, the language of the page.
# Thai is the target, X and Z are German, Y is Japanese.
TABLE_1 = [
    ("windows-874", "de", "th"),
    ("shift_jis", "th", "th"),
    ("shift_jis", "", "ja"),
    ("", "de", "de"),
    ("", "", "und"),
    ("shift_jis", "de", "ja"),
]


@pytest.mark.parametrize(("meta", "language", "decided"), TABLE_1)
def test_table_1_row_by_row(meta: str, language: str, decided: str) -> None:
    text = joined(language) if language else "404"
    verdict = judge("th", "charset+ngram", text, meta)
    assert (verdict.language, verdict.relevant) == (decided, decided == "th")
    assert len(verdict.evidence) >= 2


def test_of_several_answers_the_target_counts_then_english_then_the_first() -> None:
    text = joined("en")
    assert judge("sco", "ngram:factor=1.4,most=500", text).language != "sco"
    assert judge("sco", "charset+ngram:factor=1.4,most=500", text).language == "sco"
    assert judge("th", "charset+ngram:factor=1.4,most=500", text).language == "en"
    dutch = judge("th", "charset+ngram", joined("nl"))
    assert dutch.language == "nl"
    many = judge("th", "charset+ngram:factor=2,most=500", joined("nl"))
    assert many.language == "en"


def test_algorithm_1_ranks_the_windows_of_sample_texts() -> None:
    assert train(["abab", "abc"], 2) == ("ab", "ba", "bc")
    assert train(["ab ab"], 3) == ()


def test_algorithm_1_slides_its_window_over_sentences() -> None:
    """Paper 001, Algorithm 1, line 4: L(S[i]) is the length of a sentence, not of a word."""
    assert train(["ab ab. ba"], 3, over="sentences") == ("ab ", "b a", " ab")
    assert train(["ab, AB!\nc"], 2, over="sentences") == ("ab", "b ", " a")
    assert train(["กข ค၊ ง"], 2, over="sentences") == ("กข", "ข ", " ค")
    assert mean_distance_to(("ab", "b ", " a"), "ab ab", 2, over="sentences") == 0
    assert mean_distance_to(("ab", "b ", " a"), "ab. ab", 2, over="sentences") == 0


def test_windows_over_sentences_know_which_words_follow_each_other() -> None:
    own, other = "abc def abc def. " * 20, "abc abc def def. " * 20
    far = {
        over: mean_distance_to(train([own], 3, over), other, 3, over) / len(train([own], 3, over))
        for over in ("words", "sentences")
    }
    assert far["words"] == 0 < far["sentences"]


def test_the_shipped_profiles_have_windows_over_sentences_of_two_letters() -> None:
    spec = "mean-distance:over=sentences,threshold=0.3"
    assert judge("ru", spec, joined("ru")).relevant
    assert not judge("ru", spec, joined("de")).relevant
    made = make_judge(load_pack("ru"), spec)
    assert isinstance(made, MeanDistanceJudge)
    assert {piece[0] == " " or piece[1] == " " for piece in made.model} == {True, False}


def test_a_model_over_sentences_is_used_over_sentences(tmp_path: Path) -> None:
    path = tmp_path / "model.txt"
    write_model(path, train([joined("en")], 3, over="sentences"))
    spec = f"mean-distance:n=3,threshold=0.2,model={path}"
    assert judge("en", f"{spec},over=sentences", joined("en")).relevant
    with pytest.raises(BadInput, match="add over=sentences"):
        judge("en", spec, joined("en"))
    with pytest.raises(BadValue, match="for n=2 only"):
        judge("en", "mean-distance:n=3,over=sentences", "")
    with pytest.raises(BadValue, match="words or sentences"):
        judge("en", "mean-distance:over=pages", "")


def test_algorithm_2_is_the_mean_of_the_differences_in_place() -> None:
    model = ("ab", "ba", "bc", "cd")
    assert mean_distance_to(model, "abab", 2) == 0
    # ba 0, ab 1, in the model ab 0, ba 1: (1 + 1) / 2
    assert mean_distance_to(model, "baba b ba", 2) == 1
    # ab 0 and xy 1; xy is not in the model, MAX = 4: (0 + 4) / 2
    assert mean_distance_to(model, "abxy"[:2] + " xy", 2) == 2
    assert mean_distance_to(model, "", 2) == 4


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_text_in_the_language_is_nearer_than_one_in_another(n: int) -> None:
    made = make_judge(load_pack("ru"), f"mean-distance:n={n}")
    assert isinstance(made, MeanDistanceJudge)
    own, other = made.similarity(joined("ru")), made.similarity(joined("de"))
    assert other == 0 < own < 1


def test_the_mean_distance_is_reported_as_a_likeness_with_a_threshold() -> None:
    verdict = judge("th", "mean-distance", joined("th"))
    assert (verdict.language, verdict.relevant) == ("th", True)
    assert verdict.score >= 0.45
    refused = judge("th", f"mean-distance:threshold={verdict.score + 0.01:.3f}", joined("th"))
    assert (refused.language, refused.relevant) == ("und", False)
    assert judge("th", "mean-distance", "สวัสดี").language == "und"


def test_a_model_that_was_learnt_is_kept_and_used(tmp_path: Path) -> None:
    path = tmp_path / "model.txt"
    write_model(path, train(PHRASES["my"][:9], 3))
    assert read_model(path, 3) == train(PHRASES["my"][:9], 3)
    spec = f"mean-distance:n=3,threshold=0.1,model={path}"
    assert judge("my", spec, " ".join(PHRASES["my"][9:])).relevant
    assert not judge("my", spec, joined("th")).relevant
    with pytest.raises(BadInput, match="2 letters per line"):
        judge("my", f"mean-distance:n=2,model={path}", "")
    with pytest.raises(BadInput, match="cannot be read"):
        judge("my", f"mean-distance:model={tmp_path}/none", "")


@pytest.mark.parametrize("spec", ["ngram", "charset+ngram", "mean-distance"])
def test_judges_can_be_sent_to_another_process(spec: str) -> None:
    sent = pickle.loads(pickle.dumps(make_judge(load_pack("th"), spec)))
    assert sent.judge(Content(joined("th"))).relevant


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("ngram:factor=0.9", BadValue, "factor must be 1 or more"),
        ("ngram:most=0", BadValue, "most and shortest"),
        ("ngram:least=1", BadValue, "least"),
        ("ngram:among=th+xx", UnknownName, "'xx'"),
        ("mean-distance:n=5", BadValue, "2, 3 or 4"),
        ("mean-distance:threshold=0", BadValue, "threshold"),
    ],
)
def test_a_judge_that_cannot_be_made_says_why(
    spec: str, error: type[LangcrawlError], message: str
) -> None:
    with pytest.raises(error, match=message):
        make_judge(load_pack("th"), spec)


def test_a_language_without_a_profile_needs_a_model() -> None:
    assert str(parse_tag("tlh")) == "tlh"
    pack = load_pack("th").model_copy(update={"tag": "tlh"})
    with pytest.raises(BadInput, match="no n-gram profile of tlh"):
        make_judge(pack, "mean-distance")
