"""The fetcher against real servers: good ones, hostile ones, names that lie, proxies."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest
import uvloop

from langcrawl.archive.exchange import Exchange
from langcrawl.errors import UsageError
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage
from langcrawl.web.fetch import Fetcher, FetchError, FetchSettings, Lookup, look_up, retry_after
from web.hostile import BEHAVIOURS, THAI, Behaviour, Hostile

LIMIT = 1_000_000
OF_PAGES = {"noindex"}
"""Notes that are made when a page is read, not when it is fetched."""
TIMEOUT = 6.0
T = TypeVar("T")


class Outcome(NamedTuple):
    """What came of a fetch, and how long it took."""

    exchange: Exchange | None
    error: FetchError | None
    seconds: float


@pytest.fixture(scope="module")
def hostile() -> Iterator[Hostile]:
    with Hostile() as running:
        yield running


def run(
    work: Callable[[Fetcher], Awaitable[T]], given: FetchSettings, lookup: Lookup = look_up
) -> T:
    """Do something with a fetcher inside an event loop."""

    async def main() -> T:
        fetcher = Fetcher(given, lookup)
        try:
            return await work(fetcher)
        finally:
            await fetcher.close()

    return uvloop.run(main())


async def outcome(fetcher: Fetcher, url: str) -> Outcome:
    begun = time.monotonic()
    try:
        return Outcome(await fetcher.fetch(url), None, time.monotonic() - begun)
    except FetchError as error:
        return Outcome(None, error, time.monotonic() - begun)


def ask(given: FetchSettings, *urls: str, lookup: Lookup = look_up) -> list[Outcome]:
    """Ask for URLs one after the other."""

    async def work(fetcher: Fetcher) -> list[Outcome]:
        return [await outcome(fetcher, url) for url in urls]

    return run(work, given, lookup)


def word(given: FetchSettings, url: str, lookup: Lookup = look_up) -> str:
    """The word of the error that asking for a URL ends in; empty where there is an answer."""
    (found,) = ask(given, url, lookup=lookup)
    return found.error.word if found.error else ""


@pytest.fixture(scope="module")
def outcomes(hostile: Hostile) -> dict[str, Outcome]:
    """What comes of every hostile behaviour, a few at a time."""
    given = FetchSettings("t/1", "", 0.0, TIMEOUT, LIMIT, hostile.connect_to)

    async def work(fetcher: Fetcher) -> dict[str, Outcome]:
        turns = asyncio.Semaphore(8)

        async def one(behaviour: Behaviour) -> tuple[str, Outcome]:
            async with turns:
                return behaviour.name, await outcome(fetcher, behaviour.url)

        return dict(await asyncio.gather(*map(one, BEHAVIOURS)))

    return run(work, given)


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda b: b.name)
def test_every_hostile_behaviour_has_the_outcome_in_the_table(
    outcomes: dict[str, Outcome], behaviour: Behaviour
) -> None:
    exchange, error, seconds = outcomes[behaviour.name]
    assert (error.word if error else "") == behaviour.reason, str(error)
    assert (exchange.status if exchange else 0) == behaviour.status
    assert seconds < TIMEOUT + 2.0
    if exchange:
        assert set(exchange.notes) == set(behaviour.notes) - OF_PAGES
        assert len(exchange.raw) <= LIMIT
        assert len(exchange.body) <= LIMIT
        assert exchange.ip == "127.0.0.1"
    if error:
        assert str(error)
        assert "\n" not in str(error)


def test_there_are_more_than_forty_hostile_behaviours_each_with_its_name() -> None:
    assert len({behaviour.name for behaviour in BEHAVIOURS}) == len(BEHAVIOURS) > 40


@pytest.mark.parametrize(
    ("name", "body"),
    [
        (name, THAI.encode())
        for name in (
            "gzip", "deflate", "deflate-raw", "br", "zstd", "two-codings", "gzip-not",
            "gzip-twice", "gzip-tail", "coding-unknown", "length-too-long", "no-length",
            "http-1-0", "continue-first", "length-garbage", "tls-self-signed",
        )
    ]
    + [
        ("length-too-short", THAI.encode()[:-50]),
        ("chunked", b"<p>hi!"),
        ("chunked-no-end", b"<p>hi"),
        ("chunked-garbage", b"<p>hi"),
        ("reset-in-body", b"<p>half"),
        ("not-modified", b""),
    ],
)  # fmt: skip
def test_what_came_is_kept(outcomes: dict[str, Outcome], name: str, body: bytes) -> None:
    exchange = outcomes[name].exchange
    assert exchange is not None
    assert exchange.body == body


def test_a_drip_is_cut_by_the_time_limit_and_kept(outcomes: dict[str, Outcome]) -> None:
    exchange = outcomes["drip"].exchange
    assert exchange is not None
    assert exchange.body.startswith(b"<p>xx")
    assert exchange.elapsed > TIMEOUT - 0.1


def test_headers_are_kept_as_they_came_but_for_what_would_break_a_line(
    outcomes: dict[str, Outcome],
) -> None:
    odd, bytes_, folded = (
        outcomes[name].exchange for name in ("header-nul", "header-bytes", "header-folded")
    )
    assert odd is not None
    assert bytes_ is not None
    assert folded is not None
    assert odd.header("X") == "a b Y: c"
    assert (b"X-\xff", b"\xfe\xff") in bytes_.headers
    assert folded.header("content-type") == "text/html; charset=utf-8"


def test_which_errors_are_worth_another_try(outcomes: dict[str, Outcome]) -> None:
    worth = {name: found.error.temporary for name, found in outcomes.items() if found.error}
    assert worth["never"]
    assert worth["nothing"]
    assert not worth["status-nonsense"]
    assert not worth["tls-plain"]


def test_the_request_says_who_we_are_and_what_we_can_unpack(hostile: Hostile) -> None:
    given = FetchSettings("t/1", "mailto:a@b.th", 0.0, connect_to=hostile.connect_to)
    exchange = ask(given, "http://br.hostile.th/")[0].exchange
    assert exchange is not None
    assert exchange.request_headers == (
        (b"Host", b"br.hostile.th"),
        (b"User-Agent", b"t/1 (+mailto:a@b.th)"),
        (b"Accept", b"text/html,application/xhtml+xml,*/*;q=0.5"),
        (b"Accept-Encoding", b"gzip, deflate, br, zstd"),
        (b"Connection", b"keep-alive"),
    )


def test_a_kept_connection_that_is_closed_under_a_request_is_no_failure(hostile: Hostile) -> None:
    """The second request meets the end of its connection; it is not sent again by itself."""
    url = "http://hangs-up-kept.hostile.th/"
    given = FetchSettings("t/1", delay=0.0, connect_to=hostile.connect_to)
    before = len(hostile.asked)
    first, second, third = ask(given, url, url, url)
    assert first.exchange
    assert second.error
    assert (second.error.word, second.error.temporary) == ("stale", True)
    assert third.exchange
    assert len(hostile.asked) - before == 3


def test_connections_are_kept_where_the_delay_is_short_and_closed_where_it_is_long() -> None:
    with Server(lambda url: SmallPage(body=b"x")) as server:
        for delay, said in ((0.0, b"keep-alive"), (9.0, b"close")):
            given = FetchSettings("t/1", delay=delay, connect_to=(server.connect_to,))
            found = ask(given, *["http://a.th/"] * 3)
            for one in found:
                assert one.exchange
                assert one.exchange.request_headers[-1] == (b"Connection", said)


def test_the_url_is_sent_as_it_stands() -> None:
    with Server(lambda url: SmallPage(body=b"x")) as server:
        given = FetchSettings("t/1", connect_to=(server.connect_to,))
        paths = ["/100%", "/q?x=a|b&y=%41%7e", "/'\"<>`{}"]
        ask(given, *(f"http://a.th{path}" for path in paths))
        assert [request.path for request in server.requests] == paths


@pytest.mark.parametrize(
    "url",
    [
        "http://a.th/x y",
        "http://a.th/x\r\nHost: b.th",
        "http://a.th",
        "http://u@a.th/",
        "http://a.th/ก",
        "ftp://a.th/",
        "file:///etc/passwd",
        "http:///x",
        "http://a.th\\@b.th/",
        "http://a.th:99999999/",
    ],
)
def test_what_is_no_canonical_url_is_not_asked_for(url: str) -> None:
    assert word(FetchSettings("t/1", connect_to=("::127.0.0.1:1",)), url) == "url"


def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    (found,) = ask(FetchSettings("t/1", connect_to=(f"::127.0.0.1:{port}",)), "http://a.th/")
    assert found.error
    assert (found.error.word, found.error.temporary) == ("refused", True)


@pytest.mark.parametrize("url", ["http://a.th/", "http://[2606:2800::1]:8080/"])
def test_a_server_at_an_ipv6_address(url: str) -> None:
    async def answer(read: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        host = re.search(rb"Host: (.*?)\r\n", await read.readuntil(b"\r\n\r\n"))
        assert host
        out.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(host[1]) + host[1])
        out.close()

    async def main() -> Exchange:
        server = await asyncio.start_server(answer, "::1", 0)
        port = server.sockets[0].getsockname()[1]
        fetcher = Fetcher(FetchSettings("t/1", connect_to=(f"::[::1]:{port}",)))
        try:
            return await fetcher.fetch(url)
        finally:
            await fetcher.close()
            server.close()

    exchange = uvloop.run(main())
    assert (exchange.status, exchange.ip) == (200, "::1")
    assert exchange.body.decode() == url.split("/")[2]


def no_such_name(name: str) -> list[str]:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def no_answer_now(name: str) -> list[str]:
    raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure")


@pytest.mark.parametrize(("lookup", "temporary"), [(no_such_name, False), (no_answer_now, True)])
def test_a_name_that_leads_nowhere(lookup: Lookup, temporary: bool) -> None:
    (found,) = ask(FetchSettings("t/1"), "http://a.th/", lookup=lookup)
    assert found.error
    assert (found.error.word, found.error.temporary) == ("dns", temporary)


def test_a_slow_lookup_ends_with_the_time_limit() -> None:
    def slow(name: str) -> list[str]:
        time.sleep(1.0)
        return ["192.0.2.1"]

    async def address(fetcher: Fetcher) -> str:
        with pytest.raises(FetchError) as caught:
            await fetcher.address_of("http://a.th/")
        return caught.value.word

    assert run(address, FetchSettings("t/1", timeout=0.2), slow) == "dns"
    assert word(FetchSettings("t/1", timeout=0.2), "http://a.th/", slow) == "dns"


class Changing:
    """A name that is public when it is first looked up and private ever after."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, name: str) -> list[str]:
        self.asked += 1
        return ["93.184.216.34"] if self.asked == 1 else ["127.0.0.1"]


def test_a_name_that_changes_its_answer_is_looked_up_once_and_checked_each_time() -> None:
    lookup = Changing()

    async def twice(fetcher: Fetcher) -> list[str]:
        return [await fetcher.address_of("http://rebind.th/") for _ in range(5)]

    assert run(twice, FetchSettings("t/1"), lookup) == ["93.184.216.34"] * 5
    assert lookup.asked == 1
    assert word(FetchSettings("t/1"), "http://rebind.th/", lookup) == "address"


def test_of_several_addresses_only_public_ones_are_used() -> None:
    async def address(fetcher: Fetcher) -> str:
        return await fetcher.address_of("http://mixed.th/")

    addresses = ["10.0.0.1", "::1", "8.8.8.8"]
    assert run(address, FetchSettings("t/1"), lambda name: addresses) == "8.8.8.8"


def test_a_rule_allows_the_address_it_names_and_no_other() -> None:
    with (
        Server(lambda url: SmallPage(body=b"x")) as server,
        Server(lambda url: SmallPage(body=b"secret")) as secret,
    ):
        given = FetchSettings("t/1", connect_to=(f"open.th:80:127.0.0.1:{server.port}",))
        assert word(given, "http://open.th/") == ""
        assert word(given, f"http://127.0.0.1:{secret.port}/") == "address"
        assert word(given, f"http://open.th:{secret.port}/", lambda n: ["127.0.0.1"]) == "address"
        assert secret.requests == []


class ProxyServer:
    """A proxy on loopback that answers plain requests itself and tunnels to one port."""

    def __init__(self, tunnel_port: int = 0) -> None:
        self.heads: list[bytes] = []
        self.tunnel_port = tunnel_port
        self.tasks: list[asyncio.Task[None]] = []

    def accept(self, read: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        self.tasks.append(asyncio.create_task(self.serve(read, out)))

    async def serve(self, read: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        head = await read.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        if not head.startswith(b"CONNECT"):
            out.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
        elif not self.tunnel_port:
            out.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        else:
            out.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            there = await asyncio.open_connection("127.0.0.1", self.tunnel_port)
            await asyncio.gather(pump(read, there[1]), pump(there[0], out))
        out.close()


async def pump(read: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await read.read(65536):
            out.write(data)
    out.close()


def by_proxy(proxy: ProxyServer, *urls: str, user: str = "") -> list[Outcome]:
    async def main() -> list[Outcome]:
        server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        fetcher = Fetcher(FetchSettings("t/1", timeout=5, proxy=f"http://{user}127.0.0.1:{port}"))
        found = [await outcome(fetcher, url) for url in urls]
        await fetcher.close()
        server.close()
        await asyncio.gather(*proxy.tasks)
        return found

    return uvloop.run(main())


def test_a_proxy_is_asked_for_the_whole_url_and_looks_names_up_itself() -> None:
    proxy = ProxyServer()
    (found,) = by_proxy(proxy, "http://no-such-name.th/x?y", user="me:pass%20word@")
    assert found.exchange
    assert (found.exchange.body, found.exchange.ip) == (b"hi", "")
    assert proxy.heads[0].startswith(b"GET http://no-such-name.th/x?y HTTP/1.1\r\n")
    assert b"\r\nHost: no-such-name.th\r\n" in proxy.heads[0]
    assert b"\r\nProxy-Authorization: Basic bWU6cGFzcyB3b3Jk\r\n" in proxy.heads[0]


def test_a_proxy_tunnels_to_secure_hosts(hostile: Hostile) -> None:
    proxy = ProxyServer(hostile.ports["tls-self-signed.hostile.th"])
    (found,) = by_proxy(proxy, "https://tls-self-signed.hostile.th/")
    assert found.exchange
    assert (found.exchange.status, found.exchange.notes) == (200, ("tls",))
    assert proxy.heads[0].startswith(b"CONNECT tls-self-signed.hostile.th:443 HTTP/1.1\r\n")


def test_a_proxy_that_refuses_is_an_error_and_private_targets_never_reach_it() -> None:
    proxy = ProxyServer()
    found = by_proxy(
        proxy,
        "https://a.th/",
        "http://127.0.0.1/",
        "https://[::1]/",
        "http://metadata.google.internal/",
        "http://localhost/",
    )
    words = [one.error.word if one.error else "" for one in found]
    assert words == ["proxy", "address", "address", "address", "address"]
    assert len(proxy.heads) == 1


@pytest.mark.parametrize("text", ["nonsense", "http://", "socks5://a:1", "http://a", "http://a:b"])
def test_a_proxy_that_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(UsageError, match="--proxy takes"):
        ask(FetchSettings("t/1", proxy=text))


def waits(value: str, now: float = 0.0) -> float:
    headers = ((b"Retry-After", value.encode()),) if value else ()
    return retry_after(Exchange("", "", 0, 0, (), 429, "", "1.1", headers, b"", b""), now)


def test_retry_after_is_seconds_or_a_date_and_an_hour_at_most() -> None:
    assert waits("120") == 120.0
    assert waits("Thu, 01 Jan 1970 00:02:00 GMT", now=60.0) == 60.0
    assert waits("Thu, 01 Jan 1970 00:02:00 GMT", now=600.0) == 0.0
    assert waits("99999999999999999999") == 3600.0
    assert waits("Fri, 31 Dec 9999 23:59:59 GMT") == 3600.0
    for nonsense in ("", "-5", "soon", "1.5e9", "²", "Thu, 99 Foo 1970"):
        assert waits(nonsense) == 0.0


BOMBS = """
import resource, sys, time, uvloop
sys.path.insert(0, {tests!r})
from langcrawl.web.fetch import Fetcher, FetchSettings
async def main():
    fetcher = Fetcher(FetchSettings("t/1", delay=0.0, connect_to={rules!r}))
    await fetcher.fetch("http://gzip.hostile.th/")
    for name in sys.argv[1:]:
        before = resource.getrusage(resource.RUSAGE_SELF)
        found = await fetcher.fetch(f"http://{{name}}.hostile.th/")
        after = resource.getrusage(resource.RUSAGE_SELF)
        grown = after.ru_maxrss - before.ru_maxrss
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(name, len(found.body), "truncated" in found.notes, grown // 1024, round(spent, 2))
    await fetcher.close()
uvloop.run(main())
"""


def test_bombs_and_endless_bodies_cost_little_more_than_what_is_kept(hostile: Hostile) -> None:
    """300 MB and more, of which 10 MB are kept, in a process of its own."""
    tests = str(Path(__file__).resolve().parents[1])
    names = ("gzip-bomb", "br-bomb", "zstd-bomb", "bomb-in-bomb", "endless-body", "chunked-dust")
    done = subprocess.run(
        [sys.executable, "-c", BOMBS.format(tests=tests, rules=hostile.connect_to), *names],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == list(names)
    for name, size, truncated, megabytes, seconds in rows:
        assert truncated == "True", name
        assert int(size) <= 10_000_000
        assert int(megabytes) < 60, f"{name} took {megabytes} MB"
        assert float(seconds) < 5.0, f"{name} took {seconds} s"


SOCKETS = """
import asyncio, os, sys, uvloop
sys.path.insert(0, {tests!r})
from langcrawl.web.fetch import Fetcher, FetchError, FetchSettings
async def main():
    fetcher = Fetcher(FetchSettings("t/1", delay=0.0, max_page_bytes=9999, connect_to={rules!r}))
    await fetcher.fetch("http://gzip.hostile.th/")  # what the loop opens for itself is open now
    before = len(os.listdir("/proc/self/fd"))
    async def ask(url):
        try:
            await fetcher.fetch(url)
        except FetchError as error:
            pass
    for _ in range(3):
        await asyncio.gather(*map(ask, sys.argv[1:]))
    during = len(os.listdir("/proc/self/fd"))
    await fetcher.close()
    await asyncio.sleep(0.2)
    print(before, during, len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks()))
uvloop.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts open files in /proc")
def test_no_socket_is_left_behind(hostile: Hostile) -> None:
    tests = str(Path(__file__).resolve().parents[1])
    slow = ("timeout", "bomb")
    urls = [b.url for b in BEHAVIOURS if not any(w in (b.reason, *b.notes) for w in slow)]
    done = subprocess.run(
        [sys.executable, "-c", SOCKETS.format(tests=tests, rules=hostile.connect_to), *urls],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    before, during, after, tasks = map(int, done.stdout.split())
    assert after <= before
    assert tasks == 1
    assert during < before + 20
    assert done.stderr == ""


def test_every_note_and_every_reason_is_documented() -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    text = "".join((docs / name).read_text("utf-8") for name in ("safety.md", "urls.md"))
    reasons = set(re.findall(r"^    (\w+) +\S.*$", FetchError.__doc__ or "", re.MULTILINE))
    assert {"address", "stale", "url"} < reasons
    for word in reasons | {note for one in BEHAVIOURS for note in one.notes}:
        assert f"| `{word}`" in text, word
    assert {one.reason for one in BEHAVIOURS} - {""} < reasons
