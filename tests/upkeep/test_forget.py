"""Pages that are taken out of a crawl are gone from all of it, and stay away."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.log.segments import read_table
from langcrawl.upkeep.forget import forget_pages, wanted
from langcrawl.url import host_of
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

THAI = "ภาษาไทย เป็นภาษาราชการ ของประเทศไทย และเป็นภาษา ที่มีผู้พูด หลายสิบล้านคน "
PATHS = {"a.th": ["", "1", "2"], "b.th": ["", "same", "own"], "c.th": ["", "same"]}


def answer(url: str) -> SmallPage:
    """Three hosts that link to each other; c.th has a page that is b.th's, letter for letter."""
    host, path = host_of(url), url.split("/", 3)[3]
    if path not in PATHS.get(host, ()):
        return SmallPage(404)
    if path == "same":
        return SmallPage(body=f"<p>{THAI * 9}</p>".encode())
    links = "".join(f'<a href="http://{name}/{p}">x</a>' for name in PATHS for p in PATHS[name])
    return SmallPage(body=f"<p>{THAI} {host} {path}</p>{links}".encode())


@pytest.fixture(params=["bfs", "adaptive"])
def crawled(request: pytest.FixtureRequest, tmp_path: Path, cli: Cli) -> Path:
    """A crawl of that web, complete."""
    with Server(answer) as server:
        done = cli(
            "crawl", "crawl", "--lang", "th", "--seeds", "http://a.th/", "--delay", "0",
            "--strategy", request.param, "--connections", "1", "--connect-to", server.connect_to,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return tmp_path / "crawl"


def resume(cli: Cli, directory: Path, server: Server, *more: str) -> None:
    """Crawl on; the hosts are at another port now."""
    (before,) = CrawlConfig.load(directory).connect_to
    done = cli(
        "crawl", "crawl", "--no-connect-to", before, "--connect-to", server.connect_to, *more
    )
    assert done.returncode == 0, done.stderr


def records(directory: Path) -> Counter[str]:
    """How many records of each host another program finds, reading every file to its end."""
    found: Counter[str] = Counter()
    for path in directory.rglob("*.warc.gz"):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                url = record.rec_headers.get_header("WARC-Target-URI")
                found[host_of(url) if url else record.rec_type] += 1
                record.content_stream().read()
    return found


def logged(directory: Path) -> Counter[str]:
    """How many pages of each host the log has."""
    urls = read_table(directory, "urls").to_pylist()
    host = {row["id"]: row["host"] for row in urls}
    return Counter(host[page] for page in read_table(directory, "pages")["id"].to_pylist())


def test_a_host_is_gone_from_archive_log_index_and_counts(crawled: Path, cli: Cli) -> None:
    before, pages = records(crawled), logged(crawled)
    assert before["b.th"] > 3  # pages, requests, stories, robots.txt
    would = json.loads(cli("forget", "crawl", "--host", "b.th", "--dry-run", "--json").stdout)
    assert records(crawled) == before
    done = cli("forget", "crawl", "--host", "b.th", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said == would
    assert (said["pages"], said["records"]) == (3, before["b.th"])
    after = records(crawled)
    assert after["b.th"] == 0
    assert after["metadata"] == before["b.th"]
    assert after["a.th"] == before["a.th"]
    assert "b.th" not in logged(crawled)
    assert b"b.th" not in (crawled / "warc/index.cdxj").read_bytes()
    assert b"b.th own" not in b"".join(p.read_bytes() for p in (crawled / "log").rglob("*.parquet"))
    status = json.loads(cli("status", "crawl", "--json").stdout)
    assert status["pages"] == sum(pages.values()) - 3 - said["asked_again"]
    verified = cli("verify", "crawl")
    assert verified.returncode == 0, verified.stdout


def test_it_stays_away_and_what_it_shared_is_asked_for_again(crawled: Path, cli: Cli) -> None:
    done = cli("forget", "crawl", "--host", "b.th", "--json")
    assert json.loads(done.stdout)["asked_again"] == 1  # c.th/same stood there as a repetition
    asked = []

    def watch(url: str) -> SmallPage:
        asked.append(url)
        return answer(url)

    with Server(watch) as server:
        resume(cli, crawled, server)
    with Server(watch) as server:
        resume(cli, crawled, server, "--seeds", "http://b.th/")
    assert {url for url in asked if "robots" not in url} == {"http://c.th/same"}
    assert logged(crawled) == {"a.th": 3, "c.th": 2}
    assert cli("verify", "crawl").returncode == 0


def test_where_the_only_seed_is_forgotten_the_crawl_goes_on_with_what_waits(
    tmp_path: Path, cli: Cli
) -> None:
    with Server(answer) as server:
        done = cli(
            "crawl", "crawl", "--lang", "th", "--seeds", "http://a.th/", "--delay", "0",
            "--max-pages", "1", "--connect-to", server.connect_to,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert cli("forget", "crawl", "--host", "a.th").returncode == 0
    assert CrawlConfig.load(tmp_path / "crawl").seeds == ()
    with Server(answer) as server:
        resume(cli, tmp_path / "crawl", server, "--max-pages", "none")
    assert logged(tmp_path / "crawl") == {"b.th": 3, "c.th": 2}
    done = cli("crawl", "new", "--lang", "th")
    assert done.returncode == 2
    assert "a new crawl needs --seeds" in done.stderr


def test_a_single_page_goes_and_its_host_stays(crawled: Path, cli: Cli) -> None:
    done = cli("forget", "crawl", "--url", "http://a.th/1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 pages, 1 of them in the target")
    assert logged(crawled)["a.th"] == 2
    assert cli("verify", "crawl").returncode == 0
    assert cli("simulate", "crawl", "--strategy", "bfs").returncode == 0


@pytest.mark.parametrize("after", [0, 1, 5])
def test_interrupted_it_is_completed_by_the_next_call(crawled: Path, cli: Cli, after: int) -> None:
    left, goal = [after], wanted(["b.th"], [])

    def stop() -> bool:
        left[0] -= 1
        return left[0] < 0

    assert forget_pages(crawled, goal, False, lambda *_: None, stop).stopped
    assert cli("status", "crawl").returncode == 0
    with Server(answer) as server:  # a crawl in between neither minds nor asks for it
        resume(cli, crawled, server)
    assert not forget_pages(crawled, goal, False, lambda *_: None, lambda: False).stopped
    assert records(crawled)["b.th"] == 0
    assert "b.th" not in logged(crawled)
    assert cli("verify", "crawl").returncode == 0


def test_what_was_set_aside_is_searched_too(crawled: Path) -> None:
    aside = crawled / "lost+found"
    aside.mkdir()
    (file,) = (crawled / "warc").glob("*.warc.gz")
    shutil.copy(file, aside / "old.warc.gz")
    forget_pages(crawled, wanted(["b.th"], []), False, lambda *_: None, lambda: False)
    assert records(aside)["b.th"] == 0
    assert records(aside)["a.th"] > 0


def test_what_cannot_be_forgotten_is_told(crawled: Path, cli: Cli, tmp_path: Path) -> None:
    for words, status, said in [
        (["forget", "crawl"], 2, "say what to forget"),
        (["forget", "crawl", "--host", "z.org"], 1, "knows nothing of z.org"),
        (["forget", "crawl", "--host", "th"], 1, "it knows a.th"),
        (["forget", "crawl", "--url", "no url"], 2, "is not a URL"),
        (["forget", "absent", "--host", "b.th"], 1, "there is no directory"),
    ]:
        done = cli(*words)
        assert (done.returncode, said in done.stderr) == (status, True), done.stderr
        assert done.stderr.count("\n") == 1
    assert cli("synth", "web", "--pages", "200").returncode == 0
    with pytest.raises(BadInput, match="was not crawled here"):
        forget_pages(tmp_path / "web", wanted(["b.th"], []), False, lambda *_: None, lambda: False)
