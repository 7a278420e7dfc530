"""Import of web archives: every kept answer becomes a page of a crawl log, judged anew."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.page import is_html, understand
from langcrawl.ports import Judge
from langcrawl.url import canonical
from langcrawl.virtualweb.archive_read import Archive, find_archives, read_records
from langcrawl.virtualweb.archive_record import Record
from langcrawl.virtualweb.draft import new_crawl
from langcrawl.virtualweb.gather import Gatherer, Pages, Part
from langcrawl.virtualweb.http_message import parse_answer
from langcrawl.virtualweb.pool import cores, in_order

Progress = Callable[[float, int], None]
"""Told now and then: the share of the work that is done, and the pages so far."""
Batch = Sequence[Record]

_BATCH_BYTES, _BATCH_RECORDS = 1 << 20, 200
_SMALL = 1_000_000
"""Bytes of archives that make too few bundles for several processes."""
NO_ADDRESS, REPEATED, BROKEN = "no-web-address", "repeated", "broken"
_NO_KIND = (REPEATED, BROKEN, "read")


def import_warc(
    directory: Path, files: Sequence[Path], judge: Judge, config: CrawlConfig, progress: Progress
) -> dict[str, Any]:
    """Make a crawl directory of WARC, ARC and WACZ files; what was taken in, in numbers."""
    work = partial(understand_batch, judge=judge, limit=config.max_page_bytes)
    return import_archives(directory, files, work, ("response", "resource"), config, progress)


def import_archives(
    directory: Path,
    files: Sequence[Path],
    work: Callable[[Batch], Part],
    wanted: tuple[str, ...],
    config: CrawlConfig,
    progress: Progress,
) -> dict[str, Any]:
    """Make a crawl directory of the wanted records of archives, by what `work` makes of them."""
    archives = [archive for path in files for archive in find_archives(path)]
    total = sum(archive.size for archive in archives)
    tally: Counter[str] = Counter()
    with new_crawl(directory, config) as draft:
        log = Gatherer(draft)
        ends: deque[int] = deque()
        batches = _batches(archives, wanted, config.max_page_bytes, tally, ends)
        for part in in_order(work, batches, cores() if total > _SMALL else 1):
            log.add(part)
            progress(ends.popleft() / total, log.pages)
        counts = log.counts + tally
        if not log.pages:
            raise BadInput(_no_pages(files, counts))
        log.flush()
    return _summary(log, counts)


def _no_pages(files: Sequence[Path], counts: Counter[str]) -> str:
    names = ", ".join(f"'{path}'" for path in files)
    kinds = _skipped(counts) | ({BROKEN: counts[BROKEN]} if counts[BROKEN] else {})
    found = ", ".join(f"{kind}: {number:,}" for kind, number in kinds.items())
    hint = "WAT files are given with --wat, files with the answers of servers with --warc"
    return f"there is no page in {names}, only other records ({found}); {hint}."


def _skipped(counts: Counter[str]) -> dict[str, int]:
    """How many records were left out as being of another kind, by kind."""
    return {key: counts[key] for key in sorted(counts) if key not in _NO_KIND}


def _summary(log: Gatherer, counts: Counter[str]) -> dict[str, Any]:
    """What an import of archives took in, and what it left out."""
    return {
        "pages": log.pages,
        "links": log.links,
        "urls": log.urls,
        "relevant": log.relevant,
        "repeated_pages": counts[REPEATED],
        "broken_records": counts[BROKEN],
        "skipped": _skipped(counts),
    }


def _batches(
    archives: Iterable[Archive],
    wanted: tuple[str, ...],
    limit: int,
    tally: Counter[str],
    ends: deque[int],
) -> Iterator[Batch]:
    """The wanted records of archives, in bundles; others are counted by their kind.

    For each bundle, `ends` says how many bytes of all archives lie before its end.
    """
    batch: list[Record] = []
    size = done = 0
    for archive in archives:
        for record in read_records(archive, limit, tally):
            if record.kind not in wanted:
                tally[record.kind] += 1
                continue
            batch.append(record)
            size += len(record.block)
            if size >= _BATCH_BYTES or len(batch) >= _BATCH_RECORDS:
                ends.append(done + (record.offset or 0))
                yield batch
                batch, size = [], 0
        done += archive.size
    if batch:
        ends.append(done)
        yield batch


def understand_batch(batch: Batch, judge: Judge, limit: int) -> Part:
    """The pages of some records; a record that cannot be understood is counted as broken."""
    pages = Pages()
    for record in batch:
        try:
            _understand(record, judge, limit, pages)
        except Exception:  # a page must not be able to stop the import
            pages.counts[BROKEN] += 1
    return pages.part()


def _understand(record: Record, judge: Judge, limit: int, pages: Pages) -> None:
    url = canonical(record.url)
    if url is None:
        pages.counts[NO_ADDRESS] += 1
        return
    if record.kind == "resource":
        if not is_html(record.content_type, record.block):
            pages.counts["resource"] += 1
            return
        status, kind, location, body = 200, record.content_type, "", record.block[:limit]
        headers: dict[str, str] = {}
    else:
        answer = parse_answer(record.block, limit)
        if answer is None:
            pages.counts[BROKEN] += 1
            return
        status, headers, body = answer
        kind, location = headers.get("content-type", ""), headers.get("location", "")
    page, verdict, _ = understand(
        url, status, kind, location, body, judge, headers=headers, fingerprinted=False
    )
    page = page._replace(fetched_at=record.fetched_at, ip=record.ip)
    pages.add(page, verdict, record.file, record.offset)
