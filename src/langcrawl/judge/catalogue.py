"""The judges by name, the chains of language packs, and judges that a user brings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from langcrawl import spec
from langcrawl.errors import BadInput, UsageError
from langcrawl.judge.charset import charset
from langcrawl.judge.charset_ngram import charset_ngram
from langcrawl.judge.cld import cld
from langcrawl.judge.code_interval import code_interval
from langcrawl.judge.combined import ChainJudge
from langcrawl.judge.fasttext_model import fasttext_model
from langcrawl.judge.learned import learned
from langcrawl.judge.mean_distance import mean_distance
from langcrawl.judge.ngram import ngram
from langcrawl.judge.own import own_judge
from langcrawl.judge.several import Part, SeveralJudge
from langcrawl.judge.syllables import syllables
from langcrawl.judge.topic import topic
from langcrawl.languages import Pack, Tag, Targets
from langcrawl.languages.packs import file_of
from langcrawl.ports import Judge

JUDGES: dict[str, Callable[..., Judge]] = {
    "charset": charset,
    "ngram": ngram,
    "charset+ngram": charset_ngram,
    "mean-distance": mean_distance,
    "code-interval": code_interval,
    "syllables": syllables,
    "cld": cld,
    "fasttext": fasttext_model,
    "learned": learned,
    "topic": topic,
}


_FOR_MANY = frozenset(
    ("charset", "ngram", "charset+ngram", "code-interval", "syllables", "cld", "fasttext")
)  # fmt: skip
"""Judges that find the language first, and only then ask whether it is the target: one of them
serves several targets at the cost of one."""


def make_judge(packs: Pack | tuple[Pack, ...], text: str = "") -> Judge:
    """The judge that a user names, or the chain of the language pack; of several, for them all."""
    packs = (packs,) if isinstance(packs, Pack) else packs
    groups: dict[_Chain, list[Pack]] = {}
    for pack in packs:
        names = (text,) if text else pack.judge
        alone = "" if all(map(_serves_many, names)) else pack.tag
        groups.setdefault(_Chain(names, alone), []).append(pack)
    made = {chain: _make_all(chain.names, group, text) for chain, group in groups.items()}
    if len(groups) > 1:
        return SeveralJudge(_shared(made, groups, text))
    (judges,) = made.values()
    return judges[0] if len(judges) == 1 else ChainJudge(judges)


class _Chain(NamedTuple):
    """The judges of some targets by name; of one target alone, where a judge is for one."""

    names: tuple[str, ...]
    alone: str


def _serves_many(text: str) -> bool:
    name, _, rest = text.partition(":")
    return name in _FOR_MANY and "words=" not in rest  # each pack has words of its own


def _shared(
    made: dict[_Chain, tuple[Judge, ...]], groups: dict[_Chain, list[Pack]], text: str
) -> tuple[tuple[Part, ...], ...]:
    """The chains, in which a judge that stands in several is one for all their targets."""
    users: dict[str, list[Pack]] = {}
    for chain, group in groups.items():
        for name in filter(_serves_many, chain.names):
            users.setdefault(name, []).extend(group)
    wide = {name: _make_all((name,), group, text)[0] for name, group in users.items()}
    return tuple(
        tuple(
            Part(wide.get(name, judge), judge, _target(groups[chain]))
            for name, judge in zip(chain.names, judges, strict=True)
        )
        for chain, judges in made.items()
    )


def _target(packs: Sequence[Pack]) -> Tag | Targets:
    tags = tuple(pack.target for pack in packs)
    return tags[0] if len(tags) == 1 else Targets(tags)


def _make_all(names: Sequence[str], packs: Sequence[Pack], given: str) -> tuple[Judge, ...]:
    """Judges for some packs; where a user's pack names one wrongly, its file is told."""
    try:
        return tuple(_make(name, packs) for name in names)
    except UsageError as error:
        file = "" if given else next(filter(None, (file_of(pack.tag) for pack in packs)), "")
        if not file:
            raise
        raise BadInput(f"the language pack '{file}' cannot be used: judge: {error}") from None


def _make(text: str, packs: Sequence[Pack]) -> Judge:
    if spec.is_own(text, JUDGES):
        return own_judge(text, packs[0])
    return spec.make("judge", text, JUDGES, target=_target(packs), pack=packs[0])
