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
    ANCHORS,
    KEPT_OF_ANCHOR,
    NAMES_TARGET,
    OTHER_HOST,
    OWN,
    SAME_HOST,
    SAME_PLACE,
    Anchors,
    Clues,
    Kept,
    page_clue,
)
from langcrawl.strategy.learned.fame import Fame
from langcrawl.strategy.learned.misses import Misses
from langcrawl.strategy.learned.pace import Pace, by_second
from langcrawl.strategy.learned.places import TONGUES, Directory, File, Places, places_of
from langcrawl.strategy.learned.prior import read_prior
from langcrawl.strategy.learned.rates import Rates
from langcrawl.strategy.learned.reasons import in_words
from langcrawl.strategy.learned.scouts import SCOUT, Scouts
from langcrawl.strategy.learned.sharing import Sharing
from langcrawl.strategy.learned.start import (
    ANCHOR,
    FAME,
    FAR,
    FARTHEST,
    HREFLANG,
    LEVEL,
    PAGE,
    SAID,
    SIGNALS,
    URL_WORDS,
    first_clues,
)
from langcrawl.strategy.learned.surprises import Surprises, is_turn
from langcrawl.strategy.learned.tongues import targets_of
from langcrawl.strategy.learned.url_words import UrlWords
from langcrawl.strategy.learned.weights import Weights, chance_of

LEVELS: Final = (1.5, 10.0)
"""Pages that a place rests on, between which clues have weights of their own."""
FEW: Final = 8.0
"""So many pages of a place weigh as much as what such files and directories did elsewhere."""
FAILURE: Final = 0.3
"""What a page that failed counts for a place, where a page in another language counts 1."""
BEHIND: Final = 0.02
"""What a new link to a page that is likely relevant is worth, as odds of the page with it."""
HOST_TURNS: Final = (0.1, 2.0, 8.0)
"""When a host's relevant pages, as they count for it, pass such a number, all of its waiting URLs
are ranked again."""
GOOD_ANCHORS: Final = (OWN, NAMES_TARGET)
TOLERANCE: Final = 0.2
"""A URL waits on where its log-odds have fallen by more than this."""
HIGHEST: Final = 10.0
"""Log-odds of this much have the priority 0."""
PER_STEP: Final = 8
_NUMBER = struct.Struct("<I")
_make = tuple.__new__
"""Makes a record of its values in a third of the time of its name."""


Part = Rates | Weights | Fame | Misses | Pace | Scouts | Sharing | Surprises | UrlWords


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
    slowness: float
    """How many times as long as is usual its host takes to answer."""


class Adaptive(Learner):
    """The chance of every waiting URL, from what its place has shown and what its link says."""

    says = "learns from this crawl what leads to relevant pages: places, links, names of languages"
    step = 0.0  # priorities are rounded here
    grouped = True
    reconsiders = True

    def __init__(self, lang: str = UNKNOWN, without: str = "", prior: str = "") -> None:
        left_out = set(filter(None, without.split("+")))
        if unknown := sorted(left_out - set(SIGNALS)):
            raise UsageError(
                f"adaptive knows no signal '{unknown[0]}'; 'without' names some of "
                f"{', '.join(SIGNALS)}, with + between them."
            )
        self.left_out = frozenset(left_out)
        self._looks_behind, self._hears = "behind" not in left_out, "fame" not in left_out
        self._scouts_go = "scouts" not in left_out
        self.places = Places(lang, codes="codes" not in left_out)
        self.anchors = Anchors(lang)
        self.kept = Kept(self.anchors)
        self.rates = Rates()
        self.clues = Weights(0.25, first_clues(not targets_of(lang).latin, left_out))
        self.kinds = Weights(0.4)
        self.words = Weights(0.25)
        self.paths = Weights(0.4)
        self.said = Weights(0.1, dict(enumerate(SAID)))
        self.url_words = UrlWords()
        self._reads_urls, self._hurries = "urls" not in left_out, "pace" not in left_out
        self.fame, self.pace, self.scouts = Fame(), Pace(), Scouts()
        weights = {"c": self.clues, "k": self.kinds, "w": self.words, "s": self.said}
        self._sharing = Sharing(weights, self.rates)
        self.surprises = Surprises()
        self.misses = Misses(lang)
        self.downloads = self._saved = 0
        self._known: dict[int, _Place] = {}
        """Places as they are until something more is learned."""
        if prior:
            read_prior(prior).teach(self, lang)

    @property
    def reads_anchors(self) -> bool:
        return "anchor" not in self.left_out

    def group_of(self, url: str, host: str) -> str:
        return self.places.group(url, host)

    def rank(self, offer: Offer) -> Ranking:
        if offer.found_by == "seed":
            return Ranking([0.0] * len(offer))
        verdict = offer.download.verdict if offer.download else None
        page = page_clue(verdict, offer.facts[0]) * 3
        home = self.places.of(offer.parent)[0] if offer.parent else ""
        if self._hears and offer.download is not None and offer.found_by == "link":
            self._hear(offer, relevant=page == 0)
            self._known.clear()
        place_of, read, word_of = self.places.of, self.anchors.read, self.words.values.get
        path_of, path_worth, run = self.kept.path, self.paths.values.get, offer.facts[0].run
        send, downloads, trusted = self.scouts.send, self.downloads, self.misses.trusts_names
        far = FAR[min(run, FARTHEST)]
        known: dict[int, tuple[_Place, float]] = {}
        priorities, evidence, found = [], [], 0
        for state, facts, anchor, tag, path in zip(
            offer.states, offer.facts, *self._columns(offer), strict=True
        ):
            if len(anchor) > KEPT_OF_ANCHOR:
                anchor = anchor[:KEPT_OF_ANCHOR]
            kind, words = read(anchor)
            if 0 < run >= state[2] and facts[5] and not tag and kind not in GOOD_ANCHORS:
                priorities.append(state[1])  # it waits, and this link says nothing better
                evidence.append("")
                continue
            folder, directory, file = place_of(state[0])
            here = page + (SAME_PLACE if folder == home else SAME_HOST if facts[5] else OTHER_HOST)
            href = self.anchors.hreflang(tag) if tag else 0
            number = path_of(directory[2], path) if path else 0
            key = (((directory[4] + file[2]) * LEVEL + here) * ANCHORS + kind) * TONGUES + href
            answer = known.get(key)
            if answer is None:
                place = self._place_now(directory, file)
                total = place[0] + self._worth(place[1], here, kind, href)
                answer = known[key] = (place, total)
            place, total = answer
            if words:
                total += sum([word_of(word, 0.0) for word in words]) / len(words)
            if number:
                total += path_worth(number, 0.0)
            if total > 0.0:
                found += state[1] == inf
            elif place[5] > 0.02:
                total = log(exp(total) + place[5])
            if place[6] > 1.0:
                total = by_second(total, place[6])
            scout = place[2] and total < SCOUT and self._scouts_go
            if scout and (scout := send(directory, downloads, trusted)):
                total = SCOUT
            if total < SCOUT:
                total -= far
            priority = round((HIGHEST - total) * PER_STEP) / PER_STEP
            priorities.append(priority)
            if priority < state[1]:
                mark = "s" if scout else ""
                evidence.append(f"{here}.{kind}.{href}.{number}.{mark}|{anchor}")
            else:
                evidence.append("")
        if offer.download is not None:
            _, directory, file = place_of(offer.parent)
            self.rates.found(places_of(directory, file)[0], found)
            self._known.clear()
        return Ranking(priorities, evidence=evidence)

    def _columns(self, offer: Offer) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
        """Anchors, hreflangs and tag paths, as long as the offer; of a redirect there are none."""
        links, none = offer.links, ("",) * len(offer)
        if len(links.urls) != len(offer):
            return none, none, none
        anchors = links.anchors if self.reads_anchors else none
        return anchors or none, links.hreflangs or none, links.tag_paths or none

    def rank_again(self, group: str, waiting: Sequence[Visit]) -> Ranking:
        return Ranking([self._again(visit) for visit in waiting])

    def reconsider(self, visit: Visit) -> float:
        if visit.found_by == "seed":
            return visit.priority
        now = self._again(visit)
        return now if now > visit.priority + TOLERANCE else visit.priority

    def _again(self, visit: Visit) -> float:
        """The priority of a waiting URL by what is known now."""
        _, directory, file = self.places.of(visit[0])
        place = self._place_now(directory, file)
        clues = self.kept.unpack(visit[9])
        total = self._sum(place, clues)
        if total < 0.0 and place[5] > 0.02:
            total = log(exp(total) + place[5])
        if total < SCOUT and clues[4] and place[2]:
            total = SCOUT
        if place[6] > 1.0:
            total = by_second(total, place[6])
        if total < SCOUT:
            total -= FAR[min(visit.facts.run, FARTHEST)]
        return round((HIGHEST - total) * PER_STEP) / PER_STEP

    def saw(self, download: Download) -> Iterable[str]:
        visit, page, verdict = download.visit, download.page, download.verdict
        self.downloads += 1
        self._known.clear()
        self.scouts.back(visit.host)
        if self._hurries:
            self.pace.hear(visit.host, page.fetched_at, page.elapsed)
        if page.redirect:
            return ()
        relevant, failed = verdict.relevant, page.status != 200
        weight = 1.0 if relevant else FAILURE if failed else self.misses.count(verdict.language)
        known = self.rates.known.get(visit.host)
        before = known.hits if known else 0.0
        self._learn(visit, float(relevant), weight, failed)
        if relevant:
            after = self.rates.known[visit.host].hits
            if any(before < mark <= after for mark in HOST_TURNS):
                return self.places.groups_of(visit.host)
        promised = chance_of(HIGHEST - visit.priority)
        surprised = self.surprises.hear(download.group, relevant, promised)
        if surprised or (relevant and is_turn(download.tally.hits)):
            return (download.group,)
        return ()

    def chance(self, visit: Visit) -> float:
        """How likely it is that a waiting URL is relevant."""
        clues = self.kept.unpack(visit.evidence)
        _, directory, file = self.places.of(visit.url)
        return chance_of(self._sum(self._place(directory, file), clues))

    def why(self, visit: Visit) -> str:
        return in_words(self, visit, self.kept.unpack(visit.evidence))

    def share(self) -> str:
        return self._sharing.share()

    def take_in(self, shared: str) -> None:
        self._sharing.take_in(shared)
        self._known.clear()

    def save(self) -> Mapping[str, bytes]:
        saved = {}
        for letter, part in self._parts().items():
            for name, value in part.save():
                saved[letter + name] = value
        if self.downloads != self._saved:
            saved["n"] = _NUMBER.pack(self.downloads)
            self._saved = self.downloads
        return saved

    def restore(self, saved: Mapping[str, bytes]) -> None:
        if "n" in saved:
            (self.downloads,) = _NUMBER.unpack(saved["n"])
            self._saved = self.downloads
        for letter, part in self._parts().items():
            part.restore({name[1:]: value for name, value in saved.items() if name[0] == letter})
        self._known.clear()

    def _parts(self) -> dict[str, Part]:
        return {
            "r": self.rates, "c": self.clues, "k": self.kinds, "w": self.words, "p": self.paths,
            "s": self.said, "f": self.fame, "h": self.scouts, "g": self.surprises,
            "o": self._sharing, "t": self.pace, "d": self.url_words, "u": self.misses,
        }  # fmt: skip

    def shown_by(
        self, keys: Sequence[str], speaks: Sequence[int]
    ) -> tuple[float, float, float, float]:
        """What the rates of places say (`Rates.chance`)."""
        return self.rates.chance(keys, speaks, self.said.values, self.misses.trust)

    def _place_now(self, directory: Directory, file: File) -> _Place:
        """What is known of a place: asked for again and again until something is learned."""
        key = directory[4] + file[2]
        place = self._known.get(key)
        if place is None:
            place = self._known[key] = self._place(directory, file)
        return place

    def _place(self, directory: Directory, file: File) -> _Place:
        keys, speaks = places_of(directory, file)
        total, pages, share, found = self.shown_by(keys, speaks)
        level = 0 if pages < LEVELS[0] else LEVEL if pages < LEVELS[1] else 2 * LEVEL
        kinds = self.kinds.values.get
        total += FEW / (pages + FEW) * (kinds(directory.kind, 0.0) + kinds(file.kind, 0.0))
        if directory.words and self.hears_words(directory, file):
            worth = self.clues.values[URL_WORDS + level // LEVEL]
            total += worth * self.url_words.score(directory.words)
        behind = BEHIND * found if self._looks_behind else 0.0
        unseen = directory.host not in self.rates.known
        if unseen and self._hears:
            total += self.clues.values.get(FAME + self.fame.of(directory.host), 0.0)
        slowness = 1.0 if unseen else self.pace.slowness(directory.host, self.connections)
        return _make(_Place, (total, level, unseen, pages, share, behind, slowness))

    def _worth(self, level: int, page: int, anchor: int, href: int) -> float:
        """What the page with a link, its kind of anchor and its hreflang add."""
        weight = self.clues.values.get
        return (
            weight(PAGE + level + page, 0.0)
            + weight(ANCHOR + level + anchor, 0.0)
            + weight(HREFLANG + href, 0.0)
        )

    def _sum(self, place: _Place, clues: Clues) -> float:
        """The log-odds that a link leads to a relevant page."""
        page, anchor, href, path, _, words = clues
        total = place[0] + self._worth(place[1], page, anchor, href)
        if words:
            known = self.words.values.get
            total += sum([known(word, 0.0) for word in words]) / len(words)
        if path:
            total += self.paths.values.get(path, 0.0)
        return total

    def _hear(self, offer: Offer, *, relevant: bool) -> None:
        """Which hosts that were never asked the page with these links speaks of."""
        home, seen = offer.parent.split("/", 3)[2], self.rates.known
        for host in dict.fromkeys(offer.hosts):
            if host not in seen and host != home:
                self.fame.hear(host, home, relevant=relevant)

    def _learn(self, visit: Visit, hit: float, weight: float, failed: bool) -> None:
        """One step: the weights first, by what was foretold; then the places count the page."""
        clues, left_out = self.kept.unpack(visit.evidence), self.left_out
        _, directory, file = self.places.of(visit.url)
        place = self._place(directory, file)
        error = hit - chance_of(self._sum(place, clues))
        step, level = error * weight, place.level
        if "page" not in left_out:
            self.clues.learn(PAGE + level + clues.page, step)
        if "anchor" not in left_out:
            self.clues.learn(ANCHOR + level + clues.anchor, step)
        if clues.hreflang and "hreflang" not in left_out:
            self.clues.learn(HREFLANG + clues.hreflang, step)
        if place.unseen:
            if self._hears:
                self.clues.learn(FAME + self.fame.of(directory.host), step)
                self.fame.forget(directory.host)
        elif "kinds" not in left_out and self.rates.known[directory.host].hits > 0.0:
            share = error * (1.0 if failed else weight) * FEW / (place.pages + FEW)
            self.kinds.learn(directory.kind, share)
            self.kinds.learn(file.kind, share)
        if directory.words and self.hears_words(directory, file):
            self._learn_url(directory, hit, weight, step, level)
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

    def hears_words(self, directory: Directory, file: File) -> bool:
        """Words of a URL are heard where no name of a language says more."""
        named = directory.names or file.speaks
        return self._reads_urls and not (named and self.misses.trusts_names)

    def _learn_url(
        self, directory: Directory, hit: float, weight: float, step: float, level: int
    ) -> None:
        """What the words of a URL are worth, and which of them relevant pages have."""
        score = self.url_words.score(directory.words)
        if score:
            self.clues.learn(URL_WORDS + level // LEVEL, step * score)
        known = self.rates.known.get(directory.keys[-1])
        self.url_words.count(directory.words, hit, weight, known.pages if known else 0.0)
