"""Measures: how well a crawl did, page by page.

`curve.Measures` is a sink that keeps one number of relevant pages and one queue size a
page, and sums them up as paper 002, section 3.4 does: harvest rate (precision) and coverage
(explicit recall), with the queue beside them.
"""

from langcrawl.measure.curve import Measures, Summary

__all__ = ["Measures", "Summary"]
