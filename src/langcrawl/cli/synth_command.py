"""``langcrawl synth``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import INTERRUPTED, Json, print_json
from langcrawl.cli.progress import Interrupt, ProgressDisplay


def synth(
    directory: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A new directory.")
    ] = None,
    profile: Annotated[
        str, typer.Option(help="The name of a profile, or a TOML file of your own.")
    ] = "thai-2005",
    pages: Annotated[int, typer.Option(min=1, help="Number of pages.")] = 100_000,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed: each gives another web of that profile.")
    ] = 1,
    profiles: Annotated[bool, typer.Option("--profiles", help="List the profiles.")] = False,
    as_json: Json = False,
) -> None:
    """Generate a web with the statistics of a profile, ready to simulate on and to serve.

    \b
    Example:  langcrawl synth web --profile thai-2005 --pages 1000000 --seed 1
              langcrawl simulate web --strategy soft --strategy lswc:s=3,t=5
    """
    from langcrawl.errors import UsageError
    from langcrawl.virtualweb.synth import generate, load_profile
    from langcrawl.virtualweb.synth import profiles as known_profiles
    from langcrawl.virtualweb.synth.profile import Profile
    from langcrawl.virtualweb.topical import (
        TopicalProfile,
        generate_topical,
        load_topical_profile,
        topical_profiles,
    )

    if profiles:
        listed: list[Profile | TopicalProfile] = [load_profile(name) for name in known_profiles()]
        listed += [load_topical_profile(name) for name in topical_profiles()]
        if as_json:
            print_json([{"name": found.name, "says": found.says} for found in listed])
        else:
            for found in listed:
                print(f"{found.name:16} {found.says}")
        return
    if directory is None:
        raise UsageError("name a new directory for the web, for example 'langcrawl synth web'.")
    others = topical_profiles()
    topical = load_topical_profile(profile) if profile in others else None
    wanted = topical or load_profile(profile, others)
    with Interrupt() as stop, ProgressDisplay("generating") as display:
        try:
            if isinstance(wanted, TopicalProfile):
                made = asdict(generate_topical(directory, wanted, pages, seed, display.show, stop))
            else:
                made = asdict(generate(directory, wanted, pages, seed, display.show, stop))
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json(made)
        return
    print(
        f"{made['pages']:,} pages on {made['hosts']:,} hosts, {made['relevant']:,} of them "
        f"{'relevant' if topical else f'in {wanted.lang}'}, with {made['links']:,} links to "
        f"{made['urls']:,} URLs, are in {directory}."
    )
    print(f"Try next:  langcrawl simulate {directory} --strategy soft --strategy lswc")
    print(f"           langcrawl analyze {directory}")
