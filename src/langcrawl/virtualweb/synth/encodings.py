"""Encodings of a generated web's target hosts, and how much of a page is in the target language."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from langcrawl.virtualweb.synth import chance
from langcrawl.virtualweb.synth.hosts import Hosts
from langcrawl.virtualweb.synth.profile import Profile

_SHARE = 61
_JITTER = 0.2
"""How far a page's share may be from the one in the profile."""


def encoding_names(profile: Profile) -> tuple[str, ...]:
    """The encodings of a web by number; the first is none."""
    named = [name for domain in profile.domains.values() for name in domain.encodings]
    return ("", *dict.fromkeys(named))


def host_encodings(profile: Profile, hosts: Hosts) -> npt.NDArray[np.uint8]:
    """The encoding of each target host, as a number of `encoding_names`; 0 for other hosts.

    From the largest host of a domain on, each takes the encoding that still lacks most pages,
    so that the pages have the shares of the profile as nearly as can be.
    """
    names = encoding_names(profile)
    found = np.zeros(len(hosts), np.uint8)
    for number, domain in enumerate(profile.domains.values()):
        if not domain.encodings:
            continue
        mine = np.flatnonzero((hosts.target == 1) & (hosts.tld == number))
        mine = mine[np.argsort(-hosts.main[mine], kind="stable")]
        shares = np.array(list(domain.encodings.values()))
        lacking = shares / shares.sum() * hosts.main[mine].sum()
        codes = [names.index(name) for name in domain.encodings]
        for host in mine:
            place = int(np.argmax(lacking))
            found[host] = codes[place]
            lacking[place] -= hosts.main[host]
    return found


def text_shares(
    shares: dict[str, float], seed: int, first: int, last: int
) -> npt.NDArray[np.float64]:
    """The share of the target language on each of these pages."""
    bounds = np.cumsum(list(shares.values()))
    draw = chance.units(seed, first, last, _SHARE)
    place = np.minimum(np.searchsorted(bounds / bounds[-1], draw), len(bounds) - 1)
    near = 1 + _JITTER * (2 * chance.units(seed, first, last, _SHARE + 100) - 1)
    typical = np.array([float(share) for share in shares])
    return np.asarray(np.minimum(typical[place] * near, 1.0))
