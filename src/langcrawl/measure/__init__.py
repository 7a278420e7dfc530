"""Measures: how well a crawl did, page by page, and what the web of a log is like.

`curve` sums a crawl up as paper 002, section 3.4 does: harvest rate (precision) and
coverage (explicit recall), with the queue beside them.

`webgraph` puts together what ``langcrawl analyze`` says of a log: `places` finds the
domains of hosts, `tally` counts languages and charsets by domain, `locality` and
`distance` are those of paper 000, section 2.2, `components` finds what can be reached from
one another, `spread` counts degrees and hosts. All of them take a graph and go over its
arrays; the loops over links are compiled.
"""

from langcrawl.measure.curve import Summary, summarize

__all__ = ["Summary", "summarize"]
