"""What the answers of reviewers say of the judge.

Each page stands for as many as its stratum has, divided by those answered there. An interval is
Wilson's score interval at the size that a simple random sample of the same worth would have: the
smaller of Kish's effective size, which unequal weights leave, and of what the variance within the
strata says; a sample that is much of all pages counts for more (finite population).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import inf, sqrt
from typing import Any, NamedTuple

from langcrawl.review.answers import Answer
from langcrawl.review.sample import Sample, SampledPage

CONFIDENCE = 0.95
_Z = 1.959964
_EXAMPLES = 5


class Judged(NamedTuple):
    """A page of the sample on which the reviewers agree, or most of them."""

    page: SampledPage
    is_right: bool
    """Whether it is in the target."""
    kind: str
    """What it is otherwise; ``yes`` where it is."""


class Estimate(NamedTuple):
    """A share of pages, with its interval."""

    estimate: float
    low: float
    high: float
    pages: int
    """How many pages were looked at for it."""


def figures(sample: Sample, answers: Sequence[Answer], wanted: float = 0.95) -> dict[str, Any]:
    """All figures of a review; null where too little was answered."""
    judged, unsettled = settled(sample, answers)
    relevant = [one for one in judged if one.page.relevant]
    others = [one for one in judged if not one.page.relevant]
    called_sizes = [stratum.size if stratum.relevant else 0 for stratum in sample.strata]
    other_sizes = [0 if stratum.relevant else stratum.size for stratum in sample.strata]
    precision = estimate(called_sizes, relevant)
    missed = estimate(other_sizes, others)
    called, left = sum(called_sizes), sum(other_sizes)
    found = None
    if precision and missed:
        right = precision.estimate * called
        found = right / (right + missed.estimate * left) if right else 0.0
    return {
        "drawn_at": sample.drawn_at,
        "sampled": len(sample.pages),
        "answered": len({given.page for given in answers}),
        "settled": len(judged),
        "unsettled": unsettled,
        "reviewers": dict(Counter(given.reviewer for given in answers)),
        "confidence": CONFIDENCE,
        "relevant_pages": called,
        "other_pages": left,
        "precision": precision._asdict() if precision else None,
        "missed": missed._asdict() | {"of_pages": left} if missed else None,
        "recall": found,
        "threshold": threshold(called_sizes, relevant, wanted),
        "mistakes": mistakes(called_sizes, relevant, other_sizes, others),
        "agreement": agreement(answers),
    }


def settled(sample: Sample, answers: Sequence[Answer]) -> tuple[list[Judged], int]:
    """What most reviewers say of each page; and of how many pages they say nothing clear."""
    given: dict[int, list[str]] = defaultdict(list)
    for answer in answers:
        given[answer.page].append(answer.answer)
    judged, unsettled = [], 0
    for page in sample.pages:
        words = [word for word in given.get(page.page, ()) if word != "unsure"]
        yes, no = words.count("yes"), len(words) - words.count("yes")
        if yes == no:
            unsettled += page.page in given
            continue
        kinds = Counter(word for word in words if word != "yes")
        kind = "yes" if yes > no else kinds.most_common(1)[0][0]
        judged.append(Judged(page, yes > no, kind))
    return judged, unsettled


def estimate(sizes: Sequence[int], judged: Sequence[Judged]) -> Estimate | None:
    """The share of pages that are in the target, among strata of these sizes."""
    weights = weigh(sizes, judged)
    return _share([(weights[one.page.stratum], one) for one in judged]) if judged else None


def weigh(sizes: Sequence[int], judged: Sequence[Judged]) -> dict[int, tuple[float, int, int]]:
    """For each stratum with answers: pages that one stands for, its answers, and its size.

    A stratum without an answer counts as part of the one before it, or of the first that has some;
    one that is not asked about has the size 0.
    """
    answered = Counter(one.page.stratum for one in judged)
    size: Counter[int] = Counter()
    last, before = -1, 0
    for at, pages in enumerate(sizes):
        if answered[at]:
            last = at
            size[at] += pages + before
            before = 0
        elif last >= 0:
            size[last] += pages
        else:
            before += pages
    return {at: (size[at] / answered[at], answered[at], size[at]) for at in size}


def _share(weighed: Sequence[tuple[tuple[float, int, int], Judged]]) -> Estimate:
    """A weighted share, with its interval."""
    total = sum(weight for (weight, _, _), _ in weighed)
    share = sum(weight for (weight, _, _), one in weighed if one.is_right) / total
    kish = total**2 / sum(weight**2 for (weight, _, _), _ in weighed)
    worth = min(kish, _worth_by_strata(weighed, total, share))
    rest = 1.0 - len(weighed) / max(total, len(weighed))
    low, high = wilson(share, worth / rest if rest > 0 else inf)
    return Estimate(share, low, high, len(weighed))


def _worth_by_strata(
    weighed: Sequence[tuple[tuple[float, int, int], Judged]], total: float, share: float
) -> float:
    """The size of a simple sample with the variance that the strata show."""
    strata: dict[int, list[bool]] = defaultdict(list)
    weights: dict[int, float] = {}
    for (weight, _, _), one in weighed:
        strata[one.page.stratum].append(one.is_right)
        weights[one.page.stratum] = weight
    variance = 0.0
    for at, right in strata.items():
        count, hits = len(right), sum(right)
        part = weights[at] * count / total
        spread = (
            hits / count * (1 - hits / count) / (count - 1) if count > 1 else share * (1 - share)
        )
        variance += part**2 * spread
    return share * (1 - share) / variance if variance > 0 and 0 < share < 1 else inf


def wilson(share: float, size: float) -> tuple[float, float]:
    """Wilson's score interval of a share in a sample of this size."""
    if size == inf:
        return share, share
    square = _Z**2 / size
    middle = (share + square / 2) / (1 + square)
    half = _Z * sqrt(share * (1 - share) / size + square / (4 * size)) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def threshold(sizes: Sequence[int], relevant: Sequence[Judged], wanted: float) -> dict[str, Any]:
    """The lowest score from which on pages are as precise as wanted, and what that would keep.

    ``likely`` goes by the estimate, ``sure`` by the lower end of its interval.
    """
    found: dict[str, Any] = {"wanted": wanted, "likely": None, "sure": None}
    if not relevant:
        return found
    weights = weigh(sizes, relevant)
    weighed = [(weights[one.page.stratum], one) for one in relevant]
    total = sum(weight for (weight, _, _), _ in weighed)
    for score in sorted({one.page.score for one in relevant}):
        kept = [each for each in weighed if each[1].page.score >= score]
        share = _share(kept)
        about = {
            "score": score,
            "precision": share.estimate,
            "low": share.low,
            "high": share.high,
            "kept": sum(weight for (weight, _, _), _ in kept) / total,
        }
        if found["likely"] is None and share.estimate >= wanted:
            found["likely"] = about
        if found["sure"] is None and share.low >= wanted:
            found["sure"] = about
    return found


def mistakes(
    called_sizes: Sequence[int],
    relevant: Sequence[Judged],
    other_sizes: Sequence[int],
    others: Sequence[Judged],
) -> list[dict[str, Any]]:
    """The judge's mistakes by kind: how many were seen, for about how many pages they stand."""
    kinds: dict[str, list[tuple[float, SampledPage]]] = defaultdict(list)
    for is_relevant, sizes, some in ((True, called_sizes, relevant), (False, other_sizes, others)):
        weights = weigh(sizes, some)
        for one in some:
            if one.is_right != is_relevant:
                kind = one.kind if is_relevant else "missed"
                kinds[kind].append((weights[one.page.stratum][0], one.page))
    return [
        {
            "kind": kind,
            "seen": len(pages),
            "share_of_mistakes": sum(w for w, _ in pages) / _all_weights(kinds.values()),
            "judged_as": dict(Counter(page.language for _, page in pages).most_common(5)),
            "encodings": dict(Counter(page.encoding or "unicode" for _, page in pages)),
            "examples": [page.url for _, page in pages[:_EXAMPLES]],
        }
        for kind, pages in sorted(kinds.items(), key=lambda each: -len(each[1]))
    ]


def _all_weights(kinds: Iterable[list[tuple[float, SampledPage]]]) -> float:
    return sum(weight for pages in kinds for weight, _ in pages)


def agreement(answers: Sequence[Answer]) -> dict[str, Any] | None:
    """How far reviewers agree on what is in the target, beyond chance; None with one reviewer."""
    said: dict[str, dict[int, bool]] = defaultdict(dict)
    for given in answers:
        if given.answer != "unsure":
            said[given.reviewer][given.page] = given.answer == "yes"
    if len(said) < 2:
        return None
    pairs = []
    for one, other in combinations(sorted(said), 2):
        both = sorted(said[one].keys() & said[other].keys())
        votes = [(said[one][page], said[other][page]) for page in both]
        pairs.append({"reviewers": [one, other], "pages": len(both), **cohen(votes)})
    common = set.intersection(*(set(pages) for pages in said.values()))
    votes_of = [[pages[page] for pages in said.values()] for page in sorted(common)]
    fleiss_of = fleiss(votes_of) if len(said) > 2 else None
    return {"pairs": pairs, "fleiss_kappa": fleiss_of, "pages_by_all": len(common)}


def cohen(votes: Sequence[tuple[bool, bool]]) -> dict[str, float | None]:
    """Cohen's kappa of two reviewers; None where chance alone explains all agreement."""
    if not votes:
        return {"agreement": None, "kappa": None}
    count = len(votes)
    same = sum(one == other for one, other in votes) / count
    one, other = (sum(vote[at] for vote in votes) / count for at in (0, 1))
    chance = one * other + (1 - one) * (1 - other)
    return {"agreement": same, "kappa": (same - chance) / (1 - chance) if chance < 1 else None}


def fleiss(votes: Sequence[Sequence[bool]]) -> float | None:
    """Fleiss' kappa of several reviewers who have all looked at the same pages."""
    if not votes:
        return None
    raters = len(votes[0])
    yes = [sum(vote) for vote in votes]
    same = sum(y * (y - 1) + (raters - y) * (raters - y - 1) for y in yes)
    same_share = same / (len(votes) * raters * (raters - 1))
    share = sum(yes) / (len(votes) * raters)
    chance = share**2 + (1 - share) ** 2
    return (same_share - chance) / (1 - chance) if chance < 1 else None
