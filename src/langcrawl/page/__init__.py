"""From the bytes of an answer to text, links and declared facts.

`decode` finds the charset, by byte order mark, HTTP header, META element and byte detector,
and makes text of the bytes; `extract` parses that text as HTML and takes from it what a
judge and a strategy need: the visible text, with `links` the links in document order, and, with
`declared`, what the page says of itself. `kind` tells pages from other things, and
`nesting` keeps elements without end from the parser. `answer` does all that to an HTTP answer,
and asks a judge; `document` does it to a file. `reader` reads answers to the end, within a
`budget`, and `helper` is the process that reads what could be dear.
"""

from langcrawl.page.answer import (
    HEEDED_HEADERS,
    REDIRECTS,
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
from langcrawl.page.reader import Answer, CarefulReader, PageReader, Reading, ScoreAnchor

__all__ = [
    "HEEDED_HEADERS",
    "REDIRECTS",
    "Answer",
    "Budget",
    "CarefulReader",
    "Decoded",
    "PageReader",
    "Reading",
    "ScoreAnchor",
    "clean",
    "declared_charset",
    "decode",
    "digest_of",
    "extract",
    "is_html",
    "is_text",
    "limit_memory",
    "read_document",
    "redirect_target",
    "understand",
]
