"""The judge ``topic`` in a live crawl, and on what that crawl has kept."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Cli
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage
from topic.pages import SENTENCES, page, write_folders

PAGES = 5
URLS = [f"http://www.{label}.example/{number}" for label in SENTENCES for number in range(PAGES)]


def answer(url: str) -> SmallPage:
    if url.endswith("/robots.txt"):
        return SmallPage(404)
    label, number = url.split(".")[1], url.rpartition("/")[2]
    links = "".join(f'<a href="{link}">next</a>' for link in URLS)
    word = "<p>Scuba for all.</p>" if number == "1" else ""
    body = page(label, 7, int(number or 0)).replace("scuba", "snorkel")
    return SmallPage(body=(body + word + links).encode())


def test_crawl_import_and_simulate_ask_the_topic_judge(cli: Cli, tmp_path: Path) -> None:
    folders = write_folders(tmp_path / "labelled")
    trained = cli("train", "topic", "m.json", "--folder", folders, "--topic", "diving",
                  "--times", "0")  # fmt: skip
    assert trained.returncode == 0, trained.stderr
    judge = ("--lang", "en", "--judge", "topic:model=m.json")
    with Server(answer) as server:
        done = cli("crawl", "c", *judge, "--seeds", URLS[0], "--strategy", "bfs", "--delay", "0",
                   "--connect-to", server.connect_to, "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    crawled = json.loads(done.stdout)
    assert (crawled["pages"], crawled["relevant"]) == (3 * PAGES, PAGES)

    archives = sorted((tmp_path / "c" / "warc").glob("*.warc.gz"))
    taken = cli("import", "i", *judge, "--warc", *archives, "--seeds", URLS[0], "--json")
    assert json.loads(taken.stdout)["relevant"] == PAGES

    with_word = "topic:model=m.json,words=scuba|wetsuit"
    again = cli("simulate", "c", "--strategy", "bfs", "--judge", with_word, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["relevant_total"] == 1
