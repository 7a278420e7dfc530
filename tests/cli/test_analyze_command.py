"""``langcrawl analyze``: tables, JSON, a report, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Cli
from webs import P, write_web

WEB = {
    "a.th/": P("th", ("a.th/1", "b.com/")), "a.th/1": P("th", ("b.com/",)),
    "b.com/": P("en", ("a.th/1", "c.jp/")), "c.jp/": P("ja"),
}  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_web(tmp_path / "log-dir", WEB, ["a.th/"])


def test_json_has_the_documented_keys_and_counts(cli: Cli, log: Path) -> None:
    done = cli("analyze", "log-dir", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["log"], found["pages"], found["relevant"]) == ("log-dir", 4, 2)
    assert (found["links"], found["hosts"], found["urls"]) == (5, 3, 4)
    assert found["languages_by_tld"]["th"] == {".th": 2}
    shares = found["locality"]["relevant"]
    assert set(shares) == {"all", "same_host", "other_host", "same_domain", "other_domain"}
    assert shares["same_host"] == 1.0
    assert shares["other_host"] == 0.0
    assert sum(found["distance"].values()) >= 1


def test_another_language_makes_other_pages_relevant(cli: Cli, log: Path) -> None:
    found = json.loads(cli("analyze", "log-dir", "--lang", "jpn", "--json").stdout)
    assert found["relevant"] == 1


def test_tables_and_a_report_are_written(cli: Cli, log: Path, tmp_path: Path) -> None:
    done = cli("analyze", "log-dir", "--report", "out/r.html", "--top", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert ".th" in done.stdout
    report = (tmp_path / "out" / "r.html").read_text("utf-8")
    assert "<svg" in report
    assert "<script src" not in report


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["absent"], 1, "there is no directory 'absent'"),
        (["."], 1, "not a crawl directory"),
        (["log-dir", "--lang", "klingon"], 2, "no language 'klingon'"),
        (["log-dir", "--top", "0"], 2, "top"),
        (["log-dir", "--report", "."], 2, "give the name of a file"),
        ([], 2, "'log'"),
    ],
)
def test_bad_input_gives_one_sentence(
    cli: Cli, log: Path, words: list[str], status: int, says: str
) -> None:
    done = cli("analyze", *words)
    assert (done.returncode, done.stdout) == (status, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
