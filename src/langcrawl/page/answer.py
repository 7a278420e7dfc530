"""An HTTP answer as a page and a verdict, whether a server gave it now or an archive kept it."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Generator, Mapping
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import quote_from_bytes

from xxhash import xxh3_64_intdigest

from langcrawl.page.declared import clean
from langcrawl.page.decode import decode
from langcrawl.page.extract import MAX_LANGUAGE, extract
from langcrawl.page.kind import is_binary, is_html, is_text, media_type
from langcrawl.page.main_text import ReadMain, main_of_text
from langcrawl.page.pdf import is_pdf, read_pdf
from langcrawl.ports import Judge
from langcrawl.records import UNJUDGED, Content, Page, Verdict
from langcrawl.url import Resolver

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Work with a pause after each step: done to several pages in turn, a step finds its code and its
tables in the processor's caches, which takes a fifth of the time off."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TO_SIGNED = 1 << 63
_BASE_32 = string.ascii_uppercase + "234567"
_PAIRS = [first + second for first in _BASE_32 for second in _BASE_32]
"""The digits of ten bits: to look them up takes a tenth of the time of `base64.b32encode`."""
_TEN_BITS = tuple(range(150, -1, -10))
HEEDED_HEADERS = ("content-language", "link", "x-robots-tag")
"""What `understand` looks at among the headers of an answer, beside its type and Location."""


def understand(
    url: str,
    status: int,
    content_type: str,
    location: str,
    body: bytes,
    judge: Judge,
    *,
    headers: Mapping[str, str] = MappingProxyType({}),
    fingerprinted: bool = True,
    context: bool = False,
    main: bool | ReadMain = False,
    pdf: bool = False,
) -> tuple[Page, Verdict, Content]:
    """Decode, extract and judge what a server sent; what it says is empty if it is no page of text.

    Of other headers, by their names in small letters, those in `HEEDED_HEADERS` count. Whoever
    looks for no traps has no use for the fingerprint. `main` asks for the main text as
    well, and `pdf` for the text of PDFs.
    """
    answer = url, status, content_type, location, body
    return at_once(understand_in_steps(*answer, judge, headers, fingerprinted, context, main, pdf))


def understand_in_steps(
    url: str,
    status: int,
    content_type: str,
    location: str,
    body: bytes,
    judge: Judge,
    headers: Mapping[str, str],
    fingerprinted: bool,
    context: bool,
    main: bool | ReadMain,
    pdf: bool,
) -> Steps[tuple[Page, Verdict, Content]]:
    """The same in steps."""
    kind, redirect = clean(content_type), ""
    content: Content | None = None
    if status in REDIRECTS:
        redirect = redirect_target(url, location) or ""
    elif status == 200:
        content = _read(url, body, kind, headers, context, main, pdf)
        redirect = content.refresh if content else ""
        yield
    verdict = judge.judge(content) if content and not redirect else UNJUDGED
    content = content or Content(notes=_of_no_page(status, kind, body))
    yield
    text = content.text.encode("utf-8", errors="replace")
    page = Page(
        url=url,
        status=status,
        redirect=redirect,
        content_type=kind,
        bytes=len(body),
        text_bytes=len(text),
        charsets=content.charsets,
        digest=digest_of(body),
        links=content.links,
        notes=content.notes,
        fingerprint=fingerprint(text) if fingerprinted else 0,
        title=content.title,
        html_lang=content.html_lang,
        content_language=content.content_language,
        fonts=content.fonts,
    )
    return page, verdict, content


def at_once(steps: Steps[T]) -> T:
    """What comes of work in steps, without pauses."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def digest_of(body: bytes) -> str:
    """The digest of a body as WARC files write it: SHA-1 in base 32."""
    bits = int.from_bytes(hashlib.sha1(body, usedforsecurity=False).digest())
    return "sha1:" + "".join([_PAIRS[bits >> place & 1023] for place in _TEN_BITS])


def fingerprint(text: bytes) -> int:
    """A number that near-same pages share: of their text without digits and white space."""
    kept = text.translate(None, b"0123456789 \t\r\n")
    return xxh3_64_intdigest(kept) - _TO_SIGNED if kept else 0


def redirect_target(url: str, location: str) -> str | None:
    """Where a redirect leads; bytes that are no UTF-8 are quoted, as browsers do."""
    if not location:
        return None
    raw = location.encode("utf-8", errors="surrogateescape")
    return Resolver(url)(quote_from_bytes(raw, safe=string.punctuation))


def _read(
    url: str,
    body: bytes,
    kind: str,
    headers: Mapping[str, str],
    context: bool,
    main: bool | ReadMain,
    pdf: bool,
) -> Content | None:
    """What an answer says; None where it is no page of text."""
    if pdf and is_pdf(body):
        return read_pdf(body, bool(main))
    if is_html(kind, body):
        decoded = decode(body, kind)
        return extract(decoded.text, url, decoded.charsets, headers, decoded.utf_8, context, main)
    if is_text(kind, body):
        decoded = decode(body, kind)
        language = clean(headers.get("content-language", ""))[:MAX_LANGUAGE]
        told = main_of_text(decoded.text) if main else None
        return Content(decoded.text, decoded.charsets, content_language=language, main=told)
    return None


def _of_no_page(status: int, kind: str, body: bytes) -> tuple[str, ...]:
    """Binary data that a server calls a page are worth a note."""
    called = media_type(kind)
    return ("binary",) if status == 200 and called.startswith("text/") and is_binary(body) else ()
