"""``langcrawl crawl DIR --dry-run``: what options would change, without changing anything."""

from __future__ import annotations

from pathlib import Path

from langcrawl.cli.common import print_json, print_table
from langcrawl.config import CrawlConfig


def try_out(directory: Path, config: CrawlConfig, as_json: bool) -> None:
    """Print how many waiting URLs a config would leave out, and some of them."""
    from langcrawl.changes import left_out

    found = left_out(directory, config)
    if as_json:
        print_json({"dry_run": True, **found.as_json(), "seeds": len(config.seeds)})
        return
    print(f"Nothing was changed and nobody was asked. {len(config.seeds):,} seeds are named.")
    counts = found.reasons
    print(f"{found.waiting:,} URLs wait; these options would leave out {counts.total():,} of them.")
    if counts:
        rows = [
            (reason, f"{count:,}", found.examples[reason][0])
            for reason, count in counts.most_common()
        ]
        print_table(["reason", "URLs", "such as"], rows)
