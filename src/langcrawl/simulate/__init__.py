"""Simulation: what a strategy would have done on a recorded or generated web.

The paper's simulator (002, section 4) in our words: the visitor is the crawl loop on a
replayed web, the observer is the strategy, the classifier's answers and the link database
stand in the log. `simulate` runs the very loop that crawls live.
"""

from langcrawl.simulate.interpreted import Plan, Result, simulate

__all__ = ["Plan", "Result", "simulate"]
