"""A judge that a user brings, as ``package.module:Name`` or ``file.py:name``.

Workers are other processes, where a class from a user's file cannot be unpickled. So what
travels is the name of the judge and its language pack; each process makes the judge once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from langcrawl import spec
from langcrawl.errors import JudgeFailed, UsageError
from langcrawl.languages import Pack
from langcrawl.records import UNKNOWN, Content, Verdict

_PROBES = (Content(), Content("A page of a few words, in English.\nLa langue d'une page."))
"""What a new judge is asked, so that one that never works is refused before the work begins."""


@dataclass(frozen=True, slots=True)
class OwnJudge:
    """Asks the user's judge, and looks whether what it gives is a verdict."""

    text: str
    pack: Pack
    inner: Any

    def judge(self, content: Content) -> Verdict:
        """The user's verdict; a page in another language than the target scores 0."""
        try:
            verdict: Verdict = self.inner.judge(content)
        except Exception as error:  # whatever a user's code does
            why = f"{type(error).__name__}: {error}".strip(": ")
            raise JudgeFailed(
                f"the judge '{self.text}' failed on a page ({why}); "
                "fix it and run the command again."
            ) from error
        wrong = _fault(verdict)
        if wrong:
            raise JudgeFailed(
                f"the judge '{self.text}' should return a langcrawl.records.Verdict; {wrong}."
            )
        if verdict.score and not verdict.relevant and self._is_foreign(verdict):
            return replace(verdict, score=0.0)
        return verdict

    def _is_foreign(self, verdict: Verdict) -> bool:
        return verdict.language != UNKNOWN and not self.pack.target.matches(
            verdict.language, verdict.script
        )

    def __reduce__(self) -> tuple[Callable[[str, str], OwnJudge], tuple[str, str]]:
        return _made, (self.text, self.pack.model_dump_json())


def own_judge(text: str, pack: Pack) -> OwnJudge:
    """Make the judge that `text` names, and try it."""
    return _made(text, pack.model_dump_json())


def _made(text: str, pack_json: str) -> OwnJudge:
    """The judge as this process has made it, unless its file has changed since."""
    path = Path(text.partition(":")[0])
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    return _make(text, pack_json, changed)


@lru_cache(maxsize=8)
def _make(text: str, pack_json: str, _changed: int) -> OwnJudge:
    pack = Pack.model_validate_json(pack_json)
    inner = spec.make_own("judge", text, target=pack.target, pack=pack)
    if isinstance(inner, type) or not callable(getattr(inner, "judge", None)):
        place = ":".join(text.split(":")[:2])
        raise UsageError(
            f"the judge '{place}' cannot be used: it should be, or return, an object with "
            "judge(content)."
        )
    made = OwnJudge(text, pack, inner)
    for content in _PROBES:
        made.judge(content)
    return made


def _fault(verdict: object) -> str:
    """What is wrong with what a judge gave; empty where nothing is."""
    if not isinstance(verdict, Verdict):
        return f"it returned {type(verdict).__name__}"
    for name in ("language", "script", "encoding"):
        if type(getattr(verdict, name)) is not str:
            return f"its {name} is not text"
    if type(verdict.relevant) is not bool:
        return "its relevant is neither True nor False"
    if type(verdict.evidence) is not tuple or not all(type(x) is str for x in verdict.evidence):
        return "its evidence is not a tuple of texts"
    return ""
