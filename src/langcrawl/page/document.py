"""A file read as a page would be: HTML by its first bytes, else plain text."""

from __future__ import annotations

from typing import NamedTuple

from langcrawl.page.decode import decode
from langcrawl.page.extract import extract
from langcrawl.page.kind import is_html
from langcrawl.records import Content

_NOWHERE = "http://localhost/"


class Document(NamedTuple):
    """What a file says, the codec that read it, and whether it is a page of HTML."""

    content: Content
    codec: str
    html: bool


def read_document(body: bytes) -> Document:
    """Make sense of the bytes of a file."""
    decoded, html = decode(body), is_html("", body)
    if html:
        content = extract(decoded.text, _NOWHERE, decoded.charsets)
    else:
        content = Content(decoded.text, decoded.charsets)
    return Document(content, decoded.codec, html)
