"""Simulation: what a strategy would have done on a recorded or generated web.

The paper's simulator (002, section 4) in our words: the visitor is the crawl loop on a
replayed web, the observer is the strategy, the classifier's answers and the link database
stand in the log. `interpreted` runs the very loop that crawls live, and is the reference;
`compiled` runs the same rules over arrays, with the strategy's own functions compiled, at
tens of millions of links a second. `run` chooses between them.
"""

from langcrawl.simulate.plan import Plan, Result, as_urls
from langcrawl.simulate.run import simulate

__all__ = ["Plan", "Result", "as_urls", "simulate"]
