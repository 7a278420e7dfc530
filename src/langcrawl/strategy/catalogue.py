"""The strategies by name, and those that a user brings."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from langcrawl import spec
from langcrawl.errors import UsageError
from langcrawl.ports import Strategy
from langcrawl.strategy.best_first import best_first
from langcrawl.strategy.bfs import bfs
from langcrawl.strategy.correlation import correlation
from langcrawl.strategy.dfs import dfs
from langcrawl.strategy.limited import limited
from langcrawl.strategy.lswc import lswc
from langcrawl.strategy.perfect import perfect
from langcrawl.strategy.simple import hard, soft

STRATEGIES: dict[str, Callable[..., Strategy]] = {
    "bfs": bfs,
    "dfs": dfs,
    "hard": hard,
    "soft": soft,
    "limited": limited,
    "lswc": lswc,
    "best-first": best_first,
    "correlation": correlation,
    "perfect": perfect,
}


def make_strategy(text: str) -> Strategy:
    """The strategy that a user names; it carries the name as given."""
    place, _, rest = text.partition(":")
    if place not in STRATEGIES and ("." in place or "/" in place) and rest:
        function, _, parameters = rest.partition(":")
        maker = _load(place, function)
        try:
            strategy = spec.call("strategy", function, maker, parameters)
        except UsageError:
            raise
        except Exception as error:
            raise UsageError(f"the strategy '{text}' cannot be made: {error!r}.") from error
        if not isinstance(strategy, Strategy):
            raise UsageError(f"'{place}:{function}' should return a langcrawl.ports.Strategy.")
    else:
        strategy = spec.make("strategy", text, STRATEGIES)
    return replace(strategy, name=text)


def _load(place: str, function: str) -> Callable[..., Strategy]:
    """A user's own function from a file or an importable module."""
    try:
        if place.endswith(".py"):
            found = importlib.util.spec_from_file_location(Path(place).stem, place)
            assert found is not None
            assert found.loader is not None
            module = importlib.util.module_from_spec(found)
            found.loader.exec_module(module)
        else:
            if "" not in sys.path:
                sys.path.insert(0, "")  # as python -m does: modules beside the user are found
            module = importlib.import_module(place)
        maker: Callable[..., Strategy] = getattr(module, function)
    except Exception as error:  # whatever a user's file does
        problem = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"the strategy '{place}:{function}' cannot be loaded ({problem})."
        ) from error
    return maker
