"""Find a language by what a user calls it: a code, a name in English or its own, a country.

Codes come first: ``th``, ``tha`` and ``th-TH`` are Thai. Then names: ``Thai``, ``burmese``,
``ไทย``. Then countries: ``Laos`` is Lao; where a country writes several languages, the user is
asked which. A list, ``my,shn,mnw``, asks for several languages in one crawl.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

from langcrawl.errors import BadInput, UnknownName, UsageError
from langcrawl.languages.names import by_name, countries, language_names, name_key
from langcrawl.languages.packs import Pack, broken_packs, known_languages, packs_with_files
from langcrawl.languages.tags import Tag, parse_tag
from langcrawl.records import UNKNOWN

_CODE = re.compile(r"[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]{1,8})*")
_NEAR, _MOST = 0.75, 3
"""How alike a name must be to be suggested, and how many are."""
_SHORT = 4
"""Names of fewer letters are alike by chance."""
_TRADITIONAL = {("zh", "TW"), ("zh", "HK"), ("zh", "MO")}
"""Where a region tells the script."""


def load_pack(language: str) -> Pack:
    """The pack for a language as a user writes it: ``th``, ``tha``, ``Thai``, ``mn-Mong``."""
    return _pack(find_tag(language))


def load_packs(languages: str | Iterable[str]) -> tuple[Pack, ...]:
    """The packs for one language or several, each once: ``my,shn,mnw``, or a list of such."""
    given = [languages] if isinstance(languages, str) else list(languages)
    tags = dict.fromkeys(tag for text in given for tag in _find_all(text))
    if not tags:
        raise UsageError("no language is named; 'langcrawl languages' lists them.")
    return tuple(map(_pack, tags))


def find_targets(languages: str | Iterable[str]) -> str:
    """The tags of the languages that a user asks for, parted by commas: what crawl.toml keeps."""
    return ",".join(pack.tag for pack in load_packs(languages))


def bridges_of(packs: Iterable[Pack]) -> str:
    """The bridge languages of some packs, parted by commas."""
    return ",".join(dict.fromkeys(pack.bridge for pack in packs))


def find_tag(text: str) -> Tag:
    """The language that a user means."""
    tags = _meanings(text.strip())
    if len(tags) == 1:
        return parse_tag(tags[0])
    if tags:
        raise _unclear(text, tags)
    raise UnknownName("language", text, (), see="langcrawl languages", hint=_suggestion(text))


def tag_or_unknown(text: str) -> Tag:
    """The language that a word in a user's data means, whether there is a pack for it or not."""
    tags = _meanings(text.strip())
    return parse_tag(tags[0] if len(tags) == 1 else text)


def _meanings(text: str) -> list[str]:
    """The tags of the languages that a text may mean."""
    from langcodes import tag_is_valid

    tag = _by_code(text)
    known = tag is not None and _is_known(tag)
    if known and not _is_name_too(text, str(tag)):
        return [str(tag)]
    if tag and not known and text.islower() and tag_is_valid(text):
        return []  # the code of a language that has no pack is not the name of another
    key = name_key(text)
    named = next((names[key] for names in _indexes() if key in names), [])
    return [str(tag), *named] if known else named


def _find_all(text: str) -> list[Tag]:
    """The languages of a list; a name such as ``Malay, Ambonese`` has a comma of its own."""
    if "," in text and any(name_key(text) in names for names in _indexes()):
        return [find_tag(text)]
    return [find_tag(part) for part in text.split(",") if part.strip()]


def _by_code(text: str) -> Tag | None:
    """The tag that a code stands for; None for what cannot be a code."""
    if not _CODE.fullmatch(text):
        return None
    tag = parse_tag(text)
    if tag.primary == UNKNOWN:
        return None
    if not tag.script and len(text) > 3:
        import langcodes

        region = langcodes.Language.get(text.replace("_", "-")).territory or ""
        if (tag.primary, region) in _TRADITIONAL:
            return Tag(tag.primary, "Hant")
    return tag


def _is_known(tag: Tag) -> bool:
    packs = known_languages()
    return str(tag) in packs or tag.primary in packs or str(tag) in broken_packs()


def _is_name_too(text: str, tag: str) -> bool:
    """Whether a code with a capital, ``Mon``, is the name of another language than its own."""
    names = _indexes()[0].get(name_key(text), [tag]) if text.istitle() else [tag]
    return tag not in names


@lru_cache(maxsize=1)
def _indexes() -> tuple[dict[str, list[str]], ...]:
    """Tags by name: of languages as people call them, as profiles call them, and of countries."""
    known = known_languages()
    common = [(name, tag) for tag, names in language_names().items() for name in names]
    common += [(pack.name, tag) for tag, pack in packs_with_files().items()]
    rest = []
    for tag, pack in known.items():
        rest += [(pack.name, tag), (" ".join(reversed(pack.name.split(", "))), tag)]
    places = [(name, tag) for land in countries() for name in land.names for tag in land.tags]
    return by_name(common), by_name(rest), by_name(places)


def _pack(tag: Tag) -> Pack:
    broken = broken_packs().get(str(tag))
    if broken:
        raise BadInput(broken.error)
    packs = known_languages()
    if str(tag) in packs:
        return packs[str(tag)]
    if tag.primary in packs:  # a script that no pack of its own speaks of
        return packs[tag.primary].model_copy(update={"tag": str(tag)})
    raise UnknownName("language", str(tag), (), see="langcrawl languages")


def _unclear(text: str, tags: list[str]) -> UsageError:
    choices = ", ".join(map(_called, tags))
    return UsageError(
        f"'{text}' may mean several languages: {choices}; name the one you mean, or several as "
        f"{','.join(tags[:2])}."
    )


def _called(tag: str) -> str:
    return f"{tag} ({known_languages()[tag].name})" if tag in known_languages() else tag


def _suggestion(text: str) -> str:
    """The languages whose names are most like a text, or those of a country's code."""
    found: list[str] = []
    if len(text) == 2:
        found = [tag for land in countries() if land.code == text.upper() for tag in land.tags]
    elif len(name_key(text)) >= _SHORT:
        names = {key: tags for index in reversed(_indexes()) for key, tags in index.items()}
        for near in get_close_matches(name_key(text), names, n=_MOST, cutoff=_NEAR):
            found += names[near]
    choices = [_called(tag) for tag in dict.fromkeys(found)][:_MOST]
    return f"did you mean {' or '.join(choices)}?" if choices else ""
