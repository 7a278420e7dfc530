"""How a crawl stands, in numbers: for `langcrawl status`, for monitoring and for the local channel.

The same record is made by a running crawl of itself (`langcrawl.store.watch`) and from the
database of any crawl (`langcrawl.store.view`).
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from langcrawl.config import CrawlConfig
from langcrawl.store.events import moment_of

LATELY = 300.0
"""Seconds over which a rate is worked out."""
_SHORTEST = 5.0
"""Seconds that two samples must be apart for a rate."""
WATCHED = "watched"
"""The key of `meta` under which a running crawl keeps what only it knows: `Watched`."""
FAILING_SHOWN = 50
"""Failing hosts that a status lists, those with the most troubles first."""


class Sample(NamedTuple):
    """What a crawl had come to at a moment."""

    at: float
    pages: int
    bytes: int
    requests: int
    queue: int


class Watched(NamedTuple):
    """What a running crawl keeps in its database beside its counts, so that others can see it."""

    started: float = 0.0
    """When the last run began."""
    last_page: float = 0.0
    """When the last answer came; 0 where none has."""
    samples: tuple[Sample, ...] = ()
    failing: Mapping[str, str] = {}
    """The last error of hosts in trouble."""
    paused: bool = False

    def as_text(self) -> str:
        return json.dumps(self._asdict())

    @classmethod
    def from_text(cls, text: str | None) -> Watched:
        if not text:
            return cls()
        kept = json.loads(text)
        samples = tuple(Sample(*map(float, sample)) for sample in kept["samples"])  # type: ignore[arg-type]
        failing = {str(host): str(error) for host, error in kept["failing"].items()}
        paused = kept.get("paused") is True
        return cls(float(kept["started"]), float(kept["last_page"]), samples, failing, paused)


class FailingHost(NamedTuple):
    """A host that did not answer, or asked to be left alone, when it was last asked."""

    host: str
    error: str
    """Why, as the log names it; empty where that is not known any more."""
    troubles: int
    """How often in a row."""
    asked_again: float | None
    """The moment from which it may be asked again; None for now."""


class EstimatedEnd(NamedTuple):
    """When a crawl will end if it goes on as it did lately."""

    at: float
    seconds: float
    because: str
    """What will end it, as ``stopped`` names it."""


@dataclass(frozen=True, slots=True)
class Status:
    """How a crawl stands."""

    running: bool
    lang: str
    strategy: str
    pages: int
    relevant: int
    harvest: float
    queue: int
    under_way: int
    urls: int
    hosts: int
    bytes: int
    requests: int
    seconds: float
    pages_per_second: float
    lately: float | None
    """Pages a second in the last minutes; None where it does not run or has just begun."""
    last_page: float | None
    """When the last answer came."""
    failing_hosts: int
    failing: tuple[FailingHost, ...]
    estimated_end: EstimatedEnd | None
    last_event: dict[str, Any] | None
    errors: Mapping[str, int]
    discards: Mapping[str, int]
    notes: Mapping[str, int]
    answers: Mapping[str, int]
    """Pages by what they are: ``text``, ``file``, ``redirect``, ``error``."""
    silences: Mapping[str, int]
    """Requests that nobody answered, and that are made again, by why."""
    failures: int
    """URLs that nobody answered for, and that no run asks for again by itself."""
    languages: Mapping[str, int]
    """Relevant pages by target language; empty where only the log knows."""
    paused: bool = False
    """Whether a running crawl asks for nothing new, because it was told so."""

    def as_json(self) -> dict[str, Any]:
        """The document of ``langcrawl status``."""
        end = self.estimated_end
        return asdict(self) | {
            "failing": [host._asdict() for host in self.failing],
            "estimated_end": end._asdict() if end else None,
        }


def rate_lately(samples: Sequence[Sample], field: str, now: Sample) -> float | None:
    """How much of something came a second since the oldest sample of the last minutes."""
    then = _oldest(samples, now)
    if then is None:
        return None
    return float((getattr(now, field) - getattr(then, field)) / (now.at - then.at))


def estimated_end(
    config: CrawlConfig, started: float, samples: Sequence[Sample], now: Sample
) -> EstimatedEnd | None:
    """The first end that is in sight: of a limit, or of a queue that gets shorter."""
    left: list[tuple[float, str]] = []
    if config.max_time is not None and started:
        left.append((max(0.0, started + config.max_time - now.at), "max-time"))
    for limit, field in (
        (config.max_pages, "pages"),
        (config.max_bytes, "bytes"),
        (config.max_requests, "requests"),
    ):
        rate = rate_lately(samples, field, now)
        if limit is not None and rate:
            left.append((max(0.0, limit - getattr(now, field)) / rate, f"max-{field}"))
    shrinks = -(rate_lately(samples, "queue", now) or 0.0)
    if shrinks > 0:
        left.append((now.queue / shrinks, "queue-empty"))
    if not left:
        return None
    seconds, because = min(left)
    return EstimatedEnd(now.at + seconds, seconds, because)


def _oldest(samples: Sequence[Sample], now: Sample) -> Sample | None:
    for sample in samples:
        if now.at - LATELY <= sample.at <= now.at - _SHORTEST:
            return sample
    return None


def sum_statuses(
    shards: Mapping[int, Status], last: dict[str, Any] | None, max_pages: int | None
) -> Status:
    """How the shards of a crawl stand together; `last` is what happened last to all of them, and
    `max_pages` is for all of them."""
    parts = list(shards.values())
    pages, relevant = sum(part.pages for part in parts), sum(part.relevant for part in parts)
    seconds = max(part.seconds for part in parts)
    last_pages = [part.last_page for part in parts if part.last_page is not None]
    rates = [part.lately for part in parts if part.lately is not None]
    ends = [part.estimated_end for part in parts if part.estimated_end is not None]
    end = max(ends, default=None)
    if max_pages is not None and (rate := sum(rates)):
        seconds_left = max(0, max_pages - pages) / rate
        limit = EstimatedEnd(time.time() + seconds_left, seconds_left, "max-pages")
        end = limit if end is None else min(end, limit)
    events = [last or {}, *(_of_shard(number, part) for number, part in shards.items())]
    failing = sorted(
        (host for part in parts for host in part.failing),
        key=lambda host: (-host.troubles, host.host),
    )
    added: dict[str, Any] = {
        name: sum(getattr(part, name) for part in parts)
        for name in ("queue", "under_way", "urls", "hosts", "bytes", "requests", "failing_hosts",
                     "failures")
    }  # fmt: skip
    counted: dict[str, Any] = {
        name: dict(sum((Counter(getattr(part, name)) for part in parts), Counter[str]()))
        for name in ("errors", "discards", "notes", "answers", "silences", "languages")
    }
    return replace(
        parts[0], **added, **counted, pages=pages, relevant=relevant,
        harvest=relevant / pages if pages else 0.0, seconds=seconds,
        running=any(part.running for part in parts), paused=all(part.paused for part in parts),
        pages_per_second=pages / seconds if seconds else 0.0,
        lately=sum(rates) if rates else None, last_page=max(last_pages, default=None),
        failing=tuple(failing[:FAILING_SHOWN]), estimated_end=end,
        last_event=max(events, key=moment_of) or None,
    )  # fmt: skip


def _of_shard(number: int, status: Status) -> dict[str, Any]:
    """What happened last in a shard, in words that say so; empty where nothing did."""
    event = status.last_event
    return event | {"words": f"shard {number}: {event.get('words')}"} if event else {}
