"""Which waiting URLs are ruled out by what the user says now, and was not said before."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from langcrawl.ports import Scope
from langcrawl.records import Limits
from langcrawl.url import host_of


@dataclass(frozen=True, slots=True)
class Review:
    """The user's rules and limits, asked about URLs that were queued under others."""

    scope: Scope | None
    limits: Limits
    seeds: Collection[str]
    downloads_of: Callable[[str], int]
    """How many pages a host has given so far."""

    def reason(self, url: str, depth: int) -> str:
        """Why a URL may not wait any longer, in a word; empty where it may."""
        host, limits = host_of(url), self.limits
        reason = self.scope.rules_out(url, host, is_seed=url in self.seeds) if self.scope else ""
        if reason:
            return reason
        if limits.max_depth is not None and depth > limits.max_depth:
            return "max-depth"
        full = limits.max_pages_per_host
        if full is not None and self.downloads_of(host) >= full:
            return "max-pages-per-host"
        return ""
