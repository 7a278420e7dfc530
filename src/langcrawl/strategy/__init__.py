"""Strategies: which links to follow, in which order.

A strategy is one small file with one function. The function takes the strategy's
parameters and returns a `langcrawl.ports.Strategy`: a pure `rank` over the facts of a link,
the reasons for which it discards, and a sentence that says what it does. Strategies import
ports and records only, so nothing that a crawler could not know reaches a decision. On the
command line one is written ``name:parameter=value,parameter=value``; a rule of your own is
``package.module:function``, or ``file.py:function``.
"""

from langcrawl.strategy.catalogue import (
    NEED_A_MODEL,
    STRATEGIES,
    make_rule,
    make_strategy,
    start_ranker,
)

__all__ = ["NEED_A_MODEL", "STRATEGIES", "make_rule", "make_strategy", "start_ranker"]
