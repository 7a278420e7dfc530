"""The judges by name, the chain of a language pack, and judges that a user brings."""

from __future__ import annotations

from collections.abc import Callable

from langcrawl import spec
from langcrawl.judge.charset import charset
from langcrawl.judge.charset_ngram import charset_ngram
from langcrawl.judge.cld import cld
from langcrawl.judge.code_interval import code_interval
from langcrawl.judge.combined import ChainJudge
from langcrawl.judge.learned import learned
from langcrawl.judge.mean_distance import mean_distance
from langcrawl.judge.ngram import ngram
from langcrawl.judge.own import own_judge
from langcrawl.judge.syllables import syllables
from langcrawl.judge.topic import topic
from langcrawl.languages import Pack
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
    "topic": topic,
}


def make_judge(pack: Pack, text: str = "") -> Judge:
    """The judge that a user names, or the chain of the language pack."""
    chain = (text,) if text else pack.judge
    judges = tuple(_make(name, pack) for name in chain)
    return judges[0] if len(judges) == 1 else ChainJudge(judges)


def _make(text: str, pack: Pack) -> Judge:
    if spec.is_own(text, JUDGES):
        return own_judge(text, pack)
    return spec.make("judge", text, JUDGES, target=pack.target, pack=pack)
