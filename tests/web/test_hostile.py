"""A crawl of a web on which every host is hostile in a way of its own: it comes to its end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from langcrawl.archive.texts import texts
from langcrawl.config import CrawlConfig
from langcrawl.importers.warc import import_warc
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.segments import read_table
from langcrawl.run import run_crawl
from langcrawl.url import canonical, host_of
from web.hostile import BEHAVIOURS, Behaviour, Hostile

TIMEOUT, LIMIT = 6.0, 1_000_000


class Crawled:
    """What came of the crawl, by host."""

    def __init__(self, directory: Path) -> None:
        with Hostile() as server:
            seeds = tuple(filter(None, (canonical(b.url) for b in BEHAVIOURS)))
            config = CrawlConfig(
                lang="th", seeds=seeds, strategy="bfs", delay=0.0, backoff=0.1, retries=2,
                max_wait=1.0, connections=50, timeout=TIMEOUT, max_page_bytes=LIMIT,
                connect_to=server.connect_to,
            )  # fmt: skip
            began = time.monotonic()
            self.result = run_crawl(directory, config)
            self.seconds = time.monotonic() - began
            self.asked = list(server.asked)
        urls = read_table(directory, "urls")["url"].to_pylist()
        self.pages: dict[str, dict[str, Any]] = {}
        self.downloads: dict[str, int] = {}
        for row in read_table(directory, "pages").to_pylist():
            url = urls[row["id"]]
            self.pages[url] = row
            self.downloads[host_of(url)] = self.downloads.get(host_of(url), 0) + 1


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "crawl"


@pytest.fixture(scope="module")
def crawled(directory: Path) -> Crawled:
    return Crawled(directory)


def test_there_are_many_behaviours_and_the_crawl_of_them_ends(crawled: Crawled) -> None:
    assert len(BEHAVIOURS) >= 30
    assert crawled.result["stopped"] == "no-answer", "one host cannot be reached"
    assert crawled.result["queue"] == 1


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.name)
def test_every_behaviour_has_its_outcome(behaviour: Behaviour, crawled: Crawled) -> None:
    row = crawled.pages.get(str(canonical(behaviour.url)))
    if behaviour.refused:
        assert row is None
        if behaviour.refused == "silence":
            assert crawled.result["silences"][behaviour.reason] >= 1
            return
        same = [each for each in BEHAVIOURS if each.refused == behaviour.refused]
        assert crawled.result["discards"][behaviour.refused] >= len(same)
        return
    assert row is not None, f"{behaviour.does}: it was never downloaded"
    assert (row["status"], row["error"]) == (
        behaviour.in_the_end or behaviour.status,
        behaviour.reason,
    )
    assert set(behaviour.notes) <= set(row["notes"].split())
    assert crawled.downloads[behaviour.host] <= behaviour.pages


def test_nobody_outside_was_asked(crawled: Crawled) -> None:
    """Redirects and links to private addresses were refused, not followed."""
    known = {behaviour.host for behaviour in BEHAVIOURS}
    assert {host for host, _ in crawled.asked} <= known
    assert crawled.result["discards"]["address"] >= 1


def test_the_archive_of_it_can_be_read(crawled: Crawled, directory: Path) -> None:
    archived = 0
    for path in (directory / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.raw_stream.read()
                if not record.rec_headers.get_header("WARC-Target-URI", "").endswith("/robots.txt"):
                    archived += record.rec_type in ("response", "revisit")
    kept = [row for row in crawled.pages.values() if row["warc_file"]]
    assert archived == len(kept) > 30


SAID = ("status", "redirect", "content_type", "bytes", "text_bytes", "charset_header",
        "charset_meta", "charset_detected", "language", "script", "encoding", "score", "relevant",
        "digest", "title", "html_lang", "content_language", "fonts", "evidence")  # fmt: skip
"""What a log says of an answer that an archive of it can say as well."""
Links = list[tuple[str, str, bool]]


def said(directory: Path) -> dict[str, tuple[dict[str, Any], Links]]:
    """What a log says of each archived page, and its links."""
    urls = read_table(directory, "urls")["url"].to_pylist()
    links: dict[int, Links] = {}
    for row in read_table(directory, "links").to_pylist():
        link = (urls[row["dst"]], row["anchor"], row["nofollow"])
        links.setdefault(row["src"], []).append(link)
    found = {}
    for row in read_table(directory, "pages").to_pylist():
        if row["warc_file"]:
            known = {name: row[name] for name in SAID}
            if row["redirect"] is not None:
                known["redirect"] = urls[row["redirect"]]
            found[urls[row["id"]]] = (known, links.get(row["id"], []))
    return found


@pytest.fixture(scope="module")
def imported(crawled: Crawled, directory: Path) -> Path:
    """The crawl's own archive, imported with nothing but its files."""
    made = directory.parent / "imported"
    files = sorted((directory / "warc").glob("*.warc.gz"))
    config = CrawlConfig(source="import", lang="th")
    import_warc(made, files, make_judge(load_pack("th")), config, lambda share, pages: None)
    return made


def test_an_import_of_the_archive_says_what_the_crawl_said(
    crawled: Crawled, directory: Path, imported: Path
) -> None:
    before, after = said(directory), said(imported)
    assert set(after) == set(before)
    assert {url: after[url] for url in before if after[url] != before[url]} == {}
    assert {url: before[url] for url in before if after[url] != before[url]} == {}
    assert any("revisit" in row["notes"].split() for row in crawled.pages.values())


def test_texts_read_again_give_the_verdict_and_the_links_of_the_crawl(
    crawled: Crawled, directory: Path, imported: Path
) -> None:
    judge = make_judge(load_pack("th"))
    for place in (directory, imported):
        urls = read_table(place, "urls")["url"].to_pylist()
        before, read = said(directory), set()
        for number, content in texts(place).all():
            known, links = before[urls[number]]
            read.add(urls[number])
            assert len(content.text.encode("utf-8", "replace")) == known["text_bytes"]
            assert [(link.url, link.anchor, link.nofollow) for link in content.links] == links
            assert content.charsets.detected == known["charset_detected"]
            if known["redirect"] is None:
                verdict = judge.judge(content)
                assert (verdict.language, verdict.score) == (known["language"], known["score"])
        with_text = {url for url, (known, _) in before.items() if known["text_bytes"]}
        assert with_text <= read
        assert len(with_text) > 50
