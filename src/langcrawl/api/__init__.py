"""The Python interface: crawl, simulate, identify and open_log, and what they return.

Everything here calls what the command line calls, with the same names and the same defaults.
"""

from langcrawl.api.common import PathLike, open_log
from langcrawl.api.crawling import CrawlKeys, CrawlResult, crawl
from langcrawl.api.identifying import Identified, identify
from langcrawl.api.simulating import Simulation, StrategyLike, simulate

__all__ = [
    "CrawlKeys",
    "CrawlResult",
    "Identified",
    "PathLike",
    "Simulation",
    "StrategyLike",
    "crawl",
    "identify",
    "open_log",
    "simulate",
]
