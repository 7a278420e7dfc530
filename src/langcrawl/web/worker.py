"""One visit on the live web, from robots.txt to verdict: everything that is heavy.

A worker keeps no state that matters: what it knows of robots.txt it can ask for again.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import aiohttp
from aiohttp.connector import Connection
from multidict import CIMultiDictProxy
from yarl import URL

from langcrawl.page import REDIRECTS, clean, redirect_target, understand
from langcrawl.ports import Clock, Judge
from langcrawl.records import UNJUDGED, Finished, Page, Visit
from langcrawl.web.guard import AddressRefused, ConnectTo, GuardedConnector, GuardedResolver
from langcrawl.web.robots import Rules, read_rules, unreachable_rules

_ROBOTS_HOPS = 5


@dataclass(frozen=True, slots=True)
class Manners:
    """How a worker behaves towards servers."""

    user_agent: str
    contact: str = ""
    delay: float = 1.0
    timeout: float = 30.0
    max_page_bytes: int = 10_000_000
    connect_to: tuple[str, ...] = ()
    connections: int = 16

    @property
    def agent_line(self) -> str:
        """The User-Agent header: who we are and where to complain."""
        return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: CIMultiDictProxy[str]
    body: bytes
    ip: str
    fetched_at: float
    elapsed: float


class _Response(aiohttp.ClientResponse):
    """A response that remembers its peer: a short one lets go of its connection at once."""

    peer = ""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        if connection.transport is not None:
            self.peer = connection.transport.get_extra_info("peername")[0]
        return await super().start(connection)


class Worker:
    """Downloads, decodes, extracts and judges; lives inside one event loop."""

    def __init__(self, judge: Judge, manners: Manners, clock: Clock) -> None:
        self._judge, self._manners, self._clock = judge, manners, clock
        rules = [ConnectTo.parse(text) for text in manners.connect_to]
        self._resolver = GuardedResolver(rules)
        connector = GuardedConnector(
            limit=manners.connections,
            resolver=self._resolver,
            socket_factory=self._resolver.make_socket,
            force_close=True,  # a host rests so long that its connection would be stale
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers={"User-Agent": manners.agent_line, "Accept": "text/html,*/*;q=0.5"},
            timeout=aiohttp.ClientTimeout(total=manners.timeout),
            response_class=_Response,
            cookie_jar=aiohttp.DummyCookieJar(),
            max_field_size=64 * 1024,
        )
        self._session._retry_connection = False  # a second try would not keep the delay
        self._robots: dict[str, Rules] = {}

    async def close(self) -> None:
        await self._session.close()

    async def visit(self, visit: Visit) -> Finished:
        """Answer a visit; whatever goes wrong on the way is an answer too."""
        asked_at, host_delay = self._clock.now(), 0.0
        try:
            rules = self._robots.get(_origin(visit.url))
            if rules is None:
                rules = await self._ask_robots(_origin(visit.url))
                spent = self._clock.now() - asked_at
                if not rules.allow(visit.url):
                    return _refused(visit, rules, asked_at, spent)
                await asyncio.sleep(max(self._manners.delay, rules.delay))
            elif not rules.allow(visit.url):
                return _refused(visit, rules)
            asked_at, host_delay = self._clock.now(), rules.delay
            answer = await self._ask(visit.url)
            return self._understand(visit, answer, rules.delay)
        except Exception as error:  # a page must not be able to stop the crawl
            if _guarded(error):
                page = Page(visit.url, 0, reason="address", refused=True)
            else:
                spent = self._clock.now() - asked_at
                page = Page(
                    visit.url, 0, fetched_at=asked_at, elapsed=spent, host_delay=host_delay,
                    reason=_in_words(error),
                )  # fmt: skip
            return Finished(visit, page, UNJUDGED)

    def _understand(self, visit: Visit, answer: _Answer, host_delay: float) -> Finished:
        """Decode, extract and judge what a server sent."""
        headers = answer.headers
        kind, location = headers.get("Content-Type", ""), headers.get("Location", "")
        page, verdict = understand(
            visit.url, answer.status, kind, location, answer.body, self._judge
        )
        page = page._replace(
            fetched_at=answer.fetched_at,
            elapsed=answer.elapsed,
            host_delay=host_delay,
            ip=answer.ip,
        )
        return Finished(visit, page, verdict)

    async def _ask(self, url: str) -> _Answer:
        """One request; the body is cut at the limit."""
        asked_at = self._clock.now()
        async with self._session.get(URL(url, encoded=True), allow_redirects=False) as response:
            body = await _read_body(response, self._manners.max_page_bytes)
            return _Answer(
                response.status,
                response.headers,
                body,
                getattr(response, "peer", ""),
                asked_at,
                self._clock.now() - asked_at,
            )

    async def _ask_robots(self, origin: str) -> Rules:
        """Ask for a host's robots.txt, following a few redirects; what fails closes all."""
        place, status, body = f"{origin}/robots.txt", 404, b""
        agent = self._manners.user_agent
        try:
            for _ in range(_ROBOTS_HOPS):
                answer = await self._ask(place)
                status, body = answer.status, answer.body
                if status not in REDIRECTS:
                    break
                following = redirect_target(place, answer.headers.get("Location", ""))
                status = 404  # a redirect that leads nowhere is no file
                if following is None:
                    break
                place = following
                await asyncio.sleep(self._manners.delay)
            rules = read_rules(status, body, agent)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            if _guarded(error):
                raise
            rules = unreachable_rules(agent)
        self._robots[origin] = rules
        return rules


async def _read_body(response: aiohttp.ClientResponse, limit: int) -> bytes:
    parts, size = [], 0
    async for part in response.content.iter_chunked(1 << 16):
        parts.append(part)
        size += len(part)
        if size >= limit:
            break
    return b"".join(parts)[:limit]


def _origin(url: str) -> str:
    """Scheme and host: what a robots.txt speaks for."""
    return "/".join(url.split("/", 3)[:3])


def _refused(visit: Visit, rules: Rules, asked_at: float = 0.0, spent: float = 0.0) -> Finished:
    page = Page(
        visit.url, 0, fetched_at=asked_at, elapsed=spent, host_delay=rules.delay,
        reason=rules.reason, refused=True,
    )  # fmt: skip
    return Finished(visit, page, UNJUDGED)


def _guarded(error: BaseException) -> bool:
    """Whether the address guard stands behind an error."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, AddressRefused):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _in_words(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    return clean(str(error)) or type(error).__name__
