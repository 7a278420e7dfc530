"""From the bytes of an answer to text, links and declared facts.

`decode` finds the charset, by byte order mark, HTTP header, META element and byte detector,
and makes text of the bytes; `extract` parses that text as HTML and takes from it what a
judge and a strategy need: the visible text, with `links` the links in document order, and, with
`declared`, what the page says of itself. `kind` tells pages from other things, and
`nesting` keeps elements without end from the parser. `answer` does all that to an HTTP answer,
and asks a judge; `document` does it to a file. `reader` reads answers to the end, within a
`budget`, and `helper` is the process that reads what could be dear.

`main_text` tells what a page is about from what stands around it, by `classifier`
(`markup`, `blocks`, `forest`); `stated` finds its title, date, author and licence. `pdf`
reads PDFs::

    main_text(html: bytes) -> MainText          of a page of HTML in UTF-8
    best_text(html: bytes) -> MainText          the same by trafilatura, if it is installed
    main_of_text(text: str) -> MainText         of a text that is no HTML
    understand(..., main=True)                  of an answer: the third result has it as `.main`
    read_document(body, main=True)              of a file: `.content.main`

Where `main=True` is, `main=best_text` may be. For archived answers, `archive.texts` has
`understood(url, content_type, body, headers, main=True)`,
and `texts(directory, main=True)` for all pages of a crawl.
"""

from langcrawl.page.answer import (
    HEEDED_HEADERS,
    REDIRECTS,
    Steps,
    digest_of,
    redirect_target,
    understand,
)
from langcrawl.page.budget import Budget, limit_memory
from langcrawl.page.declared import clean
from langcrawl.page.decode import Decoded, declared_charset, decode
from langcrawl.page.document import read_document
from langcrawl.page.extract import extract
from langcrawl.page.kind import is_html, is_text
from langcrawl.page.main_text import ReadMain, best_text, main_of_text, main_text
from langcrawl.page.pdf import is_pdf
from langcrawl.page.reader import Answer, CarefulReader, PageReader, Reading, ScoreAnchor

__all__ = [
    "HEEDED_HEADERS",
    "REDIRECTS",
    "Answer",
    "Budget",
    "CarefulReader",
    "Decoded",
    "PageReader",
    "ReadMain",
    "Reading",
    "ScoreAnchor",
    "Steps",
    "best_text",
    "clean",
    "declared_charset",
    "decode",
    "digest_of",
    "extract",
    "is_html",
    "is_pdf",
    "is_text",
    "limit_memory",
    "main_of_text",
    "main_text",
    "read_document",
    "redirect_target",
    "understand",
]
