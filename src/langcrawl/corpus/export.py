"""Exports the texts of pages: read them all, drop duplicates, write what stays."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl import __version__
from langcrawl.corpus.card import CORPUS, Card, write_card
from langcrawl.corpus.documents import Batch, DocumentReader, Reading
from langcrawl.corpus.duplicates import Decision, Rules, decide
from langcrawl.corpus.parts import Parts, room_expected
from langcrawl.corpus.quality import REASONS, Filters, most_left_out
from langcrawl.corpus.shards import Open, write_shards
from langcrawl.corpus.sources import CrawlSource, Source, Task, find_sources, tasks
from langcrawl.errors import BadInput, NoSuchLog, UsageError
from langcrawl.importers.files import make_any
from langcrawl.languages import find_targets
from langcrawl.parallel import Progress, cores, in_order

_SMALL = 1_000_000
"""Bytes of pages that are not worth several processes."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be exported, and how."""

    given: tuple[Path, ...]
    """Crawl directories and web archives."""
    format: str
    path: Path | None = None
    """The file to write; None for the folder ``corpus`` of the crawl."""
    lang: str = ""
    judge: str = ""
    any_language: bool = False
    text: str = "main"
    paragraphs_in_target: bool = False
    filters: Filters = field(default_factory=Filters)
    rules: Rules = field(default_factory=Rules)
    shard_bytes: int | None = None
    processes: int | None = None
    overwrite: bool = False
    max_page_bytes: int = 10_000_000


class Layout(NamedTuple):
    """Where the files of a corpus lie."""

    place: Path
    """The file, or the folder of files."""
    is_folder: bool
    ending: str

    @property
    def card(self) -> Path:
        if self.is_folder:
            return self.place / "README.md"
        return self.place.with_name(self.place.name.removesuffix(f".{self.ending}") + ".README.md")

    @property
    def work(self) -> Path:
        """Where parts lie until the corpus is complete."""
        return self.place.with_name(f".{self.place.name}.export")

    def name(self, number: int, files: int) -> str:
        """The name of a file within the folder, as Hugging Face datasets expects it."""
        return f"data/train-{number:05}-of-{files:05}.{self.ending}"


def layout_of(order: Order) -> Layout:
    """Where an order puts its corpus."""
    if order.path is None:
        crawls = [path for path in order.given if (path / "crawl.toml").is_file()]
        if missing := [path for path in order.given if not path.exists()]:
            raise NoSuchLog(f"there is no file or directory '{missing[0]}'; check the path.")
        if len(crawls) != 1:
            raise UsageError(
                f"--to {order.format} writes into the directory of the crawl; for archives, or "
                f"several crawls, name a file: --to corpus.{order.format}."
            )
        return Layout(crawls[0] / CORPUS, True, order.format)
    if order.shard_bytes is not None:
        folder = order.path.with_name(order.path.name.removesuffix(f".{order.format}"))
        return Layout(folder, True, order.format)
    return Layout(order.path, False, order.format)


def export_documents(open_file: Open) -> Callable[[Order, Progress], dict[str, Any]]:
    """The export of documents into files of one kind."""
    return partial(_export, open_file)


def _export(open_file: Open, order: Order, progress: Progress) -> dict[str, Any]:
    layout = layout_of(order)
    if layout.place.exists() and not order.overwrite:
        raise BadInput(
            f"'{layout.place}' is there already; name another file, or replace it with --overwrite."
        )
    judged = not (order.lang or order.judge)
    sources = find_sources(order.given, not order.any_language, judged, order.max_page_bytes)
    target, spec = _target(order, sources)
    how = Reading(
        make_any(target, spec),
        order.filters,
        order.text,
        bool(target) and not order.any_language,
        order.paragraphs_in_target,
    )
    if order.paragraphs_in_target and not target:
        raise UsageError(
            "--paragraphs-in-target needs --lang, the language that they are to be in."
        )
    small = sum(source.size for source in sources) < _SMALL
    processes = order.processes or (1 if small else cores())
    parts = Parts(layout.work)
    with parts.opened(_plan(order, sources, target, spec)) as resumed:
        if resumed:
            progress(0, None, f"going on after {parts.standing.documents:,} documents")
        records = _read(sources, how, parts, processes, progress)
        decision = decide(parts, order.rules, processes, progress)
        dropped = parts.standing.dropped + decision.dropped
        if not decision.stays.any():
            parts.remove()
            raise BadInput(_nothing_left(dropped))
        made = layout.work / "made"
        files = write_shards(
            parts, decision, open_file, partial(_path, made, layout), order.shard_bytes, processes,
            progress,
        )  # fmt: skip
        report = _report(parts, decision, dropped, records)
        card = Card(order, target, [source.name for source in sources], report)
        with room_expected():
            write_card(made / "README.md", layout, card)
        _put_in_place(made, layout)
        parts.remove()
    names = [str(layout.place / path.relative_to(made)) for path in files]
    where = {"files": names if layout.is_folder else [str(layout.place)], "card": str(layout.card)}
    return {**report, **where}


def _target(order: Order, sources: Sequence[Source]) -> tuple[str, str]:
    """The languages that are wanted, and the judge: as asked, or those of the crawl."""
    if order.lang:
        return find_targets(order.lang), order.judge
    for source in sources:
        if isinstance(source, CrawlSource):
            return source.config.lang, order.judge or source.config.judge
    return "", order.judge


def _plan(order: Order, sources: Sequence[Source], target: str, judge: str) -> dict[str, Any]:
    """What the documents depend on before duplicates: whoever goes on must have the same."""
    return {
        "version": __version__,
        "sources": [source.state() for source in sources],
        "target": target,
        "judge": judge,
        "any_language": order.any_language,
        "text": order.text,
        "paragraphs_in_target": order.paragraphs_in_target,
        "filters": asdict(order.filters),
    }


def _read(
    sources: Sequence[Source], how: Reading, parts: Parts, processes: int, progress: Progress
) -> Counter[str]:
    """Make parts of all pages that are in none yet; what records there were beside pages."""
    tally: Counter[str] = Counter()
    shares: list[float] = []
    reader = DocumentReader(how)

    def waiting() -> Any:
        for task in islice(tasks(sources, tally), parts.standing.bundles, None):
            shares.append(task.share)
            yield task

    try:
        reader.prepare()
        work = partial(_read_task, sources=sources, reader=reader)
        for number, batch in enumerate(in_order(work, waiting(), processes)):
            parts.add(*batch)
            progress(parts.standing.documents, shares[number])
        parts.flush()
    finally:
        reader.close()
    for reason in ("other-language", "unreadable"):
        parts.standing.dropped[reason] += tally.pop(reason, 0)
    return tally


def _read_task(task: Task, sources: Sequence[Source], reader: DocumentReader) -> Batch:
    """In any process: what becomes of some pages."""
    dropped: Counter[str] = Counter()
    batch = reader.read_all(sources[task.source].pages(task.pages, dropped))
    batch.dropped.update(dropped)
    return batch


def _path(made: Path, layout: Layout, number: int, files: int) -> Path:
    return made / (layout.name(number, files) if layout.is_folder else layout.place.name)


def _nothing_left(dropped: Counter[str]) -> str:
    if not dropped:
        return "there is no page to export; check what you name, and what the crawl has found."
    why = ", ".join(f"{reason} {count:,}" for reason, count in dropped.most_common(4))
    hint = most_left_out(dropped) or "Loosen the filters."
    return (
        f"no page is left to export: all {sum(dropped.values()):,} were left out ({why}); "
        f"check --lang and the filters. {hint}"
    )


def _report(
    parts: Parts, decision: Decision, dropped: Counter[str], records: Counter[str]
) -> dict[str, Any]:
    """What an export came to, in numbers."""
    table = parts.columns(["language", "host", "encoding", "fetched_at", "characters"])
    table = table.filter(pa.array(decision.stays))
    times = pc.min_max(table["fetched_at"]).as_py()
    return {
        "documents": table.num_rows,
        "pages": parts.standing.documents + sum(parts.standing.dropped.values()),
        "hosts": len(pc.unique(table["host"])),
        "languages": _counts(table["language"]),
        "encodings": _counts(table["encoding"]),
        "dropped": {reason: dropped[reason] for reason in REASONS if dropped[reason]},
        "paragraphs_dropped": {
            "repeated": decision.paragraphs_dropped,
            "other-language": parts.standing.paragraphs_out,
        },
        "broken_records": records["broken"],
        "oldest": times["min"] and times["min"].isoformat(timespec="seconds"),
        "newest": times["max"] and times["max"].isoformat(timespec="seconds"),
        "characters": int(np.sum(_characters(decision, parts))),
    }


def _characters(decision: Decision, parts: Parts) -> Any:
    """The characters of the documents that stay, without paragraphs that go."""
    sizes = parts.columns(["paragraph_sizes"])["paragraph_sizes"].combine_chunks().values.to_numpy()
    within = np.repeat(decision.stays, np.diff(decision.first_paragraph))
    kept = decision.paragraphs & within
    documents = np.count_nonzero(decision.stays)
    return sizes[kept].sum(dtype=np.int64) + np.count_nonzero(kept) - documents


def _counts(column: pa.ChunkedArray) -> dict[str, int]:
    """How often each value is there, the most frequent first."""
    counts = (
        (each["values"] or "", each["counts"]) for each in pc.value_counts(column).to_pylist()
    )
    return dict(sorted(counts, key=lambda each: (-each[1], each[0])))


def _put_in_place(made: Path, layout: Layout) -> None:
    """What was made becomes the corpus in one move; an earlier one goes once this is there."""
    if not layout.is_folder:
        layout.place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(made / "README.md", layout.card)
        os.replace(made / layout.place.name, layout.place)
        return
    old = layout.work / "old"
    if layout.place.exists():
        layout.place.rename(old)
    layout.place.parent.mkdir(parents=True, exist_ok=True)
    made.rename(layout.place)
    shutil.rmtree(old, ignore_errors=True)
