"""What the functions of the interface share: paths, Ctrl-C, and a log that is opened."""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from langcrawl.api.tables import CrawlLog
from langcrawl.errors import BadInput
from langcrawl.parallel import Stop

PathLike = str | os.PathLike[str]


def interrupt() -> AbstractContextManager[Stop | None]:
    """Ctrl-C as a request to stop, where this thread is the one that hears it."""
    from langcrawl.cli.progress import Interrupt

    if threading.current_thread() is threading.main_thread():
        return Interrupt(ends_process=False)
    return nullcontext()


def open_log(directory: PathLike) -> CrawlLog:
    """Open the log of a crawl, an import or a generated web, to read it as tables.

    It may be a crawl that is running: each call then reads what has been logged by that moment.
    Tables are Arrow tables; ``as_="pandas"`` makes data frames, if pandas is installed.

    >>> log = langcrawl.open_log("web")
    >>> log.config.lang
    'th'
    >>> pages = log.pages(["url", "language", "relevant"])
    >>> pages.num_rows, pages.column_names
    (2000, ['url', 'language', 'relevant'])
    >>> log.hosts().column_names
    ['host', 'domain', 'urls', 'pages', 'ok', 'relevant', 'bytes']
    >>> sum(batch.num_rows for batch in log.link_batches(["src", "dst"])) == log.links().num_rows
    True
    >>> next(log.texts()).language
    'th'
    """
    from langcrawl.cli.common import as_one

    place = as_one(Path(directory))
    if place.is_file():
        raise BadInput(f"'{place}' is a file; give the directory of a crawl.")
    return CrawlLog(place)
