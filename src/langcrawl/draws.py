"""Random draws from the queue, by which a crawl later estimates how complete it is.

A strategy takes what it likes best, so what it has taken is no sample of what there is. A small
share of the downloads is therefore drawn by chance: every waiting URL is as likely as any other.
Which downloads are draws, and what they draw, follows from a seed and the number of the download
only, so a crawl that was killed draws the same again.
"""

from __future__ import annotations

from collections.abc import Callable

from xxhash import xxh3_64_intdigest

from langcrawl.ports import Frontier
from langcrawl.records import Visit
from langcrawl.url import host_of

MARK = "sample 1/"
"""The reason of a drawn page begins so; then come the URLs that waited when it was drawn."""
_ALL = 1 << 64
_TRIES = 400
"""Known URLs that are looked at until one waits."""
_MOST_PENDING = 64


def reason_in_words(reason: str) -> str:
    """Why a page was taken, as its strategy said, or that it was drawn."""
    waited = reason.removeprefix(MARK)
    if waited != reason and waited.isdecimal():
        return f"drawn by chance from {int(waited):,} URLs that waited"
    return reason


class Draws:
    """Chooses waiting URLs by chance, and has them taken before others."""

    def __init__(self, share: float, seed: int = 0) -> None:
        self._share, self._seed = share, seed
        self._last = -1
        self._pending: dict[str, str] = {}
        """URLs that were drawn and not downloaded yet, with their mark."""

    def take(self, frontier: Frontier, number: int, ready: Callable[[str], bool]) -> Visit | None:
        """A drawn URL, where one is due with this download or waits for its host."""
        if number > self._last:
            self._last = number
            if self._chance(f"{number}") < self._share:
                self._draw(frontier, number)
        for url in self._pending:
            if ready(host_of(url)):
                visit = frontier.take_url(url)
                if visit is not None:
                    return visit
        return None

    def marked(self, visit: Visit) -> Visit:
        """A visit that is over, with its mark where it was drawn."""
        mark = self._pending.pop(visit.url, "")
        return visit._replace(reason=mark) if mark else visit

    def _draw(self, frontier: Frontier, number: int) -> None:
        waiting = len(frontier)
        if not waiting:
            return
        for attempt in range(_TRIES):
            url = frontier.waiting_at(self._chance(f"{number} {attempt}"))
            if url:
                self._pending[url] = f"{MARK}{waiting}"
                break
        while len(self._pending) > _MOST_PENDING:
            self._pending.pop(next(iter(self._pending)))

    def _chance(self, place: str) -> float:
        """A number from 0 up to 1 that belongs to a place."""
        return xxh3_64_intdigest(place.encode(), self._seed) / _ALL
