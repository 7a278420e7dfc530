"""The crawl loop: the one place where visits, verdicts and the ranker meet.

It runs on any web, any frontier and any ranker, and knows no file, no log and no
terminal: sinks take its steps. The order in which it takes pages is fixed by the rules in
docs/architecture.md, so that two implementations agree to the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from math import inf, isnan
from typing import Final, TypeVar

from langcrawl.errors import LangcrawlError, StrategyFailed
from langcrawl.politeness import Politeness
from langcrawl.ports import (
    Download,
    Frontier,
    Offer,
    QueueState,
    Ranker,
    RankFacts,
    Ranking,
    Scope,
    Sink,
    Web,
)
from langcrawl.records import (
    NO_LINKS,
    OVER_BUDGET,
    Asked,
    Counts,
    Facts,
    Finished,
    Later,
    Limits,
    Links,
    Outcome,
    Page,
    Refused,
    Sitemap,
    Step,
    Tally,
    Verdict,
    Visit,
)
from langcrawl.scope.sitemaps import SitemapBudget
from langcrawl.url import domain_of, host_of, path_slashes

T = TypeVar("T")
_Row = tuple[QueueState, str, Facts, float, str, str, str]
"""A URL as it stands, its host, the facts of a link to it; its priority, the reason to discard it
where there is one, and a ranker's own words and evidence."""
_make = tuple.__new__
"""Makes a record of its values in a third of the time of its name: links come by the million."""
_DOMAIN_FULL: Final = "max-pages-per-domain"
_GATHERED: Final = 9
"""Where the facts begin that gather while a URL waits."""


class Crawl:
    """One crawl: what it has seen so far, and the loop that continues it."""

    def __init__(
        self,
        web: Web,
        frontier: Frontier,
        ranker: Ranker,
        *,
        politeness: Politeness | None = None,
        scope: Scope | None = None,
        bridge: str = "en",
        limits: Limits | None = None,
        connections: int = 1,
        retries: int = 0,
        max_redirects: float = inf,
        nofollow: bool = False,
        sinks: Sequence[Sink] = (),
        stop: Callable[[], bool] = lambda: False,
        survives: Callable[[Visit, Exception], bool] = lambda visit, error: False,
    ) -> None:
        """`survives` is told of an error about the result of one visit, and says whether the
        crawl goes on without that result."""
        self.web, self.frontier, self.ranker, self.sinks = web, frontier, ranker, sinks
        self.politeness = politeness or Politeness()
        self.limits = limits or Limits()
        self.connections = connections
        self.counts = Counts()
        self.hosts: dict[str, Tally] = {}
        self.groups: dict[str, Tally] = {} if ranker.grouped else self.hosts
        self.archived: dict[str, int] = {}
        """Bytes of archive files with answers to robots.txt, since this was last cleared."""
        self.changed_groups: set[str] = set()
        """Groups other than hosts whose tallies have changed since this was last cleared."""
        self._scope, self._retries, self._nofollow = scope, retries, nofollow
        self._max_depth = _or_endless(self.limits.max_depth)
        self._max_per_host = _or_endless(self.limits.max_pages_per_host)
        self._max_per_domain = _or_endless(self.limits.max_pages_per_domain)
        self._domain_pages: Counter[str] = Counter()
        self._sitemaps = SitemapBudget(self.limits, self.counts)
        self._bridge = bridge.split("-")[0]
        self._stop, self._survives = stop, survives
        self._new = Tally()
        self._new.state = self._asked(ranker.state_of, self._new)
        self._under_way: dict[str, Visit] = {}
        self._max_redirects = max_redirects

    def restore(
        self,
        counts: Counts,
        hosts: Mapping[str, Tally],
        groups: Mapping[str, Tally],
    ) -> None:
        """Resume from the state of an earlier run: its counts, its tallies of hosts and groups."""
        self.counts = self._sitemaps.counts = counts
        if self._max_per_domain < inf:
            for host, tally in hosts.items():
                self._domain_pages[domain_of(host)] += tally.downloads
        for known, saved in ((self.hosts, hosts), (self.groups, groups)):
            for name, tally in saved.items():
                tally.state = self._asked(self.ranker.state_of, tally)
                known[name] = tally

    def run(self, seeds: Iterable[str]) -> Outcome:
        """Crawl from the seeds until nothing is left, a limit is reached or we are stopped."""
        self.seed(seeds)
        counts, clock = self.counts, self.web.clock
        counts.max_queue = max(counts.max_queue, len(self.frontier))
        began, before = clock.now(), counts.spent
        while not (stopped := self._over(clock.now() - began)):
            self._begin()
            if self._under_way:
                for finished in self.web.next_done(self._look_again_at()):
                    self._take(finished)
            elif len(self.frontier):
                clock.sleep_until(self.politeness.next_ready())
            else:
                stopped = "queue-empty"
                break
            counts.spent = before + clock.now() - began
        self._give_up()
        return Outcome(counts, len(self.frontier), stopped)

    def seed(self, seeds: Iterable[str]) -> None:
        """Offer the seeds as if a relevant page on another host linked to them."""
        origin = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)
        self._offer(Links(tuple(dict.fromkeys(seeds))), origin, "", "seed")

    def recall(self, visit: Visit, page: Page, verdict: Verdict) -> None:
        """Count a page that an earlier process has downloaded; its URL was claimed before."""
        self.politeness.begin(visit.host)
        self.politeness.end(visit.host, self.web.clock.now(), ip=page.ip)
        self.frontier.finish(visit.url)
        self._count(visit, page, verdict)

    @property
    def under_way(self) -> int:
        """How many visits have begun and not been answered."""
        return len(self._under_way)

    def _give_up(self) -> None:
        """Leave what is under way for the next run; its hosts have been asked and rest."""
        for visit in self._under_way.values():
            self.frontier.put_back(visit)
            self.politeness.end(visit.host, self.web.clock.now())
        self._under_way.clear()
        self.frontier.commit()

    def _over(self, elapsed: float) -> str:
        """The limit that is reached, if one is."""
        limits = self.limits
        if self._stop():
            return "interrupted"
        if limits.max_pages is not None and self.counts.pages >= limits.max_pages:
            return "max-pages"
        if limits.max_bytes is not None and self.counts.bytes >= limits.max_bytes:
            return "max-bytes"
        if limits.max_requests is not None and self.counts.requests >= limits.max_requests:
            return "max-requests"
        if limits.max_time is not None and elapsed >= limits.max_time:
            return "max-time"
        return ""

    def _room(self) -> int:
        """How many more visits may begin now."""
        limits, counts, under_way = self.limits, self.counts, len(self._under_way)
        room = self.connections - under_way
        if limits.max_pages is not None:
            room = min(room, limits.max_pages - counts.pages - under_way)
        if limits.max_requests is not None:
            room = min(room, limits.max_requests - counts.requests - under_way)
        return room

    def _look_again_at(self) -> float:
        """When to stop waiting for answers, because another visit could begin."""
        return self.politeness.next_ready() if self._room() > 0 else inf

    def _begin(self) -> None:
        """Begin as many visits as there is room for.

        One connection keeps the exact order: it waits for the head of the queue. Several
        take the best URL among the hosts that are ready.
        """
        self.frontier.wake(self.politeness.rested(self.web.clock.now()))
        visits: list[Visit] = []
        room = self._room()
        while len(visits) < room:
            visit = self.frontier.take(self.politeness.is_ready, overtake=self.connections > 1)
            if visit is None:
                break
            if self._max_per_domain < inf and self._domain_is_full(visit.host):
                self._leave_out(visit, _DOMAIN_FULL)
                continue
            self.politeness.begin(visit.host)
            self._under_way[visit.url] = visit
            visits.append(visit)
        self.frontier.commit()
        if visits:
            self.web.begin(visits)

    def _take(self, finished: Finished) -> None:
        """Take the answer to a visit; what goes wrong with it costs that answer at most."""
        try:
            self._finish(finished)
        except Exception as error:
            if not self._survives(finished.visit, error):
                raise
            self.counts.errors["internal"] += 1

    def _finish(self, finished: Finished) -> None:
        """Take the answer to a visit: count it, let it wait for its next turn, or drop it.

        The clocks are set and the URL is settled before anything looks at what came back, so
        that an error about that leaves both in order.
        """
        visit, answer, verdict, asked = finished
        del self._under_way[visit.url]
        failed = isinstance(answer, Later) and answer.instead is not None
        trouble = failed or (isinstance(answer, Page) and OVER_BUDGET in answer.notes)
        ended = asked.at + asked.elapsed
        self.politeness.end(visit.host, ended, asked.delay, asked.wait, asked.ip, trouble=trouble)
        self._count_request(asked)
        if isinstance(answer, Later):
            if self._waits_again(visit, answer, failed):
                return
            assert answer.instead is not None
            answer = answer.instead
        self.frontier.finish(visit.url)
        if isinstance(answer, Page):
            self._count(visit, answer, verdict)
        elif isinstance(answer, Refused):
            self.counts.discards[answer.reason] += 1
        else:
            self.counts.notes["sitemap"] += 1
            self._offer_sitemap(visit, answer)

    def _count_request(self, asked: Asked) -> None:
        """Count what was asked for, page or not: a turn of a visit is one request at most."""
        self.counts.requests += asked.at > 0
        self.counts.bytes += asked.bytes
        if asked.warc_file:
            self.archived[asked.warc_file] = asked.warc_bytes

    def _offer_sitemap(self, visit: Visit, found: Sitemap) -> None:
        """Offer what a sitemap lists, as far as it may speak for it."""
        urls, discards = self._sitemaps.read(visit, found)
        self.counts.discards.update(discards)
        found_by, hops = ("sitemap", 1) if found.is_index else ("link", 0)
        self._offer(Links(urls), visit.facts, visit.parent, found_by, hops=hops)

    def _leave_out(self, visit: Visit, reason: str) -> None:
        """Forget a URL that was taken, and say why."""
        self.frontier.put_back(visit)
        self.frontier.drop(visit.url)
        self.counts.discards[reason] += 1

    def _domain_is_full(self, host: str) -> bool:
        return self._domain_pages[domain_of(host)] >= self._max_per_domain

    def _waits_again(self, visit: Visit, answer: Later, failed: bool) -> bool:
        """Let a visit wait for its host's next turn, unless it has failed too often."""
        if failed:
            visit = visit._replace(tries=visit.tries + 1)
            if self.politeness.is_dead(visit.host):
                self._drop_host(visit.host)
                return False
            if visit.tries > self._retries:
                return False
        self.frontier.put_back(visit)
        if answer.elsewhere:
            self.politeness.bind(visit.host, host_of(answer.elsewhere))
        if answer.sitemaps:
            self._sitemaps.name(visit.host, answer.sitemaps)
            self._offer(Links(answer.sitemaps), visit.facts, visit.parent, "sitemap")
        return True

    def _drop_host(self, host: str) -> None:
        """A host that never answers: forget what waits for it."""
        for waiting in self.frontier.of_host(host):
            self.frontier.drop(waiting.url)
            self.counts.discards["dead-host"] += 1

    def _count(self, visit: Visit, page: Page, verdict: Verdict) -> None:
        """Count a download; then rank groups again that it changed; then offer its links."""
        counts = self.counts
        counts.bytes += page.bytes
        if page.status >= 400 or not page.status:
            counts.errors[page.error or str(page.status)] += 1
        if page.notes:
            counts.notes.update(page.notes)
        tally = self.hosts.get(visit.host)
        if tally is None:
            tally = self.hosts[visit.host] = Tally(state=self._new.state)
        tally.count(verdict.relevant)
        if self._max_per_domain < inf:
            self._domain_pages[domain_of(visit.host)] += 1
        download = None
        if self.ranker.watches:
            download = self._download(visit, page, verdict, tally)
            for group in self._asked(self.ranker.saw, download):
                self._rank_again(group)
        if page.redirect:
            self._follow(visit, page.redirect)
        elif page.links:
            self._offer_links(visit, page, verdict, download)
        counts.max_queue = max(counts.max_queue, len(self.frontier))
        if self._scope is not None:
            self._scope.saw(page)
        counts.pages += 1  # not before, so that an error up to here leaves log and counts equal
        counts.relevant += verdict.relevant
        step = Step(counts.pages, visit, page, verdict, len(self.frontier))
        for sink in self.sinks:
            sink.take(step)

    def _download(self, visit: Visit, page: Page, verdict: Verdict, tally: Tally) -> Download:
        """What a ranker is told of a page, which is counted for its group where that is no host."""
        group = visit.host
        if self.ranker.grouped:
            group = self.ranker.group_of(visit.url, visit.host)
            tally = self.groups.setdefault(group, Tally())
            tally.count(verdict.relevant)
            self.changed_groups.add(group)
        return Download(visit, page, verdict, group, tally)

    def _follow(self, visit: Visit, target: str) -> None:
        """Offer where a redirect leads, unless it is one too many in a row."""
        hops = 1 + (visit.hops if visit.found_by == "redirect" else 0)
        if hops > self._max_redirects:
            self.counts.discards["redirects"] += 1
            return
        self._offer(Links((target,)), visit.facts, visit.parent, "redirect", hops=hops)

    def _offer_links(
        self, visit: Visit, page: Page, verdict: Verdict, download: Download | None
    ) -> None:
        """Offer the links of a page."""
        relevant = int(verdict.relevant)
        bridge = int(verdict.language.split("-")[0] == self._bridge)
        run, links = 0 if relevant else visit.facts.run + 1, page.links
        if self._nofollow and links.nofollow:
            followed = [at for at in range(len(links)) if at not in links.nofollow]
            self.counts.discards["nofollow"] += len(links) - len(followed)
            links = links.at(followed)
        share = 0.0
        if self.ranker.gathers:
            links = links.distinct()
            share = verdict.score / max(1, len(links) + page.links_left_out)
        origin = Facts(
            run, visit.facts.depth + 1, relevant, bridge, verdict.score, 0, 0, 0, 0, 0.0, share
        )
        self._offer(links, origin, visit.url, download=download, scored=True)

    def _offer(
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
        ranker = self.ranker
        if ranker.reads_links or ranker.gathers:
            links = links.distinct()
            states = self.frontier.lookup(links.urls)
        else:
            states = self.frontier.lookup(dict.fromkeys(links.urls))
        if states and origin.depth > self._max_depth:
            self.counts.discards["max-depth"] += len(states)
            return
        if self._max_per_host < inf:
            states = self._with_room(states)
        if self._max_per_domain < inf:
            states = self._with_domain_room(states)
        if not states:
            return
        if ranker.rank_facts is not None and not ranker.gathers:
            rows = self._by_rule(states, origin, parent, ranker.rank_facts)
        else:
            hosts = [host_of(state[0]) for state in states]
            facts = self._facts(states, hosts, origin, parent, links if scored else NO_LINKS)
            offer = Offer(NO_LINKS, states, hosts, facts, found_by, parent, download)
            rows = self._by_ranker(offer, links)
        self._queue(rows, parent, found_by, hops)

    def _by_rule(
        self, states: Sequence[QueueState], origin: Facts, parent: str, rank: RankFacts
    ) -> Iterator[_Row]:
        """What a rule says of each URL: links to hosts that are alike are ranked once."""
        parent_host = host_of(parent) if parent else ""
        first, last = origin[:5], origin[_GATHERED:]
        known: dict[str | tuple[int, ...], tuple[Facts, float, str]] = {}
        tallies, new = self.hosts, self._new
        for state in states:
            host = state[0].split("/", 3)[2]  # host_of, without a call
            answer = known.get(host)
            if answer is None:
                tally = tallies.get(host, new)
                same = 1 if host == parent_host else 0
                about = (same, tally.downloads, tally.hits, tally.state)
                answer = known.get(about)
                if answer is None:
                    facts = _make(Facts, (*first, *about, *last))
                    answer = known[about] = (facts, *rank(facts))
                known[host] = answer
            facts, priority, refusal = answer
            yield state, host, facts, priority, refusal, "", ""

    def _by_ranker(self, offer: Offer, links: Links) -> Iterator[_Row]:
        """What a ranker says of each URL when it is shown all of them."""
        ranker, states = self.ranker, offer.states
        if ranker.reads_links:
            offer.links = links
            if len(states) < len(links):
                places = {url: at for at, url in enumerate(links.urls)}
                offer.links = links.at([places[state[0]] for state in states])
        if ranker.keeps_evidence:
            offer.evidence = self.frontier.evidence(offer.urls)
        ranking = self._checked(self._asked(ranker.rank, offer), len(states))
        return zip(
            states, offer.hosts, offer.facts, ranking.priorities,
            ranking.discards or repeat(""), ranking.reasons or repeat(""),
            ranking.evidence or repeat(""), strict=False,
        )  # fmt: skip

    def _with_room(self, states: Sequence[QueueState]) -> list[QueueState]:
        """Without the URLs of hosts that have had as many downloads as they may."""
        full, none = self._max_per_host, self._new
        kept = [
            state for state in states if self.hosts.get(host_of(state[0]), none).downloads < full
        ]
        if len(kept) < len(states):
            self.counts.discards["max-pages-per-host"] += len(states) - len(kept)
        return kept

    def _with_domain_room(self, states: Sequence[QueueState]) -> list[QueueState]:
        """The same for registered domains."""
        kept = [state for state in states if not self._domain_is_full(host_of(state[0]))]
        if len(kept) < len(states):
            self.counts.discards[_DOMAIN_FULL] += len(states) - len(kept)
        return kept

    def _facts(
        self,
        states: Sequence[QueueState],
        hosts: Sequence[str],
        origin: Facts,
        parent: str,
        links: Links,
    ) -> list[Facts]:
        """The facts of links to these URLs; links to hosts that are alike share theirs."""
        parent_host = host_of(parent) if parent else ""
        first, last = origin[:5], origin[_GATHERED:]
        known: dict[str | tuple[int, ...], Facts] = {}
        found = []
        for host in hosts:
            facts = known.get(host)
            if facts is None:
                tally = self.hosts.get(host, self._new)
                same = 1 if host == parent_host else 0
                about = (same, tally.downloads, tally.hits, tally.state)
                facts = known.get(about)
                if facts is None:
                    facts = known[about] = _make(Facts, (*first, *about, *last))
                known[host] = facts
            found.append(facts)
        if not self.ranker.gathers:
            return found
        scores = dict(zip(links.urls, links.anchor_scores or repeat(0.0), strict=False))
        return [
            _gathered(facts, state, scores.get(state[0], origin.anchor_score))
            for facts, state in zip(found, states, strict=True)
        ]

    def _queue(self, rows: Iterable[_Row], parent: str, found_by: str, hops: int) -> None:
        """Queue, move or update URLs as the ranker says, or count why not."""
        put, gathers = self.frontier.put, self.ranker.gathers
        scope = None if found_by == "seed" else self._scope  # who names a seed wants it
        for state, host, facts, priority, refusal, reason, evidence in rows:
            url, before, run, depth, _, _ = state
            if not refusal and before == inf and scope is not None:
                refusal = scope.refuses(url, host)
            if not refusal and found_by == "sitemap" and before == inf:
                refusal = self._sitemaps.refuses(host)
            if refusal:
                self.counts.discards[refusal] += 1
            elif priority < before:
                if run < facts.run or depth < facts.depth:
                    path = (min(run, facts.run), min(depth, facts.depth))
                    facts = _make(Facts, (*path, *facts[2:]))
                more = (parent, found_by, hops, 0, reason, evidence)
                put(_make(Visit, (url, host, facts, priority, *more)))
            elif facts.run < run or facts.depth < depth or gathers or evidence:
                path = (min(run, facts.run), min(depth, facts.depth))
                gathered = (facts.anchor_score, facts.parent_share)
                self.frontier.revise(QueueState(url, before, *path, *gathered), evidence or None)

    def _rank_again(self, group: str) -> None:
        """A group is seen otherwise than before: rank its waiting URLs anew, in their order."""
        waiting = self.frontier.of_group(group)
        if not waiting:
            return
        rank = self.ranker.rank_facts
        if rank is not None:
            self._rank_again_by_rule(group, waiting, rank)
            return
        ranking = self._checked(self._asked(self.ranker.rank_again, group, waiting), len(waiting))
        rows = zip(
            waiting, ranking.priorities, ranking.discards or repeat(""),
            ranking.reasons or repeat(None), ranking.evidence or repeat(None), strict=False,
        )  # fmt: skip
        for visit, priority, refusal, reason, evidence in rows:
            if refusal:
                self.counts.discards[refusal] += 1
                self.frontier.drop(visit.url)
            else:
                reason = visit.reason if reason is None else reason
                evidence = visit.evidence if evidence is None else evidence
                more = (*visit[4:8], reason, evidence)
                self.frontier.put(_make(Visit, (*visit[:3], priority, *more)))

    def _rank_again_by_rule(self, host: str, waiting: Sequence[Visit], rank: RankFacts) -> None:
        """The same by a rule: URLs of a host whose facts are the same are ranked once."""
        tally, put = self.hosts.get(host, self._new), self.frontier.put
        about = (tally.downloads, tally.hits, tally.state)
        known: dict[Facts, tuple[Facts, float, str]] = {}
        for visit in waiting:
            old = visit[2]
            answer = known.get(old)
            if answer is None:
                facts = _make(Facts, (*old[:6], *about, *old[_GATHERED:]))
                answer = known[old] = (facts, *rank(facts))
            facts, priority, refusal = answer
            if refusal:
                self.counts.discards[refusal] += 1
                self.frontier.drop(visit[0])
            else:
                put(_make(Visit, (*visit[:2], facts, priority, *visit[4:])))

    def _asked(self, question: Callable[..., T], *about: object) -> T:
        """What the ranker answers; whatever goes wrong in it is told as its failure."""
        try:
            return question(*about)
        except LangcrawlError:
            raise
        except Exception as error:
            raise StrategyFailed(f"the strategy '{self.ranker.name}' failed: {error!r}") from error

    def _checked(self, ranking: Ranking, wanted: int) -> Ranking:
        """A ranking of so many links, with priorities that are rounded where there are many."""
        step = self.ranker.step
        if not step:
            return ranking
        if any(len(column) not in (0, wanted) for column in ranking) or not ranking.priorities:
            raise StrategyFailed(
                f"the strategy '{self.ranker.name}' should return a priority for each of "
                f"{wanted} links, and with columns of that length or none."
            )
        if any(map(isnan, ranking.priorities)):
            raise StrategyFailed(
                f"the strategy '{self.ranker.name}' returned a priority that is not a number."
            )
        return ranking._replace(
            priorities=[round(priority / step) * step for priority in ranking.priorities]
        )


def _gathered(facts: Facts, state: QueueState, score: float | None) -> Facts:
    """What is known of a link to a URL, with what has gathered since the URL was queued.

    A redirect has no anchor: its target is offered with the score of the redirecting URL.
    """
    url, _, _, _, best, shares = state
    anchor, share = max(best, score or 0.0), shares + facts.parent_share
    return Facts(*facts[:_GATHERED], anchor, share, path_slashes(url))


def _or_endless(limit: int | None) -> float:
    return inf if limit is None else limit
