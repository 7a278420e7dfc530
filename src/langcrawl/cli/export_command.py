"""``langcrawl export``."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from langcrawl.cli.common import (
    Cluster,
    Json,
    Trust,
    all_as_one,
    check_trust,
    number,
    print_json,
    print_table,
    spread,
    targets_of,
)
from langcrawl.cli.elsewhere import brought_here
from langcrawl.cli.priors import is_prior, write_prior
from langcrawl.cli.progress import ProgressDisplay, load_main_text_explained
from langcrawl.config import FILE, CrawlConfig
from langcrawl.errors import BadValue, UsageError
from langcrawl.units import read_bytes, read_count

_DEFAULT = "parquet"
Given = Annotated[
    list[str],
    typer.Argument(
        metavar="DIR|WARC...",
        help="Crawl directories, and WARC, ARC or WACZ files or folders, or URIs of such.",
    ),
]
To = Annotated[
    str,
    typer.Option(
        metavar="FILE|FORMAT",
        help="corpus.parquet, corpus.jsonl.zst, corpus.jsonl.gz, corpus.txt, archive.wacz or "
        "crawl.prior, or a URI that ends so; a format alone writes to DIR/corpus, prior to "
        "DIR/models.",
    ),
]
Lang = Annotated[
    list[str] | None,
    typer.Option(help="Judge pages anew, and take those in this language, or in several."),
]
Judge = Annotated[
    str, typer.Option(help="How to tell the language; see 'langcrawl judges'.")
]  # fmt: skip
AnyLanguage = Annotated[
    bool, typer.Option("--any-language", help="Take pages in other languages, too.")
]
Text = Annotated[
    str, typer.Option(help="What to take of a page: main, full, or best (by trafilatura).")
]
InTarget = Annotated[
    bool,
    typer.Option("--paragraphs-in-target", help="Take only paragraphs in the target language."),
]
MinScore = Annotated[float | None, typer.Option(min=0, max=1, help="Leave out lower scores.")]
MinChars = Annotated[
    int, typer.Option(parser=number(read_count, optional=False), help="Leave out shorter texts.")
]
MaxChars = Annotated[
    int | None, typer.Option(parser=number(read_count), help="Leave out longer texts.")
]
Since = Annotated[
    str, typer.Option(metavar="DATE", help="Leave out what was downloaded before this day.")
]
Until = Annotated[
    str, typer.Option(metavar="DATE", help="Leave out what was downloaded after this day.")
]
Host = Annotated[
    list[str] | None, typer.Option(help="Only this host and those below it, or several.")
]
NotHost = Annotated[list[str] | None, typer.Option(help="Not this host and those below it.")]


def _share(text: object) -> float | None:
    """A share from 0 to 1, or none."""
    if str(text).strip().lower() == "none":
        return None
    try:
        value = float(str(text))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter(f"'{text}' is not a share from 0 to 1, or none.")
    return value


_share.__name__ = "share"
MaxSymbols = Annotated[
    float | None,
    typer.Option(parser=_share, help="Leave out texts with a larger share of symbols; or none."),
]
MaxRepeated = Annotated[
    float | None,
    typer.Option(parser=_share, help="Leave out texts that repeat more of their lines; or none."),
]
MinMeanLine = Annotated[
    int | None,
    typer.Option(
        parser=number(read_count), help="Leave out texts with shorter paragraphs on average."
    ),
]
Exact = Annotated[
    bool, typer.Option("--exact/--no-exact", help="Leave out texts that are there already.")
]
Near = Annotated[
    bool, typer.Option("--near/--no-near", help="Leave out texts that are nearly the same.")
]
NearThreshold = Annotated[
    float,
    typer.Option(min=0.3, max=1, help="How similar such texts are: Jaccard of 6 characters each."),
]
SiteParagraphs = Annotated[
    bool,
    typer.Option(
        "--site-paragraphs/--no-site-paragraphs",
        help="Take paragraphs that stand on several pages of a host once.",
    ),
]
SiteRepeats = Annotated[
    int, typer.Option(min=2, help="On how many pages of a host such a paragraph stands.")
]
Keep = Annotated[
    str, typer.Option(help="What to keep of duplicates: best (score), newest or longest.")
]
ShardSize = Annotated[
    int | None,
    typer.Option(
        parser=number(read_bytes, 1),
        help="Write a folder of files with so much text each, such as 500MB, in place of one file.",
    ),
]
Processes = Annotated[int | None, typer.Option(min=1, help="Processes; one per core by default.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace a corpus that is there already.")
]


def export(
    given: Given,
    to: To = _DEFAULT,
    lang: Lang = None,
    judge: Judge = "",
    any_language: AnyLanguage = False,
    text: Text = "main",
    paragraphs_in_target: InTarget = False,
    min_score: MinScore = None,
    min_chars: MinChars = 100,
    max_chars: MaxChars = None,
    since: Since = "",
    until: Until = "",
    host: Host = None,
    not_host: NotHost = None,
    max_symbols: MaxSymbols = 0.3,
    max_repeated_lines: MaxRepeated = 0.3,
    min_mean_line: MinMeanLine = 10,
    exact: Exact = True,
    near: Near = True,
    near_threshold: NearThreshold = 0.8,
    site_paragraphs: SiteParagraphs = False,
    site_repeats: SiteRepeats = 3,
    keep: Keep = "best",
    shard_size: ShardSize = None,
    processes: Processes = None,
    cluster: Cluster = None,
    overwrite: Overwrite = False,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Write the texts of archived pages as a corpus, or the archive as one file.

    \b
    Example:  langcrawl export thai --to thai.parquet
              langcrawl export thai --to thai.parquet --shard-size 500MB --min-score 0.8
              langcrawl export *.warc.gz --lang lo --to lao.jsonl.zst
              langcrawl export thai --to thai.wacz
              langcrawl export s3://bucket/crawl/ --lang lo --to s3://bucket/lao.parquet
              langcrawl export thai --to prior
    """
    from langcrawl.corpus.documents import TEXTS
    from langcrawl.corpus.duplicates import KEEP, Rules
    from langcrawl.corpus.export import Order
    from langcrawl.corpus.formats import FORMATS, read_target
    from langcrawl.corpus.quality import Filters
    from langcrawl.importers.files import make_any
    from langcrawl.importers.main_texts import check_kind
    from langcrawl.store.remote import is_remote

    if is_prior(to):
        write_prior(all_as_one(list(map(Path, given))), to, lang, as_json)
        return
    _check_choice("--keep", keep, KEEP)
    _check_choice("--text", text, TEXTS)
    check_kind(text)
    target = read_target(to.partition("?")[0] if is_remote(to) else to)
    filters = Filters(
        min_score, min_chars, max_chars, _day(since, "--since"), _day(until, "--until", 1),
        _hosts(host), _hosts(not_host), max_symbols, max_repeated_lines, min_mean_line,
    )  # fmt: skip
    rules = Rules(
        keep, exact, near_threshold if near else None, site_repeats if site_paragraphs else None,
        min_chars,
    )  # fmt: skip
    order = Order(
        (), target.format, target.path, targets_of(lang), judge, any_language, text,
        paragraphs_in_target, filters, rules, shard_size, processes, overwrite,
    )  # fmt: skip
    began = time.monotonic()
    with brought_here(given, to, order) as (order, sent):
        _check(order.given, judge, bool(lang) or paragraphs_in_target, trust)
        if lang and judge:
            make_any(order.lang, judge)  # what is no judge is said before anything is compiled
        if text == "main" and target.format != "wacz" and all(p.exists() for p in order.given):
            load_main_text_explained()
        with spread(cluster), ProgressDisplay("exporting", unit="documents") as display:
            done = sent(FORMATS[target.format].export(order, display.show))
    done["seconds"] = round(time.monotonic() - began, 3)
    if as_json:
        print_json(done)
    else:
        _say(done)


def _check_choice(flag: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise BadValue(f"{flag} must be {', '.join(known[:-1])} or {known[-1]}, not '{value}'.")


def _check(given: tuple[Path, ...], judge: str, judges: bool, trust: bool) -> None:
    """Complain of what cannot be read before the work begins."""
    for path in given:
        if (path / FILE).is_file():
            config = CrawlConfig.load(path)
            if judges or len(given) > 1:
                check_trust(path, config, trust, ("judge", "strategy") if judge else ("strategy",))
        elif path.is_dir() and path.name == "corpus" and (path.parent / FILE).is_file():
            raise UsageError(f"'{path}' is a corpus; name the crawl itself, '{path.parent}'.")


def _day(text: str, flag: str, later: int = 0) -> float | None:
    """The moment at which a day begins, or the day so many later."""
    if not text:
        return None
    try:
        day = datetime.fromisoformat(text)
    except ValueError:
        raise BadValue(f"{flag} needs a day such as 2026-05-31, not '{text}'.") from None
    if day.tzinfo is None:
        day = day.replace(tzinfo=UTC)
    is_day = len(text) <= len("2026-05-31")
    return (day + timedelta(days=later if is_day else 0)).timestamp()


def _hosts(given: list[str] | None) -> tuple[str, ...]:
    """Hosts as they stand in URLs: small letters, no scheme, no path."""
    bare = (each.partition("://")[2] or each for each in given or ())
    return tuple(each.partition("/")[0].lower() for each in bare)


def _say(done: dict[str, Any]) -> None:
    from langcrawl.corpus.quality import most_left_out

    where = done["files"][0] if len(done["files"]) == 1 else f"{len(done['files'])} files"
    if "documents" not in done:
        print(
            f"{done['pages']:,} pages and {done['captures']:,} captures of {done['archives']:,} "
            f"archive files are in {where}."
        )
        return
    print(
        f"{done['documents']:,} documents with {done['characters']:,} characters are in {where}, "
        f"of {done['pages']:,} pages."
    )
    if done["dropped"]:
        print_table(("left out", "pages"), [(k, f"{v:,}") for k, v in done["dropped"].items()])
        if hint := most_left_out(done["dropped"]):
            print(f"Of {done['pages']:,} pages {hint}")
    paragraphs = done["paragraphs_dropped"]
    if any(paragraphs.values()):
        print(
            f"Paragraphs left out: {paragraphs['repeated']:,} repeated on their site, "
            f"{paragraphs['other-language']:,} in another language."
        )
    if broken := done["broken_records"]:
        print(f"{broken:,} record{'s' if broken > 1 else ''} could not be read.")
    print(f"How it was made: {done['card']}")
