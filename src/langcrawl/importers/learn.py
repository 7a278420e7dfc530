"""A language pack from sample texts, for a language that nobody supports.

The texts are parted in five, whole documents apart where there are enough. Each part in turn is
judged by a profile made of the others: so the threshold is chosen, and precision and recall are
estimated, on text that the profile has not seen. The pack itself is made of all the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from langcodes import tag_is_valid

from langcrawl.errors import BadInput, UnknownName, UsageError
from langcrawl.importers.samples import PARTS, Samples, read_samples
from langcrawl.judge.learned import LearnedJudge, Nearness, cut
from langcrawl.languages import Pack, Tag, find_tag, known_languages, parse_tag
from langcrawl.languages.ngrams import count_ngrams, rank
from langcrawl.languages.profiles import RANKS, table
from langcrawl.languages.scripts import script_shares
from langcrawl.languages.word_lists import make_lists
from langcrawl.parallel import Progress, silent
from langcrawl.records import UNKNOWN
from langcrawl.virtualweb.phrases import PHRASES

_LEAST = 4_000
"""Characters without which nothing can be learned; 20,000 are better."""
_TRIED = 60
"""Pieces of each part that are tried, of the language and of each that it is learned against."""
_NEIGHBOURS = 5
_OTHER_DOCUMENTS = 0.55
"""How near the least near texts of other documents are, as a share of those of the same document:
measured with one document of each of 16 languages, 0.5 to 0.75 (docs/languages.md)."""
_LOST = 50
"""One in so many pieces of the language may fall below the threshold."""
_SURE = 1.645
"""Standard deviations that make 95 times in a hundred, on one side."""
_SPELLINGS_OF_HAN = {"Hans", "Hant", "Jpan", "Kore"}


class Estimate(NamedTuple):
    """How well a pack does on texts that it has not seen, if they are like the samples."""

    held_back: int
    """Pieces of the language on which recall was measured."""
    others: int
    """Pieces in other languages of the same script on which precision was measured."""
    recall: float
    recall_least: float
    """What recall is at least, 95 times in a hundred."""
    precision: float | None
    """Among as many pieces in the others; None where no text in a near language was tried."""
    precision_least: float | None
    mistaken: Mapping[str, int]
    """For which languages the pieces were taken that were not found."""


class Learned(NamedTuple):
    """A pack, what it was made of, and how good it is."""

    pack: Pack
    characters: int
    documents: int
    left_out: int
    """Files that are no text in the language's script."""
    estimate: Estimate


class _Trials(NamedTuple):
    """How near pieces are to profiles that have not seen them."""

    own: list[list[Nearness]]
    """Of the language, by part."""
    others: list[Nearness]
    near_language: bool
    """Whether a language that is easily mistaken is among the others."""


def learn(
    tag: str,
    samples: Sequence[Path],
    against: Mapping[str, Sequence[Path]] | None = None,
    name: str = "",
    progress: Progress = silent,
) -> Learned:
    """Make a pack for a language of texts in it, and of texts in others by their names."""
    target = _target(tag)
    against = against or {}
    total = len(samples) + sum(map(len, against.values()))
    own = read_samples(samples, "", _after(progress, 0, total))
    _check(target, own)
    rivals, before = {}, len(samples)
    for key, files in against.items():
        rivals[key] = read_samples(files, own.script, _after(progress, before, total))
        before += len(files)
    return _made(target, own, rivals, name)


def _target(tag: str) -> Tag:
    """The language of a new pack: one that is known by its name, or any that has a code."""
    try:
        return find_tag(tag)
    except UnknownName:
        if tag_is_valid(tag) and (target := parse_tag(tag)).primary != UNKNOWN:
            return target
    raise UsageError(
        f"'{tag}' is not a language tag; give a BCP-47 or ISO 639-3 code, such as 'shn'."
    )


def _after(progress: Progress, before: int, total: int) -> Progress:
    """A progress that begins after files that were read before, of so many in all."""

    def tell(done: int, share: float | None = None, words: str = "", job: int = 0, /) -> None:
        progress(before + done, (before + done) / total, words, job)

    return tell


def _check(target: Tag, own: Samples) -> None:
    """Refuse texts of which no language can be learned, or not this one."""
    if own.characters < _LEAST or len(own.pieces) < 2 * PARTS:
        left_out = f" ({own.left_out:,} files are no text)" if own.left_out else ""
        raise BadInput(
            f"{own.characters:,} characters are too few to learn a language from{left_out}; "
            f"give at least {_LEAST:,}, better 20,000."
        )
    if not own.script:
        raise BadInput("the samples have no letters of a known script; give texts in the language.")
    if target.script not in ("", own.script, *_SPELLINGS_OF_HAN):
        raise BadInput(
            f"'{target}' asks for {target.script} script, but the samples are in "
            f"{own.script}; change the tag or the samples."
        )


def _made(target: Tag, own: Samples, rivals: Mapping[str, Samples], name: str) -> Learned:
    judge = _judge(target, own, rivals)
    neighbours = _neighbours(judge)
    trials = _try(judge, own, rivals, neighbours)
    ease = 1.0 if own.of_many_documents else _OTHER_DOCUMENTS
    threshold = round(ease * _low(trials.own), 4)
    known = known_languages().get(str(target), Pack(tag=str(target), name=str(target)))
    pack = known.model_copy(update={
        "name": name or known.name, "scripts": (own.script,), "judge": ("learned",),
        "profile": " ".join(judge.ngrams), "threshold": threshold, "neighbours": neighbours,
        "rivals": {key: " ".join(ngrams) for key, ngrams in judge.rivals.items()},
        "words": _words(str(target), own, rivals),
    })  # fmt: skip
    estimate = _estimate(trials, threshold)
    return Learned(pack, own.characters, own.documents, own.left_out, estimate)


def _words(tag: str, own: Samples, rivals: Mapping[str, Samples]) -> dict[str, str]:
    """The words that tell the language from those that it is learned against, and the reverse."""
    if not rivals:
        return {}
    lists = make_lists({tag: own.pieces} | {key: each.pieces for key, each in rivals.items()})
    return {key: " ".join(some) for key, some in lists.items()}


def _judge(
    target: Tag, own: Samples, rivals: Mapping[str, Samples], without: int | None = None
) -> LearnedJudge:
    """A judge without a threshold, made of all the text or of all parts but one.

    Texts in other languages that are too few to learn from make no profile.
    """
    known = {key: _profile(each, without) for key, each in rivals.items()
             if each.characters >= _LEAST}  # fmt: skip
    return LearnedJudge(target, own.script, _profile(own, without), 0.0, known)


def _profile(samples: Samples, without: int | None) -> tuple[str, ...]:
    parts = (part for number, part in enumerate(samples.parts) if number != without)
    return tuple(rank(count_ngrams("\n".join(piece for part in parts for piece in part)), RANKS))


def _try(
    whole: LearnedJudge, own: Samples, rivals: Mapping[str, Samples], neighbours: Sequence[str]
) -> _Trials:
    """Compare each part with what the others make, and the texts that langcrawl carries."""
    mine, others = [], []
    for part in range(PARTS):
        judge = _judge(whole.target, own, rivals, without=part)
        mine.append([judge.compare(piece) for piece in _some(own.parts[part])])
        others += [judge.compare(piece) for each in rivals.values()
                   for piece in _some(each.parts[part])]  # fmt: skip
    carried = _carried(whole.target.primary, whole.script)
    others += [whole.compare(piece) for pieces in carried.values() for piece in pieces]
    return _Trials(mine, others, bool(rivals) or not carried.keys().isdisjoint(neighbours))


def _some(pieces: Sequence[str]) -> Sequence[str]:
    return pieces[:: -(-len(pieces) // _TRIED) or 1]


def _low(tried: Sequence[Sequence[Nearness]]) -> float:
    """The nearness that all but a few pieces of the language have."""
    near = sorted(each.own for part in tried for each in part)
    return near[len(near) // _LOST]


def _estimate(trials: _Trials, threshold: float) -> Estimate:
    """Recall by the threshold that the other parts give; precision by the one that was chosen."""
    tried = [each for part in trials.own for each in part]
    right = 0
    for number, part in enumerate(trials.own):
        low = _low([each for at, each in enumerate(trials.own) if at != number])
        right += sum(each.own >= max(each.rivals, low) for each in part)
    wrong = sum(each.own >= max(each.rivals, threshold) for each in trials.others)
    count = len(trials.others)
    recall, least = right / len(tried), _at_least(right, len(tried))
    known = bool(count) and trials.near_language
    return Estimate(
        len(tried), count, recall, least,
        _precision(recall, wrong / count) if known else None,
        _precision(least, 1 - _at_least(count - wrong, count)) if known else None,
        Counter(each.rival for each in tried if each.own < each.rivals),
    )  # fmt: skip


def _precision(recall: float, mistaken: float) -> float:
    """Of pages that are taken for the language, where as many are in the others."""
    return recall / (recall + mistaken) if recall else 0.0


def _at_least(right: int, tried: int) -> float:
    """The lower end of the interval of Wilson: the share that the true one is hardly below."""
    share, square = right / tried, _SURE**2
    middle = share + square / (2 * tried)
    spread = _SURE * sqrt(share * (1 - share) / tried + square / (4 * tried**2))
    return max(0.0, (middle - spread) / (1 + square / tried))


def _neighbours(judge: LearnedJudge) -> tuple[str, ...]:
    """The languages that are most easily taken for this one."""
    others = table(judge.script)
    if others is None:
        return ()
    far = others.distances(list(judge.ngrams))
    ranked = sorted(zip(far.tolist(), (each.language for each in others.profiles), strict=True))
    own = judge.target.primary
    return tuple([tag for _, tag in ranked if parse_tag(tag).primary != own][:_NEIGHBOURS])


def _carried(own: str, script: str) -> dict[str, list[str]]:
    """Sentences in other languages of a script that come with langcrawl, by language."""
    found = {tag: cut(" ".join(text)) for tag, text in PHRASES.items()
             if parse_tag(tag).primary != own}  # fmt: skip
    return {tag: pieces for tag, pieces in found.items() if script in script_shares(pieces[0])}
