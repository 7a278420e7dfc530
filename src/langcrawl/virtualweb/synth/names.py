"""Names for hosts and paths for pages of a generated web, as Arrow arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.virtualweb.synth.hosts import TARGET, Hosts, Tongues
from langcrawl.virtualweb.synth.profile import Profile

_ONSETS = ("b", "ch", "d", "k", "kh", "l", "m", "n", "p", "ph", "r", "s", "t", "th", "w", "y")
_RIMES = ("a", "ai", "an", "ao", "e", "i", "in", "o", "on", "u")
_SYLLABLES = tuple(onset + rime for onset in _ONSETS for rime in _RIMES)
_SUBDOMAINS = ("www", "web", "news", "board", "home", "shop", "my", "mail", "club", "blog")


def host_names(profile: Profile, hosts: Hosts, rng: np.random.Generator) -> pa.Array:
    """A name for every host: hosts of one domain share what comes after the first dot."""
    suffixes = _suffixes(profile, hosts, rng)
    names = []
    for number, domain in enumerate(hosts.domain.tolist()):
        inside = number - int(hosts.domain_first[number])
        label = _SUBDOMAINS[inside % 10] + (str(inside // 10) if inside >= 10 else "")
        names.append(f"{label}.{_word(domain)}.{suffixes[domain]}")
    return pa.array(names, pa.string())


def _word(number: int) -> str:
    """A word of syllables, another for every number."""
    number += len(_SYLLABLES)
    word = ""
    while number:
        number, place = divmod(number, len(_SYLLABLES))
        word += _SYLLABLES[place]
    return word


def _suffixes(profile: Profile, hosts: Hosts, rng: np.random.Generator) -> list[str]:
    """What each domain is registered under."""
    firsts = np.flatnonzero(np.diff(hosts.domain, prepend=-1))
    names = list(profile.domains)
    chance = rng.random(len(firsts))
    found = np.empty(len(firsts), dtype=object)
    for number, name in enumerate(names):
        mine = hosts.tld[firsts] == number
        shares = profile.domains[name].suffixes or {name.lstrip("."): 1.0}
        bounds = np.cumsum(list(shares.values()))
        place = np.searchsorted(bounds / bounds[-1], chance[mine])
        found[mine] = np.array(list(shares), dtype=object)[np.minimum(place, len(shares) - 1)]
    return [str(text) for text in found]


def page_urls(
    names: pa.Array, host: npt.NDArray[np.int32], hosts: Hosts, first: int, tongues: Tongues,
    has_paths: npt.NDArray[np.bool_],
) -> pa.Array:  # fmt: skip
    """The URLs of the pages from `first` on; `host` says where each is."""
    place = np.arange(first, first + len(host)) - hosts.first[host]
    main, ok = hosts.main[host], hosts.ok[host]
    section = np.select([place == 0, place < main, place < ok], [0, 1, 2], 3)
    section = np.where((place == 0) & (ok == 0), 3, section)
    spoken = has_paths[host] & (section > 0) & (section < 3)
    tags = [tag.split("-")[0] for tag in tongues.tags]
    starts = ["/", "/page", "/more", "/files/d"]
    starts += [f"/{tag}/p" for tag in tags]
    in_target = hosts.language[host] == TARGET
    code = np.where(section == 2, 2, np.where(in_target, 1, hosts.language[host]))
    prefix = pa.array(starts).take(pa.array(np.where(spoken, 4 + code, section)))
    number = pc.cast(pa.array(np.where(section == 0, 0, place)), pa.string())
    number = pc.if_else(pa.array(section == 0), "", number)
    ending = pa.array(["", ".html", ".html", ".pdf"]).take(pa.array(section))
    return pc.binary_join_element_wise(
        "http://", names.take(pa.array(host)), prefix, number, ending, ""
    )


def unfetched_urls(names: pa.Array, host: npt.NDArray[np.int32], first: int) -> pa.Array:
    """URLs that nobody fetched, numbered from `first` on."""
    number = pc.cast(pa.array(np.arange(first, first + len(host))), pa.string())
    return pc.binary_join_element_wise("http://", names.take(pa.array(host)), "/x?id=", number, "")
