"""One visit on the live web, from robots.txt to verdict: everything that is heavy.

A worker keeps no state that matters: what it knows of robots.txt it can ask for again.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass

import aiohttp
from aiohttp.connector import Connection
from multidict import CIMultiDictProxy

from langcrawl.page import decode, extract, is_html, is_text
from langcrawl.ports import Clock, Judge
from langcrawl.records import UNJUDGED, Content, Finished, Page, Verdict, Visit
from langcrawl.url import Resolver
from langcrawl.web.guard import AddressRefused, ConnectTo, GuardedResolver
from langcrawl.web.robots import Rules, read_rules

_REDIRECTS = {301, 302, 303, 307, 308}
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
        connector = aiohttp.TCPConnector(
            limit=manners.connections,
            resolver=self._resolver,
            socket_factory=self._resolver.make_socket,
            keepalive_timeout=max(15.0, 2 * manners.delay),
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers={"User-Agent": manners.agent_line, "Accept": "text/html,*/*;q=0.5"},
            timeout=aiohttp.ClientTimeout(total=manners.timeout),
            response_class=_Response,
            cookie_jar=aiohttp.DummyCookieJar(),
            max_field_size=64 * 1024,
        )
        self._robots: dict[str, Rules] = {}

    async def close(self) -> None:
        await self._session.close()

    async def visit(self, visit: Visit) -> Finished:
        """Answer a visit; whatever goes wrong on the way is an answer too."""
        asked_at = self._clock.now()
        try:
            rules = self._robots.get(_origin(visit.url))
            if rules is None:
                rules = await self._ask_robots(visit.url)
                rested = self._clock.now() + max(self._manners.delay, rules.delay)
                if not rules.allow(visit.url):
                    spent = self._clock.now() - asked_at
                    return _refused(visit, "robots", rules.delay, asked_at, spent)
                await asyncio.sleep(rested - self._clock.now())
            elif not rules.allow(visit.url):
                return _refused(visit, "robots", rules.delay)
            asked_at = self._clock.now()
            answer = await self._ask(visit.url)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            if _guarded(error):
                return _refused(visit, "address")
            spent = self._clock.now() - asked_at
            page = Page(visit.url, 0, fetched_at=asked_at, elapsed=spent, reason=_in_words(error))
            return Finished(visit, page, UNJUDGED)
        return self._understand(visit, answer, rules.delay)

    def _understand(self, visit: Visit, answer: _Answer, host_delay: float) -> Finished:
        """Decode, extract and judge what a server sent."""
        kind = answer.headers.get("Content-Type", "")
        redirect = ""
        content, verdict = Content(), UNJUDGED
        if answer.status in _REDIRECTS:
            redirect = Resolver(visit.url)(answer.headers.get("Location", "")) or ""
        elif answer.status == 200:
            content, verdict = self._read(visit.url, answer.body, kind)
        page = Page(
            url=visit.url,
            status=answer.status,
            redirect=redirect,
            content_type=kind,
            bytes=len(answer.body),
            text_bytes=len(content.text.encode("utf-8", errors="replace")),
            fetched_at=answer.fetched_at,
            elapsed=answer.elapsed,
            host_delay=host_delay,
            ip=answer.ip,
            charsets=content.charsets,
            digest=f"sha256:{hashlib.sha256(answer.body).hexdigest()}",
            links=content.links,
        )
        return Finished(visit, page, verdict)

    def _read(self, url: str, body: bytes, kind: str) -> tuple[Content, Verdict]:
        if is_html(kind, body):
            decoded = decode(body, kind)
            content = extract(decoded.text, url, decoded.charsets)
        elif is_text(kind):
            decoded = decode(body, kind)
            content = Content(decoded.text, decoded.charsets)
        else:
            return Content(), UNJUDGED
        return content, self._judge.judge(content)

    async def _ask(self, url: str) -> _Answer:
        """One request; the body is cut at the limit."""
        asked_at = self._clock.now()
        async with self._session.get(url, allow_redirects=False) as response:
            body = await _read_body(response, self._manners.max_page_bytes)
            return _Answer(
                response.status,
                response.headers,
                body,
                getattr(response, "peer", ""),
                asked_at,
                self._clock.now() - asked_at,
            )

    async def _ask_robots(self, url: str) -> Rules:
        """Ask for a host's robots.txt, following a few redirects."""
        place: str | None = f"{_origin(url)}/robots.txt"
        status, body = 404, b""
        for _ in range(_ROBOTS_HOPS):
            answer = await self._ask(place or "")
            status, body = answer.status, answer.body
            if status not in _REDIRECTS:
                break
            place = Resolver(place or "")(answer.headers.get("Location", ""))
            status = 404
            if place is None:
                break
        rules = read_rules(status, body, self._manners.user_agent)
        self._robots[_origin(url)] = rules
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


def _refused(
    visit: Visit, reason: str, delay: float = 0.0, asked_at: float = 0.0, spent: float = 0.0
) -> Finished:
    page = Page(
        visit.url, 0, fetched_at=asked_at, elapsed=spent, host_delay=delay,
        reason=reason, refused=True,
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
    return str(error) or type(error).__name__
