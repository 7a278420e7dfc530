"""Import of Common Crawl's WAT files: the links and headers of pages, without their texts.

There is no text to judge, so the charset that a page declares must tell its language; where
that says nothing, the language that the page declares counts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from langcrawl.archive.record import Record
from langcrawl.config import CrawlConfig
from langcrawl.importers.gather import Pages, Part
from langcrawl.importers.warc import BROKEN, NO_ADDRESS, Batch, import_archives
from langcrawl.languages import Target, parse_tag, parse_targets
from langcrawl.page import REDIRECTS, clean, declared_charset, redirect_target
from langcrawl.page.declared import MAX_HREFLANG
from langcrawl.page.extract import MAX_LANGUAGE, MAX_TITLE
from langcrawl.page.links import MAX_ANCHOR, MAX_REL
from langcrawl.parallel import Progress
from langcrawl.ports import Judge
from langcrawl.records import UNJUDGED, UNKNOWN, Charsets, Content, Links, Page, Verdict
from langcrawl.url import Resolver, canonical

_LINKS = ("A@/href", "AREA@/href", "FRAME@/src", "IFRAME@/src")


def import_wat(
    directory: Path, files: Sequence[Path], judge: Judge, config: CrawlConfig, progress: Progress
) -> dict[str, Any]:
    """Make a crawl directory of WAT files; what was taken in, in numbers."""
    work = partial(understand_batch, judge=judge, target=parse_targets(config.lang))
    return import_archives(directory, files, work, ("metadata",), config, progress)


def understand_batch(batch: Batch, judge: Judge, target: Target) -> Part:
    """The pages that some records describe; records that cannot be read are counted as broken."""
    pages = Pages()
    for record in batch:
        try:
            _understand(record, judge, target, pages)
        except (ValueError, KeyError, TypeError, AttributeError):
            pages.counts[BROKEN] += 1
    return pages.part()


def _understand(record: Record, judge: Judge, target: Target, pages: Pages) -> None:
    document = json.loads(record.block)
    envelope, container = document["Envelope"], document.get("Container", {})
    about = envelope["WARC-Header-Metadata"]
    if about["WARC-Type"] != "response":
        pages.counts[about["WARC-Type"]] += 1
        return
    url = canonical(about.get("WARC-Target-URI", "").strip("<>"))
    if url is None:
        pages.counts[NO_ADDRESS] += 1
        return
    answer = envelope["Payload-Metadata"]["HTTP-Response-Metadata"]
    status = int(answer["Response-Message"]["Status"])
    page, verdict = _page(url, status, answer, judge, target)
    page = page._replace(fetched_at=record.fetched_at, ip=clean(about.get("WARC-IP-Address", "")))
    offset = str(container.get("Offset", ""))
    file = clean(container.get("Filename", ""))
    pages.add(page, verdict, file, int(offset) if offset.isdigit() else None)


def _page(
    url: str, status: int, answer: dict[str, Any], judge: Judge, target: Target
) -> tuple[Page, Verdict]:
    headers = {name.lower(): str(value) for name, value in answer.get("Headers", {}).items()}
    kind, html = clean(headers.get("content-type", "")), answer.get("HTML-Metadata")
    length = str(answer.get("Entity-Length", ""))
    page = Page(
        url=url,
        status=status,
        content_type=kind,
        bytes=int(length) if length.isdigit() else 0,
        digest=clean(answer.get("Entity-Digest", "")),
    )
    if status in REDIRECTS:
        location = redirect_target(url, clean(headers.get("location", "")))
        return page._replace(redirect=location or ""), UNJUDGED
    if status != 200 or html is None:
        return page, UNJUDGED
    content = _content(url, kind, headers.get("content-language", ""), html)
    page = page._replace(
        charsets=content.charsets,
        links=content.links,
        title=content.title,
        content_language=content.content_language,
    )
    return page, _verdict(judge.judge(content), content.content_language, target)


def _content(url: str, kind: str, language: str, html: dict[str, Any]) -> Content:
    """What the record says of the page: no text, but charset, language and links."""
    head = html.get("Head") or {}
    robots = charset = ""
    for meta in head.get("Metas") or ():
        said = str(meta.get("content", ""))
        name = str(meta.get("name") or meta.get("http-equiv") or "").lower()
        if name == "content-type" or "charset" in meta:
            label = f"charset={meta['charset']}" if "charset" in meta else said
            charset = charset or declared_charset(label)
        if name == "robots":
            robots += " " + said.lower()
        elif name == "content-language":
            language = said.strip() or language
    resolve = Resolver(url, str(head.get("Base") or ""))
    return Content(
        charsets=Charsets(header=declared_charset(kind), meta=charset),
        links=_links(html.get("Links") or (), resolve, "nofollow" in robots),
        title=clean(str(head.get("Title") or ""))[:MAX_TITLE],
        content_language=clean(language)[:MAX_LANGUAGE],
    )


def _links(said: Sequence[dict[str, Any]], resolve: Resolver, nofollow: bool) -> Links:
    """The links of a page that lead to other pages."""
    urls, anchors, rels, hreflangs = [], [], [], []
    for link in said:
        target = resolve(str(link.get("url", ""))) if link.get("path") in _LINKS else None
        if target:
            anchor = clean(str(link.get("text") or link.get("alt") or link.get("title") or ""))
            urls.append(target)
            anchors.append(anchor[:MAX_ANCHOR])
            rels.append(clean(str(link.get("rel") or "")).lower()[:MAX_REL])
            hreflangs.append(clean(str(link.get("hreflang") or ""))[:MAX_HREFLANG])
    marked = [at for at, rel in enumerate(rels) if nofollow or "nofollow" in rel]
    return Links(
        urls,
        anchors,
        frozenset(marked),
        rels=rels if any(rels) else (),
        hreflangs=hreflangs if any(hreflangs) else (),
    )


def _verdict(said: Verdict, declared: str, target: Target) -> Verdict:
    """The judge's verdict, or where it does not know the language that the page declares."""
    language = str(parse_tag(declared.split(",")[0].strip()))
    if said.language != UNKNOWN or language == UNKNOWN:
        return said
    relevant = target.matches(language)
    evidence = (*said.evidence, f"the page declares {language}")
    return Verdict(language, "", "", float(relevant), relevant, evidence)
