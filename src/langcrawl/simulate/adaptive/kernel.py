"""`adaptive` over arrays: the same decisions as `langcrawl.strategy.learned`, compiled.

A node is a URL of the graph, a place is a domain, host or directory. Names say what the parts of
the strategy say: `chance` and `count` are those of its rates, `learn` that of its weights. The
strategy itself stays the reference, and tests compare the two to the page. Whatever is decided by
a constant comes in with `Rules`, because what Numba keeps on disk is renewed when this file
changes, and not when another does.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call, attr-defined"

from __future__ import annotations

from math import exp, log, sqrt
from typing import Any, NamedTuple, get_type_hints

import numba
import numpy as np
from numba import types
from numba.types import float64, int64

# Bits of `Web.kinds`, which has a number for each page.
RELEVANT, UNKNOWN, FAILED, OWN = 1, 2, 4, 8
# Columns of `Web.nodes`.
HOST, FOLDER, FILE_SAYS, FILE_KIND, FILE_PLACE, GROUP = range(6)
# Columns of `Memory.nodes`; the last six are what the best link to a URL says.
STATE, RUN, DEPTH, PARENT, SEED, LANE, NEXT = range(7)
BY_PAGE, BY_ANCHOR, BY_HREFLANG, BY_PATH, SCOUT, TEXT, NODE_COLUMNS = range(7, 14)
UNSEEN, WAITING, TAKEN = 0, 1, 2
# Columns of `Memory.rates`.
HITS, DONE, FOUND, INSIDE, KNOWN, RATE_COLUMNS = range(6)
# Columns of `Memory.hosts`; the first four are who has linked to it.
BY_RELEVANT, BY_OTHERS, LAST_RELEVANT, LAST_OTHER, AWAY, HOST_COLUMNS = range(6)
# Columns of `Memory.groups`.
GROUP_HITS, FIRST, LAST, GROUP_COLUMNS = range(4)
# Counters.
PAGES, QUEUE, MAX_QUEUE, ARRIVALS, HEAP_SIZE, SENT, DOWNLOADS, UNNAMED = range(8)
OWN_MISSES, FOREIGN_MISSES, COUNTERS = range(8, 11)
# What `advance` answers.
EMPTY, REACHED = 0, 1
ARRIVAL_BITS = 40
LOWEST_LANE = 1 << 12
"""Added to lanes, so that all of them are positive."""
NO_TONGUE, TARGET, OTHER = 0, 1, 2
HOST_AT, MOST_PLACES = 2, 9


class Web(NamedTuple):
    """The graph, and what the strategy reads off its URLs and links."""

    offsets: Any
    dst: Any
    redirect: Any
    kinds: Any
    nodes: Any
    """What the URL of a node says. FILE_PLACE is the place that a file name makes which names a
    language, GROUP the URLs that are ranked again together."""
    folders: Any
    """Where the places of a folder begin, its kind, where its words begin, and whether it names a
    language; one row more than there are folders."""
    folder_places: Any
    """The places around a folder, the smallest last, and what the name of each says."""
    folder_words: Any
    hosts: Any
    """The place of a host, and its first group; one row more than there are hosts."""
    links: Any
    """The anchor, hreflang and tag path of every link; no row where no link has any."""
    anchors: Any
    """The kind of an anchor, and where its words begin; one row more than there are anchors."""
    words: Any


class Memory(NamedTuple):
    """All that changes while the loop runs."""

    nodes: Any
    keys: Any
    """The place of a waiting node in the heap: its lane, then its arrival."""
    heap_key: Any
    heap_node: Any
    rates: Any
    weights: Any
    """All tables of weights, one behind the other: each weight, the sum of its squared errors."""
    url_words: Any
    """Of each word of URLs: relevant pages that had it, and others; all pages last."""
    hosts: Any
    groups: Any
    surprise: Any
    order: Any
    queue: Any
    places: Any
    """Room for the places of one page, and for what their names say."""
    counters: Any


class Rules(NamedTuple):
    """The constants of the strategy, and which signals are left in."""

    highest: float
    per_step: float
    tolerance: float
    prior_rate: float
    prior_pages: float
    leaning: Any
    witness: float
    foretold: float
    fades_at: float
    most_inside: int
    most_behind: int
    follows: float
    behind: float
    few: float
    levels: Any
    level: int
    failure: float
    no_language: float
    unnamed: int
    names: int
    foreign: float
    trusted: float
    surprise: float
    host_turns: Any
    clue_rate: float
    kind_rate: float
    word_rate: float
    path_rate: float
    said_rate: float
    most_weight: float
    page_at: int
    """Where this and the next eight kinds of weights begin in `Memory.weights`."""
    anchor_at: int
    hreflang_at: int
    fame_at: int
    url_words_at: int
    kinds_at: int
    words_at: int
    paths_at: int
    said_at: int
    fame_relevant: Any
    fame_others: Any
    fame_most: int
    url_rate: float
    url_pages: float
    url_witness: float
    url_most: float
    far: Any
    scout: float
    scouts: int
    scout_share: float
    own: int
    names_target: int
    seed: int
    signals: Any
    """In the order of `Signal`."""


# Places in `Rules.signals`.
ANCHOR, WORDS, HREFLANG, PATHS, PAGE, KINDS, SCOUTS, FAME, URLS = range(9)
SIGNALS = ("anchor", "words", "hreflang", "paths", "page", "kinds", "scouts", "fame", "urls")


_I1, _I2, _L1 = types.int32[::1], types.int32[:, ::1], types.int64[::1]
_F1, _F2 = types.float64[::1], types.float64[:, ::1]
_WEB = types.NamedTuple(
    [_L1, _I1, _I1, types.uint8[::1], _I2, _I2, _I2, _I1, _I2, _I2, _I2, _I1], Web
)
_MEMORY = types.NamedTuple(
    [_I2, _L1, _L1, _I1, _F2, _F2, _F2, _I2, _I2, _F1, _I1, _I1, _I2, _L1], Memory
)
_TUPLES = {
    "far": types.UniTuple(float64, 17),
    "leaning": types.UniTuple(float64, 4), "levels": types.UniTuple(float64, 2),
    "host_turns": types.UniTuple(float64, 3), "fame_relevant": types.UniTuple(int64, 6),
    "fame_others": types.UniTuple(int64, 4), "signals": types.UniTuple(int64, 9),
}  # fmt: skip
_RULES = types.NamedTuple(
    [_TUPLES.get(name) or (float64 if kind is float else int64)
     for name, kind in get_type_hints(Rules).items()], Rules,
)  # fmt: skip
_PLACE = types.Tuple([float64, int64, types.boolean, float64, float64, float64])
_void = types.void


def _compiled(signature: Any, **options: Any) -> Any:
    """Compile, keep on disk, and do not count references (docs/decisions/0004).

    Without signatures most functions would be compiled twice, for short and for long numbers.
    """
    return numba.njit(  # type: ignore[call-overload]
        signature, cache=True, nogil=True, _nrt=False, no_cfunc_wrapper=True, **options
    )


def _compiled_within(signature: Any) -> Any:
    """For what only this file calls: without the way in from Python, half the time to compile."""
    return _compiled(signature, no_cpython_wrapper=True)


@_compiled_within(_void(_L1, _I1, int64, int64))
def _sink(keys, nodes, size, at):
    """Put the entry at `at` where it belongs, there or below."""
    key, node = keys[at], nodes[at]
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and keys[below + 1] < keys[below]:
            below += 1
        if key < keys[below]:
            break
        keys[at], nodes[at] = keys[below], nodes[below]
        at = below
    keys[at], nodes[at] = key, node


@_compiled_within(_void(_MEMORY))
def _compact(memory):
    """Make room in the heap: entries that nodes have left behind go."""
    keys, nodes, kept = memory.heap_key, memory.heap_node, 0
    for at in range(memory.counters[HEAP_SIZE]):
        node = nodes[at]
        if memory.nodes[node, STATE] == WAITING and memory.keys[node] == keys[at]:
            keys[kept], nodes[kept] = keys[at], node
            kept += 1
    memory.counters[HEAP_SIZE] = kept
    for at in range(kept // 2 - 1, -1, -1):
        _sink(keys, nodes, kept, at)


@_compiled_within(_void(_MEMORY, int64, int64))
def _push(memory, node, lane):
    """Queue a node at the end of a lane."""
    counters = memory.counters
    if counters[HEAP_SIZE] == len(memory.heap_node):
        _compact(memory)
    counters[ARRIVALS] += 1
    key = ((lane + LOWEST_LANE) << ARRIVAL_BITS) | counters[ARRIVALS]
    memory.nodes[node, STATE], memory.nodes[node, LANE] = WAITING, lane
    memory.keys[node] = key
    keys, nodes, at = memory.heap_key, memory.heap_node, counters[HEAP_SIZE]
    counters[HEAP_SIZE] = at + 1
    while at > 0:
        above = (at - 1) // 2
        if keys[above] < key:
            break
        keys[at], nodes[at] = keys[above], nodes[above]
        at = above
    keys[at], nodes[at] = key, node


@_compiled_within(_void(_MEMORY))
def _drop_first(memory):
    """Take the first entry out of the heap."""
    keys, nodes = memory.heap_key, memory.heap_node
    memory.counters[HEAP_SIZE] -= 1
    last = memory.counters[HEAP_SIZE]
    keys[0], nodes[0] = keys[last], nodes[last]
    if last > 0:
        _sink(keys, nodes, last, 0)


@_compiled_within(int64(_WEB, _MEMORY, int64))
def _places_of(web, memory, node):
    """Write down the places around a page, the smallest last; how many they are."""
    folder, places, count = web.nodes[node, FOLDER], memory.places, 0
    for at in range(web.folders[folder, 0], web.folders[folder + 1, 0]):
        places[count, 0] = web.folder_places[at, 0]
        places[count, 1] = web.folder_places[at, 1]
        count += 1
    if web.nodes[node, FILE_SAYS]:
        places[count, 0] = web.nodes[node, FILE_PLACE]
        places[count, 1] = web.nodes[node, FILE_SAYS]
        count += 1
    return count


@_compiled_within(float64(_MEMORY, _RULES))
def _trust(memory, rules):
    """How far names of languages count: the share of the misses that language explains."""
    own, foreign = memory.counters[OWN_MISSES], memory.counters[FOREIGN_MISSES]
    return (foreign + rules.foreign) / (own + foreign + rules.foreign)


@_compiled_within(types.UniTuple(float64, 4)(_WEB, _MEMORY, _RULES, int64))
def _chance(web, memory, rules, node):
    """What is known of the place of a page: log-odds, pages, share of names, links behind."""
    rates, weights = memory.rates, memory.weights
    count = _places_of(web, memory, node)
    rate = (rates[0, HITS] + rules.prior_rate * rules.prior_pages) / (
        rates[0, DONE] + rules.prior_pages
    )
    share, pages, level, found = 0.0, 0.0, 0, rates[0, FOUND]
    trust = _trust(memory, rules)
    for at in range(count):
        key, word = memory.places[at, 0], memory.places[at, 1]
        if word:
            said = trust * weights[rules.said_at + level * 3 + word, 0]
            rate = 1 / (1 + (1 / rate - 1) * exp(-said))
            share = 1.0
        if rates[key, KNOWN] > 0.0:
            pages, k, found = rates[key, DONE], rules.leaning[level], rates[key, FOUND]
            rate = (rates[key, HITS] + k * rate) / (pages + k)
            if share > 0.0:
                share *= k / (pages + k)
        elif level > 1:
            pages = 0.0
        if level < 3:
            level += 1
    rate = min(max(rate, 1e-4), 1 - 1e-4)
    return log(rate / (1 - rate)), pages, share, found


@_compiled_within(int64(_MEMORY, _RULES, int64))
def _fame_of(memory, rules, host):
    """The step of a host that was never asked."""
    heard = memory.hosts
    return (
        rules.fame_relevant[min(heard[host, 0], 5)] * 3 + rules.fame_others[min(heard[host, 1], 3)]
    )


@_compiled_within(float64(_WEB, _MEMORY, _RULES, int64))
def _of_kinds(web, memory, rules, node):
    """What directories and files of such names are worth on all hosts."""
    folder = web.folders[web.nodes[node, FOLDER], 1]
    file = web.nodes[node, FILE_KIND]
    return memory.weights[rules.kinds_at + folder, 0] + memory.weights[rules.kinds_at + file, 0]


@_compiled_within(_void(_F2, int64, float64, float64, float64))
def _learn(table, number, error, rate, most):
    """Move a weight against an error."""
    square = table[number, 1] + error * error
    moved = table[number, 0] + rate * error / sqrt(square + 0.25)
    table[number, 0], table[number, 1] = min(max(moved, -most), most), square


@_compiled_within(float64(_WEB, _MEMORY, _RULES, int64))
def _of_url(web, memory, rules, folder):
    """How much more likely the words of a folder are for relevant pages."""
    counts, every = memory.url_words, len(memory.url_words) - 1
    hits, misses = counts[every, 0], counts[every, 1]
    rate = (hits + rules.url_rate * rules.url_pages) / (hits + misses + rules.url_pages)
    less, odds = 1.0 - rate, 1.0
    for at in range(web.folders[folder, 2], web.folders[folder + 1, 2]):
        word = web.folder_words[at]
        if counts[word, 0] + counts[word, 1] > 0.0:
            odds *= (counts[word, 0] + rate) / (counts[word, 1] + less) * (less / rate)
    return 0.0 if odds <= 1.0 else min(log(odds), rules.url_most)


@_compiled_within(_void(_WEB, _MEMORY, _RULES, int64, float64, float64, float64, int64))
def _learn_url(web, memory, rules, node, hit, weight, step, level):
    """What the words of a URL are worth, and which of them relevant pages have."""
    folder, counts = web.nodes[node, FOLDER], memory.url_words
    score = _of_url(web, memory, rules, folder)
    if score > 0.0:
        number = rules.url_words_at + level // rules.level
        _learn(memory.weights, number, step * score, rules.clue_rate, rules.most_weight)
    smallest = web.folder_places[web.folders[folder + 1, 0] - 1, 0]
    weight *= rules.url_witness / (rules.url_witness + memory.rates[smallest, DONE])
    for at in range(web.folders[folder, 2] - 1, web.folders[folder + 1, 2]):
        word = len(counts) - 1
        if at >= web.folders[folder, 2]:
            word = web.folder_words[at]
        counts[word, 0] += hit * weight
        counts[word, 1] += (1.0 - hit) * weight


@_compiled_within(types.boolean(_WEB, _MEMORY, _RULES, int64))
def _hears_words(web, memory, rules, node):
    """Whether words of a URL are heard: there are some, and no name of a language says more."""
    folder = web.nodes[node, FOLDER]
    if web.folders[folder + 1, 2] == web.folders[folder, 2] or not rules.signals[URLS]:
        return False
    named = web.folders[folder, 3] or web.nodes[node, FILE_SAYS]
    return not named or _trust(memory, rules) < rules.trusted


@_compiled_within(_PLACE(_WEB, _MEMORY, _RULES, int64))
def _place(web, memory, rules, node):
    """What is known of the place of a page, for one ranking."""
    total, pages, share, found = _chance(web, memory, rules, node)
    level = 2
    if pages < rules.levels[0]:
        level = 0
    elif pages < rules.levels[1]:
        level = 1
    kinds = _of_kinds(web, memory, rules, node)
    total += rules.few / (pages + rules.few) * kinds
    if _hears_words(web, memory, rules, node):
        worth = memory.weights[rules.url_words_at + level, 0]
        total += worth * _of_url(web, memory, rules, web.nodes[node, FOLDER])
    host = web.nodes[node, HOST]
    unseen = memory.rates[web.hosts[host, 0], KNOWN] == 0.0
    if unseen and rules.signals[FAME]:
        total += memory.weights[rules.fame_at + _fame_of(memory, rules, host), 0]
    return total, level * rules.level, unseen, pages, share, rules.behind * found


@_compiled_within(float64(_WEB, _MEMORY, _RULES, float64, *[int64] * 6))
def _sum(web, memory, rules, total, level, page, kind, hreflang, path, anchor):
    """The log-odds that a link leads to a relevant page."""
    weights = memory.weights
    total += (
        weights[rules.page_at + level + page, 0]
        + weights[rules.anchor_at + level + kind, 0]
        + weights[rules.hreflang_at + hreflang, 0]
    )
    if anchor >= 0:
        first, last = web.anchors[anchor, 1], web.anchors[anchor + 1, 1]
        if last > first:
            words = 0.0
            for at in range(first, last):
                words += weights[rules.words_at + web.words[at], 0]
            total += words / (last - first)
    if path:
        total += weights[rules.paths_at + path, 0]
    return total


@_compiled_within(int64(_RULES, float64, int64))
def _lane(rules, total, run):
    if total < rules.scout:
        total -= rules.far[min(run, len(rules.far) - 1)]
    return int(np.rint((rules.highest - total) * rules.per_step))


@_compiled_within(int64(_WEB, _MEMORY, _RULES, int64))
def _again(web, memory, rules, node):
    """The lane of a waiting node by what is known now."""
    total, level, unseen, _, _, behind = _place(web, memory, rules, node)
    row = memory.nodes[node]
    total = _sum(web, memory, rules, total, level, row[BY_PAGE], row[BY_ANCHOR], row[BY_HREFLANG],
                 row[BY_PATH], row[TEXT])  # fmt: skip
    if total < 0.0:
        if behind > 0.02:
            total = log(exp(total) + behind)
        if row[SCOUT] and unseen and total < rules.scout:
            total = rules.scout
    return _lane(rules, total, row[RUN])


@_compiled_within(_void(_WEB, _MEMORY, _RULES, int64))
def _rank_again(web, memory, rules, group):
    """Rank what waits of a group, in the order in which it was queued; leave out what is taken."""
    node, before = memory.groups[group, FIRST], -1
    while node >= 0:
        following = memory.nodes[node, NEXT]
        if memory.nodes[node, STATE] == TAKEN:
            if before < 0:
                memory.groups[group, FIRST] = following
            else:
                memory.nodes[before, NEXT] = following
            if following < 0:
                memory.groups[group, LAST] = before
        else:
            lane = _again(web, memory, rules, node)
            if lane != memory.nodes[node, LANE]:
                _push(memory, node, lane)
            before = node
        node = following


@_compiled_within(_void(_WEB, _MEMORY, *[int64] * 6))
def _queue(web, memory, node, lane, run, depth, parent, seed):
    """Queue a node, or move it, as the new link to it says."""
    if memory.nodes[node, STATE] == UNSEEN:
        group = web.nodes[node, GROUP]
        memory.nodes[node, NEXT] = -1
        if memory.groups[group, FIRST] < 0:
            memory.groups[group, FIRST] = node
        else:
            memory.nodes[memory.groups[group, LAST], NEXT] = node
        memory.groups[group, LAST] = node
        memory.nodes[node, RUN], memory.nodes[node, DEPTH] = run, depth
        memory.counters[QUEUE] += 1
    else:
        memory.nodes[node, RUN] = min(run, memory.nodes[node, RUN])
        memory.nodes[node, DEPTH] = min(depth, memory.nodes[node, DEPTH])
    memory.nodes[node, PARENT], memory.nodes[node, SEED] = parent, seed
    _push(memory, node, lane)


@_compiled_within(float64(float64))
def _odds_to_chance(total):
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


@_compiled_within(_void(_WEB, _MEMORY, _RULES, int64, float64, float64))
def _count(web, memory, rules, node, hit, weight):
    """A page was downloaded: its places count it, the larger ones the less."""
    rates = memory.rates
    count = _places_of(web, memory, node)
    for at in range(count - 1, -1, -1):
        key = memory.places[at, 0]
        if rates[key, KNOWN] == 0.0:
            if at > HOST_AT:
                host = memory.places[HOST_AT, 0]
                rates[host, KNOWN] = 1.0
                if rates[host, INSIDE] >= rules.most_inside:
                    continue
                rates[host, INSIDE] += 1
            rates[key, KNOWN] = 1.0
        before = rates[key, DONE]
        rates[key, HITS] += hit * weight
        rates[key, DONE] += weight
        if rates[key, DONE] > rules.fades_at:
            rates[key, HITS] /= 2
            rates[key, DONE] /= 2
        weight *= rules.witness / (rules.witness + before)
        if memory.places[at, 1] and (memory.places[at, 1] == TARGET) == (hit > 0.0):
            weight *= rules.foretold
    rates[0, HITS] += hit * weight
    rates[0, DONE] += weight


@_compiled_within(_void(_WEB, _MEMORY, _RULES, int64, float64, float64, int64))
def _learn_page(web, memory, rules, node, hit, weight, failed):
    """One step of the weights, by what was foretold; then the places count the page."""
    place, level, unseen, pages, share, _ = _place(web, memory, rules, node)
    row = memory.nodes[node]
    page, kind, hreflang = row[BY_PAGE], row[BY_ANCHOR], row[BY_HREFLANG]
    path, anchor = row[BY_PATH], row[TEXT]
    total = _sum(web, memory, rules, place, level, page, kind, hreflang, path, anchor)
    error = hit - _odds_to_chance(total)
    step, signals, most = error * weight, rules.signals, rules.most_weight
    if signals[PAGE]:
        _learn(memory.weights, rules.page_at + level + page, step, rules.clue_rate, most)
    if signals[ANCHOR]:
        _learn(memory.weights, rules.anchor_at + level + kind, step, rules.clue_rate, most)
    if hreflang and signals[HREFLANG]:
        _learn(memory.weights, rules.hreflang_at + hreflang, step, rules.clue_rate, most)
    host = web.nodes[node, HOST]
    if unseen:
        if signals[FAME]:
            fame = rules.fame_at + _fame_of(memory, rules, host)
            _learn(memory.weights, fame, step, rules.clue_rate, most)
            for column in range(AWAY):
                memory.hosts[host, column] = 0
    elif signals[KINDS] and memory.rates[web.hosts[host, 0], HITS] > 0.0:
        part = error * (1.0 if failed else weight) * rules.few / (pages + rules.few)
        _learn(
            memory.weights,
            rules.kinds_at + web.folders[web.nodes[node, FOLDER], 1],
            part,
            rules.kind_rate,
            most,
        )
        _learn(
            memory.weights, rules.kinds_at + web.nodes[node, FILE_KIND], part, rules.kind_rate, most
        )
    if _hears_words(web, memory, rules, node):
        _learn_url(web, memory, rules, node, hit, weight, step, level)
    if anchor >= 0 and signals[WORDS]:
        for at in range(web.anchors[anchor, 1], web.anchors[anchor + 1, 1]):
            _learn(memory.weights, rules.words_at + web.words[at], step, rules.word_rate, most)
    if path and signals[PATHS]:
        _learn(memory.weights, rules.paths_at + path, step, rules.path_rate, most)
    if share > 0.05:
        count = _places_of(web, memory, node)
        for at in range(count):
            if memory.places[at, 1]:
                number = rules.said_at + min(at, 3) * 3 + memory.places[at, 1]
                _learn(memory.weights, number, step * share, rules.said_rate, most)
    _count(web, memory, rules, node, hit, weight)


@_compiled_within(types.boolean(int64))
def _is_turn(count):
    while count > 4 and count % 2 == 0:
        count //= 2
    return count < 5


@_compiled_within(float64(_MEMORY, _RULES, int64))
def _counts(memory, rules, kind):
    """What a miss counts for its place, by whether the judge names its language."""
    counters = memory.counters
    if not kind & UNKNOWN:
        counters[UNNAMED] = rules.names
        counters[OWN_MISSES if kind & OWN else FOREIGN_MISSES] += 1
        return 1.0
    if counters[UNNAMED] == rules.names:
        return rules.no_language
    counters[UNNAMED] += 1
    return rules.no_language if counters[UNNAMED] <= rules.unnamed else 1.0


@_compiled_within(_void(_WEB, _MEMORY, _RULES, int64))
def _saw(web, memory, rules, node):
    """A page was downloaded: learn from it, and rank groups again that it changed."""
    counters, host, group = memory.counters, web.nodes[node, HOST], web.nodes[node, GROUP]
    relevant = web.kinds[node] & RELEVANT
    failed = web.kinds[node] & FAILED
    memory.groups[group, GROUP_HITS] += relevant
    counters[DOWNLOADS] += 1
    memory.hosts[host, AWAY] = 0
    if web.redirect[node] >= 0:
        return
    hit, weight = float(relevant), 1.0
    if not relevant:
        weight = rules.failure if failed else _counts(memory, rules, web.kinds[node])
    before = memory.rates[web.hosts[host, 0], HITS]
    _learn_page(web, memory, rules, node, hit, weight, failed)
    if relevant:
        after = memory.rates[web.hosts[host, 0], HITS]
        for mark in rules.host_turns:
            if before < mark <= after:
                for at in range(web.hosts[host, 1], web.hosts[host + 1, 1]):
                    _rank_again(web, memory, rules, at)
                return
    promised = _odds_to_chance(rules.highest - memory.nodes[node, LANE] / rules.per_step)
    surprise = max(memory.surprise[group] + hit - promised, 0.0)
    surprised = surprise > rules.surprise
    memory.surprise[group] = 0.0 if surprised else surprise
    if surprised or (relevant and _is_turn(memory.groups[group, GROUP_HITS])):
        _rank_again(web, memory, rules, group)


@_compiled_within(_void(_MEMORY, _RULES, int64, int64, int64))
def _hear(memory, rules, host, source, relevant):
    """A page of another host links to a host that was never asked."""
    column = 0 if relevant else 1
    heard = memory.hosts
    if heard[host, 2 + column] == source + 1 or heard[host, column] == rules.fame_most:
        return
    heard[host, column] += 1
    heard[host, 2 + column] = source + 1


@_compiled_within(int64(_WEB, int64))
def _host_says(web, node):
    """Whether the name of a node's host speaks of a language."""
    return web.folder_places[web.folders[web.nodes[node, FOLDER], 0] + HOST_AT, 1]


@_compiled_within(types.boolean(_WEB, _MEMORY, _RULES, int64))
def _send(web, memory, rules, node):
    """Whether a link to a host that was never asked is to be its scout."""
    host, counters = web.nodes[node, HOST], memory.counters
    if memory.hosts[host, AWAY]:
        return False
    if _host_says(web, node) == OTHER and _trust(memory, rules) >= rules.trusted:
        return False
    if counters[SENT] >= rules.scouts + rules.scout_share * counters[DOWNLOADS]:
        return False
    counters[SENT] += 1
    memory.hosts[host, AWAY] = 1
    return True


@_compiled_within(_void(_MEMORY, *[int64] * 7))
def _note(memory, node, page, kind, hreflang, path, scout, anchor):
    """Keep what the best link to a node says."""
    row = memory.nodes[node]
    row[BY_PAGE], row[BY_ANCHOR], row[BY_HREFLANG] = page, kind, hreflang
    row[BY_PATH], row[SCOUT], row[TEXT] = path, scout, anchor


@_compiled_within(int64(_WEB, _MEMORY, _RULES, *[int64] * 6))
def _rank(web, memory, rules, node, link, page, run, depth, parent):
    """Rank one link, and queue, move or update its node; whether it is new and likely relevant."""
    kind = hreflang = path = 0
    anchor = -1
    if link >= 0 and len(web.links) > 0:
        row = web.links[link]
        anchor, hreflang, path = row[0], row[1], row[2]
        kind = web.anchors[anchor, 0]
    same_host = parent >= 0 and web.nodes[node, HOST] == web.nodes[parent, HOST]
    waits = memory.nodes[node, STATE] == WAITING
    quiet = hreflang == 0 and kind != rules.own and kind != rules.names_target
    found = 0
    if waits and run > 0 and run >= memory.nodes[node, RUN] and same_host and quiet:
        lane = memory.nodes[node, LANE]  # it waits, and this link says nothing better
    else:
        here = page * 3 + 2
        if parent >= 0 and web.nodes[node, FOLDER] == web.nodes[parent, FOLDER]:
            here = page * 3
        elif same_host:
            here = page * 3 + 1
        total, level, unseen, _, _, behind = _place(web, memory, rules, node)
        total = _sum(web, memory, rules, total, level, here, kind, hreflang, path, anchor)
        if total > 0.0:
            found = 0 if waits else 1
        elif behind > 0.02:
            total = log(exp(total) + behind)
        scout = 0
        wanted = unseen and total < rules.scout and rules.signals[SCOUTS]
        if wanted and _send(web, memory, rules, node):
            scout, total = 1, rules.scout
        lane = _lane(rules, total, run)
        if not waits or lane < memory.nodes[node, LANE]:
            _note(memory, node, here, kind, hreflang, path, scout, anchor)
            _queue(web, memory, node, lane, run, depth, parent, 0)
            return found
    memory.nodes[node, RUN] = min(run, memory.nodes[node, RUN])
    memory.nodes[node, DEPTH] = min(depth, memory.nodes[node, DEPTH])
    return found


@_compiled_within(_void(_WEB, _MEMORY, _RULES, int64))
def _offer_links(web, memory, rules, node):
    """Rank and queue what a page links to."""
    first, last, known = web.offsets[node], web.offsets[node + 1], len(memory.nodes)
    relevant, home = web.kinds[node] & RELEVANT, web.nodes[node, HOST]
    run = 0 if relevant else memory.nodes[node, RUN] + 1
    depth, any_left = memory.nodes[node, DEPTH] + 1, False
    for link in range(first, last):
        goal = web.dst[link]
        if goal < known and memory.nodes[goal, STATE] != TAKEN:
            any_left = True
            host = web.nodes[goal, HOST]
            unseen = memory.rates[web.hosts[host, 0], KNOWN] == 0.0
            if unseen and host != home and rules.signals[FAME]:
                _hear(memory, rules, host, home, relevant)
    if not any_left:
        return
    page = min(run, 3)
    if page and web.kinds[node] & UNKNOWN:
        page += 3
    found = 0
    for link in range(first, last):
        goal = web.dst[link]
        if goal < known and memory.nodes[goal, STATE] != TAKEN:
            found += _rank(web, memory, rules, goal, link, page, run, depth, node)
    rates, count = memory.rates, _places_of(web, memory, node)
    found = min(found, rules.most_behind)
    for at in range(-1, count):
        key = 0 if at < 0 else memory.places[at, 0]
        if rates[key, KNOWN] > 0.0:
            follows = max(rules.follows, 1 / (rates[key, DONE] + 2))
            rates[key, FOUND] += (found - rates[key, FOUND]) * follows


@_compiled_within(_void(_WEB, _MEMORY, _RULES, int64))
def _follow(web, memory, rules, node):
    """Rank and queue where a redirect leads, as if its own link led there."""
    goal = web.redirect[node]
    if memory.nodes[goal, STATE] == TAKEN:
        return
    run, depth = memory.nodes[node, RUN], memory.nodes[node, DEPTH]
    page = min(run, 3)
    if run == 0 and depth == 0:
        page = rules.seed
    _rank(web, memory, rules, goal, -1, page, run, depth, memory.nodes[node, PARENT])


@_compiled(_void(_WEB, _MEMORY, _RULES, _I1))
def offer_seeds(web, memory, rules, seeds):
    """Queue the seeds: lane 0, in their order."""
    for node in seeds:
        _note(memory, node, rules.seed * 3, 0, 0, 0, 0, -1)
        _queue(web, memory, node, 0, 0, 0, -1, 1)
    memory.counters[MAX_QUEUE] = memory.counters[QUEUE]


@_compiled(int64(_WEB, _MEMORY, _RULES, int64))
def advance(web, memory, rules, most):
    """Download until so many pages are, or nothing is left."""
    counters = memory.counters
    while counters[PAGES] < most:
        if counters[HEAP_SIZE] == 0:
            return EMPTY
        node = memory.heap_node[0]
        if memory.nodes[node, STATE] != WAITING or memory.keys[node] != memory.heap_key[0]:
            _drop_first(memory)
            continue
        if not memory.nodes[node, SEED]:
            lane = _again(web, memory, rules, node)
            if lane - memory.nodes[node, LANE] > rules.tolerance * rules.per_step:
                _drop_first(memory)
                _push(memory, node, lane)
                continue
        _drop_first(memory)
        memory.nodes[node, STATE] = TAKEN
        counters[QUEUE] -= 1
        _saw(web, memory, rules, node)
        if web.redirect[node] >= 0:
            _follow(web, memory, rules, node)
        else:
            _offer_links(web, memory, rules, node)
        counters[MAX_QUEUE] = max(counters[MAX_QUEUE], counters[QUEUE])
        memory.order[counters[PAGES]] = node
        memory.queue[counters[PAGES]] = counters[QUEUE]
        counters[PAGES] += 1
    return REACHED
