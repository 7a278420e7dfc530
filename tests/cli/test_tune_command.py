"""``langcrawl tune``: what it tries and prints, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Cli
from webs import P, write_web

WEB = {
    "a.th/": P("th", ("b.com/", "c.com/")), "b.com/": P("en", ("b.com/1",)),
    "b.com/1": P("en", ("d.th/",)), "c.com/": P("en", ("e.th/",)), "d.th/": P("th"),
    "e.th/": P("th"),
}  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_web(tmp_path / "log-dir", WEB, ["a.th/"])


def test_the_best_of_what_was_tried_is_named(cli: Cli, log: Path) -> None:
    words = ["tune", "log-dir", "--strategy", "limited", "--try", "n=0,1,2", "--held-out", "0",
             "--measure", "coverage"]  # fmt: skip
    document = json.loads(cli(*words, "--json").stdout)
    assert document["best"].startswith("limited:")
    assert "n=2" in document["best"]
    assert (document["measure"], document["held_out"]) == ("coverage", 0)
    shown = cli(*words)
    assert shown.returncode == 0, shown.stderr
    assert f"--strategy {document['best']}" in shown.stdout
    assert document["log"] == "log-dir"


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["absent", "--strategy", "lswc"], 1, "there is no directory 'absent'"),
        (["log-dir", "--strategy", "lwsc"], 2, "did you mean 'lswc'?"),
        (["log-dir", "--strategy", "bfs"], 2, "leaves nothing to try"),
        (["log-dir", "--strategy", "lswc", "--measure", "beauty"], 2, "auc, coverage"),
        (["log-dir", "--strategy", "lswc", "--plot", "x.gif"], 2, "--plot writes"),
        (["log-dir", "--strategy", "lswc", "--try", "q=1,2"], 2, "no parameter of lswc 'q'"),
        (["log-dir", "--strategy", "lswc", "--held-out", "1"], 2, "held-out"),
        (["log-dir", "--strategy", "lswc", "--tries", "1"], 2, "tries"),
        (["log-dir", "--strategy", "lswc", "--report", "."], 2, "name of a file"),
        (["log-dir"], 2, "--strategy"),
    ],
)
def test_bad_input_gives_one_sentence(
    cli: Cli, log: Path, words: list[str], status: int, says: str
) -> None:
    done = cli("tune", *words)
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
