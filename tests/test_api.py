"""The Python interface: four functions that a user calls from a script or a notebook."""

from __future__ import annotations

import doctest
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import langcrawl
from archives import THAI, ArchiveFile
from conftest import Cli
from langcrawl import api
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, BadValue, NoSuchLog, StrategyFailed, UnknownName, UsageError
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table, read_urls, segments
from langcrawl.ports import Strategy
from langcrawl.records import Counts, Facts, Outcome
from langcrawl.run import summary
from langcrawl.store.view import read_status
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb
from langcrawl.virtualweb.synth import generate, load_profile
from webs import P, write_web

ROOT = Path(__file__).resolve().parents[1]


def python(code: str, place: Path, timeout: float = 180) -> str:
    """What a script of a user's prints, in a process of its own."""
    (place / "script.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=place, capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait_for(condition: Callable[[], bool], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated web of 2,000 pages."""
    directory = tmp_path_factory.mktemp("webs") / "web"
    generate(directory, load_profile("thai-2005"), 2000, 1)
    return directory


def test_importing_it_loads_nothing_else(tmp_path: Path) -> None:
    said = python(
        "import sys\nbefore = set(sys.modules)\nimport langcrawl\n"
        "print(*sorted(set(sys.modules) - before))\nprint(*dir(langcrawl))\n",
        tmp_path,
    )
    loaded, names = said.splitlines()
    assert not {name.split(".")[0] for name in loaded.split()} & {
        "numpy", "pyarrow", "typer", "pydantic", "numba", "rich",
    }  # fmt: skip
    assert [name for name in loaded.split() if name.startswith("langcrawl")] == ["langcrawl"]
    assert set(langcrawl.__all__) == {"crawl", "simulate", "identify", "open_log"}
    assert set(langcrawl.__all__) <= set(names.split())


def test_the_functions_stay_though_modules_have_their_names() -> None:
    import langcrawl.crawl
    import langcrawl.simulate
    from langcrawl.crawl import Crawl
    from langcrawl.simulate import Plan

    assert langcrawl.crawl is api.crawl
    assert langcrawl.simulate is api.simulate
    assert (Crawl.__module__, Plan.__module__) == ("langcrawl.crawl", "langcrawl.simulate.plan")
    assert not hasattr(langcrawl, "no_such_name")


def test_the_examples_in_the_docstrings_hold(web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(web.parent)
    names = {"langcrawl": langcrawl, "Path": Path}
    tried = 0
    for name in langcrawl.__all__:
        function = getattr(langcrawl, name)
        assert ">>>" in function.__doc__, f"{name} shows no example"
        for test in doctest.DocTestFinder(recurse=False).find(function, name, globs=names):
            result = doctest.DocTestRunner().run(test)
            assert result.failed == 0
            tried += result.attempted
    assert tried > 12


def test_users_get_types(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(
        "import langcrawl\n"
        'reveal_type(langcrawl.identify("x").language)\n'
        'reveal_type(langcrawl.simulate("w", ["soft"], max_pages=3)["soft"].curve[0].harvest)\n'
        'reveal_type(langcrawl.crawl("w", lang="th", max_pages=3).pages)\n'
        'reveal_type([text.url for text in langcrawl.open_log("w").texts()])\n'
        'langcrawl.crawl("w", max_page=3)\n'
        'langcrawl.crawl("w", store="some")\n'
        "langcrawl.identify(3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", str(tmp_path / "user.py")],  # as `make check`: one cache
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    notes = [line.partition("note: Revealed type is ")[2] for line in done.stdout.splitlines()]
    shown = [note.replace("builtins.", "").strip('"') for note in notes if note]
    assert shown == ["str", "float", "int", "list[str]"], done.stdout
    errors = [line.split(":")[1] for line in done.stdout.splitlines() if " error: " in line]
    assert errors == ["6", "7", "8"], done.stdout
    assert (ROOT / "src" / "langcrawl" / "py.typed").exists()


def test_the_keys_are_those_of_the_config_and_the_result_has_all_that_a_crawl_says() -> None:
    assert set(api.CrawlKeys.__annotations__) == set(CrawlConfig.model_fields) - {
        "version", "source",
    }  # fmt: skip
    known = set(api.CrawlResult.__annotations__) - {"directory"}
    assert known <= set(summary(Outcome(Counts(), 0, "")))


def test_pages_are_shown_with_urls_in_place_of_ids(web: Path) -> None:
    pages = langcrawl.open_log(web).pages()
    urls, raw = read_urls(web, ["url", "host"]), read_table(web, "pages")
    assert pages.column_names[:3] == ["url", "host", "status"]
    assert "id" not in pages.column_names
    ids = raw["id"].to_pylist()
    assert pages["url"].to_pylist() == [urls["url"][page].as_py() for page in ids]
    assert pages["host"].to_pylist() == [urls["host"][page].as_py() for page in ids]
    redirects = [None if to is None else urls["url"][to].as_py()
                 for to in raw["redirect"].to_pylist()]  # fmt: skip
    assert pages["redirect"].to_pylist() == redirects
    chosen = langcrawl.open_log(web).pages(["language", "id", "redirect_id"])
    assert chosen.column_names == ["language", "id", "redirect_id"]
    assert chosen["id"].to_pylist() == ids
    assert chosen["redirect_id"].to_pylist() == raw["redirect"].to_pylist()


def test_links_and_hosts_agree_with_the_log(web: Path) -> None:
    log, raw = langcrawl.open_log(web), read_table(web, "links", ["src", "dst", "anchor"])
    urls = read_urls(web, ["url", "host"])
    links = log.links(["src", "dst", "dst_host", "anchor"])
    at = range(0, len(raw), 997)
    for row in at:
        src, dst = raw["src"][row].as_py(), raw["dst"][row].as_py()
        assert links.slice(row, 1).to_pylist() == [{
            "src": urls["url"][src].as_py(), "dst": urls["url"][dst].as_py(),
            "dst_host": urls["host"][dst].as_py(), "anchor": raw["anchor"][row].as_py(),
        }]  # fmt: skip
    assert links.num_rows == raw.num_rows
    hosts, graph = log.hosts(), load_graph(web)
    assert sum(hosts["pages"].to_pylist()) == graph.pages
    assert sum(hosts["relevant"].to_pylist()) == graph.relevant_total
    assert sum(hosts["urls"].to_pylist()) == graph.nodes
    first = hosts.slice(0, 1).to_pylist()[0]
    mine = np.flatnonzero(
        graph.arrays.host[: graph.pages] == graph.hosts.to_pylist().index(first["host"])
    )
    assert first["pages"] == len(mine)
    assert first["relevant"] == graph.relevant[mine].sum() == max(hosts["relevant"].to_pylist())
    assert first["ok"] == (graph.arrays.status[mine] == 200).sum()


def test_an_import_is_read_like_any_log_with_its_texts(tmp_path: Path, cli: Cli) -> None:
    archive = ArchiveFile()
    archive.answer("http://a.th/", f'{THAI}<a href="/x">x</a>').answer("http://a.th/x")
    (tmp_path / "a.warc.gz").write_bytes(archive.data)
    cli("import", "web", "--warc", "a.warc.gz", "--lang", "th", "--seeds", "http://a.th/")
    log = langcrawl.open_log(tmp_path / "web")
    assert log.pages(["url", "relevant"]).to_pylist() == [
        {"url": "http://a.th/", "relevant": True}, {"url": "http://a.th/x", "relevant": False},
    ]  # fmt: skip
    (text,) = log.texts()
    assert (text.url, text.language, text.relevant) == ("http://a.th/", "th", True)
    assert "ตลาดริมน้ำ" in text.text
    assert len(list(log.texts(relevant=False))) == 2


def test_pandas_is_used_where_it_is_there_and_missed_in_a_sentence(
    web: Path, tmp_path: Path
) -> None:
    frame = langcrawl.open_log(web).pages(["url", "bytes"], as_="pandas")
    assert (type(frame).__name__, list(frame.columns), len(frame)) == (
        "DataFrame", ["url", "bytes"], 2000,
    )  # fmt: skip
    (tmp_path / "pandas.py").write_text("raise ImportError('as if it were not installed')\n")
    said = python(
        "import langcrawl\n"
        f"log = langcrawl.open_log({str(web)!r})\nprint(log.pages(['url']).num_rows)\n"
        "try:\n    log.pages(as_='pandas')\nexcept Exception as error:\n    print(error)\n",
        tmp_path,
    )
    assert said.splitlines()[0] == "2000"
    assert "pip install pandas" in said


def test_what_is_wrong_is_said_in_a_sentence(web: Path, tmp_path: Path) -> None:
    log = langcrawl.open_log(web)
    with pytest.raises(UnknownName, match="no column of pages 'langauge'; did you mean 'language'"):
        log.pages(["langauge"])
    with pytest.raises(BadValue, match="columns must be a list"):
        log.pages("url")
    with pytest.raises(BadValue, match="as_ must be"):
        log.hosts(as_="polars")  # type: ignore[call-overload]
    with pytest.raises(NoSuchLog, match="there is no directory"):
        langcrawl.open_log(tmp_path / "absent")
    with pytest.raises(BadInput, match="is a file"):
        langcrawl.open_log(web / "crawl.toml")
    with pytest.raises(UnknownName, match="did you mean 'soft'"):
        langcrawl.simulate(web, "sofft")
    with pytest.raises(BadValue, match="no strategy to simulate"):
        langcrawl.simulate(web, [])
    with pytest.raises(UnknownName, match="no key 'max_page'; did you mean 'max_pages'"):
        langcrawl.crawl(tmp_path / "x", max_page=3)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="a new crawl needs"):
        langcrawl.crawl(tmp_path / "x")
    with pytest.raises(BadInput, match="there is no file"):
        langcrawl.identify(tmp_path / "absent.txt")


def test_a_running_crawl_is_read_with_what_is_not_in_its_files_yet(
    tmp_path: Path, small_web: SmallWeb
) -> None:
    with Server(small_web.answer) as server:
        command = [
            sys.executable, "-m", "langcrawl", "crawl", "thai", "--lang", "th", "--delay", "0.1",
            "--connect-to", server.connect_to, "--strategy", "bfs",
            *(word for seed in small_web.seeds for word in ("--seeds", seed)),
        ]  # fmt: skip
        process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
        try:
            crawl = tmp_path / "thai"
            wait_for(lambda: (crawl / "frontier.db").exists() and len(server.requests) > 60)
            wait_for(lambda: read_status(crawl).pages > 20)
            log = langcrawl.open_log(crawl)
            pages = log.pages(["url", "host", "status", "parent", "language"])
            hosts = log.hosts()
            links = log.links(["src", "dst"])
            assert process.poll() is None
            in_files = len(read_table(crawl, "pages", ["id"])) if segments(crawl) else 0
            assert pages.num_rows > max(20, in_files)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
    asked = {f"http://{request.host}{request.path}" for request in server.requests}
    assert set(pages["url"].to_pylist()) <= asked
    assert set(pages["parent"].to_pylist()) - {None} <= set(pages["url"].to_pylist())
    assert set(links["src"].to_pylist()) <= asked
    assert sum(hosts["pages"].to_pylist()) >= pages.num_rows
    assert langcrawl.open_log(crawl).pages().num_rows >= pages.num_rows  # once all is in files


def near(most: int = 2) -> Strategy:
    def rank(facts: Facts) -> float:
        if facts.depth > most:
            return -1.0
        return 0.0 if facts.parent_relevant else 1.0

    return Strategy("near", rank, "near the seeds", ("too-far",), lanes=2)


def test_strategies_are_names_objects_or_what_makes_them(web: Path) -> None:
    own = ROOT / "examples" / "own_learner.py"
    sys.path.insert(0, str(own.parent))
    try:
        from own_learner import UrlWords  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    found = langcrawl.simulate(web, ["soft", near, near(1), UrlWords, f"{own}:UrlWords"])
    assert [result.name for result in found] == [
        "soft", "near", "near", "UrlWords", f"{own}:UrlWords",
    ]  # fmt: skip
    soft, two, one, learned, named = found
    assert one.pages < two.pages < soft.pages
    assert two.discards["too-far"] > 0
    assert learned.order.tolist() == named.order.tolist()
    assert found["soft"] is soft is found[0]
    assert (soft.curve[-1].coverage, found.lang) == (soft.coverage, "th")
    again = langcrawl.simulate(langcrawl.open_log(web), "soft", interpreted=True)
    assert again.urls("soft") == found.urls(0)
    with pytest.raises(UnknownName, match="no strategy in this simulation 'bfs'"):
        found["bfs"]


def test_a_simulation_is_tables_charts_and_files(web: Path, tmp_path: Path) -> None:
    found = langcrawl.simulate(web, ["bfs", "soft"], points=10)
    table = found.table().to_pylist()
    assert [row["strategy"] for row in table] == ["bfs", "soft"]
    assert table[1]["pages_to_90"] == found["soft"].summary.pages_to["0.9"]
    frame = found.curves(as_="pandas")
    assert (len(frame), set(frame["strategy"])) == (20, {"bfs", "soft"})
    assert found.chart("coverage").to_dict()["title"] == "Coverage"
    with pytest.raises(UnknownName, match="no panel"):
        found.chart("depth")
    for name in ("a.png", "a.pdf", "a.csv", "a.html", "a-{panel}.svg"):
        found.save(tmp_path / name)
    assert len(list(tmp_path.glob("a*"))) == 7
    assert "Seeds (" in (tmp_path / "a.html").read_text("utf-8")


def test_a_strategy_that_fails_has_a_reason_and_the_others_their_results(tmp_path: Path) -> None:
    def rank(facts: Facts) -> float:
        return 1 / (facts.depth - 1)

    broken = Strategy("broken", rank, "fails", lanes=0)
    log = write_web(tmp_path / "web", {"s/": P("th", ("s/1",)), "s/1": P("th")}, ["s/"])
    with pytest.warns(UserWarning, match="broken"):
        found = langcrawl.simulate(log, [broken, "bfs"], interpreted=True)
    assert found["broken"].error
    assert found["bfs"].pages == 2
    with pytest.raises(StrategyFailed):
        langcrawl.simulate(log, broken, interpreted=True)


def test_a_script_crawls_and_resumes(tmp_path: Path, small_web: SmallWeb) -> None:
    with Server(small_web.answer) as server:
        said = python(
            "import json\nimport langcrawl\n"
            "if __name__ == '__main__':\n"
            "    done = langcrawl.crawl('thai', lang='th', strategy='bfs', delay=0.0, max_pages=30,"
            f" seeds={list(small_web.seeds)!r}, connect_to={server.connect_to!r})\n"
            "    more = langcrawl.crawl('thai', max_pages=45)\n"
            "    rows = more.log().pages(['url']).num_rows\n"
            "    print(json.dumps([done.pages, done.stopped, more.pages, rows, more.harvest]))\n",
            tmp_path,
        )
    first, stopped, second, rows, harvest = json.loads(said)
    assert (first, stopped, second, rows) == (30, "max-pages", 45, 45)
    assert 0 < harvest < 1
    assert CrawlConfig.load(tmp_path / "thai").strategy == "bfs"


def test_texts_bytes_and_files_are_identified(tmp_path: Path) -> None:
    thai = "ตลาดริมน้ำเปิดทุกเช้าตั้งแต่หกโมง วันนี้อากาศดีมากและท้องฟ้าแจ่มใส"
    assert langcrawl.identify(thai).language == "th"
    found = langcrawl.identify(f"<html><meta charset=shift_jis><p>{thai}</p></html>", lang="th")
    assert (found.language, found.relevant, found.charset) == ("th", True, "")
    assert langcrawl.identify(thai.encode("cp874"), lang="my").relevant is False
    path = tmp_path / "page.txt"
    path.write_bytes(thai.encode("tis-620"))
    found = langcrawl.identify(path)
    assert (found.language, found.script, found.relevant) == ("th", "Thai", None)
    assert found.evidence
    nothing = langcrawl.identify("")
    assert (nothing.language, nothing.evidence) == ("und", ("there is nothing in it",))
    assert langcrawl.identify(thai, judge="charset").language == "und"


def test_a_notebook_crawls_without_a_guard(tmp_path: Path, small_web: SmallWeb) -> None:
    with Server(small_web.answer) as server:
        code = (
            "import langcrawl\n"
            "done = langcrawl.crawl('thai', lang='th', strategy='bfs', delay=0.0, max_pages=20,"
            f" seeds={list(small_web.seeds)!r}, connect_to={server.connect_to!r})\n"
            "print(done.pages, done.stopped)\n"
        )
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
        client = NotebookClient(
            notebook, timeout=180, kernel_name="python3",
            resources={"metadata": {"path": str(tmp_path)}},
        )  # fmt: skip
        client.execute(env={**os.environ, "IPYTHONDIR": str(tmp_path / ".ipython")})
    outputs = notebook.cells[0]["outputs"]
    assert "20 max-pages" in "".join(output.get("text", "") for output in outputs)
