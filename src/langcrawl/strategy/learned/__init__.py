"""Strategies that learn during the crawl what leads to relevant pages.

`adaptive` is one `langcrawl.ports.Learner` made of small parts. `tongues` holds facts about
languages: codes, names, letters, countries. `places` cuts a URL into the places that it lies in.
`rates` counts how each place has done, a small place leaning on the larger one around it.
`clues` sums up what a link says by itself: its anchor, its hreflang, its page. `weights` learns
how much such clues are worth, `surprises` when to rank again. `adaptive` puts them together.
docs/adaptive.md explains it.

`segments` and `best-segment` are the segment crawler of paper 004: `segment_graph` is what a crawl
knows of segments, `pooling` what the links between two of them say. `likely-segment` is ours, of
the same parts. docs/segments.md explains them.
"""
