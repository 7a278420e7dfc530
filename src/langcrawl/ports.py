"""Every extension point on one page.

The loop in `langcrawl.crawl` knows only these shapes. A web and its clock, a frontier, a ranker
and sinks are given to it; a judge sits behind the web, because judging is the web's heavy work and
may happen in another process. A `Strategy` is a rule of pure functions; a `Learner` learns while
the crawl goes on. Either becomes a `Ranker`, which is all that the loop sees of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from sys import maxsize
from typing import NamedTuple, Protocol

from langcrawl.records import (
    Content,
    Facts,
    Finished,
    Found,
    Links,
    Page,
    Step,
    Tally,
    Verdict,
    Visit,
)


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

    def stop(self) -> Sequence[Finished]:
        """Cancel running visits; those that had been answered by then. No visit begins any more."""

    def close(self) -> None:
        """Cancel running visits and release everything."""


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


class QueueState(NamedTuple):
    """The state of a URL that is not taken yet."""

    url: str
    priority: float
    """Infinity for a URL that does not wait."""
    run: int
    depth: int
    anchor_score: float
    parent_share: float


def not_waiting(url: str) -> QueueState:
    """The place of a URL that is not waiting: behind all that are."""
    return tuple.__new__(QueueState, (url, inf, maxsize, maxsize, 0.0, 0.0))  # the fastest way


class Download(NamedTuple):
    """A page that was downloaded, as a ranker is told of it."""

    visit: Visit
    page: Page
    verdict: Verdict
    group: str
    tally: Tally
    """How the page's group has done, this page included. Not to be changed."""


class Offer:
    """Links of one page that are offered together, as columns; each URL once, none downloaded."""

    __slots__ = ("download", "evidence", "facts", "found_by", "hosts", "links", "parent", "states")

    def __init__(
        self,
        links: Links,
        states: Sequence[QueueState],
        hosts: Sequence[str],
        facts: Sequence[Facts],
        found_by: str,
        parent: str = "",
        download: Download | None = None,
        evidence: Sequence[str] = (),
    ) -> None:
        self.links = links
        """Anchors and the like, in the order of `states`; none where the ranker reads none."""
        self.states = states
        """The URLs, and how each stands in the queue."""
        self.hosts = hosts
        self.facts = facts
        self.found_by = found_by
        """``seed``, ``link``, ``redirect`` or ``sitemap``, for all of them."""
        self.parent = parent
        """The URL of the page with the links; empty for seeds."""
        self.download = download
        """That page, where the links stand on it."""
        self.evidence = evidence
        """What the ranker kept of each URL that waits; empty texts for others."""

    def __len__(self) -> int:
        return len(self.states)

    @property
    def urls(self) -> list[str]:
        return [state.url for state in self.states]


class Ranking(NamedTuple):
    """What a ranker says of each of some links, or of some URLs that wait."""

    priorities: Sequence[float]
    """Lower is sooner."""
    discards: Sequence[str] = ()
    """Why a link is not to be queued, in a word; empty for one that is. No column: all are."""
    reasons: Sequence[str] = ()
    """Why each has its priority, for people. It is kept with the URL and logged."""
    evidence: Sequence[str] = ()
    """What the ranker wants to be told again of each URL while it waits."""
    again: Sequence[str] = ()
    """Groups whose waiting URLs to rank again once these links are queued."""


RankFacts = Callable[[Facts], tuple[float, str]]
"""The priority of a link with these facts, and the reason to discard it where there is one."""


class Ranker(Protocol):
    """Decides which links to follow in which order, and may learn from what they lead to."""

    name: str
    last_first: bool
    """Within a priority, last come first served."""
    step: float
    """Priorities are rounded to multiples of this, because few distinct ones keep the queue fast;
    0: they are exact."""
    gathers: bool
    """See `Strategy.gathers`."""
    reads_links: bool
    """It looks at anchors, languages and the like. Where it does not, an offer is made faster."""
    reads_context: bool
    """It looks at the text around links, which is then taken from pages and kept in the log."""
    keeps_evidence: bool
    """It wants `Offer.evidence`."""
    grouped: bool
    """Its groups are other than hosts."""
    watches: bool
    """It wants to be told of downloads (`saw`)."""
    reconsiders: bool
    """It wants to be asked once more just before a URL is taken (`reconsider`)."""

    @property
    def rank_facts(self) -> RankFacts | None:
        """Set where facts are all that it reads: then links are ranked by it, and not by `rank`."""

    def group_of(self, url: str, host: str) -> str:
        """The group of a URL, whose downloads are counted together: its host, or another name."""

    def rank(self, offer: Offer) -> Ranking:
        """Priorities of the links of one page, in their order."""

    def saw(self, download: Download) -> Iterable[str]:
        """A page was downloaded; answers with the groups whose waiting URLs to rank again.

        Called before the page's own links are offered.
        """

    def rank_again(self, group: str, waiting: Sequence[Visit]) -> Ranking:
        """New priorities for a group's waiting URLs, in the order in which they were queued."""

    def reconsider(self, visit: Visit) -> float:
        """The priority that the next URL would have now; where it is later, the URL waits on."""

    def state_of(self, tally: Tally) -> int:
        """What a rule makes of a group (`Strategy.group_state`); 0 for others."""

    def save(self) -> Mapping[str, bytes]:
        """What has changed since the last call, by name; kept in the crawl's own transaction."""

    def restore(self, saved: Mapping[str, bytes]) -> None:
        """All that was ever saved, the latest under each name, when a crawl is resumed."""

    def share(self) -> str:
        """What was learned since the last call, for the other shards of the crawl, if anything.

        That it was told is saved together with it (`save`); what others told is not told again.
        """

    def take_in(self, shared: str) -> None:
        """Another shard has learned this; each text comes once."""

    def why(self, visit: Visit) -> str:
        """In words, why a URL has its place in the queue."""


class Learner:
    """What a strategy that learns may leave as it is: inherit from this and write `rank`."""

    name = "learner"
    says = ""
    """The strategy in one sentence."""
    last_first = False
    step = 1 / 256
    gathers = False
    reads_links = True
    reads_context = False
    keeps_evidence = False
    grouped = False
    """Set it where `group_of` gives anything but the host."""
    watches = True
    reconsiders = False
    rank_facts: RankFacts | None = None
    connections = 0
    """How many downloads go on at once, as the crawl says before it begins; 0: nobody knows."""

    def group_of(self, url: str, host: str) -> str:
        return host

    def rank(self, offer: Offer) -> Ranking:
        raise NotImplementedError

    def saw(self, download: Download) -> Iterable[str]:
        return ()

    def rank_again(self, group: str, waiting: Sequence[Visit]) -> Ranking:
        return Ranking([visit.priority for visit in waiting])

    def reconsider(self, visit: Visit) -> float:
        return visit.priority

    def state_of(self, tally: Tally) -> int:
        return 0

    def save(self) -> Mapping[str, bytes]:
        return {}

    def restore(self, saved: Mapping[str, bytes]) -> None:
        """Nothing was saved."""

    def share(self) -> str:
        return ""

    def take_in(self, shared: str) -> None:
        """It learns by itself."""

    def why(self, visit: Visit) -> str:
        return visit.reason or f"priority {visit.priority:g}, given when it was found"


@dataclass(frozen=True, slots=True)
class Learned:
    """A strategy that learns, by name: each run starts a ranker of its own, which knows nothing."""

    name: str
    start: Callable[[str], Ranker]
    """Given the language that is looked for."""
    says: str = ""
    oracle: bool = False


class Frontier(Protocol):
    """URLs that wait, and those that no longer do.

    A URL is unknown, waiting or taken. `put` makes it waiting, or moves a waiting one to
    the end of its new lane; `drop` makes it unknown again; `take` makes it taken, and then
    `put_back` makes it waiting once more or `finish` leaves it taken for good.
    """

    def __len__(self) -> int:
        """How many URLs wait."""

    def lookup(self, urls: Iterable[str]) -> Sequence[QueueState]:
        """How these distinct URLs stand now, in their order, without those that are taken."""

    def evidence(self, urls: Iterable[str]) -> Sequence[str]:
        """What a ranker kept of each of these URLs; empty for one that does not wait."""

    def put(self, visit: Visit) -> None:
        """Queue a URL; a waiting one moves only if its priority is another than before."""

    def revise(self, state: QueueState, evidence: str | None = None) -> None:
        """A better path to a waiting URL is known, or more has gathered; its place stays."""

    def drop(self, url: str) -> None: ...

    def waiting(self) -> Iterator[QueueState]:
        """All URLs that wait, in any order; nothing may change meanwhile."""

    def of_groups(self, groups: Iterable[str]) -> Iterator[tuple[str, list[Visit]]]:
        """Those of some groups that have waiting URLs, with these, in the order in which they were
        first queued. Until the next group is asked for, only URLs of this one may change."""

    def of_host(self, host: str) -> list[Visit]:
        """The same for a host."""

    def take(
        self,
        ready: Callable[[str], bool],
        overtake: bool,
        reconsider: Callable[[Visit], float] | None = None,
    ) -> Visit | None:
        """The first URL, or None while its host is not ready.

        With `overtake`, the first URL among the hosts that are ready. Where `reconsider` gives
        that URL a later priority, it moves there, and the next one is looked at.
        """

    def take_url(self, url: str) -> Visit | None:
        """This URL, whatever comes before it; None where it does not wait."""

    def waiting_at(self, place: float) -> str:
        """The URL at a place from 0 to 1 among all that are known; empty where it does not wait."""

    def put_back(self, visit: Visit) -> None:
        """A taken URL waits again, in the place where it was."""

    def finish(self, url: str) -> None:
        """A taken URL has been answered: it is never asked for again."""

    def hosts(self) -> Iterator[str]:
        """The hosts of the URLs that wait, and maybe some more."""

    def park(self, host: str) -> None:
        """A host is left out until it is woken, even where nobody may overtake."""

    def wake(self, hosts: Iterable[str]) -> None:
        """Hosts that `take` found not ready, or that were parked, and that are ready again."""

    def commit(self) -> None:
        """Make all that happened so far last; called before visits that were taken begin."""


class Scope(Protocol):
    """What a crawl leaves out whatever its strategy says: patterns, block lists, traps."""

    def refuses(self, url: str, host: str) -> str:
        """Why this URL, unknown so far, is not to be queued, in a word; empty if it may be."""

    def rules_out(self, url: str, host: str, *, is_seed: bool = False) -> str:
        """The same as far as the user says so, and not what looks like a trap."""

    def saw(self, page: Page) -> None:
        """A page has been downloaded: what it shows may tell that more like it are a trap."""


class Peers(Protocol):
    """The other shards of a crawl, for one of several (`langcrawl.cluster`)."""

    def keep(self, found: Found) -> Links:
        """The links that lead to hosts of this shard; the others are handed over."""

    def room(self, begun: int) -> float:
        """How many more pages this shard may begin, where it has begun so many."""

    def meanwhile(self) -> None:
        """Visits are under way: take in the links of others, which need not delay any."""

    def rest(self, why: str) -> None:
        """Nothing is left to do, for this reason, unless others send something: wait a moment."""


class Sink(Protocol):
    """Takes the steps of a crawl: a log, a measure, a progress line."""

    def take(self, step: Step) -> None: ...

    def close(self) -> None: ...


class Tell(Protocol):
    """Takes what happens in a crawl, apart from its pages: `docs/operations.md` lists the events.

    The words are a sentence for people; `about` is the same for programs.
    """

    def __call__(self, event: str, words: str, /, **about: object) -> None: ...


def tell_nobody(event: str, words: str, /, **about: object) -> None:
    """For a crawl that nobody watches."""
