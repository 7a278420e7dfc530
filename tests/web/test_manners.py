"""One line of a stranger does not end a crawl, and no site makes it break its rules."""

from __future__ import annotations

import json
import sqlite3
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.log.segments import read_table
from langcrawl.records import Step
from langcrawl.run import run_crawl
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

THAI = "<p>ภาษาไทยเป็นภาษาราชการของประเทศไทย มีผู้พูดหลายสิบล้านคน</p>"
MISSING = SmallPage(404)
Web = dict[str, SmallPage]


def page(*links: str, text: str = THAI) -> SmallPage:
    return SmallPage(body=(text + "".join(f'<a href="{url}">x</a>' for url in links)).encode())


def robots(text: str) -> SmallPage:
    return SmallPage(content_type="text/plain", body=text.encode())


def sitemap(*urls: str, root: str = "urlset") -> SmallPage:
    places = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return SmallPage(content_type="text/xml", body=f"<{root}>{places}</{root}>".encode())


def moved(to: str) -> SmallPage:
    return SmallPage(301, location=to)


def index(*urls: str) -> SmallPage:
    return sitemap(*urls, root="sitemapindex")


class Crawler:
    """The real command, on a web that a function or a table answers for."""

    def __init__(self, cli: Cli, directory: Path, server: Server) -> None:
        self._cli, self.directory, self.server = cli, directory, server
        self.stderr = ""

    def __call__(self, *words: str, seeds: tuple[str, ...] = ("http://a.example/",)) -> Any:
        """What the command prints."""
        new = ["--lang", "th", "--strategy", "bfs", "--delay", "0"]
        for seed in seeds:
            new += ["--seeds", seed]
        for rule in (self.server.connect_to,):
            new += ["--connect-to", rule]
        if (self.directory / "crawl.toml").exists():
            new = []
        done = self._cli("crawl", self.directory, *new, *words, "--json")
        self.stderr = done.stderr
        nothing = "nothing was collected" in done.stderr
        assert done.returncode == int(nothing), done.stderr
        return json.loads(done.stdout)

    @property
    def asked(self) -> list[str]:
        """What the servers were asked for, robots.txt left out."""
        asked = [f"http://{request.host}{request.path}" for request in self.server.requests]
        return [url for url in asked if not url.endswith("/robots.txt")]

    @property
    def logged(self) -> list[str]:
        urls = read_table(self.directory, "urls")["url"].to_pylist()
        return [urls[number] for number in read_table(self.directory, "pages")["id"].to_pylist()]

    @property
    def archived(self) -> Counter[str]:
        """The URLs of answers in the archive."""
        found: Counter[str] = Counter()
        for path in (self.directory / "warc").glob("*.warc.gz"):
            with path.open("rb") as file:
                for record in ArchiveIterator(file, check_digests="raise"):
                    if record.rec_type in ("response", "revisit"):
                        found[record.rec_headers.get_header("WARC-Target-URI")] += 1
        return found


Crawling = Callable[..., Any]


@pytest.fixture
def crawling(cli: Cli, tmp_path: Path) -> Crawling:
    """Serve a web and crawl it."""

    @contextmanager
    def serve(web: Web | Callable[[str], SmallPage]) -> Iterator[Crawler]:
        answer = web if callable(web) else lambda url: web.get(url, MISSING)
        with Server(answer) as server:
            yield Crawler(cli, tmp_path / "crawl", server)

    return serve


def test_a_relative_sitemap_line_is_read_from_its_robots_txt(crawling: Crawling) -> None:
    web = {
        "http://a.example/robots.txt": robots("Sitemap: /map.xml\nSitemap: nonsense:\nSitemap:\n"),
        "http://a.example/map.xml": sitemap("http://a.example/mapped"),
        "http://a.example/": page(),
        "http://a.example/mapped": page(),
    }
    with crawling(web) as crawl:
        assert crawl("--sitemaps")["pages"] == 2
        assert crawl("--sitemaps")["stopped"] == "queue-empty"  # and on every run
        assert sorted(crawl.logged) == ["http://a.example/", "http://a.example/mapped"]


@pytest.mark.parametrize("strategy", ["bfs", "correlation"])
def test_a_session_id_for_a_host_does_not_end_a_crawl(crawling: Crawling, strategy: str) -> None:
    session = f"(S({'a' * 24}))"
    web = {
        "http://a.example/": page(f"http://{session}/x", f"/x/..;jsessionid=1/{session}/good"),
        "http://a.example/good": page(),
    }
    with crawling(web) as crawl:
        result = crawl("--strategy", strategy)
        assert "http://a.example/good" in crawl.logged
        assert result["errors"].get("internal", 0) == 0
        assert result["stopped"] == "queue-empty"


class Fails:
    """A sink that cannot take the steps of some pages."""

    def take(self, step: Step) -> None:
        if step.page.url.endswith("bad"):
            raise IndexError("what a stranger wrote")

    def close(self) -> None: ...


def test_an_error_about_one_result_costs_that_result_and_is_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    links = [f"/{number}{kind}" for number in range(10) for kind in ("bad", "good")]
    web = {"http://a.example/": page(*links), **{f"http://a.example{p}": page() for p in links}}
    with Server(lambda url: web.get(url, MISSING)) as server:
        config = CrawlConfig(
            lang="th", seeds=("http://a.example/",), strategy="bfs", delay=0.0,
            connect_to=(server.connect_to,),
        )  # fmt: skip
        result = run_crawl(tmp_path / "c", config, [Fails()])
        assert (result["stopped"], result["queue"]) == ("queue-empty", 0)
        assert result["errors"]["internal"] == 10
        said = capfd.readouterr().err
        assert said.count("IndexError('what a stranger wrote')") == 5
        assert "http://a.example/0bad" in said
        assert "test_manners.py, line" in said
        again = run_crawl(tmp_path / "c", config)
        assert again["pages"] == result["pages"]


def test_every_request_is_counted(crawling: Crawling) -> None:
    web = {
        "http://a.example/robots.txt": moved("/rules.txt"),
        "http://a.example/rules.txt": robots("Sitemap: /map.xml\n"),
        "http://a.example/map.xml": sitemap("http://a.example/1", "http://a.example/2"),
        "http://a.example/": page("/3", "http://b.example/"),
        "http://a.example/1": page(),
        "http://b.example/robots.txt": SmallPage(503),
    }
    with crawling(web) as crawl:
        crawl("--sitemaps", "--max-pages", "0")
        toml = crawl.directory / "crawl.toml"
        toml.write_text(toml.read_text() + "backoff = 0.05\n" if "backoff" not in
                        toml.read_text() else toml.read_text().replace("30.0", "0.05"))  # fmt: skip
        result = crawl("--max-pages", "100", "--retries", "2")
        assert result["requests"] == len(crawl.server.requests) > 8
        asked = [f"http://{request.host}{request.path}" for request in crawl.server.requests]
        sizes = [len(web.get(url, MISSING).body) for url in asked]
        assert result["bytes"] == sum(sizes)


def test_a_crawl_ends_after_so_many_requests(crawling: Crawling) -> None:
    with crawling(lambda url: MISSING if "robots" in url else page(url + "x")) as crawl:
        result = crawl("--max-requests", "7")
        assert (result["stopped"], result["requests"]) == ("max-requests", 7)
        assert len(crawl.server.requests) == 7
        assert crawl("--max-requests", "9")["requests"] == 9


def test_a_crawl_of_few_pages_is_one_of_few_requests(crawling: Crawling) -> None:
    hosts = tuple(f"http://h{number}.example/" for number in range(400))
    with crawling(lambda url: robots("User-agent: *\nDisallow: /")) as crawl:
        result = crawl("--max-pages", "5", seeds=hosts)
        assert result["stopped"] == "max-requests"
        assert len(crawl.server.requests) == 20 * 5 + 100


def endless_sitemaps(url: str) -> SmallPage:
    """A site whose sitemaps name sitemaps without end."""
    if url.endswith("/robots.txt"):
        return robots("Sitemap: /index0.xml\n")
    if "index" in url:
        return index(*(f"{url}/index{number}.xml" for number in range(1100)))
    return page(text="<p>only this</p>")


def test_sitemaps_without_end_end(crawling: Crawling) -> None:
    with crawling(endless_sitemaps) as crawl:
        result = crawl("--sitemaps", "--max-pages", "5")
        assert result["stopped"] == "queue-empty"
        assert len(crawl.server.requests) <= 1 + 5 + 5
        assert result["discards"]["max-sitemaps"] >= 1000


def test_an_index_in_an_index_is_not_followed_and_a_host_has_a_thousand(crawling: Crawling) -> None:
    with crawling(endless_sitemaps) as crawl:
        result = crawl("--sitemaps")
        assert result["notes"]["sitemap"] == 1000
        assert result["discards"]["sitemap-nested"] == 999 * 1100
        assert result["requests"] == len(crawl.server.requests) == 1002


def test_a_limit_of_pages_for_a_host_holds_for_its_sitemaps(crawling: Crawling) -> None:
    with crawling(endless_sitemaps) as crawl:
        assert crawl("--sitemaps", "--max-pages-per-host", "3")["notes"]["sitemap"] <= 3


def test_a_sitemap_speaks_for_its_own_host(crawling: Crawling) -> None:
    pages = [f"http://good.example/{number}" for number in range(50)]
    web = {
        "http://a.example/robots.txt": robots("Sitemap: /index.xml\nSitemap: /map.xml\n"),
        "http://a.example/index.xml": index(*pages, "http://a.example/more.xml"),
        "http://a.example/map.xml": sitemap(*pages, "http://a.example/own"),
        "http://a.example/more.xml": sitemap("http://a.example/more", "http://good.example/"),
        "http://a.example/": page("http://good.example/"),
        "http://good.example/": page(*pages),
        "http://a.example/own": page(),
        "http://a.example/more": page(),
        **{url: page() for url in pages},
    }
    with crawling(web) as crawl:
        result = crawl("--sitemaps")
        assert result["discards"] == {"sitemap-foreign": 101}
        assert set(crawl.logged) >= {*pages, "http://a.example/own", "http://a.example/more"}


def test_a_sitemap_elsewhere_speaks_for_a_host_whose_robots_txt_names_it(
    crawling: Crawling,
) -> None:
    web = {
        "http://a.example/robots.txt": robots("Sitemap: http://maps.example/index.xml\n"),
        "http://maps.example/index.xml": index("http://maps.example/a.xml"),
        "http://maps.example/a.xml": sitemap("http://a.example/1", "http://other.example/2"),
        "http://a.example/": page(),
        "http://a.example/1": page(),
    }
    with crawling(web) as crawl:
        result = crawl("--sitemaps")
        assert sorted(crawl.logged) == ["http://a.example/", "http://a.example/1"]
        assert result["discards"] == {"sitemap-foreign": 1}


def test_a_page_in_place_of_a_sitemap_is_a_page(crawling: Crawling) -> None:
    web = {
        "http://a.example/robots.txt": robots("Sitemap: http://b.example/page\n"),
        "http://a.example/": page(),
        "http://b.example/page": page("/further"),
        "http://b.example/further": page(),
    }
    with crawling(web) as crawl:
        result = crawl("--sitemaps")
        assert (result["pages"], result["relevant"]) == (3, 3)
        assert set(crawl.logged) == {key for key in web if "robots" not in key} | {
            "http://b.example/further"
        }
        assert crawl.archived["http://b.example/page"] == 1


def test_redirects_of_robots_txt_go_through_the_clock_of_whom_they_lead_to(
    crawling: Crawling,
) -> None:
    def answer(url: str) -> SmallPage:
        host, path = url.split("/", 3)[2:]
        if host == "victim.example":
            return SmallPage(200, "text/plain", b"User-agent: *\nDisallow: /", seconds=0.05)
        return moved("http://victim.example/robots.txt") if path == "robots.txt" else page()

    seeds = tuple(f"http://h{number}.example/" for number in range(40))
    with crawling(answer) as crawl:
        result = crawl("--delay", "0.3", "--workers", "2", seeds=seeds)
        asked = [request for request in crawl.server.requests if request.host == "victim.example"]
        assert 1 <= len(asked) <= 2  # once a worker
        assert all(later.at - earlier.at >= 0.29 for earlier, later in pairwise(asked))
        assert result["discards"] == {"robots": 40}  # its rules are those of all


def test_robots_txt_elsewhere_that_fails_is_asked_for_at_its_own_pace(crawling: Crawling) -> None:
    """Nothing is learned from the answers, so each host has to ask."""

    def answer(url: str) -> SmallPage:
        host, path = url.split("/", 3)[2:]
        if host == "victim.example":
            return SmallPage(503, seconds=0.02)
        return moved("http://victim.example/robots.txt") if path == "robots.txt" else page()

    seeds = tuple(f"http://h{number}.example/" for number in range(10))
    with crawling(answer) as crawl:
        result = crawl("--delay", "0.2", "--retries", "0", seeds=seeds)
        asked = [request.at for request in crawl.server.requests if request.host[0] == "v"]
        assert len(asked) == 10
        assert min(later - earlier for earlier, later in pairwise(asked)) >= 0.2
        assert result["discards"] == {"robots-unreachable": 10}


def test_a_redirected_robots_txt_holds_and_other_paths_of_others_are_not_asked(
    crawling: Crawling,
) -> None:
    web = {
        "http://a.example/robots.txt": moved("http://www.a.example/robots.txt"),
        "http://www.a.example/robots.txt": moved("/real-robots.txt"),
        "http://b.example/robots.txt": moved("http://www.b.example/robots.txt"),
        "http://www.b.example/robots.txt": robots("User-agent: *\nDisallow: /no"),
        "http://c.example/robots.txt": moved("http://victim.example/private"),
        "http://b.example/": page("/no", "/yes"),
        "http://b.example/yes": page(),
        "http://a.example/": page(),
        "http://c.example/": page(),
    }
    with crawling(web) as crawl:
        seeds = ("http://a.example/", "http://b.example/", "http://c.example/")
        result = crawl(seeds=seeds)
        assert sorted(crawl.logged) == [*seeds[:2], "http://b.example/yes", seeds[2]]
        assert result["discards"] == {"robots": 1}
        assert {"http://victim.example/private", "http://www.a.example/real-robots.txt"}.isdisjoint(
            crawl.asked
        )


def test_blocked_hosts_are_not_asked_for_the_robots_txt_of_others(
    crawling: Crawling, tmp_path: Path
) -> None:
    (tmp_path / "blocked.txt").write_text("blocked.example\n")
    web = {
        "http://a.example/robots.txt": moved("http://blocked.example/robots.txt"),
        "http://a.example/": page(),
    }
    with crawling(web) as crawl:
        result = crawl("--block-hosts", str(tmp_path / "blocked.txt"), "--retries", "0")
        assert result["discards"] == {"robots-unreachable": 1}
        assert {request.host for request in crawl.server.requests} == {"a.example"}


def test_answers_to_robots_txt_are_archived(crawling: Crawling) -> None:
    web = {
        "http://a.example/robots.txt": robots("User-agent: *\nDisallow: /"),
        "http://b.example/robots.txt": moved("http://www.b.example/robots.txt"),
        "http://b.example/": page("http://c.example/"),
    }
    with crawling(web) as crawl:
        crawl("--workers", "1", seeds=("http://b.example/", "http://a.example/"))
        robots_txt = {
            f"http://{host}/robots.txt": 1
            for host in ("a.example", "b.example", "www.b.example", "c.example")
        }
        pages = {"http://b.example/": 1, "http://c.example/": 1}
        assert crawl.archived == robots_txt | pages
        crawl("--workers", "1")  # what comes after the last page is not lost on resume
        assert crawl.archived >= Counter(robots_txt | pages)
        index_text = (crawl.directory / "warc" / "index.cdxj").read_text()
        assert "robots.txt" not in index_text


def test_an_archive_of_relevant_pages_holds_nothing_else(crawling: Crawling) -> None:
    with crawling({"http://a.example/": page()}) as crawl:
        crawl("--store", "relevant")
        assert crawl.archived == {"http://a.example/": 1}


def test_a_clock_that_was_wrong_costs_one_delay_and_is_told(crawling: Crawling) -> None:
    web = {"http://a.example/": page("/1", "/2"), "http://a.example/1": page()}
    with crawling(web) as crawl:
        crawl("--max-pages", "1")
        with closing(sqlite3.connect(crawl.directory / "frontier.db")) as database, database:
            database.execute("UPDATE hosts SET ready_at = ready_at + 86400")
        began = time.monotonic()
        result = crawl("--max-pages", "9", "--max-time", "20")
        assert result["stopped"] == "queue-empty"
        assert time.monotonic() - began < 15
        assert "left 1 hosts resting until a moment far ahead" in crawl.stderr
        crawl("--max-time", "5")
        assert "far ahead" not in crawl.stderr


def wildcard(url: str) -> SmallPage:
    """A domain with hosts without end, each of which names more of them, beside good hosts."""
    host, path = url.split("/", 3)[2:]
    if path == "robots.txt":
        return MISSING
    if host.endswith("wild.example"):
        text = f"<p>{host.translate(LETTERS)} is another word</p>"
        return page(*(f"http://{n}{host[:40]}/" for n in range(10)), text=text)
    number = int(path or 0)
    return page(*(f"http://{host}/{number * 3 + n}" for n in (1, 2, 3)), "http://0.wild.example/")


LETTERS = str.maketrans("0123456789", "abcdefghij")
GOOD = tuple(f"http://good{number}.example/" for number in range(20))


def test_a_domain_of_endless_hosts_takes_its_share_only(crawling: Crawling) -> None:
    with crawling(wildcard) as crawl:
        crawl("--max-time", "6", "--delay", "0.4", "--workers", "1", seeds=GOOD)
        wild = [r.at for r in crawl.server.requests if r.host.endswith("wild.example")]
        good = len(crawl.server.requests) - len(wild)
        assert len(wild) < 0.4 * good
        assert len([at for at in wild if at < wild[0] + 2]) <= 8 * (1 + 2 / 0.4)


def test_a_domain_gets_so_many_pages(crawling: Crawling) -> None:
    with crawling(wildcard) as crawl:
        seeds = ("http://0.wild.example/",)
        result = crawl("--max-pages-per-domain", "20", "--domain-connections", "2", seeds=seeds)
        assert result["stopped"] == "queue-empty"
        assert 20 <= result["pages"] <= 21  # one more may be under way
        assert result["discards"]["max-pages-per-domain"] > 20
        again = crawl("--max-pages-per-domain", "20")
        assert again["pages"] == result["pages"]


def test_hosts_of_a_domain_that_all_say_the_same_are_a_trap_over_several_runs(
    crawling: Crawling,
) -> None:
    def answer(url: str) -> SmallPage:
        host, path = url.split("/", 3)[2:]
        if path:
            return MISSING
        return page(*(f"http://{n}{host[:40]}/" for n in range(10)), text="<p>buy now</p>")

    with crawling(answer) as crawl:
        first = crawl("--max-pages", "25", seeds=("http://0.wild.example/",))
        assert "trap-domain" not in first["discards"]
        result = crawl("--max-pages", "60")
        assert result["discards"]["trap-domain"] > 0


def test_ports_that_browsers_do_not_ask_are_not_asked(crawling: Crawling) -> None:
    web = {
        "http://a.example/robots.txt": robots("Sitemap: http://a.example:25/s.xml\n"),
        "http://a.example/": page("http://b.example:6379/", "/away", "http://b.example:8080/"),
        "http://a.example/away": moved("http://a.example:22/x"),
        "http://b.example:8080/": page(),
        "http://c.example/robots.txt": moved("http://c.example:110/robots.txt"),
        "http://c.example/": page(),
    }
    with crawling(web) as crawl:
        seeds = ("http://a.example/", "http://b.example:143/", "http://c.example/")
        result = crawl("--sitemaps", seeds=seeds)
        assert result["discards"] == {"port": 4}
        assert {request.host for request in crawl.server.requests} == {
            "a.example", "b.example:8080", "c.example",
        }  # fmt: skip
        assert "http://c.example/" in crawl.logged


@pytest.mark.parametrize(
    ("proxy", "private"), [("http://me:secret@127.0.0.1:9", True), ("http://127.0.0.1:9", False)]
)
def test_a_password_is_read_by_nobody_else(
    cli: Cli, tmp_path: Path, proxy: str, private: bool
) -> None:
    directory = tmp_path / "crawl"
    for _ in range(2):
        cli("crawl", directory, "--lang", "th", "--seeds", "http://a.example/", "--retries", "0",
            "--proxy", proxy, "--max-time", "0")  # fmt: skip
        mode = stat.S_IMODE((directory / "crawl.toml").stat().st_mode)
        assert (mode == 0o600) is private
