"""One visit on the live web, from its address to its verdict: everything that is heavy.

A visit may take several turns, because a host is asked one thing at a time and rests in
between: first its address is looked up, then its robots.txt is read, then the page. After
each turn but the last the coordinator is told to begin the visit `again`. A worker keeps no
state that matters: what it knows of robots.txt it can ask for again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from langcrawl.archive.exchange import Exchange
from langcrawl.archive.warc_records import Normalized
from langcrawl.archive.writer import Archive
from langcrawl.errors import NO_MEMORY, NO_ROOM, CannotArchive, DiskFull, LocalFault
from langcrawl.page import (
    HEEDED_HEADERS,
    Answer,
    Budget,
    CarefulReader,
    PageReader,
    ScoreAnchor,
    clean,
    is_html,
    is_pdf,
    is_text,
    understand,
)
from langcrawl.ports import Judge
from langcrawl.records import (
    UNCHANGED,
    UNJUDGED,
    UNREACHABLE,
    Asked,
    Known,
    Later,
    Page,
    Refused,
    Sitemap,
    Verdict,
    Visit,
)
from langcrawl.url import has_web_port, host_of, origin_of
from langcrawl.web.before import Before, before
from langcrawl.web.clock import WallClock
from langcrawl.web.fetch import Fetcher, FetchError, FetchSettings, retry_after
from langcrawl.web.in_step import InStep
from langcrawl.web.robots import Hop, RobotsCache, Rules
from langcrawl.web.sitemaps import sitemap_in

_HOSTS_REMEMBERED = 100_000
_PATIENCE = (429, 503)
"""Statuses by which a server asks to be left alone for a while."""

_DEAR = 1.0
"""Seconds of processor time after which the pages of a host are read with care."""

Told = tuple[Page | Sitemap | Refused | Later, Verdict, Asked]
"""What `Finished` says of a visit."""


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
    pdf: bool = False
    """Read and archive PDFs as well."""


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
        blocks: Callable[[str], bool] = lambda host: False,
        budget: Budget | None = None,
    ) -> None:
        self._judge, self._settings, self._archive = judge, settings, archive
        self._policy = policy or ArchivePolicy()
        normalize = "none" if archive is None else self._policy.normalize
        reader = PageReader(
            judge, score_anchor, normalize, self._policy.context, pdf=self._policy.pdf
        )
        self._reader, self._in_step = CarefulReader(reader, budget), InStep()
        self._beside = ThreadPoolExecutor(1, "reader")
        self._dear_hosts: set[str] = set()
        self._ask_addresses_first, self._blocks = ask_addresses_first, blocks
        self._clock = WallClock()
        self._fetcher = Fetcher(settings)
        self._robots = RobotsCache(settings.user_agent)
        self._addressed: set[str] = set()
        self._hops: dict[str, Hop] = {}
        """By host: the redirect of its robots.txt that its next turn follows."""

    async def close(self) -> None:
        await self._fetcher.close()
        self._reader.close()
        self._beside.shutdown(wait=False)
        if self._archive is not None:
            self._archive.close()

    def sync(self) -> None:
        """Have what was archived reach the disk, where that is asked for."""
        if self._archive is not None:
            with _writing():
                self._archive.sync()

    async def visit(
        self, visit: Visit, reading: Callable[[], None] = lambda: None, careful: bool = False
    ) -> Told:
        """Take a visit one turn on; whatever goes wrong on the way is an answer too.

        `reading` is called when the page has come and is about to be read on the spot, so that
        it is known who was at work should this process end. With `careful` it is read in another
        process in any case. Only what is wrong with the machine ends the work: `LocalFault`.
        """
        asked_at = self._clock.now()
        try:
            return await self._turn(visit, reading, careful)
        except FetchError as error:
            return self._failed(visit.url, error, asked_at)
        except LocalFault:
            raise
        except MemoryError as error:
            raise LocalFault(NO_MEMORY) from error
        except Exception as error:  # a page must not be able to stop the crawl
            asked = self._since(asked_at)
            page = Page(visit.url, 0, fetched_at=asked_at, elapsed=asked.elapsed,
                        error=_in_words(error))  # fmt: skip
            return page, UNJUDGED, asked

    async def _turn(self, visit: Visit, reading: Callable[[], None], careful: bool) -> Told:
        url, origin = visit.url, origin_of(visit.url)
        if not has_web_port(visit.host):
            return Refused("port"), UNJUDGED, Asked()
        hop = self._hops.pop(visit.host, None)
        asked_host = host_of(hop.url) if hop else visit.host
        if self._ask_addresses_first and asked_host not in self._addressed:
            return await self._look_up(visit, hop)
        if hop is not None:
            return await self._read_robots(visit.host, hop)
        rules = self._robots.get(origin)
        if rules is None:
            return await self._read_robots(visit.host, Hop(origin, f"{origin}/robots.txt"))
        if not rules.allow(url):
            return Refused("robots"), UNJUDGED, Asked(delay=rules.delay)
        before = self._before(visit.known) if visit.known else None
        exchange = await self._fetcher.fetch(url, before.conditions if before else ())
        asked = Asked(exchange.asked_at, exchange.elapsed, exchange.ip, rules.delay)
        no_page = asked._replace(bytes=len(exchange.body))
        if exchange.status in _PATIENCE:
            wait = retry_after(exchange, self._clock.now())
            return Later(self._patient(exchange)), UNJUDGED, no_page._replace(wait=wait)
        if visit.known and before and before.is_same(exchange, visit.known):
            return self._unchanged(visit, visit.known, exchange, before), UNJUDGED, asked
        if visit.found_by == "sitemap" and (found := sitemap_in(exchange)) is not None:
            return found, UNJUDGED, no_page
        return *await self._read(visit, exchange, reading, careful), asked

    def _before(self, known: Known) -> Before | None:
        """How a page was answered for before; None where its record should be there and is not."""
        if self._archive is None or not known.file:
            return Before()
        head = self._archive.read_head(known.file, known.offset)
        return before(head) if head is not None else None

    def _unchanged(self, visit: Visit, known: Known, exchange: Exchange, before: Before) -> Page:
        """The answer that a page is as it was: archived by a reference, and not read."""
        wire = exchange.wire_bytes
        page = Page(
            visit.url, exchange.status, content_type=clean(exchange.header("Content-Type")),
            digest=known.digest, notes=(UNCHANGED,),
            full_bytes=before.bytes or known.bytes or wire,
        )  # fmt: skip
        page = _timed(page, exchange)
        if self._archive is None or not known.file:
            return page
        with _writing():
            place = self._archive.write_again(visit, exchange, known)
        return page._replace(
            warc_file=place.file, warc_offset=place.offset, warc_length=place.length,
            notes=(*page.notes, "revisit"),
        )  # fmt: skip

    async def _look_up(self, visit: Visit, hop: Hop | None) -> Told:
        """The first turn: which address is asked, so that its hosts can take turns."""
        url = hop.url if hop else visit.url
        try:
            address = await self._fetcher.address_of(url)
        except FetchError as error:
            if hop is None or error.word == "address":
                raise
            return Later(UNREACHABLE, silence=error.word), UNJUDGED, Asked()
        if len(self._addressed) >= _HOSTS_REMEMBERED:
            self._addressed.clear()
        self._addressed.add(host_of(url))
        return self._again_at(visit.host, hop), UNJUDGED, Asked(ip=address)

    def _again_at(self, host: str, hop: Hop | None) -> Later:
        """Begin again; where a robots.txt is to be asked for on another host, say so."""
        if hop is None:
            return Later()
        self._hops[host] = hop
        return Later(elsewhere=hop.url if host_of(hop.url) != host else "")

    async def _read_robots(self, host: str, hop: Hop) -> Told:
        """The second turn: robots.txt; what fails closes all.

        A redirect is followed in a turn of its own, because it may lead to a host that rests. That
        is the next turn of this host, whatever URL of the host it is about.
        """
        if hop.number and (known := self._known(hop)) is not None:
            return self._obey(self._robots.adopt(hop.origin, known), Asked())
        asked_at = self._clock.now()
        try:
            exchange = await self._fetcher.fetch(hop.url)
        except FetchError as error:
            asked = self._since(asked_at)
            if error.word == "stale":
                return self._again_at(host, hop), UNJUDGED, asked
            if error.word == "address" or not (error.temporary or hop.number):
                raise
            silence = error.word if error.temporary else ""
            return Later(UNREACHABLE, silence=silence), UNJUDGED, asked
        asked = self._since(asked_at)._replace(ip=exchange.ip, bytes=len(exchange.body))
        asked = self._archived_robots(asked, exchange)
        onward = hop.onward(exchange)
        if onward is not None and self._blocks(host_of(onward.url)):
            return Later(UNREACHABLE), UNJUDGED, asked
        if onward is not None and (known := self._known(onward)) is not None:
            return self._obey(self._robots.adopt(hop.origin, known), asked)
        if onward is not None:
            return self._again_at(host, onward), UNJUDGED, asked
        rules = self._robots.read(hop.origin, exchange)
        if rules is None:  # closed for now: ask again later, and give up if it stays so
            wait = retry_after(exchange, self._clock.now())
            return Later(UNREACHABLE), UNJUDGED, asked._replace(wait=wait)
        if hop.is_root:  # others need not ask for it again
            self._robots.adopt(hop.asked_origin, rules)
        return self._obey(rules, asked)

    def _known(self, hop: Hop) -> Rules | None:
        """The rules to which a redirect leads, where they have been read already."""
        return self._robots.get(hop.asked_origin) if hop.is_root else None

    def _obey(self, rules: Rules, asked: Asked) -> Told:
        """The rules of a host are known: the next turn keeps to them."""
        sitemaps = rules.sitemaps if self._policy.sitemaps else ()
        return Later(sitemaps=sitemaps), UNJUDGED, asked._replace(delay=rules.delay)

    def _archived_robots(self, asked: Asked, exchange: Exchange) -> Asked:
        """Archive an answer to robots.txt, unless only relevant pages are kept."""
        if self._archive is None or self._policy.relevant_only:
            return asked
        with _writing():
            place = self._archive.write_robots(exchange)
        return asked._replace(warc_file=place.file, warc_bytes=place.offset + place.length)

    def _since(self, asked_at: float) -> Asked:
        return Asked(asked_at, self._clock.now() - asked_at)

    def _patient(self, exchange: Exchange) -> Page:
        """The server asks to be left alone; if it goes on to do so, that is its answer."""
        page, _, _ = understand(
            exchange.url, exchange.status, exchange.header("Content-Type"), "", b"", self._judge
        )
        return _timed(page, exchange)

    async def _read(
        self, visit: Visit, exchange: Exchange, reading: Callable[[], None], careful: bool
    ) -> tuple[Page, Verdict]:
        """The last turn: decode, extract, judge and archive what the server sent."""
        answer = Answer(
            visit.url,
            exchange.status,
            exchange.header("Content-Type"),
            exchange.header("Location"),
            exchange.body,
            {name: exchange.header(name) for name in HEEDED_HEADERS},
        )
        careful = careful or visit.host in self._dear_hosts
        if careful or self._reader.could_be_dear(answer):
            read, loop = self._reader.read, asyncio.get_running_loop()
            page, verdict, conversion = await loop.run_in_executor(self._beside, read, answer, True)
        else:
            done, spent = await self._in_step.read(self._reader.steps(answer), reading)
            page, verdict, conversion = done
            if spent > _DEAR:
                self._dear_hosts.add(visit.host)
            reading()  # what follows is about this page as well
        page = _timed(page, exchange)
        if self._archive is None or not self._is_kept(page, verdict, exchange.body):
            return page, verdict
        normalized = Normalized(self._policy.normalize, conversion) if conversion else None
        return self._archived(visit, exchange, page, verdict, normalized), verdict

    def _archived(
        self,
        visit: Visit,
        exchange: Exchange,
        page: Page,
        verdict: Verdict,
        normalized: Normalized | None,
    ) -> Page:
        """A page with the place that it has in the archive."""
        assert self._archive is not None
        with _writing():
            place = self._archive.write(visit, exchange, page, verdict, normalized)
        return page._replace(
            warc_file=place.file,
            warc_offset=place.offset,
            warc_length=place.length,
            digest=place.digest,
            notes=(*page.notes, "revisit") if place.revisit else page.notes,
        )

    def _is_kept(self, page: Page, verdict: Verdict, body: bytes) -> bool:
        policy = self._policy
        if policy.relevant_only and not verdict.relevant:
            return False
        if policy.noindex and "noindex" in page.notes:
            return False
        kind = page.content_type
        if policy.other_types or page.status != 200 or (policy.pdf and is_pdf(body)):
            return True
        return is_html(kind, body) or is_text(kind, body)

    def _failed(self, url: str, error: FetchError, asked_at: float) -> Told:
        """What becomes of a visit that got no answer."""
        asked = self._since(asked_at)
        page = Page(url, 0, fetched_at=asked_at, elapsed=asked.elapsed, error=error.word)
        if error.word == "address":
            return Refused(error.word), UNJUDGED, Asked()
        if error.word == "stale":  # nobody's failure: a kept connection was closed
            return Later(), UNJUDGED, asked
        if error.temporary:
            return Later(page, silence=error.word if error.is_silence else ""), UNJUDGED, asked
        return page, UNJUDGED, asked


@contextmanager
def _writing() -> Iterator[None]:
    """What the archive cannot write is the machine's fault, and no page's."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise DiskFull from error
        raise CannotArchive(error.strerror or str(error)) from error


def _timed(page: Page, exchange: Exchange) -> Page:
    """A page with what is known of its exchange."""
    return page._replace(
        fetched_at=exchange.asked_at,
        elapsed=exchange.elapsed,
        ip=exchange.ip,
        notes=(*exchange.notes, *page.notes),
        wire_bytes=exchange.wire_bytes,
    )


def _in_words(error: BaseException) -> str:
    return clean(str(error)) or type(error).__name__
