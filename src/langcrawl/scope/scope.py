"""What a crawl leaves out whatever its strategy says: patterns, block lists and traps.

`CrawlScope` is asked for each URL that the crawl does not know yet. What the user has ruled out
comes first, then what looks like a trap (`langcrawl.scope.traps`). docs/urls.md lists the rules,
and the word by which each refusal is counted.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from langcrawl.errors import BadInput, BadValue
from langcrawl.records import Page
from langcrawl.scope.traps import Calendars, Lookalikes, endless_form
from langcrawl.url import canonical, has_web_port, host_of, without_port


class CrawlScope:
    """Patterns are regular expressions, looked for anywhere in a URL."""

    def __init__(
        self,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        blocked: frozenset[str] = frozenset(),
        this_year: int = 0,
    ) -> None:
        """`blocked` are hosts that are left out with all their subdomains."""
        self._include = [_compiled(pattern) for pattern in include]
        self._exclude = [_compiled(pattern) for pattern in exclude]
        self._blocked = blocked
        rules = json.dumps([list(include), list(exclude), sorted(blocked)])
        self.rules = sha256(rules.encode()).hexdigest()
        """The same for the same rules of the user."""
        self._calendars = Calendars(this_year or time.gmtime().tm_year)
        self._lookalikes = Lookalikes()

    def take_rules(self, other: CrawlScope) -> None:
        """Go by the user's rules of another scope; what is known of traps stays known."""
        self._include, self._exclude = other._include, other._exclude
        self._blocked, self.rules = other._blocked, other.rules

    def rules_out(self, url: str, host: str, *, is_seed: bool = False) -> str:
        """Why the user does not want this URL, in a word; empty if it may be asked for.

        Who names a seed wants it, whatever else is included, but not one that is excluded.
        """
        if self._blocked and self.blocks(host):
            return "blocked-host"
        if not has_web_port(host):
            return "port"
        if self._exclude and any(pattern.search(url) for pattern in self._exclude):
            return "excluded"
        if self._include and not is_seed:
            return "" if any(pattern.search(url) for pattern in self._include) else "not-included"
        return ""

    def refuses(self, url: str, host: str) -> str:
        """Why this URL is not to be queued, in a word; empty if it may be."""
        return (
            self.rules_out(url, host)
            or endless_form(url)
            or self._calendars.refuses(url, host)
            or self._lookalikes.refuses(url, host)
        )

    @property
    def found_trap(self) -> bool:
        """Whether a trap was found since `changes` was last asked for."""
        return self._lookalikes.found_trap

    def changes(self) -> dict[str, str]:
        """What the next run should know of traps, by host, as far as it has changed."""
        hosts = self._lookalikes.changed | self._calendars.changed
        for memory in (self._lookalikes, self._calendars):
            memory.changed.clear()
        self._lookalikes.found_trap = False
        return {
            host: json.dumps(
                self._lookalikes.memory(host) | {"dates": self._calendars.memory(host)}
            )
            for host in hosts
        }

    def restore(self, memory: Iterable[tuple[str, str]]) -> None:
        """Know again what earlier runs told with `changes`."""
        for host, text in memory:
            known = json.loads(text)
            self._calendars.restore(host, known.pop("dates"))
            self._lookalikes.restore(host, known)

    def saw(self, page: Page) -> None:
        """A page has been downloaded."""
        if page.status == 200 and page.fingerprint and not page.redirect:
            self._lookalikes.saw(page.url, host_of(page.url), page.fingerprint)

    def blocks(self, host: str) -> bool:
        """Whether a host, or a domain above it, is in the block list."""
        name = without_port(host)
        while name and name not in self._blocked:
            name = name.partition(".")[2]
        return bool(name)


def read_hosts(path: Path) -> frozenset[str]:
    """The hosts of a block list: one a line, as a name or as in a hosts file; # begins a remark."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise BadInput(
            f"the block list '{path}' cannot be read ({error.strerror}); check the path."
        ) from None
    hosts = set()
    for line in lines:
        if words := line.partition("#")[0].split():
            name = words[-1].removeprefix("*.").strip(".").lower()
            if not name.isascii():
                name = host_of(canonical(f"http://{name}/") or "http:///")
            hosts.add(name)
    return frozenset(hosts - {""})


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise BadValue(f"'{pattern}' is not a regular expression ({error}); fix it.") from None
