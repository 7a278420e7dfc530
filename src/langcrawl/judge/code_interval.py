"""The judge of paper 001, section 5: Mongolian by the interval that its codes lie in.

The paper's rule is the share of a text in [E244, E34F], and nothing else: `plain`. But icons lie
there, too, and Mongolian in Unicode does not, so by default codes count in words only, and the
letters of Unicode with them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from langcrawl.errors import BadValue
from langcrawl.languages import Target
from langcrawl.languages.ngrams import without_joints
from langcrawl.records import Content, Verdict
from langcrawl.script import detect
from langcrawl.script.detect import count_letters, private_encoding, private_words

_SAMPLE = 100_000
_NONE = Verdict(evidence=("no character in the intervals of Mongolian",))
_INTERVALS = re.compile("[\ue244-\ue34f]")
"""The union of Menksoft's interval and Saiyin's, as above Table 2 of the paper."""
_UNICODE = re.compile("[\u1820-\u18aa]")
# Letters that other languages have added to the Mongolian block, by who uses them.
_ADDED = [("\u1843", "\u185c", "xal"), ("\u185d", "\u1872", "sjo"), ("\u1873", "\u1877", "mnc")]
_ADDED_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class CodeIntervalJudge:
    """Counts the characters in Menksoft's, Saiyin's and Unicode's Mongolian intervals."""

    target: Target
    threshold: float
    plain: bool = False

    def judge(self, content: Content) -> Verdict:
        text = content.text[:_SAMPLE]
        return self._plainly(text) if self.plain else self._with_care(text)

    def _plainly(self, text: str) -> Verdict:
        """As the paper has it: the codes in the intervals, of all characters."""
        codes = "".join(_INTERVALS.findall(text))
        if not codes:
            return _NONE
        score = len(codes) / len(text)
        said = f"{len(codes)} of {len(text)} characters in the intervals of Mongolian, {score:.1%}"
        if score < self.threshold:
            return Verdict(evidence=(f"{said}: fewer than {self.threshold:g}",))
        relevant = self.target.matches("mn", "Mong")
        encoding = private_encoding(codes).encoding
        return Verdict("mn", "Mong", encoding, score if relevant else 0.0, relevant, (said,))

    def _with_care(self, text: str) -> Verdict:
        """Without icons, with Unicode, and told from other languages of the script."""
        letters = count_letters(text)
        if letters.private:
            text = without_joints(text)
        private = private_words(text) if letters.private else ""
        found = len(private) + letters.mongolian
        if not found:
            return _NONE
        visible = sum(map(len, text.split()))
        score = found / visible
        evidence = f"{found} of {visible} characters in the intervals of Mongolian, {score:.1%}"
        if score < self.threshold:
            return Verdict(evidence=(f"{evidence}: fewer than {self.threshold:g}",))
        how = detect(text)
        language = "mn" if private else _language(_UNICODE.findall(text))
        relevant = self.target.matches(language, "Mong")
        score, said = score if relevant else 0.0, (evidence, how.evidence)
        return Verdict(language, "Mong", how.encoding, score, relevant, said)


def code_interval(target: Target, threshold: float = 0.1, plain: bool = False) -> CodeIntervalJudge:
    """Codes of Menksoft, Saiyin or Unicode Mongolian are threshold of the page (paper 001)."""
    if not 0 < threshold <= 1:
        raise BadValue(
            f"code-interval's threshold must be above 0 and at most 1, not {threshold:g}."
        )
    return CodeIntervalJudge(target, threshold, plain)


def _language(letters: list[str]) -> str:
    """Mongolian, unless letters that only Oirat, Sibe or Manchu writes are there."""
    added = Counter(
        language
        for letter in letters
        for first, last, language in _ADDED
        if first <= letter <= last
    )
    if added.total() < _ADDED_SHARE * len(letters):
        return "mn"
    return "mnc" if added["mnc"] else added.most_common(1)[0][0]
