"""An HTTP answer as a page and a verdict, whether a server gave it now or an archive kept it."""

from __future__ import annotations

import hashlib
import string
from urllib.parse import quote_from_bytes

from langcrawl.page.decode import decode
from langcrawl.page.extract import extract, is_html, is_text
from langcrawl.ports import Judge
from langcrawl.records import UNJUDGED, Content, Page, Verdict
from langcrawl.url import Resolver

REDIRECTS = frozenset({301, 302, 303, 307, 308})


def understand(
    url: str, status: int, content_type: str, location: str, body: bytes, judge: Judge
) -> tuple[Page, Verdict]:
    """Decode, extract and judge what a server sent."""
    kind, redirect = clean(content_type), ""
    content, verdict = Content(), UNJUDGED
    if status in REDIRECTS:
        redirect = redirect_target(url, location) or ""
    elif status == 200:
        content, verdict = _read(url, body, kind, judge)
    page = Page(
        url=url,
        status=status,
        redirect=redirect,
        content_type=kind,
        bytes=len(body),
        text_bytes=len(content.text.encode("utf-8", errors="replace")),
        charsets=content.charsets,
        digest=f"sha256:{hashlib.sha256(body).hexdigest()}",
        links=content.links,
    )
    return page, verdict


def redirect_target(url: str, location: str) -> str | None:
    """Where a redirect leads; bytes that are no UTF-8 are quoted, as browsers do."""
    if not location:
        return None
    raw = location.encode("utf-8", errors="surrogateescape")
    return Resolver(url)(quote_from_bytes(raw, safe=string.punctuation))


def clean(text: str) -> str:
    """What a server says, as text that can be kept: no broken letters, no line breaks."""
    return " ".join(text.encode("utf-8", errors="replace").decode("utf-8").split())


def _read(url: str, body: bytes, kind: str, judge: Judge) -> tuple[Content, Verdict]:
    if is_html(kind, body):
        decoded = decode(body, kind)
        content = extract(decoded.text, url, decoded.charsets)
    elif is_text(kind):
        decoded = decode(body, kind)
        content = Content(decoded.text, decoded.charsets)
    else:
        return Content(), UNJUDGED
    return content, judge.judge(content)
