"""The judges by name, the chains of language packs, and judges that a user brings."""

from __future__ import annotations

from collections.abc import Callable

from langcrawl import spec
from langcrawl.errors import BadInput, UsageError
from langcrawl.judge.charset import charset
from langcrawl.judge.charset_ngram import charset_ngram
from langcrawl.judge.cld import cld
from langcrawl.judge.code_interval import code_interval
from langcrawl.judge.combined import ChainJudge
from langcrawl.judge.learned import learned
from langcrawl.judge.mean_distance import mean_distance
from langcrawl.judge.ngram import ngram
from langcrawl.judge.own import own_judge
from langcrawl.judge.several import SeveralJudge
from langcrawl.judge.syllables import syllables
from langcrawl.languages import Pack, Targets
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
    "learned": learned,
}


_FOR_MANY = frozenset(
    ("charset", "ngram", "charset+ngram", "code-interval", "syllables", "cld")
)  # fmt: skip
"""Judges that find the language first, and only then ask whether it is the target: one of them
serves several targets at the cost of one."""


def make_judge(packs: Pack | tuple[Pack, ...], text: str = "") -> Judge:
    """The judge that a user names, or the chain of the language pack; of several, for them all."""
    if isinstance(packs, Pack):
        return _make_chain((packs,), text)
    groups: dict[tuple[str, ...], list[Pack]] = {}
    for pack in packs:
        chain = (text,) if text else pack.judge
        alone = () if all(_serves_many(name) for name in chain) else (pack.tag,)
        groups.setdefault((*chain, *alone), []).append(pack)
    judges = tuple(_make_chain(tuple(group), text) for group in groups.values())
    return judges[0] if len(judges) == 1 else SeveralJudge(judges)


def _serves_many(text: str) -> bool:
    return text.partition(":")[0] in _FOR_MANY


def _make_chain(packs: tuple[Pack, ...], text: str) -> Judge:
    """One chain for packs that have the same; what a pack gets wrong is told with its file."""
    chain = (text,) if text else packs[0].judge
    try:
        judges = tuple(_make(name, packs) for name in chain)
    except UsageError as error:
        file = "" if text else file_of(packs[0].tag)
        if not file:
            raise
        raise BadInput(f"the language pack '{file}' cannot be used: judge: {error}") from None
    return judges[0] if len(judges) == 1 else ChainJudge(judges)


def _make(text: str, packs: tuple[Pack, ...]) -> Judge:
    if spec.is_own(text, JUDGES):
        return own_judge(text, packs[0])
    target = packs[0].target if len(packs) == 1 else Targets(tuple(p.target for p in packs))
    return spec.make("judge", text, JUDGES, target=target, pack=packs[0])
