"""URLs that failed wait again, whenever the process that has them wait is cut off."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl.archive import retry
from langcrawl.archive.retry import failed_for, retry_failures
from langcrawl.config import CrawlConfig
from langcrawl.log.segments import read_table
from langcrawl.run import run_crawl
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.view import open_view
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage


class CutOff(Exception):
    """Stands for the end of the process."""


@pytest.mark.parametrize("step", ["forget_index", "ask_again", "finish_asking_again"])
def test_no_failure_is_lost_or_counted_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    broken = True

    def answer(url: str) -> SmallPage:
        if url.endswith("/robots.txt"):
            return SmallPage(404)
        if url.endswith("/bad"):
            return SmallPage(500 if broken else 200, body=b"<p>mended</p>")
        return SmallPage(body=b'<p>good</p><a href="/bad">bad</a>')

    def cut_off(*_: object) -> None:
        raise CutOff

    crawl = CrawlDirectory(tmp_path / "crawl")
    with Server(answer) as server:
        config = CrawlConfig(
            lang="th", seeds=("http://a.example/",), strategy="bfs", delay=0.0, retries=0,
            connect_to=(server.connect_to,),
        )  # fmt: skip
        assert run_crawl(crawl.path, config)["errors"] == {"500": 1}
        calls = iter([lambda *_: None, cut_off] if step == "finish_asking_again" else [cut_off])
        with monkeypatch.context() as patched, crawl.locked():
            patched.setattr(retry, step, lambda *given: next(calls)(*given))
            with pytest.raises(CutOff):
                retry_failures(crawl, failed_for(["500"]))
        with crawl.locked():
            retry_failures(crawl, failed_for(["500"]))
        with open_view(crawl.path) as view:
            assert sum(map(len, view.pages(["id"]))) == 1
        broken = False
        said = run_crawl(crawl.path, config)
    assert (said["pages"], sum(said["errors"].values())) == (2, 0)
    assert sorted(read_table(crawl.path, "pages")["status"].to_pylist()) == [200, 200]
