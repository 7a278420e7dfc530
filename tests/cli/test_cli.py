"""The command line as a user meets it: real processes, real exit statuses."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.cli.crawl_command import _announce
from langcrawl.log.graph import load_graph
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb
from webs import P, write_web

WEB = {"s/": P("th", ("s/1", "x/")), "s/1": P("th"), "x/": P("en")}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_web(tmp_path / "log-dir", WEB, ["s/"])


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """The one sentence on standard error, with nothing on standard output."""
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("langcrawl: ")
    return lines[0]


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["simulate", "absent", "--strategy", "bfs"], 1, "there is no directory 'absent'"),
        (["simulate", ".", "--strategy", "bfs"], 1, "not a crawl directory"),
        (["simulate", "log-dir", "--strategy", "sotf"], 2, "did you mean 'soft'?"),
        (["simulate", "log-dir", "--strategy", "limited:m=1"], 2, "no parameter"),
        (["simulate", "log-dir", "--strategy", "bfs", "--lang", "klingon"], 2, "no language"),
        (["simulate", "log-dir", "--strategy", "bfs", "--unknown", "maybe"], 2, "drop or fail"),
        (["simulate", "log-dir", "--strategy", "bfs", "--seeds", "empty.txt"], 1, "is empty"),
        (["simulate", "log-dir", "--strategy", "bfs", "--seeds", "no.txt"], 1, "no file 'no.txt'"),
        (["simulate", "log-dir", "--strategy", "bfs", "--seeds", "http://z/"], 1, "has a page in"),
        (["simulate", "log-dir", "--strategy", "bfs", "--plot", "x.gif"], 2, "--plot writes"),
        (["simulate", "log-dir"], 2, "--strategy"),
        (["simulate", "log-dir", "--strategy", "bfs", "--max-pages", "-1"], 2, "max-pages"),
        (["simulate", "log-dir", "--strateyg", "bfs"], 2, "--strateyg"),
        (["simulat"], 2, "simulat"),
        (["crawl", "new"], 2, "--lang and --seeds"),
        (["crawl", "new", "--lang", "xx", "--seeds", "http://a.th/"], 2, "no language 'xx'"),
        (["crawl", "new", "--lang", "th", "--seeds", "empty.txt"], 1, "is empty"),
        (["crawl", "new", "--lang", "th", "--seeds", "ftp://a.th/"], 2, "is not a URL"),
        (["crawl", "new", "--lang", "th", "http://a.th/"], 2, "go after --seeds"),
        (
            ["crawl", "new", "--lang", "th", "--seeds", "http://a.th/", "--strategy", "sotf"],
            2,
            "did you mean 'soft'",
        ),
        (
            ["crawl", "new", "--lang", "th", "--seeds", "http://a.th/", "--connect-to", "x"],
            2,
            "HOST1:PORT1",
        ),
        (["crawl", "log-dir", "--lang", "ja"], 1, "was started with another --lang"),
        (["crawl", "empty.txt", "--lang", "th", "--seeds", "http://a.th/"], 1, "is a file"),
        (["simulate", "log-dir", "--strategy", "os.path:sep"], 2, "cannot be"),
        (["simulate", "log-dir", "--strategy", "./x:foo"], 2, "cannot be loaded"),
        (["crawl", ".", "--lang", "th", "--seeds", "http://a.th/"], 1, "is not empty"),
        (["import", "new", "--lang", "th", "--pages", "absent.csv"], 1, "no file 'absent.csv'"),
        (["import", "log-dir", "--lang", "th", "--pages", "p.csv"], 1, "already holds a crawl"),
        (["demo", "--dir", "."], 1, "is not empty"),
    ],
)
def test_mistakes_get_one_sentence_and_the_right_status(
    cli: Cli, log: Path, tmp_path: Path, words: list[str], status: int, says: str
) -> None:
    (tmp_path / "empty.txt").write_text("# nothing here\n\n")
    before = {path: path.read_bytes() for path in log.rglob("*") if path.is_file()}
    done = cli(*words)
    assert says in complaint(done)
    assert done.returncode == status
    assert {path: path.read_bytes() for path in before} == before
    assert not (tmp_path / "new").exists()


def test_simulate_prints_the_documented_json_and_nothing_else(cli: Cli, log: Path) -> None:
    done = cli(
        "simulate", log, "--strategy", "hard", "--strategy", "limited:n=1", "--json",
        "--points", "2", "--order", "order.txt",
    )  # fmt: skip
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert document["log"] == str(log)
    assert document["relevant_total"] == 2
    assert [entry["name"] for entry in document["strategies"]] == ["hard", "limited:n=1"]
    first = document["strategies"][0]
    assert set(first) >= {
        "name", "pages", "relevant", "harvest", "coverage", "max_queue", "discards", "pages_to",
        "auc", "seconds", "partial", "curve",
    }  # fmt: skip
    assert (first["pages"], first["relevant"], first["coverage"], first["partial"]) == (
        3,
        2,
        1,
        False,
    )
    assert set(first["pages_to"]) == {"0.5", "0.8", "0.9", "0.99"}
    assert len(first["curve"]) == 2
    assert set(first["curve"][0]) == {"pages", "harvest", "coverage", "queue"}
    assert (log.parent / "order.txt.1").read_text() == "http://s/\nhttp://s/1\nhttp://x/\n"
    assert (log.parent / "order.txt.2").exists()


def test_simulate_prints_a_table_and_writes_pictures(cli: Cli, log: Path) -> None:
    done = cli(
        "simulate", log, "--strategy", "bfs", "--report", "out/r.html", "--plot", "out/p.png",
        "--order", "order.txt", "--seeds", "http://s/1", "--seeds", "http://x/",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "harvest" in done.stdout
    assert "50.0%" in done.stdout
    report = (log.parent / "out/r.html").read_text("utf-8")
    assert "<svg" in report
    assert "<script src" not in report
    assert (log.parent / "out/p.png").read_bytes().startswith(b"\x89PNG")
    assert (log.parent / "order.txt").read_text() == "http://s/1\nhttp://x/\n"


def test_import_then_simulate(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("url,language\nhttp://a.th/,th\nhttp://a.th/2,th\nbad,th\n")
    (tmp_path / "l.csv").write_text("src,dst\nhttp://a.th/,http://a.th/2\n")
    (tmp_path / "s.txt").write_text("# seeds\nhttp://a.th  # the home page\n")
    done = cli(
        "import", "web", "--pages", "p.csv", "--links", "l.csv", "--seeds", "s.txt", "--lang", "tha"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 pages, 2 of them in th, and 1 links" in done.stdout
    assert "bad pages: 1" in done.stdout
    result = json.loads(cli("simulate", "web", "--strategy", "hard", "--json").stdout)
    assert result["strategies"][0]["pages"] == 2


def test_lists(cli: Cli) -> None:
    assert "limited:n=,prioritized=" in cli("strategies").stdout
    assert "charset:from=" in cli("judges").stdout
    assert "mn-Mong    Mongolian" in cli("languages").stdout
    assert {entry["name"] for entry in json.loads(cli("strategies", "--json").stdout)} > {"bfs"}
    assert json.loads(cli("judges", "--json").stdout)[0]["parameters"] == {"from": "any"}
    assert len(json.loads(cli("languages", "--json").stdout)) > 80


def test_help_has_examples_and_no_arguments_mean_help(cli: Cli) -> None:
    assert "langcrawl demo" in cli().stdout
    assert cli("--version").stdout.startswith("langcrawl 0.")
    for command in ("demo", "crawl", "simulate", "import"):
        done = cli(command, "--help")
        assert done.returncode == 0
        assert "Example" in done.stdout


def crawl_words(server: Server, *more: str) -> list[str]:
    return [
        "crawl", "thai", "--lang", "th", "--seeds", "http://www.talad-nam.th/",
        "--seeds", "http://khao.example.co.th/", "--connect-to", server.connect_to,
        "--delay", "0.005", "--strategy", "bfs", "--json", *more,
    ]  # fmt: skip


def test_crawl_goes_on_where_it_stopped(
    cli: Cli, tmp_path: Path, small_web: SmallWeb, small_crawl: Path
) -> None:
    with Server(small_web.answer) as server:
        first = cli(*crawl_words(server, "--max-pages", "40"))
        result = json.loads(first.stdout)
        assert (result["pages"], result["stopped"]) == (40, "max-pages")
        asked = {r.host + r.path for r in server.requests if r.path != "/robots.txt"}
        second = cli("crawl", "thai", "--max-pages", "100000", "--json")
        result = json.loads(second.stdout)
        again = {r.host + r.path for r in server.requests[len(asked) :]}
    assert set(result) >= {
        "pages", "relevant", "harvest", "queue", "bytes", "seconds", "stopped",
    }  # fmt: skip
    assert result["stopped"] == "queue-empty"
    assert result["queue"] == 0
    whole, mine = load_graph(small_crawl), load_graph(tmp_path / "thai")
    assert (result["pages"], result["relevant"]) == (whole.pages, whole.relevant_total)
    assert sorted(mine.urls) == sorted(whole.urls)
    assert len(again) > 100
    pages = [r.host + r.path for r in server.requests if r.path != "/robots.txt"]
    assert len(pages) == len(set(pages)), "no page is asked for twice"


def start(words: list[str], directory: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "langcrawl", *words]
    return subprocess.Popen(
        command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(condition: object, seconds: float = 90) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def test_ctrl_c_keeps_what_was_crawled(tmp_path: Path, small_web: SmallWeb) -> None:
    with Server(small_web.answer) as server:
        process = start(crawl_words(server, "--delay", "0.1"), tmp_path)
        wait_for(lambda: len(server.requests) > 60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    result = json.loads(out)
    assert result["stopped"] == "interrupted"
    assert load_graph(tmp_path / "thai").pages == result["pages"] > 10


def test_kill_9_leaves_a_log_that_can_be_read_and_gone_on_with(
    cli: Cli, tmp_path: Path, small_web: SmallWeb, small_crawl: Path
) -> None:
    with Server(small_web.answer) as server:
        cli(*crawl_words(server, "--max-pages", "50"))
        process = start(["crawl", "thai", "--max-pages", "100000", "--delay", "0.1"], tmp_path)
        wait_for(lambda: len(server.requests) > 120)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert load_graph(tmp_path / "thai").pages >= 50
        done = cli("crawl", "thai", "--delay", "0", "--json")
    assert json.loads(done.stdout)["stopped"] == "queue-empty"
    whole, mine = load_graph(small_crawl), load_graph(tmp_path / "thai")
    assert sorted(mine.urls) == sorted(whole.urls)
    assert mine.pages == whole.pages


def test_a_damaged_database_is_not_written_over(
    cli: Cli, tmp_path: Path, small_crawl: Path
) -> None:
    shutil.copytree(small_crawl, tmp_path / "thai")
    path = tmp_path / "thai/frontier.db"
    path.write_bytes(b"no database" * 1000)
    done = cli("crawl", "thai")
    assert "frontier.db' is damaged" in complaint(done)
    assert done.returncode == 1
    assert path.read_bytes() == b"no database" * 1000


def test_two_crawls_do_not_share_a_directory(tmp_path: Path, small_web: SmallWeb, cli: Cli) -> None:
    with Server(small_web.answer) as server:
        process = start(crawl_words(server, "--delay", "0.7"), tmp_path)
        wait_for(lambda: len(server.requests) > 10)
        done = cli("crawl", "thai")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert "another process is crawling" in complaint(done)
    assert done.returncode == 1


def test_an_import_is_not_crawled_on(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "p.csv").write_text("url,language\nhttp://a.th/,th\n")
    cli("import", "web", "--pages", "p.csv", "--seeds", "http://a.th/", "--lang", "th")
    assert "made by 'import'" in complaint(cli("crawl", "web"))


def test_a_report_that_cannot_be_written_is_refused_before_the_work(
    cli: Cli, small_crawl: Path
) -> None:
    for option in ("--report", "--order"):
        done = cli("simulate", small_crawl, "--strategy", "soft", option, ".")
        assert done.returncode == 2, done.stderr
        assert "directory" in done.stderr
        assert done.stdout == ""


@pytest.mark.parametrize("option", ["--user-agent", "--contact"])
def test_a_header_of_two_lines_is_refused(option: str, cli: Cli) -> None:
    done = cli("crawl", "x", "--lang", "th", "--seeds", "http://a.example/", option, "a\r\nb: c")
    assert done.returncode == 2
    assert "one line" in done.stderr


def test_an_own_strategy_that_fails_on_import_is_named(
    cli: Cli, small_crawl: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text("import there_is_no_such_module\n")
    done = cli("simulate", small_crawl, "--strategy", "mine.py:rule")
    assert done.returncode == 2
    assert "mine.py" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_that_knows_ascii_only_is_given_codes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "langcrawl", "languages"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u02bc" in done.stdout


def test_going_on_with_a_large_crawl_says_that_it_takes_a_while(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _announce(tmp_path)
    (tmp_path / "frontier.db").write_bytes(bytes(100_000))
    _announce(tmp_path)
    assert capsys.readouterr().err == ""
    os.truncate(tmp_path / "frontier.db", 2_000_000_000)
    _announce(tmp_path)
    assert capsys.readouterr().err == "reading a frontier of 2.0 GB, about 30 s ...\n"
