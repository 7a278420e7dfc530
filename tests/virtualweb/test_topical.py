"""Generated webs with sections about a topic (paper 004)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from conftest import Cli
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table
from langcrawl.url import segment_of
from langcrawl.virtualweb.served import ServedLog
from langcrawl.virtualweb.topical import generate_topical, load_topical_profile, topical_profiles
from langcrawl.virtualweb.topical.profile import Ratio

ROOT = Path(__file__).resolve().parents[2]


def test_shares_with_and_without_something_are_turned_around_by_bayes_rule() -> None:
    base = 0.6
    ours, others = Ratio(found=0.8373, absent=0.3755).given(base)
    assert base * ours / (base * ours + (1 - base) * others) == pytest.approx(0.8373)
    rest = base * (1 - ours)
    assert rest / (rest + (1 - base) * (1 - others)) == pytest.approx(0.3755)


@pytest.mark.parametrize("name", topical_profiles())
def test_links_lead_to_relevant_segments_as_table_5_says(name: str, tmp_path: Path) -> None:
    profile = load_topical_profile(name)
    made = generate_topical(tmp_path / "web", profile, 3000, 7)
    graph = load_graph(tmp_path / "web")
    assert graph.pages == made.pages == 3000
    assert graph.relevant_total == made.relevant
    segments = np.unique([segment_of(url) for url in graph.urls], return_inverse=True)[1]
    degree = np.bincount(segments, graph.relevant) / np.bincount(segments)
    source = np.repeat(np.arange(graph.pages), np.diff(graph.arrays.offsets))
    pairs = np.stack([segments[source], segments[graph.arrays.dst]])
    good = degree[pairs] >= 0.5
    between = pairs[0] != pairs[1]
    ratios = [good[1][between & (good[0] == kind)].mean() for kind in (True, False)]
    assert ratios[0] == pytest.approx(profile.sources.found, abs=0.08)
    assert ratios[1] == pytest.approx(profile.sources.absent, abs=0.05)
    anchors = read_table(tmp_path / "web", "links", ["anchor", "context"])
    assert anchors["anchor"].null_count == anchors["context"].null_count == 0


def test_the_same_seed_makes_the_same_web_and_another_one_another(cli: Cli, tmp_path: Path) -> None:
    words = ("synth", "--profile", "thai-diving-2014", "--pages", "400", "--seed")
    for folder, seed in (("a", "3"), ("b", "3"), ("c", "4")):
        assert cli(*words, seed, folder).returncode == 0
    urls = {name: read_table(tmp_path / name, "urls", ["url"])["url"].to_pylist() for name in "abc"}
    assert urls["a"] == urls["b"] != urls["c"]


def test_served_pages_have_the_more_words_of_the_topic_the_higher_they_score(
    tmp_path: Path,
) -> None:
    profile = load_topical_profile("thai-diving-2014")
    generate_topical(tmp_path / "web", profile, 400, 2)
    served = ServedLog(tmp_path / "web")
    graph = served.graph
    shares: dict[bool, list[float]] = {True: [], False: []}
    for page in np.flatnonzero(graph.arrays.status == 200).tolist():
        text = served.answer_page(page).body.decode("utf-8").partition("<ul>")[0].lower()
        words = re.findall("[a-z]+", text)
        shares[bool(graph.relevant[page])].append(sum(word in profile.topic for word in words))
    assert np.mean(shares[True]) > 3 * np.mean(shares[False]) > 0
    assert served.answer_page(3) == ServedLog(tmp_path / "web").answer_page(3)


def test_every_key_and_profile_is_documented() -> None:
    text = (ROOT / "docs" / "virtual-webs.md").read_text("utf-8")
    profile = load_topical_profile(topical_profiles()[0])
    for key in {*type(profile).model_fields} - {"name", "says"} | {*topical_profiles()}:
        assert f"`{key}`" in text, key
