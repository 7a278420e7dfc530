"""The sites of a topical web and their segments, and where links lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from langcrawl.topic.gazetteer import load_gazetteer, tokens_of, word_lists
from langcrawl.virtualweb.topical.profile import TopicalProfile

_MOST_PAGES, _MOST_SEGMENTS = 60, 40
_MOSTLY: Final = 0.85
"""Of the segments of a specialist, those about the topic."""
_DOMAINS: Final = ("com", "com", "com", "net", "org", "co.uk", "com.au", "de", "info")
_OTHER_LANGUAGES: Final = ("de", "fr", "es", "nl")


@dataclass
class Segment:
    """A segment of a site."""

    number: int
    site: Site
    relevant: bool
    language: str
    path: str
    named: bool
    """Whether its URLs have a name of the country."""
    urls: list[str] = field(default_factory=list)
    first: int = 0
    """The number of its first page."""


@dataclass
class Site:
    host: str
    ip: str
    specialist: bool
    segments: list[Segment] = field(default_factory=list)


class Vocabulary:
    """The words of links and URLs: names of the country, words of the topic, common words."""

    def __init__(self, profile: TopicalProfile) -> None:
        kinds = ("province", "island", "city", "beach", "temple", "park")
        names = load_gazetteer(profile.country).names
        known = sorted(name for name, kind in names.items() if kind in kinds and name.isascii())
        self.names = [name for name in known if len(tokens_of(name)) <= 2]
        self.topic = list(profile.topic)
        self.common = sorted(word for word in word_lists().common if len(word) > 4)

    def words(self, random: Random, count: int, topical: float) -> list[str]:
        return [random.choice(self.topic if random.random() < topical else self.common)
                for _ in range(count)]  # fmt: skip

    def name(self, random: Random) -> str:
        return random.choice(self.names)


def draw_sites(profile: TopicalProfile, pages: int, random: Random) -> list[Site]:
    """Sites until there are so many pages; each page has its URL."""
    vocabulary = Vocabulary(profile)
    url_given = profile.urls.given(profile.base)
    rest = (1 - profile.specialists) * profile.relevant_segments
    share = profile.specialists * profile.relevant_segments / _MOSTLY
    sites: list[Site] = []
    there = segments = 0
    while there < pages:
        specialist = random.random() < share
        site = _site(profile, vocabulary, random, len(sites), specialist)
        chance = _MOSTLY if specialist else rest / (1 - share)
        size = _about(random, profile.segments_per_site, _MOST_SEGMENTS)
        for at in range(size):
            relevant = random.random() < chance
            named = random.random() < url_given[0 if relevant else 1]
            language = profile.lang
            if not relevant and random.random() < profile.other_language:
                language = random.choice(_OTHER_LANGUAGES)
            path = _path(vocabulary, random, at, named, relevant)
            segment = Segment(segments, site, relevant, language, path, named)
            count = min(_about(random, profile.pages_per_segment, _MOST_PAGES), pages - there)
            segment.urls = _urls(segment, vocabulary, random, count)
            segment.first = there
            there += count
            segments += 1
            site.segments.append(segment)
            if there >= pages:
                break
        sites.append(site)
    return sites


def _site(
    profile: TopicalProfile, vocabulary: Vocabulary, random: Random, number: int, specialist: bool
) -> Site:
    word = "".join(vocabulary.words(random, 2, 0.5 if specialist else 0.05))
    home = random.random() < profile.home_country[0 if specialist else 1]
    domain = random.choice(("co.th", "com", "com")) if home else random.choice(_DOMAINS)
    net = 66 if home else random.choice((1, 1, 1, 49, 44))
    return Site(f"www.{word}{number}.{domain}", f"10.{net}.{number >> 8 & 255}.{number & 255}",
                specialist)  # fmt: skip


def _path(
    vocabulary: Vocabulary, random: Random, at: int, named: bool, relevant: bool
) -> str:  # fmt: skip
    if at == 0 and not named:
        return "/"
    word = vocabulary.words(random, 1, 0.3 if relevant else 0.05)[0]
    if named:
        word = "-".join(tokens_of(vocabulary.name(random)))
    return f"/{word}-{at}/"


def _urls(segment: Segment, vocabulary: Vocabulary, random: Random, count: int) -> list[str]:
    root = f"http://{segment.site.host}{segment.path}"
    words = [vocabulary.words(random, 2, 0.15 if segment.relevant else 0.05) for _ in range(count)]
    return [
        root if not at else f"{root}{'-'.join(each)}-{at}.html" for at, each in enumerate(words)
    ]


def _about(random: Random, mean: float, most: int) -> int:
    """A whole number of at least 1, about this mean."""
    return min(most, 1 + int(random.expovariate(1 / max(0.01, mean - 0.5))))


class Goals:
    """Segments to link to, by class; those that come first are linked to more often."""

    def __init__(self, segments: Sequence[Segment], random: Random) -> None:
        self._by_class = {
            kind: [segment for segment in segments if segment.relevant is kind]
            for kind in (True, False)
        }
        for kind in (True, False):
            random.shuffle(self._by_class[kind])

    def draw(self, source: Segment, profile: TopicalProfile, random: Random) -> Segment | None:
        """Another segment, by the ratio of Table 5."""
        ratio = profile.sources.found if source.relevant else profile.sources.absent
        kind = random.random() < ratio
        if random.random() < profile.same_site:
            near = [each for each in source.site.segments
                    if each.relevant is kind and each is not source]  # fmt: skip
            if near:
                return random.choice(near)
        there = self._by_class[kind]
        if not there:
            return None
        found = there[int(len(there) * random.random() ** 1.6)]
        return found if found is not source else None
