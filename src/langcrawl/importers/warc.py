"""Import of web archives: every kept answer becomes a page of a crawl log, judged anew."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from langcrawl.archive.message import read_answer
from langcrawl.archive.reader import Archive, find_archives, read_records
from langcrawl.archive.record import Record
from langcrawl.archive.revisits import Revisits
from langcrawl.archive.sources import record_sources
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, JudgeFailed
from langcrawl.importers.gather import Gatherer, Pages, Part
from langcrawl.page import Answer, CarefulReader, PageReader, digest_of, is_html
from langcrawl.page.quick import expect
from langcrawl.parallel import Progress, cores, in_order
from langcrawl.ports import Judge
from langcrawl.store.draft import new_crawl
from langcrawl.url import canonical, is_robots_txt

Batch = Sequence[Record]

_BATCH_BYTES, _BATCH_RECORDS = 1 << 20, 200
_SMALL = 1_000_000
"""Bytes of archives that make too few bundles for several processes."""
_PACKED = 4
"""Bytes of pages in a byte of an archive, about."""
_NAMED = 5
"""Files that are named in a sentence about all of them."""
NO_ADDRESS, REPEATED, BROKEN = "no-web-address", "repeated", "broken"
ROBOTS = "robots.txt"
_NO_KIND = (REPEATED, BROKEN, "read")
_PAGES = ("response", "resource", "revisit")


def import_warc(
    directory: Path, files: Sequence[Path], judge: Judge, config: CrawlConfig, progress: Progress
) -> dict[str, Any]:
    """Make a crawl directory of WARC, ARC and WACZ files; what was taken in, in numbers."""
    reader = CarefulReader(
        PageReader(judge, context=config.context, fingerprinted=False, pdf=config.types == "pdf")
    )
    work = partial(understand_batch, reader=reader, limit=config.max_page_bytes)
    try:
        return import_archives(directory, files, work, _PAGES, config, progress)
    finally:
        reader.close()


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
        expect(total * _PACKED)
        batches = _batches(archives, wanted, config.max_page_bytes, tally, ends)
        for part in in_order(work, batches, cores() if total > _SMALL else 1):
            log.add(part)
            progress(log.pages, ends.popleft() / total)
        counts = log.counts + tally
        if not log.pages:
            raise BadInput(_no_pages(files, counts))
        log.flush()
        record_sources(draft, files)
    return _summary(log, counts)


def _no_pages(files: Sequence[Path], counts: Counter[str]) -> str:
    names = ", ".join(f"'{path}'" for path in files[:_NAMED])
    names += f" and {len(files) - _NAMED:,} more" if len(files) > _NAMED else ""
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
    for record, done in wanted_records(archives, wanted, limit, tally):
        batch.append(record)
        size += len(record.block)
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_RECORDS:
            ends.append(done)
            yield batch
            batch, size = [], 0
    if batch:
        ends.append(done)
        yield batch


def wanted_records(
    archives: Iterable[Archive], wanted: tuple[str, ...], limit: int, tally: Counter[str]
) -> Iterator[tuple[Record, int]]:
    """The wanted records, revisits with their bodies, and how many bytes lie before each."""
    revisits = Revisits(limit)
    before = 0
    for archive in archives:
        revisits.enter(archive)
        for record in read_records(archive, limit, tally):
            kind, place = record.kind, before + (record.offset or 0)
            if kind not in wanted:
                tally[kind] += 1
            elif kind != "revisit":
                if kind == "response":
                    revisits.note(record)
                yield record, place
            elif whole := revisits.whole(record):
                yield whole, place
            else:
                revisits.wait(record)
        before += archive.size
    for bare, late in revisits.rest():
        if late:
            yield late, before
        else:
            tally[bare.kind] += 1


def understand_batch(batch: Batch, reader: CarefulReader, limit: int) -> Part:
    """The pages of some records; a record that cannot be understood is counted as broken."""
    pages = Pages()
    for record in batch:
        try:
            _understand(record, reader, limit, pages)
        except (JudgeFailed, MemoryError):  # nothing is wrong with the page
            raise
        except Exception:  # a page must not be able to stop the import
            pages.counts[BROKEN] += 1
    return pages.part()


def _understand(record: Record, reader: CarefulReader, limit: int, pages: Pages) -> None:
    url = canonical(record.url)
    if url is None:
        pages.counts[NO_ADDRESS] += 1
        return
    if is_robots_txt(url):  # archived beside the pages, and none itself
        pages.counts[ROBOTS] += 1
        return
    if record.kind == "resource":
        if not is_html(record.content_type, record.block):
            pages.counts["resource"] += 1
            return
        body = record.block[:limit]
        page, verdict, _ = reader.read(Answer(url, 200, record.content_type, "", body, {}))
    else:
        answer = read_answer(record.block, min(limit, record.page_limit or limit))
        if answer is None:
            pages.counts[BROKEN] += 1
            return
        kind, location = answer.header("Content-Type"), answer.header("Location")
        page, verdict, _ = reader.read(
            Answer(url, answer.status, kind, location, answer.body, answer.heeded)
        )
        page = page._replace(notes=(*answer.notes, *page.notes))
        if answer.raw is not answer.body:
            page = page._replace(digest=digest_of(answer.raw))
        if record.kind == "revisit":
            page = page._replace(notes=(*page.notes, "revisit"))
    page = page._replace(fetched_at=record.fetched_at, ip=record.ip)
    pages.add(page, verdict, record.file, record.offset)
