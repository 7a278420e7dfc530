"""Language tags, and when a page is in the language that was asked for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, Protocol

from langcrawl.records import UNKNOWN


class Target(Protocol):
    """What a crawl collects: one language (`Tag`), or several (`Targets`)."""

    def matches(self, language: str, script: str = "") -> bool:
        """Whether a page is in the target."""


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
    import langcodes  # its tables take longer to load than many a command needs
    from langcodes.tag_parser import LanguageTagError

    try:
        name = langcodes.standardize_tag(text.strip() or UNKNOWN, macro=True)
        standard = langcodes.Language.get(name)
    except (LanguageTagError, ValueError):
        return Tag(UNKNOWN)
    primary = standard.language or UNKNOWN
    return Tag(primary, standard.script or "") if primary.isalpha() else Tag(UNKNOWN)


class Targets(NamedTuple):
    """The languages that one crawl collects; a page is in the target if it is in any of them."""

    tags: tuple[Tag, ...]

    def __str__(self) -> str:
        return ",".join(map(str, self.tags))

    def matches(self, language: str, script: str = "") -> bool:
        """Whether a page is in one of the languages."""
        return any(tag.matches(language, script) for tag in self.tags)

    def of(self, language: str, script: str = "") -> str:
        """The target that a page is in, one that names its script first; empty for none."""
        found = [tag for tag in self.tags if tag.matches(language, script)]
        return str(max(found, key=lambda tag: bool(tag.script))) if found else ""

    def tally(self, counts: Iterable[tuple[tuple[str, str], int]]) -> dict[str, int]:
        """Relevant pages by target, of pages by (language, script).

        A user's own judge may find a page relevant that is in none of them: it counts for its
        language. Of one target all pages are, whatever a judge called them.
        """
        found = dict.fromkeys(map(str, self.tags), 0)
        for (language, script), count in counts:
            alone = str(self) if len(self.tags) == 1 else ""
            target = alone or self.of(language, script) or language
            if count:
                found[target] = found.get(target, 0) + count
        return found

    @property
    def primaries(self) -> frozenset[str]:
        """The languages without their scripts."""
        return frozenset(tag.primary for tag in self.tags)


@lru_cache(maxsize=64)
def parse_targets(text: str) -> Targets:
    """The targets as crawl.toml has them: tags, parted by commas."""
    return Targets(tuple(dict.fromkeys(map(parse_tag, text.split(",")))))
