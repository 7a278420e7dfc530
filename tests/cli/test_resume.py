"""What is said when a crawl is resumed holds before the next request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

THAI = "<p>ภาษาไทยเป็นภาษาราชการของประเทศไทย มีผู้พูดหลายสิบล้านคน</p>"
HOSTS = ("a.example", "b.example", "c.example")
PAGES = 20


def answer(url: str) -> SmallPage:
    if url.endswith("/robots.txt"):
        return SmallPage(404)
    links = [f"http://{host}/{kind}/{n}" for n in range(PAGES) for host in HOSTS for kind in "xy"]
    return SmallPage(body=(THAI + "".join(f'<a href="{link}">x</a>' for link in links)).encode())


class Resumed:
    """A crawl of three hosts with forty pages each, stopped after ten pages."""

    def __init__(self, cli: Cli, directory: Path, server: Server) -> None:
        self._cli, self.directory, self.server = cli, directory, server
        start = ["--lang", "th", "--seeds", "http://a.example/", "--strategy", "bfs"]
        start += ["--delay", "0", "--connect-to", server.connect_to, "--max-pages", "10"]
        self(*start)
        self.before = len(server.requests)

    def __call__(self, *words: str, status: int = 0) -> Any:
        done = self._cli("crawl", self.directory, *words, "--json")
        assert done.returncode == status, done.stderr
        self.said = done.stderr
        return json.loads(done.stdout) if done.stdout else None

    @property
    def asked(self) -> list[str]:
        """What was asked for since the crawl was stopped."""
        return [f"{one.host}{one.path}" for one in self.server.requests[self.before :]]


@pytest.fixture
def resumed(cli: Cli, tmp_path: Path) -> Iterator[Resumed]:
    with Server(answer) as server:
        yield Resumed(cli, tmp_path / "c", server)


def test_a_block_list_on_resume_lets_no_more_request_through(
    resumed: Resumed, tmp_path: Path
) -> None:
    (tmp_path / "block.txt").write_text("b.example\n")
    result = resumed("--block-hosts", str(tmp_path / "block.txt"), "--max-pages", "none")
    assert not [url for url in resumed.asked if url.startswith("b.example")]
    assert [url for url in resumed.asked if url.startswith("c.example")]
    assert result["discards"]["blocked-host"] >= 2 * PAGES
    assert result["stopped"] == "queue-empty"
    assert "waiting URLs are left out" in resumed.said
    assert "blocked-host" in resumed.said


def test_patterns_add_up_and_can_be_taken_back(resumed: Resumed) -> None:
    resumed("--exclude", "b.example", "--max-pages", "12")
    result = resumed("--exclude", "/x/", "--max-pages", "1k")
    later = [url for url in resumed.asked if not url.endswith("robots.txt")]
    assert not [url for url in later if url.startswith("b.example")]
    assert not [url for url in later[3:] if "/x/" in url]
    assert result["discards"]["excluded"] >= 2 * PAGES
    assert CrawlConfig.load(resumed.directory).exclude == ("b.example", "/x/")
    resumed("--no-exclude", "/x/", "--seeds", "http://a.example/x/more", "--max-pages", "none")
    assert CrawlConfig.load(resumed.directory).exclude == ("b.example",)
    assert "a.example/x/more" in resumed.asked
    assert [url for url in resumed.asked if url.startswith("c.example/x/")]
    resumed("--no-exclude", "/z/", status=2)
    assert "there is no --exclude '/z/' to take back; there is 'b.example'" in resumed.said


def test_seeds_can_be_added_and_limits_written_as_people_do(resumed: Resumed) -> None:
    resumed("--seeds", "http://new.example/", "--max-pages", "11", "--max-time", "2h")
    config = CrawlConfig.load(resumed.directory)
    assert config.seeds == ("http://a.example/", "http://new.example/")
    assert (config.max_pages, config.max_time) == (11, 7200.0)
    result = resumed("--max-pages", "none", "--max-bytes", "10MB", "--max-time", "none")
    config = CrawlConfig.load(resumed.directory)
    assert (config.max_pages, config.max_bytes, config.max_time) == (None, 10_000_000, None)
    assert "new.example/" in resumed.asked
    assert result["stopped"] == "queue-empty"


def test_a_smaller_depth_and_fewer_pages_of_a_host_bind_at_once(resumed: Resumed) -> None:
    result = resumed("--max-pages", "none", "--max-depth", "0")
    assert resumed.asked == []
    assert result["queue"] == 0
    assert result["discards"]["max-depth"] >= 4 * PAGES


def test_a_lower_limit_of_a_host_empties_its_queue(resumed: Resumed) -> None:
    result = resumed("--max-pages", "none", "--max-pages-per-host", "1")
    assert result["discards"]["max-pages-per-host"] >= 2 * PAGES
    assert not [url for url in resumed.asked if url.startswith("a.example")]


def test_a_dry_run_counts_and_shows_and_changes_nothing(resumed: Resumed, cli: Cli) -> None:
    before = (resumed.directory / "crawl.toml").read_bytes()
    found = resumed("--exclude", "/y/", "--dry-run")
    assert resumed.asked == []
    assert (resumed.directory / "crawl.toml").read_bytes() == before
    assert found["left_out"] == found["reasons"]["excluded"] > PAGES
    assert found["waiting"] > found["left_out"]
    assert all("/y/" in url for url in found["examples"]["excluded"])
    told = cli("crawl", resumed.directory, "--exclude", "/y/", "--dry-run").stdout
    assert f"would leave out {found['left_out']}" in told
    assert found["examples"]["excluded"][0] in told
    result = resumed("--exclude", "/y/", "--max-pages", "10")
    assert result["discards"]["excluded"] == found["left_out"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--max-pages", "ten"), "'ten' is not a number such as 500, 50k or 2M, or none"),
        (("--max-bytes", "3 elephants"), "is not a number of bytes such as"),
        (("--max-time", "1 fortnight"), "is not a time such as 90, 30min, 2h"),
        (("--max-pages", "-1"), "is not a number"),
        (("--delay", "none"), "it needs a number"),
    ],
)
def test_numbers_that_are_none_are_told(cli: Cli, words: tuple[str, ...], says: str) -> None:
    done = cli("crawl", "new", "--lang", "th", "--seeds", "http://a.example/", *words)
    assert done.returncode == 2
    assert says in done.stderr
    assert not Path("new").exists()
