"""The live web against a real server: what servers answer, and what the crawler makes of it."""

from __future__ import annotations

import os
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import ClassVar

import pytest
import uvloop

from langcrawl.errors import LangcrawlError
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.page import Budget
from langcrawl.records import (
    NO_LINKS,
    Content,
    Facts,
    Finished,
    Later,
    Page,
    Refused,
    Verdict,
    Visit,
)
from langcrawl.url import host_of
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage
from langcrawl.web.fetch import FetchSettings
from langcrawl.web.live import LiveWeb
from langcrawl.web.worker import Worker

THAI = "<p>ภาษาไทยเป็นภาษาราชการของประเทศไทย</p>"
PAGES = {
    "http://open.th/": SmallPage(body=THAI.encode()),
    "http://open.th/874": SmallPage(
        content_type="text/html; charset=windows-874", body=THAI.encode("cp874")
    ),
    "http://open.th/move": SmallPage(301, location="/874?x#frag"),
    "http://open.th/badmove": SmallPage(302, location="http://[nonsense"),
    "http://open.th/pic": SmallPage(content_type="image/png", body=b"<a href='/x'>no</a>"),
    "http://open.th/plain": SmallPage(
        content_type="text/plain; charset=utf-8", body=("<a href=/x>" + THAI).encode()
    ),
    "http://open.th/long": SmallPage(body=b"<p>" + b"x" * 5000),
    "http://closed.th/robots.txt": SmallPage(
        content_type="text/plain", body=b"User-agent: *\nDisallow: /no\nCrawl-delay: 0.5\n"
    ),
    "http://closed.th/yes": SmallPage(body=THAI.encode()),
    "http://closed.th/slow": SmallPage(body=THAI.encode(), seconds=2.0),
    "http://open.th/no-location": SmallPage(302),
    "http://broken.th/robots.txt": SmallPage(503),
    "http://broken.th/": SmallPage(body=THAI.encode()),
}


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(answer) as running:
        yield running


def answer(url: str) -> SmallPage:
    if "/charset?" in url:
        kind = f"text/html; charset={url.split('?')[1]}"
        return SmallPage(content_type=kind, body=b"<p>\\ud800 +2AA- xn--")
    return PAGES.get(url, SmallPage(404))


def visit_to(url: str) -> Visit:
    return Visit(url, host_of(url), Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0), 0.0, "")


async def turns(worker: Worker, url: str) -> Finished:
    """Visit a URL turn by turn, until there is an answer or trouble."""
    for _ in range(5):
        answer, verdict, asked = await worker.visit(visit_to(url))
        if not isinstance(answer, Later) or answer.instead:
            break
    return Finished(visit_to(url), answer, verdict, asked)


def page_of(finished: Finished) -> Page:
    assert isinstance(finished.answer, Page)
    return finished.answer


def work(settings: FetchSettings, *urls: str) -> list[Finished]:
    """Visit URLs one after the other, with a worker in this process."""

    async def run() -> list[Finished]:
        worker = Worker(make_judge(load_pack("th")), settings)
        try:
            return [await turns(worker, url) for url in urls]
        finally:
            await worker.close()

    return uvloop.run(run())


def ask(server: Server, *urls: str, **settings: float) -> list[Finished]:
    given: dict[str, float] = {"delay": 0.0, "max_page_bytes": 1000, **settings}
    return work(FetchSettings("langcrawl-test/1", connect_to=(server.connect_to,), **given), *urls)  # type: ignore[arg-type]


def test_a_page_in_a_legacy_charset_is_read_and_judged(server: Server) -> None:
    (finished,) = ask(server, "http://open.th/874")
    assert finished.verdict.relevant
    page = page_of(finished)
    assert page.charsets.header == "windows-874"
    assert page.ip == finished.asked.ip == "127.0.0.1"
    assert page.digest.startswith("sha1:")


def test_redirects_are_reported_in_canonical_form_and_not_followed(server: Server) -> None:
    moved, bad = ask(server, "http://open.th/move", "http://open.th/badmove")
    assert (page_of(moved).status, page_of(moved).redirect) == (301, "http://open.th/874?x")
    assert (page_of(bad).status, page_of(bad).redirect) == (302, "")


def test_other_types_are_not_parsed(server: Server) -> None:
    picture, plain = ask(server, "http://open.th/pic", "http://open.th/plain")
    assert (page_of(picture).links, picture.verdict.language) == (NO_LINKS, "und")
    assert (page_of(plain).links, plain.verdict.language) == (NO_LINKS, "th")


def test_errors_are_answers(server: Server) -> None:
    (missing,) = ask(server, "http://open.th/missing")
    assert (page_of(missing).status, page_of(missing).links) == (404, NO_LINKS)


def test_a_long_page_is_cut_at_the_limit(server: Server) -> None:
    (finished,) = ask(server, "http://open.th/long")
    assert page_of(finished).bytes == 1000


def test_robots_txt_closes_a_path_and_asks_for_a_delay(server: Server) -> None:
    no, yes, again = ask(
        server, "http://closed.th/no", "http://closed.th/yes", "http://closed.th/no/2"
    )
    assert no.answer == Refused("robots")
    assert (page_of(yes).status, yes.asked.delay) == (200, 0.5)
    assert again.answer == Refused("robots")
    assert again.asked.at == 0.0  # nothing was asked, so the host need not rest
    assert [r.path for r in server.requests] == ["/robots.txt", "/yes"]


def test_a_server_that_fails_on_robots_txt_is_left_alone(server: Server) -> None:
    (finished,) = ask(server, "http://broken.th/")
    assert finished.answer == Later(Refused("robots-unreachable"))  # if it stays so


def test_a_host_whose_robots_txt_cannot_be_asked_for_is_left_alone() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    (finished,) = work(FetchSettings("t/1", connect_to=(f"::127.0.0.1:{port}",)), "http://gone.th/")
    assert finished.answer == Later(Refused("robots-unreachable"), silence="refused")


def test_a_slow_page_times_out_and_may_be_tried_again(server: Server) -> None:
    (finished,) = ask(server, "http://closed.th/slow", timeout=0.4)
    assert isinstance(finished.answer, Later)
    page = finished.answer.instead
    assert isinstance(page, Page)
    assert (page.status, page.error) == (0, "timeout")


class Raw(socketserver.StreamRequestHandler):
    """Answers with bytes that no web library would send."""

    answers: ClassVar[dict[bytes, bytes]] = {
        b"/type": b"200 OK\r\nContent-Type: text/html; name=\xb9\xb2\r\nContent-Length: 0",
        b"/move": b"302 Found\r\nLocation: /\xb9\xb2\r\nContent-Length: 0",
        b"/short": b"200 OK\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\ncut",
        b"/gzip": b"200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nnot",
        b"/garbage": b"\xff\xfe\x00",
    }
    asked: ClassVar[list[bytes]] = []

    def handle(self) -> None:
        path = self.rfile.readline().split()[1]
        while self.rfile.readline().strip():
            pass
        self.asked.append(path)
        self.wfile.write(b"HTTP/1.1 " + self.answers.get(path, b"404 Not Found") + b"\r\n\r\n")


def test_whatever_bytes_a_server_sends_are_an_answer_asked_for_once() -> None:
    Raw.asked.clear()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Raw) as raw:
        threading.Thread(target=raw.serve_forever, daemon=True).start()
        rule = f"::127.0.0.1:{raw.server_address[1]}"
        urls = [f"http://raw.th{path.decode()}" for path in Raw.answers]
        done = work(FetchSettings("t/1", delay=0.0, connect_to=(rule,)), *urls)
        raw.shutdown()
    pages = {path: page_of(finished) for path, finished in zip(Raw.answers, done, strict=True)}
    pages[b"/type"].content_type.encode()
    assert pages[b"/type"].status == 200
    assert pages[b"/move"].redirect == "http://raw.th/%B9%B2"
    assert (pages[b"/short"].status, pages[b"/short"].notes) == (200, ("length",))
    assert (pages[b"/gzip"].status, pages[b"/gzip"].notes) == (200, ("length", "encoding"))
    assert (pages[b"/garbage"].status, pages[b"/garbage"].error) == (0, "protocol")
    assert Raw.asked == [b"/robots.txt", *Raw.answers]


def test_a_redirect_without_a_place_leads_nowhere(server: Server) -> None:
    (nowhere,) = ask(server, "http://open.th/no-location")
    assert (page_of(nowhere).status, page_of(nowhere).redirect) == (302, "")


@pytest.mark.parametrize("charset", ["unicode_escape", "utf-7", "undefined", "idna", "punycode"])
def test_a_charset_that_is_none_cannot_stop_the_crawl(server: Server, charset: str) -> None:
    (finished,) = ask(server, f"http://open.th/charset?{charset}")
    assert page_of(finished).status == 200


def test_the_url_asked_for_is_the_url_in_the_log(server: Server) -> None:
    ask(server, "http://open.th/100%", "http://open.th/q?x=a|b&y=%41%7e")
    paths = [request.path for request in server.requests if request.path != "/robots.txt"]
    assert paths == ["/100%", "/q?x=a|b&y=%41%7e"]


def test_a_rule_allows_the_address_it_names_and_no_other_port(server: Server) -> None:
    other = f"http://127.0.0.1:{server.port}/"
    rule = f"open.th:80:127.0.0.1:{server.port}"
    with Server(lambda url: SmallPage(body=b"secret")) as secret:
        allowed, refused = work(
            FetchSettings("t/1", delay=0.0, connect_to=(rule,)),
            "http://open.th/",
            f"http://127.0.0.1:{secret.port}/",
        )
        assert secret.requests == []
    assert (page_of(allowed).status, refused.answer) == (200, Refused("address"))
    (through,) = ask(server, other)
    assert page_of(through).status == 404  # a rule for all hosts leads addresses here as well


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://0x7f000001/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/latest/",
        "http://10.0.0.1/",
        "http://localhost/",
    ],
)
def test_addresses_that_are_not_public_are_never_asked(url: str) -> None:
    from langcrawl.url import canonical

    address = canonical(url)
    assert address is not None
    (done,) = work(FetchSettings("t/1", delay=0.0), address)
    assert done.answer == Refused("address")


class Stuck:
    """A judge that never comes back from a page that says so."""

    def judge(self, content: Content) -> Verdict:
        if "endless" in content.text:
            time.sleep(600)
        if "deadly" in content.text:
            os._exit(9)
        return Verdict("th", relevant=True)


def make_stuck(connect_to: str, _: int) -> Worker:
    settings = FetchSettings("t/1", delay=0.0, connect_to=(connect_to,))
    return Worker(Stuck(), settings, budget=Budget(patience=2.0))


def make_none(_: int) -> Worker:
    os._exit(3)


def test_workers_that_cannot_start_end_the_crawl_with_a_sentence() -> None:
    web = LiveWeb(make_none, workers=2)

    def go_on_for(seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            web.next_done(web.clock.now() + 1.0)

    with pytest.raises(LangcrawlError, match="end as soon as they start"):
        go_on_for(60.0)
    web.close()


@pytest.mark.parametrize("word", ["deadly", "endless"])
def test_a_worker_that_dies_or_hangs_is_replaced_and_its_page_read_with_care(word: str) -> None:
    def answer(url: str) -> SmallPage:
        if url.endswith("/bad"):
            return SmallPage(body=f"<p>{word}</p>".encode())
        return SmallPage(404) if url.endswith("robots.txt") else SmallPage(body=b"<p>good</p>")

    urls = {f"http://h{n}.th/{'bad' if n == 3 else n}" for n in range(8)}
    pages: dict[str, Page] = {}
    with Server(answer) as server:
        web = LiveWeb(partial(make_stuck, server.connect_to), workers=1, patience=2.0)
        web.begin([visit_to(url) for url in urls])
        deadline = time.monotonic() + 60
        while len(pages) < len(urls) and time.monotonic() < deadline:
            again = []
            for finished in web.next_done(web.clock.now() + 1.0):
                if isinstance(finished.answer, Later):
                    again.append(finished.visit)
                else:
                    pages[finished.visit.url] = page_of(finished)
            web.begin(again)
        web.close()
    assert set(pages) == urls
    assert web.replaced == 1
    assert pages["http://h3.th/bad"].notes == ("over-budget",)
    assert {page.status for page in pages.values()} == {200}
