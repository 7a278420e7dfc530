"""A file read as a page would be: HTML by its first bytes, else plain text."""

from __future__ import annotations

from typing import NamedTuple

from langcrawl.page.decode import decode
from langcrawl.page.extract import extract
from langcrawl.page.kind import is_html
from langcrawl.page.main_text import ReadMain, main_of_text
from langcrawl.page.pdf import is_pdf, read_pdf
from langcrawl.page.tree import TEXT_WITHIN
from langcrawl.records import Content

_NOWHERE = "http://localhost/"
_FIRST = 2048
"""Characters that show whether a file is HTML, whatever its charset is."""


class Document(NamedTuple):
    """What a file says, the codec that read it, whether it is a page of HTML, and all of it."""

    content: Content
    codec: str
    html: bool
    cut: bool
    """Whether text is missing, because the page is too long or too deep."""


def read_document(body: bytes, main: bool | ReadMain = False) -> Document:
    """Make sense of the bytes of a file; `main` asks for its main text as well."""
    if is_pdf(body):
        return Document(read_pdf(body, bool(main)), "", False, False)
    decoded = decode(body)
    html = is_html("", decoded.text[:_FIRST].encode("utf-8", "replace"))
    if html:
        content = extract(decoded.text, _NOWHERE, decoded.charsets, main=main)
    else:
        told = main_of_text(decoded.text) if main else None
        content = Content(decoded.text, decoded.charsets, main=told)
    cut = html and (len(decoded.text) > TEXT_WITHIN or "deep" in content.notes)
    return Document(content, decoded.codec, html, cut)
