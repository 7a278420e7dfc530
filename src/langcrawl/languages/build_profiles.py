"""Compute the n-gram profiles from the Universal Declaration of Human Rights.

``python -m langcrawl.languages.build_profiles UDHR_DIR [OUT_DIR [TAG=WORDS ...]]``, where
UDHR_DIR holds the XML files of github.com/eric-muller/udhr, and WORDS more words of a language
whose declaration is short, one a line, in any encoding that `langcrawl.script` reads. Of these
every fifth is left out, for tests. Only ranks are kept, never the text. Files of one language
and script are read as one text; files in different scripts are kept apart.
"""

from __future__ import annotations

import lzma
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from langcrawl.languages.ngrams import count_ngrams, rank
from langcrawl.languages.profiles import FOLDER, RANKS, Profile
from langcrawl.languages.scripts import script_shares
from langcrawl.languages.tags import Tag, parse_tag
from langcrawl.records import UNKNOWN
from langcrawl.script import convert

_SPACE = "{http://efele.net/udhr}"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_SAME_LETTERS = {"Hani"}
"""Scripts in which one language has several spellings, told apart by the tag's own script."""


_MISTAKEN = {"udhr_032.xml"}
"""Files in another language than they say: this one, South Azerbaijani, is Turkish."""


class Declaration(NamedTuple):
    """One file: what it calls itself, and its text."""

    tag: Tag
    script: str
    name: str
    text: str


def read(path: Path) -> Declaration:
    """The titles and paragraphs of a file, without the notes of its editors."""
    root = ElementTree.parse(path).getroot()
    for note in root.findall(f"{_SPACE}note"):
        root.remove(note)
    parts = [node.text or "" for node in root.iter() if node.tag in (f"{_SPACE}para",
             f"{_SPACE}title")]  # fmt: skip
    text = "\n".join(parts)
    script = next(iter(script_shares(text)), "")
    return Declaration(parse_tag(root.get(_LANG, "")), script, root.get("n", ""), text)


def group(files: Iterable[Declaration]) -> dict[Profile, str]:
    """The texts by language and script; the tag names the script where a language has several."""
    kept = [each for each in files if each.tag.primary != UNKNOWN and each.script]
    texts: dict[tuple[str, str], list[Declaration]] = defaultdict(list)
    for each in kept:
        primary, script = each.tag.primary, each.script
        several = any(x.tag.primary == primary and x.script != script for x in kept)
        if script in _SAME_LETTERS and each.tag.script not in ("", script):
            several, script = True, each.tag.script
        tag = Tag(primary, script if several else "")
        texts[str(parse_tag(str(tag))), each.script].append(each)
    return {
        Profile(tag, script, min((_plain(each.name) for each in found), key=len)): "\n".join(
            each.text for each in found
        )
        for (tag, script), found in texts.items()
    }


def _plain(name: str) -> str:
    """The name of a language without the edition in brackets."""
    return name.split(" (", 1)[0]


def training_words(path: Path) -> list[str]:
    """The words of a list in Unicode, but for every fifth."""
    words = path.read_text(encoding="utf-8").split()
    return [convert(word)[1].text for at, word in enumerate(words) if at % 5]


def build(
    source: Path,
    target: Path,
    more: Mapping[str, Path] | None = None,
    preset: int = 9 | lzma.PRESET_EXTREME,
) -> int:
    """Write the profiles of all the files in a folder; returns how many there are."""
    paths = sorted(path for path in source.glob("udhr_*.xml") if path.name not in _MISTAKEN)
    texts = group(map(read, paths))
    for profile in texts:
        if more and profile.tag in more:
            texts[profile] = " ".join([texts[profile], *training_words(more[profile.tag])])
    target.mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[str]] = defaultdict(list)
    for profile in sorted(texts):
        ranked = rank(count_ngrams(texts[profile]), RANKS)
        lines[profile.script].append(f"{profile.tag}\t{' '.join(ranked)}\n")
    for script, rows in lines.items():
        packed = lzma.compress("".join(rows).encode(), preset=preset)
        (target / f"{script}.txt.xz").write_bytes(packed)
    index = "".join("\t".join(profile) + "\n" for profile in sorted(texts))
    (target / "index.tsv").write_text(index, encoding="utf-8")
    return len(texts)


def main(words: list[str]) -> None:
    """Read the folder that is named; without a second one, write into the package."""
    if not words or not Path(words[0]).is_dir() or not all("=" in word for word in words[2:]):
        sys.exit(f"usage: {(__doc__ or '').split('``')[1]}")
    target = Path(words[1]) if len(words) > 1 else Path(__file__).parent / FOLDER
    more = {tag: Path(path) for tag, _, path in (word.partition("=") for word in words[2:])}
    print(f"{build(Path(words[0]), target, more)} profiles in {target}")


if __name__ == "__main__":
    main(sys.argv[1:])
