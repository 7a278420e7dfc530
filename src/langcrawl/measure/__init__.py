"""Measures: how well a crawl did, page by page.

`curve` sums a crawl up as paper 002, section 3.4 does: harvest rate (precision) and
coverage (explicit recall), with the queue beside them.
"""

from langcrawl.measure.curve import Summary, summarize

__all__ = ["Summary", "summarize"]
