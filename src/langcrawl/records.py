"""The records that flow through a crawl, in the order in which they come to be.

A `Visit` is taken from the frontier, a web answers it with a `Page` and its `Link` s, a
judge adds a `Verdict`; the three are a `Finished` visit. The loop counts it and hands a
`Step` to the sinks. `Facts` is all that a rule knows of a link. Records never change;
those that come by the million are tuples, because a tuple is made four times as fast as a
frozen dataclass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

UNKNOWN = "und"
"""The language tag of a page whose language is not known (BCP-47 ``und``)."""


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


class Visit(NamedTuple):
    """A URL that waits to be downloaded, with what the crawl knew when it queued it."""

    url: str
    host: str
    facts: Facts
    priority: float
    parent: str
    """The page that gave the URL its present priority; empty for a seed."""
    via: str = "link"
    """How the URL was found: ``seed``, ``link`` or ``redirect``."""


class Link(NamedTuple):
    """A link as it stands on a page, in document order."""

    url: str
    anchor: str = ""
    nofollow: bool = False
    anchor_score: float | None = None
    """How much the anchor is in the target, 0 to 1; None where it was not judged."""


@dataclass(frozen=True, slots=True)
class Charsets:
    """The character set of a page according to three sources; empty where one is silent."""

    header: str = ""
    meta: str = ""
    detected: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """What the bytes of a page say once they are decoded: a judge sees this and no more."""

    text: str = ""
    charsets: Charsets = Charsets()
    declared_language: str = ""
    links: tuple[Link, ...] = ()
    fonts: tuple[str, ...] = ()
    """The fonts that the page asks for, in the order in which it names them."""
    notes: tuple[str, ...] = ()
    """What is remarkable about the page, a word each: see `Page.notes`."""
    refresh: str = ""
    """Where a META element sends a reader after a moment, if there is hardly any text."""


class Page(NamedTuple):
    """What a web answered to a visit."""

    url: str
    status: int
    """The HTTP status; 0 where no answer came (see `reason`)."""
    redirect: str = ""
    """Where the answer sends the crawler instead; a page with a redirect is never relevant."""
    content_type: str = ""
    bytes: int = 0
    text_bytes: int = 0
    fetched_at: float = 0.0
    """When the host was asked, in seconds of the web's clock; 0 where it was not."""
    elapsed: float = 0.0
    host_delay: float = 0.0
    """Seconds that the host itself asks crawlers to leave between requests."""
    ip: str = ""
    charsets: Charsets = Charsets()
    digest: str = ""
    links: tuple[Link, ...] = ()
    reason: str = ""
    """Why there is no answer, in a word or two."""
    refused: bool = False
    """Set where the crawler did not ask, for `reason`; such a visit is no download."""
    again: bool = False
    """Set where the visit is to be begun again once its host may be asked: only its address or
    its robots.txt is known so far, or the server asked for patience. No download either."""
    wait: float = 0.0
    """Seconds that the host is to be left alone beyond its delay: Retry-After, backing off."""
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


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of a page."""

    language: str = UNKNOWN
    script: str = ""
    encoding: str = ""
    score: float = 0.0
    relevant: bool = False
    evidence: tuple[str, ...] = ()


UNJUDGED = Verdict()
"""The verdict on whatever is no page of text: an error, a redirect, an image."""


class Finished(NamedTuple):
    """A visit with its answer, as a web gives it back."""

    visit: Visit
    page: Page
    verdict: Verdict


class Step(NamedTuple):
    """One download, counted and with its links offered, as the sinks receive it."""

    number: int
    """1 for the first download."""
    visit: Visit
    page: Page
    verdict: Verdict
    queue: int
    """Distinct URLs waiting after this page's links were offered."""
