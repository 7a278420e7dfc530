"""Simulation: what a strategy would have done on a recorded or generated web.

The paper's simulator (002, section 4) in our words: the visitor is the crawl loop on a
replayed web, the observer is the strategy, the classifier's answers and the link database
stand in the log. `interpreted` runs the very loop that crawls live, and is the reference;
`compiled` runs the same rules over arrays, with the strategy's own functions compiled, at
tens of millions of links a second. `run` chooses between
them, `parallel` runs several strategies side by side, `timing` lets time pass, `oracle` knows
the answer in advance.
"""

from langcrawl.measure.results import Result
from langcrawl.simulate.parallel import simulate_all
from langcrawl.simulate.plan import Plan, as_urls
from langcrawl.simulate.rejudge import Source, open_graph
from langcrawl.simulate.run import simulate
from langcrawl.simulate.timing import Timing

__all__ = [
    "Plan", "Result", "Source", "Timing", "as_urls", "open_graph", "simulate", "simulate_all",
]  # fmt: skip
