"""The judge of paper 003, section 5.1: the share of Myanmar syllables on a page."""

from __future__ import annotations

from dataclasses import dataclass

from langcrawl.errors import BadValue
from langcrawl.languages import Target
from langcrawl.records import Content, Verdict
from langcrawl.script import detect, roughly_unicode
from langcrawl.script.convert import in_both
from langcrawl.script.syllables import (
    count_other_letters,
    count_others,
    count_syllables,
    count_zawgyi_syllables,
    myanmar_language,
)

_SAMPLE = 100_000
"""Characters of a page that are looked at."""
_OTHERS = {"all": count_others, "letters": count_other_letters}
"""What else counts: all that is seen, or letters only, as in the shares of Figures 6 and 7."""
_NONE = Verdict(evidence=("no Myanmar syllables",))


@dataclass(frozen=True, slots=True)
class SyllablesJudge:
    """Counts Myanmar syllables against other characters, whatever the page is encoded in."""

    target: Target
    threshold: float
    others: str = "all"

    def judge(self, content: Content) -> Verdict:
        text = content.text[:_SAMPLE]
        found = detect(text, content.fonts)
        if found.script != "Mymr":
            return _NONE
        if found.encoding in ("unicode", "zawgyi"):
            unicode, old = in_both(text, found)
        else:
            unicode, old = roughly_unicode(text, found, content.fonts), ""
        syllables = count_syllables(unicode) + count_zawgyi_syllables(old)
        others = _OTHERS[self.others](unicode + old)
        score = syllables / (syllables + others) if syllables else 0.0
        what = "letters" if self.others == "letters" else "characters"
        evidence = f"{syllables} Myanmar syllables to {others} other {what}, {score:.1%}"
        if not syllables or score < self.threshold:
            return Verdict(evidence=(f"{evidence}: fewer than {self.threshold:g}",))
        language, own = myanmar_language(unicode) if len(unicode) > len(old) else ("my", 0.0)
        said = [evidence, found.evidence]
        if own:
            said.append(f"{own:.0%} of the characters are letters of {language} alone")
        relevant = self.target.matches(language, "Mymr")
        score = score if relevant else 0.0
        return Verdict(language, "Mymr", found.encoding, score, relevant, tuple(said))


def syllables(target: Target, threshold: float = 0.03, others: str = "all") -> SyllablesJudge:
    """Myanmar syllables / (syllables + other characters) is at least threshold (paper 003)."""
    if others not in _OTHERS:
        raise BadValue(f"syllables' others must be all or letters, not '{others}'.")
    if not 0 < threshold <= 1:
        raise BadValue(f"syllables' threshold must be above 0 and at most 1, not {threshold:g}.")
    return SyllablesJudge(target, threshold, others)
