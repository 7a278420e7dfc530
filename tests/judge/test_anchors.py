"""Anchors as a crawl scores them for the strategy `correlation`."""

from __future__ import annotations

import pickle

import pytest

from langcrawl.judge import make_anchor_scorer
from langcrawl.languages import load_pack
from langcrawl.script.zawgyi_glyphs import from_unicode
from langcrawl.virtualweb.phrases import WORDS


@pytest.mark.parametrize("tag", ["th", "my"])
def test_anchors_in_the_target_score_above_all_others(tag: str) -> None:
    scorer = make_anchor_scorer(load_pack(tag))
    own = [scorer.score(word) for word in WORDS[tag]]
    others = [scorer.score(word) for each in WORDS if each != tag for word in WORDS[each]]
    assert min(own) > max(others)
    assert all(0 <= score <= 1 for score in own + others)


@pytest.mark.parametrize("anchor", ["", "   ", "\n", "\u00a0", "»", "12", "\uf015", "\uf015\uf0e0"])
@pytest.mark.parametrize("tag", ["th", "my", "mn-Mong", "en"])
def test_empty_anchors_images_and_icons_score_nothing(anchor: str, tag: str) -> None:
    assert make_anchor_scorer(load_pack(tag)).score(anchor) == 0.0


def test_legacy_encodings_are_read_first() -> None:
    scorer = make_anchor_scorer(load_pack("my"))
    text = "ဆောင်းပါး နှင့် သတင်းများ ဆက်ဖတ်ရန်"
    assert scorer.score(from_unicode(text).text) == pytest.approx(scorer.score(text), abs=0.02)
    mongolian = make_anchor_scorer(load_pack("mn-Mong"))
    assert mongolian.score("\ue246\ue250\ue251\ue25a") == 1.0  # Saiyin: by its script alone
    assert mongolian.score("首页") == 0.0


def test_a_scorer_can_be_sent_to_a_worker() -> None:
    scorer = make_anchor_scorer(load_pack("th"))
    assert pickle.loads(pickle.dumps(scorer)).score("ข่าว") == scorer.score("ข่าว")
