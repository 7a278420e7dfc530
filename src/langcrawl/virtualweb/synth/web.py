"""A web that is planned and not yet written: its hosts, its pages, where links lead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.errors import BadInput
from langcrawl.virtualweb.synth.encodings import host_encodings
from langcrawl.virtualweb.synth.hosts import Hosts, Tongues, draw_hosts
from langcrawl.virtualweb.synth.links import Plan, plan_links
from langcrawl.virtualweb.synth.names import host_names
from langcrawl.virtualweb.synth.pages import Labels, label_pages
from langcrawl.virtualweb.synth.profile import Profile


@dataclass(frozen=True, slots=True)
class Web:
    """A web that is planned and not yet written."""

    profile: Profile
    tongues: Tongues
    hosts: Hosts
    labels: Labels
    plan: Plan
    names: pa.Array
    has_paths: npt.NDArray[np.bool_]
    encoding: npt.NDArray[np.uint8]
    """The encoding of each host, as a number of `encoding_names`."""
    seed: int


def plan_web(profile: Profile, size: int, seed: int) -> tuple[Web, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    hosts = draw_hosts(profile, size, rng)
    if not np.count_nonzero(hosts.target):
        raise BadInput(f"a web of {size} pages has no target page; ask for more with --pages.")
    seeds = _seeds(profile, hosts)
    hosts.home[seeds] = 0
    labels = label_pages(profile, hosts, seed)
    plan = plan_links(profile, hosts, seeds, rng)
    names = host_names(profile, hosts, rng)
    has_paths = rng.random(len(hosts)) < profile.pages.language_paths
    encoding = host_encodings(profile, hosts)
    web = Web(profile, Tongues.of(profile), hosts, labels, plan, names, has_paths, encoding, seed)
    return web, seeds


def _seeds(profile: Profile, hosts: Hosts) -> npt.NDArray[np.int64]:
    """The most popular target hosts."""
    popularity = np.where(hosts.target == 1, hosts.popularity, -1.0)
    count = min(profile.seeds, int(np.count_nonzero(hosts.target)))
    return np.argsort(-popularity, kind="stable")[:count]
