"""``langcrawl import``."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from langcrawl.cli.common import Cluster, Json, Seeds, print_json, spread
from langcrawl.cli.progress import ProgressDisplay
from langcrawl.config import CrawlConfig, read_seeds
from langcrawl.errors import UsageError
from langcrawl.parallel import Progress

Files = list[str] | None
_COPIES = "archives"
"""The folder of a crawl directory for copies of archives in an object store."""


def import_(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A new directory.")],
    lang: Annotated[
        list[str],
        typer.Option(help="The language that counts as relevant, or several: my,shn,mnw."),
    ],
    warc: Annotated[
        Files, typer.Option(help="WARC, ARC or WACZ files: names, patterns, folders or URIs.")
    ] = None,
    wat: Annotated[
        Files, typer.Option(help="WAT files of Common Crawl: names, patterns, folders or URIs.")
    ] = None,
    pages: Annotated[
        str | None,
        typer.Option(help="CSV with url,language and optionally id,status,bytes,score,redirect."),
    ] = None,
    links: Annotated[
        str | None, typer.Option(help="CSV with src,dst and optionally anchor.")
    ] = None,
    crawl: Annotated[
        list[Path] | None,
        typer.Option(help="Other crawl directories: names, patterns or a folder of them."),
    ] = None,
    judge: Annotated[
        str,
        typer.Option(
            help="How to tell the language; see 'langcrawl judges'.",
            show_default="the language's own",
        ),
    ] = "",
    context: Annotated[
        bool, typer.Option("--context", help="With --warc: log the text around links as well.")
    ] = False,
    types: Annotated[
        str, typer.Option(help="With --warc: pages, or pdf to read PDFs as well.")
    ] = "pages",
    seeds: Seeds = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> None:
    """Make a crawl directory, ready to simulate on, of web archives, CSV files or crawls.

    \b
    Example:  langcrawl import web --warc a.warc.gz b.wacz folder/ --seeds seeds.txt --lang th
              langcrawl import web --warc 'crawl-*.warc.gz' --seeds seeds.txt --lang th
              langcrawl import web --pages pages.csv --links links.csv --seeds seeds.txt --lang th
              langcrawl import web --warc s3://bucket/crawl/ --seeds seeds.txt --lang th
              langcrawl import both --crawl thai-1 thai-2 --lang th
    """
    from langcrawl.judge import pinned
    from langcrawl.languages import bridges_of, load_packs

    sources = {"--warc": warc, "--wat": wat, "--pages": pages, "--crawl": crawl}
    _check(sources, links, judge)
    if types not in ("pages", "pdf"):
        raise UsageError(f"--types of an import is pages or pdf, not '{types}'.")
    packs = load_packs(lang)
    config = CrawlConfig(
        source="import",
        lang=",".join(pack.tag for pack in packs),
        bridge=bridges_of(packs),
        seeds=read_seeds(seeds or ()),
        judge=pinned(judge),
        context=context,
        types=types,  # type: ignore[arg-type]
    )
    with spread(cluster), ProgressDisplay("importing") as display:
        done = _import(directory, sources, links, config, display.show)
    if as_json:
        print_json(done)
    else:
        _say(done, directory, config.lang)


def _check(sources: dict[str, Any], links: str | None, judge: str) -> None:
    given = [name for name, value in sources.items() if value]
    if len(given) != 1:
        raise UsageError(f"give one kind of source: {', '.join(sources)}.")
    if links and given != ["--pages"]:
        raise UsageError(
            "--links works with --pages only; remove it, because other sources contain their links."
        )
    if judge and given[0] in ("--pages", "--crawl"):
        raise UsageError(f"--judge needs texts, and {given[0]} has languages only; remove --judge.")


def _import(
    directory: Path,
    sources: dict[str, Any],
    links: str | None,
    config: CrawlConfig,
    progress: Progress,
) -> dict[str, Any]:
    """Call the importer of the source that is given."""
    from langcrawl.importers.crawl import import_crawls
    from langcrawl.importers.csv import import_csv
    from langcrawl.importers.given import (
        ARCHIVE,
        CSV,
        WAT,
        archives_given,
        crawls_given,
        wats_given,
    )
    from langcrawl.importers.warc import import_warc
    from langcrawl.importers.wat import import_wat
    from langcrawl.judge import make_judge
    from langcrawl.languages import load_packs
    from langcrawl.store.draft import new_copies
    from langcrawl.store.remote import fetch

    packs = load_packs(config.lang)
    if files := sources["--warc"]:
        judge = make_judge(packs, config.judge)
        with new_copies(directory / _COPIES) as folder:
            archives = archives_given(fetch(files, folder, ARCHIVE))
            return import_warc(directory, archives, judge, config, progress)
    if files := sources["--wat"]:
        judge = make_judge(packs, config.judge or "charset")
        with TemporaryDirectory(prefix="langcrawl-") as name:
            wats = wats_given(fetch(files, Path(name), WAT))
            return import_wat(directory, wats, judge, config, progress)
    if crawls := sources["--crawl"]:
        return import_crawls(directory, crawls_given(crawls), config, progress)
    with TemporaryDirectory(prefix="langcrawl-") as name:
        both = [sources["--pages"], *([links] if links else [])]
        tables = fetch(both, Path(name), CSV)
        return import_csv(directory, tables[0], tables[1] if links else None, config)._asdict()


def _say(done: dict[str, Any], directory: Path, tag: str) -> None:
    print(
        f"{done['pages']:,} pages, {done['relevant']:,} of them in {tag}, "
        f"and {done['links']:,} links are in {directory}."
    )
    if done.get("bad_languages"):
        print(
            f"{done['bad_languages']:,} pages have a language that is not a BCP-47 tag; "
            "it counts as unknown."
        )
    keys = ("bad_pages", "repeated_pages", "bad_links", "broken_records")
    left_out = {key: done[key] for key in keys if done.get(key)}
    left_out |= done.get("skipped", {})
    if left_out:
        words = ", ".join(f"{key.replace('_', ' ')}: {count:,}" for key, count in left_out.items())
        print(f"Left out: {words}.")
