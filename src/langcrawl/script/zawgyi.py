"""Zawgyi-One, the encoding of most Burmese pages of the 2010s, to Unicode and back.

Zawgyi uses Unicode's Myanmar block for glyphs: it has several codes for one letter by
width and height, codes for stacked letters where Unicode has a rule, and stores vowels in
the order of the eye (paper 003, section 4.1, Table 3). The table names each glyph by the
Unicode characters that it shows; `myanmar.logical` then brings the many orders in which
people type them into one (Table 4).
"""

from __future__ import annotations

import re
from collections import Counter

from langcrawl.script.conversion import Conversion
from langcrawl.script.myanmar import KINZI_SIGN, logical

RUN = re.compile("[\u1000-\u109f]+")

_STACKED = {
    0x1060: 0x1000, 0x1061: 0x1001, 0x1062: 0x1002, 0x1063: 0x1003, 0x1065: 0x1005,
    0x1066: 0x1006, 0x1067: 0x1006, 0x1068: 0x1007, 0x1069: 0x1008, 0x106C: 0x100B,
    0x106D: 0x100C, 0x1070: 0x100F, 0x1071: 0x1010, 0x1072: 0x1010, 0x1073: 0x1011,
    0x1074: 0x1011, 0x1075: 0x1012, 0x1076: 0x1013, 0x1077: 0x1014, 0x1078: 0x1015,
    0x1079: 0x1016, 0x107A: 0x1017, 0x107B: 0x1018, 0x1093: 0x1018, 0x107C: 0x1019,
    0x1085: 0x101C,
}  # fmt: skip
_SHOWN = {
    "\u1033": "\u102f", "\u1034": "\u1030", "\u1039": "\u103a", "\u103a": "\u103b",
    "\u103b": "\u103c", "\u103c": "\u103d", "\u103d": "\u103e", "\u105a": "\u102b\u103a",
    "\u1064": KINZI_SIGN, "\u106a": "\u1009", "\u106b": "\u100a",
    "\u106e": "\u100d\u1039\u100d", "\u106f": "\u100d\u1039\u100e", "\u107d": "\u103b",
    "\u1086": "\u103f", "\u1087": "\u103e", "\u1088": "\u103e\u102f", "\u1089": "\u103e\u1030",
    "\u108a": "\u103d\u103e", "\u108b": KINZI_SIGN + "\u102d", "\u108c": KINZI_SIGN + "\u102e",
    "\u108d": KINZI_SIGN + "\u1036", "\u108e": "\u102d\u1036", "\u108f": "\u1014",
    "\u1090": "\u101b", "\u1091": "\u100f\u1039\u100d", "\u1092": "\u100b\u1039\u100c",
    "\u1094": "\u1037", "\u1095": "\u1037", "\u1096": "\u1039\u1010\u103d",
    "\u1097": "\u100b\u1039\u100b",
    **{chr(code): "\u1039" + chr(letter) for code, letter in _STACKED.items()},
    **{chr(code): "\u103c" for code in range(0x107E, 0x1085)},
}  # fmt: skip
_TO_UNICODE = str.maketrans(_SHOWN)
_SAME = {*range(0x1000, 0x1022), *range(0x1023, 0x1028), 0x1029, 0x102A, *range(0x102B, 0x1033),
         0x1036, 0x1037, 0x1038, 0x103F, *range(0x1040, 0x1050)}  # fmt: skip
KNOWN = frozenset(map(ord, _SHOWN)) | _SAME
"""The codes that Zawgyi-One uses."""
_UNKNOWN = re.compile(f"[{''.join(chr(c) for c in range(0x1000, 0x10A0) if c not in KNOWN)}]")

_WHOLE_LAGAUNG = re.compile("\u104e(?!\u1004\u103a\u1038)")
"""One Zawgyi code shows the whole word la-gaung; some write its end once more."""


def shown(code: str) -> str:
    """What a code of Zawgyi shows, in Unicode's characters."""
    return code.translate(_TO_UNICODE)


def to_unicode(text: str) -> Conversion:
    """Zawgyi text in Unicode; whatever is no Myanmar character stays as it is."""
    merged: Counter[str] = Counter()

    def run(found: re.Match[str]) -> str:
        glyphs = shown(found.group())
        return logical(_WHOLE_LAGAUNG.sub("\u104e\u1004\u103a\u1038", glyphs), merged)

    return Conversion(RUN.sub(run, text), dict(Counter(_UNKNOWN.findall(text))), dict(merged))
