"""Generated webs on the disk: however they are cut into segments, and whatever interrupts them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table, segments
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES, WORDS
from langcrawl.virtualweb.synth import generate, load_profile, write
from langcrawl.virtualweb.topical import generate_topical, load_topical_profile, topical_profiles

PAGES = 600
Make = Callable[..., object]


def make_plain(directory: Path, **more: object) -> object:
    return generate(directory, load_profile("myanmar-2014"), PAGES, 5, **more)  # type: ignore[arg-type]


def make_topical(directory: Path, **more: object) -> object:
    return generate_topical(
        directory,
        load_topical_profile("thai-diving-2014"),
        PAGES,
        5,
        **more,  # type: ignore[arg-type]
    )


BOTH = pytest.mark.parametrize("make", [make_plain, make_topical], ids=["plain", "topical"])


def test_segments_change_no_page_and_no_link_to_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_plain(tmp_path / "one")
    monkeypatch.setattr(write, "_CHUNK", 170)
    monkeypatch.setattr(write, "_UNFETCHED_CHUNK", 100)
    make_plain(tmp_path / "many")
    assert len(segments(tmp_path / "many")) > 5
    one, many = (
        {name: read_table(tmp_path / folder, name) for name in ("urls", "pages", "links")}
        for folder in ("one", "many")
    )
    assert many["pages"].to_pylist() == one["pages"].to_pylist()
    for name in ("url", "host"):
        assert many["urls"][name].to_pylist()[:PAGES] == one["urls"][name].to_pylist()[:PAGES]
    pairs = [
        [
            (row["src"], row["dst"], row["anchor"] is None)
            for row in each["links"].to_pylist()
            if row["dst"] < PAGES
        ]
        for each in (one, many)
    ]
    assert pairs[0] == pairs[1]
    graph = load_graph(tmp_path / "many")
    assert graph.pages == PAGES
    assert graph.nodes == len(many["urls"])


@BOTH
def test_an_interrupted_web_is_not_there(make: Make, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        make(tmp_path / "web", stop=lambda: True)
    assert not (tmp_path / "web").exists()
    make(tmp_path / "web")
    with pytest.raises(BadInput, match="already holds a crawl"):
        make(tmp_path / "web")


@BOTH
def test_progress_begins_with_nothing_and_never_goes_back(make: Make, tmp_path: Path) -> None:
    told: list[tuple[int, float | None]] = []
    make(tmp_path / "web", progress=lambda done, share=None, *_: told.append((done, share)))
    assert told[0] == (0, 0.0)
    assert told == sorted(told)
    assert told[-1][0] <= PAGES


@BOTH
def test_what_is_told_of_a_web_is_what_its_log_says(make: Make, tmp_path: Path) -> None:
    made = make(tmp_path / "web")
    graph = load_graph(tmp_path / "web")
    config = CrawlConfig.load(tmp_path / "web")
    assert (made.pages, made.urls) == (graph.pages, graph.nodes)  # type: ignore[attr-defined]
    assert made.relevant == graph.relevant_total > 0  # type: ignore[attr-defined]
    assert made.hosts <= len(graph.hosts)  # type: ignore[attr-defined]
    assert made.links == read_table(tmp_path / "web", "links").num_rows  # type: ignore[attr-defined]
    assert config.seeds == made.seeds  # type: ignore[attr-defined]
    assert config.source.startswith("synth ")
    assert config.source.endswith(" 600 pages, seed 5")
    assert all(0 <= node < graph.pages for node in graph.find(config.seeds))


class TestTopical:
    """Pages and links of a web about a topic."""

    @pytest.fixture(scope="class", params=topical_profiles())
    @classmethod
    def web(cls, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
        folder = tmp_path_factory.mktemp("topical") / "web"
        generate_topical(folder, load_topical_profile(request.param), 800, 3)
        return folder

    def test_scores_part_relevant_pages_from_others(self, web: Path) -> None:
        pages = read_table(web, "pages", ["score", "relevant", "language", "status"])
        relevant = pages["relevant"].to_numpy(zero_copy_only=False)
        score = pages["score"].to_numpy()
        assert (score[relevant] >= 0.5).all()
        assert (score[~relevant] < 0.5).all()
        languages = np.array(pages["language"].to_pylist())
        assert set(languages[relevant]) == {"en"}
        assert (score[languages != "en"] == 0).all()
        assert set(pages["status"].to_pylist()) == {200}

    def test_every_segment_can_be_read_from_its_first_page(self, web: Path) -> None:
        graph = load_graph(web)
        linked = np.zeros(graph.nodes, bool)
        linked[graph.arrays.dst] = True
        roots = [url.endswith("/") for url in graph.urls]
        assert linked[~np.array(roots)].all()  # all others hang below another page

    def test_links_say_something_and_stand_in_order(self, web: Path) -> None:
        links = read_table(web, "links", ["src", "position", "anchor", "context"])
        assert all(links["anchor"].to_pylist())
        assert all(len(text.split()) >= 10 for text in links["context"].to_pylist())
        src, position = links["src"].to_numpy(), links["position"].to_numpy()
        same = src[1:] == src[:-1]
        assert (np.diff(position)[same] > 0).all()

    def test_a_host_has_one_address(self, web: Path) -> None:
        urls = read_table(web, "urls", ["host"])["host"].to_pylist()
        pages = read_table(web, "pages", ["id", "ip"]).to_pylist()
        pairs = {(urls[row["id"]], row["ip"]) for row in pages}
        assert len(pairs) == len({host for host, _ in pairs}) == len({ip for _, ip in pairs})


@pytest.mark.parametrize(
    ("encoding", "tag", "letters"),
    [
        ("zawgyi", "my", ("\u1000", "\u109f")),
        ("menksoft", "mn", ("\ue234", "\ue34f")),
        ("saiyin", "mn", ("\ue244", "\ue27f")),
    ],
)
def test_old_encodings_have_their_codes_and_leave_spaces_where_they_are(
    encoding: str, tag: str, letters: tuple[str, str]
) -> None:
    for text in (*PHRASES[tag], *WORDS[tag]):
        written = write_in(text, encoding)
        assert written.count(" ") == text.count(" ")
        inside = [sign for sign in written if letters[0] <= sign <= letters[1]]
        assert len(inside) > 0.6 * len(written.replace(" ", ""))
        assert written == write_in(text, encoding)


def test_win_innwa_is_written_with_latin_codes() -> None:
    for text in PHRASES["my"]:
        assert all(ord(sign) < 0x2200 for sign in write_in(text, "win-innwa") if sign != "။")
