"""A fastText language model that the user brings: GlotLID, OpenLID, NLLB, lid.176 or one's own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import fasttext

from langcrawl.errors import BadInput, BadValue
from langcrawl.judge.fasttext_file import ModelFile, read_model_file, tag_of
from langcrawl.languages import Pack, Tag, Target
from langcrawl.languages.ngrams import without_joints
from langcrawl.languages.scripts import script_shares
from langcrawl.languages.word_lists import WordLists
from langcrawl.records import UNKNOWN, Content, Verdict

_PIECE, _MOST = 400, 6
"""Characters of a piece of text that the model is given, and pieces of a page."""
_SHORTEST = 12
"""Fewer letters than this say nothing."""
_LOOKED_AT = 20_000
"""Characters of a page in which words are looked for."""
_NO_LETTERS = re.compile(r"[^\w\s]|[\d_]")
_LETTERS_ONLY = "openlid"
"""A model by this name was trained on small letters and spaces alone."""
_PREPARE = ("auto", "plain", "letters")


class _Loaded(NamedTuple):
    file: ModelFile
    model: Any
    tags: dict[str, Tag]


@lru_cache(maxsize=4)
def _load(path: str, _changed: int) -> _Loaded:
    """A model, once in a process: workers are copies of it and share its memory."""
    file = read_model_file(Path(path))
    try:
        model = fasttext.load_model(path)
    except (ValueError, RuntimeError, MemoryError) as error:
        raise BadInput(f"the model '{path}' cannot be loaded ({error}).") from None
    return _Loaded(file, model, {label: tag_of(label) for label in file.labels})


def _loaded(path: str) -> _Loaded:
    try:
        changed = Path(path).stat().st_mtime_ns
    except OSError:
        raise BadInput(f"there is no model '{path}'; check the path.") from None
    return _load(path, changed)


@dataclass(frozen=True, slots=True)
class FastTextJudge:
    """Asks the model about some pieces of a page."""

    target: Target
    model: str
    letters: bool
    """Whether the model is given small letters and spaces only."""
    share: float
    least: float
    lists: Mapping[str, WordLists] = field(default_factory=dict)
    """By language: words for a second look at pages that the model takes for it."""

    def judge(self, content: Content) -> Verdict:
        text = without_joints(content.text)
        pieces = [self._prepared(piece) for piece in _pieces(text)]
        pieces = [piece for piece in pieces if sum(map(str.isalpha, piece)) >= _SHORTEST]
        if not pieces:
            return Verdict(evidence=("too few letters of text",))
        chances: dict[Tag, float] = defaultdict(float)
        loaded = _loaded(self.model)
        for piece in pieces:
            labels, scores = loaded.model.predict(piece, k=1)
            if labels:
                tag = tag_of(labels[0])
                chances[tag] += min(1.0, float(scores[0])) / len(pieces)
        ranked = sorted(chances.items(), key=lambda item: (-item[1], str(item[0])))
        return self._verdict(ranked, text)

    def _prepared(self, piece: str) -> str:
        if self.letters:
            piece = _NO_LETTERS.sub("", piece).lower()
        return " ".join(piece.split())

    def _verdict(self, ranked: list[tuple[Tag, float]], text: str) -> Verdict:
        name = Path(self.model).name
        evidence = tuple(f"{name}: {tag} {chance:.0%}" for tag, chance in ranked[:3])
        main = next(iter(script_shares(text[:2000])), "")
        known = [(tag, chance) for tag, chance in ranked
                 if tag.primary != UNKNOWN and chance >= self.least]  # fmt: skip
        for tag, chance in known:
            script = tag.script or main
            if chance >= self.share and self.target.matches(tag.primary, script):
                lists = self.lists.get(tag.primary)
                look = lists.look(text[:_LOOKED_AT]) if lists else None
                if look:
                    said = f"{look.own} of its own words, {look.rivals} of {look.rival}"
                    evidence = (*evidence, said)
                if look and not look.agrees:
                    return Verdict(script=script, evidence=evidence)
                return Verdict(tag.primary, script, "", min(1.0, chance), True, evidence)
        if known:
            tag = known[0][0]
            return Verdict(tag.primary, tag.script or main, evidence=evidence)
        return Verdict(script=main, evidence=evidence)


def _pieces(text: str) -> list[str]:
    """Pieces from the beginning to the end of a text: each may be in another language."""
    if len(text) <= _MOST * _PIECE:
        return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    apart = (len(text) - _PIECE) // (_MOST - 1)
    return [text[at * apart : at * apart + _PIECE] for at in range(_MOST)]


def fasttext_model(
    target: Target,
    pack: Pack,
    model: str = "",
    prepare: str = "auto",
    share: float = 0.3,
    least: float = 0.2,
    words: bool = False,
    sha256: str = "",
) -> FastTextJudge:
    """The fastText model in model=FILE; relevant where share= or more speaks for the target."""
    if not model:
        raise BadValue(
            "fasttext needs a model=FILE: a fastText language model such as GlotLID's model.bin."
        )
    if prepare not in _PREPARE:
        raise BadValue(f"fasttext's prepare is auto, plain or letters, not '{prepare}'.")
    for name, value in (("share", share), ("least", least)):
        if not 0 < value <= 1:
            raise BadValue(f"fasttext's {name} must be above 0 and at most 1, not {value:g}.")
    file = _loaded(model).file
    if sha256 and file.sha256 != sha256:
        raise BadInput(
            f"the model '{model}' is not the one that this crawl began with (its SHA-256 is "
            f"{file.sha256[:12]}..., not {sha256[:12]}...); put the old one back, or give --judge."
        )
    letters = prepare == "letters" or (
        prepare == "auto" and _LETTERS_ONLY in Path(model).name.lower()
    )
    return FastTextJudge(target, model, letters, share, least, _lists(pack) if words else {})


def _lists(pack: Pack) -> dict[str, WordLists]:
    """The word lists of a learned pack."""
    if not pack.words:
        raise BadValue(
            f"the pack of {pack.tag} has no words to look for; make one with 'langcrawl learn "
            f"{pack.tag} TEXTS --against OTHERS'."
        )
    lists = {name: frozenset(some.split()) for name, some in pack.words.items()}
    own = lists.pop(pack.tag, frozenset[str]())
    return {pack.target.primary: WordLists(own, lists)}


def pinned(spec: str) -> str:
    """A judge as the user names it, with the place and the SHA-256 of its model made certain."""
    name, _, rest = spec.partition(":")
    said = dict(item.partition("=")[::2] for item in rest.split(",") if item)
    if name != "fasttext" or not said.get("model") or "sha256" in said:
        return spec
    path = str(Path(said["model"]).absolute())
    said |= {"model": path, "sha256": _loaded(path).file.sha256}
    return f"{name}:{','.join(f'{key}={value}' for key, value in said.items())}"
