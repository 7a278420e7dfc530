"""Ranks the URLs that a crawl meets, and queues them.

What a page links to is offered to the ranker together, in order. Each URL is then queued, moved,
updated or discarded, which is counted by its reason. When a host or another group is seen in a new
light, what waits of it is ranked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from math import inf, isnan
from typing import Final, TypeVar

from langcrawl.errors import LangcrawlError, StrategyFailed
from langcrawl.ports import (
    Download,
    Frontier,
    Offer,
    Peers,
    QueueState,
    Ranker,
    RankFacts,
    Ranking,
    Scope,
)
from langcrawl.records import NO_LINKS, Counts, Facts, Found, Limits, Links, Tally, Visit
from langcrawl.scope.sitemaps import SitemapBudget
from langcrawl.url import domain_of, host_of, path_slashes

T = TypeVar("T")
_Row = tuple[QueueState, str, Facts, float, str, str, str]
"""A URL as it stands, its host, the facts of a link to it; its priority, the reason to discard it
where there is one, and a ranker's own words and evidence."""
_make = tuple.__new__
"""Makes a record of its values in a third of the time of its name: links come by the million."""
DOMAIN_FULL: Final = "max-pages-per-domain"
_GATHERED: Final = 9
"""Where the facts begin that gather while a URL waits."""


class Offers:
    """What a crawl knows of hosts and groups, and the queue that it fills by it."""

    def __init__(
        self,
        frontier: Frontier,
        ranker: Ranker,
        scope: Scope | None,
        limits: Limits,
        counts: Counts,
        peers: Peers | None = None,
    ) -> None:
        self.counts = counts
        self.sitemaps = SitemapBudget(limits, counts)
        self.hosts: dict[str, Tally] = {}
        self.groups: dict[str, Tally] = {} if ranker.grouped else self.hosts
        self.domain_pages: Counter[str] = Counter()
        """Downloads by registered domain, where these have a limit."""
        self._frontier, self._ranker, self._scope = frontier, ranker, scope
        self._peers = peers
        self.limits_domains = False
        self.limit(limits)
        self.new = Tally()
        """That of a host or group of which nothing is known."""
        self.new.state = self.asked(ranker.state_of, self.new)
        self.reconsider = self._reconsider if ranker.reconsiders else None

    def limit(self, limits: Limits) -> None:
        """Keep to these limits from now on."""
        self.sitemaps.limit(limits)
        self._max_depth = _or_endless(limits.max_depth)
        self._max_per_host = _or_endless(limits.max_pages_per_host)
        self._max_per_domain = _or_endless(limits.max_pages_per_domain)
        counted, self.limits_domains = self.limits_domains, self._max_per_domain < inf
        if self.limits_domains and not counted:
            for host, tally in self.hosts.items():
                self.domain_pages[domain_of(host)] += tally.downloads
        elif not self.limits_domains:
            self.domain_pages.clear()

    def domain_is_full(self, host: str) -> bool:
        """Whether the domain of a host has had as many downloads as it may."""
        return self.domain_pages[domain_of(host)] >= self._max_per_domain

    def offer(
        self,
        links: Links,
        origin: Facts,
        parent: str,
        found_by: str = "link",
        *,
        download: Download | None = None,
        scored: bool = False,
        hops: int = 0,
    ) -> None:
        """Offer URLs to the ranker, in order; queue, move, update or discard each.

        The links of a page are `scored` by their anchors; others have the score of their origin.
        """
        ranker = self._ranker
        if self._peers is not None:
            links = self._peers.keep(Found(links, origin, parent, found_by, scored, hops))
        if ranker.reads_links or ranker.gathers:
            if not scored or ranker.reads_links:  # those of a page are, where a rule gathers
                links = links.distinct()
            states = self._frontier.lookup(links.urls)
        else:
            states = self._frontier.lookup(dict.fromkeys(links.urls))
        if states and origin.depth > self._max_depth:
            self.counts.discards["max-depth"] += len(states)
            return
        if self._max_per_host < inf:
            states = self._with_room(states)
        if self._max_per_domain < inf:
            states = self._with_domain_room(states)
        if not states:
            return
        if (rank := ranker.rank_facts) is not None and ranker.gathers:
            scores = links.anchor_scores if scored else ()
            rows = self._by_gathering_rule(states, links.urls, scores, origin, parent, rank)
        elif rank is not None:
            rows = self._by_rule(states, origin, parent, rank)
        else:
            hosts = [state[0].split("/", 3)[2] for state in states]  # host_of, without a call
            facts = self._facts(hosts, origin, parent)
            offer = Offer(NO_LINKS, states, hosts, facts, found_by, parent, download)
            ranking = self._ranked(offer, links)
            self._queue(_rows_of(offer, ranking), parent, found_by, hops)
            self.rank_again(ranking.again)
            return
        self._queue(rows, parent, found_by, hops)

    def _by_rule(
        self, states: Sequence[QueueState], origin: Facts, parent: str, rank: RankFacts
    ) -> Iterator[_Row]:
        """What a rule says of each URL: links to hosts that are alike are ranked once.

        URLs that the rule discards, or that wait already and gain nothing by this link, as most
        do, are left out.
        """
        parent_host = host_of(parent) if parent else ""
        run, depth = origin[:2]
        first, last = origin[:5], origin[_GATHERED:]
        known: dict[str | tuple[int, ...], tuple[Facts, float, str]] = {}
        tallies, new, asked = self.hosts, self.new, known.get
        for state in states:
            host = state[0].split("/", 3)[2]  # host_of, without a call
            answer = asked(host)
            if answer is None:
                tally = tallies.get(host, new)
                same = 1 if host == parent_host else 0
                about = (same, tally.downloads, tally.hits, tally.state)
                answer = asked(about)
                if answer is None:
                    facts = _make(Facts, (*first, *about, *last))
                    answer = known[about] = (facts, *rank(facts))
                known[host] = answer
            facts, priority, refusal = answer
            if refusal:
                self.counts.discards[refusal] += 1
            elif priority < state[1] or run < state[2] or depth < state[3]:
                yield state, host, facts, priority, "", "", ""

    def _by_gathering_rule(
        self,
        states: Sequence[QueueState],
        urls: Sequence[str],
        scores: Sequence[float | None],
        origin: Facts,
        parent: str,
        rank: RankFacts,
    ) -> Iterator[_Row]:
        """The same where facts gather: each URL has some of its own, so each is ranked."""
        parent_host = host_of(parent) if parent else ""
        first, score, share = origin[:5], origin.anchor_score, origin.parent_share
        anchors = dict(zip(urls, scores, strict=True)) if scores else {}
        known: dict[str, tuple[int, ...]] = {}
        for state in states:
            url, _, _, _, best, shares = state
            host = url.split("/", 3)[2]
            about = known.get(host)
            if about is None:
                tally = self.hosts.get(host, self.new)
                same = 1 if host == parent_host else 0
                about = known[host] = (same, tally.downloads, tally.hits, tally.state)
            anchor = anchors.get(url, score) or 0.0
            gathered = (anchor if anchor > best else best, shares + share, path_slashes(url))
            facts = _make(Facts, (*first, *about, *gathered))
            yield state, host, facts, *rank(facts), "", ""

    def _ranked(self, offer: Offer, links: Links) -> Ranking:
        """What a ranker says of each URL when it is shown all of them."""
        ranker, states = self._ranker, offer.states
        if ranker.reads_links:
            offer.links = links
            if len(states) < len(links):
                places = {url: at for at, url in enumerate(links.urls)}
                offer.links = links.at([places[state[0]] for state in states])
        if ranker.keeps_evidence:
            offer.evidence = self._frontier.evidence(offer.urls)
        return self._checked(self.asked(ranker.rank, offer), len(states))

    def _with_room(self, states: Sequence[QueueState]) -> list[QueueState]:
        """Without the URLs of hosts that have had as many downloads as they may."""
        full, none = self._max_per_host, self.new
        kept = [
            state for state in states if self.hosts.get(host_of(state[0]), none).downloads < full
        ]
        if len(kept) < len(states):
            self.counts.discards["max-pages-per-host"] += len(states) - len(kept)
        return kept

    def _with_domain_room(self, states: Sequence[QueueState]) -> list[QueueState]:
        """The same for registered domains."""
        kept = [state for state in states if not self.domain_is_full(host_of(state[0]))]
        if len(kept) < len(states):
            self.counts.discards[DOMAIN_FULL] += len(states) - len(kept)
        return kept

    def _facts(self, hosts: Sequence[str], origin: Facts, parent: str) -> list[Facts]:
        """The facts of links to these hosts; links to hosts that are alike share theirs."""
        parent_host = host_of(parent) if parent else ""
        first, last = origin[:5], origin[_GATHERED:]
        known: dict[str | tuple[int, ...], Facts] = {}
        found = []
        for host in hosts:
            facts = known.get(host)
            if facts is None:
                tally = self.hosts.get(host, self.new)
                same = 1 if host == parent_host else 0
                about = (same, tally.downloads, tally.hits, tally.state)
                facts = known.get(about)
                if facts is None:
                    facts = known[about] = _make(Facts, (*first, *about, *last))
                known[host] = facts
            found.append(facts)
        return found

    def _queue(self, rows: Iterable[_Row], parent: str, found_by: str, hops: int) -> None:
        """Queue, move or update URLs as the ranker says, or count why not."""
        put, gathers = self._frontier.put, self._ranker.gathers
        checked = self._scope is not None or found_by == "sitemap"
        for state, host, facts, priority, refusal, reason, evidence in rows:
            url, before, run, depth, _, _ = state
            if checked and not refusal and before == inf:
                refusal = self._refusal(url, host, found_by)
            if refusal:
                self.counts.discards[refusal] += 1
            elif priority < before:
                if run < facts[0] or depth < facts[1]:
                    path = (min(run, facts[0]), min(depth, facts[1]))
                    facts = _make(Facts, (*path, *facts[2:]))
                put(_make(Visit, (
                    url, host, facts, priority, parent, found_by, hops, 0, reason, evidence, None,
                )))  # fmt: skip
            elif facts[0] < run or facts[1] < depth or gathers or evidence:
                path = (min(run, facts[0]), min(depth, facts[1]))
                state = _make(QueueState, (url, before, *path, *facts[_GATHERED:-1]))
                self._frontier.revise(state, evidence or None)

    def _refusal(self, url: str, host: str, found_by: str) -> str:
        """Why a new URL is none of this crawl's, if that is so."""
        refusal = ""
        if self._scope is not None and found_by == "seed":
            refusal = self._scope.rules_out(url, host, is_seed=True)
        elif self._scope is not None:
            refusal = self._scope.refuses(url, host)
        if not refusal and found_by == "sitemap":
            refusal = self.sitemaps.refuses(host)
        return refusal

    def rank_again(self, groups: Iterable[str]) -> None:
        """Groups are seen otherwise than before: rank their waiting URLs anew, in their order."""
        if isinstance(groups, tuple) and not groups:  # mostly
            return
        for group, waiting in self._frontier.of_groups(groups):
            self._rank_again(group, waiting)

    def _rank_again(self, group: str, waiting: Sequence[Visit]) -> None:
        rank = self._ranker.rank_facts
        if rank is not None:
            self._rank_again_by_rule(group, waiting, rank)
            return
        ranking = self._checked(self.asked(self._ranker.rank_again, group, waiting), len(waiting))
        rows = zip(
            waiting, ranking.priorities, ranking.discards or repeat(""),
            ranking.reasons or repeat(None), ranking.evidence or repeat(None), strict=False,
        )  # fmt: skip
        for visit, priority, refusal, reason, evidence in rows:
            if refusal:
                self.counts.discards[refusal] += 1
                self._frontier.drop(visit.url)
            elif priority != visit.priority or reason is not None or evidence is not None:
                reason = visit.reason if reason is None else reason
                evidence = visit.evidence if evidence is None else evidence
                more = (*visit[4:8], reason, evidence, visit[10])
                self._frontier.put(_make(Visit, (*visit[:3], priority, *more)))

    def _reconsider(self, visit: Visit) -> float:
        """The priority that the next URL would have now."""
        priority, step = self.asked(self._ranker.reconsider, visit), self._ranker.step
        return round(priority / step) * step if step else priority

    def _rank_again_by_rule(self, host: str, waiting: Sequence[Visit], rank: RankFacts) -> None:
        """The same by a rule: URLs that share their facts are ranked once."""
        tally, put = self.hosts.get(host, self.new), self._frontier.put
        about = (tally.downloads, tally.hits, tally.state)
        known: dict[int, tuple[Facts, float, str]] = {}
        for visit in waiting:
            url, its_host, old, _, *rest = visit
            answer = known.get(id(old))  # what waits holds them, so the ids differ
            if answer is None:
                facts = _make(Facts, (*old[:6], *about, *old[_GATHERED:]))
                answer = known[id(old)] = (facts, *rank(facts))
            facts, priority, refusal = answer
            if refusal:
                self.counts.discards[refusal] += 1
                self._frontier.drop(url)
            else:
                put(_make(Visit, (url, its_host, facts, priority, *rest)))

    def asked(self, question: Callable[..., T], *about: object) -> T:
        """What the ranker answers; whatever goes wrong in it is told as its failure."""
        try:
            return question(*about)
        except LangcrawlError:
            raise
        except Exception as error:
            raise StrategyFailed(f"the strategy '{self._ranker.name}' failed: {error!r}") from error

    def _checked(self, ranking: Ranking, wanted: int) -> Ranking:
        """A ranking of so many links, with priorities that are rounded where there are many."""
        step = self._ranker.step
        if not step:
            return ranking
        if any(len(column) not in (0, wanted) for column in ranking[:4]) or not ranking.priorities:
            raise StrategyFailed(
                f"the strategy '{self._ranker.name}' should return a priority for each of "
                f"{wanted} links, and with columns of that length or none."
            )
        if any(map(isnan, ranking.priorities)):
            raise StrategyFailed(
                f"the strategy '{self._ranker.name}' returned a priority that is not a number."
            )
        return ranking._replace(
            priorities=[round(priority / step) * step for priority in ranking.priorities]
        )


def _rows_of(offer: Offer, ranking: Ranking) -> Iterator[_Row]:
    return zip(
        offer.states, offer.hosts, offer.facts, ranking.priorities,
        ranking.discards or repeat(""), ranking.reasons or repeat(""),
        ranking.evidence or repeat(""), strict=False,
    )  # fmt: skip


def _or_endless(limit: int | None) -> float:
    return inf if limit is None else limit
