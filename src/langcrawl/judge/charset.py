"""The judge of paper 002, section 3.2: some charsets are used for one language only."""

from __future__ import annotations

from dataclasses import dataclass

from langcrawl.errors import BadValue
from langcrawl.languages import Tag
from langcrawl.languages.charsets import codec_name
from langcrawl.languages.packs import charset_languages
from langcrawl.records import Content, Verdict

_SAID_BY = {
    "meta": "META declares",
    "header": "the HTTP header declares",
    "detected": "the bytes look like",
}
_DECLARED, _DETECTED = 1.0, 0.9


@dataclass(frozen=True, slots=True)
class CharsetJudge:
    """Infers the language from the charset that a page declares or is found to use."""

    target: Tag
    sources: tuple[str, ...]

    def judge(self, content: Content) -> Verdict:
        heard = []
        for source in self.sources:
            label = getattr(content.charsets, source)
            if not label:
                continue
            language = charset_languages().get(codec_name(label))
            if language:
                score = _DETECTED if source == "detected" else _DECLARED
                relevant = self.target.matches(language)
                evidence = f"{_SAID_BY[source]} {label}, a charset of {language}"
                return Verdict(language, "", "", score, relevant, (evidence,))
            heard.append(f"{_SAID_BY[source]} {label}, which many languages use")
        return Verdict(evidence=tuple(heard) or ("no charset is declared or detected",))


def charset(target: Tag, from_: str = "any") -> CharsetJudge:
    """The charset that META (from=meta), the HTTP header (header), the bytes (detected) name."""
    if from_ == "any":
        return CharsetJudge(target, ("meta", "header", "detected"))
    if from_ not in _SAID_BY:
        names = ", ".join([*_SAID_BY, "any"])
        raise BadValue(f"charset's from is one of {names}, not '{from_}'.")
    return CharsetJudge(target, (from_,))
