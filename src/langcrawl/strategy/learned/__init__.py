"""Strategies that learn during the crawl what leads to relevant pages.

`adaptive` is one `langcrawl.ports.Learner` made of small parts. `tongues` holds facts about
languages: codes, names, letters, countries. `places` cuts a URL into the places that it lies in.
`rates` counts how each place has done, a small place leaning on the larger one around it.
`clues` sums up what a link says by itself: its anchor, its hreflang, its page. `weights` learns
how much such clues are worth. `adaptive` puts them together. docs/adaptive.md explains it.
"""

from langcrawl.strategy.learned.adaptive import Adaptive

__all__ = ["Adaptive"]
