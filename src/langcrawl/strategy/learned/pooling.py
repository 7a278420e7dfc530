"""What the links between two segments say, pooled: in a crawl, and for training, alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from langcrawl.ports import Offer
from langcrawl.strategy.learned.segment_graph import MOST_LINKS, Pair, Segment, SegmentGraph
from langcrawl.topic.clues import TextReader
from langcrawl.topic.predictor import Features
from langcrawl.url import tld_of


def pool_links(
    graph: SegmentGraph,
    reader: TextReader[Any],
    offer: Offer,
    source: Segment | None,
    goals: Sequence[Segment],
    discards: Sequence[str],
) -> None:
    """Count what is queued, and read what the links to other segments say."""
    links, none = offer.links, ("",) * len(offer)
    whole = len(links) == len(offer)
    anchors = (whole and links.anchors) or none
    contexts = (whole and links.contexts) or none
    for goal, state, discard, anchor, context in zip(
        goals, offer.states, discards, anchors, contexts, strict=True
    ):
        if discard:
            continue
        is_new = state[1] == inf
        goal.waiting += is_new
        pair = None
        if source is not None and goal is not source:
            pair = graph.pair(source, goal)
        if is_new or (pair is not None and pair.links < MOST_LINKS):
            url = reader.url(state[0])
            if is_new:
                goal.add_url(url)
            if pair is not None and pair.links < MOST_LINKS:
                pair.add(reader.link(anchor, context), url)


def features_of(pair: Pair, country: Callable[[str], str | None]) -> Features:
    """What the links of a pair are like, by what is known now."""
    source, goal = pair.source, pair.goal
    return Features(
        source.degree, pair.anchors, goal.urls, country(source.host), country(goal.host),
        tld_of(source.host), tld_of(goal.host),
    )  # fmt: skip
