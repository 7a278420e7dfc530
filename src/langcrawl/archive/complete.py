"""The last thing that a run does to its archive: files are closed, and the index knows them."""

from __future__ import annotations

from functools import partial

from langcrawl.archive.captures import captures
from langcrawl.archive.index import update_index
from langcrawl.archive.repair import remember_sealed, set_aside_archives
from langcrawl.archive.writer import finish
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.log.segments import segment_sizes
from langcrawl.log.visits import visit_files, visit_names
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.lost import LostAndFound


def complete_archive(directory: CrawlDirectory, frontier: SqliteFrontier) -> str:
    """Once all is committed and the workers have ended: complete the archive and its index.

    Answers a sentence where something had to be set aside.
    """
    lost = LostAndFound(directory.path)
    set_aside_archives(directory, frontier.connection, lost)
    finish(directory.warc)
    known = partial(captures, directory.path, frontier.url_of)
    if directory.warc.is_dir():
        visits = visit_names(visit_files(frontier.connection))
        sizes = {name: (directory.path / name).stat().st_size for name in visits}
        update_index(directory.warc, segment_sizes(directory.path) | sizes, known)
    frontier.connection.execute("BEGIN")
    remember_sealed(directory, frontier.connection)
    frontier.connection.execute("COMMIT")
    return lost.sentence()
