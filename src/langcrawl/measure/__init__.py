"""Measures: how well a crawl did, page by page, and what the web of a log is like.

`curve` sums a crawl up as paper 002, section 3.4 does: harvest rate (precision) and
coverage (explicit recall), with the queue beside them. `collection` counts what a crawl
collects hour by hour. `results` are the records that simulations and searches fill and that
reports and JSON are made of.

`webgraph` puts together what ``langcrawl analyze`` says of a log: `places` finds the
domains of hosts, `tally` counts languages and charsets by domain, `locality` and
`distance` are those of paper 000, section 2.2, `components` finds what can be reached from
one another, `spread` counts degrees and hosts. Each has a frozen record for what it found,
and `webgraph.Analysis` holds them all. All of them take a graph and go over its
arrays; the loops over links are compiled.
"""

from langcrawl.measure.curve import Point, Summary, summarize

__all__ = ["Point", "Summary", "summarize"]
