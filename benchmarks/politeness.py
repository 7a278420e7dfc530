"""How many hosts there must be to keep connections busy: crawls in virtual time."""

from __future__ import annotations

import tempfile
from pathlib import Path

from langcrawl.parallel import never, silent
from langcrawl.records import Limits
from langcrawl.simulate import Plan, Source, Timing, simulate_all
from langcrawl.virtualweb.synth import generate, load_profile

PAGES, TAKEN = 50_000, 10_000
CONNECTIONS = (16, 64, 256, 1024)
DELAY, LATENCY = 1.0, 0.5


def run() -> None:
    """busy connections of crawls of a generated web, by their number, in virtual time"""
    with tempfile.TemporaryDirectory() as folder:
        web = Path(folder) / "web"
        generate(web, load_profile("today"), PAGES, 1)
        for connections in CONNECTIONS:
            timing = Timing(DELAY, connections, LATENCY)
            plan = Plan(limits=Limits(max_pages=TAKEN), timing=timing)
            graph, (result,) = simulate_all(Source(web), ["soft"], plan, silent, never)
            time = result.time
            assert time is not None
            hosts = len(set(graph.arrays.host[result.order].tolist()))
            busy = (1 - time.idle) * connections
            print(
                f"{connections:5} connections: {time.pages_per_second:6.1f} pages/s, "
                f"{busy:5.1f} of them busy ({busy / connections:.0%}); {len(result.order):,} pages "
                f"of {hosts:,} hosts",
                flush=True,
            )
