"""Language packs: what is particular to one language, read from ``packs/TAG.toml``."""

from __future__ import annotations

import os
import tomllib
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

import pycld2
import tomli_w
from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

from langcrawl.errors import BadInput
from langcrawl.languages.charsets import charset_name
from langcrawl.languages.names import language_names
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
    words: dict[str, str] = {}
    """Of a pack that was learned against others: words that tell each from the others, by name."""

    @field_validator("tag", "bridge")
    @classmethod
    def _is_a_tag(cls, text: str) -> str:
        if str(parse_tag(text)) != text or text == UNKNOWN:
            raise ValueError(f"'{text}' is not a language tag, such as th or mn-Cyrl")
        return text

    @field_validator("judge")
    @classmethod
    def _some_judge(cls, chain: tuple[str, ...]) -> tuple[str, ...]:
        if not chain:
            raise ValueError("it names no judge; leave the key out for the usual chain")
        return chain

    @field_validator("profile")
    @classmethod
    def _of_a_script(cls, profile: str, others: ValidationInfo) -> str:
        if profile and not others.data.get("scripts"):
            raise ValueError("a learned pack needs its script in scripts, such as ['Cyrl']")
        return profile

    @property
    def target(self) -> Tag:
        return parse_tag(self.tag)


class BrokenPack(NamedTuple):
    """A pack of the user's that cannot be used, and why."""

    tag: str
    error: str
    """A sentence that names the file and the key."""


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


def packs_with_files() -> dict[str, Pack]:
    """The packs that come with langcrawl, and the user's own, which go before them."""
    return _read_packs()[0]


def broken_packs() -> dict[str, BrokenPack]:
    """The user's packs that cannot be used, by tag: they stop only who asks for them."""
    return _read_packs()[1]


def file_of(tag: str) -> str:
    """The user's own file for a language; empty where there is none."""
    return _read_packs()[2].get(tag, "")


@lru_cache(maxsize=1)
def _read_packs() -> tuple[dict[str, Pack], dict[str, BrokenPack], dict[str, str]]:
    packs, broken, files = {}, {}, {}
    own = _files(user_folder())
    for entry in (*_files(resources.files("langcrawl.languages") / "packs"), *own):
        table: dict[str, Any] = {}
        try:
            table |= tomllib.loads(entry.read_text(encoding="utf-8"))
            pack = Pack(**table)
            packs[pack.tag] = pack
            if entry in own:
                files[pack.tag] = str(entry)
        except (ValidationError, ValueError, TypeError, OSError, RecursionError) as error:
            tag = str(parse_tag(str(table.get("tag", ""))))
            tag = tag if tag != UNKNOWN else str(parse_tag(entry.name.removesuffix(".toml")))
            why = f"the language pack '{entry}' cannot be used: {_problem(error)}; fix the file."
            broken[tag if tag != UNKNOWN else entry.name] = BrokenPack(tag, why)
    return dict(sorted(packs.items())), dict(sorted(broken.items())), files


def _files(folder: Traversable) -> list[Traversable]:
    """The packs in a folder; one that cannot be looked into holds none."""
    try:
        found = [entry for entry in folder.iterdir() if entry.name.endswith(".toml")]
    except OSError:
        return []
    return sorted(found, key=lambda entry: entry.name)


def _problem(error: Exception) -> str:
    """What is wrong with a pack, in words, the key first."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        says = first["msg"].removeprefix("Value error, ")
        return f"{'.'.join(map(str, first['loc']))}: {says[:1].lower()}{says[1:]}"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"it is not valid TOML ({' '.join(str(error).split())})"


@lru_cache(maxsize=1)
def known_languages() -> dict[str, Pack]:
    """Every language that can be asked for, by tag: those with a file of their own first."""
    packs = dict(packs_with_files())
    names = language_names()
    for name, code in pycld2.LANGUAGES:
        tag = str(parse_tag(code))
        if tag != UNKNOWN and not name.startswith("X_") and name in pycld2.DETECTED_LANGUAGES:
            called = names.get(tag, (name.replace("_", " ").title(),))[0]
            packs.setdefault(tag, Pack(tag=tag, name=called))
    known = {parse_tag(tag).primary for tag in packs}
    for profile in all_profiles():
        tag = parse_tag(profile.tag).primary
        if tag not in known:
            called = names.get(tag, (profile.name,))[0]
            packs.setdefault(tag, Pack(tag=tag, name=called, judge=("ngram", "charset")))
    return packs


@lru_cache(maxsize=2)
def charset_languages(detected: bool = False) -> dict[str, tuple[str, ...]]:
    """The languages of each charset, by `charset_name`; a pack's own are its language's alone.

    Where a charset is only what the bytes look like, it tells less: see `charset_users`.
    """
    from langcrawl.languages.charset_users import DETECTED, USERS  # it looks up many codecs

    users = dict(DETECTED if detected else USERS)
    for pack in packs_with_files().values():
        users |= {charset_name(label): (pack.tag,) for label in pack.charsets}
    return users
