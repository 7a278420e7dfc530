"""The crawl loop: the one place where visits, verdicts and the strategy meet.

It runs on any web, any frontier and any strategy, and knows no file, no log and no
terminal: sinks take its steps. The order in which it takes pages is fixed by the rules in
docs/architecture.md, so that two implementations agree to the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import Final

from langcrawl.counts import Counts, Limits, Outcome, Tally
from langcrawl.errors import StrategyFailed
from langcrawl.politeness import Politeness
from langcrawl.ports import Frontier, Scope, Sink, Standing, Strategy, Web
from langcrawl.records import Facts, Finished, Link, Page, Step, Verdict, Visit
from langcrawl.url import host_of, path_slashes

_Ranked = tuple[Facts, float, str]
"""The facts of a link, its priority, and the reason to discard it where there is one."""


_AboutHost = tuple[int, int, int, int]
"""The facts `same_host`, `host_downloads`, `host_hits` and `group_state`."""

_GATHERED: Final = 9
"""Where the facts begin that gather while a URL waits."""


class Crawl:
    """One crawl: what it has seen so far, and the loop that goes on from there."""

    def __init__(
        self,
        web: Web,
        frontier: Frontier,
        strategy: Strategy,
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
    ) -> None:
        self.web, self.frontier, self.strategy, self.sinks = web, frontier, strategy, sinks
        self.politeness = politeness or Politeness()
        self.limits = limits or Limits()
        self.connections = connections
        self.counts = Counts()
        self.hosts: dict[str, Tally] = {}
        self._scope, self._retries, self._nofollow = scope, retries, nofollow
        self._max_depth = _or_endless(self.limits.max_depth)
        self._max_per_host = _or_endless(self.limits.max_pages_per_host)
        self._bridge = bridge.split("-")[0]
        self._stop = stop
        self._sign = -1.0 if strategy.highest_first else 1.0
        self._reasons = {-float(k): reason for k, reason in enumerate(strategy.reasons, 1)}
        self._new_host = Tally(0, 0, self._state(0, 0))
        self._under_way: dict[str, Visit] = {}
        self._tries: dict[str, int] = {}
        self._max_redirects = max_redirects
        self._hops: dict[str, int] = {}  # of targets of redirects: how many in a row

    def restore(self, counts: Counts, hosts: Iterable[tuple[str, int, int]]) -> None:
        """Go on from where an earlier run stood: its counts, and (host, downloads, hits)."""
        self.counts = counts
        for host, downloads, hits in hosts:
            self.hosts[host] = Tally(downloads, hits, self._state(downloads, hits))

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
                    self._finish(finished)
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
        self._offer(dict.fromkeys(seeds), origin, parent="", via="seed")

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
        if limits.max_time is not None and elapsed >= limits.max_time:
            return "max-time"
        return ""

    def _room(self) -> int:
        """How many more visits may begin now."""
        room = self.connections - len(self._under_way)
        if self.limits.max_pages is not None:
            room = min(room, self.limits.max_pages - self.counts.pages - len(self._under_way))
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
        visits = []
        for _ in range(self._room()):
            visit = self.frontier.take(self.politeness.is_ready, overtake=self.connections > 1)
            if visit is None:
                break
            self.politeness.begin(visit.host)
            self._under_way[visit.url] = visit
            visits.append(visit)
        self.frontier.commit()
        if visits:
            self.web.begin(visits)

    def _finish(self, finished: Finished) -> None:
        visit, page, verdict = finished
        del self._under_way[visit.url]
        self.politeness.end(
            visit.host, page.fetched_at + page.elapsed, page.host_delay, page.wait, page.ip,
            trouble=_in_trouble(page),
        )  # fmt: skip
        if page.again and self._try_again(visit, page):
            return
        self.frontier.finish(visit.url)
        if page.refused:
            self.counts.discards[page.reason] += 1
            return
        if visit.via == "sitemap":
            self._read_sitemap(visit, page)
            return
        self._count(finished)
        if self._scope is not None:
            self._scope.saw(page)
        step = Step(self.counts.pages, visit, page, verdict, len(self.frontier))
        for sink in self.sinks:
            sink.take(step)

    def _try_again(self, visit: Visit, page: Page) -> bool:
        """Let a visit wait for its host's next turn, unless it has failed too often."""
        if _in_trouble(page):
            tries = self._tries.pop(visit.url, 0) + 1
            if self.politeness.is_dead(visit.host):
                self._drop_host(visit.host)
                return False
            if tries > self._retries:
                return False
            self._tries[visit.url] = tries
        self.frontier.put_back(visit)
        if page.links:  # the sitemaps that a robots.txt names
            self._offer(_urls(page), visit.facts, visit.parent, "sitemap")
        return True

    def _drop_host(self, host: str) -> None:
        """A host that never answers: forget what waits for it."""
        for waiting in self.frontier.of_host(host):
            self.frontier.drop(waiting.url)
            self.counts.discards["dead-host"] += 1

    def _read_sitemap(self, visit: Visit, page: Page) -> None:
        """A sitemap is no step of a path: what it lists has the facts of the sitemap itself."""
        self.counts.notes["sitemap"] += 1
        via = "sitemap" if "sitemap-index" in page.notes else "link"
        self._offer(_urls(page), visit.facts, visit.parent, via)

    def _count(self, finished: Finished) -> None:
        """Count a download; then promote or drop its host's URLs; then offer its links."""
        visit, page, verdict = finished
        counts = self.counts
        tally = self.hosts.get(visit.host)
        if tally is None:
            tally = self.hosts[visit.host] = Tally(0, 0, self._new_host.state)
        tally.downloads += 1
        tally.hits += verdict.relevant
        counts.pages += 1
        counts.relevant += verdict.relevant
        counts.bytes += page.bytes
        if page.status >= 400 or not page.status:
            counts.errors[page.reason or str(page.status)] += 1
        if page.notes:
            counts.notes.update(page.notes)
        state = self._state(tally.downloads, tally.hits)
        if state != tally.state:
            tally.state = state
            self._rank_again(visit.host, tally)
        if page.redirect:
            self._follow(visit, page.redirect)
        elif page.links:
            self._offer_links(visit, self._followed(page), page.links_left_out, verdict)
        counts.max_queue = max(counts.max_queue, len(self.frontier))

    def _follow(self, visit: Visit, target: str) -> None:
        """Offer where a redirect leads, unless it is one too many in a row."""
        hops = self._hops.pop(visit.url, 1) + 1 if visit.via == "redirect" else 1
        if hops > self._max_redirects:
            self.counts.discards["redirects"] += 1
            return
        if hops > 1:
            self._hops[target] = hops
        self._offer({target: None}, visit.facts, visit.parent, via="redirect")

    def _followed(self, page: Page) -> Sequence[Link]:
        """The links of a page, where asked without those that it marks as not to be followed."""
        if not self._nofollow:
            return page.links
        links = [link for link in page.links if not link.nofollow]
        self.counts.discards["nofollow"] += len(page.links) - len(links)
        return links

    def _state(self, downloads: int, hits: int) -> int:
        group_state = self.strategy.group_state
        if group_state is None:
            return 0
        try:
            return group_state(downloads, hits)
        except Exception as error:
            raise StrategyFailed(
                f"the strategy '{self.strategy.name}' failed on the state of a group with "
                f"{downloads} downloads and {hits} hits: {error!r}"
            ) from error

    def _origin(self, visit: Visit, verdict: Verdict) -> Facts:
        """The facts that all links of a page have in common."""
        relevant = int(verdict.relevant)
        bridge = int(verdict.language.split("-")[0] == self._bridge)
        run = 0 if relevant else visit.facts.run + 1
        return Facts(run, visit.facts.depth + 1, relevant, bridge, verdict.score, 0, 0, 0, 0)

    def _offer_links(
        self, visit: Visit, links: Sequence[Link], left_out: int, verdict: Verdict
    ) -> None:
        """Offer the links of a page, each target once."""
        origin = self._origin(visit, verdict)
        if not self.strategy.gathers:
            self._offer(dict.fromkeys([link.url for link in links]), origin, visit.url)
            return
        anchors: dict[str, float | None] = {}
        for link in links:
            anchors[link.url] = max(anchors.get(link.url) or 0.0, link.anchor_score or 0.0)
        share = verdict.score / max(1, len(anchors) + left_out)
        self._offer(anchors, origin._replace(parent_share=share), visit.url)

    def _offer(
        self, urls: Mapping[str, float | None], origin: Facts, parent: str, via: str = "link"
    ) -> None:
        """Offer URLs to the strategy, in order; queue, move, update or discard each.

        Where the strategy gathers, the links of a page come with the scores of their anchors.
        """
        put, gathers = self.frontier.put, self.strategy.gathers
        scope = None if via == "seed" else self._scope  # who names a seed wants it
        parent_host = host_of(parent) if parent else ""
        ranked: dict[str | _AboutHost, _Ranked] = {}  # links to hosts that are alike are alike
        for standing in self.frontier.untaken(urls):
            url, before, run, depth, _, _ = standing
            host = host_of(url)
            answer = None if gathers else ranked.get(host)
            if answer is None:
                about = self._about(host, host == parent_host)
                answer = None if gathers else ranked.get(about)
                if answer is None:
                    known = _gathered(origin, standing, urls[url]) if gathers else origin
                    answer = ranked[about] = self._rank_link(known, about)
                ranked[host] = answer
            facts, priority, refusal = answer
            if not refusal and before == inf and scope is not None:
                refusal = scope.refuses(url, host)
            if refusal:
                self.counts.discards[refusal] += 1
            elif priority < before:
                if run < facts.run or depth < facts.depth:
                    facts = Facts(min(run, facts.run), min(depth, facts.depth), *facts[2:])
                put(Visit(url, host, facts, priority, parent, via))
            elif facts.run < run or facts.depth < depth or gathers:
                self.frontier.revise(
                    (
                        url, before, min(run, facts.run), min(depth, facts.depth),
                        facts.anchor_score, facts.parent_share,
                    )
                )  # fmt: skip

    def _about(self, host: str, same_host: bool) -> _AboutHost:
        """What a link knows of the host that it leads to."""
        tally = self.hosts.get(host, self._new_host)
        return 1 if same_host else 0, tally.downloads, tally.hits, tally.state

    def _rank_link(self, origin: Facts, about: _AboutHost) -> _Ranked:
        """What limits and strategy say of a link with this origin to such a host."""
        facts = Facts._make((*origin[:5], *about, *origin[_GATHERED:]))
        if facts.depth > self._max_depth:
            return facts, 0.0, "max-depth"
        if facts.host_downloads >= self._max_per_host:
            return facts, 0.0, "max-pages-per-host"
        return self._rank(facts)

    def _rank_again(self, host: str, tally: Tally) -> None:
        """A host's state has changed: rank its waiting URLs anew, in their first order."""
        for visit in self.frontier.of_host(host):
            about_host = (tally.downloads, tally.hits, tally.state)
            facts = Facts(*visit.facts[:6], *about_host, *visit.facts[_GATHERED:])
            _, priority, refusal = self._rank(facts)
            if refusal:
                self.counts.discards[refusal] += 1
                self.frontier.drop(visit.url)
            else:
                self.frontier.put(Visit(visit.url, host, facts, priority, visit.parent, visit.via))

    def _rank(self, facts: Facts) -> _Ranked:
        """The strategy's priority, or its reason to discard."""
        try:
            priority = self.strategy.rank(facts)
            if priority >= 0:
                return facts, self._sign * priority, ""
        except Exception as error:
            raise StrategyFailed(
                f"the strategy '{self.strategy.name}' failed on {facts}: {error!r}"
            ) from error
        if priority not in self._reasons:
            raise StrategyFailed(
                f"the strategy '{self.strategy.name}' returned {priority} for {facts}; a rule "
                "returns 0 or more to queue a link and -k to discard it for its k-th reason"
            )
        return facts, priority, self._reasons[priority]


def _gathered(origin: Facts, standing: Standing, score: float | None) -> Facts:
    """What is known of a link to a URL, with what has gathered since the URL was queued.

    A redirect has no anchor: its target is offered with the score of the redirecting URL.
    """
    url, _, _, _, best, shares = standing
    anchor = max(best, origin.anchor_score if score is None else score)
    return Facts(*origin[:_GATHERED], anchor, shares + origin.parent_share, path_slashes(url))


def _in_trouble(page: Page) -> bool:
    """Whether a visit must be begun again because its host failed, not as its next turn."""
    return page.again and bool(page.reason or page.status)


def _urls(page: Page) -> dict[str, None]:
    return dict.fromkeys([link.url for link in page.links])


def _or_endless(limit: int | None) -> float:
    return inf if limit is None else limit
