"""The judge of paper 004, Figures 2 and 3: the language first, then the topic, then a word."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from langcrawl.errors import BadInput, BadValue
from langcrawl.languages import Pack, Tag, parse_tag
from langcrawl.ports import Judge
from langcrawl.records import Content, Verdict
from langcrawl.topic import Terms, TopicModel, load_model


@dataclass(frozen=True, slots=True)
class TopicJudge:
    """Asks for the language, then a trained classifier, then for one of some required words."""

    language: Judge
    model: TopicModel
    words: tuple[str, ...] = ()
    least: float = 0.5
    _terms: Terms = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_terms", Terms(self.model.language, self.model.recipe))

    def judge(self, content: Content) -> Verdict:
        verdict = self.language.judge(content)
        if not verdict.relevant:
            return replace(verdict, score=0.0)
        found = self._terms.count(content)
        score = self.model.score(found)
        decisive = ", ".join(self.model.reasons(found))
        said = (*verdict.evidence, f"{self.model.topic}: {score:.2f} by {decisive or 'no word'}")
        if self.words:
            word = self._terms.has_any(content, self.words)
            if not word:
                said = (*said, f"none of the required words: {', '.join(self.words)}")
                return replace(verdict, score=0.0, relevant=False, evidence=said)
            said = (*said, f"the required word '{word}'")
        return replace(verdict, score=score, relevant=score >= self.least, evidence=said)

    @property
    def stamp(self) -> str:
        """Tells the model from another that has since been put in its place."""
        return self.model.stamp


def topic(
    target: Tag, pack: Pack, model: str = "", words: str = "", least: float = 0.5
) -> TopicJudge:  # fmt: skip
    """The language, then the classifier in the file model=, then one of words=scuba|diving."""
    from langcrawl.judge.catalogue import make_judge  # it knows this judge, too

    if not model:
        raise BadValue(
            "topic needs a model=FILE, which 'langcrawl train topic FILE' makes of labelled pages."
        )
    if not 0 < least <= 1:
        raise BadValue(f"topic's least must be above 0 and at most 1, not {least:g}.")
    made = load_model(Path(model))
    if parse_tag(made.language).primary != target.primary:
        raise BadInput(
            f"the topic model '{model}' was trained on pages in '{made.language}' and cannot judge "
            f"pages in '{target}'; use --lang {made.language}, or train it on pages in '{target}'."
        )
    required = tuple(word.strip() for word in words.split("|") if word.strip())
    return TopicJudge(make_judge(pack), made, required, least)
