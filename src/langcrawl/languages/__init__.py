"""Languages: tags, and what the crawler knows of each language.

A language is a BCP-47 tag (`tags`); ISO 639-3 codes are accepted and turned into it. What
is particular to a language stands in a pack, one TOML file each (`packs`): its scripts, the
legacy charsets that give it away, its bridge language and its judge chain. A language
without a pack of its own gets a plain one, where a language model knows it.
"""

from langcrawl.languages.packs import Pack, known_languages, load_pack
from langcrawl.languages.tags import Tag, parse_tag

__all__ = ["Pack", "Tag", "known_languages", "load_pack", "parse_tag"]
