"""The links of a generated web, page by page.

Every page is found by a tree: the pages of a section hang below its first page, leaves
below OK pages, and the home page of a host below a page of a host that comes before it.
Template links lead from all pages of a host to the few at the top of its sections, so most
pages keep a single link to them. Links to other hosts choose a host by popularity, and then
its home page or one near it.
"""
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.virtualweb.synth.chance import about, following, mixed, start, unit
from langcrawl.virtualweb.synth.hosts import Hosts
from langcrawl.virtualweb.synth.profile import Links, Profile

LINKS, UNFETCHED = 20, 21
_MOST = 600
"""Links to other hosts that one page may have."""


class Plan(NamedTuple):
    """All that the links of a page are made from."""

    first: Any
    main: Any
    side: Any
    leaves: Any
    target: Any
    domain_first: Any
    domain_size: Any
    branching: Any
    entry_source: Any
    """Pages with a link by which another host is discovered, in order, and where it leads."""
    entry_goal: Any
    target_hosts: Any
    """Hosts of that kind in a row, and their popularity added up."""
    target_sums: Any
    foreign_hosts: Any
    foreign_sums: Any
    rates: Any
    """Means, shares and scales, by the names below."""


(SAME, SAME_F, SIBLING, SIBLING_F, OTHER, OTHER_F, UNF, UNF_F, CROSS, TO_MAIN, Q, Q_F, TO_HOME,
 NEW, UNF_HERE, RATES) = range(16)  # fmt: skip


def plan_links(profile: Profile, hosts: Hosts, seeds: npt.NDArray[np.int64],
               rng: np.random.Generator) -> Plan:  # fmt: skip
    """Lay the tree by which hosts are discovered, and work out the rates."""
    source, goal = _entries(profile, hosts, seeds, rng)
    linking = profile.links
    branching = np.maximum(2, rng.poisson(linking.branching - 1.5, len(hosts)) + 2)
    kinds = [np.flatnonzero(hosts.target == kind) for kind in (1, 0)]
    if not len(kinds[1]):  # a web of target hosts only
        kinds[1] = kinds[0]
    sums = [np.cumsum(hosts.popularity[kind].astype(np.float64)) for kind in kinds]
    rates = np.zeros(RATES)
    for links, kind, shift in ((linking.target, 1, 0), (linking.foreign, 0, 1)):
        same, sibling = _scales(hosts, links, kind)
        rates[SAME + shift], rates[SIBLING + shift] = same, sibling
        rates[OTHER + shift], rates[UNF + shift] = links.other_domain, links.unfetched
    rates[CROSS], rates[TO_MAIN] = linking.cross_section, linking.section_to_target
    rates[Q], rates[Q_F] = linking.target_to_target_hosts, linking.foreign_to_target_hosts
    rates[TO_HOME], rates[NEW] = linking.to_home, linking.unfetched_new
    rates[UNF_HERE] = linking.unfetched_same_host
    return Plan(
        hosts.first, hosts.main, hosts.side, hosts.leaves, hosts.target, hosts.domain_first,
        hosts.domain_size, branching.astype(np.int32), source, goal,
        kinds[0].astype(np.int32), sums[0], kinds[1].astype(np.int32), sums[1], rates,
    )  # fmt: skip


def _scales(hosts: Hosts, links: Links, kind: int) -> tuple[float, float]:
    """The number of links to draw so that the mean is right, though small hosts have no room."""
    mine = (hosts.target == kind) & (hosts.ok > 0)
    ok = hosts.ok[mine].astype(np.float64)
    room = hosts.ok[mine] - 1 + hosts.leaves[mine] / np.maximum(1, ok)
    low, high = 0.0, 40.0 * max(1.0, links.same_host)
    for _ in range(50):
        level = (low + high) / 2
        if (ok * np.minimum(level, room)).sum() < links.same_host * ok.sum():
            low = level
        else:
            high = level
    shared = (ok * (hosts.domain_size[mine] > 1)).sum() / max(1.0, ok.sum())
    sibling = links.same_domain / shared if shared > 0 else 0.0
    return min(high, 10.0 * links.same_host), min(sibling, 20.0 * links.same_domain)


def _entries(
    profile: Profile, hosts: Hosts, seeds: npt.NDArray[np.int64], rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each page that no tree of its host leads to, a page of an earlier host that does."""
    popular = np.argsort(-hosts.popularity, kind="stable")
    target = popular[hosts.target[popular] == 1]
    target = np.concatenate([seeds, target[~np.isin(target, seeds)]])
    foreign = popular[hosts.target[popular] == 0]
    fruitful = foreign[hosts.main[foreign] > 0]
    bare = foreign[hosts.main[foreign] == 0]
    orphans = np.repeat(hosts.first[bare], hosts.leaves[bare]) + _within(hosts.leaves[bare])
    linking = profile.links
    # A host's place, from 0 to 1, is its rank among its kind; it is found at a smaller place.
    rank = np.arange(len(seeds), len(target))
    place = np.arange(len(fruitful)) / max(1, len(fruitful))
    parts = [
        (hosts.first[target[len(seeds) :]], rank, rank / len(target) * len(fruitful),
         linking.found_on_target_hosts),
        (hosts.first[fruitful], np.maximum(len(seeds), place * len(target)),
         np.arange(len(fruitful)), linking.foreign_found_on_target_hosts),
        (orphans, np.full(len(orphans), len(target)), np.full(len(orphans), len(fruitful)),
         linking.foreign_found_on_target_hosts),
    ]  # fmt: skip
    sources = []
    for goals, targets, foreigners, share in parts:
        skew = rng.random(len(goals)) ** 2
        on_target = (rng.random(len(goals)) < share) | (foreigners < 1)
        parent = target[(targets.astype(np.int64) * skew).astype(np.int64)]
        if len(fruitful):
            picked = (foreigners.astype(np.int64) * skew).astype(np.int64)
            parent = np.where(on_target, parent, fruitful[picked])
        place_on_host = (rng.random(len(goals)) * hosts.ok[parent]).astype(np.int64)
        sources.append(hosts.first[parent] + place_on_host)
    source = np.concatenate(sources)
    goal = np.concatenate([goals for goals, *_ in parts])
    order = np.argsort(source, kind="stable")
    return source[order], goal[order].astype(np.int64)


def _within(counts: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """0, 1, 2, ... within each of groups of these sizes."""
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - counts, counts)


@numba.njit(cache=True, inline="always")
def _pick_host(hosts, sums, chance):
    return hosts[min(np.searchsorted(sums, chance * sums[-1]), len(hosts) - 1)]


@numba.njit(cache=True, inline="always")
def _pick_page(plan, host, to_home, chance):
    """The home page of a host, or a page near it; of a host without OK pages, any."""
    ok = plan.main[host] + plan.side[host]
    if ok == 0:
        return plan.first[host] + int(chance * plan.leaves[host])
    if chance < to_home:
        return plan.first[host]
    deep = (chance - to_home) / (1 - to_home)
    return plan.first[host] + int(deep * deep * deep * ok)


@numba.njit(cache=True, inline="always")
def _pick_any(plan, host, chance):
    """Any page of a sister host, whose dead ends are known where it is a target host."""
    pages = plan.main[host] + plan.side[host]
    if plan.target[host] == 0 or pages == 0:
        pages += plan.leaves[host]
    return plan.first[host] + int(chance * pages)


@numba.njit(cache=True)
def unfetched_links(plan, seed, page, in_target):
    """How many links of a page lead to URLs never fetched."""
    state = start(seed, page, UNFETCHED)
    mean = plan.rates[UNF] if in_target else plan.rates[UNF_F]
    return about(mean, unit(mixed(state)), unit(mixed(following(state))))


@numba.njit(cache=True, nogil=True)
def count_new(plan, host_of, seed, first, last):
    """How many URLs that were never fetched the pages from `first` to `last` link to first."""
    count = 0
    for page in range(first, last):
        host = host_of[page]
        place = page - plan.first[host]
        if place >= plan.main[host] + plan.side[host]:
            continue
        in_target = plan.target[host] == 1 and place < plan.main[host]
        state = start(seed, page, UNFETCHED + 1)
        for _ in range(unfetched_links(plan, seed, page, in_target)):
            state = following(state)
            if unit(mixed(state)) < plan.rates[NEW]:
                count += 1
    return count


@numba.njit(cache=True, nogil=True)
def link_pages(plan, host_of, seed, first, last, next_url, goals, counts, new_hosts):
    """The links of the pages from `first` to `last`; how many.

    URLs that were never fetched have numbers from `next_url` on; their hosts go to
    `new_hosts`. What does not fit into `goals` is not written, and the count says so.
    """
    total = 0
    made = 0
    entry = np.searchsorted(plan.entry_source, first)
    for page in range(first, last):
        host = host_of[page]
        place = page - plan.first[host]
        begin = total
        if place < plan.main[host] + plan.side[host]:
            if total + 3 * _MOST + plan.leaves[host] + 64 > len(goals):
                return -1
            total = _same_host(plan, seed, page, host, place, goals, total)
            other = total
            while entry < len(plan.entry_source) and plan.entry_source[entry] == page:
                if total < len(goals):
                    goals[total] = plan.entry_goal[entry]
                    total += 1
                entry += 1
            total = _other_hosts(plan, seed, page, host, place, goals, total, other)
            total, made = _unfetched(plan, seed, page, host, place, goals, total, next_url, made,
                                     new_hosts)  # fmt: skip
        counts[page - first] = total - begin
    return total


@numba.njit(cache=True)
def _linked(goals, begin, end, goal):
    """Whether a link to this goal stands between these places."""
    for place in range(begin, end):  # noqa: SIM110 (Numba knows no generators)
        if goals[place] == goal:
            return True
    return False


@numba.njit(cache=True)
def _same_host(plan, seed, page, host, place, goals, total):
    """Template links first, as on most pages; then the children in the tree; then leaves."""
    main, side, home = plan.main[host], plan.side[host], plan.first[host]
    in_main = place < main
    size, other = (main, side) if in_main else (side, main)
    own, away = (home, home + main) if in_main else (home + main, home)
    at = place if in_main else place - main
    branching = plan.branching[host]
    child = branching * at + 1
    children = max(0, min(child + branching, size) - child)
    ok, leaves = main + side, plan.leaves[host]
    leaf, leaf_end = -(-place * leaves // ok), -(-(place + 1) * leaves // ok)
    state = start(seed, page, LINKS)
    mean = plan.rates[SAME] if plan.target[host] == 1 and in_main else plan.rates[SAME_F]
    wanted = int(mean * (0.4 + 1.2 * unit(mixed(state))) + 0.5) - children - (leaf_end - leaf)
    cross = plan.rates[CROSS] if in_main else plan.rates[TO_MAIN]
    here, there = 0, 0
    if place == 0 and side > 0:
        goals[total] = home + main  # the home page leads to the index of the other section
        total += 1
        there = 1
    while wanted > 0 and (here < size or there < other):
        state = following(state)
        if there < other and (here >= size or unit(mixed(state)) < cross):
            if here >= size and unit(mixed(state)) >= cross:
                break
            goals[total] = away + there
            there += 1
        else:
            spot = here
            here += 1
            if spot == at or child <= spot < child + branching:
                continue
            goals[total] = own + spot
        total += 1
        wanted -= 1
    for spot in range(child, child + children):
        goals[total] = own + spot
        total += 1
    for spot in range(leaf, leaf_end):
        goals[total] = home + ok + spot
        total += 1
    return total


@numba.njit(cache=True)
def _other_hosts(plan, seed, page, host, place, goals, total, begin):
    """Links to other hosts, of the same domain and of others; each page once."""
    in_target = plan.target[host] == 1 and place < plan.main[host]
    state = start(seed, page, LINKS + 10)
    siblings = 0
    if plan.domain_size[host] > 1 and place < plan.main[host]:
        mean = plan.rates[SIBLING] if plan.target[host] == 1 else plan.rates[SIBLING_F]
        siblings = about(mean, unit(mixed(state)), unit(mixed(following(state))))
    state = following(following(state))
    mean = plan.rates[OTHER] if in_target else plan.rates[OTHER_F]
    others = about(mean, unit(mixed(state)), unit(mixed(following(state))))
    others = max(0, others - (total - begin))
    state = following(following(state))
    share = plan.rates[Q] if in_target else plan.rates[Q_F]
    for number in range(min(siblings + others, _MOST)):
        state = following(state)
        chance = unit(mixed(state))
        state = following(state)
        if number < siblings:
            goal_host = plan.domain_first[host] + int(chance * (plan.domain_size[host] - 1))
            goal_host += 1 if goal_host >= host else 0
        elif unit(mixed(state)) < share:
            goal_host = _pick_host(plan.target_hosts, plan.target_sums, chance)
        else:
            goal_host = _pick_host(plan.foreign_hosts, plan.foreign_sums, chance)
        if goal_host == host:
            continue
        state = following(state)
        if number < siblings:
            goal = _pick_any(plan, goal_host, unit(mixed(state)))
        else:
            goal = _pick_page(plan, goal_host, plan.rates[TO_HOME], unit(mixed(state)))
        if not _linked(goals, begin, total, goal):
            goals[total] = goal
            total += 1
    return total


@numba.njit(cache=True)
def _unfetched(plan, seed, page, host, place, goals, total, next_url, made, new_hosts):
    """Links to URLs that nobody fetched: most are new, some were linked to a moment ago."""
    in_target = plan.target[host] == 1 and place < plan.main[host]
    state = start(seed, page, UNFETCHED + 1)
    spare = start(seed, page, UNFETCHED + 2)
    earlier = made
    for _ in range(unfetched_links(plan, seed, page, in_target)):
        state, spare = following(state), following(spare)
        if unit(mixed(state)) < plan.rates[NEW]:
            chance = unit(mixed(spare))
            if chance < plan.rates[UNF_HERE]:
                new_hosts[made] = host
            else:
                spare = following(spare)
                kind = plan.target_hosts if in_target else plan.foreign_hosts
                sums = plan.target_sums if in_target else plan.foreign_sums
                new_hosts[made] = _pick_host(kind, sums, unit(mixed(spare)))
            goals[total] = next_url + made
            made += 1
            total += 1
        elif earlier > 0:
            goal = next_url + earlier - 1 - int(unit(mixed(spare)) * min(earlier, 2000))
            if not _linked(goals, max(0, total - 39), total, goal):
                goals[total] = goal
                total += 1
    return total, made
