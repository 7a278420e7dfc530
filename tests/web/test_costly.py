"""Pages that are dear to read, and machines that are short of something, through the command."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.hostile import _watch
from warcio.archiveiterator import ArchiveIterator

from benchmarks import costly
from conftest import Cli
from langcrawl.log.segments import read_table
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

GOOD = "<html lang=th>" + "<p>หน้านี้เป็นภาษาไทย และมีข้อความพอที่จะรู้ว่าเป็นภาษาอะไร</p>" * 20
FOLDER = "p" * 2_000


def command(directory: Path, server: Server, *words: str) -> list[str]:
    return [
        sys.executable, "-m", "langcrawl", "crawl", str(directory), "--delay", "0",
        "--connect-to", server.connect_to, "--json", *words,
    ]  # fmt: skip


def crawl_within(
    limit: Callable[[], None], directory: Path, server: Server, *words: str
) -> subprocess.CompletedProcess[str]:
    """A crawl by a new interpreter that begins under a limit of the system."""
    return subprocess.run(
        command(directory, server, *words),
        capture_output=True, text=True, timeout=300, check=False, preexec_fn=limit,
    )  # fmt: skip


@pytest.fixture
def crawl(cli: Cli) -> Cli:
    """A crawl without limits of the system."""

    def run(directory: Path, server: Server, *words: str) -> subprocess.CompletedProcess[str]:
        return cli(*command(directory, server, *words)[3:], timeout=300)

    return run


def test_the_worst_pages_are_archived_and_noted_and_good_hosts_go_on(tmp_path: Path) -> None:
    nested = costly.packed(GOOD.encode(), 940)

    def answer(url: str) -> SmallPage:
        host, path = url.split("/", 3)[2:]
        if path == "robots.txt":
            return SmallPage(404)
        if host.startswith("good"):
            return SmallPage(body=GOOD.encode())
        if host.startswith("nested"):
            return SmallPage(body=nested, content_encoding="gzip")
        body = costly.packed(costly.PAGES[host.removesuffix(".example")]())
        return SmallPage(body=body, content_encoding="gzip")

    bad = [f"http://{name}.example/{FOLDER}/page" for name in costly.PAGES]
    urls = [*bad, "http://nested.example/", *(f"http://good{n}.example/" for n in range(5))]
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(urls))
    directory = tmp_path / "crawl"
    with Server(answer) as server:
        words = command(
            directory, server, "--lang", "th", "--seeds", str(seeds), "--max-depth", "0"
        )
        with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
            largest = _watch(process)
            assert process.stdout is not None
            result = json.loads(process.stdout.read())
    assert result["pages"] == len(urls)
    assert result["relevant"] == 5
    assert largest < 900
    rows = {row["id"]: row for row in read_table(directory, "pages").to_pylist()}
    names = {row["url"]: row["id"] for row in read_table(directory, "urls").to_pylist()}
    over = [url for url in bad if "over-budget" in rows[names[url]]["notes"].split()]
    assert len(over) == result["notes"]["over-budget"]
    assert {"open-fonts", "deep-links", "attributes"} <= {
        url.split("/")[2].removesuffix(".example") for url in over
    }
    archived = _archived(directory)
    for url in urls:
        assert rows[names[url]]["status"] == 200
        assert url in archived or url == "http://nested.example/"  # binary, when it is left packed
    for url in over:
        assert (rows[names[url]]["language"], rows[names[url]]["relevant"]) == ("und", False)


def _archived(directory: Path) -> set[str]:
    """The URLs of the answers in the archive of a crawl."""
    found = set()
    for path in directory.glob("warc/*.warc.gz"):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type in ("response", "revisit"):
                    found.add(record.rec_headers.get_header("WARC-Target-URI"))
    return found


def linked(url: str) -> SmallPage:
    """A web of forty hosts with a page each, all linked from the first."""
    host, path = url.split("/", 3)[2:]
    if path == "robots.txt":
        return SmallPage(404)
    links = "".join(f'<a href="http://h{n}.example/">x</a>' for n in range(40))
    return SmallPage(body=(GOOD + (links if host == "h0.example" else "")).encode())


def test_an_archive_that_cannot_be_written_costs_no_page(tmp_path: Path, crawl: Cli) -> None:
    directory = tmp_path / "crawl"
    start = ("--lang", "th", "--seeds", "http://h0.example/")
    with Server(linked) as server:
        assert crawl(directory, server, *start, "--max-pages", "0").returncode == 0
        shutil.rmtree(directory / "warc", ignore_errors=True)
        (directory / "warc").symlink_to("/proc")  # where nobody can make a file, not even root
        second = crawl(directory, server, "--max-pages", "1000")
        assert second.returncode == 1
        assert "the archive cannot be written (" in second.stderr
        assert "run the same command again" in second.stderr
        (directory / "warc").unlink()
        third = crawl(directory, server, "--max-pages", "1000")
    result = json.loads(third.stdout)
    assert third.returncode == 0
    assert (result["pages"], result["relevant"], result["errors"]) == (40, 40, {})


def test_an_archive_that_is_a_file_is_told_in_a_sentence(tmp_path: Path, crawl: Cli) -> None:
    directory = tmp_path / "crawl"
    start = ("--lang", "th", "--seeds", "http://h0.example/")
    with Server(linked) as server:
        crawl(directory, server, *start, "--max-pages", "0")
        shutil.rmtree(directory / "warc", ignore_errors=True)
        (directory / "warc").write_text("no folder")
        done = crawl(directory, server, "--max-pages", "1000")
    assert done.returncode == 1
    assert "the archive cannot be written (" in done.stderr
    assert "Traceback" not in done.stderr


def fewer_files(most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def test_connections_are_fitted_to_the_files_that_may_be_open(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(f"http://h{n}.example/" for n in range(1, 301)))
    words = ("--lang", "th", "--seeds", str(seeds), "--connections", "200")
    with Server(linked) as server:
        done = crawl_within(fewer_files(180), tmp_path / "crawl", server, *words)
    result: dict[str, Any] = json.loads(done.stdout)
    assert "connections are used instead of 200" in done.stderr
    assert (result["pages"], result["relevant"], result["errors"]) == (300, 300, {})


def test_far_too_few_files_end_the_crawl_with_a_sentence(tmp_path: Path, crawl: Cli) -> None:
    words = ("--lang", "th", "--seeds", "http://h0.example/")
    with Server(linked) as server:
        done = crawl_within(fewer_files(64), tmp_path / "crawl", server, *words)
        assert done.returncode == 1
        assert "too many files are open" in done.stderr
        assert "Traceback" not in done.stderr
        again = crawl(tmp_path / "crawl", server)
    assert json.loads(again.stdout)["pages"] == 40


@pytest.mark.parametrize("megabytes", [900, 1_300, 1_600])
def test_too_little_memory_costs_no_page(tmp_path: Path, crawl: Cli, megabytes: int) -> None:
    words = ("--lang", "th", "--seeds", "http://h0.example/")
    most = megabytes * 1_000_000

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    with Server(linked) as server:
        done = crawl_within(limit, tmp_path / "crawl", server, *words)
        again = crawl(tmp_path / "crawl", server, *words)
    if done.returncode == 0:
        assert json.loads(done.stdout)["pages"] == 40
    else:
        assert done.returncode == 1
        # Libraries that find no memory may say something of their own after our sentence.
        assert any(line.startswith("langcrawl: ") for line in done.stderr.splitlines())
        assert "Traceback" not in done.stderr
    result = json.loads(again.stdout)
    assert (again.returncode, result["pages"], result["errors"]) == (0, 40, {})


def endless(url: str) -> SmallPage:
    """Fifty hosts with pages without end, no two of them the same."""
    _, path = url.split("/", 3)[2:]
    if path == "robots.txt":
        return SmallPage(404)
    number = int(path or 0)
    links = "".join(
        f'<a href="http://h{(7 * number + k) % 50}.example/{3 * number + k}">x</a>'
        for k in (1, 2, 3)
    )
    return SmallPage(body=f"{GOOD}<p>{number} {'ab ' * (number % 37)}</p>{links}".encode())


def test_what_has_come_by_the_end_of_a_run_is_counted(tmp_path: Path, crawl: Cli) -> None:
    directory = tmp_path / "crawl"
    words = ("--lang", "th", "--seeds", "http://h0.example/", "--connections", "40")
    with Server(endless) as server:
        for more in (words, ()):
            done = crawl(directory, server, *more, "--max-time", "6")
            assert done.returncode == 0
            assert "lost+found" not in done.stderr
    assert not (directory / "lost+found").exists()
    rows = read_table(directory, "pages")
    asked = [request.path for request in server.requests if request.path != "/robots.txt"]
    assert rows.num_rows == json.loads(done.stdout)["pages"]
    assert len(asked) - rows.num_rows <= 80  # what was under way at the end of each run
