"""The status of a crawl as OpenMetrics text, which Prometheus and others read.

docs/control.md lists the metrics. Times are in seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from langcrawl import __version__
from langcrawl.store.status import Status

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_Labels = Mapping[str, str]
_Samples = Iterable[tuple[_Labels, float]]


def metrics_of(status: Status) -> str:
    """All metrics of a crawl."""
    parts = [_family(
        "langcrawl", "info", "The crawl.", "_info",
        [({"version": __version__, "lang": status.lang, "strategy": status.strategy}, 1)],
    )]  # fmt: skip
    for name, says, total in (
        ("pages", "Pages downloaded, in all runs.", status.pages),
        ("relevant_pages", "Pages in the language, in all runs.", status.relevant),
        ("requests", "Requests of any kind, in all runs.", status.requests),
        ("downloaded_bytes", "Bytes of bodies, in all runs.", status.bytes),
        ("run_seconds", "Time that the crawl has run, in all runs.", status.seconds),
    ):
        parts.append(_family(f"langcrawl_{name}", "counter", says, "_total", [({}, total)]))
    for name, label, says, counts in (
        ("errors", "reason", "Downloads that got no page, by reason or status.", status.errors),
        ("discards", "reason", "Links that were not followed, by reason.", status.discards),
        ("notes", "note", "Downloads about which something was noted.", status.notes),
        ("answers", "kind", "Downloads by what they are.", status.answers),
        ("silences", "reason", "Requests that nobody answered.", status.silences),
    ):
        found = [({label: key}, count) for key, count in sorted(counts.items())]
        parts.append(_family(f"langcrawl_{name}", "counter", says, "_total", found))
    for name, says, value in (
        ("running", "1 while a process is crawling.", float(status.running)),
        ("paused", "1 while a running crawl is paused.", float(status.paused)),
        ("queue_urls", "URLs that wait.", status.queue),
        ("under_way_visits", "Visits that have begun and are not answered.", status.under_way),
        ("known_urls", "URLs that the crawl has met.", status.urls),
        ("known_hosts", "Hosts that the crawl has asked.", status.hosts),
        ("failing_hosts", "Hosts that failed when last asked.", status.failing_hosts),
        ("recent_pages_per_second", "Pages a second in the last minutes.", status.lately),
        ("last_page_timestamp_seconds", "When the last answer came.", status.last_page),
        ("estimated_end_timestamp_seconds", "When the crawl will end, going on as it did lately.",
         status.estimated_end.at if status.estimated_end else None),
    ):  # fmt: skip
        samples: list[tuple[_Labels, float]] = [] if value is None else [({}, value)]
        parts.append(_family(f"langcrawl_{name}", "gauge", says, "", samples))
    return "".join(parts) + "# EOF\n"


def _family(name: str, kind: str, says: str, suffix: str, samples: _Samples) -> str:
    """A metric with its description."""
    lines = [f"# TYPE {name} {kind}"]
    unit = next((unit for unit in ("bytes", "seconds") if name.endswith(f"_{unit}")), "")
    if unit:
        lines.append(f"# UNIT {name} {unit}")
    lines.append(f"# HELP {name} {says}")
    for labels, value in samples:
        named = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        lines.append(f"{name}{suffix}{{{named}}} {value}" if named else f"{name}{suffix} {value}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """A label as it may stand between quotes: one line, in UTF-8."""
    text = text.encode("utf-8", "backslashreplace").decode()
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
