"""Every extension point on one page.

The loop in `langcrawl.crawl` knows only these shapes. A web and its clock, a frontier and
sinks are given to it; a judge sits behind the web, because judging is the web's heavy work
and may happen in another process; a strategy is a record of pure functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from sys import maxsize
from typing import Protocol

from langcrawl.records import Content, Facts, Finished, Page, Step, Verdict, Visit


class Clock(Protocol):
    """Seconds, on the wall or virtual."""

    def now(self) -> float: ...

    def sleep_until(self, moment: float) -> None:
        """Let time pass; may return early, so that a caller can look whether to stop."""


class Web(Protocol):
    """Answers visits: the live web asks servers, the replayed web a crawl log."""

    @property
    def clock(self) -> Clock: ...

    def begin(self, visits: Sequence[Visit]) -> None:
        """Start these visits; returns at once."""

    def next_done(self, until: float) -> Sequence[Finished]:
        """Visits that are finished, at least one unless the clock reaches `until` first.

        May return none early, so that a caller can look whether to stop.
        """

    def close(self) -> None:
        """Give up what is under way and release everything."""


class Judge(Protocol):
    """Says which language a page is in. Must be picklable: it is sent to workers."""

    def judge(self, content: Content) -> Verdict: ...


Rank = Callable[[Facts], float]
GroupState = Callable[[int, int], int]


@dataclass(frozen=True, slots=True)
class Strategy:
    """Which links to follow, in which order: a rule over the facts of a link.

    `rank` gives a link's priority, 0 or more, lower sooner; a negative number -k discards
    the link for ``reasons[k - 1]``. `group_state`, where there is one, sums up a group's
    (downloads, relevant downloads) in a number; when that number changes, the group's
    waiting URLs are ranked again. The functions use numbers only, so that the simulator
    can compile them.
    """

    name: str
    rank: Rank
    says: str
    """The rule in one sentence."""
    reasons: tuple[str, ...] = ()
    lanes: int = 0
    """How many whole-numbered priorities there are; 0 where priorities are real numbers."""
    group_state: GroupState | None = None
    last_first: bool = False
    """Within a lane, last come first served."""
    highest_first: bool = False
    """`rank` gives scores: the higher, the sooner."""
    gathers: bool = False
    """The rule reads what gathers while a URL waits: `anchor_score`, `parent_share`, and
    `path_slashes`. Each link is then ranked by itself, with what is known of its URL so far."""
    oracle: bool = False
    """It is told in advance what is worth following: in simulations only."""


Standing = tuple[str, float, int, int, float, float]
"""How a URL stands that is not taken: the URL; its priority, and the `run`, `depth`,
`anchor_score` and `parent_share` of its facts. A plain tuple, because every link needs one."""


def unknown(url: str) -> Standing:
    """A URL that does not wait stands behind every one that does."""
    return url, inf, maxsize, maxsize, 0.0, 0.0


class Frontier(Protocol):
    """URLs that wait, and those that no longer do.

    A URL is unknown, waiting or taken. `put` makes it waiting, or moves a waiting one to
    the end of its new lane; `drop` makes it unknown again; `take` makes it taken, and then
    `put_back` makes it waiting once more or `finish` leaves it taken for good.
    """

    def __len__(self) -> int:
        """How many URLs wait."""

    def untaken(self, urls: Iterable[str]) -> Iterable[Standing]:
        """How these distinct URLs stand now, in their order, without those that are taken."""

    def put(self, visit: Visit) -> None:
        """Queue a URL; a waiting one moves only if its priority is another than before."""

    def revise(self, standing: Standing) -> None:
        """A better path to a waiting URL is known, or more has gathered; its place stays."""

    def drop(self, url: str) -> None: ...

    def of_host(self, host: str) -> list[Visit]:
        """The host's waiting URLs in the order in which they were first queued."""

    def take(self, ready: Callable[[str], bool], overtake: bool) -> Visit | None:
        """The first URL, or None while its host is not ready.

        With `overtake`, the first URL among the hosts that are ready.
        """

    def put_back(self, visit: Visit) -> None:
        """A taken URL waits again, in the place where it was."""

    def finish(self, url: str) -> None:
        """A taken URL has been answered: it is never asked for again."""

    def wake(self, hosts: Iterable[str]) -> None:
        """Hosts that `take` found not ready and that are ready again."""

    def commit(self) -> None:
        """Make all that happened so far last; called before visits that were taken begin."""


class Scope(Protocol):
    """What a crawl leaves out whatever its strategy says: patterns, block lists, traps."""

    def refuses(self, url: str, host: str) -> str:
        """Why this URL, unknown so far, is not to be queued, in a word; empty if it may be."""

    def saw(self, page: Page) -> None:
        """A page has been downloaded: what it shows may tell that more like it are a trap."""


class Sink(Protocol):
    """Takes the steps of a crawl: a log, a measure, a progress line."""

    def take(self, step: Step) -> None: ...

    def close(self) -> None: ...
