"""What `adaptive` learns from a whole log, for crawls to come."""

from __future__ import annotations

from langcrawl.errors import BadInput
from langcrawl.log.graph import Graph
from langcrawl.parallel import Progress, Stop, never, silent
from langcrawl.ports import Learned
from langcrawl.simulate.plan import Plan, find_seeds
from langcrawl.simulate.run import simulate
from langcrawl.strategy.learned.adaptive import Adaptive
from langcrawl.strategy.learned.prior import Prior, prior_of


def learn_prior(graph: Graph, progress: Progress = silent, stop: Stop = never) -> Prior:
    """Let `adaptive` crawl the web of a log, whoever crawled it before; what it has learned."""
    lang = graph.lang or graph.config.lang
    learner = Adaptive(lang)
    plan = Plan()
    find_seeds(graph, plan)
    simulate(graph, Learned("adaptive", lambda _: learner), plan, progress, stop)
    if not learner.downloads:
        raise BadInput("the log has no page to learn from.")
    return prior_of(learner, lang)
