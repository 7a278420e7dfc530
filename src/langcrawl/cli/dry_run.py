"""``langcrawl crawl DIR --dry-run``: what options would change, without changing anything."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from langcrawl.cli.common import print_json, print_table
from langcrawl.config import FILE, CrawlConfig

_EXAMPLES = 5
"""URLs shown for each reason."""


def try_out(directory: Path, config: CrawlConfig, as_json: bool) -> None:
    """Print how many waiting URLs a config would leave out, and some of them."""
    from langcrawl.scope.review import Review
    from langcrawl.settings import limits_of, scope_of
    from langcrawl.store.view import open_view

    waiting, counts, examples = 0, Counter[str](), dict[str, list[str]]()
    scope, limits = scope_of(config), limits_of(config)
    if (directory / FILE).exists():
        with open_view(directory) as view:
            downloads = view.downloads()
            review = Review(scope, limits, config.seeds, lambda host: downloads.get(host, 0))
            for url, depth in view.waiting():
                waiting += 1
                if reason := review.reason(url, depth):
                    counts[reason] += 1
                    if counts[reason] <= _EXAMPLES:
                        examples.setdefault(reason, []).append(url)
    if as_json:
        print_json(
            {
                "dry_run": True,
                "waiting": waiting,
                "left_out": counts.total(),
                "reasons": dict(counts),
                "examples": examples,
                "seeds": len(config.seeds),
            }
        )
        return
    print(f"Nothing was changed and nobody was asked. {len(config.seeds):,} seeds are named.")
    print(f"{waiting:,} URLs wait; these options would leave out {counts.total():,} of them.")
    if counts:
        rows = [
            (reason, f"{count:,}", examples[reason][0]) for reason, count in counts.most_common()
        ]
        print_table(["reason", "URLs", "such as"], rows)
