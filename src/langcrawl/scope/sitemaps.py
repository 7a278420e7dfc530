"""Which sitemaps a crawl asks for, and for which hosts each of them may speak.

A sitemap is no page, so limits on pages do not stop a site that lists sitemaps without end; and
whoever writes one could name the pages of others in it. So there are as many sitemaps as pages
at most, a thousand a host, an index in an index is not followed, and a sitemap speaks for its own
host and for those whose robots.txt names it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf

from langcrawl.records import Counts, Limits, Sitemap, Visit
from langcrawl.url import host_of

_MOST_OF_A_HOST = 1_000
_MOST_NAMED, _MOST_NAMING = 10_000, 1_000
"""Sitemaps that other hosts name, and how many of these hosts are remembered for each."""


class SitemapBudget:
    """What is known of the sitemaps of a crawl."""

    def __init__(self, limits: Limits, counts: Counts) -> None:
        self.counts = counts
        self._of_host: Counter[str] = Counter()
        self._named_by: dict[str, set[str]] = {}
        self.limit(limits)

    def limit(self, limits: Limits) -> None:
        """Keep to these limits from now on."""
        per_host = limits.max_pages_per_host
        self._most = inf if limits.max_pages is None else limits.max_pages
        self._most_of_host = min(_MOST_OF_A_HOST, inf if per_host is None else per_host)

    def refuses(self, host: str) -> str:
        """Why one more sitemap of a host is not to be queued, in a word; empty: it is counted."""
        if self.counts.sitemaps >= self._most or self._of_host[host] >= self._most_of_host:
            return "max-sitemaps"
        self.counts.sitemaps += 1
        self._of_host[host] += 1
        return ""

    def name(self, host: str, sitemaps: Sequence[str]) -> None:
        """The robots.txt of a host names these sitemaps, so they may speak for it."""
        for url in sitemaps:
            if host_of(url) != host:
                self._remember(url, {host})

    def read(self, visit: Visit, found: Sitemap) -> tuple[tuple[str, ...], dict[str, int]]:
        """What to take from a sitemap, and how much to leave out for which reason."""
        if found.is_index and visit.hops:
            return (), {"sitemap-nested": len(found.urls)}
        own, named_by = host_of(visit.url), self._named_by.pop(visit.url, set())
        hosts = {own} if found.is_index else {own, *named_by}
        kept = tuple(url for url in found.urls if host_of(url) in hosts)
        if found.is_index and named_by:
            for url in kept:
                self._remember(url, named_by)
        foreign = len(found.urls) - len(kept)
        return kept, {"sitemap-foreign": foreign} if foreign else {}

    def _remember(self, url: str, hosts: set[str]) -> None:
        if url not in self._named_by and len(self._named_by) >= _MOST_NAMED:
            del self._named_by[next(iter(self._named_by))]
        known = self._named_by.setdefault(url, set())
        if len(known) + len(hosts) <= _MOST_NAMING:
            known |= hosts
