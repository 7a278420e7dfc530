"""The text of a PDF, as a page's: read by pdfium, within bounds.

What a hostile file can cost is bounded from outside (`langcrawl.page.helper`); the bounds here
keep an honest one of ten thousand pages from taking all of that.
"""

from __future__ import annotations

from typing import Any

from langcrawl.page.main_text import main_of_text
from langcrawl.page.stated import day
from langcrawl.records import PDF, Content, MainText

_MOST_PAGES, _MOST_CHARACTERS = 2_000, 2_000_000
_BEGINS_WITHIN = 1024
_MAX_TITLE = 500


def is_pdf(body: bytes) -> bool:
    """Whether a body is a PDF; some begin with other bytes."""
    return b"%PDF-" in body[:_BEGINS_WITHIN]


def read_pdf(body: bytes, main: bool = False) -> Content:
    """The text of a PDF; of one that cannot be read, or only with a password, a note."""
    import pypdfium2  # it loads a library that few need

    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        return Content(notes=(PDF, "encrypted" if locked else "broken"))
    try:
        text = _text(document)
        about = _about(document)
    finally:
        document.close()
    notes = (PDF,) if text else (PDF, "no-text")
    told = MainText(main_of_text(text).text, *about) if main else None
    return Content(text, title=about[0], notes=notes, main=told)


def _text(document: Any) -> str:
    """The text of the pages, a line for each of theirs."""
    import pypdfium2

    pages: list[str] = []
    size = 0
    for number in range(min(len(document), _MOST_PAGES)):
        try:
            page = document[number]
            held = page.get_textpage()
            pages.append(held.get_text_range(0, min(held.count_chars(), _MOST_CHARACTERS - size)))
            held.close()
            page.close()
        except pypdfium2.PdfiumError:  # the others may be sound
            continue
        size += len(pages[-1])
        if size >= _MOST_CHARACTERS:
            break
    lines = (" ".join(line.split()) for page in pages for line in _sound(page).splitlines())
    return "\n".join(line for line in lines if line)


def _sound(text: str) -> str:
    """Text without what only PDFs have: marks of broken words and codes of no letters."""
    return text.replace("\ufffe", "").replace("\0", "").replace("\x02", "")


def _about(document: Any) -> tuple[str, str, str]:
    """The title, date and author that a PDF states."""
    said = document.get_metadata_dict(skip_empty=True)
    title, author = (" ".join(str(said.get(key, "")).split())[:_MAX_TITLE]
                     for key in ("Title", "Author"))  # fmt: skip
    return title, day(str(said.get("CreationDate", "")).removeprefix("D:")[:8]), author
