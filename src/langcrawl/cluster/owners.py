"""Which shard owns which host.

A host belongs to the shard that weighs most for its registered domain (rendezvous hashing). So all
hosts of a domain live together, and with them all rules about domains; and where shards are added,
a host stays or moves to one of the new shards, never between old ones.
"""

from __future__ import annotations

from xxhash import xxh3_64_intdigest

from langcrawl.url import domain_of

_REMEMBERED = 1 << 17
"""Hosts whose owner is kept in memory."""


class Owners:
    """The shards of a crawl, numbered from 0."""

    def __init__(self, shards: int) -> None:
        self._shards = range(shards)
        self._known: dict[str, int] = {}

    def of(self, host: str) -> int:
        """The shard that owns a host."""
        owner = self._known.get(host)
        if owner is None:
            domain = domain_of(host).encode()
            owner = max(self._shards, key=lambda shard: xxh3_64_intdigest(domain, shard))
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[host] = owner
        return owner
