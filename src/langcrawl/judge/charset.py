"""The judge of paper 002, section 3.2: some charsets are used for one language only.

The paper's Table 1 has those of Thai and Japanese; `langcrawl.languages.charset_users` the others.
"""

from __future__ import annotations

from dataclasses import dataclass

from langcrawl.errors import BadValue
from langcrawl.languages import Target
from langcrawl.languages.charsets import charset_name, codec_name
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

    target: Target
    sources: tuple[str, ...]

    def judge(self, content: Content) -> Verdict:
        heard = []
        for source in self.sources:
            label = getattr(content.charsets, source)
            if not label:
                continue
            detected = source == "detected"
            users = charset_languages(detected).get(charset_name(label), ())
            if len(users) == 1:
                language = users[0]
                relevant = self.target.matches(language)
                sure = _DETECTED if detected else _DECLARED
                evidence = f"{_SAID_BY[source]} {label}, a charset of {language}"
                score = sure if relevant else 0.0
                return Verdict(language, "", "", score, relevant, (evidence,))
            heard.append(f"{_SAID_BY[source]} {label}, {_what_it_tells(label, users)}")
        return Verdict(evidence=tuple(heard) or ("no charset is declared or detected",))


def _what_it_tells(label: str, users: tuple[str, ...]) -> str:
    """Of a charset that gives no language away, why not."""
    if users:
        return f"a charset that {', '.join(users[:-1])} and {users[-1]} share"
    name = codec_name(label)
    if not name:
        return "which is no charset that is known"
    if name.startswith("utf"):
        return "in which every language can be written"
    return "which does not tell the language"


def charset(target: Target, from_: str = "any") -> CharsetJudge:
    """The charset that META (from=meta), the HTTP header (header), the bytes (detected) name."""
    if from_ == "any":
        return CharsetJudge(target, ("meta", "header", "detected"))
    if from_ not in _SAID_BY:
        names = ", ".join([*_SAID_BY, "any"])
        raise BadValue(f"charset's from must be one of {names}, not '{from_}'.")
    return CharsetJudge(target, (from_,))
