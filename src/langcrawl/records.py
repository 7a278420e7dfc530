"""The records that flow through a crawl, in the order in which they come to be.

A `Visit` is taken from the frontier and a web answers it: with a `Page` and its `Links`, on which
a judge has given a `Verdict`, or with a `Sitemap`, a `Refused` or a `Later`. Visit and answer are
a `Finished` visit. The loop counts a page and hands a `Step` to the sinks. `Facts` is all that a
rule knows of a link. Records never change; those that come by the million are tuples, because a
tuple is made four times as fast as a frozen dataclass.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from langcrawl.links import NO_LINKS as NO_LINKS
from langcrawl.links import Link as Link
from langcrawl.links import Links as Links

UNKNOWN = "und"
"""The language tag of a page whose language is not known (BCP-47 ``und``)."""


OVER_BUDGET = "over-budget"
"""The note of a page that was not read, because that would have cost too much."""
UNCHANGED = "unchanged"
"""The note of an answer that says, or shows, that a page is as it was the last time."""
PDF = "pdf"
"""The note of a page whose text was read from a PDF."""


class Facts(NamedTuple):
    """What a crawler knows of a link at the moment it finds it: numbers only."""

    run: int
    """Irrelevant pages in a row just before the link; 0 where the parent is relevant."""
    depth: int
    """Links from a seed, on the shortest path found so far."""
    parent_relevant: int
    """1 where the page with the link is relevant; seeds count as linked from such a page."""
    parent_bridge: int
    """1 where that page is in the bridge language."""
    parent_score: float
    """The score that the judge gave that page for the target, 0 to 1."""
    same_host: int
    """1 where the link stays on the host of that page."""
    host_downloads: int
    """Downloads so far from the host that the link leads to."""
    host_hits: int
    """How many of those were relevant."""
    group_state: int
    """What the strategy's `group_state` says of the link's group; 0 without one."""
    anchor_score: float = 0.0
    """The best score, for the target, of the anchors that led to the URL since it was queued.
    It and the next two say nothing unless the strategy `gathers`."""
    parent_share: float = 0.0
    """The sum, over the pages with a link to the URL since then, of score / distinct links."""
    path_slashes: int = 1
    """How many ``/`` are in the path of the URL, at least 1."""


class Known(NamedTuple):
    """What the archive has of a page that is asked for again."""

    digest: str
    """Of its body."""
    file: str
    """The archive file that holds its last whole answer, or says that it was the same as before;
    empty where it was not archived."""
    offset: int
    url: str
    """The page whose archived answer has the body: this one, or another with the same."""
    asked_at: float
    """When that answer came."""
    bytes: int = 0
    """Of the last whole answer as it came, with its headers; 0 where the log does not know."""
    is_whole: bool = True
    """Whether the digest is that of the whole body, and not of one that was cut."""


class Visit(NamedTuple):
    """A URL that waits to be downloaded, with what the crawl knew when it queued it."""

    url: str
    host: str
    facts: Facts
    priority: float
    parent: str
    """The page that gave the URL its present priority; empty for a seed."""
    found_by: str = "link"
    """How the URL was found: ``seed``, ``link``, ``redirect`` or ``sitemap``."""
    hops: int = 0
    """Redirects in a row that led here."""
    tries: int = 0
    """How often the URL was asked for in vain."""
    reason: str = ""
    """Why a ranker gave the URL its priority, in its own words."""
    evidence: str = ""
    """What a ranker wants to know again of the URL while it waits."""
    known: Known | None = None
    """Set where the page was downloaded before, and is asked for again."""


class Found(NamedTuple):
    """Links that were found together, and how: what one shard of a crawl hands to another."""

    links: Links
    origin: Facts
    """What is known of them because of where they were found."""
    parent: str
    found_by: str = "link"
    scored: bool = False
    """They are links of a page, so each has the score of its own anchor."""
    hops: int = 0


class Charsets(NamedTuple):
    """The character set of a page according to three sources; empty where one is silent."""

    header: str = ""
    meta: str = ""
    detected: str = ""


NO_CHARSETS = Charsets()


@dataclass(frozen=True, slots=True)
class MainText:
    """What a page is about, without menus and the like, and what it says of itself.

    What the page does not state is empty.
    """

    text: str = ""
    """Its paragraphs, a line each: no line is empty."""
    title: str = ""
    date: str = ""
    """When it was published: ``2024-05-31``, or as much of it as is known."""
    author: str = ""
    licence: str = ""
    """The address of its licence, or its name."""

    @property
    def paragraphs(self) -> list[str]:
        return self.text.split("\n") if self.text else []


@dataclass(frozen=True, slots=True)
class Content:
    """What the bytes of a page say once they are decoded: a judge sees this and no more."""

    text: str = ""
    charsets: Charsets = NO_CHARSETS
    links: Links = NO_LINKS
    title: str = ""
    html_lang: str = ""
    """The language that the HTML element declares."""
    content_language: str = ""
    """The language that META or the HTTP header declares."""
    fonts: tuple[str, ...] = ()
    """The fonts that the page asks for, in the order in which it names them."""
    notes: tuple[str, ...] = ()
    """What is remarkable about the page, a word each: see `Page.notes`."""
    refresh: str = ""
    """Where a META element sends a reader after a moment, if there is hardly any text."""
    main: MainText | None = None
    """The main text, where it was asked for."""

    @property
    def declared_language(self) -> str:
        return self.content_language or self.html_lang


class Page(NamedTuple):
    """A download: what a server answered, or that it did not."""

    url: str
    status: int
    """The HTTP status; 0 where no answer came (see `error`)."""
    redirect: str = ""
    """Where the answer sends the crawler instead; a page with a redirect is never relevant."""
    content_type: str = ""
    bytes: int = 0
    text_bytes: int = 0
    fetched_at: float = 0.0
    """When the host was asked, in seconds of the web's clock."""
    elapsed: float = 0.0
    ip: str = ""
    charsets: Charsets = NO_CHARSETS
    digest: str = ""
    links: Links = NO_LINKS
    error: str = ""
    """Why there is no answer, in a word or two."""
    notes: tuple[str, ...] = ()
    """What is remarkable about the answer, a word each: ``truncated``, ``javascript``, ..."""
    fingerprint: int = 0
    """The same for pages that differ in digits and white space only; 0 where there is no text."""
    warc_file: str = ""
    """The archive file that holds the answer; empty where it was not archived."""
    warc_offset: int = 0
    warc_length: int = 0
    """Bytes of the response record in that file, compressed."""
    links_left_out: int = 0
    """Distinct links of the page that are not in `links`, because a log knows no page there."""
    title: str = ""
    html_lang: str = ""
    content_language: str = ""
    fonts: tuple[str, ...] = ()
    wire_bytes: int = 0
    """Bytes of the answer as it came, with its headers; 0 where nobody has counted them."""
    full_bytes: int = 0
    """Bytes that it would have had, where a server sent only that nothing has changed."""


class Sitemap(NamedTuple):
    """A list of URLs that a site publishes: no page, and no step of a path."""

    urls: tuple[str, ...]
    is_index: bool = False
    """Whether the URLs are those of other sitemaps."""


class Refused(NamedTuple):
    """The crawler did not ask, for this reason: no download."""

    reason: str


UNREACHABLE = Refused("robots-unreachable")
"""The robots.txt of a host cannot be read, so that nothing is asked for there."""


class Later(NamedTuple):
    """The visit is to begin again once its host may be asked: no download yet."""

    instead: Page | Refused | None = None
    """What counts if the host goes on to fail; None where nothing failed, and only an address or a
    robots.txt is known so far."""
    sitemaps: tuple[str, ...] = ()
    """Those that a robots.txt has just named, in canonical form."""
    elsewhere: str = ""
    """Where the robots.txt is to be asked for next, if that is another host: the next turn asks
    that one, so both hosts have to be ready for it."""
    silence: str = ""
    """Why nobody answered, in a word: not the URL's fault, so it waits until somebody does."""


class Asked(NamedTuple):
    """When a host was asked for a visit, and how it wants to be treated from now on."""

    at: float = 0.0
    """In seconds of the web's clock; 0 where it was not asked."""
    elapsed: float = 0.0
    ip: str = ""
    """Of the host that was asked."""
    delay: float = 0.0
    """Seconds that the host itself asks crawlers to leave between requests."""
    wait: float = 0.0
    """Seconds that it is to be left alone beyond that: Retry-After."""
    bytes: int = 0
    """Of an answer that is no page: a robots.txt, a sitemap, a plea for patience."""
    warc_file: str = ""
    """The archive file that holds an answer to robots.txt."""
    warc_bytes: int = 0
    """How many bytes of that file hold it and all before it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of a page."""

    language: str = UNKNOWN
    script: str = ""
    encoding: str = ""
    score: float = 0.0
    """How much the page is in the target, 0 to 1; 0 for a page in another language."""
    relevant: bool = False
    evidence: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Put a score that a model gave, such as 1.00003 or NaN, within 0 and 1."""
        if not 0.0 <= self.score <= 1.0:
            object.__setattr__(self, "score", 1.0 if self.score > 1.0 else 0.0)

    def __reduce__(self) -> tuple[type[Verdict], tuple[object, ...]]:
        """How it travels between processes: what dataclasses do of themselves is slow."""
        return Verdict, (
            self.language, self.script, self.encoding, self.score, self.relevant, self.evidence,
        )  # fmt: skip


UNJUDGED = Verdict()
"""The verdict on whatever is no page of text: an error, a redirect, an image."""


class Finished(NamedTuple):
    """A visit with its answer, as a web gives it back."""

    visit: Visit
    answer: Page | Sitemap | Refused | Later
    verdict: Verdict = UNJUDGED
    """On a page."""
    asked: Asked = Asked()


class Step(NamedTuple):
    """One download, counted and with its links offered, as the sinks receive it."""

    number: int
    """1 for the first download."""
    visit: Visit
    page: Page
    verdict: Verdict
    queue: int
    """Distinct URLs waiting after this page's links were offered."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a crawl ends, whatever its strategy; None means without end."""

    max_pages: int | None = None
    max_bytes: int | None = None
    max_time: float | None = None
    max_depth: int | None = None
    max_pages_per_host: int | None = None
    max_pages_per_domain: int | None = None
    max_requests: int | None = None
    """Whatever is asked for: pages, robots.txt, sitemaps, and what gets no answer."""

    def reached(self, counts: Counts, elapsed: float) -> str:
        """The limit of the whole crawl that is reached, if one is."""
        if self.max_pages is not None and counts.pages >= self.max_pages:
            return "max-pages"
        if self.max_bytes is not None and counts.bytes >= self.max_bytes:
            return "max-bytes"
        if self.max_requests is not None and counts.requests >= self.max_requests:
            return "max-requests"
        if self.max_time is not None and elapsed >= self.max_time:
            return "max-time"
        return ""

    def room(self, counts: Counts, under_way: int, connections: int) -> int:
        """How many more visits may begin without going over a limit."""
        room = connections - under_way
        if self.max_pages is not None:
            room = min(room, self.max_pages - counts.pages - under_way)
        if self.max_requests is not None:
            room = min(room, self.max_requests - counts.requests - under_way)
        return room


class Tally:
    """How a host, or another group of URLs, has done so far."""

    __slots__ = ("downloads", "hits", "misses", "state")

    def __init__(self, downloads: int = 0, hits: int = 0, misses: int = 0, state: int = 0) -> None:
        self.downloads = downloads
        self.hits = hits
        self.misses = misses
        """Irrelevant downloads in a row, up to the last one."""
        self.state = state
        """What a rule makes of it: `langcrawl.ports.Strategy.group_state`."""

    def count(self, relevant: bool) -> None:
        self.downloads += 1
        self.hits += relevant
        self.misses = 0 if relevant else self.misses + 1


@dataclass(slots=True)
class Counts:
    """What a crawl has come to so far."""

    pages: int = 0
    relevant: int = 0
    bytes: int = 0
    requests: int = 0
    """Pages, robots.txt, sitemaps and tries in vain."""
    sitemaps: int = 0
    """Sitemaps that were queued."""
    max_queue: int = 0
    spent: float = 0.0
    """Seconds that the crawl has run, in all its runs."""
    visits: int = 0
    """Answers for pages that were downloaded before, and asked for again."""
    failures: int = 0
    """URLs that got no answer and are not asked for again; on the live web these are no pages."""
    answers: Counter[str] = field(default_factory=Counter)
    """Pages by what they are: ``text``, ``file`` (a picture, a document), ``redirect``,
    ``error``."""
    errors: Counter[str] = field(default_factory=Counter)
    """Pages and failures by why there is nothing: a word for no answer, else the status.
    ``internal`` are results that were lost by an error of ours."""
    silences: Counter[str] = field(default_factory=Counter)
    """Requests that nobody answered, and that are made again, by why."""
    discards: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    """Of how many downloads the web noted what: ``truncated``, ``javascript``, ..."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a crawl ended."""

    counts: Counts
    queue: int
    stopped: str
    """``queue-empty``, ``max-pages``, ``max-bytes``, ``max-requests``, ``max-time``,
    ``interrupted``, ``no-answer`` (only hosts that do not answer are left) or ``outage``."""
