"""The answers in an archive of ours, with what the crawl noted of them, read and judged again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from langcrawl.archive.members import member_length
from langcrawl.archive.message import read_answer
from langcrawl.archive.reader import Archive, read_records
from langcrawl.archive.record import Record
from langcrawl.archive.revisits import Revisits
from langcrawl.errors import JudgeFailed
from langcrawl.page import Answer, CarefulReader
from langcrawl.records import Page, Verdict
from langcrawl.url import canonical

_BATCH_BYTES, _BATCH_RECORDS = 1 << 20, 100
_ANSWERS = ("response", "revisit")
_NOT_MODIFIED = b"HTTP/1.1 304 Not Modified\r\n\r\n"
"""What a revisit record without a block stands for."""
_STORY = ("via", "found_by", "depth", "irrelevant_run", "priority", "fetchTimeMs", "outcome")


class FoundAnswer(NamedTuple):
    """An answer in an archive, and what the crawl noted of it."""

    record: Record
    story: dict[str, str]
    path: Path


class ReadAnswer(NamedTuple):
    """The same, understood."""

    page: Page
    verdict: Verdict
    story: dict[str, str]


def batches(path: Path, limit: int, tally: Counter[str]) -> Iterator[list[FoundAnswer]]:
    batch: list[FoundAnswer] = []
    size = 0
    for found in _answers(path, limit, tally):
        batch.append(found)
        size += len(found.record.block)
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_RECORDS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _answers(path: Path, limit: int, tally: Counter[str]) -> Iterator[FoundAnswer]:
    """The pages in an archive of ours: what has a metadata record before it."""
    archive = Archive(path, "", path.stat().st_size)
    revisits, stories = Revisits(limit), dict[str, dict[str, str]]()
    revisits.enter(archive)
    for record in read_records(archive, limit, tally):
        if record.kind == "metadata":
            stories[record.url] = _story(record.block)
        if record.kind not in _ANSWERS or record.url not in stories:
            continue
        if record.kind == "response":
            revisits.note(record)
            yield FoundAnswer(record, stories.pop(record.url), path)
        elif "outcome" in stories[record.url]:  # it was asked for again, and has not changed
            yield FoundAnswer(record, stories.pop(record.url), path)
        elif whole := revisits.whole(record):
            yield FoundAnswer(whole, stories.pop(record.url), path)
        else:
            revisits.wait(record)
    for bare, late in revisits.rest():
        if late is not None:
            yield FoundAnswer(late, stories.get(bare.url, {}), path)
        else:
            tally["broken"] += 1  # its URL waits, and is asked for again


def _story(block: bytes) -> dict[str, str]:
    """What a metadata record says of the way to the page."""
    lines = block.decode("utf-8", "replace").split("\r\n")
    fields = (line.partition(": ") for line in lines)
    return {name: value for name, _, value in fields if name in _STORY}


def understand_all(
    limit: int, reader: CarefulReader, batch: Sequence[FoundAnswer]
) -> list[ReadAnswer | None]:
    """Judge answers as a worker does; None for one that cannot be understood."""
    done: list[ReadAnswer | None] = []
    for found in batch:
        try:
            done.append(_understand(limit, reader, found))
        except (JudgeFailed, MemoryError):  # nothing is wrong with the page
            raise
        except Exception:  # a page must not be able to stop the work
            done.append(None)
    return done


def _understand(limit: int, reader: CarefulReader, found: FoundAnswer) -> ReadAnswer | None:
    record = found.record
    url = canonical(record.url)
    block = record.block or (_NOT_MODIFIED if "outcome" in found.story else b"")
    answer = read_answer(block, min(limit, record.page_limit or limit))
    if url is None or answer is None or record.offset is None:
        return None
    kind, location = answer.header("Content-Type"), answer.header("Location")
    page, verdict, _ = reader.read(
        Answer(url, answer.status, kind, location, answer.body, answer.heeded)
    )
    with found.path.open("rb") as stream:
        length = member_length(stream, record.offset)
    took = found.story.get("fetchTimeMs", "")
    notes = [found.story["outcome"]] if "outcome" in found.story else []
    page = page._replace(
        notes=(*answer.notes, *page.notes, *notes, *["revisit"][: record.kind == "revisit"]),
        fetched_at=record.fetched_at,
        elapsed=whole_number(took) / 1000,
        ip=record.ip,
        digest=record.digest or page.digest,
        warc_file=record.file,
        warc_offset=record.offset,
        warc_length=length,
    )
    return ReadAnswer(page, verdict, found.story)


def whole_number(text: str | None) -> int:
    """A number that a metadata record names; 0 where it is none."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0
