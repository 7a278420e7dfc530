"""``--prior``, and ``export --to prior``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import INTERRUPTED, check_file, print_json, targets_of
from langcrawl.cli.progress import Interrupt, ProgressDisplay
from langcrawl.errors import UsageError

Prior = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR|FILE",
        help="With adaptive: start from what an earlier crawl learned ('export --to prior').",
    ),
]


def with_prior(strategy: str, prior: Path | None) -> str:
    """The strategy, told where to start from."""
    if prior is None:
        return strategy
    name = strategy.partition(":")[0]
    if name != "adaptive" or "prior=" in strategy:
        raise UsageError("--prior is for the strategy adaptive; give --strategy adaptive once.")
    place = str(prior.resolve())
    if "," in place:
        raise UsageError("--prior takes a path without commas; rename the file.")
    return f"{strategy}{',' if ':' in strategy else ':'}prior={place}"


def some_with_prior(strategies: Sequence[str], prior: Path) -> list[str]:
    """Several strategies, of which `adaptive` is told where to start from."""
    mine = [each.partition(":")[0] == "adaptive" for each in strategies]
    if not any(mine):
        raise UsageError("--prior is for the strategy adaptive; give --strategy adaptive as well.")
    told = zip(strategies, mine, strict=True)
    return [with_prior(each, prior) if is_mine else each for each, is_mine in told]


def is_prior(to: str) -> bool:
    """Whether ``export --to`` asks for a prior."""
    return to == "prior" or to.endswith(".prior")


def write_prior(given: Sequence[Path], to: str, lang: Sequence[str] | None, as_json: bool) -> None:
    """Write what adaptive learns from the log in a crawl directory."""
    if len(given) != 1:
        raise UsageError("a prior is learned from one crawl; name one directory.")
    log = given[0]
    from langcrawl.simulate import Source, open_graph
    from langcrawl.simulate.prior import learn_prior
    from langcrawl.strategy.learned.prior import PLACE

    path = log / PLACE if to == "prior" else Path(to)
    check_file(path if to != "prior" else None, "--to")
    graph = open_graph(Source(log, targets_of(lang), ""))
    with Interrupt() as stop, ProgressDisplay("learning") as display:
        made = learn_prior(graph, display.show, stop)
    if stop.requested:
        raise typer.Exit(INTERRUPTED)
    made.write(path)
    if as_json:
        weights = sum(map(len, made.weights.values()))
        print_json({"prior": str(path), "lang": made.lang, "pages": made.pages,
                    "weights": weights, "places": len(made.rates)})  # fmt: skip
    else:
        print(f"What {made.pages:,} pages taught is in {path}; start a crawl from it with --prior.")
