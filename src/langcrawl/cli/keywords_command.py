"""``langcrawl keywords``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from langcrawl.cli.common import Json, print_json
from langcrawl.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from langcrawl.topic.tokenizer import Tokens

_SHOWN = 10


def keywords(
    country: Annotated[str, typer.Argument(help="The country: TH, THA or Thailand.")],
    action: Annotated[
        str, typer.Argument(help="What to do: list, add, import, annotate or find.")
    ] = "list",
    what: Annotated[
        list[str] | None, typer.Argument(help="Names to add, or files to read.", show_default=False)
    ] = None,
    kind: Annotated[str, typer.Option(help="With list: names of this kind only.")] = "",
    sheet: Annotated[
        Path | None,
        typer.Option(help="With import: add nothing, but write the names down for annotators."),
    ] = None,
    literal: Annotated[
        bool, typer.Option("--literal", help="With find: as Figure 5 of paper 004 is printed.")
    ] = False,
    exact: Annotated[bool, typer.Option("--exact", help="With find: no matches by sound.")] = False,
    as_json: Json = False,
) -> None:
    """The names of a country by which a text shows that it is about it.

    \b
    Example:  langcrawl keywords thailand
              langcrawl keywords th add "Koh Samui" Samui
              langcrawl keywords jp import JP.txt
              langcrawl keywords th find page.html
    """
    from langcrawl.topic.gazetteer import country_code

    actions: dict[str, Callable[[], dict[str, Any]]] = {
        "list": lambda: _list(code, kind),
        "add": lambda: _add(code, given),
        "import": lambda: _import(code, given, sheet),
        "annotate": lambda: _annotate(code, given),
        "find": lambda: _find(code, given, literal, exact),
    }
    if action not in actions:
        raise UnknownName("action", action, actions)
    code, given = country_code(country), what or []
    if bool(given) == (action == "list"):
        needs = "takes no names" if given else "needs names, or files"
        raise UsageError(f"'keywords {country} {action}' {needs}.")
    found = actions[action]()
    if as_json:
        print_json(found)
    else:
        _PRINT[action](found)


def _list(code: str, kind: str) -> dict[str, Any]:
    from langcrawl.topic.gazetteer import load_gazetteer

    known = load_gazetteer(code)
    kinds = Counter(known.names.values())
    if kind and kind not in kinds:
        raise UnknownName("kind of name", kind, kinds)
    names = sorted(name for name, its in known.names.items() if kind in ("", its))
    return {
        "country": code,
        "names": names,
        "kinds": dict(kinds.most_common()),
        "stopped": list(known.stopped),
    }


def _add(code: str, names: list[str]) -> dict[str, Any]:
    from langcrawl.topic.gazetteer import add_names, make_gazetteer, user_file

    given = {" ".join(name.split()): "name" for name in names if name.strip()}
    stopped = make_gazetteer(code, given).stopped
    return {"country": code, "added": add_names(code, given), "stopped": list(stopped),
            "file": str(user_file(code))}  # fmt: skip


def _import(code: str, files: list[str], sheet: Path | None) -> dict[str, Any]:
    from langcrawl.topic.gazetteer import add_names, read_names, user_file, write_sheet

    names: dict[str, str] = {}
    for file in files:
        names |= read_names(Path(file), code)
    if sheet:
        write_sheet(sheet, names)
        return {"country": code, "added": 0, "read": len(names), "file": str(sheet)}
    return {"country": code, "added": add_names(code, names), "read": len(names),
            "file": str(user_file(code))}  # fmt: skip


def _annotate(code: str, files: list[str]) -> dict[str, Any]:
    from langcrawl.topic.gazetteer import add_names, count_votes, user_file

    kept: dict[str, str] = {}
    rejected = undecided = 0
    for file in files:
        votes = count_votes(Path(file))
        kept |= dict.fromkeys(votes.kept, "name")
        rejected, undecided = rejected + len(votes.rejected), undecided + len(votes.undecided)
    return {"country": code, "added": add_names(code, kept), "kept": len(kept),
            "rejected": rejected, "undecided": undecided,
            "file": str(user_file(code))}  # fmt: skip


def _find(code: str, files: list[str], literal: bool, exact: bool) -> dict[str, Any]:
    from langcrawl.importers.files import find_files, read_file
    from langcrawl.page import read_document
    from langcrawl.topic.figure5 import LiteralTokenizer
    from langcrawl.topic.gazetteer import load_gazetteer
    from langcrawl.topic.tokenizer import Tokenizer

    names = load_gazetteer(code).names
    tokenizer = LiteralTokenizer(names) if literal else Tokenizer(names, sounds=not exact)
    pages = []
    for path in find_files([Path(file) for file in files]):
        content = read_document(read_file(path)).content
        pages.append(_page(str(path), tokenizer.read(f"{content.title}\n{content.text}")))
    return {"country": code, "pages": pages}


def _page(source: str, found: Tokens) -> dict[str, Any]:
    from langcrawl.topic.terms import stop_words

    texts = list(zip(found.keywords, found.names, strict=True))
    return {
        "source": source,
        "tokens": len(found.tokens),
        "ratio": round(found.ratio(stop_words("en")), 4),
        "exact": dict(Counter(text for text, name in texts if name.exact).most_common()),
        "by_sound": dict(Counter(text for text, name in texts if not name.exact).most_common()),
    }


def _print_list(found: dict[str, Any]) -> None:
    for name in found["names"]:
        print(name)


def _print_added(found: dict[str, Any]) -> None:
    print(f"{found['added']:,} names of {found['country']} are new, in {found['file']}.")
    if found.get("stopped"):
        print(f"Ordinary words, which are not looked for: {', '.join(found['stopped'])}.")


def _print_imported(found: dict[str, Any]) -> None:
    print(f"{found['read']:,} names read, {found['added']:,} of them added; see {found['file']}.")


def _print_votes(found: dict[str, Any]) -> None:
    print(
        f"{found['kept']:,} names have a majority, {found['rejected']:,} have none, "
        f"{found['undecided']:,} lack votes; {found['added']:,} are new in {found['file']}."
    )


def _print_found(found: dict[str, Any]) -> None:
    for page in found["pages"]:
        print(f"{page['source']}: {page['ratio']:.0%} of its words are names")
        for how in ("exact", "by_sound"):
            names = [f"{name[:60]} {times}" for name, times in list(page[how].items())[:_SHOWN]]
            if names:
                print(f"    {how.replace('_', ' ')}: {', '.join(names)}")


_PRINT: dict[str, Callable[[dict[str, Any]], None]] = {
    "list": _print_list,
    "add": _print_added,
    "import": _print_imported,
    "annotate": _print_votes,
    "find": _print_found,
}
