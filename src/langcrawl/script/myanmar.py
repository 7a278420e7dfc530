"""Myanmar text in Unicode: its classes of characters, its one order, and its syllables.

Legacy fonts write what the eye sees: a vowel that stands left of its consonant is typed
first, and marks come in any order (paper 003, section 4.1). `logical` puts such a text,
glyphs already named by Unicode characters, into the one order that Unicode has.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

KINZI_SIGN = "\ufdd0"
"""Stands for a kinzi while its place is not known: no character of a text is this one."""
KINZI = "\u1004\u103a\u1039"
VIRAMA, ASAT, DOT = "\u1039", "\u103a", "\u1037"

CONSONANTS = "\u1000-\u1021"
# Letters that carry marks in Burmese: consonants, great sa, independent vowels.
_BASE = r"[\u1000-\u1021\u1023-\u1027\u1029\u102a\u103f]"
_MARK = r"[\u102b-\u1030\u1032\u1036-\u1038\u103a\u103b\u103d\u103e" + KINZI_SIGN + "]"
_LEFT = r"[\u1031\u103c]"
# A letter has two such signs at most. Without a bound, a text of nothing but signs would be gone
# through again from each of them.
_LEFTS = _LEFT + "{0,16}"
_CLUSTER = re.compile(
    rf"({_LEFTS})({_BASE})((?:\u1039[{CONSONANTS}]|{_MARK}|{_LEFT}(?!{_LEFTS}{_BASE}))*)"
)
_PART = re.compile(rf"\u1039[{CONSONANTS}]|.", re.DOTALL)

# Unicode's order of the marks of a syllable (Unicode Technical Note 11): medials ya, ra, wa,
# ha, then e, upper vowel, lower vowel, aa, anusvara, dot below, asat, visarga.
_ORDER = {mark: place for place, mark in enumerate(
    "\u103b\u103c\u103d\u103e\u1031\u102d\u102e\u1032\u102f\u1030\u102b\u102c\u1036\u1037\u103a\u1038"
)}  # fmt: skip
_TALL = ("\u102b", "\u102c")

# Digits that stand for the letters which look like them. A digit carries no mark and no sign
# to its left; no syllable begins with a killed consonant; and a zero that follows a letter
# and is followed by no digit is no number.
_SIGN = r"[\u102b-\u1030\u1032\u1036-\u1038\u1039\u103a\u103b\u103d\u103e]"
_KILLED = r"(?=[\u1000-\u1021]\u1037?\u103a)"
_ZERO = re.compile(
    rf"(?<={_LEFT})\u1040|\u1040(?={_SIGN})|(?<![\u1040-\u1049])\u1040{_KILLED}"
    r"|(?<=[\u102b-\u1030\u1032\u1036-\u1038\u103a])\u1040(?![\u1040-\u1049])"
)
_SEVEN = re.compile(rf"(?<={_LEFT})\u1047|\u1047(?={_SIGN})")
_LAGAUNG = re.compile("[\u1044\u104e]\u1004\u103a\u1038")


def logical(run: str, merged: Counter[str]) -> str:
    """A run of glyphs in the order of the eye, in the order of Unicode."""
    run = _SEVEN.sub("\u101b", _ZERO.sub("\u101d", run))
    run = _LAGAUNG.sub("\u104e\u1004\u103a\u1038", run)

    def cluster(found: re.Match[str]) -> str:
        ordered, repeated = _ordered(*found.groups())
        if repeated:
            merged.update(repeated)
        return ordered

    return _CLUSTER.sub(cluster, run).replace(KINZI_SIGN, KINZI)


@lru_cache(maxsize=1 << 14)
def _ordered(left: str, base: str, rest: str) -> tuple[str, tuple[str, ...]]:
    """A letter with its signs in Unicode's order, and the signs that it had once too often."""
    stack, marks = "", list(left)
    kinzi, asat_first = rest.count(KINZI_SIGN), False
    for part in _PART.findall(rest):
        if len(part) == 2:
            stack += part
        elif part != KINZI_SIGN:
            asat_first = asat_first or (part == "\u103b" and ASAT in marks)
            marks.append(part)
    seen = Counter(marks)
    ordered = sorted(seen, key=_ORDER.__getitem__)
    if ASAT in seen and _asat_on_the_letter(seen, asat_first):
        ordered.remove(ASAT)
        stack += ASAT
    base, ordered = _letter(base, stack, ordered)
    text = (KINZI if kinzi else "") + base + stack + "".join(ordered)
    repeated = [mark for mark, number in seen.items() for _ in range(number - 1)]
    return text, (*repeated, *[KINZI] * (kinzi - 1))


def _asat_on_the_letter(marks: Counter[str], before_ya: bool) -> bool:
    """Whether asat kills the letter itself, as in the contracted kyun-ok and yauk-kya."""
    if any(mark in marks for mark in _TALL):
        return before_ya
    return any(mark in marks for mark in "\u103b\u102f\u1030\u102d")


def _letter(base: str, stack: str, marks: list[str]) -> tuple[str, list[str]]:
    """Letters that fonts compose of two signs and Unicode has as one."""
    if base == "\u1025" and (stack or ASAT in marks):  # u with asat or a stack is nya
        return "\u1009", marks
    if base == "\u1025" and "\u102e" in marks:
        return "\u1026", [mark for mark in marks if mark != "\u102e"]
    if base == "\u1005" and "\u103b" in marks:  # ca with ya is jha
        return "\u1008", [mark for mark in marks if mark != "\u103b"]
    return base, marks
