"""`adaptive`: learns from this crawl which links lead to relevant pages."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from math import exp, inf, log
from typing import Final, NamedTuple

from langcrawl.errors import UsageError
from langcrawl.ports import Download, Learner, Offer, Ranking
from langcrawl.records import UNKNOWN, Visit
from langcrawl.strategy.learned.clues import (
    OTHER_HOST,
    SAME_HOST,
    SAME_PLACE,
    SEED,
    Anchors,
    Clues,
    ClueTuple,
    page_clue,
    path_number,
)
from langcrawl.strategy.learned.places import HOST, OTHER, Directory, File, Places, places_of
from langcrawl.strategy.learned.rates import Rates
from langcrawl.strategy.learned.reasons import in_words
from langcrawl.strategy.learned.start import (
    ANCHOR,
    HREFLANG,
    LEVEL,
    PAGE,
    SAID,
    first_clues,
)
from langcrawl.strategy.learned.tongues import letters_of
from langcrawl.strategy.learned.weights import Weights

SIGNALS: Final = (
    "codes",
    "anchor",
    "words",
    "hreflang",
    "paths",
    "page",
    "kinds",
    "behind",
    "scouts",
)
"""What `without` can leave out."""
LEVELS: Final = (1.5, 10.0)
"""Pages that a place rests on, between which clues have weights of their own."""
FEW: Final = 8.0
"""So many pages of a place weigh as much as what such files and directories did elsewhere."""
FAILURE, NO_LANGUAGE = 0.3, 0.1
"""What such a page counts for a place, where a page in another language counts 1."""
BEHIND: Final = 0.02
"""What a new link to a page that is likely relevant is worth, as odds of the page with it."""
SCOUT: Final = -0.8
"""The log-odds of the first page of a host that was never asked: worth a look when there is
nothing better than that;"""
SCOUTS, SCOUT_SHARE = 16, 0.1
"""for so many hosts at first, and later for this share of the downloads."""
HOST_TURNS: Final = (0.1, 2.0, 8.0)
"""When a host's relevant pages, as they count for it, pass such a number, all of its waiting URLs
are ranked again."""
SURPRISE: Final = 4.0
"""A group is ranked again when it has so many relevant pages less, or more, than was promised."""
HIGHEST: Final = 10.0
"""Log-odds of this much have the priority 0."""
PER_STEP: Final = 8
_ONE = struct.Struct("<d")
_NUMBERS = struct.Struct("<II")
_KEPT: Final = 1 << 14
_make = tuple.__new__
"""Makes a record of its values in a third of the time of its name."""
_NO_CLUES = Clues(SEED * 3, 0, 0, 0, False, ())


class _Place(NamedTuple):
    """What is known of the place of a page, for one ranking."""

    total: float
    """Its log-odds, with what the kinds of its directory and its file are worth."""
    level: int
    """Where the weights begin that go with so many pages."""
    unseen: bool
    """Nothing was downloaded from its host."""
    pages: float
    share: float
    """How far names of languages still count."""
    behind: float
    """What lies behind its pages, as odds to add to those of the page itself."""


class Adaptive(Learner):
    """The chance of every waiting URL, from what its place has shown and what its link says."""

    says = "learns from this crawl what leads to relevant pages: places, links, names of languages"
    step = 1 / PER_STEP
    grouped = True

    def __init__(self, lang: str = UNKNOWN, without: str = "") -> None:
        left_out = set(filter(None, without.split("+")))
        if unknown := sorted(left_out - set(SIGNALS)):
            raise UsageError(
                f"adaptive knows no signal '{unknown[0]}'; 'without' names some of "
                f"{', '.join(SIGNALS)}, with + between them."
            )
        self._left_out = left_out
        self.places = Places(lang, codes="codes" not in left_out)
        self.anchors = Anchors(lang)
        self.rates = Rates()
        self.clues = Weights(0.25, first_clues(bool(letters_of(lang)), left_out))
        self.kinds = Weights(0.4)
        self.words = Weights(0.25)
        self.paths = Weights(0.4)
        self.said = Weights(0.1, dict(enumerate(SAID)))
        self.downloads = self.scouts = 0
        self._scouted: set[str] = set()
        """Hosts to which a scout was sent and from which nothing has come yet."""
        self._news: set[str] = set()
        self._surprise: dict[str, float] = {}
        self._surprises: set[str] = set()
        self._heads: dict[str, tuple[int, int, int, int, bool]] = {}

    def group_of(self, url: str, host: str) -> str:
        return self.places.group(url, host)

    def rank(self, offer: Offer) -> Ranking:
        if offer.found_by == "seed":
            return Ranking([0.0] * len(offer), evidence=[_pack(_NO_CLUES, "")] * len(offer))
        links, none = offer.links, ("",) * len(offer)
        verdict = offer.download.verdict if offer.download else None
        page = page_clue(verdict, offer.facts[0]) * 3
        home = offer.parent[: offer.parent.rfind("/") + 1]
        whole = len(links.urls) == len(offer)
        columns = (
            (links.anchors or none, links.hreflangs or none, links.tag_paths or none)
            if whole and "anchor" not in self._left_out
            else (none, (whole and links.hreflangs) or none, (whole and links.tag_paths) or none)
        )
        place_of, read = self.places.of, self.anchors.read
        known: dict[int, _Place] = {}
        sums: dict[int, float] = {}
        numbers: dict[tuple[str, str], int] = {}
        priorities, evidence, found = [], [], 0
        for state, facts, anchor, tag, path in zip(
            offer.states, offer.facts, *columns, strict=True
        ):
            folder, directory, file = place_of(state[0])
            place = known.get(directory[4] + file[2])
            if place is None:
                place = known[directory[4] + file[2]] = self._place(directory, file)
            kind, words = read(anchor)
            relation = SAME_PLACE if folder == home else SAME_HOST if facts[5] else OTHER_HOST
            href = self.anchors.hreflang(tag) if tag else 0
            number = 0
            if path:
                number = numbers.get((directory[2], path), 0)
                if not number:
                    number = numbers[directory[2], path] = path_number(directory[2], path)
            clues = (page + relation, kind, href, number, False, words)
            total = self._sum(place, clues, sums)
            if total > 0.0 and state[1] == inf:
                found += 1
            if place[5] > 0.02:
                total = log(exp(total) + place[5])
            if place[2] and total < SCOUT and self._sends_scout(directory):
                clues, total = (*clues[:4], True, words), SCOUT
            priority = round((HIGHEST - total) * PER_STEP) / PER_STEP
            priorities.append(priority)
            evidence.append(_pack(clues, anchor) if priority < state[1] else "")
        if offer.download is not None:
            _, directory, file = place_of(offer.parent)
            self.rates.found(places_of(directory, file)[0], found)
        return Ranking(priorities, evidence=evidence)

    def rank_again(self, group: str, waiting: Sequence[Visit]) -> Ranking:
        known: dict[int, _Place] = {}
        sums: dict[int, float] = {}
        priorities = []
        place_of, unpack = self.places.of, self._unpack
        for visit in waiting:
            clues = unpack(visit[9])
            _, directory, file = place_of(visit[0])
            place = known.get(directory[4] + file[2])
            if place is None:
                place = known[directory[4] + file[2]] = self._place(directory, file)
            total = self._sum(place, clues, sums)
            if place[5] > 0.02:
                total = log(exp(total) + place[5])
            if clues[4] and place[2] and total < SCOUT:
                total = SCOUT
            priorities.append(round((HIGHEST - total) * PER_STEP) / PER_STEP)
        return Ranking(priorities)

    def saw(self, download: Download) -> Iterable[str]:
        visit, page, verdict = download.visit, download.page, download.verdict
        self.downloads += 1
        if visit.host in self._scouted:
            self._scouted.discard(visit.host)
            self._news.add(visit.host)
        if page.redirect:
            return ()
        relevant, failed = verdict.relevant, page.status != 200
        weight = 1.0
        if not relevant and (failed or verdict.language == UNKNOWN):
            weight = FAILURE if failed else NO_LANGUAGE
        known = self.rates.known.get(visit.host)
        before = known.hits if known else 0.0
        self._learn(visit, float(relevant), weight, failed)
        tally = download.tally
        if relevant:
            after = self.rates.known[visit.host].hits
            if any(before < mark <= after for mark in HOST_TURNS):
                return self.places.groups_of(visit.host)
        if (
            self._surprised(download)
            or _is_turn(tally.downloads)
            or (relevant and _is_turn(tally.hits))
        ):
            return (download.group,)
        return ()

    def _surprised(self, download: Download) -> bool:
        """Whether the pages of a group keep less, or more, than their priorities promised."""
        group, visit = download.group, download.visit
        promised = _chance(HIGHEST - visit.priority)
        surprise = self._surprise.get(group, 0.0) + promised - download.verdict.relevant
        surprised = abs(surprise) > SURPRISE
        self._surprise[group] = 0.0 if surprised else surprise
        self._surprises.add(group)
        return surprised

    def chance(self, visit: Visit) -> float:
        """How likely it is that a waiting URL is relevant."""
        clues = self._unpack(visit.evidence)
        _, directory, file = self.places.of(visit.url)
        return _chance(self._sum(self._place(directory, file), clues, {}))

    def why(self, visit: Visit) -> str:
        return in_words(self, visit, self._unpack(visit.evidence))

    def save(self) -> Mapping[str, bytes]:
        news, self._news = self._news, set()
        saved = {f"h{host}": b"1" if host in self._scouted else b"" for host in news}
        groups, self._surprises = self._surprises, set()
        saved |= {f"g{group}": _ONE.pack(self._surprise[group]) for group in groups}
        for letter, part in self._parts().items():
            for name, value in part.save():
                saved[letter + name] = value
        saved["n"] = _NUMBERS.pack(self.downloads, self.scouts)
        return saved

    def restore(self, saved: Mapping[str, bytes]) -> None:
        if "n" in saved:
            self.downloads, self.scouts = _NUMBERS.unpack(saved["n"])
        self._scouted = {name[1:] for name, value in saved.items() if name[0] == "h" and value}
        self._surprise = {
            name[1:]: _ONE.unpack(value)[0] for name, value in saved.items() if name[0] == "g"
        }
        for letter, part in self._parts().items():
            part.restore({name[1:]: value for name, value in saved.items() if name[0] == letter})

    def _parts(self) -> dict[str, Rates | Weights]:
        return {
            "r": self.rates, "c": self.clues, "k": self.kinds, "w": self.words, "p": self.paths,
            "s": self.said,
        }  # fmt: skip

    def _place(self, directory: Directory, file: File) -> _Place:
        keys, speaks = places_of(directory, file)
        total, pages, share = self.rates.chance(keys, speaks, self.said.values)
        level = 0 if pages < LEVELS[0] else LEVEL if pages < LEVELS[1] else 2 * LEVEL
        kinds = self.kinds.values.get
        total += FEW / (pages + FEW) * (kinds(directory.kind, 0.0) + kinds(file.kind, 0.0))
        behind = BEHIND * self.rates.behind(keys) if "behind" not in self._left_out else 0.0
        return _Place(total, level, directory.host not in self.rates.known, pages, share, behind)

    def _sum(self, place: _Place, clues: ClueTuple, sums: dict[int, float]) -> float:
        """The log-odds that a link leads to a relevant page."""
        page, anchor, href, path, _, words = clues
        level = place[1]
        key = ((level + page) * 16 + anchor) * 4 + href
        total = sums.get(key)
        if total is None:
            weight = self.clues.values.get
            total = sums[key] = (
                weight(PAGE + level + page, 0.0)
                + weight(ANCHOR + level + anchor, 0.0)
                + weight(HREFLANG + href, 0.0)
            )
        total += place[0]
        if words:
            known = self.words.values.get
            total += sum([known(word, 0.0) for word in words]) / len(words)
        if path:
            total += self.paths.values.get(path, 0.0)
        return total

    def _sends_scout(self, directory: Directory) -> bool:
        """Whether this link to a host that was never asked is to be its scout.

        A host that names another language says what it is.
        """
        host = directory.host
        if host in self._scouted or directory.speaks[HOST] == OTHER or "scouts" in self._left_out:
            return False
        if self.scouts >= SCOUTS + SCOUT_SHARE * self.downloads:
            return False
        self.scouts += 1
        self._scouted.add(host)
        self._news.add(host)
        return True

    def _unpack(self, evidence: str) -> Clues:
        head, _, anchor = evidence.partition("|")
        first = self._heads.get(head)
        if first is None:
            if not head:
                return _NO_CLUES
            if len(self._heads) > _KEPT:
                self._heads.clear()
            page, kind, href, path, scout = head.split(".")
            first = self._heads[head] = (int(page), int(kind), int(href), int(path), scout == "s")
        return _make(Clues, (*first, self.anchors.read(anchor)[1]))

    def _learn(self, visit: Visit, hit: float, weight: float, failed: bool) -> None:
        """One step: the weights first, by what was foretold; then the places count the page."""
        clues, left_out = self._unpack(visit.evidence), self._left_out
        _, directory, file = self.places.of(visit.url)
        place = self._place(directory, file)
        error = hit - _chance(self._sum(place, clues, {}))
        step, level = error * weight, place.level
        if "page" not in left_out:
            self.clues.learn(PAGE + level + clues.page, step)
        if "anchor" not in left_out:
            self.clues.learn(ANCHOR + level + clues.anchor, step)
        if clues.hreflang and "hreflang" not in left_out:
            self.clues.learn(HREFLANG + clues.hreflang, step)
        if "kinds" not in left_out:
            share = error * (1.0 if failed else weight) * FEW / (place.pages + FEW)
            self.kinds.learn(directory.kind, share)
            self.kinds.learn(file.kind, share)
        if clues.words and "words" not in left_out:
            self.words.learn_all(clues.words, step)
        if clues.path and "paths" not in left_out:
            self.paths.learn(clues.path, step)
        keys, speaks = places_of(directory, file)
        if place.share > 0.05:
            for at, word in enumerate(speaks):
                if word:
                    self.said.learn(min(at, 3) * 3 + word, step * place.share)
        self.rates.count(keys, speaks, hit, weight)


def _pack(clues: ClueTuple, anchor: str) -> str:
    page, kind, href, path, scout, _ = clues
    return f"{page}.{kind}.{href}.{path}.{'s' if scout else ''}|{anchor[:60]}"


def _chance(total: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def _is_turn(count: int) -> bool:
    """1, 2, 3, 4, 6, 8, 12, 16, ...: less and less often."""
    while count > 4 and count % 2 == 0:
        count //= 2
    return count < 5
