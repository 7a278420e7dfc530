"""Language tags, and when a page is in the language that was asked for."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import langcodes
from langcodes.tag_parser import LanguageTagError

from langcrawl.records import UNKNOWN


class Tag(NamedTuple):
    """A language and, where it is named, its script."""

    primary: str
    script: str = ""

    def __str__(self) -> str:
        return f"{self.primary}-{self.script}" if self.script else self.primary

    def matches(self, language: str, script: str = "") -> bool:
        """Whether a page is in this language: by primary subtag, and by script if I name one."""
        page = parse_tag(language)
        if page.primary != self.primary or self.primary == UNKNOWN:
            return False
        return not self.script or (page.script or script) == self.script


@lru_cache(maxsize=4096)
def parse_tag(text: str) -> Tag:
    """A tag in its standard form: ``tha`` is ``th``, ``khk-cyrl`` is ``mn-Cyrl``.

    What is no tag at all is ``und``: whoever asks a user for a language checks it first.
    """
    try:
        name = langcodes.standardize_tag(text.strip() or UNKNOWN, macro=True)
        standard = langcodes.Language.get(name)
    except (LanguageTagError, ValueError):
        return Tag(UNKNOWN)
    primary = standard.language or UNKNOWN
    return Tag(primary, standard.script or "") if primary.isalpha() else Tag(UNKNOWN)
