"""``langcrawl train``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from langcrawl.cli.common import Json, check_file, print_json, print_table
from langcrawl.cli.progress import ProgressDisplay
from langcrawl.cli.train_segments import SegmentPlan, train_segments
from langcrawl.config import read_seeds
from langcrawl.errors import BadInput, UnknownName, UsageError

if TYPE_CHECKING:
    from langcrawl.importers.labelled import Labelled
    from langcrawl.topic.evaluate import Counts, Trial
    from langcrawl.topic.train import Plan, Trained

_KINDS = ("topic", "segments")
_FOLD_BY = {"site": (True,), "page": (False,), "both": (True, False)}
Kind = Annotated[str, typer.Argument(help="What to train: topic or segments.")]
Model = Annotated[Path, typer.Argument(help="The file to write the model to.")]
Topic = Annotated[
    str,
    typer.Option(
        help="The label of the pages to find; all others are pages to reject. With segments: a "
        "name for the model."
    ),
]
Logs = Annotated[
    list[Path] | None,
    typer.Option(help="A crawl or import with the pages; may be given several times."),
]
Labels = Annotated[
    list[Path] | None,
    typer.Option(help="A file of URL, tab, label; may be given several times."),
]
Folder = Annotated[
    Path | None, typer.Option(help="Pages in folders that are named by their labels.")
]
Csv = Annotated[
    Path | None, typer.Option(help="Rows with label,text and, if there are, url and title.")
]
Test = Annotated[
    list[Path] | None,
    typer.Option(help="A crawl or import to test the model on, and not to learn from."),
]
Lang = Annotated[str, typer.Option(help="The language of the pages; others are left out.")]
Classifier = Annotated[str, typer.Option(help="logistic, or naive-bayes as paper 004 has it.")]
Recipe = Annotated[str, typer.Option(help="Which terms of a page count: places or paper.")]
Judge = Annotated[
    str, typer.Option(help="With segments: judge the log's pages again, by topic:model=M.")
]
Keywords = Annotated[
    str,
    typer.Option(help="With segments: a country, or a file of names, to look for in links."),
]
Exact = Annotated[
    bool, typer.Option("--exact", help="With segments: match names by letters, not by sound.")
]
Threshold = Annotated[
    float,
    typer.Option(help="With segments: the share of relevant pages of a relevant segment."),
]
Hops = Annotated[
    int | None,
    typer.Option(min=0, help="With segments: go so many links from the seeds; default: all."),
]
Seeds = Annotated[
    list[str] | None,
    typer.Option(help="With segments: URLs, or files of them, to start from in the log."),
]
BackLinks = Annotated[
    str,
    typer.Option(
        help="With segments: start from the pages that link to the seeds, or to any relevant page: "
        "log, or the address of a search API with {url} in it."
    ),
]
WithinSite = Annotated[
    str,
    typer.Option(help="With segments: remove pairs within a site, dedupe or keep them."),
]
Countries = Annotated[
    str,
    typer.Option(help="With segments: a .mmdb file with the countries of addresses."),
]
FoldBy = Annotated[str, typer.Option(help="Try it by site, by page, or both.")]
Folds = Annotated[int, typer.Option(min=2, help="Into how many parts pages are parted.")]
Times = Annotated[int, typer.Option(min=0, help="How often, anew; 0 for no trial.")]
Seed = Annotated[int, typer.Option(help="Another seed parts the pages otherwise.")]


def train(
    kind: Kind,
    model: Model,
    topic: Topic = "positive",
    log: Logs = None,
    labels: Labels = None,
    folder: Folder = None,
    csv: Csv = None,
    test: Test = None,
    lang: Lang = "en",
    classifier: Classifier = "logistic",
    recipe: Recipe = "",
    judge: Judge = "",
    keywords: Keywords = "",
    exact: Exact = False,
    threshold: Threshold = 0.5,
    hops: Hops = None,
    seeds: Seeds = None,
    back_links: BackLinks = "",
    within_site: WithinSite = "remove",
    countries: Countries = "",
    fold_by: FoldBy = "both",
    folds: Folds = 10,
    times: Times = 10,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Learn what a page about a topic is, or which website segments are worth a visit.

    \b
    Example:  langcrawl train topic tourism.json --log web --labels labels.tsv --topic tourism
              langcrawl crawl thai --lang en --seeds URL --judge topic:model=tourism.json
              langcrawl train segments s.json --log web --judge topic:model=tourism.json
              langcrawl crawl thai --lang en --seeds URL --strategy segments:model=s.json
    """
    from langcrawl.topic.train import Plan

    if kind not in _KINDS:
        raise UnknownName("kind of model", kind, _KINDS)
    if fold_by not in _FOLD_BY:
        raise UsageError(f"--fold-by must be site, page or both, not '{fold_by}'.")
    check_file(model, "MODEL")
    ways = _FOLD_BY[fold_by]
    if kind == "segments":
        if labels or folder or csv or test:
            raise UsageError(
                "'train segments' learns from a --log and its verdicts, or those of a --judge; it "
                "takes no --labels, --folder, --csv and --test."
            )
        named = "" if topic == "positive" else topic
        wanted = SegmentPlan(
            model, tuple(log or ()), judge, named, lang, keywords, exact, threshold, hops,
            within_site, countries, ways, folds, times, seed, read_seeds(seeds or ()), back_links,
        )  # fmt: skip
        train_segments(wanted, as_json)
        return
    plan = Plan(topic, lang, classifier, recipe, ways, folds, times, seed)
    _train_topic(plan, model, _Given(log or [], labels or [], folder, csv, test or []), as_json)


class _Given(NamedTuple):
    """Where labelled pages come from."""

    logs: list[Path]
    labels: list[Path]
    folder: Path | None
    csv: Path | None
    test: list[Path]


def _train_topic(plan: Plan, model: Path, given: _Given, as_json: bool) -> None:
    from langcrawl.topic.train import check_classes, test_model, train_topic

    with ProgressDisplay("reading", unit="pages") as display:
        found, apart = _read(plan, given, display)
    check_classes(found.examples, plan.topic)
    with ProgressDisplay("training", unit="folds") as display:
        made = train_topic(plan, found.examples, display.show)
    made.save(model)
    tested = test_model(made.model, apart.examples) if apart else None
    document = _document(model, plan, made, found, tested)
    if as_json:
        print_json(document)
    else:
        _print(document)


def _read(
    plan: Plan, given: _Given, display: ProgressDisplay
) -> tuple[Labelled, Labelled | None]:  # fmt: skip
    """The pages to learn from, and those to test on."""
    from langcrawl.importers.labelled import from_csv, from_folder, from_logs, read_labels

    logs, labels, folder, csv, test = given
    if bool(logs) + (folder is not None) + (csv is not None) != 1:
        raise UsageError("give labelled pages with one of --log, --folder and --csv.")
    if (logs or test) and not labels:
        raise UsageError("give the labels of the log's pages with --labels: URL, tab, label.")
    known, foreign = read_labels(labels) if labels else ({}, 0)
    if folder is not None:
        found = from_folder(folder, plan.lang, plan.terms, display.show)
    elif csv is not None:
        found = from_csv(csv, plan.lang, plan.terms, display.show)
    else:
        found = from_logs(logs, known, plan.lang, plan.terms, display.show)
    if foreign:
        found.left_out["no web address"] += foreign
    if not found.examples:
        raise BadInput(
            f"none of the labelled pages is in '{plan.lang}'; name their language with --lang."
        )
    apart = from_logs(test, known, plan.lang, plan.terms, display.show) if test else None
    if unknown := found.unknown & apart.unknown if apart else found.unknown:
        found.left_out["not in the log"] += len(unknown)
    return found, apart


def _document(
    path: Path, plan: Plan, made: Trained, found: Labelled, tested: Counts | None
) -> dict[str, Any]:  # fmt: skip
    """What --json prints."""
    first = made.trials[0] if made.trials else None
    positive = sum(example.label == plan.topic for example in found.examples)
    return {
        "topic": plan.topic,
        **(_trial(first) if first else {"g_mean": None, "precision": None, "recall": None}),
        "folds": first.folds if first else 0,
        "times": plan.times,
        "by_site": first.by_site if first else False,
        "words": made.model.words(),
        "against": made.model.words(against=True),
        "trials": [
            {"by": "site" if trial.by_site else "page", "folds": trial.folds, **_trial(trial)}
            for trial in made.trials
        ],
        "test": _counts(tested) if tested else None,
        "classifier": plan.classifier,
        "positive": positive,
        "negative": len(found.examples) - positive,
        "sites": len({example.site for example in found.examples}),
        "left_out": dict(found.left_out),
        "model": str(path),
    }


def _trial(trial: Trial) -> dict[str, float]:
    return {
        "g_mean": round(trial.mean("g_mean"), 4),
        "deviation": round(trial.deviation("g_mean"), 4),
        "literal_g_mean": round(trial.mean("literal_g_mean"), 4),
        "precision": round(trial.mean("precision"), 4),
        "recall": round(trial.mean("recall"), 4),
    }


def _counts(counts: Counts) -> dict[str, float]:
    return {
        "g_mean": round(counts.g_mean, 4),
        "literal_g_mean": round(counts.literal_g_mean, 4),
        "precision": round(counts.precision, 4),
        "recall": round(counts.recall, 4),
        **counts._asdict(),
    }


def _print(document: dict[str, Any]) -> None:
    left_out = ", ".join(f"{why}: {times:,}" for why, times in document["left_out"].items())
    print(
        f"{document['topic']}: {document['positive']:,} pages about it and "
        f"{document['negative']:,} others, of {document['sites']:,} sites."
        f"{f' Left out: {left_out}.' if left_out else ''}"
    )
    rows = [_row(f"by {each['by']}, {each['folds']} folds x {document['times']}", each)
            for each in document["trials"]]  # fmt: skip
    if document["test"]:
        rows.append(_row("on the pages kept apart", document["test"]))
    if rows:
        print_table(
            ["tried", "G-mean", "+-", "precision", "recall", "by formulas 2 to 5 as printed"], rows
        )
    print(f"Words that decide: {', '.join(document['words'])}.")
    print(f"Words against it: {', '.join(document['against'])}.")
    print(f"Written: {document['model']}. Try next:  --judge topic:model={document['model']}")


def _row(name: str, found: dict[str, Any]) -> list[str]:
    deviation = f"{found['deviation']:.4f}" if "deviation" in found else "-"
    return [
        name, f"{found['g_mean']:.4f}", deviation, f"{found['precision']:.4f}",
        f"{found['recall']:.4f}", f"{found['literal_g_mean']:.4f}",
    ]  # fmt: skip
