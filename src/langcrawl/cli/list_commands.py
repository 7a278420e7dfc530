"""``langcrawl strategies``, ``judges`` and ``languages``: what there is, a line each."""

from __future__ import annotations

import inspect
from typing import Any

from langcrawl.cli.common import Json, print_json


def strategies(as_json: Json = False) -> None:
    """List the strategies, a line each."""
    from langcrawl.strategy import STRATEGIES

    _print_makers(dict(STRATEGIES), as_json)


def judges(as_json: Json = False) -> None:
    """List the judges, a line each."""
    from langcrawl.judge import JUDGES

    _print_makers(dict(JUDGES), as_json)


def languages(as_json: Json = False) -> None:
    """List the languages that can be collected, a line each."""
    from langcrawl.languages import known_languages
    from langcrawl.languages.packs import broken_packs

    broken = broken_packs()
    packs = {tag: pack for tag, pack in known_languages().items() if tag not in broken}
    if as_json:
        usable = [{**pack.model_dump(), "error": None} for pack in packs.values()]
        print_json(usable + [each._asdict() for each in broken.values()])
        return
    for tag, pack in packs.items():
        print(f"{tag:10} {pack.name}")
    for tag, each in broken.items():
        print(f"{tag:10} broken: {each.error}")


def _print_makers(makers: dict[str, Any], as_json: bool) -> None:
    """Parts by name with their parameters and what they say of themselves."""
    found: list[dict[str, Any]] = []
    for name, maker in makers.items():
        parameters = {
            key.rstrip("_"): None if each.default is each.empty else each.default
            for key, each in inspect.signature(maker).parameters.items()
            if key not in ("target", "pack", "lang")
        }
        found.append({"name": name, "parameters": parameters, "says": inspect.getdoc(maker)})
    if as_json:
        print_json(found)
        return
    for entry in found:
        shown = [f"{key}=" for key in entry["parameters"]]
        spec = f"{entry['name']}:{','.join(shown)}" if shown else entry["name"]
        first = " ".join(entry["says"].split("\n\n")[0].split())
        print(f"{spec:24} {first}")
