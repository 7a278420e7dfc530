"""One visit on the live web, from its address to its verdict: everything that is heavy.

A visit may take several turns, because a host is asked one thing at a time and rests in
between: first its address is looked up, then its robots.txt is read, then the page. After
each turn but the last the coordinator is told to begin the visit `again`. A worker keeps no
state that matters: what it knows of robots.txt it can ask for again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from langcrawl.archive.exchange import Exchange
from langcrawl.archive.warc_records import Normalized
from langcrawl.archive.writer import Archive
from langcrawl.errors import NO_ROOM, DiskFull
from langcrawl.page import (
    HEEDED_HEADERS,
    REDIRECTS,
    clean,
    is_html,
    is_text,
    redirect_target,
    understand,
)
from langcrawl.ports import Judge
from langcrawl.records import (
    UNJUDGED,
    Asked,
    Content,
    Later,
    Page,
    Refused,
    Sitemap,
    Verdict,
    Visit,
)
from langcrawl.script import convert
from langcrawl.web.clock import WallClock
from langcrawl.web.fetch import Fetcher, FetchError, FetchSettings, retry_after
from langcrawl.web.robots import RobotsCache, Rules
from langcrawl.web.sitemaps import read_sitemap

_ROBOTS_HOPS = 5
_HOSTS_REMEMBERED = 100_000
_PATIENCE = (429, 503)
"""Statuses by which a server asks to be left alone for a while."""

Answer = tuple[Page | Sitemap | Refused | Later, Verdict, Asked]
"""What `Finished` says of a visit."""
ScoreAnchor = Callable[[str, tuple[str, ...]], float]
"""How much an anchor is in the target, given the fonts that its page asks for."""


@dataclass(frozen=True, slots=True)
class ArchivePolicy:
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
    context: bool = False
    """Take the text around links as well."""


class Worker:
    """Downloads, decodes, extracts, judges and archives; lives inside one event loop."""

    def __init__(
        self,
        judge: Judge,
        settings: FetchSettings,
        archive: Archive | None = None,
        policy: ArchivePolicy | None = None,
        score_anchor: ScoreAnchor | None = None,
        ask_addresses_first: bool = False,
    ) -> None:
        self._judge, self._settings, self._archive = judge, settings, archive
        self._policy = policy or ArchivePolicy()
        self._score_anchor = score_anchor
        self._ask_addresses_first = ask_addresses_first
        self._clock = WallClock()
        self._fetcher = Fetcher(settings)
        self._robots = RobotsCache(settings.user_agent)
        self._addressed: set[str] = set()

    async def close(self) -> None:
        await self._fetcher.close()
        if self._archive is not None:
            self._archive.close()

    def sync(self) -> None:
        """Have what was archived reach the disk, where that is asked for."""
        if self._archive is not None:
            self._archive.sync()

    async def visit(self, visit: Visit, reading: Callable[[], None] = lambda: None) -> Answer:
        """Take a visit one turn on; whatever goes wrong on the way is an answer too.

        `reading` is called when the page has come and is about to be read, which is the one
        part that a hostile page could make endless. Only a full disk ends the work: `DiskFull`.
        """
        asked_at = self._clock.now()
        try:
            return await self._turn(visit, reading)
        except FetchError as error:
            return self._failed(visit.url, error, asked_at)
        except DiskFull:
            raise
        except Exception as error:  # a page must not be able to stop the crawl
            asked = self._since(asked_at)
            page = Page(visit.url, 0, fetched_at=asked_at, elapsed=asked.elapsed,
                        error=_in_words(error))  # fmt: skip
            return page, UNJUDGED, asked

    async def _turn(self, visit: Visit, reading: Callable[[], None]) -> Answer:
        url = visit.url
        if self._ask_addresses_first and visit.host not in self._addressed:
            return Later(), UNJUDGED, Asked(ip=await self._look_up(visit))
        origin = "/".join(url.split("/", 3)[:3])
        rules = self._robots.get(origin)
        if rules is None:
            return await self._read_robots(origin)
        if not rules.allow(url):
            return Refused("robots"), UNJUDGED, Asked(delay=rules.delay)
        exchange = await self._fetcher.fetch(url)
        asked = Asked(exchange.asked_at, exchange.elapsed, exchange.ip, rules.delay)
        if exchange.status in _PATIENCE:
            wait = retry_after(exchange, self._clock.now())
            return Later(self._patient(exchange)), UNJUDGED, asked._replace(wait=wait)
        if visit.found_by == "sitemap":
            return read_sitemap(exchange.url, exchange.body), UNJUDGED, asked
        reading()
        return *self._read(visit, exchange), asked

    async def _look_up(self, visit: Visit) -> str:
        """The first turn: which address is asked, so that its hosts can take turns."""
        address = await self._fetcher.address_of(visit.url)
        if len(self._addressed) >= _HOSTS_REMEMBERED:
            self._addressed.clear()
        self._addressed.add(visit.host)
        return address

    async def _read_robots(self, origin: str) -> Answer:
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
                await asyncio.sleep(self._settings.delay)
            if exchange is not None:
                rules = self._robots.read(origin, exchange)
        except FetchError as error:
            if error.word == "address" or not error.temporary:
                raise
        asked = self._since(asked_at)._replace(ip=exchange.ip if exchange else "")
        if rules is None:  # closed for now: ask again later, and give up if it stays so
            wait = retry_after(exchange, self._clock.now()) if exchange else 0.0
            return Later(Refused("robots-unreachable")), UNJUDGED, asked._replace(wait=wait)
        sitemaps = rules.sitemaps if self._policy.sitemaps else ()
        return Later(sitemaps=sitemaps), UNJUDGED, asked._replace(delay=rules.delay)

    def _since(self, asked_at: float) -> Asked:
        return Asked(asked_at, self._clock.now() - asked_at)

    async def _fetch_anew(self, url: str) -> Exchange:
        """Fetch, and do so once more where only a kept connection had been closed."""
        try:
            return await self._fetcher.fetch(url)
        except FetchError as error:
            if error.word != "stale":
                raise
        await asyncio.sleep(self._settings.delay)
        return await self._fetcher.fetch(url)

    def _patient(self, exchange: Exchange) -> Page:
        """The server asks to be left alone; if it goes on to do so, that is its answer."""
        page, _, _ = understand(
            exchange.url, exchange.status, exchange.header("Content-Type"), "", b"", self._judge
        )
        return _timed(page, exchange)

    def _read(self, visit: Visit, exchange: Exchange) -> tuple[Page, Verdict]:
        """The last turn: decode, extract, judge and archive what the server sent."""
        page, verdict, content = understand(
            visit.url,
            exchange.status,
            exchange.header("Content-Type"),
            exchange.header("Location"),
            exchange.body,
            self._judge,
            headers={name: exchange.header(name) for name in HEEDED_HEADERS},
            context=self._policy.context,
        )
        page = _timed(page, exchange)
        if self._score_anchor is not None and page.links:
            score, fonts, links = self._score_anchor, content.fonts, page.links
            anchors = links.anchors or ("",) * len(links)
            scores = [score(anchor, fonts) for anchor in anchors]
            page = page._replace(links=replace(links, anchor_scores=scores))
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
            raise DiskFull from error
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
        encoding = self._policy.normalize
        if encoding == "none" or not verdict.relevant:
            return None
        _, conversion = convert(content.text, target=encoding, fonts=content.fonts)
        return Normalized(encoding, conversion)

    def _is_kept(self, page: Page, verdict: Verdict, body: bytes) -> bool:
        policy = self._policy
        if policy.relevant_only and not verdict.relevant:
            return False
        if policy.noindex and "noindex" in page.notes:
            return False
        kind = page.content_type
        return (
            policy.other_types or page.status != 200 or is_html(kind, body) or is_text(kind, body)
        )

    def _failed(self, url: str, error: FetchError, asked_at: float) -> Answer:
        """What becomes of a visit that got no answer."""
        asked = self._since(asked_at)
        page = Page(url, 0, fetched_at=asked_at, elapsed=asked.elapsed, error=error.word)
        if error.word == "address":
            return Refused(error.word), UNJUDGED, Asked()
        if error.word == "stale":  # nobody's failure: a kept connection was closed
            return Later(), UNJUDGED, asked
        return Later(page) if error.temporary else page, UNJUDGED, asked


def _timed(page: Page, exchange: Exchange) -> Page:
    """A page with what is known of its exchange."""
    return page._replace(
        fetched_at=exchange.asked_at,
        elapsed=exchange.elapsed,
        ip=exchange.ip,
        notes=(*exchange.notes, *page.notes),
    )


def _in_words(error: BaseException) -> str:
    return clean(str(error)) or type(error).__name__
