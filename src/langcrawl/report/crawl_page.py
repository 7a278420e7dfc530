"""The report of ``langcrawl report``: a crawl on one page, and its charts as files."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import tomli_w

from langcrawl.languages.names import named
from langcrawl.measure.portrait import HostFigures, Portrait
from langcrawl.measure.results import Result
from langcrawl.report.charts import MEASURES, chart
from langcrawl.report.crawl_charts import crawl_charts
from langcrawl.report.page import Section, write_filled
from langcrawl.report.samples import Sample, cut
from langcrawl.report.table import Table, percent, results_table
from langcrawl.report.theme import Spec, save

KINDS = ("png", "svg", "pdf", "csv")
_HOST = 60
_NO_TABLE = Table((), ())
_STRATEGIES = "strategy_"


def write_crawl_report(
    path: Path, found: Portrait, samples: Sequence[Sample], results: Sequence[Result] = ()
) -> None:
    """Write the report of a crawl; `results` are strategies that were replayed on its log."""
    charts = _specs(found, results)
    write_filled(
        path,
        "crawl.html",
        f"The crawl {Path(found.directory).name or found.directory}",
        list(_sections(found, charts, results)),
        {
            "sentences": sentences(found),
            "figures": _figures(found),
            "samples": samples,
            "archive": _archive(path, Path(found.directory)),
            "facts": _facts(found),
            "toml": _toml(found),
        },
    )


def _archive(page: Path, directory: Path) -> str:
    """The folder of the archive, as a link from where the page stands."""
    return quote(os.path.relpath(directory.resolve() / "warc", page.resolve().parent))


def write_plots(folder: Path, found: Portrait, results: Sequence[Result] = ()) -> list[Path]:
    """Every chart as PNG, SVG, PDF and CSV; the files that were written."""
    written = []
    for name, spec in _specs(found, results).items():
        for kind in KINDS:
            path = folder / f"{name}.{kind}"
            if kind == "csv":
                _write_numbers(path, spec)
            else:
                save(spec, path)
            written.append(path)
    return written


def _write_numbers(path: Path, spec: Spec) -> None:
    """The data of a chart, as it is drawn."""
    rows: list[Mapping[str, Any]] = next(iter(spec["datasets"].values()))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="", errors="backslashreplace") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _specs(found: Portrait, results: Sequence[Result]) -> dict[str, Spec]:
    charts = {name: made.to_dict() for name, made in crawl_charts(found).items()}
    if results:
        charts |= {_STRATEGIES + name: chart(results, name).to_dict() for name in MEASURES}
    return charts


_COVERAGE_REMARK = (
    " Collected: of all relevant pages that the seeds lead to, as estimated now; the band is the "
    "interval that holds the truth nine times of ten."
)


def sentences(found: Portrait) -> list[str]:
    """What was asked and what was collected, in plain words."""
    status, config = found.status, found.config
    seeds = f"{len(config.seeds):,} seed{'' if len(config.seeds) == 1 else 's'}"
    asked = f"This crawl looked for pages in {named(config.lang)}, starting from {seeds}"
    if found.first is None or found.last is None:
        return [f"{asked}. Nothing has been downloaded yet."]
    first, last = _day(found.first), _day(found.last)
    dates = f"on {first}" if first == last else f"from {first} to {last}"
    collected = (
        f"It collected {status.relevant:,} such pages from {found.relevant_hosts:,} sites, with "
        f"{_size(found.text_bytes)} of text, {dates}."
    )
    spent = (
        f"For that it downloaded {status.pages:,} pages from {status.hosts:,} sites: "
        f"{percent(status.harvest)} of the downloads were what was asked for."
    )
    state = "It is still running" if status.running else "It has ended"
    left = (
        f"and {status.queue:,} known URLs have not been asked for"
        if status.queue
        else "and every known URL has been asked for"
    )
    said = found.estimate
    complete = "How complete is it? That is not known: the crawl drew no random sample (--sample)."
    if found.config.sample:
        complete = "How complete is it? Too few pages were drawn by chance to say."
    if said is not None:
        when = said.time_left(status.lately or status.pages_per_second, status.running)
        words = f"By estimate, {said.sentence()}. {said.advice()} {when}"
        complete = f"How complete is it? {words.rstrip()}"
    if found.recapture is not None:
        complete += f" And what these seeds do not lead to: {found.recapture.sentence()}."
    return [f"{asked}.", collected, f"{spent} {state}, {left}.", complete]


def _figures(found: Portrait) -> list[tuple[str, str]]:
    status = found.status
    return [
        (f"pages in {named(found.config.lang)}", f"{status.relevant:,}"),
        ("sites with such pages", f"{found.relevant_hosts:,}"),
        ("text", _size(found.text_bytes)),
        ("downloads", f"{status.pages:,}"),
        ("harvest rate", percent(status.harvest)),
        ("URLs waiting", f"{status.queue:,}"),
    ]


def _sections(
    found: Portrait, charts: dict[str, Spec], results: Sequence[Result]
) -> Iterator[Section]:
    def some(*names: str) -> dict[str, Spec]:
        return {name: charts[name] for name in names if name in charts}

    status = found.status
    yield from _filled(
        "Over time",
        some("pages", "harvest", "coverage", "queue", "speed"),
        remark="Harvest: relevant pages of those downloaded since the point before. "
        "The distance between the lines of the queue is what waits or was left out."
        + (_COVERAGE_REMARK if found.estimate else ""),
    )
    yield from _filled(
        "Languages, scripts and encodings", some("languages", "scripts", "encodings")
    )
    yield from _filled(
        "Where the language lives", some("tlds"), _hosts("Sites that gave most", found.best_hosts)
    )
    yield from _filled(
        "Sites that cost most",
        {},
        _hosts("", found.wasteful_hosts),
        "Downloads that were not what was asked for.",
    )
    if found.suspicious_hosts:
        yield from _filled(
            "Sites with suspiciously much text",
            {},
            _hosts("", found.suspicious_hosts),
            "They hold far more text than others. Generated sites look like this, "
            "and so do libraries: look before you use them.",
        )
    yield from _filled(
        "What went wrong, and what was left out", some("statuses", "discards"), _troubles(found)
    )
    yield from _filled("Sizes and speed", some("sizes"), _speed(found))
    if results:
        yield from _filled(
            "Strategies compared on this log",
            some(*(_STRATEGIES + name for name in MEASURES)),
            results_table(results),
            f"What others would have done with the {status.pages:,} pages.",
        )


def _filled(
    title: str, charts: dict[str, Spec], table: Table = _NO_TABLE, remark: str = ""
) -> Iterator[Section]:
    """A section, unless there is nothing to show."""
    if charts or table.rows:
        yield Section(table, charts, remark, title)


def _hosts(title: str, hosts: Sequence[HostFigures]) -> Table:
    rows = [
        [
            cut(host.host, _HOST), f"{host.pages:,}", f"{host.relevant:,}",
            percent(host.relevant / host.pages), _size(host.text_bytes), f"{host.different:,}",
        ]
        for host in hosts
    ]  # fmt: skip
    heads = ["site", "downloads", "relevant", "harvest", "text", "different pages"]
    return Table(heads if rows else (), rows, title)


def _troubles(found: Portrait) -> Table:
    status = found.status
    counted = {
        "closed by robots.txt": status.discards.get("robots", 0),
        "robots.txt could not be read": status.discards.get("robots-unreachable", 0),
        "nobody answered, and not asked again": status.failures,
        "requests without an answer, made again": sum(status.silences.values()),
        "hosts in trouble now": status.failing_hosts,
    }
    rows = [[name, f"{count:,}"] for name, count in counted.items()]
    errors = sorted(status.errors.items(), key=lambda item: -item[1])[:8]
    rows += [[f"error {cut(name, _HOST)}", f"{count:,}"] for name, count in errors]
    return Table(["", "count"], rows)


def _speed(found: Portrait) -> Table:
    status = found.status
    rows = [
        ["downloaded", _size(status.bytes)],
        ["running time", _duration(status.seconds)],
        ["pages a second", f"{status.pages_per_second:,.1f}"],
        ["requests", f"{status.requests:,}"],
        *([f"time of an answer, {name}", f"{value:,.2f} s"] for name, value in
          found.seconds.items()),
    ]  # fmt: skip
    return Table(["", ""], rows)


def _facts(found: Portrait) -> list[str]:
    config = found.config
    when = "nothing downloaded yet"
    if found.first is not None and found.last is not None:
        when = f"{_moment(found.first)} to {_moment(found.last)} UTC"
    return [
        f"Crawl of pages in {named(config.lang)} by langcrawl {config.version}, {when}.",
        f"Strategy: {config.strategy}. Judge: {config.judge or 'that of the language pack'}.",
        f"Contact: {config.contact or 'none was given'}.",
    ]


def _toml(found: Portrait) -> str:
    """What crawl.toml says, without what it leaves as it is; many seeds are cut."""
    kept = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in found.config.model_dump().items()
        if value is not None and value != type(found.config).model_fields[key].default
    }
    kept["version"] = found.config.version
    seeds = kept.get("seeds", [])
    if len(seeds) > 100:
        kept["seeds"] = [*seeds[:100], f"and {len(seeds) - 100:,} more"]
    return cut_lines(tomli_w.dumps(kept))


def cut_lines(text: str) -> str:
    return "\n".join(cut(line, 300) for line in text.splitlines())


def _size(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count:,.0f} bytes"


def _duration(seconds: float) -> str:
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.0f} s"


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%-d %B %Y}"


def _moment(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M}"
