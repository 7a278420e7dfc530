"""Exports the archive of a crawl, or archives of others, as one WACZ file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langcrawl.archive.reader import Archive, find_archives
from langcrawl.archive.sources import all_sources
from langcrawl.archive.wacz import write_wacz
from langcrawl.config import FILE
from langcrawl.corpus.parts import room_expected
from langcrawl.corpus.sources import read_relevant_urls
from langcrawl.errors import BadInput
from langcrawl.importers.given import archives_given
from langcrawl.parallel import Progress

if TYPE_CHECKING:
    from langcrawl.corpus.export import Order

_NAME = "archive.wacz"


def export_wacz(order: Order, progress: Progress) -> dict[str, Any]:
    """Pack the archives that are given, or those of the crawls; relevant pages are listed."""
    path = order.path or order.given[0] / _NAME
    if path.exists() and not order.overwrite:
        raise BadInput(f"'{path}' is there already; name another file, or use --overwrite.")
    crawls = [given for given in order.given if (given / FILE).is_file()]
    files = [each for crawl in crawls for each in all_sources(crawl)]
    others = [given for given in order.given if given not in crawls]
    if crawls and not files:
        raise BadInput(
            f"'{crawls[0]}' has no complete archive file in 'warc'; let its crawl end first."
        )
    files += archives_given(others) if others else []
    relevant = None if others else {url for crawl in crawls for url in read_relevant_urls(crawl)}
    archives = list(_archives(files))
    path.parent.mkdir(parents=True, exist_ok=True)

    def is_page(url: str) -> bool:
        return relevant is None or url in relevant

    def say(done: int, share: float) -> None:
        progress(done, share)

    with room_expected():
        title = path.name.removesuffix(".wacz")
        made = write_wacz(path, archives, title, is_page, say)
    return {
        "files": [str(path)],
        "archives": made.archives,
        "captures": made.captures,
        "pages": made.pages,
        "broken_records": made.broken,
        "bytes": path.stat().st_size,
    }


def _archives(files: Iterable[Path]) -> Iterable[Archive]:
    for path in dict.fromkeys(files):
        yield from find_archives(path)
