"""What robots.txt allows (RFC 9309): a file a host, remembered for a day.

protego matches paths; around it, groups are chosen here, by the whole product token, and
groups for other crawlers are dropped before they take memory.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from protego import Protego

from langcrawl.archive.exchange import Exchange
from langcrawl.page import REDIRECTS, redirect_target
from langcrawl.url import Resolver, has_web_port, host_of, origin_of

_LIMIT = 500 * 1024
"""Bytes of a robots.txt that are read (section 2.5)."""
_DAY = 86_400.0
_MOST_DELAY = 300.0
_MOST_HOPS = 5
_NOWHERE = "http://host.invalid/robots.txt"
_CUT = frozenset(("length", "timeout", "encoding"))
"""Notes on an answer of which a part is missing, or may be."""
_MOST_SITEMAPS = 100
_MOST_HOSTS = 20_000
_MOST_TEXT = 20_000_000
"""Characters of rules that a cache holds, over all hosts."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_TOKEN = re.compile(r"[A-Za-z_-]+")
_AGENT_FIELDS = ("user-agent", "useragent", "user agent")
_EVERYBODY = "*"


class Rules(NamedTuple):
    """What a host's robots.txt says to us."""

    parsed: Protego
    agent: str
    sitemaps: tuple[str, ...] = ()
    """In canonical form, on whatever host."""
    expires: float = 0.0
    """When the file is to be read anew, in seconds since 1970."""
    size: int = 0
    """Characters of rules that concern us."""

    def allow(self, url: str) -> bool:
        return bool(self.parsed.can_fetch(url, self.agent))

    @property
    def delay(self) -> float:
        """Seconds to leave between requests; five minutes at most."""
        return min(float(self.parsed.crawl_delay(self.agent) or 0.0), _MOST_DELAY)


class Hop(NamedTuple):
    """Where the robots.txt of an origin is asked for: there, or where redirects have led."""

    origin: str
    url: str
    number: int = 0
    """Redirects that led here."""

    @property
    def asked_origin(self) -> str:
        return origin_of(self.url)

    @property
    def is_root(self) -> bool:
        """Whether this is a robots.txt itself, of whatever origin."""
        return self.url == f"{self.asked_origin}/robots.txt"

    def onward(self, exchange: Exchange) -> Hop | None:
        """Where an answer leads on; None where it does not, or not to where we may follow.

        On another host only its own robots.txt is asked for: any other path may be closed by it.
        """
        url = redirect_target(self.url, exchange.header("Location"))
        if exchange.status not in REDIRECTS or url is None or self.number >= _MOST_HOPS:
            return None
        onward = Hop(self.origin, url, self.number + 1)
        at_home = host_of(url) == host_of(self.origin + "/")
        return onward if (at_home or onward.is_root) and has_web_port(host_of(url)) else None


def read_rules(
    status: int, body: bytes, agent: str, url: str = _NOWHERE, cut: bool = False
) -> Rules:
    """The rules in an answer: none where there is no file, all closed where the server fails.

    A redirect that leads nowhere, or in circles, is no file either (section 2.3.1.2). The last
    line of a body that was `cut` does not count.
    """
    token = product_token(agent)
    if 200 <= status < 300:
        text = _first_lines(body, cut)
    elif 300 <= status < 500:
        text = ""
    else:
        text = "User-agent: *\nDisallow: /"
    ours = "\n".join(_our_lines(text, token))
    parsed = Protego.parse(ours)
    return Rules(parsed, token, _places(url, parsed.sitemaps), size=len(ours))


def _places(url: str, lines: Iterable[str]) -> tuple[str, ...]:
    """The sitemaps that a robots.txt names: canonical, or left out."""
    resolve = Resolver(url)
    urls = dict.fromkeys(islice(map(resolve, lines), _MOST_SITEMAPS))
    return tuple(place for place in urls if place is not None)


def product_token(agent: str) -> str:
    """The name by which robots.txt calls a crawler: the first word of its User-Agent."""
    matched = _TOKEN.match(agent)
    return matched.group().lower() if matched else "langcrawl"


def _first_lines(body: bytes, cut: bool) -> str:
    """The text up to the limit, without a line that a limit has cut in two."""
    if cut or len(body) > _LIMIT:
        body = body[: _LIMIT + 1]
        end = max(body.rfind(b"\n"), body.rfind(b"\r"))
        body = body[: max(end, 0)]
    return body.decode("utf-8", errors="replace").removeprefix("\ufeff")


def _our_lines(text: str, token: str) -> Iterator[str]:
    """The lines of the groups for us and for everybody, and those outside of any group.

    A group for us is one whose user agent is our token, whatever its case and whatever
    version stands behind it; protego would also take the beginning of our name for us.
    """
    ours, naming = True, False
    for line in _LINE_END.split(text):
        name, colon, rest = line.partition("#")[0].partition(":")
        if not colon:
            continue
        field, value = name.strip().lower(), rest.strip()
        if field in _AGENT_FIELDS:
            meant = _named(value, token)
            ours, naming = bool(meant) or (naming and ours), True
            if meant:
                yield f"User-agent: {meant}"
        elif field.startswith(("sitemap", "site-map")):
            yield f"Sitemap: {value}"
        else:
            naming = False
            if ours:
                yield f"{field}: {_without_index(field, value)}"


def _named(value: str, token: str) -> str:
    """Our token or the star, where a user-agent line means us; empty where it does not."""
    if value == _EVERYBODY or value.startswith("* "):
        return _EVERYBODY
    matched = _TOKEN.match(value)
    return token if matched and matched.group().lower() == token else ""


def _without_index(field: str, value: str) -> str:
    """Keep protego from reading ``Allow: /index.html`` as if it allowed the folder, too."""
    return f"{value}*" if field == "allow" and value.endswith("/index.html") else value


class RobotsCache:
    """The rules of the hosts met last, by origin (``http://host``), each for a day."""

    def __init__(self, agent: str, now: Callable[[], float] = time.time) -> None:
        self._agent, self._now = agent, now
        self._rules: dict[str, Rules] = {}
        self._size = 0

    def get(self, origin: str) -> Rules | None:
        """The rules for an origin; None where its robots.txt is to be asked for first."""
        rules = self._rules.get(origin)
        return rules if rules is not None and rules.expires > self._now() else None

    def read(self, origin: str, exchange: Exchange) -> Rules | None:
        """Read and remember the answer to an origin's robots.txt, redirects followed.

        None where the server fails, asks for patience or sends half a file: then the host is
        closed for now, and its robots.txt is to be asked for again later (section 2.3.1.4).
        """
        status, notes = exchange.status, exchange.notes
        if status >= 500 or status == 429 or (status < 300 and not _CUT.isdisjoint(notes)):
            return None
        cut = "truncated" in notes
        rules = read_rules(status, exchange.body, self._agent, exchange.url, cut)
        return self.adopt(origin, rules._replace(expires=self._now() + _DAY))

    def adopt(self, origin: str, rules: Rules) -> Rules:
        """Remember that an origin has these rules."""
        self._forget(origin)
        self._rules[origin] = rules
        self._size += rules.size
        while len(self._rules) > _MOST_HOSTS or (self._size > _MOST_TEXT and len(self._rules) > 1):
            self._forget(next(iter(self._rules)))
        return rules

    def _forget(self, origin: str) -> None:
        rules = self._rules.pop(origin, None)
        if rules is not None:
            self._size -= rules.size
