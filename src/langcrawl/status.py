"""How a crawl stands, read from its database while another process may be writing it."""

from __future__ import annotations

import fcntl
import json
import sqlite3
from pathlib import Path
from typing import Any

from langcrawl.config import CrawlConfig
from langcrawl.errors import NoSuchLog
from langcrawl.ledger import COUNTS, DATABASE


def read_status(directory: Path) -> dict[str, Any]:
    """The JSON of ``status``."""
    config = CrawlConfig.load(directory)
    path = directory / DATABASE
    if not path.exists():
        raise NoSuchLog(
            f"'{directory}' holds no live crawl (there is no {DATABASE}); 'langcrawl analyze' "
            "describes the logs of imports and generated webs."
        )
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        meta = dict(database.execute("SELECT key, value FROM meta"))
        counts = json.loads(meta.get(COUNTS, "{}"))
        queue = int(meta.get("counters", "0 0").split()[1])
        (urls,) = database.execute("SELECT coalesce(max(id) + 1, 0) FROM urls").fetchone()
        (hosts,) = database.execute("SELECT count(*) FROM hosts").fetchone()
    finally:
        database.close()
    pages, spent = counts.get("pages", 0), counts.get("spent", 0.0)
    running = is_running(directory)
    return {
        "running": running,
        "lang": config.lang,
        "strategy": config.strategy,
        "pages": pages,
        "relevant": counts.get("relevant", 0),
        "harvest": counts.get("relevant", 0) / pages if pages else 0.0,
        "queue": queue,
        "under_way": counts.get("under_way", 0) if running else 0,
        "urls": urls,
        "hosts": hosts,
        "bytes": counts.get("bytes", 0),
        "seconds": spent,
        "pages_per_second": pages / spent if spent else 0.0,
        "errors": counts.get("errors", {}),
        "discards": counts.get("discards", {}),
        "notes": counts.get("notes", {}),
    }


def is_running(directory: Path) -> bool:
    """Whether a process is crawling into the directory: then it holds the lock."""
    try:
        with (directory / ".lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
