"""``langcrawl learn``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import Json, print_json


def learn(
    tag: Annotated[str, typer.Argument(help="The language, as shn or kjh-Cyrl.")],
    samples: Annotated[
        list[Path], typer.Argument(help="Texts or pages in it, or directories of them.")
    ],
    against: Annotated[
        list[Path] | None,
        typer.Option(help="Texts in languages it may be taken for; may be given several times."),
    ] = None,
    name: Annotated[str, typer.Option(help="The name of the language.")] = "",
    output: Annotated[
        Path | None, typer.Option(help="Write the pack here, not where langcrawl looks for it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a language pack of sample texts: 20 KB are enough, more are better.

    \b
    Example:  langcrawl learn kjh texts/ --against russian.txt --name Khakas
              langcrawl crawl khakas --lang kjh --seeds URL
    """
    from langcrawl.identify import find_files
    from langcrawl.languages.packs import save_pack
    from langcrawl.learn import learn as make_pack

    made = make_pack(tag, find_files(samples), find_files(against) if against else (), name)
    path = save_pack(made.pack, output)
    if as_json:
        print_json({
            "tag": made.pack.tag, "pack": str(path), "script": made.pack.scripts[0],
            "characters": made.characters, "threshold": made.pack.threshold,
            "neighbours": list(made.pack.neighbours), "precision": made.precision,
            "recall": made.recall, "held_back": made.held_back, "others": made.others,
        })  # fmt: skip
        return
    print(
        f"{made.pack.tag}: {made.characters:,} characters in {made.pack.scripts[0]} script; "
        f"nearest languages: {', '.join(made.pack.neighbours) or 'none in that script'}."
    )
    print(
        f"On text held back: recall {made.recall:.1%} of {made.held_back} pieces, precision "
        f"{made.precision:.1%} against {made.others} pieces in other languages"
        + ("." if against else "; give more with --against to know it better.")
    )
    print(f"Written: {path}. Try next:  langcrawl identify FILE --lang {made.pack.tag}")
