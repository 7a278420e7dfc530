"""The hosts of a generated web: how large, in which domain, in which language, how popular."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from langcrawl.errors import BadInput
from langcrawl.virtualweb.synth.profile import Domain, Profile
from langcrawl.virtualweb.synth.sizes import (
    Ints,
    domain_sizes,
    host_sizes,
    popularities,
    rounded,
)

NORMAL_HOME, BRIDGE_HOME, FRAME_HOME = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Hosts:
    """Arrays over hosts. A host's pages are its main section, its bridge section, its leaves."""

    target: npt.NDArray[np.uint8]
    """1 for a host with a main section in the target language."""
    tld: npt.NDArray[np.int16]
    domain: Ints
    """Hosts of one domain have numbers that follow each other."""
    domain_first: Ints
    domain_size: Ints
    first: npt.NDArray[np.int64]
    """The host's first page: its home page, where it has an OK page at all."""
    main: Ints
    side: Ints
    leaves: Ints
    language: npt.NDArray[np.uint8]
    """The language of the main section, as a number of `Tongues`."""
    home: npt.NDArray[np.uint8]
    popularity: npt.NDArray[np.float32]
    error_share: npt.NDArray[np.float32]
    """Of the host's leaves, those that are error pages in the bridge language."""

    def __len__(self) -> int:
        return len(self.target)

    @property
    def ok(self) -> Ints:
        """How many OK HTML pages each host has."""
        return self.main + self.side


class Tongues(NamedTuple):
    """The languages of a web by number: unknown, target, bridge, then the others."""

    tags: tuple[str, ...]

    @classmethod
    def of(cls, profile: Profile) -> Tongues:
        others = dict.fromkeys(profile.languages)
        for domain in profile.domains.values():
            others |= dict.fromkeys(domain.languages)
        for tag in (profile.lang, profile.bridge):
            others.pop(tag, None)
        return cls(("und", profile.lang, profile.bridge, *others))


UNKNOWN, TARGET, BRIDGE = 0, 1, 2


class _Group(NamedTuple):
    """The hosts of one kind in one top-level domain."""

    sizes: Ints
    main: Ints
    side: Ints
    leaves: Ints
    language: npt.NDArray[np.uint8]
    home: npt.NDArray[np.uint8]
    popularity: npt.NDArray[np.float64]
    error_share: float
    domains: Ints
    """How many hosts each domain has."""


def draw_hosts(profile: Profile, pages: int, rng: np.random.Generator) -> Hosts:
    """Hosts for a web of so many pages."""
    tongues = Tongues.of(profile)
    whole = sum(domain.pages for domain in profile.domains.values())
    groups, kinds, tlds = [], [], []
    budget = _Budget(profile, pages)
    done, so_far = 0, 0.0
    for number, domain in enumerate(profile.domains.values()):
        so_far += domain.pages / whole * pages
        share = round(so_far) - done
        done += share
        wanted = _scaled(domain, share)
        on_target_hosts = min(share, round(wanted.target / profile.pages.target_share))
        target = _target_group(rng, profile, budget, on_target_hosts, wanted.target)
        foreign = _foreign_group(
            rng, profile, budget, share - on_target_hosts, _left(wanted, target), tongues, domain
        )
        groups += [target, foreign]
        kinds += [1, 0]
        tlds += [number, number]
    return _together(groups, kinds, tlds)


class _Wanted(NamedTuple):
    target: float
    bridge: float
    other: float
    unknown: float


def _scaled(domain: Domain, pages: int) -> _Wanted:
    unit = pages / domain.pages if domain.pages else 0.0
    return _Wanted(
        domain.target * unit, domain.bridge * unit, domain.other * unit, domain.unknown * unit
    )


def _left(wanted: _Wanted, group: _Group) -> _Wanted:
    """What the foreign hosts of a domain must have, so that the whole is as wanted."""
    in_target = _expected_target(group)
    bridge = int(group.main.sum()) + int(group.side.sum()) - in_target
    return _Wanted(
        0.0,
        max(0.0, wanted.bridge - bridge),
        wanted.other,
        max(0.0, wanted.unknown - int(group.leaves.sum())),
    )


def _expected_target(group: _Group) -> float:
    return float(group.main.sum() - np.count_nonzero(group.home))


class _Budget:
    """Pages and hosts of each kind, from the profile's means."""

    def __init__(self, profile: Profile, pages: int) -> None:
        hosts = profile.hosts
        target_pages = pages * _target_hosts_share(profile)
        all_hosts = pages / hosts.pages_per_host
        target_hosts = min(target_pages / hosts.pages_per_target_host, all_hosts)
        foreign_pages = pages - target_pages
        self.largest = max(2, int(max(pages * hosts.largest, min(pages / 20, 3000))))
        self.target_mean = max(1.0, target_pages / max(1.0, target_hosts))
        self.foreign_mean = max(1.0, foreign_pages / max(1.0, all_hosts - target_hosts))
        if pages < profile.seeds * 10:
            raise BadInput(f"a web of {pages} pages is too small; ask for more with --pages.")


def _target_hosts_share(profile: Profile) -> float:
    whole = sum(domain.pages for domain in profile.domains.values())
    target = sum(domain.target for domain in profile.domains.values())
    return min(1.0, target / whole / profile.pages.target_share)


def _target_group(
    rng: np.random.Generator, profile: Profile, budget: _Budget, pages: int, wanted: float
) -> _Group:
    """Hosts with a main section in the target language, larger where they are more popular."""
    about = profile.pages
    sizes = host_sizes(rng, profile.hosts.size_tail, pages, budget.target_mean, budget.largest)
    popularity = popularities(rng, profile.hosts.popularity_spread, sizes)
    chance = rng.random(len(sizes))
    home = np.where(
        chance < about.bridge_home,
        BRIDGE_HOME,
        np.where(chance < about.bridge_home + about.frame_home, FRAME_HOME, NORMAL_HOME),
    ).astype(np.uint8)
    order = np.argsort(np.argsort(popularity, kind="stable"), kind="stable")
    spread = (order + 0.5) / max(1, len(sizes)) * 2 * np.sqrt(3) - np.sqrt(3)
    leaves = np.minimum(rounded(rng, sizes * about.leaves_on_target_hosts), sizes - 1)
    inner = (sizes - leaves).astype(np.float64)
    lost = np.count_nonzero(home)
    low, high = -12.0, 12.0
    for _ in range(50):  # the level at which the target pages are as many as wanted
        level = (low + high) / 2
        share = 1 / (1 + np.exp(-(level + about.target_share_slope * spread)))
        found = (np.maximum(1, inner * share).sum() - lost) * (1 - about.mixed)
        low, high = (level, high) if found < wanted else (low, level)
    main = np.clip(rounded(rng, inner * share), 1, np.maximum(1, sizes - leaves)).astype(np.int32)
    return _Group(
        sizes, main, sizes - leaves - main, leaves,
        np.full(len(sizes), TARGET, np.uint8), home, popularity, 0.0,
        domain_sizes(rng, len(sizes), profile.hosts.per_target_domain),
    )  # fmt: skip


def _foreign_group(
    rng: np.random.Generator,
    profile: Profile,
    budget: _Budget,
    pages: int,
    wanted: _Wanted,
    tongues: Tongues,
    domain: Domain,
) -> _Group:
    """Hosts in the bridge or another language; most of their pages are leaves."""
    sizes = host_sizes(rng, profile.hosts.size_tail, pages, budget.foreign_mean, budget.largest)
    errors = wanted.bridge * profile.pages.bridge_errors
    ok_wanted = wanted.bridge - errors + wanted.other
    leaf_wanted = wanted.unknown + errors
    ok_share = ok_wanted / max(1.0, ok_wanted + leaf_wanted)
    luck = np.exp(rng.normal(0.0, 0.6, len(sizes)) / np.sqrt(1 + sizes / 100))
    exact = np.minimum(sizes * ok_share * luck, sizes)
    exact *= ok_share * sizes.sum() / max(1e-9, exact.sum())
    main = np.minimum(rounded(rng, exact), sizes)
    language = _languages(rng, main, wanted, tongues, domain, profile)
    popularity = popularities(rng, profile.hosts.popularity_spread, sizes)
    return _Group(
        sizes, main, np.zeros_like(main), sizes - main, language,
        np.zeros(len(sizes), np.uint8), popularity * np.sqrt(1 + main),
        errors / max(1.0, leaf_wanted),
        domain_sizes(rng, len(sizes), profile.hosts.per_foreign_domain),
    )  # fmt: skip


def _languages(
    rng: np.random.Generator,
    main: Ints,
    wanted: _Wanted,
    tongues: Tongues,
    domain: Domain,
    profile: Profile,
) -> npt.NDArray[np.uint8]:
    """A language for each host, so that the pages come out as wanted but for one host."""
    others = domain.languages or profile.languages or {profile.bridge: 1.0}
    bridge = wanted.bridge * (1 - profile.pages.bridge_errors)
    weights = {profile.bridge: bridge}
    whole = sum(others.values())
    for tag, weight in others.items():
        weights[tag] = weights.get(tag, 0.0) + wanted.other * weight / whole
    codes = np.array([tongues.tags.index(tag) for tag in weights], dtype=np.uint8)
    bounds = np.cumsum(list(weights.values()))
    order = rng.permutation(len(main))
    middle = np.cumsum(main[order]) - main[order] / 2
    if not len(main) or not bounds[-1] or not main.sum():
        return np.full(len(main), BRIDGE, np.uint8)
    place = np.searchsorted(bounds / bounds[-1], middle / main.sum())
    language = np.empty(len(main), np.uint8)
    language[order] = codes[np.minimum(place, len(codes) - 1)]
    return language


def _together(groups: list[_Group], kinds: list[int], tlds: list[int]) -> Hosts:
    """All groups as one list of hosts, whose pages follow each other."""
    counts = [len(group.sizes) for group in groups]
    sizes = np.concatenate([group.sizes for group in groups])
    domain_sizes = np.concatenate([group.domains for group in groups])
    domain = np.repeat(np.arange(len(domain_sizes), dtype=np.int32), domain_sizes)
    domain_first = np.concatenate([[0], np.cumsum(domain_sizes)[:-1]]).astype(np.int32)

    def joined(name: str) -> Ints:
        return np.concatenate([getattr(group, name) for group in groups]).astype(np.int32)

    return Hosts(
        target=np.repeat(np.array(kinds, np.uint8), counts),
        tld=np.repeat(np.array(tlds, np.int16), counts),
        domain=domain,
        domain_first=domain_first[domain],
        domain_size=domain_sizes[domain],
        first=np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)[:-1]]),
        main=joined("main"),
        side=joined("side"),
        leaves=joined("leaves"),
        language=joined("language").astype(np.uint8),
        home=joined("home").astype(np.uint8),
        popularity=np.concatenate([g.popularity for g in groups]).astype(np.float32),
        error_share=np.repeat([g.error_share for g in groups], counts).astype(np.float32),
    )
