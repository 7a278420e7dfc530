"""What can go wrong for a user, each with a sentence that says what to do.

::

    LangcrawlError          exit status 1: the work could not be done
    ├── NoSuchLog           a path that is not a crawl directory, or has no log
    ├── BrokenLog           a log that is cut short or contradicts itself
    ├── BadInput            a file given by the user cannot be used as it is
    ├── LocalFault          the machine cannot go on: no right to write, no descriptor, no memory
    │   ├── CannotArchive   the archive cannot be written
    │   └── DiskFull        there is no room left for the crawl
    ├── StrategyFailed      a rule raised, or returned something that is not a priority
    ├── JudgeFailed         a user's own judge raised, or returned something that is not a verdict
    └── UsageError          exit status 2: the command line asks for something impossible
        ├── UnknownName     a strategy, judge, language or parameter that does not exist
        └── BadValue        a parameter that exists, with a value it cannot have
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from errno import EDQUOT, EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC


class LangcrawlError(Exception):
    """The work could not be done; the message says why and what to do."""

    exit_status = 1


class NoSuchLog(LangcrawlError):
    """Raised for a path that is not a crawl directory, or whose log is empty."""


class BrokenLog(LangcrawlError):
    """Raised when a crawl log cannot be read to its end or contradicts itself."""


class BadInput(LangcrawlError):
    """Raised when a file given by the user is missing, empty or malformed."""


NO_ROOM = (ENOSPC, EDQUOT)
"""What the system says when there is no room for a file, or no more for this user."""


NO_MEANS = (EMFILE, ENFILE, ENOMEM, ENOBUFS)
"""What it says when it has no descriptor or no memory for a connection."""
NO_DESCRIPTORS = (
    "too many files are open; allow more ('ulimit -n 4096') or use fewer --connections, and run "
    "the same command again."
)
NO_MEMORY = "there is no memory left; end other work and run the same command again."


class LocalFault(LangcrawlError):
    """Raised when the machine fails, and no page: a crawl stops, and spends no URL on it."""


class CannotArchive(LocalFault):
    """Raised when the archive cannot be written, for another reason than a full disk."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the archive cannot be written ({why}); see to the directory of the crawl and run the "
            "same command again."
        )
        self.why = why

    def __reduce__(self) -> tuple[type[CannotArchive], tuple[str]]:
        return CannotArchive, (self.why,)


class DiskFull(LocalFault):
    """Raised when a crawl cannot write; all that it committed before is kept."""

    def __init__(
        self, message: str = "the disk is full; make room and run the same command again."
    ) -> None:
        super().__init__(message)


class StrategyFailed(LangcrawlError):
    """Raised when a strategy's rule raised, or returned NaN."""


class JudgeFailed(LangcrawlError):
    """Raised when a user's own judge raised on a page, or returned no verdict."""


class UsageError(LangcrawlError):
    """Raised when the command line asks for something impossible."""

    exit_status = 2


class UnknownName(UsageError):
    """Raised for a name that does not exist, with the nearest one that does."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str], see: str = "", hint: str = ""
    ) -> None:
        known = sorted(known)
        near = get_close_matches(name, known, n=1, cutoff=0.5)
        if hint:
            pass
        elif near:
            hint = f"did you mean '{near[0]}'?"
        elif see:
            hint = f"'{see}' lists them."
        else:
            hint = f"there are: {', '.join(known)}." if known else "it takes none."
        super().__init__(f"there is no {kind} '{name}'; {hint}")


class BadValue(UsageError):
    """Raised for a parameter with a value that it cannot have."""
