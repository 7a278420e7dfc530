"""What the pages of a topical web say: the higher a page scores, the more words of the topic.

So a topic classifier can be trained on such a web when it is served, and tried on another one.
Sentences are built alike on all pages; only their words differ.
"""

from __future__ import annotations

from random import Random
from typing import Final

from langcrawl.virtualweb.phrases import PHRASES
from langcrawl.virtualweb.topical.plan import Vocabulary
from langcrawl.virtualweb.topical.profile import (
    TopicalProfile,
    load_topical_profile,
    topical_profiles,
)

_SENTENCES: Final = (
    "The {a} of {name} is open all year, and the {b} is close by.",
    "Read about {a} and {b} in {name} before you decide.",
    "We compare every {a} near {name} by its {b}.",
    "Who asks for a {a} in {name} should ask for the {b} as well.",
    "What does a {a} cost in {name}, and who has a {b}?",
    "Our list of {a} and {b} covers {name} and the places around it.",
)
_FEWEST, _MOST = 6, 14
_BUILT, _TOPICAL = 0.5, 0.6
"""Sentences with words to fill in, and words of the topic in them where the score is 1."""


def topical_text(source: str) -> TopicalText | None:
    """The texts of a web, by what its log says of how it was made; None for any other web."""
    words = source.split()
    if len(words) > 1 and words[0] == "synth" and words[1] in topical_profiles():
        return TopicalText(load_topical_profile(words[1]))
    return None


class TopicalText:
    """Writes the sentences of pages."""

    def __init__(self, profile: TopicalProfile) -> None:
        self._vocabulary = Vocabulary(profile)

    def write(self, score: float, random: Random) -> list[str]:
        """Some sentences; names and words are of the country and topic as often as it scores."""
        return [
            self._sentence(score, random) if random.random() < _BUILT
            else random.choice(PHRASES["en"])
            for _ in range(random.randrange(_FEWEST, _MOST))
        ]  # fmt: skip

    def _sentence(self, score: float, random: Random) -> str:
        first, second, place = self._vocabulary.words(random, 3, score * _TOPICAL)
        name = self._vocabulary.name(random) if random.random() < score else place.title()
        return random.choice(_SENTENCES).format(a=first, b=second, name=name)
