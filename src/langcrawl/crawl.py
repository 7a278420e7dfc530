"""The crawl loop: the one place where visits, verdicts and the ranker meet.

It runs on any web, any frontier and any ranker, and knows no file, no log and no
terminal: sinks take its steps. The order in which it takes pages is fixed by the rules in
docs/architecture.md, so that two implementations agree to the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import inf

from langcrawl.draws import Draws
from langcrawl.offers import DOMAIN_FULL, Offers
from langcrawl.outage import Silence, is_silence
from langcrawl.politeness import Politeness
from langcrawl.ports import Download, Frontier, Peers, Ranker, Scope, Sink, Tell, Web, tell_nobody
from langcrawl.records import (
    OVER_BUDGET,
    UNREACHABLE,
    Counts,
    Facts,
    Finished,
    Found,
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
from langcrawl.scope.review import Review
from langcrawl.url import domain_of, host_of

_make = tuple.__new__
"""Makes a record of all its values in less time than its name does."""


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
        failures_are_pages: bool = True,
        max_outage: float | None = None,
        tell: Tell = tell_nobody,
        draws: Draws | None = None,
        peers: Peers | None = None,
    ) -> None:
        """`survives` is told of an error about the result of one visit, and says whether the
        crawl goes on without that result. Where nobody answers, that is a page in the papers and
        in a log, but not on the live web. An outage ends the crawl after `max_outage` seconds."""
        self.web, self.frontier, self.ranker, self.sinks = web, frontier, ranker, sinks
        self.politeness = politeness or Politeness()
        self.limits = limits or Limits()
        self.connections = connections
        self.paused = False
        """While it is, nothing new is asked for; what is under way is taken in."""
        self.counts = Counts()
        self._offers = Offers(frontier, ranker, scope, self.limits, self.counts, peers)
        self.hosts, self.groups = self._offers.hosts, self._offers.groups
        self.archived: dict[str, int] = {}
        """Bytes of archive files with answers to robots.txt, since this was last cleared."""
        self.changed_groups: set[str] = set()
        """Groups other than hosts whose tallies have changed since this was last cleared."""
        self._scope, self._retries, self._nofollow = scope, retries, nofollow
        self._bridges = frozenset(tag.split("-")[0] for tag in bridge.split(","))
        self._stop, self._survives = stop, survives
        self._under_way: dict[str, Visit] = {}
        self._unwanted: dict[str, str] = {}
        """Why visits under way are not to wait again, should they need another turn."""
        self._max_redirects = max_redirects
        self._failures_are_pages, self._max_outage = failures_are_pages, max_outage or inf
        self._tell, self._draws, self._peers = tell, draws, peers
        self._silence = Silence(frontier, self.politeness, web.clock, retries, tell)

    def restore(
        self,
        counts: Counts,
        hosts: Mapping[str, Tally],
        groups: Mapping[str, Tally],
    ) -> None:
        """Resume from the state of an earlier run: its counts, its tallies of hosts and groups."""
        self.counts = self._offers.counts = self._offers.sitemaps.counts = counts
        if self._offers.limits_domains:
            for host, tally in hosts.items():
                self._offers.domain_pages[domain_of(host)] += tally.downloads
        for known, saved in ((self.hosts, hosts), (self.groups, groups)):
            for name, tally in saved.items():
                if tally.downloads and known is self.hosts:
                    self.politeness.prove(name)
                tally.state = self._offers.asked(self.ranker.state_of, tally)
                known[name] = tally

    def run(self, seeds: Iterable[str]) -> Outcome:
        """Crawl from the seeds until nothing is left, a limit is reached or we are stopped."""
        self.seed(seeds)
        counts, clock = self.counts, self.web.clock
        counts.max_queue = max(counts.max_queue, len(self.frontier))
        began, before = clock.now(), counts.spent
        elapsed = 0.0
        while not (stopped := self._over(elapsed)):
            room = self._begin()
            if self._under_way:
                if self._peers is not None:
                    self._peers.meanwhile()
                # for an answer, or until another visit could begin
                self._take(self.web.next_done(self.politeness.next_ready() if room > 0 else inf))
            elif self.paused:
                paused_at = clock.now()
                clock.sleep_until(inf)
                began += clock.now() - paused_at
            elif why := self._nothing_to_do():
                if self._peers is None:
                    stopped = why
                    break
                self._peers.rest(why)
            else:
                clock.sleep_until(max(self.politeness.next_ready(), self._silence.next_try))
            elapsed = clock.now() - began
            counts.spent = before + elapsed
        self._take(self.web.stop())
        self._give_up()
        return Outcome(counts, len(self.frontier), stopped)

    def _nothing_to_do(self) -> str:
        """Why nothing can begin, now or later, if that is so."""
        if not len(self.frontier):
            return "queue-empty"
        if self._silence.is_all_that_is_left():
            return "no-answer"
        full = self._peers is not None and self._peers.room(self.counts.pages) < 1
        return "full" if full else ""

    def offer(self, found: Found) -> None:
        """Offer links that another shard has found."""
        links, origin, parent, found_by, scored, hops = found
        self._offers.offer(links, origin, parent, found_by, scored=scored, hops=hops)

    def seed(self, seeds: Iterable[str]) -> None:
        """Offer the seeds as if a relevant page on another host linked to them."""
        origin = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)
        self._offers.offer(Links(tuple(dict.fromkeys(seeds))), origin, "", "seed")

    def limit(self, limits: Limits) -> None:
        """Go on within other limits; `review` holds them against what waits."""
        self.limits = limits
        self._offers.limit(limits)

    def review(self, seeds: Collection[str]) -> Counter[str]:
        """Drop the waiting URLs that the scope and the limits of this run rule out, by reason."""
        none = self._offers.new
        judge = Review(
            self._scope, self.limits, seeds, lambda host: self.hosts.get(host, none).downloads
        )
        found = [
            (url, reason)
            for url, _, _, depth, _, _ in self.frontier.waiting()
            if (reason := judge.reason(url, depth))
        ]
        for url, _ in found:
            self.frontier.drop(url)
        dropped = Counter(reason for _, reason in found)
        self.counts.discards.update(dropped)
        self._unwanted = {
            url: reason
            for url, visit in self._under_way.items()
            if (reason := judge.reason(url, visit.facts.depth))
        }
        return dropped

    def recall(self, visit: Visit, page: Page, verdict: Verdict) -> None:
        """Count a page that an earlier process has downloaded; its URL was claimed before."""
        self.politeness.begin(visit.host)
        self.politeness.end(visit.host, self.web.clock.now(), ip=page.ip)
        self.frontier.finish(visit.url)
        self.counts.requests += 1
        self._count(visit, page, verdict)

    @property
    def under_way(self) -> int:
        """How many visits have begun and not been answered."""
        return len(self._under_way)

    @property
    def next_try(self) -> float:
        """When somebody is asked whether an outage is over; 0 where there is none."""
        return self._silence.next_try

    @property
    def visits(self) -> Collection[Visit]:
        """The visits that are under way."""
        return self._under_way.values()

    def _give_up(self) -> None:
        """Leave what is under way for the next run; its hosts have been asked and rest."""
        for visit in self._under_way.values():
            self._put_back(visit)
            self.politeness.end(visit.host, self.web.clock.now())
        self._under_way.clear()
        self.frontier.commit()

    def _over(self, elapsed: float) -> str:
        """Why the crawl ends now, if it does."""
        if self._stop():
            return "interrupted"
        if reached := self.limits.reached(self.counts, elapsed):
            return reached
        silence = self._silence
        too_long = silence.is_outage and not self.paused and silence.lasts() >= self._max_outage
        return "outage" if too_long else ""

    def _room(self) -> int:
        """How many more visits may begin now."""
        if self.paused:
            return 0
        under_way = len(self._under_way)
        room = self.limits.room(self.counts, under_way, self.connections)
        if self._peers is not None:
            room = int(min(room, self._peers.room(self.counts.pages + under_way)))
        if self._silence.is_outage:
            room = min(room, (self.web.clock.now() >= self._silence.next_try) - under_way)
        return room

    def _begin(self) -> int:
        """Begin as many visits as there is room for; how many more there would have been room for.

        One connection keeps the exact order: it waits for the head of the queue. Several
        take the best URL among the hosts that are ready.
        """
        now = self.web.clock.now()
        if rested := self.politeness.rested(now):
            self.frontier.wake(rested)
        visits: list[Visit] = []
        room, ready, overtake = self._room(), self.politeness.is_ready, self.connections > 1
        while len(visits) < room:
            visit = self._drawn() if self._draws is not None else None
            if visit is None:
                visit = self.frontier.take(ready, overtake, self._offers.reconsider)
            if visit is None:
                break
            if self._offers.limits_domains and self._offers.domain_is_full(visit.host):
                self._leave_out(visit, DOMAIN_FULL)
                continue
            self.politeness.begin(visit.host)
            self._under_way[visit.url] = visit
            visits.append(visit)
        self.frontier.commit()
        if visits:
            self.web.begin(visits)
        return room - len(visits)

    def _drawn(self) -> Visit | None:
        """The visit that is to begin next where one drawn by chance has its turn."""
        assert self._draws is not None
        number = self.counts.pages + len(self._under_way)
        return self._draws.take(self.frontier, number, self.politeness.is_ready)

    def _take(self, done: Sequence[Finished]) -> None:
        """Take the answers to visits; what goes wrong with one costs that answer at most."""
        for finished in done:
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
        at, elapsed, ip, delay, wait, size, file, end = asked
        del self._under_way[visit.url]
        failed = silent = trouble = False
        if isinstance(answer, Page):
            silent, trouble = not answer.status, OVER_BUDGET in answer.notes
        elif isinstance(answer, Later):
            failed = trouble = answer.instead is not None
            silent = is_silence(answer)
        if silent:
            trouble = trouble and not self._silence.is_outage
        self.politeness.end(visit.host, at + elapsed, delay, wait, ip, trouble, silent)
        if at:  # a turn of a visit is one request at most
            if not silent:
                self._silence.broken_by(visit.host)
            self.counts.requests += 1
            self.counts.bytes += size
        if file:
            self.archived[file] = end
        if isinstance(answer, Later):
            if answer.silence:
                self._put_back(visit)
                self.counts.silences[answer.silence] += 1
                self._silence.of(visit.host, answer.silence, visit.host in self.hosts)
                return
            if self._waits_again(visit, answer, failed):
                return
            assert answer.instead is not None
            answer = answer.instead
        if answer == UNREACHABLE:  # the host may let us in another time
            self._leave_out(visit, answer.reason)
            return
        self.frontier.finish(visit.url)
        if isinstance(answer, Page):
            if self._draws is not None:
                visit = self._draws.marked(visit)
            self._count(visit, answer, verdict)
        elif isinstance(answer, Refused):
            self.counts.discards[answer.reason] += 1
        else:
            self.counts.notes["sitemap"] += 1
            self._offer_sitemap(visit, answer)

    def _offer_sitemap(self, visit: Visit, found: Sitemap) -> None:
        """Offer what a sitemap lists, as far as it may speak for it."""
        urls, discards = self._offers.sitemaps.read(visit, found)
        self.counts.discards.update(discards)
        found_by, hops = ("sitemap", 1) if found.is_index else ("link", 0)
        self._offers.offer(Links(urls), visit.facts, visit.parent, found_by, hops=hops)

    def _put_back(self, visit: Visit) -> None:
        """Let a visit wait again, unless the user has ruled it out meanwhile."""
        if reason := self._unwanted.pop(visit.url, ""):
            self._leave_out(visit, reason)
        else:
            self.frontier.put_back(visit)

    def _leave_out(self, visit: Visit, reason: str) -> None:
        """Forget a URL that was taken, and say why."""
        self.frontier.put_back(visit)
        self.frontier.drop(visit.url)
        self.counts.discards[reason] += 1

    def _waits_again(self, visit: Visit, answer: Later, failed: bool) -> bool:
        """Let a visit wait for its host's next turn, unless it has failed too often."""
        if failed:
            visit = visit._replace(tries=visit.tries + 1)
            if self.politeness.is_dead(visit.host):
                self._drop_host(visit.host)
                return False
            if visit.tries > self._retries:
                return False
        self._put_back(visit)
        if answer.elsewhere:
            self.politeness.bind(visit.host, host_of(answer.elsewhere))
        if answer.sitemaps:
            self._offers.sitemaps.name(visit.host, answer.sitemaps)
            self._offers.offer(Links(answer.sitemaps), visit.facts, visit.parent, "sitemap")
        return True

    def _drop_host(self, host: str) -> None:
        """A host that only asks to be left alone: forget what waits for it."""
        self._tell("host-given-up", f"{host} is given up: it always asks to wait.", host=host)
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
        if not page.status and not self._failures_are_pages:
            counts.failures += 1
            self._pass_on(visit, page, verdict, len(self.frontier))
            return
        tally = self.hosts.get(visit.host)
        if tally is None:
            tally = self.hosts[visit.host] = Tally(state=self._offers.new.state)
        tally.count(verdict.relevant)
        if self._offers.limits_domains:
            self._offers.domain_pages[domain_of(visit.host)] += 1
        download = None
        if self.ranker.watches:
            group = visit.host
            if self.ranker.grouped:
                group, tally = self._group_of(visit, relevant=verdict.relevant)
            download = _make(Download, (visit, page, verdict, group, tally))
            self._offers.rank_again(self._offers.asked(self.ranker.saw, download))
        if page.redirect:
            self.follow(visit, page.redirect)
        elif page.links.urls:
            self.offer_links(visit, page, verdict, download)
        if (waiting := len(self.frontier)) > counts.max_queue:
            counts.max_queue = waiting
        if self._scope is not None:
            self._scope.saw(page)
        counts.pages += 1  # not before, so that an error up to here leaves log and counts equal
        counts.relevant += verdict.relevant
        counts.answers[kind_of(page)] += 1
        self._pass_on(visit, page, verdict, waiting)

    def _pass_on(self, visit: Visit, page: Page, verdict: Verdict, waiting: int) -> None:
        step = _make(Step, (self.counts.pages, visit, page, verdict, waiting))
        for sink in self.sinks:
            sink.take(step)

    def _group_of(self, visit: Visit, *, relevant: bool) -> tuple[str, Tally]:
        """The group of a page other than its host, for which the page is counted too."""
        group = self.ranker.group_of(visit.url, visit.host)
        tally = self.groups.setdefault(group, Tally())
        tally.count(relevant)
        self.changed_groups.add(group)
        return group, tally

    def follow(self, visit: Visit, target: str) -> None:
        """Offer where a redirect leads, unless it is one too many in a row."""
        hops = 1 + (visit.hops if visit.found_by == "redirect" else 0)
        if hops > self._max_redirects:
            self.counts.discards["redirects"] += 1
            return
        self._offers.offer(Links((target,)), visit.facts, visit.parent, "redirect", hops=hops)

    def offer_links(
        self, visit: Visit, page: Page, verdict: Verdict, download: Download | None = None
    ) -> None:
        """Offer the links of a page."""
        relevant = int(verdict.relevant)
        bridge = int(verdict.language.split("-")[0] in self._bridges)
        run, links = 0 if relevant else visit.facts.run + 1, page.links
        if self._nofollow and links.nofollow:
            followed = [at for at in range(len(links)) if at not in links.nofollow]
            self.counts.discards["nofollow"] += len(links) - len(followed)
            links = links.at(followed)
        share = 0.0
        if self.ranker.gathers:
            links = links.distinct()
            share = verdict.score / max(1, len(links) + page.links_left_out)
        depth = visit.facts.depth + 1
        origin = _make(
            Facts, (run, depth, relevant, bridge, verdict.score, 0, 0, 0, 0, 0.0, share, 1)
        )
        self._offers.offer(links, origin, visit.url, download=download, scored=True)


def kind_of(page: Page) -> str:
    """What an answer is: ``text``, ``file``, ``redirect`` or ``error``."""
    if page.redirect:
        return "redirect"
    if page.status != 200:
        return "error"
    kind = page.content_type
    is_text = page.text_bytes or not kind or kind.startswith(("text/html", "text/plain"))
    return "text" if is_text or kind.startswith("application/xhtml") else "file"
