"""What is known of a page that is asked for again: how to ask, and how to tell that it is the same.

A server may have named a version of the page (ETag) or said when it changed last (Last-Modified).
These go back to it (RFC 9110, section 13), and it may answer 304 without the page. Where it sends
the page all the same, its digest tells whether it has changed.
"""

from __future__ import annotations

from typing import NamedTuple

from langcrawl.archive.exchange import Exchange, Headers
from langcrawl.archive.members import AnswerHead
from langcrawl.page import digest_of
from langcrawl.records import Known

_CONDITIONS = ((b"etag", b"If-None-Match"), (b"last-modified", b"If-Modified-Since"))
_LONGEST = 1_000
"""Bytes of a validator that are sent back."""


class Before(NamedTuple):
    """How a page was answered for when it was last archived."""

    conditions: Headers = ()
    """Headers that ask for the page only where it has changed."""
    bytes: int = 0
    """How many bytes that answer had; 0 where it is not known."""

    def is_same(self, exchange: Exchange, known: Known) -> bool:
        """Whether an answer says, or shows, that the page is as it was."""
        if exchange.status == 304:
            return bool(self.conditions)
        if exchange.status != 200 or not known.is_whole or "truncated" in exchange.notes:
            return False
        body = exchange.raw if known.file else exchange.body  # as the log has digests
        return digest_of(body) == known.digest


def before(head: AnswerHead) -> Before:
    """How a page was answered for, from the head of its archived answer."""
    said = dict(reversed(head.headers))  # of several headers of a name the first counts
    conditions = tuple(
        (condition, said[name])
        for name, condition in _CONDITIONS
        if 0 < len(said.get(name, b"")) <= _LONGEST
    )
    return Before(conditions, 0 if head.is_revisit else head.bytes)
