"""How many hosts there must be to keep connections busy: crawls in virtual time."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.commands import run_command

PAGES, TAKEN = 100_000, 30_000
CONNECTIONS = (16, 64, 256, 1024)
DELAY, LATENCY = 1.0, 0.5


def run() -> None:
    """busy connections of crawls of a generated web, by their number, in virtual time"""
    with tempfile.TemporaryDirectory() as folder:
        web = Path(folder) / "web"
        run_command("synth", str(web), "--profile", "today", "--pages", str(PAGES), "--json")
        hosts = run_command("analyze", str(web), "--json").document["hosts"]
        print(f"{PAGES:,} pages on {hosts:,} hosts; the first {TAKEN:,} by soft")
        for connections in CONNECTIONS:
            done = run_command(
                "simulate", str(web), "--strategy", "soft", "--timed", "--delay", str(DELAY),
                "--latency", str(LATENCY), "--connections", str(connections), "--max-pages",
                str(TAKEN), "--json",
            ).document["strategies"][0]  # fmt: skip
            time = done["time"]
            print(
                f"{connections:5} connections: {time['pages_per_second']:6.1f} pages/s, "
                f"{1 - time['idle']:.0%} busy ({(1 - time['idle']) * connections:.0f} at a time); "
                f"{hosts / connections:.0f} hosts a connection",
                flush=True,
            )
