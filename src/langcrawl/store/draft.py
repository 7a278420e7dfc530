"""A crawl directory while it is made: complete once it has its crawl.toml, otherwise removed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from langcrawl.config import FILE, CrawlConfig
from langcrawl.errors import BadInput

_DRAFT = "draft.tmp"


@contextmanager
def new_crawl(directory: Path, config: CrawlConfig) -> Iterator[Path]:
    """A place to write a log to, which becomes the directory's when all has gone well.

    When not, nothing is left; what a killed process left is removed by the next one.
    """
    if (directory / FILE).exists():
        raise BadInput(f"'{directory}' already holds a crawl; choose a new directory.")
    if (directory / "log").exists():
        raise BadInput(f"'{directory}' already holds a log; choose a new directory.")
    new = not directory.exists()
    draft = directory / _DRAFT
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir(parents=True)
    except OSError as error:
        raise BadInput(
            f"'{directory}' cannot be written to ({error.strerror}); choose another directory."
        ) from None
    try:
        yield draft
        (draft / "log").rename(directory / "log")
        config.save(directory)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        if new:
            with suppress(OSError):  # it is not empty where all has gone well
                directory.rmdir()


@contextmanager
def new_copies(folder: Path) -> Iterator[Path]:
    """A folder for copies of files that a log is made of; nothing is left when that fails."""
    new = not folder.exists()
    try:
        yield folder
    except BaseException:
        if new:
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):  # the directory is not empty, or was never made
                folder.parent.rmdir()
        raise
