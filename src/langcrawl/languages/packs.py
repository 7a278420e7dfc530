"""Language packs: what is particular to one language, read from ``packs/TAG.toml``."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources

import pycld2
from pydantic import BaseModel, ConfigDict

from langcrawl.errors import UnknownName
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
    """Charsets, in Python's names, that only this language uses."""
    judge: tuple[str, ...] = ("cld", "charset")
    """The judge chain: the first judge that knows the language is believed."""

    @property
    def target(self) -> Tag:
        return parse_tag(self.tag)


@lru_cache(maxsize=1)
def _own_packs() -> dict[str, Pack]:
    folder = resources.files("langcrawl.languages") / "packs"
    files = [entry for entry in folder.iterdir() if entry.name.endswith(".toml")]
    packs = [Pack(**tomllib.loads(entry.read_text(encoding="utf-8"))) for entry in files]
    return {pack.tag: pack for pack in sorted(packs, key=lambda pack: pack.tag)}


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


@lru_cache(maxsize=1)
def charset_languages() -> dict[str, str]:
    """The language that a charset gives away, by Python codec name."""
    return {charset: pack.tag for pack in _own_packs().values() for charset in pack.charsets}


def load_pack(language: str) -> Pack:
    """The pack for a language as a user writes it: ``th``, ``tha``, ``mn-Mong``."""
    tag, packs = parse_tag(language), known_languages()
    if str(tag) in packs:
        return packs[str(tag)]
    if tag.primary in packs:  # a script that no pack of its own speaks of
        return packs[tag.primary].model_copy(update={"tag": str(tag)})
    raise UnknownName("language", language, packs, see="langcrawl languages")
