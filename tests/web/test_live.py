"""The live web against a real server: what servers answer, and what the crawler makes of it."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.records import Facts, Finished, Visit
from langcrawl.url import host_of
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage
from langcrawl.web.live import LiveWeb
from langcrawl.web.worker import Manners

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
    "http://broken.th/robots.txt": SmallPage(503),
    "http://broken.th/": SmallPage(body=THAI.encode()),
}


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(lambda url: PAGES.get(url, SmallPage(404))) as running:
        yield running


def ask(server: Server, *urls: str, **manners: float) -> list[Finished]:
    """Visit URLs one after the other."""
    given: dict[str, float] = {"delay": 0.0, "max_page_bytes": 1000, **manners}
    web = LiveWeb(
        make_judge(load_pack("th")),
        Manners("langcrawl-test/1", connect_to=(server.connect_to,), **given),  # type: ignore[arg-type]
    )
    done: list[Finished] = []
    try:
        for url in urls:
            facts = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)
            web.begin([Visit(url, host_of(url), facts, 0.0, "")])
            while not (found := web.next_done(web.clock.now() + 5)):
                pass
            done += found
    finally:
        web.close()
    return done


def test_a_page_in_a_legacy_charset_is_read_and_judged(server: Server) -> None:
    (finished,) = ask(server, "http://open.th/874")
    assert finished.verdict.relevant
    assert finished.page.charsets.header == "windows-874"
    assert finished.page.ip == "127.0.0.1"
    assert finished.page.digest.startswith("sha256:")


def test_redirects_are_reported_in_canonical_form_and_not_followed(server: Server) -> None:
    moved, bad = ask(server, "http://open.th/move", "http://open.th/badmove")
    assert (moved.page.status, moved.page.redirect) == (301, "http://open.th/874?x")
    assert (bad.page.status, bad.page.redirect) == (302, "")


def test_other_types_are_not_parsed(server: Server) -> None:
    picture, plain = ask(server, "http://open.th/pic", "http://open.th/plain")
    assert (picture.page.links, picture.verdict.language) == ((), "und")
    assert (plain.page.links, plain.verdict.language) == ((), "th")


def test_errors_are_answers(server: Server) -> None:
    (missing,) = ask(server, "http://open.th/missing")
    assert (missing.page.status, missing.page.links, missing.page.refused) == (404, (), False)


def test_a_long_page_is_cut_at_the_limit(server: Server) -> None:
    (finished,) = ask(server, "http://open.th/long")
    assert finished.page.bytes == 1000


def test_robots_txt_closes_a_path_and_asks_for_a_delay(server: Server) -> None:
    no, yes, again = ask(
        server, "http://closed.th/no", "http://closed.th/yes", "http://closed.th/no/2"
    )
    assert (no.page.refused, no.page.reason) == (True, "robots")
    assert (yes.page.status, yes.page.host_delay) == (200, 0.5)
    assert again.page.refused
    assert again.page.fetched_at == 0.0  # nothing was asked, so the host need not rest
    assert [r.path for r in server.requests] == ["/robots.txt", "/yes"]


def test_a_server_that_fails_on_robots_txt_is_left_alone(server: Server) -> None:
    (finished,) = ask(server, "http://broken.th/")
    assert (finished.page.refused, finished.page.reason) == (True, "robots")


def test_a_closed_port_is_a_failed_download(server: Server) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    web = LiveWeb(make_judge(load_pack("th")), Manners("t/1", connect_to=(f"::127.0.0.1:{port}",)))
    web.begin([Visit("http://gone.th/", "gone.th", Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0), 0.0, "")])
    while not (done := web.next_done(web.clock.now() + 5)):
        pass
    web.close()
    assert (done[0].page.status, done[0].page.refused) == (0, False)
    assert done[0].page.reason


def test_a_slow_server_times_out() -> None:
    with Server(lambda url: SmallPage(), latency=3.0) as slow:
        (finished,) = ask(slow, "http://slow.th/", timeout=0.3)
    assert (finished.page.status, finished.page.reason) == (0, "timeout")


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
    web = LiveWeb(make_judge(load_pack("th")), Manners("t/1", delay=0.0))
    web.begin([Visit(address, host_of(address), Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0), 0.0, "")])
    while not (done := web.next_done(web.clock.now() + 5)):
        pass
    web.close()
    assert (done[0].page.refused, done[0].page.reason) == (True, "address")
