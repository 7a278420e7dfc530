"""`tag-paths`: a sleeping bandit over clusters of tag paths (Gauquier 2026).

A. Gauquier, I. Manolescu, P. Senellart: Efficient Crawling for Scalable Web Data Acquisition,
EDBT 2026. Links whose tag paths are alike are one arm. An arm sleeps while no link of it waits.
The reward of a download is 1 for a relevant page; the arm with the highest upper bound of its
mean reward is drawn. Paths are alike where the pairs of neighbouring elements that they share
are a share `alike` of all of theirs.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from math import log, sqrt
from typing import Final

from langcrawl.errors import UsageError
from langcrawl.ports import Download, Learner, Offer, Ranking
from langcrawl.records import UNKNOWN, Visit

MOST_ARMS: Final = 512
_SCALE: Final = 64.0
"""The priority of an arm whose upper bound is 0; those of good arms are lower."""
_PAIR = struct.Struct("<II")
_KEPT: Final = 1 << 16
_NO_ARM: Final = 0


class TagPaths(Learner):
    """The arm with the highest upper confidence bound among those that are awake."""

    says = "the links whose tag path has led to relevant pages, or is little tried (Gauquier 2026)"
    step = 1 / 16
    reconsiders = True

    def __init__(self, alpha: float = 1.4, alike: float = 0.75, lang: str = UNKNOWN) -> None:
        if alpha < 0.0 or not 0.0 < alike <= 1.0:
            raise UsageError(
                "tag-paths: alpha should be 0 or more, and alike above 0 and at most 1."
            )
        self._alpha, self._alike = alpha, alike
        self._arms: list[frozenset[tuple[str, str]]] = [frozenset()]
        self._paths: list[str] = [""]
        """The path by which each arm began."""
        self._arm_of: dict[str, int] = {"": _NO_ARM}
        self._drawn: dict[int, tuple[int, int]] = {}
        """Downloads and relevant ones of each arm."""
        self._draws = 0
        self._changed: set[int] = set()
        self._saved_arms = 1

    def rank(self, offer: Offer) -> Ranking:
        if offer.found_by == "seed":
            return Ranking([0.0] * len(offer))
        links = offer.links
        paths = links.tag_paths if len(links.urls) == len(offer) else ()
        arms = [self._arm(path) for path in paths] if paths else [_NO_ARM] * len(offer)
        bound = {arm: self._priority(arm) for arm in set(arms)}
        return Ranking([bound[arm] for arm in arms], evidence=[str(arm) for arm in arms])

    def reconsider(self, visit: Visit) -> float:
        return self._priority(_arm_of(visit)) if visit.found_by != "seed" else visit.priority

    def saw(self, download: Download) -> Iterable[str]:
        if not download.page.redirect and download.visit.found_by != "seed":
            arm = _arm_of(download.visit)
            drawn, hits = self._drawn.get(arm, (0, 0))
            self._drawn[arm] = drawn + 1, hits + download.verdict.relevant
            self._draws += 1
            self._changed.add(arm)
        return ()

    def _arm(self, path: str) -> int:
        """The arm of a tag path: one that is like it, or a new one."""
        arm = self._arm_of.get(path)
        if arm is None:
            if len(self._arm_of) > _KEPT:
                self._arm_of.clear()
            arm = self._arm_of[path] = self._find(path)
        return arm

    def _find(self, path: str) -> int:
        """The first arm that is like a path, and not the most like: so arms that come later
        change nothing, and a process that starts anew finds the same."""
        pairs = _pairs(path)
        for number, known in enumerate(self._arms):
            shared = len(pairs & known)
            if shared >= self._alike * (len(pairs) + len(known) - shared):
                return number
        if len(self._arms) == MOST_ARMS:
            return _NO_ARM
        self._arms.append(pairs)
        self._paths.append(path)
        return len(self._arms) - 1

    def _priority(self, arm: int) -> float:
        drawn, hits = self._drawn.get(arm, (0, 0))
        if not drawn:
            return 0.0
        bound = hits / drawn + self._alpha * sqrt(log(self._draws + 1) / drawn)
        return max(0.0, _SCALE * (1.0 - bound / 8.0))

    def save(self) -> Mapping[str, bytes]:
        changed, self._changed = self._changed, set()
        saved = {f"d{arm}": _PAIR.pack(*self._drawn[arm]) for arm in changed}
        for arm in range(self._saved_arms, len(self._paths)):
            saved[f"p{arm}"] = self._paths[arm].encode()
        self._saved_arms = len(self._paths)
        return saved

    def restore(self, saved: Mapping[str, bytes]) -> None:
        numbers = sorted(int(name[1:]) for name in saved if name[0] == "p")
        for number in numbers:
            self._paths.append(saved[f"p{number}"].decode())
            self._arms.append(_pairs(self._paths[-1]))
        self._saved_arms = len(self._paths)
        for name, value in saved.items():
            if name[0] == "d":
                self._drawn[int(name[1:])] = _PAIR.unpack(value)
        self._draws = sum(drawn for drawn, _ in self._drawn.values())

    def why(self, visit: Visit) -> str:
        arm = _arm_of(visit)
        drawn, hits = self._drawn.get(arm, (0, 0))
        return f"links like '{self._paths[arm]}' led to {hits} relevant pages of {drawn}"


def _pairs(path: str) -> frozenset[tuple[str, str]]:
    """The pairs of neighbouring elements of a path, its ends included."""
    parts = path.split("/")
    return frozenset(zip(("", *parts), (*parts, ""), strict=True))


def _arm_of(visit: Visit) -> int:
    return int(visit.evidence or _NO_ARM)
