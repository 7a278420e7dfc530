"""What robots.txt allows, a file a host, asked for once."""

from __future__ import annotations

from typing import NamedTuple

from protego import Protego

_LIMIT = 500_000
"""Bytes of a robots.txt that are read (RFC 9309, section 2.5)."""


class Rules(NamedTuple):
    """What a host's robots.txt says."""

    parsed: Protego
    agent: str
    reason: str = "robots"
    """Why a URL is not asked for that the rules do not allow."""

    def allow(self, url: str) -> bool:
        return bool(self.parsed.can_fetch(url, self.agent))

    @property
    def delay(self) -> float:
        return float(self.parsed.crawl_delay(self.agent) or 0.0)


def read_rules(status: int, body: bytes, agent: str) -> Rules:
    """The rules in an answer: none where there is no file, all closed where the server fails."""
    if status == 200:
        text = body[:_LIMIT].decode("utf-8", errors="replace")
    elif 400 <= status < 500:
        text = ""
    else:
        text = "User-agent: *\nDisallow: /"
    return Rules(Protego.parse(text), agent.split("/", 1)[0])


def unreachable_rules(agent: str) -> Rules:
    """Where robots.txt cannot be asked for, nothing may be (RFC 9309, section 2.3.1.4)."""
    return read_rules(0, b"", agent)._replace(reason="robots-unreachable")
