"""One visit on the live web, from its address to its verdict: everything that is heavy.

A visit may take several turns, because a host is asked one thing at a time and rests in
between: first its address is looked up, then its robots.txt is read, then the page. After
each turn but the last the coordinator is told to begin the visit `again`. A worker keeps no
state that matters: what it knows of robots.txt it can ask for again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from langcrawl.errors import NO_ROOM
from langcrawl.page import REDIRECTS, clean, is_html, is_text, redirect_target, understand
from langcrawl.ports import Judge
from langcrawl.records import UNJUDGED, Content, Link, Page, Verdict, Visit
from langcrawl.script import convert
from langcrawl.web.archive import Archive
from langcrawl.web.clock import WallClock
from langcrawl.web.exchange import Exchange
from langcrawl.web.fetch import Fetcher, FetchError, Manners, retry_after
from langcrawl.web.robots import RobotsCache, Rules
from langcrawl.web.sitemaps import read_sitemap
from langcrawl.web.warc import Normalized

_HEEDED = ("link", "x-robots-tag")
DISK_FULL = "disk-full"
"""The note on a visit whose page could not be archived for want of room."""
_ROBOTS_HOPS = 5
_HOSTS_REMEMBERED = 100_000
_PATIENCE = (429, 503)
"""Statuses by which a server asks to be left alone for a while."""

Answer = tuple[Page, Verdict]
ScoreAnchor = Callable[[str, tuple[str, ...]], float]
"""How much an anchor is in the target, given the fonts that its page asks for."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """What a worker reads and keeps."""

    relevant_only: bool = False
    """Archive relevant pages only."""
    other_types: bool = False
    """Archive what is no page of text as well: pictures, documents."""
    noindex: bool = False
    """Do not archive pages that ask not to be indexed."""
    sitemaps: bool = False
    """Report the sitemaps that a robots.txt names."""
    normalize: str = "none"
    """The encoding in which the text of relevant pages is archived beside them, or ``none``."""


class Worker:
    """Downloads, decodes, extracts, judges and archives; lives inside one event loop."""

    def __init__(
        self,
        judge: Judge,
        manners: Manners,
        archive: Archive | None = None,
        keeping: Keeping | None = None,
        score_anchor: ScoreAnchor | None = None,
        ask_addresses_first: bool = False,
    ) -> None:
        self._judge, self._manners, self._archive = judge, manners, archive
        self._keeping = keeping or Keeping()
        self._score_anchor = score_anchor
        self._ask_addresses_first = ask_addresses_first
        self._clock = WallClock()
        self._fetcher = Fetcher(manners)
        self._robots = RobotsCache(manners.user_agent)
        self._addressed: set[str] = set()

    async def close(self) -> None:
        await self._fetcher.close()
        if self._archive is not None:
            self._archive.close()

    async def visit(self, visit: Visit, reading: Callable[[], None] = lambda: None) -> Answer:
        """Take a visit one turn on; whatever goes wrong on the way is an answer too.

        `reading` is called when the page has come and is about to be read, which is the one
        part that a hostile page could make endless.
        """
        asked_at = self._clock.now()
        try:
            return await self._turn(visit, reading)
        except FetchError as error:
            return self._failed(visit.url, error, asked_at), UNJUDGED
        except Exception as error:  # a page must not be able to stop the crawl
            spent = self._clock.now() - asked_at
            page = Page(visit.url, 0, fetched_at=asked_at, elapsed=spent, reason=_in_words(error))
            return page, UNJUDGED

    async def _turn(self, visit: Visit, reading: Callable[[], None]) -> Answer:
        url = visit.url
        if self._ask_addresses_first and visit.host not in self._addressed:
            return await self._look_up(visit), UNJUDGED
        origin = "/".join(url.split("/", 3)[:3])
        rules = self._robots.get(origin)
        if rules is None:
            return await self._read_robots(url, origin), UNJUDGED
        if not rules.allow(url):
            page = Page(url, 0, host_delay=rules.delay, reason="robots", refused=True)
            return page, UNJUDGED
        exchange = await self._fetcher.fetch(url)
        if exchange.status in _PATIENCE:
            return self._patient(exchange, rules), UNJUDGED
        if visit.via == "sitemap":
            return _sitemap(exchange, rules), UNJUDGED
        reading()
        return self._read(visit, exchange, rules)

    async def _look_up(self, visit: Visit) -> Page:
        """The first turn: which address is asked, so that its hosts can take turns."""
        address = await self._fetcher.address_of(visit.url)
        if len(self._addressed) >= _HOSTS_REMEMBERED:
            self._addressed.clear()
        self._addressed.add(visit.host)
        return Page(visit.url, 0, ip=address, again=True)

    async def _read_robots(self, url: str, origin: str) -> Page:
        """The second turn: robots.txt, following a few redirects; what fails closes all."""
        asked_at, place = self._clock.now(), f"{origin}/robots.txt"
        exchange: Exchange | None = None
        rules: Rules | None = None
        try:
            for _ in range(1 + _ROBOTS_HOPS):
                exchange = await self._fetch_anew(place)
                following = redirect_target(place, exchange.header("Location"))
                if exchange.status not in REDIRECTS or following is None:
                    break
                place = following
                await asyncio.sleep(self._manners.delay)
            if exchange is not None:
                rules = self._robots.read(origin, exchange)
        except FetchError as error:
            if error.word == "address" or not error.temporary:
                raise
        page = Page(
            url,
            0,
            fetched_at=asked_at,
            elapsed=self._clock.now() - asked_at,
            ip=exchange.ip if exchange else "",
            again=True,
        )
        if rules is None:  # closed for now: ask again later, and give up if it stays so
            wait = retry_after(exchange, self._clock.now()) if exchange else 0.0
            return page._replace(reason="robots-unreachable", refused=True, wait=wait)
        links = tuple(map(Link, rules.sitemaps)) if self._keeping.sitemaps else ()
        return page._replace(host_delay=rules.delay, links=links)

    async def _fetch_anew(self, url: str) -> Exchange:
        """Fetch, and do so once more where only a kept connection had been closed."""
        try:
            return await self._fetcher.fetch(url)
        except FetchError as error:
            if error.word != "stale":
                raise
        await asyncio.sleep(self._manners.delay)
        return await self._fetcher.fetch(url)

    def _patient(self, exchange: Exchange, rules: Rules) -> Page:
        """The server asks to be left alone; if it goes on to do so, that is its answer."""
        page, _, _ = understand(
            exchange.url, exchange.status, exchange.header("Content-Type"), "", b"", self._judge
        )
        wait = retry_after(exchange, self._clock.now())
        return _timed(page, exchange, rules)._replace(again=True, wait=wait)

    def _read(self, visit: Visit, exchange: Exchange, rules: Rules) -> Answer:
        """The last turn: decode, extract, judge and archive what the server sent."""
        page, verdict, content = understand(
            visit.url,
            exchange.status,
            exchange.header("Content-Type"),
            exchange.header("Location"),
            exchange.body,
            self._judge,
            headers={name: exchange.header(name) for name in _HEEDED},
        )
        page = _timed(page, exchange, rules)
        if self._score_anchor is not None:
            score, fonts = self._score_anchor, content.fonts
            links = [link._replace(anchor_score=score(link.anchor, fonts)) for link in page.links]
            page = page._replace(links=tuple(links))
        if self._archive is None or not self._is_kept(page, verdict, exchange.body):
            return page, verdict
        normalized = self._normalized(verdict, content)
        if normalized is not None and normalized.conversion.unmapped:
            page = page._replace(notes=(*page.notes, "unmapped"))
        try:
            place = self._archive.write(visit, exchange, page, verdict, normalized)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            return Page(visit.url, 0, again=True, notes=(DISK_FULL,)), UNJUDGED
        page = page._replace(
            warc_file=place.file,
            warc_offset=place.offset,
            warc_length=place.length,
            digest=place.digest,
            notes=(*page.notes, "revisit") if place.revisit else page.notes,
        )
        return page, verdict

    def _normalized(self, verdict: Verdict, content: Content) -> Normalized | None:
        """The text of a relevant page in the encoding that is asked for, if one is."""
        encoding = self._keeping.normalize
        if encoding == "none" or not verdict.relevant:
            return None
        _, conversion = convert(content.text, target=encoding, fonts=content.fonts)
        return Normalized(encoding, conversion)

    def _is_kept(self, page: Page, verdict: Verdict, body: bytes) -> bool:
        keeping = self._keeping
        if keeping.relevant_only and not verdict.relevant:
            return False
        if keeping.noindex and "noindex" in page.notes:
            return False
        kind = page.content_type
        return (
            keeping.other_types or page.status != 200 or is_html(kind, body) or is_text(kind, body)
        )

    def _failed(self, url: str, error: FetchError, asked_at: float) -> Page:
        """What becomes of a visit that got no answer."""
        spent = self._clock.now() - asked_at
        page = Page(url, 0, fetched_at=asked_at, elapsed=spent, reason=error.word)
        if error.word == "address":
            return page._replace(fetched_at=0.0, elapsed=0.0, refused=True)
        if error.word == "stale":  # nobody's failure: a kept connection was closed
            return page._replace(reason="", again=True)
        return page._replace(again=error.temporary)


def _timed(page: Page, exchange: Exchange, rules: Rules) -> Page:
    """A page with what is known of its exchange."""
    return page._replace(
        fetched_at=exchange.asked_at,
        elapsed=exchange.elapsed,
        host_delay=rules.delay,
        ip=exchange.ip,
        notes=(*exchange.notes, *page.notes),
    )


def _sitemap(exchange: Exchange, rules: Rules) -> Page:
    """A sitemap as a page whose links are what it lists."""
    found = read_sitemap(exchange.url, exchange.body)
    notes = ("sitemap-index",) if found.is_index else ()
    page = Page(exchange.url, exchange.status, links=tuple(map(Link, found.urls)), notes=notes)
    return _timed(page, exchange, rules)


def _in_words(error: BaseException) -> str:
    return clean(str(error)) or type(error).__name__
