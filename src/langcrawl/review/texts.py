"""What a reviewer looks at: the text of a sampled page, and the page as it was archived."""

from __future__ import annotations

from pathlib import Path

from langcrawl.archive.one_page import ArchivedPage, Place, read_page
from langcrawl.archive.texts import Texts, texts
from langcrawl.config import CrawlConfig
from langcrawl.errors import LangcrawlError
from langcrawl.records import Content
from langcrawl.review.sample import SampledPage
from langcrawl.script import readable
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.view import open_view


class ReviewTexts:
    """Reads pages of a sample."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._limit = CrawlConfig.load(directory).max_page_bytes
        self._texts: Texts | None = None

    def archived(self, page: SampledPage) -> ArchivedPage | None:
        """The page as it was archived; None where it cannot be read."""
        if not page.warc_file:
            return None
        original = None
        if page.revisit and CrawlDirectory(self._directory).database.exists():
            with open_view(self._directory) as view:
                original = view.original_of(page.digest)
        place = Place(page.url, page.warc_file, page.warc_offset)
        try:
            return read_page(
                self._directory, place, self._limit, Place(*original) if original else None
            )
        except (OSError, ValueError, LangcrawlError):
            return None

    def text(self, page: SampledPage) -> str:
        """The text that the judge saw, in Unicode; empty where there is none any more."""
        archived = self.archived(page)
        if archived is not None:
            content = archived.content() if archived.is_readable else None
        else:
            content = self._generated(page)
        return readable(content.text, page.encoding, content.fonts) if content else ""

    def _generated(self, page: SampledPage) -> Content | None:
        """A page of a generated web, which has texts without an archive."""
        try:
            if self._texts is None:
                self._texts = texts(self._directory)
            return self._texts.content(page.page)
        except LangcrawlError:
            return None
