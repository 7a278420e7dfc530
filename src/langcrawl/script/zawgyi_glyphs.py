"""Unicode to Zawgyi-One: which glyph a letter needs in its company.

The reverse of `zawgyi.to_unicode`. Zawgyi has wide, narrow, high and low forms of some
signs; they differ to the eye only, so any choice converts back to the same text.
"""

from __future__ import annotations

import re
from collections import Counter

from langcrawl.script.conversion import Conversion
from langcrawl.script.myanmar import KINZI

_STACKS = {
    "\u1039" + letter: code
    for letter, code in zip(
        "ကခဂဃစဆဇဈဋဌဏတထဒဓနပဖဗဘမလ",
        "\u1060\u1061\u1062\u1063\u1065\u1066\u1068\u1069\u106c\u106d\u1070\u1071\u1073\u1075"
        "\u1076\u1077\u1078\u1079\u107a\u107b\u107c\u1085",
        strict=True,
    )
}
_LIGATURES = {
    "\u100d\u1039\u100d": "\u106e", "\u100d\u1039\u100e": "\u106f", "\u100f\u1039\u100d": "\u1091",
    "\u100b\u1039\u100c": "\u1092", "\u100b\u1039\u100b": "\u1097",
}  # fmt: skip
_WIDE = frozenset("ကဃဆညဏတထဘယလသဟအဩ")
_UPPER, _LOWER = frozenset("\u102d\u102e\u1032\u1036"), frozenset("\u102f\u1030\u103d\u103e")
_BELOW = {"\u1014": "\u108f", "\u101b": "\u1090", "\u100a": "\u106b", "\u1009": "\u106a"}
_SIGNS = {"\u103b": "\u103a", "\u103d": "\u103c", "\u103e": "\u103d", "\u103a": "\u1039"}
_JOINED = [
    ("\u103d\u103e", "\u108a"), ("\u103e\u102f", "\u1088"), ("\u103e\u1030", "\u1089"),
    ("\u102d\u1036", "\u108e"), ("\u102b\u103a", "\u105a"),
]  # fmt: skip
_CLUSTER = re.compile(
    rf"({KINZI})?([\u1000-\u1021\u1023-\u1027\u1029\u102a\u103f])"
    r"((?:\u1039[\u1000-\u1021])*)([\u102b-\u1032\u1036-\u1038\u103a-\u103e]*)"
)
_RUN = re.compile("[\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f]+")
_BURMESE = re.compile("[\u1000-\u1021\u1023-\u1027\u1029-\u1032\u1036-\u104f]")
_LAGAUNG = "\u104e\u1004\u103a\u1038"


def from_unicode(text: str) -> Conversion:
    """Burmese text as Zawgyi-One; letters of other languages have no code there and stay."""
    unmapped: Counter[str] = Counter()

    def run(found: re.Match[str]) -> str:
        letters = found.group()
        unmapped.update(each for each in letters if not _BURMESE.match(each))
        parts = letters.split(_LAGAUNG)
        return "\u104e".join(_CLUSTER.sub(lambda each: _glyphs(each, unmapped), part)
                             for part in parts)  # fmt: skip

    return Conversion(_RUN.sub(run, text), dict(unmapped))


def _glyphs(found: re.Match[str], unmapped: Counter[str]) -> str:
    kinzi, base, stack, signs = found.groups()
    marks, below = set(signs), bool(stack) or bool(_LOWER & set(signs))
    left = "\u1031" if "\u1031" in marks else ""
    if "\u103c" in marks:
        left += _ra(base, bool(_UPPER & marks) or bool(kinzi), below)
    letter = "\u1086" if base == "\u103f" else base
    if base + stack in _LIGATURES:
        letter, stack = _LIGATURES[base + stack], ""
    elif (below or "\u103b" in marks) and (base != "\u101b" or marks & set("\u102f\u1030\u103d")):
        letter = _BELOW.get(base, letter)
    for part in re.findall("\u1039.", stack):
        if part not in _STACKS:
            unmapped[part] += 1
        stack = stack.replace(part, _STACKS.get(part, part))
    return left + letter + _right(kinzi, stack, signs, base)


def _ra(base: str, high: bool, low: bool) -> str:
    """The medial ra that encloses this letter."""
    narrow = ["\u103b", "\u107f", "\u1081", "\u1083"]
    wide = ["\u107e", "\u1080", "\u1082", "\u1084"]
    return (wide if base in _WIDE else narrow)[high + 2 * low]


def _right(kinzi: str | None, stack: str, signs: str, base: str) -> str:
    """The stack, kinzi and signs to the right, below and above, in the order of Zawgyi."""
    above = "\u1064" if kinzi else ""
    for mark, code in (("\u102d", "\u108b"), ("\u102e", "\u108c"), ("\u1036", "\u108d")):
        if kinzi and mark in signs:
            above, signs = code, signs.replace(mark, "", 1)
            break
    # A tall u, and a dot further right, keep clear of whatever else stands below.
    full = bool(stack) or "\u103b" in signs or "\u103c" in signs
    if full or "\u103d" in signs:
        signs = signs.replace("\u1037", "\u1095")
    elif base in "\u1014\u101b" or _LOWER & set(signs):
        signs = signs.replace("\u1037", "\u1094")
    signs = re.sub("[\u1031\u103c]", "", signs).replace("\u103b\u103d", "\u103d\u107d")
    for pair, code in _JOINED:
        signs = signs.replace(pair, code)
    signs = "".join(_SIGNS.get(mark, mark) for mark in signs)
    if full:
        signs = signs.replace("\u102f", "\u1033").replace("\u1030", "\u1034")
    return stack + above + signs
