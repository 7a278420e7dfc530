"""What one crawl teaches the next, and what each signal brought."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from langcrawl.errors import LangcrawlError
from langcrawl.log.graph import load_graph
from langcrawl.records import Facts, Visit
from langcrawl.simulate import Plan, simulate
from langcrawl.simulate.prior import learn_prior
from langcrawl.strategy import make_strategy
from langcrawl.strategy.learned.adaptive import Adaptive
from langcrawl.strategy.learned.prior import MOST_PAGES, read_prior
from langcrawl.strategy.learned.start import SIGNALS
from webs import P, graph_of

Cli = Callable[..., CompletedProcess[str]]


def web() -> dict[str, P]:
    """Good pages lie where nothing says so: under /x2/ of one host and on another host."""
    pages = {"m/": P("en", tuple(f"m/x{part}/{at}" for at in range(12) for part in range(4)))}
    for part in range(4):
        for at in range(12):
            pages[f"m/x{part}/{at}"] = P("th" if part == 2 else "en", (f"n/{at}",))
    return pages | {f"n/{at}": P("th") for at in range(12)}


def test_a_crawl_that_starts_from_a_prior_finds_the_same_pages_sooner(tmp_path: Path) -> None:
    graph = graph_of(web(), ["m/"])
    prior = tmp_path / "prior.json"
    learn_prior(graph).write(prior)
    fresh = simulate(graph, make_strategy("adaptive"), Plan())
    taught = simulate(graph, make_strategy(f"adaptive:prior={prior}"), Plan())
    assert set(taught.order.tolist()) == set(fresh.order.tolist())
    assert taught.summary.auc > fresh.summary.auc


def test_places_and_words_serve_the_same_language_only(tmp_path: Path) -> None:
    prior = tmp_path / "prior.json"
    learn_prior(graph_of(web(), ["m/"])).write(prior)
    same, other = Adaptive("th", prior=str(prior)), Adaptive("km", prior=str(prior))
    assert 0.0 < same.rates.known["n"].pages <= MOST_PAGES
    assert "n" not in other.rates.known
    assert other.clues.values == same.clues.values != Adaptive("th").clues.values


def test_what_a_prior_taught_is_saved_with_the_crawl(tmp_path: Path) -> None:
    prior = tmp_path / "prior.json"
    learn_prior(graph_of(web(), ["m/"])).write(prior)
    taught, again = Adaptive("th", prior=str(prior)), Adaptive("th")
    again.restore(taught.save())
    visit = Visit("http://n/99", "n", Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0), 0.0, "http://m/")
    assert again.chance(visit) == taught.chance(visit) != Adaptive("th").chance(visit)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "other"}', "\x00",
                                  '{"format": "langcrawl-prior-1", "lang": "th"}'])  # fmt: skip
def test_what_is_no_prior_is_refused_in_words(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(LangcrawlError, match="is no prior"):
        read_prior(str(tmp_path / "p.json"))
    with pytest.raises(LangcrawlError, match="cannot be read"):
        read_prior(str(tmp_path / "none.json"))
    with pytest.raises(LangcrawlError, match="has no prior; make one"):
        read_prior(str(tmp_path))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("weights", {"clues": {"9999": [1.0, 1.0]}}),
        ("weights", {"clues": {"-1": [1.0, 1.0]}}),
        ("weights", {"clues": {"1": [float("nan"), 1.0]}}),
        ("weights", {"said": {"1": [float("inf"), 1.0]}}),
        ("weights", {"words": {"1": ["much", 1.0]}}),
        ("weights", {"others": {"1": [1.0, 1.0]}}),
        ("rates", {"a.example": [3.0, 2.0]}),
        ("rates", {"a.example": [1.0, float("inf")]}),
        ("rates", {"a.example": [1.0]}),
        ("rates", []),
    ],
)
def test_a_prior_with_nonsense_in_it_is_refused(part: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    learn_prior(graph_of(web(), ["m/"])).write(path)
    told = json.loads(path.read_text())
    path.write_text(json.dumps(told | {part: value}))
    with pytest.raises(LangcrawlError, match="is no prior"):
        read_prior(str(path))


def test_the_command_writes_a_prior_and_simulate_starts_from_it(
    cli: Cli, small_crawl: Path, tmp_path: Path
) -> None:
    done = cli("export", small_crawl, "--to", "p.prior", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert told["prior"] == "p.prior"
    assert told["pages"] > 50
    words = ("simulate", small_crawl, "--strategy", "adaptive", "--json", "--prior", "p.prior")
    (entry,) = json.loads(cli(*words).stdout)["strategies"]
    graph = load_graph(small_crawl)
    fresh = simulate(graph, make_strategy("adaptive"), Plan())
    assert entry["name"] == f"adaptive:prior={tmp_path.resolve()}/p.prior"
    assert entry["auc"] != fresh.summary.auc
    assert entry["pages"] == fresh.summary.pages


def test_a_prior_is_for_adaptive_and_signals_are_too(cli: Cli, small_crawl: Path) -> None:
    for words, said in [
        (("crawl", "new", "--lang", "th", "--seeds", "http://a/", "--strategy", "soft", "--prior",
          "p.json"), "--strategy adaptive"),
        (("simulate", small_crawl, "--strategy", "adaptive", "--prior", "none"), "cannot be read"),
        (("simulate", small_crawl, "--strategy", "soft", "--prior", "p"), "--strategy adaptive"),
        (("simulate", small_crawl, "--strategy", "soft", "--explain"), "--strategy adaptive"),
        (("simulate", small_crawl, "--strategy", "adaptive:without=page", "--explain"), "itself"),
    ]:  # fmt: skip
        done = cli(*words)
        assert done.returncode == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr


def test_explain_ranks_every_signal_by_what_it_brought(cli: Cli, small_crawl: Path) -> None:
    words = ("simulate", small_crawl, "--strategy", "adaptive", "--explain", "--json")
    told = json.loads(cli(*words).stdout)
    assert [entry["name"] for entry in told["strategies"]] == ["adaptive"]
    assert {row["signal"] for row in told["explain"]} == set(SIGNALS)
    saved = [row["saved"] for row in told["explain"] if row["saved"] is not None]
    assert saved == sorted(saved, reverse=True)
    needed = told["strategies"][0]["pages_to"]["0.9"]
    assert all(row["pages"] == needed + row["saved"] for row in told["explain"] if row["pages"])
    shown = cli(*words[:-1]).stdout
    assert all(f"{signal}: {says}" in shown for signal, says in SIGNALS.items())
