"""The compiled loop: the rules of docs/architecture.md over arrays, at memory speed.

A node is a URL of the graph. Everything the crawl knows of it stands in one row of 16
bytes, because a cache miss a link is what the loop costs. The strategy's own `rank` and
`group_state` come in as first-class functions, so that this file is compiled once and kept
on disk while a rule, compiled when it is used, takes a few hundredths of a second.

A lane is an array of nodes with a head and a tail. A node that moves leaves its old entry
behind; the entry counts only while the node still waits in that lane. Where a strategy
re-ranks hosts, a node may come back to a lane, and entries carry the node's arrival too.
Priorities that are real numbers use a binary heap with the same kind of left-behind entries.

All of it is one file because what Numba keeps on disk is renewed when the file of the
outermost function changes, and not when another that it calls from does.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call, attr-defined, call-arg"

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj
from numba.types import float64, int64

from langcrawl.records import Facts

# Columns of a node's row.
STATE, RUN, DEPTH, HOST = 0, 1, 2, 3
# States; a node that waits in lane k has the state WAITING + k.
UNSEEN, TAKEN, WAITING = 0, 1, 2
# Columns of a host's row.
DOWNLOADS, HITS, GROUP = 0, 1, 2
# Counters.
PAGES, QUEUE, MAX_QUEUE, ARRIVALS, DROPPED, LOWEST, HEAP_SIZE, COUNTERS = 0, 1, 2, 3, 4, 5, 6, 7
# Reasons to discard that come before the strategy's own.
TOO_DEEP, TOO_MANY, OWN_REASONS = 0, 1, 2
# Kinds of pages.
RELEVANT, BRIDGE = 1, 2
# How many pages ahead a page, its row of links, and its links are fetched; links at most.
FAR, MIDDLE, NEAR, MOST_AHEAD = 8, 5, 2, 24
# What `advance` answers.
EMPTY, REACHED, BAD_PRIORITY, BAD_LANE = 0, 1, 2, 3


class Web(NamedTuple):
    """The graph, as far as the loop needs it."""

    offsets: Any
    dst: Any
    redirect: Any
    kind: Any
    """RELEVANT, BRIDGE, both or neither, for every page."""
    score: Any
    anchor: Any
    """Where the strategy gathers: how much the anchor of each link is in the target."""
    slashes: Any
    """Where the strategy gathers: the slashes in the path of each node."""


class Memory(NamedTuple):
    """All that changes while the loop runs."""

    nodes: Any
    parent: Any
    """Where it is needed: the page that gave a node its priority, -1 for a seed."""
    hosts: Any
    lanes: Any
    lane_arrivals: Any
    head: Any
    tail: Any
    arrival: Any
    heap_priority: Any
    heap_arrival: Any
    heap_node: Any
    priority: Any
    host_first: Any
    host_last: Any
    next_in_host: Any
    best_anchor: Any
    """Where the strategy gathers: the best anchor score since a node was queued."""
    shares: Any
    """Where the strategy gathers: what its parents passed on since then."""
    order: Any
    queue: Any
    discards: Any
    failure: Any
    """The facts on which the strategy failed."""
    counters: Any


class Rules(NamedTuple):
    """What does not change."""

    max_depth: int
    max_per_host: int
    reasons: int
    lanes: int
    grouped: int
    parents: int
    last_first: int
    highest_first: int
    gathers: int
    host_blind: int
    """The rule reads nothing of the host that a link leads to."""
    score_blind: int
    """The rule does not read the score of the page with the link."""


_I1, _I2, _F1 = types.int32[::1], types.int32[:, ::1], types.float64[::1]
_L1, _U1 = types.int64[::1], types.uint8[::1]
_S1, _H1 = types.float32[::1], types.uint16[::1]
_FACTS = types.NamedTuple(
    [int64, int64, int64, int64, float64, int64, int64, int64, int64, float64, float64, int64],
    Facts,
)
_WEB = types.NamedTuple([_L1, _I1, _I1, _U1, _F1, _S1, _H1], Web)
_MEMORY = types.NamedTuple(
    [_I2, _I1, _I2, _I2, _I2, _L1, _L1, _I1, _F1, _I1, _I1, _F1, _I1, _I1, _I1, _S1, _F1, _I1,
     _I1, _L1, _F1, _L1], Memory,
)  # fmt: skip
_RULES = types.NamedUniTuple(int64, 11, Rules)
RANK = float64(_FACTS)
GROUP_STATE = int64(int64, int64)
_RANK, _GROUP_STATE = types.FunctionType(RANK), types.FunctionType(GROUP_STATE)
_void = types.void


def _compiled(*signature: Any, **options: Any) -> Any:
    """Compile, keep on disk, and do not count references: nothing is allocated in here, and
    counting them costs as much as the work (docs/decisions/0004)."""
    return numba.njit(  # type: ignore[call-overload]
        *signature, cache=True, nogil=True, _nrt=False, no_cfunc_wrapper=True, **options
    )


def _compiled_within(signature: Any) -> Any:
    """For what only this file calls: without the way in from Python, half the time to compile.

    Without a signature it would be compiled for short and for long numbers.
    """
    return _compiled(signature, no_cpython_wrapper=True)


@intrinsic
def _prefetch(typing, array, index):
    """Have the memory at an index fetched while other work goes on; 2d: the row."""

    def generate(context, builder, signature, arguments):
        view = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
        strides = cgutils.unpack_tuple(builder, view.strides)
        place = builder.ptrtoint(view.data, strides[0].type)
        place = builder.add(place, builder.mul(arguments[1], strides[0]))
        pointer = builder.inttoptr(place, cgutils.voidptr_t)
        number = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number]),
            "llvm.prefetch.p0",
        )
        builder.call(function, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@_compiled(inline="always")
def _look_ahead(web, nodes, hosts, lanes, lane, at, tail):
    """Have fetched what the next pages of a lane will need: first a page, then its links."""
    if at + FAR < tail:
        node = lanes[lane, at + FAR]
        _prefetch(nodes, int64(node))
        _prefetch(web.kind, int64(node))
        _prefetch(web.offsets, int64(node))
        node = lanes[lane, at + MIDDLE]
        _prefetch(hosts, int64(nodes[node, HOST]))
        if node < len(web.kind):
            _prefetch(web.dst, web.offsets[node])
        node = lanes[lane, at + NEAR]
        if node < len(web.kind):
            first = web.offsets[node]
            for k in range(first, min(web.offsets[node + 1], first + MOST_AHEAD)):
                _prefetch(nodes, int64(min(web.dst[k], len(nodes) - 1)))


@_compiled(inline="always")
def _facts(run, depth, relevant, bridge, score, same_host, downloads, hits, group, anchor, share,
           slashes):  # fmt: skip
    """Facts with the types that rules are compiled for."""
    return Facts(int64(run), int64(depth), int64(relevant), int64(bridge), float64(score),
                 int64(same_host), int64(downloads), int64(hits), int64(group), float64(anchor),
                 float64(share), int64(slashes))  # fmt: skip


@_compiled(inline="always")
def _of_page(run, depth, relevant, bridge, score, anchor, share):
    """The facts that all links of a page have in common; of the others, as if none were known."""
    return _facts(run, depth, relevant, bridge, score, 0, 0, 0, 0, anchor, share, 1)


@_compiled(inline="always")
def _push_lane(nodes, lanes, lane_arrivals, arrival, tail, counters, grouped, node, lane):
    """Queue a node at the end of a lane that has room."""
    at = tail[lane]
    lanes[lane, at] = node
    nodes[node, STATE] = WAITING + lane
    if grouped:
        counters[ARRIVALS] += 1
        arrival[node] = counters[ARRIVALS]
        lane_arrivals[lane, at] = counters[ARRIVALS]
    tail[lane] = at + 1
    if lane < counters[LOWEST]:
        counters[LOWEST] = lane


@_compiled_within(_void(_MEMORY, int64))
def _compact(memory, lane):
    """Make room in a lane: entries already taken or left behind go."""
    kept = 0
    for k in range(memory.head[lane], memory.tail[lane]):
        node = memory.lanes[lane, k]
        current = memory.nodes[node, STATE] == WAITING + lane
        if current and memory.lane_arrivals[lane, k] == memory.arrival[node]:
            memory.lanes[lane, kept] = node
            memory.lane_arrivals[lane, kept] = memory.lane_arrivals[lane, k]
            kept += 1
    memory.head[lane], memory.tail[lane] = 0, kept


@_compiled(inline="always")
def _pop_lane(nodes, lanes, lane_arrivals, arrival, head, tail, counters, grouped, last_first):
    """The first node that waits in a lane, or -1."""
    found = -1
    lane = counters[LOWEST]
    while found < 0 and lane < len(head):
        if head[lane] == tail[lane]:
            head[lane] = tail[lane] = 0
            lane += 1
            continue
        if last_first:
            tail[lane] -= 1
            at = tail[lane]
        else:
            at = head[lane]
            head[lane] += 1
        node = lanes[lane, at]
        if nodes[node, STATE] == WAITING + lane and (
            not grouped or lane_arrivals[lane, at] == arrival[node]
        ):
            found = node
    counters[LOWEST] = lane
    return found


@_compiled(inline="always")
def _before(priority, arrival, other_priority, other_arrival):
    """Whether one entry of the heap comes before another."""
    return priority < other_priority or (priority == other_priority and arrival < other_arrival)


@_compiled_within(_void(_I2, _F1, _I1, _I1, _I1, _F1, _L1, int64, int64, float64))
def _push_heap(nodes, keys, arrivals, heap, arrival, own, counters, last_first, node, priority):
    """Queue a node in the heap, which has room."""
    counters[ARRIVALS] += 1
    came = -counters[ARRIVALS] if last_first else counters[ARRIVALS]
    nodes[node, STATE] = WAITING
    own[node] = priority
    arrival[node] = came
    at = counters[HEAP_SIZE]
    counters[HEAP_SIZE] = at + 1
    while at > 0:
        above = (at - 1) // 2
        if not _before(priority, came, keys[above], arrivals[above]):
            break
        keys[at], arrivals[at], heap[at] = keys[above], arrivals[above], heap[above]
        at = above
    keys[at], arrivals[at], heap[at] = priority, came, node


@_compiled_within(_void(_F1, _I1, _I1, int64, int64, float64, int64, int64))
def _sink(keys, arrivals, heap, size, at, priority, came, node):
    """Put an entry at `at` or below, where it belongs."""
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        right = below + 1
        if right < size and _before(keys[right], arrivals[right], keys[below], arrivals[below]):
            below = right
        if _before(priority, came, keys[below], arrivals[below]):
            break
        keys[at], arrivals[at], heap[at] = keys[below], arrivals[below], heap[below]
        at = below
    keys[at], arrivals[at], heap[at] = priority, came, node


@_compiled_within(int64(_I2, _F1, _I1, _I1, _I1, _L1))
def _pop_heap(nodes, keys, arrivals, heap, arrival, counters):
    """The first node that waits in the heap, or -1."""
    while counters[HEAP_SIZE] > 0:
        node, came = heap[0], arrivals[0]
        counters[HEAP_SIZE] -= 1
        last = counters[HEAP_SIZE]
        if last > 0:
            _sink(keys, arrivals, heap, last, 0, keys[last], arrivals[last], heap[last])
        if nodes[node, STATE] == WAITING and arrival[node] == came:
            return node
    return -1


@_compiled_within(_void(_MEMORY))
def _compact_heap(memory):
    """Make room in the heap: entries that were left behind go."""
    keys, arrivals, heap = memory.heap_priority, memory.heap_arrival, memory.heap_node
    kept = 0
    for k in range(memory.counters[HEAP_SIZE]):
        node = heap[k]
        if memory.nodes[node, STATE] == WAITING and memory.arrival[node] == arrivals[k]:
            keys[kept], arrivals[kept], heap[kept] = keys[k], arrivals[k], node
            kept += 1
    memory.counters[HEAP_SIZE] = kept
    for at in range(kept // 2 - 1, -1, -1):
        _sink(keys, arrivals, heap, kept, at, keys[at], arrivals[at], heap[at])


@_compiled_within(_void(_MEMORY, _RULES, int64))
def _make_room(memory, rules, count):
    """See that so many nodes can be queued, in any lane.

    Without groups there is always room in a lane: a node only ever moves to a better one,
    so it comes to each of them once.
    """
    if rules.lanes == 0:
        if memory.counters[HEAP_SIZE] + count > len(memory.heap_node):
            _compact_heap(memory)
    elif rules.grouped:
        for lane in range(rules.lanes):
            if memory.tail[lane] + count > memory.lanes.shape[1]:
                _compact(memory, lane)


@_compiled_within(_void(_MEMORY, _RULES, int64, float64))
def _push(memory, rules, node, priority):
    """Queue a node at the end of its lane, or in the heap."""
    _make_room(memory, rules, 1)
    if rules.lanes > 0:
        _push_lane(
            memory.nodes, memory.lanes, memory.lane_arrivals, memory.arrival, memory.tail,
            memory.counters, rules.grouped, node, int(priority),
        )  # fmt: skip
    else:
        _push_heap(
            memory.nodes, memory.heap_priority, memory.heap_arrival, memory.heap_node,
            memory.arrival, memory.priority, memory.counters, rules.last_first, node, priority,
        )  # fmt: skip


@_compiled(inline="always")
def _verdict(lanes, reasons, priority):
    """0 to queue, k to count discard k - 1, negative where the answer is no answer."""
    verdict = -BAD_PRIORITY
    if priority >= 0:
        whole = priority < lanes and priority == np.floor(priority)
        verdict = 0 if lanes == 0 or whole else -BAD_LANE
    elif priority >= -reasons and priority == np.floor(priority):
        verdict = OWN_REASONS + int(-priority)
    return verdict


@_compiled_within(_void(_F1, _FACTS))
def _tell(told, facts):
    """Keep the facts on which the strategy failed."""
    (told[0], told[1], told[2], told[3], told[4], told[5], told[6], told[7], told[8], told[9],
     told[10], told[11]) = facts  # fmt: skip


@_compiled(inline="always")
def _offer(web, memory, rules, rank, nodes, hosts, counters, targets, first, last, facts, parent,
           are_links, plain):  # fmt: skip
    """Offer ``targets[first:last]``, links of one page; 0, or what went wrong.

    The rule is asked again only where the facts may differ from those of the link before.
    Nothing in here takes the whole of `memory`: to hand it on costs more than a link.
    """
    lanes, lane_arrivals, arrival = memory.lanes, memory.lane_arrivals, memory.arrival
    discards, parents, tail, own = memory.discards, memory.parent, memory.tail, memory.priority
    keys, arrivals, heap = memory.heap_priority, memory.heap_arrival, memory.heap_node
    parent_host = nodes[parent, HOST] if parent >= 0 else -1
    run, depth = facts.run, facts.depth
    asked = False
    gathers = not plain and rules.gathers
    anchor, share, slashes = facts.anchor_score, facts.parent_share, 1
    same = downloads = hits = group = 0
    priority, verdict = 0.0, 0
    lane = dropped = queued = 0
    for k in range(first, last):
        node = targets[k]
        if node >= len(nodes):
            dropped += 1
            continue
        state = nodes[node, STATE]
        if state == TAKEN:
            continue
        if gathers:
            asked, slashes, anchor, share = False, web.slashes[node], 0.0, facts.parent_share
            anchor = float64(web.anchor[k]) if are_links else facts.anchor_score
            if state != UNSEEN:
                anchor = max(float64(memory.best_anchor[node]), anchor)
                share = memory.shares[node] + share
        if not asked or not (plain or rules.host_blind):
            host = nodes[node, HOST]
            now_same = 1 if host == parent_host else 0
            if (not asked or same != now_same or downloads != hosts[host, DOWNLOADS]
                    or hits != hosts[host, HITS] or group != hosts[host, GROUP]):  # fmt: skip
                same, downloads = now_same, hosts[host, DOWNLOADS]
                hits, group, asked = hosts[host, HITS], hosts[host, GROUP], True
                if depth > rules.max_depth:
                    verdict = TOO_DEEP + 1
                elif downloads >= rules.max_per_host:
                    verdict = TOO_MANY + 1
                else:
                    priority = rank(_facts(run, depth, facts.parent_relevant, facts.parent_bridge,
                                           facts.parent_score, same, downloads, hits, group,
                                           anchor, share, slashes))  # fmt: skip
                    verdict = _verdict(rules.lanes, rules.reasons, priority)
                    if verdict < 0:
                        break
                    if not plain and rules.highest_first:
                        priority = -priority
                    lane = int(priority) if plain or rules.lanes > 0 else 0
        if verdict > 0:
            discards[verdict - 1] += 1
            continue
        if gathers:
            memory.best_anchor[node], memory.shares[node] = anchor, share
        if state == UNSEEN:
            nodes[node, RUN], nodes[node, DEPTH] = run, depth
            queued += 1
            if not plain and rules.grouped:
                _join_host(memory.host_first, memory.host_last, memory.next_in_host,
                           nodes[node, HOST], node)  # fmt: skip
        else:
            if nodes[node, RUN] > run:  # most do not change, and a write costs
                nodes[node, RUN] = run
            if nodes[node, DEPTH] > depth:
                nodes[node, DEPTH] = depth
            if plain or rules.lanes > 0:
                if lane >= state - WAITING:
                    continue
            elif priority >= own[node]:
                continue
        if not plain and rules.parents:
            parents[node] = parent
        if plain or rules.lanes > 0:
            _push_lane(nodes, lanes, lane_arrivals, arrival, tail, counters,
                       not plain and rules.grouped, node, lane)  # fmt: skip
        else:
            _push_heap(nodes, keys, arrivals, heap, arrival, own, counters, rules.last_first,
                       node, priority)  # fmt: skip
    counters[DROPPED] += dropped
    counters[QUEUE] += queued
    if verdict < 0:
        _tell(memory.failure, _facts(run, depth, facts.parent_relevant, facts.parent_bridge,
                                     facts.parent_score, same, downloads, hits, group, anchor,
                                     share, slashes))  # fmt: skip
    return -verdict if verdict < 0 else 0


@_compiled(inline="always")
def _join_host(host_first, host_last, next_in_host, host, node):
    """Put a node at the end of its host's list: the order of being first queued."""
    next_in_host[node] = -1
    if host_first[host] < 0:
        host_first[host] = node
    else:
        next_in_host[host_last[host]] = node
    host_last[host] = node


@_compiled_within(_FACTS(_WEB, _MEMORY, _RULES, int64))
def _origin(web, memory, rules, node):
    """The facts with which a node was last offered, as far as they are its parent's."""
    parent = memory.parent[node]
    run, depth = memory.nodes[node, RUN], memory.nodes[node, DEPTH]
    anchor = float64(memory.best_anchor[node]) if rules.gathers else 0.0
    share = memory.shares[node] if rules.gathers else 0.0
    if parent < 0:
        return _of_page(run, depth, 1, 0, 1.0, anchor, share)
    page_kind = int64(web.kind[parent])
    return _of_page(run, depth, page_kind & RELEVANT, page_kind // BRIDGE, web.score[parent],
                    anchor, share)  # fmt: skip


@_compiled_within(int64(_WEB, _MEMORY, _RULES, _RANK, int64))
def _rank_again(web, memory, rules, rank, host):
    """A host's state has changed: rank its waiting nodes anew, in the order first queued."""
    nodes, hosts = memory.nodes, memory.hosts
    node = memory.host_first[host]
    memory.host_first[host] = -1
    while node >= 0:
        following = memory.next_in_host[node]
        state = nodes[node, STATE]
        if state >= WAITING:
            facts = _origin(web, memory, rules, node)
            parent = memory.parent[node]
            same = 1 if parent >= 0 and nodes[parent, HOST] == host else 0
            full = _facts(facts.run, facts.depth, facts.parent_relevant, facts.parent_bridge,
                         facts.parent_score, same, hosts[host, DOWNLOADS], hosts[host, HITS],
                         hosts[host, GROUP], facts.anchor_score, facts.parent_share,
                         web.slashes[node] if rules.gathers else 1)  # fmt: skip
            priority = rank(full)
            verdict = _verdict(rules.lanes, rules.reasons, priority)
            if verdict < 0:
                _tell(memory.failure, full)
                return -verdict
            if verdict > 0:
                memory.discards[verdict - 1] += 1
                nodes[node, STATE] = UNSEEN
                memory.counters[QUEUE] -= 1
            else:
                _join_host(memory.host_first, memory.host_last, memory.next_in_host, host, node)
                if rules.highest_first:
                    priority = -priority
                before = memory.priority[node] if rules.lanes == 0 else float(state - WAITING)
                if priority != before:
                    _push(memory, rules, node, priority)
        node = following
    return 0


@_compiled(int64(_WEB, _MEMORY, _RULES, _RANK, _I1))
def offer_seeds(web, memory, rules, rank, seeds):
    """Offer the seeds."""
    facts = _of_page(0, 0, 1, 0, 1.0, 0.0, 0.0)
    failed = _offer(web, memory, rules, rank, memory.nodes, memory.hosts, memory.counters, seeds,
                    0, len(seeds), facts, -1, False, False)  # fmt: skip
    memory.counters[MAX_QUEUE] = memory.counters[QUEUE]
    return failed


@_compiled(inline="always")
def _advance(web, memory, rules, rank, group_state, until, plain):
    """Download until so many pages are taken in all; why it stopped.

    `plain` is a constant where this is inlined: what a plain strategy does not need is then
    not even compiled.
    """
    nodes, hosts, counters = memory.nodes, memory.hosts, memory.counters
    lanes, lane_arrivals, arrival = memory.lanes, memory.lane_arrivals, memory.arrival
    head, tail, order, queue = memory.head, memory.tail, memory.order, memory.queue
    offsets, dst, redirect = web.offsets, web.dst, web.redirect
    kind, score, pages = web.kind, web.score, len(web.kind)
    grouped = not plain and rules.grouped
    last_first = not plain and rules.last_first
    while counters[PAGES] < until:
        if plain or rules.lanes > 0:
            node = _pop_lane(nodes, lanes, lane_arrivals, arrival, head, tail, counters, grouped,
                             last_first)  # fmt: skip
            lane = counters[LOWEST]
            if lane < len(head) and not last_first:
                _look_ahead(web, nodes, hosts, lanes, lane, head[lane], tail[lane])
        else:
            node = _pop_heap(nodes, memory.heap_priority, memory.heap_arrival, memory.heap_node,
                             arrival, counters)  # fmt: skip
        if node < 0:
            return EMPTY
        nodes[node, STATE] = TAKEN
        counters[QUEUE] -= 1
        page_kind = int64(kind[node]) if node < pages else 0
        relevant = page_kind & RELEVANT
        host = nodes[node, HOST]
        hosts[host, DOWNLOADS] += 1
        hosts[host, HITS] += relevant
        failed = 0
        if grouped:
            state = group_state(int64(hosts[host, DOWNLOADS]), int64(hosts[host, HITS]))
            if state != hosts[host, GROUP]:
                hosts[host, GROUP] = state
                failed = _rank_again(web, memory, rules, rank, host)
                if failed != 0:
                    return failed
        if not plain and node < pages and redirect[node] >= 0:
            facts = _origin(web, memory, rules, node)
            _make_room(memory, rules, 1)
            failed = _offer(web, memory, rules, rank, nodes, hosts, counters, redirect, node,
                            node + 1, facts, memory.parent[node], False, plain)  # fmt: skip
        elif node < pages:
            if not plain and (grouped or rules.lanes == 0):
                _make_room(memory, rules, offsets[node + 1] - offsets[node])
            run = 0 if relevant else nodes[node, RUN] + 1
            own_score = 0.0 if plain or rules.score_blind else score[node]
            share = 0.0
            if not plain and rules.gathers and offsets[node + 1] > offsets[node]:
                share = score[node] / (offsets[node + 1] - offsets[node])
            facts = _of_page(run, nodes[node, DEPTH] + 1, relevant, page_kind // BRIDGE, own_score,
                             0.0, share)  # fmt: skip
            failed = _offer(web, memory, rules, rank, nodes, hosts, counters, dst, offsets[node],
                            offsets[node + 1], facts, node, True, plain)  # fmt: skip
        if failed != 0:
            return failed
        order[counters[PAGES]] = node
        queue[counters[PAGES]] = counters[QUEUE]
        counters[PAGES] += 1
        counters[MAX_QUEUE] = max(counters[MAX_QUEUE], counters[QUEUE])
    return REACHED


_ADVANCE = int64(_WEB, _MEMORY, _RULES, _RANK, _GROUP_STATE, int64)


@_compiled(_ADVANCE)
def advance(web, memory, rules, rank, group_state, until):
    """Continue a simulation: any strategy, any web."""
    return _advance(web, memory, rules, rank, group_state, until, False)


@_compiled(_ADVANCE)
def advance_plain(web, memory, rules, rank, group_state, until):
    """Continue a simulation in the simplest case: lanes, first come first served.

    The rule reads neither host nor score, and the web has no redirects.
    """
    return _advance(web, memory, rules, rank, group_state, until, True)
