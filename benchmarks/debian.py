"""Real multilingual pages: Debian's manuals, crawled once as a whole and simulated upon.

``make debian-docs`` fetches the packages; nothing of them is kept in the project. A whole crawl
is kept in ``.debian-docs/crawl`` and used again; remove that folder to crawl anew.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.debian_web import SERVED, Manuals
from langcrawl.languages.scripts import script_shares
from langcrawl.log.segments import read_table
from langcrawl.page.decode import decode
from langcrawl.page.extract import extract
from langcrawl.virtualweb.serve import Server

FOLDER = Path(".debian-docs")
CRAWL = FOLDER / "crawl"
SUMMARY = CRAWL / "benchmark.json"
"""What the crawl came to; it is there once the crawl is complete."""
TARGET = "th"
"""No manual is in Thai: so a page's language is that of most of its text, whichever it is."""
CONNECTIONS = 30
TARGETS = ("ja", "de", "ru", "el", "lt", "ko", "hi", "km", "vi", "nl", "sv", "fi")
"""Languages to look for, of many pages and of few."""
STRATEGIES = (
    "bfs", "dfs", "hard", "soft", "limited:n=1", "limited:n=2", "limited:n=2,prioritized=true",
    "limited:n=4,prioritized=true", "best-first", "correlation", "lswc:s=3,t=5", "lswc:s=20,t=5",
    "lswc:s=100,t=5", "lswc:s=1000,t=20", "perfect",
)  # fmt: skip
_OTHER_LETTERS = frozenset({"ja", "hi", "km", "ko", "zh", "ru", "uk", "el", "fa"})
_MOSTLY = 0.7
_MOST_MISSING = 0.03
"""The share of 404s on served hosts above which the harness, not the manuals, is at fault."""


class Row(NamedTuple):
    """One download of the crawl."""

    url: str
    host: str
    status: int
    content_type: str
    language: str

    @property
    def is_page(self) -> bool:
        return self.status == 200 and self.content_type.startswith("text/html")


def run() -> None:
    """Debian's manuals crawled as a whole; then every strategy simulated for a dozen languages."""
    if not (FOLDER / "usr").is_dir():
        sys.exit("the packages are not there; 'make debian-docs' fetches them.")
    manuals = Manuals(FOLDER)
    summary = _crawl_once(manuals)
    rows = list(_rows())
    print(_speed(summary))
    print(_statuses(rows))
    print(_languages(rows, manuals))
    print(_agreement(rows, manuals))
    print(_really_english(rows, manuals), flush=True)
    results = {}
    for language in TARGETS:
        results[language] = _simulate(language)
        print(_by_strategy(language, results[language]), flush=True)
    for level in ("0.5", "0.9"):
        print(_table(results, level))


def _crawl_once(manuals: Manuals) -> dict[str, Any]:
    """The summary of the whole crawl, which is made where it is not there or not complete."""
    packages = sorted(path.name for path in (FOLDER / "packages").glob("*.deb"))
    if SUMMARY.exists():
        kept: dict[str, Any] = json.loads(SUMMARY.read_text(encoding="utf-8"))
        if kept["packages"] != packages:
            sys.exit(f"the crawl is of other packages; remove '{CRAWL}' and run this again.")
        return kept
    resumed = CRAWL.exists()
    with Server(manuals.answer, keep=False) as server:
        words = [
            "crawl", str(CRAWL), "--lang", TARGET, "--seeds", manuals.seed, "--strategy", "bfs",
            "--delay", "0", "--connections", str(CONNECTIONS), "--include", SERVED,
            "--connect-to", server.connect_to, "--json",
        ]  # fmt: skip
        summary = _langcrawl(words)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = 0.0 if resumed else used.ru_utime + used.ru_stime
    summary |= {"packages": packages, "processor_seconds": spent}
    if summary["stopped"] != "queue-empty":
        sys.exit(f"the crawl ended early ({summary['stopped']}); run this again to resume it.")
    SUMMARY.write_text(json.dumps(summary, indent=1), encoding="utf-8")
    return summary


def _langcrawl(words: list[str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "langcrawl", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"langcrawl {words[0]} failed: {done.stderr.strip()[-500:]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _rows() -> Iterator[Row]:
    urls = read_table(CRAWL, "urls", ["url", "host"])
    names, hosts = urls["url"].to_pylist(), urls["host"].to_pylist()
    columns = ["id", "status", "content_type", "language"]
    pages = read_table(CRAWL, "pages", columns)
    for row in zip(*(pages[name].to_pylist() for name in columns), strict=True):
        yield Row(names[row[0]], hosts[row[0]], *row[1:])


def _speed(summary: dict[str, Any]) -> str:
    pages, seconds = summary["pages"], summary["seconds"]
    said = f"{pages:,} downloads, {summary['bytes'] / 1e6:,.0f} MB in {seconds:,.0f} s: "
    said += f"{pages / seconds:,.0f} a second"
    if summary["processor_seconds"]:  # of a crawl that was interrupted only the end is known
        said += f", {1000 * summary['processor_seconds'] / pages:.1f} ms of processor time each"
    refused = summary["discards"].get("not-included", 0)
    return f"{said}; links to hosts that are not served, left out: {refused:,}"


def _statuses(rows: list[Row]) -> str:
    """How the hosts answered; too many 404s are this benchmark's own fault."""
    by_host: dict[str, Counter[int]] = {}
    for row in rows:
        by_host.setdefault(row.host, Counter())[row.status] += 1
    lines = [f"{'host':28}{'200':>8}{'301':>8}{'404':>8}{'other':>8}"]
    for host, counts in sorted(by_host.items()):
        other = counts.total() - counts[200] - counts[301] - counts[404]
        lines.append(f"{host:28}{counts[200]:8,}{counts[301]:8,}{counts[404]:8,}{other:8,}")
    share = sum(row.status == 404 for row in rows) / len(rows)
    lines.append(f"{sum(row.is_page for row in rows):,} pages; 404s: {share:.2%} of all downloads")
    if share >= _MOST_MISSING:
        sys.exit("\n".join([*lines, f"that is more than {_MOST_MISSING:.0%}: look for the cause."]))
    return "\n".join(lines)


def _languages(rows: list[Row], manuals: Manuals) -> str:
    """Pages by the language that they are written in, and by the one that their place names."""
    judged = Counter(row.language for row in rows if row.is_page)
    named = Counter(manuals.label(row.url) for row in rows if row.is_page)
    return f"judged ({len(judged)}): {_counts(judged)}\nby place ({len(named)}): {_counts(named)}"


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{name or '-'} {count:,}" for name, count in counter.most_common())


def _agreement(rows: list[Row], manuals: Manuals) -> str:
    """How the judge and the places of pages agree, for each language that both know."""
    named, judged, both, english = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        label = _primary(manuals.label(row.url)) if row.is_page else ""
        if label:
            found = _primary(row.language)
            named[label] += 1
            judged[found] += 1
            both[label] += label == found
            english[label] += found == "en"
    lines = [f"{'':6}{'by place':>9}{'judged':>9}{'precision':>11}{'recall':>9}{'English':>9}"]
    for label, count in named.most_common():
        precision = both[label] / max(judged[label], 1)
        lines.append(
            f"{label:6}{count:9,}{judged[label]:9,}{precision:11.1%}{both[label] / count:9.1%}"
            f"{english[label] / count:9.1%}"
        )
    return "\n".join(lines)


def _primary(tag: str) -> str:
    """The language of a tag; both written forms of Norwegian are one to most judges."""
    primary = tag.split("-")[0]
    return "no" if primary in ("nn", "nb") else primary


def _really_english(rows: list[Row], manuals: Manuals) -> str:
    """A look at the letters, which no judge is asked for: is what was judged English Latin?"""
    latin, other = Counter[str](), Counter[str]()
    for row in rows:
        label = manuals.label(row.url) if row.is_page and row.language == "en" else ""
        if _primary(label) in _OTHER_LETTERS:
            decoded = decode(manuals.answer(row.url).body)
            text = extract(decoded.text, row.url, decoded.charsets).text
            shares = script_shares(text)
            (latin if shares.get("Latn", 0.0) > _MOSTLY else other)[label] += 1
    return (
        f"of pages whose place names a language in other letters, judged English: "
        f"{latin.total():,} have more than {_MOSTLY:.0%} Latin letters, {other.total():,} have not "
        f"({_counts(other)})"
    )


def _simulate(language: str) -> dict[str, Any]:
    """What each strategy would have done for one language."""
    words = ["simulate", str(CRAWL), "--lang", language, "--points", "1", "--json"]
    for strategy in STRATEGIES:
        words += ["--strategy", strategy]
    return _langcrawl(words)


def _by_strategy(language: str, document: dict[str, Any]) -> str:
    lines = [
        f"{language}: {document['relevant_total']:,} pages",
        f"  {'strategy':30}{'to 50 %':>9}{'to 90 %':>9}{'downloads':>11}{'found':>8}{'harvest':>9}",
    ]
    for name, result in zip(STRATEGIES, document["strategies"], strict=True):
        half, most = (result["pages_to"][level] for level in ("0.5", "0.9"))
        lines.append(
            f"  {name:30}{_or_dash(half):>9}{_or_dash(most):>9}{result['pages']:11,}"
            f"{result['coverage']:8.1%}{result['harvest']:9.1%}"
        )
    return "\n".join(lines)


def _table(results: dict[str, dict[str, Any]], level: str) -> str:
    """Downloads to a level of coverage, or how much was found where it was not reached."""
    heads = [f"{language} ({each['relevant_total']:,})" for language, each in results.items()]
    lines = [
        f"downloads to {float(level):.0%}; in brackets what was found where that was not reached",
        f"| strategy | {' | '.join(heads)} |",
        f"| --- |{' ---: |' * len(heads)}",
    ]
    for number, name in enumerate(STRATEGIES):
        cells = []
        for document in results.values():
            result = document["strategies"][number]
            needed = result["pages_to"][level]
            cells.append(f"({result['coverage']:.0%})" if needed is None else f"{needed:,}")
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _or_dash(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
