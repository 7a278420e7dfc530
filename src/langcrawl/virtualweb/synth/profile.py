"""The profile of a generated web: every statistic that the generator is told, by name."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from langcrawl.config import first_problem
from langcrawl.errors import BadInput, UsageError
from langcrawl.languages import find_tag

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[float, Field(ge=0)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Domain(_Table):
    """A top-level domain: its pages by language, in any unit, and the names under it."""

    target: Count
    bridge: Count
    other: Count = 0.0
    unknown: Count
    suffixes: dict[str, Count] = {}
    """Registries under it and their shares, as ``co.th``; the domain itself where empty."""
    languages: dict[str, Count] = {}
    """What `other` is made of, where it is not what the web as a whole has."""
    encodings: dict[str, Count] = {}
    """Encodings of its target pages, as ``zawgyi``, with their shares; each host has one."""

    @property
    def pages(self) -> float:
        return self.target + self.bridge + self.other + self.unknown


class Hosts(_Table):
    """How many pages hosts have, and how many hosts domains have."""

    pages_per_host: Annotated[float, Field(ge=1)]
    pages_per_target_host: Annotated[float, Field(ge=1)]
    size_tail: Annotated[float, Field(gt=0.5, le=4)] = 1.2
    """The exponent of the tail of host sizes: smaller is heavier."""
    largest: Share = 0.004
    """The most that one host may have of all pages, or 3,000 pages if that is more."""
    per_target_domain: Annotated[float, Field(ge=1)] = 1.3
    per_foreign_domain: Annotated[float, Field(ge=1)] = 2.0
    popularity_spread: Count = 1.0
    """How much hosts of one size differ in popularity: deviation of its logarithm."""


class Pages(_Table):
    """What the pages of a host are."""

    target_share: Share
    """Of the pages of a target host, those in the target language."""
    target_share_slope: float = 0.8
    """How much that share rises with the popularity of the host (logits a deviation)."""
    leaves_on_target_hosts: Share
    """Of the pages of a target host, those that are no OK HTML: they have no links."""
    mixed: Share = 0.02
    """Pages of a target section that are judged to be in the bridge language."""
    bridge_home: Share = 0.15
    """Target hosts whose home page is in the bridge language."""
    frame_home: Share = 0.07
    """Target hosts whose home page is frames, flash or an image map, judged as the bridge."""
    bridge_errors: Share = 0.0
    """Of the bridge pages on foreign hosts, error pages: judged, not OK, without links."""
    redirects: Share = 0.0
    """Of the leaves, those that redirect to the home page of their host."""
    meta: Share = 1.0
    """Of the target pages, those that declare a charset of the target language in META."""
    meta_clustering: Share = 0.8
    """How far that label is the same on all pages of a host; 0: page by page."""
    unlabelled: dict[str, Count] = {}
    """Charsets of the other target pages; where empty, they declare none and use the same."""
    charsets: dict[str, dict[str, Count]] = {}
    """Charsets that pages of a language declare in META; '' for none."""
    target_text: dict[str, Count] = {}
    """How much of a target page is in the target language, as shares with their weights."""
    bridge_text: dict[str, Count] = {}
    """The same for the bridge pages of target hosts, which are not relevant all the same."""
    language_paths: Share = 0.3
    """Target hosts whose URLs name the language of a section, as /th/ and /en/."""
    bytes: Count = 12_000
    """A typical page, in bytes."""
    latency: Count = 0.3
    """A typical answer, in seconds."""


class Links(_Table):
    """The mean number of links of an OK page, by where they lead."""

    same_host: Count
    same_domain: Count
    """To another host of the same domain."""
    other_domain: Count
    unfetched: Count
    """To URLs that were never fetched."""


class Linking(_Table):
    """Where links lead."""

    target: Links
    """Links of the pages in the target sections of target hosts."""
    foreign: Links
    branching: Annotated[float, Field(ge=1.5)] = 4.0
    """Children a page has in the tree by which its host is discovered."""
    cross_section: Share = 0.1
    """Template links of a target section that lead to the bridge section."""
    section_to_target: Share = 0.1
    """Template links of a bridge section that lead to the target section."""
    target_to_target_hosts: Share = 0.5
    """Links to other domains, of target sections, that lead to target hosts."""
    foreign_to_target_hosts: Share = 0.1
    to_home: Share = 0.6
    """Links between hosts that lead to a home page; the others lead to pages near it."""
    found_on_target_hosts: Share = 0.9
    """Target hosts that were discovered on a target host."""
    foreign_found_on_target_hosts: Share = 0.3
    unfetched_new: Share = 0.9
    """Links to URLs never fetched that are the only ones to theirs, so far."""
    unfetched_same_host: Share = 0.7


class Profile(_Table):
    """Everything that a generated web is made from, but its size and its seed."""

    name: str = ""
    says: str
    lang: str
    bridge: str = "en"
    seeds: Annotated[int, Field(ge=1)] = 3
    """How many of the most popular target hosts a crawl starts from."""
    domains: dict[str, Domain]
    languages: dict[str, Count] = {}
    """What `other` pages are made of."""
    hosts: Hosts
    pages: Pages
    links: Linking

    @field_validator("lang", "bridge")
    @classmethod
    def _language(cls, name: str) -> str:
        """A language as people write it, as its tag."""
        try:
            return str(find_tag(name))
        except UsageError as error:
            raise ValueError(str(error).rstrip(".")) from None

    @model_validator(mode="after")
    def _is_possible(self) -> Profile:
        """Shares that leave nothing, and webs without a page, are refused in a sentence."""
        if not sum(domain.target for domain in self.domains.values()) > 0:
            raise ValueError("no domain has a page in the target language")
        pages = self.pages
        if pages.target_share + pages.leaves_on_target_hosts > 1:
            raise ValueError("target_share and leaves_on_target_hosts add up to more than one")
        if pages.target_share == 0:
            raise ValueError("target_share must be above zero")
        if pages.bridge_home + pages.frame_home > 1:
            raise ValueError("bridge_home and frame_home add up to more than one")
        for shares in (pages.target_text, pages.bridge_text):
            if any(not 0 <= float(share) <= 1 for share in shares):
                raise ValueError("target_text and bridge_text must hold shares from 0 to 1")
        if len({bool(domain.encodings) for domain in self.domains.values()}) > 1:
            raise ValueError("either all domains or none must have encodings")
        for name, domain in self.domains.items():
            if not name.startswith("."):
                raise ValueError(f"the domain '{name}' must begin with a dot")
            if domain.target > pages.target_share * domain.pages:
                raise ValueError(
                    f"{name} has more target pages than its target hosts can hold: "
                    "lower them or raise target_share"
                )
        return self


def profiles() -> list[str]:
    """The names of the profiles that come with langcrawl."""
    folder = resources.files("langcrawl.virtualweb.synth") / "profiles"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())


def load_profile(name: str, also: Sequence[str] = ()) -> Profile:
    """A profile by its name, or from a TOML file of one's own.

    Where there is none, the profiles that there are get named, and `also` those of other kinds.
    """
    try:
        if name in profiles():
            folder = resources.files("langcrawl.virtualweb.synth") / "profiles"
            text = (folder / f"{name}.toml").read_text(encoding="utf-8")
        else:
            text = Path(name).read_text(encoding="utf-8")
        found = Profile(**tomllib.loads(text))
    except FileNotFoundError:
        there_are = ", ".join([*profiles(), *also])
        raise BadInput(
            f"there is no profile and no file '{name}'; there are: {there_are}."
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"the profile '{name}' cannot be read ({error}); fix the file.") from None
    except ValidationError as error:
        problem = first_problem(error)
        raise BadInput(f"the profile '{name}' cannot be used: {problem}; fix the file.") from None
    return found if found.name else found.model_copy(update={"name": name})
