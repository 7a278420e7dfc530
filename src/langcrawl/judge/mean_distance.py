"""The judge of paper 001, section 2: the mean n-gram distance of a text to one language.

Formula 2 makes the distance small where a text is like the model, yet section 4 of the paper
calls a page Mongolian whose distance is *greater* than a threshold. The formula is taken at
its word: reported is the similarity 1 - distance / MAX, from 0 to 1, and higher is nearer.
The paper leaves MAX open; it is the length of the model, the largest distance there can be.

Algorithm 1 slides its window over sentences (``over=sentences``): a window may reach from one word
into the next. By default it stays within a word, which tells languages apart nearly as well and
which the profiles have for every n (docs/judges.md has the figures).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from langcrawl.errors import BadInput, BadValue
from langcrawl.languages import Tag, ngrams
from langcrawl.languages.ngrams import count_windows, sentences, words
from langcrawl.languages.profiles import windows
from langcrawl.languages.scripts import script_shares
from langcrawl.records import Content, Verdict
from langcrawl.script import detect, roughly_unicode

_SAMPLE = 20_000
_SHORTEST = 12
"""Fewer letters than this say nothing."""
_SIZES = (2, 3, 4)
_OVER = {"words": words, "sentences": sentences}
"""What a window slides over."""


def train(texts: Iterable[str], n: int, over: str = "words") -> tuple[str, ...]:
    """Algorithm 1: the n-grams of sample texts, the most frequent first.

    The paper's ``split`` is a split into sentences: ``over="sentences"``.
    """
    return tuple(piece for piece, _ in count_windows(texts, n, _OVER[over]).most_common())


def mean_distance_to(model: Sequence[str], text: str, n: int, over: str = "words") -> float:
    """Algorithm 2 and formulas 1 and 2; MAX, the length of the model, for a text without n-grams.

    Positions further apart than MAX, in a text with more n-grams than the model, count MAX.
    """
    places = {piece: at for at, piece in enumerate(model)}
    return ngrams.mean_distance(places, text, n, _OVER[over])


@dataclass(frozen=True, slots=True)
class MeanDistanceJudge:
    """Says how near a text is to the model of the target; of other languages it knows nothing.

    So a page below the threshold is not said to be in another language, and keeps its likeness
    as its score: that is the parent's part in the paper's formula 4, Mongolian or not.
    """

    target: Tag
    n: int
    threshold: float
    model: tuple[str, ...]
    over: str = "words"
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {piece: at for at, piece in enumerate(self.model)}
        object.__setattr__(self, "_places", places)

    def judge(self, content: Content) -> Verdict:
        text = content.text[:_SAMPLE]
        found = detect(text, content.fonts)
        text = roughly_unicode(text, found, content.fonts)
        scripts = script_shares(text)
        main = next(iter(scripts), "")
        letters = sum(map(str.isalpha, text))
        if letters < _SHORTEST:
            return Verdict(evidence=(f"only {letters} letters of text",))
        near = self.similarity(text)
        said = f"mean distance of {self.n}-grams: {near:.2f} like {self.target}"
        if near < self.threshold:
            return Verdict(script=main, score=near, evidence=(f"{said}, below {self.threshold:g}",))
        encoding = found.encoding if found.script else ""
        return Verdict(self.target.primary, main, encoding, near, True, (said,))

    def similarity(self, text: str) -> float:
        """1 - mean distance / MAX."""
        far = ngrams.mean_distance(self._places, text, self.n, _OVER[self.over])
        return 1 - far / len(self.model)


def mean_distance(
    target: Tag, n: int = 2, threshold: float = 0.45, over: str = "words", model: str = ""
) -> MeanDistanceJudge:
    """Mean n-gram distance to the target alone (n is 2, 3 or 4), as a similarity from 0 to 1."""
    if n not in _SIZES:
        raise BadValue(f"mean-distance's n must be 2, 3 or 4, not {n}.")
    if not 0 < threshold < 1:
        raise BadValue(f"mean-distance's threshold must be above 0 and below 1, not {threshold:g}.")
    if over not in _OVER:
        raise BadValue(f"mean-distance's over must be words or sentences, not '{over}'.")
    across = over == "sentences"
    if across and n > 2 and not model:
        raise BadValue(
            "mean-distance has profiles of windows over sentences for n=2 only; "
            "give it a model=FILE, which langcrawl.judge.mean_distance.train makes."
        )
    pieces = read_model(Path(model), n) if model else windows(str(target), n, across)
    if not across and any(" " in piece for piece in pieces):
        raise BadInput(f"{model} was trained over sentences; add over=sentences.")
    if not pieces:
        raise BadInput(
            f"there is no n-gram profile of {target}; "
            "give mean-distance a model=FILE, with one n-gram per line, the most frequent first."
        )
    return MeanDistanceJudge(target, n, threshold, pieces, over)


def write_model(path: Path, model: Sequence[str]) -> None:
    """Keep what `train` has learnt: one n-gram a line, the most frequent first."""
    path.write_text("".join(f"{piece}\n" for piece in model), encoding="utf-8")


def read_model(path: Path, n: int) -> tuple[str, ...]:
    """A model that `write_model` has kept."""
    try:
        pieces = tuple(filter(None, path.read_text(encoding="utf-8").splitlines()))
    except (OSError, UnicodeError):
        raise BadInput(f"{path} cannot be read; it should hold one n-gram per line.") from None
    if not pieces or any(len(piece) != n for piece in pieces):
        raise BadInput(f"{path} should hold one n-gram of {n} letters per line.")
    return pieces
