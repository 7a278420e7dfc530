"""The parameters of a topical web, most of them as paper 004 prints them."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]


class Ratio(BaseModel):
    """Of links with, and without, something: the share that leads to relevant segments."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    found: Share
    absent: Share

    def given(self, base: float) -> tuple[float, float]:
        """How often it is there, on links to relevant segments and on others.

        `base` is the share of relevant segments among the goals of all links, by Bayes' rule.
        """
        there = (base - self.absent) / (self.found - self.absent)
        return self.found * there / base, (1 - self.found) * there / (1 - base)


class TopicalProfile(BaseModel):
    """Everything that a topical web is made from, but its size and its seed."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    says: str
    country: str
    topic: tuple[str, ...]
    """Words of the topic."""
    lang: str = "en"
    relevant_segments: Share
    """Of all segments, those about the topic."""
    specialists: Share = 0.6
    """Of the relevant segments, those on sites of which most segments are relevant."""
    relevant_pages: Share = 0.93
    """Of the pages of a relevant segment."""
    stray_pages: Share = 0.03
    """Relevant pages, of those of other segments."""
    other_language: Share = 0.08
    """Of the other segments, those in another language."""
    pages_per_segment: float = 6.0
    segments_per_site: float = 7.0
    links_within: float = 3.0
    """Links of a page to its own segment, besides those by which it is found."""
    links_out: float = 5.0
    """Links of a page to other segments."""
    same_site: Share = 0.4
    """Of these, those that stay on the site, where there is such a segment."""
    sources: Ratio
    """Table 5: `found` is a relevant source."""
    anchors: Ratio
    """Table 6: `found` is a name in the anchor or around it."""
    urls: Ratio
    """Table 7: `found` is a name in the URLs of the goal."""
    base: Share
    """Of all links that crawlers found, those to relevant segments. The paper does not say."""
    topic_words: tuple[float, float] = (0.2, 0.06)
    """Of the words of a link, those of the topic: to relevant segments, and to others."""
    home_country: tuple[float, float] = (0.3, 0.02)
    """Hosts in the country: of specialists, and of others."""


def topical_profiles() -> list[str]:
    """The names of the profiles that come with langcrawl."""
    folder = resources.files("langcrawl.virtualweb.topical") / "profiles"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())


def load_topical_profile(name: str) -> TopicalProfile:
    folder = resources.files("langcrawl.virtualweb.topical") / "profiles"
    text = (folder / f"{name}.toml").read_text(encoding="utf-8")
    return TopicalProfile(name=name, **tomllib.loads(text))
