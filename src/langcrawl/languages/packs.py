"""Language packs: what is particular to one language, read from ``packs/TAG.toml``."""

from __future__ import annotations

import os
import tomllib
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import pycld2
import tomli_w
from pydantic import BaseModel, ConfigDict, ValidationError

from langcrawl.errors import BadInput, UnknownName
from langcrawl.languages.charset_users import DETECTED, USERS
from langcrawl.languages.charsets import charset_name
from langcrawl.languages.profiles import all_profiles
from langcrawl.languages.tags import Tag, parse_tag
from langcrawl.records import UNKNOWN


class Pack(BaseModel):
    """One language: the keys of its TOML file, described in docs/languages.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tag: str
    name: str
    bridge: str = "en"
    scripts: tuple[str, ...] = ()
    """ISO 15924 codes; the first is the usual one."""
    charsets: tuple[str, ...] = ()
    """Charsets that only this language uses."""
    judge: tuple[str, ...] = ("cld", "charset")
    """The judge chain: the first judge that knows the language is believed."""

    profile: str = ""
    """Of a learned pack: n-grams in order of rank, parted by spaces."""
    threshold: float = 0.0
    """Of a learned pack: how near to the profile a piece of a page must be, 0 to 1."""
    rivals: dict[str, str] = {}
    """Of a learned pack: the profiles of the texts that it was learned against, by name."""
    neighbours: tuple[str, ...] = ()
    """Of a learned pack: the languages that it may be taken for, the nearest first."""

    @property
    def target(self) -> Tag:
        return parse_tag(self.tag)


def user_folder() -> Path:
    """Where learned packs are kept: LANGCRAWL_PACKS, or the user's configuration folder."""
    given = os.environ.get("LANGCRAWL_PACKS")
    config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(given) if given else Path(config) / "langcrawl" / "packs"


def save_pack(pack: Pack, path: Path | None = None) -> Path:
    """Save a pack where langcrawl looks for it, or in the given file."""
    path = path or user_folder() / f"{pack.tag}.toml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(tomli_w.dumps(pack.model_dump()), encoding="utf-8")
    except OSError as error:
        raise BadInput(
            f"'{path}' cannot be written ({error.strerror}); choose another --output."
        ) from None
    return path


@lru_cache(maxsize=1)
def _own_packs() -> dict[str, Pack]:
    """The packs that come with langcrawl, and the user's own, which go before them."""
    packs = {}
    for folder in (resources.files("langcrawl.languages") / "packs", user_folder()):
        for entry in folder.iterdir() if folder.is_dir() else ():
            if entry.name.endswith(".toml"):
                pack = _read_pack(entry)
                packs[pack.tag] = pack
    return dict(sorted(packs.items()))


def _read_pack(entry: Traversable) -> Pack:
    try:
        return Pack(**tomllib.loads(entry.read_text(encoding="utf-8")))
    except (ValidationError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        first = str(error).splitlines()[0]
        raise BadInput(
            f"the language pack '{entry}' cannot be used: {first}; fix the file."
        ) from None


@lru_cache(maxsize=1)
def known_languages() -> dict[str, Pack]:
    """Every language that can be asked for, by tag: those with a file of their own first."""
    packs = dict(_own_packs())
    for name, code in pycld2.LANGUAGES:
        tag = str(parse_tag(code))
        if tag != UNKNOWN and not name.startswith("X_") and name in pycld2.DETECTED_LANGUAGES:
            packs.setdefault(tag, Pack(tag=tag, name=name.replace("_", " ").title()))
    known = {parse_tag(tag).primary for tag in packs}
    for profile in all_profiles():
        tag = parse_tag(profile.tag).primary
        if tag not in known:
            packs.setdefault(tag, Pack(tag=tag, name=profile.name, judge=("ngram", "charset")))
    return packs


@lru_cache(maxsize=2)
def charset_languages(detected: bool = False) -> dict[str, tuple[str, ...]]:
    """The languages of each charset, by `charset_name`; a pack's own are its language's alone.

    Where a charset is only what the bytes look like, it tells less: see `charset_users`.
    """
    users = dict(DETECTED if detected else USERS)
    for pack in _own_packs().values():
        users |= {charset_name(label): (pack.tag,) for label in pack.charsets}
    return users


def load_pack(language: str) -> Pack:
    """The pack for a language as a user writes it: ``th``, ``tha``, ``mn-Mong``."""
    tag, packs = parse_tag(language), known_languages()
    if str(tag) in packs:
        return packs[str(tag)]
    if tag.primary in packs:  # a script that no pack of its own speaks of
        return packs[tag.primary].model_copy(update={"tag": str(tag)})
    raise UnknownName("language", language, packs, see="langcrawl languages")
