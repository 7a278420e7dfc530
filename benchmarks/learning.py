"""Learning: what `langcrawl learn` promises, and what its packs reach on other documents."""

from __future__ import annotations

import tempfile
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from langcrawl.importers.learn import Learned, learn
from langcrawl.judge import make_judge
from langcrawl.judge.learned import PIECE, cut
from langcrawl.languages import parse_tag
from langcrawl.languages.build_profiles import read
from langcrawl.languages.scripts import script_shares
from langcrawl.records import Content

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_OWN, _EACH = 150, 25
"""Pages of the language, and of each other language in the same script, that are judged."""


class Case(NamedTuple):
    """A language: its Declaration, the languages it is learned against, and what is tried."""

    tag: str
    declaration: str
    kind: str
    against: tuple[str, ...] = ()
    train: str = "declaration"
    """`declaration`, `sentences` (every other one), `little` (4,500 characters)."""
    test: str = "sentences"
    """`sentences`, `decomposed` (the same in NFD), `rest` (the end of the Declaration)."""


CASES = (
    Case("nn", "nno", "Latin, close relatives"),
    Case("nn", "nno", "the same, learned against them", ("nob", "dan", "swe")),
    Case("nn", "nno", "the same, of many documents", train="sentences"),
    Case("nn", "nno", "many documents, against many", ("nb", "da", "sv"), train="sentences"),
    Case("zu", "zul", "Latin, close relatives"),
    Case("zu", "zul", "the same, learned against it", ("xho",)),
    Case("af", "afr", "Latin, one close relative"),
    Case("be", "bel", "Cyrillic, relatives"),
    Case("mk", "mkd", "Cyrillic, relatives"),
    Case("kk", "kaz", "Cyrillic, Turkic"),
    Case("ur", "urd", "Arabic letters"),
    Case("fa", "pes_1", "Arabic letters"),
    Case("mr", "mar", "Indic, one relative"),
    Case("bn", "ben", "Indic"),
    Case("vi", "vie", "diacritics, tried in NFC"),
    Case("vi", "vie", "diacritics, tried in NFD", test="decomposed"),
    Case("yo", "yor", "diacritics, often left out"),
    Case("mi", "mri", "few letters"),
    Case("eu", "eus", "4,000 characters only", train="little"),
    Case("am", "amh", "Ethiopic", test="rest"),
    Case("ti", "tir", "Ethiopic", test="rest"),
    Case("chr", "chr_cased", "syllabic", test="rest"),
    Case("csw", "csw", "syllabic (Cree)", test="rest"),
    Case("ojb", "ojb", "syllabic (Ojibwe)", test="rest"),
)


def run() -> None:
    """what a learned pack promises, and what it reaches on texts of other documents"""
    if not DATA.is_dir():
        print("this needs the data folder ../shared/data, which is not part of the project")
        return
    print("| language | kind | learned from | recall promised (at least) | reached "
          "| precision promised (at least) | reached | taken for it |")  # fmt: skip
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    sentences = {path.stem: cut("\n".join(_lines(path.stem)[1::2]))
                 for path in sorted((DATA / "sentences").glob("*.txt"))}  # fmt: skip
    for case in CASES:
        print(_row(case, sentences), flush=True)


def _row(case: Case, sentences: dict[str, list[str]]) -> str:
    texts, own = _texts(case)
    made = _learned(case, texts)
    judge, said = make_judge(made.pack), made.estimate
    found = sum(judge.judge(Content(text)).relevant for text in own)
    others = _others(case, made.pack.scripts[0], sentences)
    wrong = Counter(tag for tag, text in others if judge.judge(Content(text)).relevant)
    recall, mistaken = found / len(own), wrong.total() / max(1, len(others))
    reached = f"{recall / (recall + mistaken):.3f} of {len(others)}" if others and found else "-"
    promised = (
        "not known" if said.precision is None
        else f"{said.precision:.3f} ({said.precision_least:.3f})"
    )  # fmt: skip
    tried = Counter(tag for tag, _ in others)
    taken = ", ".join(f"{tag} {number} of {tried[tag]}" for tag, number in wrong.most_common(3))
    mark = " *" if case.test == "rest" else ""
    return (
        f"| `{case.tag}`{mark} | {case.kind} | {made.characters:,} characters, "
        f"{made.documents} document{'s' if made.documents > 1 else ''} "
        f"| {said.recall:.3f} ({said.recall_least:.3f}) "
        f"| {recall:.3f} of {len(own)} | {promised} | {reached} | {taken or '-'} |"
    )


def _texts(case: Case) -> tuple[list[str], list[str]]:
    """The documents to learn from, and pages to try it on."""
    declaration = _declaration(case.declaration)
    if case.test == "rest":
        end = len(declaration) * 4 // 5
        return [declaration[:end]], cut(declaration[end:])
    lines = _lines(case.tag)
    if case.train == "sentences":
        return lines[::2], cut("\n".join(lines[1::2]))[:_OWN]
    pages = cut("\n".join(lines))
    pages = pages[:: max(1, len(pages) // _OWN)]
    if case.test == "decomposed":
        pages = [unicodedata.normalize("NFD", page) for page in pages]
    return [declaration[: 4_500 if case.train == "little" else None]], pages


def _learned(case: Case, texts: Sequence[str]) -> Learned:
    with tempfile.TemporaryDirectory() as folder:
        files = _written(Path(folder), "own", texts)
        against = {
            tag: _written(
                Path(folder), tag,
                _lines(tag)[::2] if case.train == "sentences" else [_declaration(tag)],
            )
            for tag in case.against
        }  # fmt: skip
        return learn(case.tag, files, against)


def _written(folder: Path, name: str, texts: Sequence[str]) -> list[Path]:
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{name}{number}.txt")
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def _others(case: Case, script: str, sentences: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Pages in the other languages of the script; where there are no sentences, Declarations.

    The profiles of those languages were made of their Declarations, so these are easily refused.
    """
    own = parse_tag(case.tag).primary
    found = sentences
    if case.test == "rest":
        paths = sorted((DATA / "udhr").glob("udhr_*.xml"))
        texts = [read(path) for path in paths]
        found = {str(each.tag): cut(each.text) for each in texts if each.script == script}
    return [
        (tag, text)
        for tag, texts in found.items()
        if parse_tag(tag).primary != own
        for text in texts[:_EACH]
        if len(text) >= PIECE // 2 and next(iter(script_shares(text)), "") == script
    ]


def _declaration(name: str) -> str:
    return read(DATA / "udhr" / f"udhr_{name}.xml").text


def _lines(tag: str) -> list[str]:
    return (DATA / "sentences" / f"{tag}.txt").read_text("utf-8").splitlines()
