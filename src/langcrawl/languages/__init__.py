"""Languages: tags, names, and what the crawler knows of each language.

A language is a BCP-47 tag (`tags`); ISO 639-3 codes are accepted and turned into it. Users may
say it as they like: by code, by name, by country, or several at once (`find`, `names`). What
is particular to a language stands in a pack, one TOML file each (`packs`): its scripts, the
legacy charsets that give it away, its bridge language and its judge chain. A language
without a pack of its own gets a plain one, where a language model knows it.
"""

from langcrawl.languages.find import bridges_of, find_tag, find_targets, load_pack, load_packs
from langcrawl.languages.packs import Pack, known_languages
from langcrawl.languages.tags import Tag, Target, Targets, parse_tag, parse_targets

__all__ = [
    "Pack",
    "Tag",
    "Target",
    "Targets",
    "bridges_of",
    "find_tag",
    "find_targets",
    "known_languages",
    "load_pack",
    "load_packs",
    "parse_tag",
    "parse_targets",
]
