"""Pages in legacy encodings on a live crawl: judged right by the packs' own chains."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from langcrawl.config import CrawlConfig
from langcrawl.dashboard.watched import WatchedCrawl
from langcrawl.review import ReviewFile, ReviewTexts
from langcrawl.run import run_crawl
from langcrawl.script import readable, zawgyi_glyphs
from langcrawl.virtualweb.phrases import PHRASES
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

BURMESE = " ".join(PHRASES["my"])
ZAWGYI = zawgyi_glyphs.from_unicode(BURMESE).text
MENKSOFT = "\ue2f1\ue289\ue2bc\ue2ec\ue289\ue2f9 \ue2b1\ue26c\ue2f3\ue26a " * 20
FONT = "<font face='Win Innwa'>tajumif;w&amp;m;ajumifh jzpfay:vmjuaom tusdk;w&amp;m;udk</font>"
ICONS = "Home \ue250 \ue2c7 \ue314 \uf015 " + " ".join(PHRASES["en"])
PAGES = {"zawgyi": ZAWGYI, "unicode": BURMESE, "menksoft": MENKSOFT, "font": FONT, "icons": ICONS}


def answer(url: str) -> SmallPage:
    name = url.rsplit("/", 1)[1]
    links = "".join(f"<a href='/{each}'>.</a>" for each in PAGES)
    body = f"<html><meta charset=utf-8><body>{PAGES.get(name, '')}{links}</body></html>"
    return SmallPage(200, body=body.encode())


@pytest.mark.parametrize(
    ("lang", "relevant"),
    [("my", {"zawgyi": "zawgyi", "unicode": "unicode", "font": "win-innwa"}),
     ("mn-Mong", {"menksoft": "menksoft"})],
)  # fmt: skip
def test_a_crawl_finds_the_pages_and_logs_their_encoding(
    tmp_path: Path, lang: str, relevant: dict[str, str]
) -> None:
    with Server(answer) as server:
        config = CrawlConfig(
            lang=lang,
            seeds=("http://a.example/",),
            strategy="bfs",
            delay=0.0,
            connect_to=(server.connect_to,),
        )
        run_crawl(tmp_path / "crawl", config)
    log = tmp_path / "crawl" / "log"
    urls = {row["id"]: row["url"] for row in pq.read_table(log / "urls").to_pylist()}
    pages = pq.read_table(log / "pages").to_pylist()
    assert len(pages) == len(PAGES) + 1
    found = {urls[row["id"]].rsplit("/", 1)[1]: row["encoding"] for row in pages if row["relevant"]}
    assert found == relevant


def test_people_are_shown_unicode_on_the_dashboard_and_in_a_review(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    with Server(answer) as server:
        config = CrawlConfig(
            lang="my",
            seeds=("http://a.example/zawgyi",),
            max_pages=1,
            connect_to=(server.connect_to,),
        )
        run_crawl(directory, config)
    crawl = WatchedCrawl(1, directory)
    assert BURMESE[:60] in crawl.page("http://a.example/zawgyi")["text"]
    assert BURMESE[:60] in crawl.look()["pages"][0]["text"]
    (page,) = ReviewFile(directory).sample(10, 1).pages
    assert BURMESE[:60] in ReviewTexts(directory).text(page)
    assert readable("plain", "") == readable("plain", "unicode") == "plain"
