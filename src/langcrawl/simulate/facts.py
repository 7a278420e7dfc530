"""What a simulation was asked, in sentences for its report: enough to repeat it."""

from __future__ import annotations

from dataclasses import fields

from langcrawl.log.graph import Graph
from langcrawl.simulate.plan import Plan
from langcrawl.simulate.rejudge import Source

_NAMED = 50
"""Seeds that are written out."""


def facts_of(graph: Graph, source: Source, plan: Plan) -> list[str]:
    """The log, the seeds, what is relevant, the limits and the time of a simulation."""
    config = graph.config
    seeds = list(dict.fromkeys(plan.seeds or config.seeds))
    named = ", ".join(seeds[:_NAMED])
    more = f" and {len(seeds) - _NAMED:,} more" if len(seeds) > _NAMED else ""
    facts = [
        f"Log: {source.directory} ({config.source}, langcrawl {config.version}), "
        f"{graph.pages:,} pages and {graph.links:,} links.",
        f"Seeds ({len(seeds):,}{'' if plan.seeds else ', those of the log'}): {named}{more}.",
    ]
    if source.judge:
        facts.append(f"The pages were judged again by {source.judge}.")
    limits = {field.name: getattr(plan.limits, field.name) for field in fields(plan.limits)}
    set_limits = [f"{name} {value:,}" for name, value in limits.items() if value is not None]
    if set_limits:
        facts.append(f"Limits: {', '.join(set_limits)}.")
    if plan.unknown_fails:
        facts.append("Links that have no page in the log fail.")
    if timing := plan.timing:
        times = "recorded times"
        if timing.latency is not None:
            times = f"a latency of {timing.latency:g} s drawn with the random seed {timing.seed}"
        facts.append(
            f"Time was simulated: a delay of {timing.delay:g} s, {timing.connections:,} "
            f"connections, {times}."
        )
    return facts
