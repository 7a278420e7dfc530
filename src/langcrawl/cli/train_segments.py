"""``langcrawl train segments``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from langcrawl.cli.common import print_json, print_table
from langcrawl.cli.progress import ProgressDisplay
from langcrawl.errors import BadInput, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langcrawl.log.graph import Graph
    from langcrawl.simulate.segment_pairs import Pairs, Question
    from langcrawl.topic.predictor import SegmentModel
    from langcrawl.topic.segment_learn import Example, Trials

LOG = "log"
"""The value of --back-links that asks the log itself who links to whom."""
_PARTS = ("links", "words", "both")
_CALLED = {"links": "P_L, what links are like", "words": "P_W, their words", "both": "P_E, both"}


class SegmentPlan(NamedTuple):
    """What is asked for."""

    model: Path
    logs: tuple[Path, ...]
    judge: str
    topic: str
    lang: str
    keywords: str
    exact: bool
    threshold: float
    hops: int | None
    within_site: str
    countries: str
    by_site: tuple[bool, ...]
    folds: int
    times: int
    seed: int
    seeds: tuple[str, ...] = ()
    back_links: str = ""
    """``log``, or the address of a search API; empty to start from the seeds themselves."""


def train_segments(plan: SegmentPlan, as_json: bool) -> None:
    """Read the pairs of segments of some logs, try a predictor on them, and keep one."""
    from langcrawl.topic.predictor import save_segment_model
    from langcrawl.topic.segment_learn import WITHIN_SITE, check_examples, chosen

    if not plan.logs:
        raise UsageError("give the crawl, import or generated web to learn from with --log.")
    if plan.within_site not in WITHIN_SITE:
        raise UsageError(
            f"--within-site must be {', '.join(WITHIN_SITE[:-1])} or {WITHIN_SITE[-1]}, not "
            f"'{plan.within_site}'."
        )
    if not 0 < plan.threshold <= 1:
        raise UsageError(f"--threshold must be above 0 and at most 1, not {plan.threshold:g}.")
    seeds = _seeds(plan)
    with ProgressDisplay("reading", unit="pages") as display:
        question, parts = _read(plan, seeds, display)
    examples = [example for part in parts for example in part.examples]
    ours = chosen(examples, plan.within_site)
    check_examples(ours, plan.within_site)
    with ProgressDisplay("training", unit="rounds") as display:
        model, trials = _train(plan, question, ours, display)
    save_segment_model(model, plan.model)
    document = _document(plan, parts, examples, ours, model, trials)
    if as_json:
        print_json(document)
    else:
        _print(document)


def _seeds(plan: SegmentPlan) -> tuple[str, ...]:
    """Where the reading starts: the seeds, or the pages that a search API says link to them."""
    from langcrawl.topic.back_links import check_service, find_back_links

    if plan.back_links in ("", LOG):
        return plan.seeds
    check_service(plan.back_links)
    if not plan.seeds:
        raise UsageError("--back-links needs --seeds: pages about the topic, to which others link.")
    with ProgressDisplay("asking for back links", unit="seeds") as display:
        found = find_back_links(plan.back_links, plan.seeds, display.show)
    if not found:
        raise BadInput(f"the search API knows no page that links to the {len(plan.seeds):,} seeds.")
    file = plan.model.with_suffix(".seeds.txt")
    try:
        file.write_text("".join(f"{url}\n" for url in found), "utf-8")
    except OSError as error:
        raise BadInput(f"'{file}' cannot be written ({error.strerror}).") from None
    print(f"{len(found):,} pages link to the seeds: {file}", file=sys.stderr)
    return found


def _read(
    plan: SegmentPlan, seeds: tuple[str, ...], display: ProgressDisplay
) -> tuple[Question, list[Pairs]]:
    from langcrawl.languages import find_tag
    from langcrawl.simulate import Source, open_graph
    from langcrawl.simulate.segment_pairs import Question, read_pairs

    language = find_tag(plan.lang).primary
    question = Question(
        language, names_of(plan.keywords), not plan.exact, plan.threshold, plan.hops,
        countries=plan.countries,
    )  # fmt: skip
    parts = []
    for log in plan.logs:
        graph = open_graph(Source(log, plan.lang if plan.judge else "", plan.judge))
        if not graph.relevant_total:
            who = f"'{plan.judge}'" if plan.judge else "the log"
            raise BadInput(
                f"no page of '{log}' is relevant according to {who}, so there is nothing to learn; "
                "is it a log of another language or topic?"
            )
        start = _start(plan, seeds, graph, log)
        parts.append(read_pairs(graph, question._replace(seeds=start), display.show))
    return question, parts


def _start(plan: SegmentPlan, seeds: tuple[str, ...], graph: Graph, log: Path) -> tuple[str, ...]:
    """From which pages of a log its pairs are read."""
    from langcrawl.simulate.segment_pairs import back_links

    if plan.back_links == LOG:
        seeds = back_links(graph, seeds)
        if not seeds:
            whom = "the seeds" if plan.seeds else "a relevant page of another segment"
            raise BadInput(f"no page of '{log}' links to {whom}; leave --back-links away.")
    elif plan.back_links and not any(0 <= node < graph.pages for node in graph.find(seeds)):
        file = plan.model.with_suffix(".seeds.txt")
        raise BadInput(
            f"none of the {len(seeds):,} pages that link to the seeds is in '{log}'; crawl "
            f"from them first, with --seeds {file} --max-depth 2, and learn from that crawl."
        )
    return seeds


def names_of(keywords: str) -> tuple[str, ...]:
    """The names of a country, or of a file with a name a line; none where nothing is asked for."""
    from langcrawl.topic.gazetteer import load_gazetteer, read_names

    if not keywords:
        return ()
    path = Path(keywords)
    if path.suffix or "/" in keywords or path.is_file():
        return tuple(read_names(path, "keywords"))
    return tuple(load_gazetteer(keywords).names)


def _train(
    plan: SegmentPlan, question: Question, examples: Sequence[Example], display: ProgressDisplay
) -> tuple[SegmentModel, list[Trials]]:
    import numpy as np

    from langcrawl.topic.expectation_learn import learn_expectation
    from langcrawl.topic.segment_learn import fit, to_model, try_out

    trials = [
        try_out(
            examples, site_wise=site_wise, folds=plan.folds, times=plan.times, seed=plan.seed,
            progress=display.show,
        )
        for site_wise in (plan.by_site if plan.times else ())
    ]  # fmt: skip
    about = {"pairs": float(len(examples))}
    for trial in trials:
        name = "site" if trial.both.by_site else "page"
        about[f"g_mean_by_{name}"] = trial.both.mean("g_mean")
    model = to_model(
        fit(examples, np.random.default_rng(plan.seed)), topic=plan.topic,
        language=question.language, names=question.names, sounds=question.sounds,
        threshold=plan.threshold, about=about,
        expected=learn_expectation(examples, np.random.default_rng(plan.seed)),
    )  # fmt: skip
    return model, trials


def _document(
    plan: SegmentPlan,
    parts: Sequence[Pairs],
    examples: Sequence[Example],
    ours: Sequence[Example],
    model: SegmentModel,
    trials: Sequence[Trials],
) -> dict[str, Any]:
    """What --json prints."""
    from langcrawl.topic.segment_learn import chosen

    relevant = sum(example.relevant for example in ours)
    weights = sorted(model.words, key=lambda word: (-model.words[word], word))
    first = trials[0].both if trials else None
    return {
        "topic": plan.topic,
        "g_mean": round(first.mean("g_mean"), 4) if first else None,
        "folds": first.folds if first else 0,
        "times": plan.times,
        "by_site": first.by_site if first else False,
        "trials": [
            {
                "by": "site" if trial.both.by_site else "page",
                "of": part,
                "folds": trial.both.folds,
                "g_mean": round(getattr(trial, part).mean("g_mean"), 4),
                "deviation": round(getattr(trial, part).deviation("g_mean"), 4),
                "precision": round(getattr(trial, part).mean("precision"), 4),
                "recall": round(getattr(trial, part).mean("recall"), 4),
            }
            for trial in trials
            for part in _PARTS
        ],
        "pages": sum(part.pages for part in parts),
        "segments": sum(part.segments for part in parts),
        "relevant_segments": sum(part.relevant for part in parts),
        "pairs": {name: len(chosen(examples, name)) for name in ("keep", "dedupe", "remove")},
        "within_site": plan.within_site,
        "relevant": relevant,
        "irrelevant": len(ours) - relevant,
        "keywords": len(model.names),
        "words": weights[:20],
        "expected": model.expected._asdict() if model.expected else None,
        "model": str(plan.model),
    }


def _print(document: dict[str, Any]) -> None:
    pairs = document["pairs"]
    print(
        f"{document['pages']:,} pages in {document['segments']:,} segments, "
        f"{document['relevant_segments']:,} of them relevant; {pairs['keep']:,} pairs of segments, "
        f"{pairs['dedupe']:,} without what repeats within a site, {pairs['remove']:,} between "
        "sites."
    )
    print(
        f"Learned from {document['relevant']:,} pairs that lead to relevant segments and "
        f"{document['irrelevant']:,} others."
    )
    if document["trials"]:
        rows = [
            [
                f"by {each['by']}, {each['folds']} folds x {document['times']}",
                _CALLED[each["of"]], f"{each['g_mean']:.4f}", f"{each['deviation']:.4f}",
                f"{each['precision']:.4f}", f"{each['recall']:.4f}",
            ]
            for each in document["trials"]
        ]  # fmt: skip
        print_table(["tried", "classifier", "G-mean", "+-", "precision", "recall"], rows)
    print(f"Words that decide: {', '.join(document['words'])}.")
    model = document["model"]
    print(
        f"Written: {model}. Try next:  --strategy segments:model={model}  or  "
        f"--strategy likely-segment:model={model}"
    )
