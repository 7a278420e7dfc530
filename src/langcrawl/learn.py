"""A language pack from sample texts, for a language that nobody supports.

The texts are cut into pieces; every fifth is held back. The profile is made of the others;
the threshold is chosen, and precision and recall are estimated, on what was held back and on
texts in other languages, none of which the profile has seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from langcodes import tag_is_valid

from langcrawl.errors import BadInput
from langcrawl.judge.learned import LearnedJudge
from langcrawl.languages import Pack, parse_tag
from langcrawl.languages.ngrams import count_ngrams, rank
from langcrawl.languages.profiles import RANKS, table
from langcrawl.languages.scripts import script_shares
from langcrawl.page import read_document
from langcrawl.records import UNKNOWN, Content
from langcrawl.virtualweb.phrases import PHRASES

PIECE = 300
"""Characters of a piece, as of a short page."""
_HELD_BACK = 5
_LEAST = 4_000
"""Characters without which nothing can be learned; 20,000 are better."""
_NEIGHBOURS = 5


@dataclass(frozen=True, slots=True)
class Learned:
    """A pack, and how good it is on texts that it has not seen."""

    pack: Pack
    characters: int
    held_back: int
    """Pieces of the language on which recall was measured."""
    others: int
    """Pieces in other languages on which precision was measured."""
    precision: float
    recall: float


def learn(
    tag: str, samples: Sequence[Path], against: Sequence[Path] = (), name: str = ""
) -> Learned:
    """Make a pack for a language of texts in it, and of texts that are not."""
    target = parse_tag(tag)
    if not tag_is_valid(tag) or target.primary == UNKNOWN:
        raise BadInput(f"'{tag}' is no language tag; give a BCP-47 or ISO 639-3 code, as 'shn'.")
    pieces = list(_pieces(samples))
    characters = sum(map(len, pieces))
    if characters < _LEAST or len(pieces) < 2 * _HELD_BACK:
        raise BadInput(
            f"{characters:,} characters are too few to learn a language from; give at least "
            f"{_LEAST:,}, better 20,000."
        )
    kept = [piece for number, piece in enumerate(pieces) if number % _HELD_BACK]
    held = pieces[::_HELD_BACK]
    text = "\n".join(kept)
    script = next(iter(script_shares(text)), "")
    if not script:
        raise BadInput("the samples have no letters of a script that is known.")
    profile = tuple(rank(count_ngrams(text), RANKS))
    judge = LearnedJudge(target, script, profile, 0.0)
    others = [*_pieces(against), *_carried(target.primary)]
    threshold = _threshold(judge, held, others)
    final = LearnedJudge(target, script, profile, threshold)
    right = sum(_accepts(final, piece) for piece in held)
    wrong = sum(_accepts(final, piece) for piece in others)
    pack = Pack(
        tag=str(target), name=name or str(target), scripts=(script,), judge=("learned",),
        profile=" ".join(profile), threshold=threshold, neighbours=_neighbours(judge, text),
    )  # fmt: skip
    return Learned(
        pack, characters, len(held), len(others),
        right / (right + wrong) if right + wrong else 0.0, right / len(held),
    )  # fmt: skip


def _accepts(judge: LearnedJudge, text: str) -> bool:
    return judge.judge(Content(text)).relevant


def _threshold(judge: LearnedJudge, held: Sequence[str], others: Sequence[str]) -> float:
    """The nearness that parts held-back pieces from others best, in the middle between them.

    Texts that are nearer to another language are refused whatever the threshold is.
    """
    mine = sorted(judge.compare(piece)[0] for piece in held)
    theirs = sorted(judge.compare(piece)[0] for piece in others if _accepts(judge, piece))
    low = mine[len(mine) // 100]  # one in a hundred of the language's own may be lost
    below = [near for near in theirs if near < low]
    return round((low + (below[-1] if below else low * 0.8)) / 2, 4)


def _neighbours(judge: LearnedJudge, text: str) -> tuple[str, ...]:
    """The languages that are most easily taken for this one."""
    others = table(judge.script)
    if others is None:
        return ()
    far = others.distances(list(judge.pieces))
    ranked = sorted(zip(far.tolist(), (each.language for each in others.profiles), strict=True))
    own = judge.target.primary
    return tuple([tag for _, tag in ranked if parse_tag(tag).primary != own][:_NEIGHBOURS])


def _carried(own: str) -> list[str]:
    """Sentences in other languages that come with langcrawl."""
    return [" ".join(text) for tag, text in PHRASES.items() if parse_tag(tag).primary != own]


def _pieces(paths: Sequence[Path]) -> Iterator[str]:
    """Pieces of about a short page, cut between words, of all files one after the other."""
    for path in paths:
        text = " ".join(_text(path).split())
        first = 0
        while first < len(text):
            last = min(first + PIECE, len(text))
            gap = text.rfind(" ", first + PIECE // 2, last) if last < len(text) else -1
            last = gap if gap > first else last
            if last - first >= PIECE // 2 or first == 0:
                yield text[first:last]
            first = last


def _text(path: Path) -> str:
    try:
        body = path.read_bytes()
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read ({error.strerror}).") from None
    return read_document(body).content.text
