"""Generated webs in legacy encodings: what is written can be read, and is what the profile says."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from langcrawl.config import CrawlConfig
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table
from langcrawl.page.decode import decode
from langcrawl.page.extract import extract
from langcrawl.records import Content, Limits, Verdict
from langcrawl.run import run_crawl
from langcrawl.script import convert, detect
from langcrawl.simulate import Plan, Source, as_urls, open_graph, simulate
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES, WORDS
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.served import ServedLog
from langcrawl.virtualweb.synth import generate, load_profile

MY = [*PHRASES["my"], *WORDS["my"]]
MN = [*PHRASES["mn"], *WORDS["mn"]]


@pytest.mark.parametrize("text", MY)
def test_burmese_is_read_back_from_the_old_fonts(text: str) -> None:
    assert convert(write_in(text, "zawgyi"), "zawgyi")[1].text == text
    assert convert(write_in(text, "win-innwa"), "win-innwa")[1].text == text
    assert write_in(text, "win-innwa").encode("latin-1")


@pytest.mark.parametrize("text", MN)
def test_mongolian_is_read_back_from_menksoft_and_recognised_in_saiyin(text: str) -> None:
    menksoft, saiyin = write_in(text, "menksoft"), write_in(text, "saiyin")
    assert convert(menksoft)[1].text == text
    assert [detect(menksoft).encoding, detect(saiyin).encoding] == ["menksoft", "saiyin"]


@pytest.fixture(scope="module")
def webs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {}
    for name, pages in (("myanmar-2014", 12_000), ("mongolian-2014", 30_000)):
        made[name] = tmp_path_factory.mktemp(name) / "web"
        generate(made[name], load_profile(name), pages, 3)
    return made


def test_domains_and_encodings_come_out_as_the_profile_says(webs: dict[str, Path]) -> None:
    pages = read_table(webs["myanmar-2014"], "pages", ["relevant", "encoding", "score"])
    relevant = pages["relevant"].to_numpy()
    found = Counter(np.array(pages["encoding"].to_pylist())[relevant].tolist())
    shares = {name: count / sum(found.values()) for name, count in found.items()}
    assert shares["zawgyi"] == pytest.approx(0.82, abs=0.08)
    assert set(shares) == {"zawgyi", "win-innwa", "unicode"}
    score = pages["score"].to_numpy()
    assert (score[relevant] > 0.025).all()
    assert 0 < np.count_nonzero(score[~relevant] > 0.03) < 0.01 * len(score)


@lru_cache
def _contents(directory: Path) -> list[tuple[str, bool, float, Content]]:
    """Some pages as judges are given them, with what the log says of each; read once."""
    served = ServedLog(directory)
    nodes = [n for n in range(served.graph.pages) if served.graph.arrays.status[n] == 200]
    found = []
    for node in [*[n for n in nodes if served.encodings[n]][::7], *nodes[::400]]:
        body = served.answer_page(node).body
        decoded = decode(body, "text/html")
        content = extract(decoded.text, "http://a/", decoded.charsets)
        truth = bool(served.graph.relevant[node])
        found.append((served.encodings[node], truth, float(served.graph.score[node]), content))
    return found


def _verdicts(directory: Path, lang: str, judge: str) -> list[tuple[str, bool, float, Verdict]]:
    made = make_judge(load_pack(lang), judge)
    return [
        (encoding, truth, share, made.judge(content))
        for encoding, truth, share, content in _contents(directory)
    ]


def test_myanmar_pages_are_written_with_the_share_and_the_encoding_of_the_log(
    webs: dict[str, Path],
) -> None:
    found = _verdicts(webs["myanmar-2014"], "my", "syllables:threshold=0.03")
    clear = [each for each in found if each[2] > 0.1 or each[2] < 0.015]
    assert len(clear) > 100
    for encoding, truth, share, verdict in clear:
        assert verdict.relevant == truth == (share > 0.1)
        if truth:
            assert verdict.encoding == encoding
            assert verdict.score == pytest.approx(share, abs=0.2)  # anchors are in English too


def test_the_code_interval_is_deceived_by_mongolian_menus_and_n_grams_are_less(
    webs: dict[str, Path],
) -> None:
    wrong = Counter[str]()
    for judge in ("code-interval", "mean-distance:threshold=0.35"):
        for encoding, truth, _, verdict in _verdicts(webs["mongolian-2014"], "mn-Mong", judge):
            assert encoding or not verdict.relevant  # plain Chinese pages deceive nobody
            wrong[judge] += verdict.relevant and not truth
    assert 0 <= wrong["mean-distance:threshold=0.35"] < wrong["code-interval"]


def test_a_generated_log_is_judged_anew_by_any_judge_and_remembers_it(
    webs: dict[str, Path],
) -> None:
    source = Source(webs["myanmar-2014"], judge="syllables:threshold=0.04")
    strict = open_graph(source)
    lenient = open_graph(source._replace(judge="syllables:threshold=0.03"))
    assert 0 < strict.relevant_total < lenient.relevant_total
    assert (strict.relevant <= lenient.relevant).all()
    kept = list((source.directory / "log" / "graph").glob("judged-*.npz"))
    assert len(kept) == 2
    again = open_graph(source)
    assert np.array_equal(again.relevant, strict.relevant)
    assert simulate(strict, make_strategy("hard"), Plan()).summary.relevant > 0


def test_a_page_of_two_encodings_is_burmese_whatever_it_is_most_of() -> None:
    judge = make_judge(load_pack("my"))
    half = [write_in(text, "zawgyi") for text in PHRASES["my"][:6]]
    for parts in ([*half, *PHRASES["my"][6:]], [*PHRASES["my"][:6], *half]):
        verdict = judge.judge(Content(text="\n".join(parts)))
        assert (verdict.language, verdict.relevant) == ("my", True)
    mixed = [write_in(text, "menksoft") for text in PHRASES["mn"][:5]] + [*PHRASES["mn"][5:]]
    assert make_judge(load_pack("mn-Mong")).judge(Content(text="\n".join(mixed))).relevant


def test_a_live_crawl_by_correlation_is_replayed_from_its_own_log(
    webs: dict[str, Path], tmp_path: Path
) -> None:
    """Anchors are scored in the worker, kept in the log, and rank there as they did."""
    web = webs["myanmar-2014"]
    strategy = "correlation:wt=0.4,ws=0.5,wd=0.1,min=0.01"
    with Server(ServedLog(web).answer) as server:
        config = CrawlConfig(
            lang="my", seeds=load_graph(web).config.seeds, strategy=strategy, delay=0.0,
            connections=1, retries=0, backoff=0.0, max_pages=300, connect_to=(server.connect_to,),
        )  # fmt: skip
        run_crawl(tmp_path / "crawl", config)
    graph = load_graph(tmp_path / "crawl")
    pages = read_table(tmp_path / "crawl", "pages", ["id"])["id"].to_pylist()
    urls = read_table(tmp_path / "crawl", "urls", ["url"])["url"].to_pylist()
    scores = read_table(tmp_path / "crawl", "links", ["anchor_score"])["anchor_score"]
    assert scores.null_count == 0
    assert np.unique(scores.to_numpy()).size > 5
    replayed = as_urls(graph, simulate(graph, make_strategy(strategy), Plan()).order)
    assert replayed == [urls[number] for number in pages]
    assert len(replayed) == 300
    generated = _anchor_scores(web)
    found = _anchor_scores(tmp_path / "crawl")
    assert len(found) > 1000
    assert found == {link: generated[link] for link in found}


def _anchor_scores(directory: Path) -> dict[tuple[str, str, str], float]:
    """The scores of all links of a log, by where they stand, where they lead and what they say."""
    urls = read_table(directory, "urls", ["url"])["url"].to_pylist()
    links = read_table(directory, "links", ["src", "dst", "anchor", "anchor_score"])
    rows = zip(*(links[name].to_pylist() for name in links.column_names), strict=True)
    return {(urls[src], urls[dst], anchor): score for src, dst, anchor, score in rows}


def test_the_crawler_of_paper_003_takes_the_same_pages_live_and_replayed(
    webs: dict[str, Path], tmp_path: Path
) -> None:
    web, judge = webs["myanmar-2014"], "syllables:threshold=0.03"
    with Server(ServedLog(web).answer) as server:
        config = CrawlConfig(
            lang="my", seeds=load_graph(web).config.seeds, strategy="hard", judge=judge,
            max_depth=4, max_pages=300, store="relevant", delay=0.0, connections=1, retries=0,
            backoff=0.0, connect_to=(server.connect_to,),
        )  # fmt: skip
        result = run_crawl(tmp_path / "crawl", config)
    pages = read_table(tmp_path / "crawl", "pages", ["id", "relevant", "warc_file"])
    urls = read_table(tmp_path / "crawl", "urls", ["url"])["url"].to_pylist()
    graph = open_graph(Source(web, judge=judge))
    plan = Plan(limits=Limits(max_pages=300, max_depth=4))
    done = simulate(graph, make_strategy("hard"), plan)
    assert [urls[number] for number in pages["id"].to_pylist()] == as_urls(graph, done.order)
    assert result["relevant"] == done.summary.relevant > 100
    stored = [file is not None for file in pages["warc_file"].to_pylist()]
    assert stored == pages["relevant"].to_pylist()
