"""The pages of a generated web: for each its language, its labels, its status."""
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.virtualweb.synth.chance import mixed, start, unit, units
from langcrawl.virtualweb.synth.hosts import BRIDGE, TARGET, UNKNOWN, Hosts
from langcrawl.virtualweb.synth.profile import Profile

# Streams of random numbers; each use has one of its own.
LANGUAGE, META, STATUS, SIZE, LATENCY, HOST_META, CHARSET, SCORE = 1, 2, 3, 4, 5, 6, 7, 8
_FAILURES = ((404, 0.55), (0, 0.25), (403, 0.08), (500, 0.07), (503, 0.05))
"""How leaves answer, and how often: 0 is no answer at all."""


class Labels(NamedTuple):
    """What every page is."""

    host: npt.NDArray[np.int32]
    language: npt.NDArray[np.uint8]
    """As charset and n-grams together say."""
    meta: npt.NDArray[np.uint8]
    """1 where META alone says that the page is in the target language."""


def label_pages(profile: Profile, hosts: Hosts, seed: int) -> Labels:
    """A language for every page, and whether its META declares the target."""
    pages = int(hosts.first[-1] + hosts.ok[-1] + hosts.leaves[-1])
    host = np.repeat(np.arange(len(hosts), dtype=np.int32), hosts.ok + hosts.leaves)
    language = np.empty(pages, np.uint8)
    meta = np.zeros(pages, np.uint8)
    about = profile.pages
    _label(
        hosts.first, hosts.main, hosts.side, hosts.leaves, hosts.language, hosts.home,
        hosts.error_share, _host_labels(profile, hosts, seed), seed, about.mixed, about.meta,
        about.meta_clustering, language, meta,
    )  # fmt: skip
    return Labels(host, language, meta)


def _host_labels(profile: Profile, hosts: Hosts, seed: int) -> npt.NDArray[np.uint8]:
    """Whether a host that labels its pages alike declares the target language.

    Hosts are put in a random order and cut where the share of labelled pages is as wanted,
    so that a few large hosts do not decide it.
    """
    order = np.argsort(units(seed, 0, len(hosts), HOST_META), kind="stable")
    weight = np.where(hosts.target[order] == 1, hosts.main[order], 0).astype(np.float64)
    middle = (np.cumsum(weight) - weight / 2) / max(1.0, weight.sum())
    labelled = np.empty(len(hosts), np.uint8)
    labelled[order] = middle < profile.pages.meta
    return labelled


@numba.njit(cache=True)
def _label(
    first, main, side, leaves, own, home, error_share, host_meta, seed, mixed_share, meta_share,
    clustering, language, meta,
):  # fmt: skip
    for host in range(len(first)):
        page = first[host]
        for place in range(main[host]):
            chance = unit(mixed(start(seed, page, LANGUAGE)))
            odd = home[host] > 0 if place == 0 else chance < mixed_share
            tongue = BRIDGE if own[host] == TARGET and odd else own[host]
            language[page] = tongue
            if tongue == TARGET:
                draw = unit(mixed(start(seed, page, META)))
                if draw < clustering:
                    meta[page] = host_meta[host]
                else:
                    meta[page] = (draw - clustering) / (1 - clustering) < meta_share
            page += 1
        for _ in range(side[host]):
            language[page] = BRIDGE
            page += 1
        for _ in range(leaves[host]):
            chance = unit(mixed(start(seed, page, LANGUAGE)))
            language[page] = BRIDGE if chance < error_share[host] else UNKNOWN
            page += 1


def statuses(
    leaf: npt.NDArray[np.bool_], first: int, seed: int, redirects: float
) -> npt.NDArray[np.int16]:
    """The HTTP status of pages from `first` on; 301 for leaves that redirect."""
    chance = units(seed, first, first + len(leaf), STATUS)
    codes = np.array([301, *(code for code, _ in _FAILURES)], np.int16)
    shares = np.array([redirects, *(share * (1 - redirects) for _, share in _FAILURES)])
    place = np.searchsorted(np.cumsum(shares), chance, side="right")
    return np.where(leaf, codes[np.minimum(place, len(codes) - 1)], 200).astype(np.int16)
