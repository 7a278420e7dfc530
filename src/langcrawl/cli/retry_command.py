"""``langcrawl retry``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import Json, Trust, check_trust
from langcrawl.cli.crawl_words import tell_result
from langcrawl.cli.progress import Interrupt
from langcrawl.cli.watching import CrawlDisplay, Loudness
from langcrawl.config import CrawlConfig

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the crawl.")]
Reason = Annotated[
    list[str] | None,
    typer.Option(
        help="Only what failed for this reason: an error such as dns or timeout, a status such "
        "as 403, or 5xx; may be given several times."
    ),
]


def retry(
    directory: Directory, reason: Reason = None, trust: Trust = False, as_json: Json = False
) -> None:
    """Ask again for what failed in the crawl in DIR, and go on with it.

    Without --reason: whatever got no answer, and the statuses 429, 500, 502, 503 and 504.

    \b
    Example:  langcrawl retry thai
              langcrawl retry thai --reason dns --reason 403
    """
    from langcrawl.cluster import crawl as run_crawl

    config = CrawlConfig.load(directory)
    check_trust(directory, config, trust)
    with Interrupt() as stop, CrawlDisplay(config.max_pages, Loudness.NORMAL, None) as display:
        result = run_crawl(directory, config, [display], stop, display, reason or ())
    tell_result(directory, config, result, as_json, by_service=stop.by_service)
