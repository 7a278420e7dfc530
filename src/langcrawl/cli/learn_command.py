"""``langcrawl learn``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from langcrawl.cli.common import Json, check_file, print_json
from langcrawl.cli.progress import ProgressDisplay
from langcrawl.errors import UsageError

if TYPE_CHECKING:
    from langcrawl.importers.learn import Learned


def learn(
    tag: Annotated[str, typer.Argument(help="The language, such as shn or kjh-Cyrl.")],
    samples: Annotated[
        list[Path], typer.Argument(help="Texts or pages in that language, or directories of them.")
    ],
    against: Annotated[
        list[Path] | None,
        typer.Option(help="Texts in a similar language; may be given several times."),
    ] = None,
    name: Annotated[str, typer.Option(help="The name of the language.")] = "",
    output: Annotated[
        Path | None,
        typer.Option(help="Write the pack to this file, not to langcrawl's own directory."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a language pack from sample texts: 20 KB are enough, more is better.

    \b
    Example:  langcrawl learn kjh texts/ --against russian.txt --name Khakas
              langcrawl crawl khakas --lang kjh --seeds URL
    """
    from langcrawl.importers.files import find_files
    from langcrawl.importers.learn import learn as make_pack
    from langcrawl.languages import known_languages
    from langcrawl.languages.packs import save_pack

    given = {path.stem or str(path): find_files([path]) for path in against or ()}
    if len(given) < len(against or ()):
        raise UsageError(
            "two texts given with --against have the same file name; rename one of them."
        )
    check_file(output, "--output")
    files = find_files(samples)
    with ProgressDisplay("reading", unit="files") as display:
        made = make_pack(tag, files, given, name, display.show)
    replaced = made.pack.tag in known_languages() and not output
    path = save_pack(made.pack, output)
    if as_json:
        print_json({
            "tag": made.pack.tag, "pack": str(path), "script": made.pack.scripts[0],
            "characters": made.characters, "documents": made.documents,
            "left_out": made.left_out, "threshold": made.pack.threshold,
            "neighbours": list(made.pack.neighbours), **made.estimate._asdict(),
        })  # fmt: skip
        return
    _print(made, bool(against))
    if replaced:
        print(
            f"langcrawl already supports {made.pack.tag}: from now on it uses this pack in "
            "place of its own."
        )
    print(f"Written: {path}. Try next:  langcrawl identify FILE --lang {made.pack.tag}")


def _print(made: Learned, against: bool) -> None:
    """What was learned, and how good it is."""
    from langcrawl.importers.samples import PARTS

    pack, said = made.pack, made.estimate
    left_out = f"; {made.left_out:,} files without such text were left out" if made.left_out else ""
    print(
        f"{pack.tag}: {made.characters:,} characters of {made.documents:,} documents in "
        f"{pack.scripts[0]} script{left_out}; "
        f"nearest languages: {', '.join(pack.neighbours) or 'none in that script'}."
    )
    taken = ", ".join(f"{tag} {number}" for tag, number in Counter(said.mistaken).most_common(3))
    print(
        f"Recall {said.recall:.0%} of {said.held_back} pieces held back, {said.recall_least:.0%} "
        f"or more 95 times in 100{f'; taken for others: {taken}' if taken else ''}."
    )
    if made.documents < PARTS:
        print(
            f"They come from {made.documents} documents: recall on others may be lower. Give "
            f"{PARTS} or "
            "more documents, each in its own file, for a better estimate."
        )
    if said.precision is None or said.precision_least is None:
        near = ", ".join(pack.neighbours) or "languages of the same script"
        print(f"Precision is not known: give texts in {near} with --against.")
    else:
        more = "" if against else "; give texts in its neighbours with --against to know it better"
        print(
            f"Precision {said.precision:.0%} among as many of {said.others} pieces in other "
            f"languages of the script, {said.precision_least:.0%} or more 95 times in 100{more}."
        )
