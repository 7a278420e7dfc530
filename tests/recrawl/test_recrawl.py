"""``langcrawl recrawl`` by the real command, on a web that changes between two calls."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from warcio.archiveiterator import ArchiveIterator

import langcrawl
from changing import Changing, ChangingWeb, small_changing_web
from conftest import Cli
from langcrawl.archive.index import forget_index
from langcrawl.config import CrawlConfig
from langcrawl.log.visits import read_visits

PAGES, RELEVANT = 15, 14


@pytest.fixture
def web() -> Iterator[ChangingWeb]:
    with small_changing_web() as web:
        yield web


@pytest.fixture
def crawl(web: ChangingWeb, cli: Cli, tmp_path: Path) -> Path:
    """A complete crawl of that web."""
    done = cli(
        "crawl", "crawl", "--lang", "th", "--seeds", "http://etag.th/", "--strategy", "bfs",
        "--delay", "0", "--connections", "4", "--connect-to", web.connect_to, "--json",
    )  # fmt: skip
    assert json.loads(done.stdout)["relevant"] == RELEVANT, done.stderr
    assert len(web.pages_asked()) == PAGES
    return tmp_path / "crawl"


def recrawl(cli: Cli, *words: str, status: int = 0) -> dict[str, Any]:
    done = cli("recrawl", "crawl", "--json", *words)
    assert done.returncode == status, done.stderr + done.stdout
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def outcomes(directory: Path, url: str) -> list[str]:
    """What each visit of a page came to, in order."""
    log = langcrawl.open_log(directory)
    (number,) = [row["id"] for row in log.pages(["url", "id"]).to_pylist() if row["url"] == url]
    rows = [row for table in read_visits(directory) for row in table.to_pylist()]
    mine = sorted((row["fetched_at"], row["outcome"]) for row in rows if row["id"] == number)
    return [outcome for _, outcome in mine]


def records(directory: Path, kind: str) -> list[Any]:
    """The heads of records of a kind, as another program reads them."""
    found = []
    for path in sorted((directory / "warc").glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type == kind:
                    found.append(record)
    return found


def pages_of(directory: Path) -> dict[str, dict[str, Any]]:
    rows = langcrawl.open_log(directory).pages().to_pylist()
    assert len({row["url"] for row in rows}) == len(rows), "a page stands there twice"
    return {row["url"]: row for row in rows}


def verified(cli: Cli) -> None:
    done = cli("verify", "crawl")
    assert done.returncode == 0, done.stdout


def change(web: ChangingWeb) -> None:
    """On each host one page changes; one vanishes, one fails; one brings two new pages."""
    web.pages["http://etag.th/1"].change("now other", "http://etag.th/new", "http://etag.th/2")
    web.pages["http://date.th/1"].change("now other too")
    web.pages["http://plain.th/1"].change("and this")
    web.pages["http://etag.th/new"] = Changing("brand new", ("http://etag.th/newer",))
    web.pages["http://etag.th/newer"] = Changing("brand newer")
    del web.pages["http://date.th/2"]
    web.pages["http://plain.th/2"].status = 500


def test_what_has_not_changed_costs_a_few_bytes_and_a_revisit_record(
    web: ChangingWeb, crawl: Path, cli: Cli
) -> None:
    before, whole = pages_of(crawl), len(records(crawl, "response"))
    said = recrawl(cli)
    assert (said["asked"], said["not_modified"], said["same_bytes"]) == (RELEVANT, 8, 6)
    assert said["changed"] == said["gone"] == said["failed"] == said["new_pages"] == 0
    asked = web.pages_asked()
    assert Counter(asked.values()) == {304: 8, 200: 6}
    assert "http://date.th/english" not in asked
    assert said["bytes"] < said["full_bytes"] / 2
    assert pages_of(crawl) == before
    verified(cli)
    robots = [one for one in records(crawl, "response") if "robots" in uri(one)]
    assert len(records(crawl, "response")) == whole + len(robots) // 2
    profiles = Counter()
    for record in records(crawl, "revisit"):
        header = record.rec_headers.get_header
        profiles[header("WARC-Profile").rsplit("/", 1)[1]] += 1
        if header("WARC-Refers-To-Target-URI") == uri(record):
            assert header("WARC-Refers-To-Date") < header("WARC-Date")
        assert header("WARC-Payload-Digest").startswith("sha1:")
    # the seventh is a page of the first crawl that another host, asked just then, has as well
    assert profiles == {"server-not-modified": 8, "identical-payload-digest": 7}


def uri(record: Any) -> str:
    return str(record.rec_headers.get_header("WARC-Target-URI"))


def test_validators_go_back_as_they_came(web: ChangingWeb, crawl: Path, cli: Cli) -> None:
    for _ in range(2):  # an answer 304 by date has no date itself
        recrawl(cli)
        sent = {one.url: one.headers for one in web.asked}
        assert sent["http://etag.th/1"]["If-None-Match"] == web.pages["http://etag.th/1"].etag
        assert "If-Modified-Since" in sent["http://date.th/1"]
        assert not {"If-None-Match", "If-Modified-Since"} & sent["http://plain.th/1"].keys()
        assert Counter(web.pages_asked().values()) == {304: 8, 200: 6}
    request = next(one for one in records(crawl, "request") if uri(one) == "http://etag.th/1")
    assert request.http_headers.get_header("If-None-Match") is None  # the first time


def test_changes_new_pages_and_those_that_are_gone_are_taken_in(
    web: ChangingWeb, crawl: Path, cli: Cli
) -> None:
    change(web)
    said = recrawl(cli)
    assert (said["changed"], said["gone"], said["failed"]) == (3, 1, 1)
    assert (said["not_modified"], said["same_bytes"]) == (5, 4)
    assert (said["new_urls"], said["new_pages"], said["new_relevant"]) == (2, 2, 2)
    assert said["failures"] == {"500": 1}
    assert (said["pages"], said["relevant"]) == (PAGES + 2, RELEVANT + 2 - 1)
    rows = pages_of(crawl)
    assert rows["http://etag.th/1"]["title"] == "now other"
    assert rows["http://date.th/2"]["status"] == 404
    assert rows["http://plain.th/2"]["status"] == 200  # one failure does not take a page away
    assert outcomes(crawl, "http://date.th/2") == ["new", "gone"]
    assert outcomes(crawl, "http://plain.th/2") == ["new", "failed"]
    links = langcrawl.open_log(crawl).links(["src", "dst"]).to_pylist()
    assert {row["dst"] for row in links if row["src"] == "http://etag.th/1"} == {
        "http://etag.th/new", "http://etag.th/2",
    }  # fmt: skip
    status = json.loads(cli("status", "crawl", "--json").stdout)
    assert status["pages"] == len(rows)
    assert status["relevant"] == sum(row["relevant"] for row in rows.values())
    assert status["answers"] == {"text": PAGES + 1, "error": 1}
    verified(cli)


def test_a_third_recrawl_knows_what_the_second_has_brought(
    web: ChangingWeb, crawl: Path, cli: Cli
) -> None:
    change(web)
    recrawl(cli)
    web.pages_asked()
    web.pages["http://date.th/2"] = Changing("back again", by="date")
    web.pages["http://plain.th/2"].status = 200
    said = recrawl(cli)
    assert (said["asked"], said["changed"], said["gone"], said["failed"]) == (16, 1, 0, 0)
    assert web.pages_asked()["http://etag.th/1"] == 304  # with the version of the second
    assert outcomes(crawl, "http://date.th/2") == ["new", "gone", "changed"]
    assert outcomes(crawl, "http://plain.th/2") == ["new", "failed", "unchanged"]
    assert outcomes(crawl, "http://etag.th/1") == ["new", "changed", "unchanged"]
    assert pages_of(crawl)["http://date.th/2"]["relevant"]
    recrawl(cli)
    verified(cli)


def test_the_corpus_has_the_newest_text_and_pages_that_share_one_keep_it(
    web: ChangingWeb, crawl: Path, cli: Cli, tmp_path: Path
) -> None:
    first = pages_of(crawl)
    repeats = [url for url, row in first.items() if "revisit" in row["notes"]]
    (repeat,) = repeats
    (original,) = {"http://plain.th/same", "http://date.th/same"} - {repeat}
    web.pages[original] = Changing("no longer the same", by="")
    web.pages["http://etag.th/1"].change("NEWEST WORDS")
    recrawl(cli)
    texts = {page.url: page.text for page in langcrawl.open_log(crawl).texts()}
    assert "NEWEST WORDS" in texts["http://etag.th/1"]
    assert "no longer" in texts[original]
    assert texts[repeat].strip().endswith("same")  # its bytes stand only where the other was
    done = cli(
        "export", "crawl", "--to", "corpus.parquet", "--text", "full", "--no-exact", "--no-near",
        "--no-site-paragraphs", "--processes", "1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = pq.read_table(tmp_path / "corpus.parquet").to_pylist()
    exported = {row["url"]: row["text"] for row in rows}
    assert len(exported) == len(rows) == RELEVANT
    assert "NEWEST WORDS" in exported["http://etag.th/1"]
    assert "no longer" in exported[original]
    verified(cli)


def test_old_captures_stay_in_the_index_also_when_it_is_written_anew(
    web: ChangingWeb, crawl: Path, cli: Cli
) -> None:
    change(web)
    recrawl(cli)
    recrawl(cli)
    index = crawl / "warc" / "index.cdxj"
    before = index.read_bytes()
    answers = [one for one in records(crawl, "response") if not uri(one).endswith("robots.txt")]
    assert len(before.splitlines()) == len(answers) + len(records(crawl, "revisit"))
    forget_index(crawl / "warc")
    assert cli("crawl", "crawl").returncode == 0
    assert index.read_bytes() == before


def test_other_commands_read_the_directory_as_before(
    web: ChangingWeb, crawl: Path, cli: Cli
) -> None:
    change(web)
    recrawl(cli)
    done = cli("simulate", "crawl", "--strategy", "bfs", "--json")
    assert json.loads(done.stdout)["strategies"][0]["pages"] == PAGES + 2
    why = cli("why", "crawl", "http://etag.th/1")
    assert why.returncode == 0
    assert re.search(r"once:\n  .* UTC: new, status 200\n  .* UTC: changed, status 200", why.stdout)
    assert "now other" in why.stdout + cli("why", "crawl", "http://etag.th/1", "--json").stdout
    assert cli("report", "crawl", "--to", "report.html").returncode == 0
    assert cli("analyze", "crawl").returncode == 0
    assert cli("crawl", "crawl").returncode == 0  # and it can be crawled on
    verified(cli)


def test_a_budget_goes_to_what_most_likely_changed_and_new_pages_have_a_part_in_it(
    web: ChangingWeb, crawl: Path, cli: Cli
) -> None:
    first = recrawl(cli, "--max-pages", "5")
    assert (first["asked"], first["stopped"]) == (5, "max-pages")
    assert len(web.pages_asked()) == 5
    web.pages["http://etag.th/1"].change("a", *(f"http://etag.th/n{i}" for i in range(9)))
    for number in range(9):
        web.pages[f"http://etag.th/n{number}"] = Changing(f"new {number}")
    said = recrawl(cli, "--host", "etag.th", "--max-pages", "6")
    assert said["asked"] + said["new_pages"] == 6
    assert said["new_pages"] >= 2
    assert said["queue"] == 9 - said["new_pages"]
    assert {url.split("/")[2] for url in web.pages_asked()} == {"etag.th"}
    verified(cli)


def test_age_host_and_all_choose_pages_and_a_dry_run_asks_nobody(
    web: ChangingWeb, crawl: Path, cli: Cli
) -> None:
    before = {path: path.read_bytes() for path in crawl.rglob("*") if path.is_file()}
    for words, due in (
        ((), RELEVANT), (("--older-than", "1d"), 0), (("--all",), PAGES),
        (("--host", "etag.th"), 4), (("--host", "etag.th", "--host", "plain.th"), 9),
    ):  # fmt: skip
        said = recrawl(cli, "--dry-run", *words)
        assert said["due"] == due, words
    assert cli("recrawl", "crawl", "--dry-run").stdout.startswith("Nobody was asked. 14 pages")
    assert not web.asked
    after = {path: path.read_bytes() for path in crawl.rglob("*") if path.is_file()}
    assert {path.name for path in after if after[path] != before.get(path)} <= {"frontier.db-shm"}
    assert recrawl(cli, "--older-than", "1d")["asked"] == 0
    assert recrawl(cli, "--all")["asked"] == PAGES


def test_what_robots_txt_or_the_user_closes_is_not_asked_for(
    web: ChangingWeb, crawl: Path, cli: Cli
) -> None:
    web.pages["http://etag.th/robots.txt"] = Changing(raw=b"User-agent: *\nDisallow: /1\n", by="")
    assert cli("crawl", "crawl", "--exclude", "date.th/3").returncode == 0
    web.pages_asked()
    said = recrawl(cli)
    asked = web.pages_asked()
    assert "http://etag.th/1" not in asked
    assert "http://date.th/3" not in asked
    assert said["failures"] == {"robots": 1}
    assert said["left_out"] == {"excluded": 1}
    assert pages_of(crawl)["http://etag.th/1"]["status"] == 200


def test_a_page_that_redirects_now_is_followed(web: ChangingWeb, crawl: Path, cli: Cli) -> None:
    web.pages["http://etag.th/1"] = Changing(status=301, location="http://etag.th/moved")
    web.pages["http://etag.th/moved"] = Changing("moved")
    said = recrawl(cli)
    assert (said["changed"], said["new_pages"]) == (1, 1)
    rows = pages_of(crawl)
    assert rows["http://etag.th/1"]["redirect"] == "http://etag.th/moved"
    assert rows["http://etag.th/moved"]["found_by"] == "redirect"
    verified(cli)


def test_forgetting_takes_all_captures_of_a_page(web: ChangingWeb, crawl: Path, cli: Cli) -> None:
    change(web)
    recrawl(cli)
    recrawl(cli)
    done = cli("forget", "crawl", "--url", "http://etag.th/1")
    assert done.returncode == 0, done.stderr
    left = [one for kind in ("response", "revisit", "request", "metadata")
            for one in records(crawl, kind) if uri(one) == "http://etag.th/1"]  # fmt: skip
    assert not left
    assert b"th,etag)/1 " not in (crawl / "warc" / "index.cdxj").read_bytes()
    numbers = {row["id"] for table in read_visits(crawl) for row in table.to_pylist()}
    log = langcrawl.open_log(crawl)
    known = {row["id"] for row in log.pages(["id"]).to_pylist()}
    assert numbers <= known
    verified(cli)
    web.pages_asked()
    recrawl(cli)
    assert "http://etag.th/1" not in web.pages_asked()


def test_a_log_made_anew_from_the_archive_has_the_newest_pages_and_the_history(
    web: ChangingWeb, crawl: Path, cli: Cli
) -> None:
    change(web)
    recrawl(cli)
    web.pages["http://etag.th/1"].change("a third text")
    recrawl(cli)
    wanted = ("title", "status", "relevant", "digest", "warc_file", "warc_offset", "depth", "notes")
    before = {url: [row[key] for key in wanted] for url, row in pages_of(crawl).items()}
    urls = ("http://etag.th/1", "http://date.th/2", "http://plain.th/2", "http://date.th/3")
    history = {url: outcomes(crawl, url) for url in urls}
    assert history[urls[0]] == ["new", "changed", "changed"]
    index = (crawl / "warc" / "index.cdxj").read_bytes()
    status = json.loads(cli("status", "crawl", "--json").stdout)
    done = cli("recover", "crawl", "--rebuild", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["broken"] == 0
    assert {url: [row[key] for key in wanted] for url, row in pages_of(crawl).items()} == before
    assert {url: outcomes(crawl, url) for url in urls} == history
    assert (crawl / "warc" / "index.cdxj").read_bytes() == index
    after = json.loads(cli("status", "crawl", "--json").stdout)
    assert [after[key] for key in ("pages", "relevant", "answers")] == [
        status[key] for key in ("pages", "relevant", "answers")
    ]
    verified(cli)
    assert recrawl(cli)["changed"] == 0
    verified(cli)


def test_an_archive_file_that_is_lost_costs_old_captures_and_no_more(
    web: ChangingWeb, crawl: Path, cli: Cli
) -> None:
    change(web)
    recrawl(cli)
    oldest = min((crawl / "warc").glob("*.warc.gz"))
    gone = oldest.name
    oldest.unlink()
    assert cli("verify", "crawl").returncode == 1
    assert cli("crawl", "crawl").returncode == 0  # pages that stood only there come again
    verified(cli)
    assert gone.encode() not in (crawl / "warc" / "index.cdxj").read_bytes()
    recrawl(cli)
    verified(cli)


def test_what_came_of_it_is_told_in_plain_words(web: ChangingWeb, crawl: Path, cli: Cli) -> None:
    change(web)
    done = cli("recrawl", "crawl")
    assert done.returncode == 0
    assert "14 pages asked for again: 9 unchanged (5 by their servers' word" in done.stdout
    assert "3 changed, 1 gone, 1 failed." in done.stdout
    assert "2 new URLs were found and 2 new pages downloaded, 2 of them in th." in done.stdout
    assert "would have taken" in done.stdout


def test_directories_without_pages_of_their_own_are_refused_in_words(
    cli: Cli, tmp_path: Path
) -> None:
    assert cli("synth", "web", "--pages", "200", "--seed", "1").returncode == 0
    done = cli("recrawl", "web")
    assert done.returncode == 1
    assert "was not crawled here" in done.stderr
    assert cli("recrawl", "nowhere").returncode == 1
    CrawlConfig(lang="th", seeds=("http://a.th/",), shards=2).save(tmp_path)
    done = cli("recrawl", tmp_path)
    assert done.returncode == 1
    assert "has several shards" in done.stderr
