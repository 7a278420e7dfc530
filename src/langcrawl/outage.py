"""Tells hosts that do not answer from a network that does not work.

A host that is silent while others answer is that host's affair: it is left alone for longer each
time, and its URLs wait. When nobody answers, although some did before or although nobody was ever
heard of, the fault is most likely here: the crawl waits, asks one host now and then, and blames
no host.
"""

from __future__ import annotations

from collections import Counter

from langcrawl.politeness import Politeness
from langcrawl.ports import Clock, Frontier, Tell
from langcrawl.records import Later, Page, Refused, Sitemap

_IN_A_ROW, _HOSTS = 20, 5
"""Requests in a row without an answer, and to how many hosts, that look like an outage."""
_FIRST_WAIT, _LONGEST_WAIT = 2.0, 60.0
"""Seconds between two attempts to end an outage."""


def is_silence(answer: Page | Sitemap | Refused | Later) -> bool:
    """Whether nobody answered."""
    if isinstance(answer, Later):
        failed = answer.instead
        return bool(answer.silence) or (isinstance(failed, Page) and not failed.status)
    return isinstance(answer, Page) and not answer.status


class Silence:
    """Watches who does not answer, and decides whether that is an outage."""

    def __init__(
        self, frontier: Frontier, politeness: Politeness, clock: Clock, retries: int, tell: Tell
    ) -> None:
        """A host is failing once it was silent more often in a row than it is asked again."""
        self.next_try = 0.0
        """When somebody is asked whether an outage is over; 0 where there is none."""
        self._frontier, self._politeness, self._clock = frontier, politeness, clock
        self._retries, self._tell = retries, tell
        self.is_outage = False
        self._began = 0.0
        self._wait = _FIRST_WAIT
        self._silent: dict[str, int] = {}
        """Hosts that were silent when they were last asked, and how often in a row."""
        self._lately: set[str] = set()
        """Those of them that were silent since anybody answered."""
        self._why: Counter[str] = Counter()
        self._in_a_row, self._first = 0, 0.0
        """Requests that nobody answered since anybody did, and when the first of them was."""
        self._surprising = True
        """Whether nobody has been heard yet, or one that had been is silent now."""

    def lasts(self) -> float:
        """For how many seconds there has been an outage."""
        return self._clock.now() - self._began if self.is_outage else 0.0

    def broken_by(self, host: str) -> None:
        """A host has answered, whatever it said; after an outage all hosts begin anew."""
        self._silent.pop(host, None)
        if self._in_a_row:
            self._lately.clear()
            self._why.clear()
        self._in_a_row, self._surprising = 0, False
        if self.is_outage:
            span = self.lasts()
            self._silent.clear()
            self.is_outage, self.next_try, self._wait = False, 0.0, _FIRST_WAIT
            words = f"{host} answers again, after {span:,.0f} s without an answer from anybody."
            self._tell("outage-over", words, host=host, seconds=round(span, 1))

    def of(self, host: str, why: str, answered_before: bool) -> None:
        """A host gave no answer; its URLs wait, and others may overtake them."""
        now = self._clock.now()
        if not self._in_a_row:
            self._first = now
        self._in_a_row += 1
        self._silent[host] = self._silent.get(host, 0) + 1
        self._lately.add(host)
        self._why[why] += 1
        self._surprising |= answered_before
        if self._is_failing(host):
            self._frontier.park(host)
        if self.is_outage:
            self.next_try = now + self._wait
            self._wait = min(2 * self._wait, _LONGEST_WAIT)
        elif self._surprising and self._in_a_row >= _IN_A_ROW and len(self._lately) >= _HOSTS:
            self._wait_for_network()
        elif self._politeness.is_dead(host):
            self._tell(
                "host-silent",
                f"{host} has not answered for a long time ({why}); its URLs wait for a day, or for "
                "the next run.",
                host=host, why=why,
            )  # fmt: skip

    def is_all_that_is_left(self) -> bool:
        """Whether all that waits is on hosts that do not answer, and that is no outage."""
        if self.is_outage:
            return False
        if self._surprising and self._lately.issuperset(self._frontier.hosts()):
            self._wait_for_network()
            return False
        return all(map(self._is_failing, self._frontier.hosts()))

    def _is_failing(self, host: str) -> bool:
        return self._silent.get(host, 0) > self._retries

    def _wait_for_network(self) -> None:
        """An outage begins: no host is to blame for its silence."""
        now, hosts = self._clock.now(), len(self._lately)
        self.is_outage = True
        self._began = self.next_try = self._first
        for host in self._lately:
            self._politeness.forgive(host, now)
        why = ", ".join(self._why)
        self._tell(
            "outage",
            f"nobody answers ({why}; {hosts:,} asked): is the network down? The crawl waits and "
            "asks one host at a time; no URL is lost.",
            why=dict(self._why), hosts=hosts,
        )  # fmt: skip
