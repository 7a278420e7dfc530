"""Several languages in one crawl: relevant in any of them, and told apart."""

from __future__ import annotations

import json
import pickle
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.judge.tongues import TONGUES

from conftest import Cli
from langcrawl.errors import UsageError
from langcrawl.judge import make_anchor_scorer, make_judge
from langcrawl.judge.several import SeveralJudge
from langcrawl.languages import load_pack, load_packs, parse_targets
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table
from langcrawl.records import Content
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage
from webs import P, write_web

ENGLISH = "This page tells the story of the bridge and of the people who built it. " * 3
TEXTS = {tag: " ".join(lines) for tag, lines in TONGUES.items()} | {"en": ENGLISH}
MIXED = {
    f"{one} and {other}": f"{TEXTS[one]} {TEXTS[other]}"
    for one, other in (("my", "th"), ("shn", "th"), ("mn-Mong", "mn-Cyrl"), ("en", "lo"))
}


def test_targets_match_each_by_language_and_by_script_where_one_is_named() -> None:
    targets = parse_targets("my,mn-Cyrl")
    assert targets.matches("my")
    assert targets.matches("mn", "Cyrl")
    assert not targets.matches("mn", "Mong")
    assert not targets.matches("und")
    both = parse_targets("mn,mn-Mong")
    assert (both.of("mn", "Mong"), both.of("mn", "Cyrl"), both.of("th")) == ("mn-Mong", "mn", "")


def test_two_languages_are_never_one_and_one_twice_is_one() -> None:
    assert [pack.tag for pack in load_packs(["my", "shn,mnw", "Burmese"])] == ["my", "shn", "mnw"]
    with pytest.raises(UsageError, match="no language is named"):
        load_packs(" , ")


@pytest.mark.parametrize(
    "lang", ["my,shn,mnw", "th,lo,km", "my,th", "mn-Cyrl,mn-Mong,bo", "en,shn,ug,am", "th"]
)
@pytest.mark.parametrize("judge", ["", "ngram", "cld", "charset+ngram"])
def test_a_page_is_relevant_exactly_where_one_of_the_judges_says_so(lang: str, judge: str) -> None:
    packs = load_packs(lang)
    several = pickle.loads(pickle.dumps(make_judge(packs, judge)))  # as workers are given it
    alone = [make_judge(pack, judge) for pack in packs]
    for tag, text in (TEXTS | MIXED).items():
        content = Content(text)
        each = [one.judge(content) for one in alone]
        found = several.judge(content)
        assert found.relevant == any(verdict.relevant for verdict in each), tag
        assert found.score == max(verdict.score for verdict in each), tag
        if found.relevant:
            assert parse_targets(lang).of(found.language, found.script) in {
                pack.tag for pack, verdict in zip(packs, each, strict=True) if verdict.relevant
            }


def test_languages_with_the_same_judges_are_judged_once() -> None:
    assert not isinstance(make_judge(load_packs("my,shn,mnw")), SeveralJudge)
    assert not isinstance(make_judge(load_packs("th,lo,km")), SeveralJudge)
    assert isinstance(make_judge(load_packs("my,th")), SeveralJudge)
    assert make_judge(load_packs("th")) == make_judge(load_pack("th"))
    assert make_anchor_scorer(load_packs("th")) == make_anchor_scorer(load_pack("th"))


def test_an_anchor_scores_as_in_the_nearest_target() -> None:
    scorer = make_anchor_scorer(load_packs("th,my"))
    for tag in ("th", "my"):
        alone = make_anchor_scorer(load_pack(tag))
        assert scorer.score(TONGUES[tag][0]) == alone.score(TONGUES[tag][0]) > 0.2
    assert scorer.score("") == 0.0


# One live web, crawled through the command.

PAGES = {
    "http://hub.test/": ("en", ["http://a.mm/", "http://b.mm/", "http://c.mm/", "http://d.th/"]),
    "http://a.mm/": ("my", ["http://a.mm/2"]),
    "http://a.mm/2": ("my", []),
    "http://b.mm/": ("shn", ["http://b.mm/2"]),
    "http://b.mm/2": ("shn", []),
    "http://c.mm/": ("mnw", []),
    "http://d.th/": ("th", []),
}
WANTED = {"my": 2, "shn": 2, "mnw": 1}


def answer(url: str) -> SmallPage:
    if url not in PAGES:
        return SmallPage(404)
    tag, links = PAGES[url]
    items = "".join(f'<a href="{link}">{link[-5:]}</a> ' for link in links)
    text = f"<html><meta charset=utf-8><p>{TEXTS[tag]}</p>{items}</html>"
    return SmallPage(body=text.encode())


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(answer) as running:
        yield running


def words(server: Server) -> tuple[str, ...]:
    rule = ("--connect-to", server.connect_to, "--delay", "0", "--strategy", "bfs")
    return ("--seeds", "http://hub.test/", *rule, "--json")


def of_log(directory: Path) -> dict[str, int]:
    pages = read_table(directory, "pages", ["language", "relevant"]).to_pylist()
    tags = [page["language"] for page in pages if page["relevant"]]
    return {tag: tags.count(tag) for tag in dict.fromkeys(tags)}


@pytest.mark.parametrize(
    "asked",
    [
        ("--lang", "my,shn,mnw"),
        ("--lang", "my", "--lang", "shn", "--lang", "mnw"),
        ("--lang", "Burmese, Shan", "--lang", "mnw"),
    ],
)
def test_a_crawl_collects_several_languages_and_tells_them_apart(
    cli: Cli, server: Server, tmp_path: Path, asked: tuple[str, ...]
) -> None:
    done = cli("crawl", "web", *asked, *words(server))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["pages"], found["relevant"], found["languages"]) == (7, 5, WANTED)
    assert tomllib.loads((tmp_path / "web" / "crawl.toml").read_text())["lang"] == "my,shn,mnw"
    assert of_log(tmp_path / "web") == WANTED
    status = json.loads(cli("status", "web", "--json").stdout)
    assert (status["lang"], status["languages"]) == ("my,shn,mnw", WANTED)
    assert "By language: my 2, shn 2, mnw 1." in cli("status", "web").stdout


def test_a_crawl_of_several_languages_is_stopped_and_resumed(
    cli: Cli, server: Server, tmp_path: Path
) -> None:
    first = cli("crawl", "web", "--lang", "my,shn,mnw", "--max-pages", "3", *words(server))
    assert json.loads(first.stdout)["pages"] == 3
    other = cli("crawl", "web", "--lang", "my,shn", "--max-pages", "10", "--json")
    assert (other.returncode, "another --lang" in other.stderr) == (1, True)
    again = cli("crawl", "web", "--lang", "mnw,Shan,my", "--max-pages", "10", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["languages"] == WANTED
    text = cli("crawl", "web")
    assert "By language: my 2, shn 2, mnw 1." in text.stdout


def test_a_crawl_of_several_languages_is_recovered_from_its_archive(
    cli: Cli, server: Server, tmp_path: Path
) -> None:
    cli("crawl", "web", "--lang", "my,shn,mnw", *words(server))
    (tmp_path / "web" / "frontier.db").unlink()
    done = cli("recover", "web", "--json")
    assert (done.returncode, json.loads(done.stdout)["relevant"]) == (0, 5), done.stderr
    assert json.loads(cli("status", "web", "--json").stdout)["languages"] == WANTED


def simulated(cli: Cli, log: Path, *more: str) -> dict[str, Any]:
    done = cli("simulate", log, "--strategy", "bfs", "--json", *more)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_the_log_of_a_crawl_is_simulated_for_all_for_some_and_judged_again(
    cli: Cli, server: Server, tmp_path: Path
) -> None:
    cli("crawl", "web", "--lang", "my,shn,mnw", *words(server))
    log = tmp_path / "web"
    whole = simulated(cli, log)
    assert (whole["relevant_total"], whole["languages"]) == (5, WANTED)
    assert whole["strategies"][0]["languages"] == WANTED
    cut = simulated(cli, log, "--max-pages", "2")["strategies"][0]
    assert cut["languages"] == {"my": 1, "shn": 0, "mnw": 0}
    some = simulated(cli, log, "--lang", "Shan,Thai")
    assert (some["relevant_total"], some["languages"]) == (3, {"shn": 2, "th": 1})
    for judge in ("syllables", "cld", "charset"):
        again = simulated(cli, log, "--judge", judge, "--lang", "my,th")
        alone = [simulated(cli, log, "--judge", judge, "--lang", tag) for tag in ("my", "th")]
        assert again["relevant_total"] == sum(each["relevant_total"] for each in alone), judge
    for strategy in ("correlation", "lswc", "best-first"):
        done = cli("simulate", log, "--strategy", strategy, "--json", "--lang", "my,shn,mnw")
        assert done.returncode == 0, done.stderr


def test_analyze_and_import_tell_the_languages_apart(
    cli: Cli, server: Server, tmp_path: Path
) -> None:
    cli("crawl", "web", "--lang", "my,shn,mnw", *words(server))
    found = json.loads(cli("analyze", "web", "--json").stdout)
    assert (found["lang"], found["relevant"], found["languages"]) == ("my,shn,mnw", 5, WANTED)
    assert "5 are relevant (my 2, shn 2, mnw 1)" in cli("analyze", "web").stdout
    assert cli("analyze", "web", "--report", "a.html").returncode == 0
    both = cli("import", "both", "--crawl", "web", "--lang", "th", "--lang", "shn", "--json")
    assert json.loads(both.stdout)["relevant"] == 3
    assert load_graph(tmp_path / "both").relevant_by_target() == {"th": 1, "shn": 2}
    files = [word for path in tmp_path.glob("web/warc/*.warc.gz") for word in ("--warc", path)]
    third = cli("import", "third", *files, "--lang", "my,shn,mnw", "--json")
    assert json.loads(third.stdout)["relevant"] == 5
    assert load_graph(tmp_path / "third").relevant_by_target() == WANTED


def test_import_of_csv_counts_pages_in_any_of_the_languages(cli: Cli, tmp_path: Path) -> None:
    rows = "url,language\nhttp://a/,my\nhttp://b/,shn\nhttp://c/,en\nhttp://d/,mn-Cyrl\n"
    (tmp_path / "p.csv").write_text(rows)
    words = ("import", "web", "--pages", "p.csv", "--lang", "my,mn-Cyrl,mn-Mong", "--json")
    assert json.loads(cli(*words).stdout)["relevant"] == 2
    assert load_graph(tmp_path / "web").relevant_by_target() == {
        "my": 1, "mn-Cyrl": 1, "mn-Mong": 0,
    }  # fmt: skip


def test_identify_marks_files_in_any_of_the_languages(cli: Cli, tmp_path: Path) -> None:
    for tag in ("my", "shn", "th"):
        (tmp_path / f"{tag}.txt").write_text(TEXTS[tag], encoding="utf-8")
    files = ("my.txt", "shn.txt", "th.txt")
    for asked in (("--lang", "my,shn"), ("--lang", "my", "--lang", "Shan")):
        found = json.loads(cli("identify", *files, *asked, "--json").stdout)
        told = [(entry["language"], entry["relevant"]) for entry in found]
        assert told == [("my", True), ("shn", True), ("th", False)]


def test_pages_of_any_bridge_language_are_bridges(cli: Cli, tmp_path: Path) -> None:
    """Burmese has English between its pages, Tibetan Chinese; together they have both."""
    web = {
        "s/": P("my", ("e/", "z/", "j/")),
        "e/": P("en", ("p/",)),
        "z/": P("zh", ("q/",)),
        "j/": P("ja", ("r/",)),
        "p/": P("my"), "q/": P("bo"), "r/": P("my"),
    }  # fmt: skip
    log = write_web(tmp_path / "log", web, ["s/"])
    cli("import", "web", "--crawl", log, "--lang", "my,bo", "--seeds", "http://s/")
    graph = load_graph(tmp_path / "web")
    assert graph.config.bridge == "en,zh"
    bridges = [url for url, flag in zip(graph.urls, graph.bridge, strict=False) if flag]
    assert bridges == ["http://e/", "http://z/"]
    orders = []
    for more in ((), ("--interpreted",)):
        cli("simulate", "web", "--strategy", "lswc", "--order", "o.txt", *more)
        orders.append((tmp_path / "o.txt").read_text().splitlines())
    assert orders[0] == orders[1]
    assert orders[0][-1] == "http://r/"


def test_a_users_own_judge_is_asked_for_each_language(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from langcrawl.records import Verdict\n"
        "class Mine:\n"
        "    def __init__(self, target):\n"
        "        self.target = target\n"
        "    def judge(self, content):\n"
        "        there = str(self.target) in content.text.split()\n"
        "        tag = str(self.target) if there else 'und'\n"
        "        return Verdict(tag, '', '', float(there), there, (f'asked for {self.target}',))\n"
    )
    for name, text in (("a", "some words in shn here"), ("b", "some words in de here")):
        (tmp_path / f"{name}.txt").write_text(text)
    done = cli(
        "identify", "a.txt", "b.txt", "--lang", "my,shn", "--judge", "mine.py:Mine", "--json"
    )
    first, second = json.loads(done.stdout)
    assert (first["language"], first["relevant"]) == ("shn", True)
    assert first["evidence"] == ["asked for shn"]
    assert (second["language"], second["relevant"]) == ("und", False)
    assert second["evidence"] == ["asked for my", "asked for shn"]


def test_a_log_of_several_languages_can_be_served(cli: Cli, server: Server, tmp_path: Path) -> None:
    from langcrawl.virtualweb.served import ServedLog

    cli("crawl", "web", "--lang", "my,shn,mnw", *words(server))
    served = ServedLog(tmp_path / "web")
    assert all(served.answer(url).status == 200 for url in PAGES)


def test_zawgyi_is_for_burmese_alone(cli: Cli) -> None:
    words = ("crawl", "web", "--lang", "my,shn", "--seeds", "http://a.test/")
    done = cli(*words, "--normalize", "zawgyi")
    assert (done.returncode, "zawgyi is an encoding of Burmese" in done.stderr) == (2, True)
