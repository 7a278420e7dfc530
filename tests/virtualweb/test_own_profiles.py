"""A profile of one's own: what may stand in it, and which sentence says what may not."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import tomli_w

from langcrawl.errors import BadInput
from langcrawl.url import segment_of
from langcrawl.virtualweb.synth import load_profile
from langcrawl.virtualweb.synth.web import plan_web
from langcrawl.virtualweb.topical import load_topical_profile, topical_profiles
from langcrawl.virtualweb.topical.plan import Goals, Vocabulary, draw_sites
from langcrawl.virtualweb.topical.profile import Ratio
from langcrawl.virtualweb.topical.text import TopicalText, topical_text

OWN: dict[str, Any] = {
    "says": "a web of my own",
    "lang": "ko",
    "domains": {
        ".kr": {"target": 30, "bridge": 10, "unknown": 10, "suffixes": {"co.kr": 1.0}},
        ".com": {"target": 10, "bridge": 30, "other": 5, "unknown": 10},
    },
    "languages": {"ja": 1.0},
    "hosts": {"pages_per_host": 10.0, "pages_per_target_host": 15.0},
    "pages": {"target_share": 0.7, "leaves_on_target_hosts": 0.2},
    "links": {
        kind: {"same_host": 5.0, "same_domain": 0.5, "other_domain": 2.0, "unfetched": 1.0}
        for kind in ("target", "foreign")
    },
}


def written(folder: Path, change: Callable[[dict[str, Any]], object] | None = None) -> str:
    profile = deepcopy(OWN)
    if change is not None:
        change(profile)
    path = folder / "own.toml"
    path.write_bytes(tomli_w.dumps(profile).encode())
    return str(path)


def test_a_file_is_a_profile_and_is_called_by_its_path(tmp_path: Path) -> None:
    name = written(tmp_path)
    profile = load_profile(name)
    assert (profile.name, profile.lang, profile.bridge, profile.seeds) == (name, "ko", "en", 3)
    named = load_profile(written(tmp_path, lambda own: own.update(name="mine")))
    assert named.name == "mine"


def test_languages_are_named_as_people_do(tmp_path: Path) -> None:
    path = written(tmp_path, lambda own: own.update(lang="Korean", bridge="jpn"))
    assert (load_profile(path).lang, load_profile(path).bridge) == ("ko", "ja")


def test_a_web_is_made_of_it(tmp_path: Path) -> None:
    web, _ = plan_web(load_profile(written(tmp_path)), 2_000, 1)
    names = web.names.to_pylist()
    assert all(name.endswith((".co.kr", ".com")) for name in names)
    assert web.tongues.tags == ("und", "ko", "en", "ja")
    share = float((web.labels.language == 1).mean())
    assert share == pytest.approx(40 / 105, abs=0.05)


def put(*keys: str, value: object) -> Callable[[dict[str, Any]], object]:
    def change(own: dict[str, Any]) -> None:
        *path, last = keys
        for key in path:
            own = own[key]
        own[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("lang", value="klingonese"), "klingonese"),
        (put("domains", value={}), "no domain has a page in the target language"),
        (put("domains", "kr", value={"target": 1, "bridge": 9, "unknown": 0}), "begin with a dot"),
        (put("domains", ".kr", "target", value=-1), "target"),
        (put("domains", ".kr", "target", value=500), "more target pages than its target hosts"),
        (put("domains", ".kr", "encodings", value={"x": 1.0}), "either all domains or none"),
        (put("pages", "bridge_home", value=0.95), "bridge_home and frame_home"),
        (put("pages", "target_text", value={"1.5": 1.0}), "shares from 0 to 1"),
        (put("pages", "leaves_on_target_hosts", value=0.4), "add up to more than one"),
        (put("pages", "mixed", value="some"), "mixed"),
        (put("hosts", "size_tail", value=0.1), "size_tail"),
        (put("links", "branching", value=1.0), "branching"),
        (put("links", "target", "same_hosts", value=1.0), "same_hosts"),
        (put("seeds", value=0), "seeds"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    path = written(tmp_path, change)
    with pytest.raises(BadInput, match=words) as told:
        load_profile(path)
    assert "\n" not in str(told.value)
    assert path in str(told.value)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a = ", b"[x"])
def test_a_file_that_cannot_be_read_is_said(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "own.toml").write_bytes(data)
    with pytest.raises(BadInput, match=r"cannot be read .* fix the file"):
        load_profile(str(tmp_path / "own.toml"))
    with pytest.raises(BadInput, match="cannot be read"):
        load_profile(str(tmp_path))


class TestTopicalWebs:
    """Sites and segments of webs about a topic, before they are written."""

    @pytest.mark.parametrize("name", topical_profiles())
    def test_pages_are_counted_on_and_urls_are_distinct(self, name: str) -> None:
        profile = load_topical_profile(name)
        sites = draw_sites(profile, 1_500, Random(1))
        segments = [segment for site in sites for segment in site.segments]
        assert sum(len(segment.urls) for segment in segments) == 1_500
        assert [segment.number for segment in segments] == list(range(len(segments)))
        ends = np.cumsum([len(segment.urls) for segment in segments]).tolist()
        assert [segment.first for segment in segments] == [0, *ends[:-1]]
        urls = [url for segment in segments for url in segment.urls]
        assert len(set(urls)) == len(urls)
        assert len({site.host for site in sites}) == len(sites)

    def test_a_segment_of_the_plan_is_a_segment_of_its_urls(self) -> None:
        for site in draw_sites(load_topical_profile(topical_profiles()[0]), 500, Random(2)):
            for segment in site.segments:
                assert {segment_of(url) for url in segment.urls} == {f"{site.host}{segment.path}"}

    def test_as_many_segments_are_relevant_as_the_profile_says(self) -> None:
        profile = load_topical_profile(topical_profiles()[0])
        sites = draw_sites(profile, 20_000, Random(3))
        flags = [segment.relevant for site in sites for segment in site.segments]
        assert np.mean(flags) == pytest.approx(profile.relevant_segments, abs=0.05)

    def test_links_lead_elsewhere_and_by_the_ratio_of_the_table(self) -> None:
        profile = load_topical_profile(topical_profiles()[0])
        segments = [s for site in draw_sites(profile, 5_000, Random(4)) for s in site.segments]
        random = Random(5)
        goals = Goals(segments, random)
        for relevant, ratio in ((True, profile.sources.found), (False, profile.sources.absent)):
            source = next(each for each in segments if each.relevant is relevant)
            drawn = [goals.draw(source, profile, random) for _ in range(3_000)]
            found = [goal for goal in drawn if goal is not None]
            assert source not in found
            assert np.mean([goal.relevant for goal in found]) == pytest.approx(ratio, abs=0.04)

    def test_where_there_is_no_such_segment_there_is_no_link(self) -> None:
        profile = load_topical_profile(topical_profiles()[0])
        (source, *_), *_ = (site.segments for site in draw_sites(profile, 200, Random(6)))
        assert Goals([], Random(1)).draw(source, profile.model_copy(update={"same_site": 0.0}),
                                         Random(1)) is None  # fmt: skip

    def test_texts_are_those_of_the_profile_that_made_the_web(self) -> None:
        name = topical_profiles()[0]
        assert isinstance(topical_text(f"synth {name} 400 pages, seed 2"), TopicalText)
        for source in ("synth thai-2005 400 pages, seed 2", "crawl", "", f"import {name}"):
            assert topical_text(source) is None

    def test_higher_scores_have_more_words_of_the_topic_and_names(self) -> None:
        profile = load_topical_profile(topical_profiles()[0])
        writer, words = TopicalText(profile), Vocabulary(profile)
        found = []
        for score in (0.0, 0.5, 1.0):
            text = " ".join(s for n in range(80) for s in writer.write(score, Random(n)))
            topical = sum(text.lower().count(word) for word in profile.topic)
            named = sum(text.count(name) for name in words.names)
            found.append((topical, named))
        assert found == sorted(found)
        assert found[2][0] > 3 * found[0][0]
        assert writer.write(0.5, Random(9)) == writer.write(0.5, Random(9))

    @pytest.mark.parametrize("base", [0.3, 0.5, 0.7])
    def test_shares_given_the_goal_give_back_the_ratio(self, base: float) -> None:
        ours, others = Ratio(found=0.8, absent=0.1).given(base)
        there = base * ours + (1 - base) * others
        assert base * ours / there == pytest.approx(0.8)
        assert base * (1 - ours) / (1 - there) == pytest.approx(0.1)
