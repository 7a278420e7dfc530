"""What reading one page may cost, whatever stands on it.

Some kilobytes of HTML can make a parser work for minutes or take gigabytes, and no list of such
tricks is complete. So the bounds are set from outside: a page that could be dear is read by a
helper process (`langcrawl.page.helper`), which the system ends where it takes too much. Most pages
are too small to be dear, and are read on the spot. What is over budget is kept in the archive,
noted as ``over-budget`` and not judged.
"""

from __future__ import annotations

import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_FEW_TAGS, _SOME_TAGS, _LEFT_OPEN = 2_000, 4_000, 400
_SMALL_BODY = 250_000
"""The worst pages within these took 2 s and 0.5 GB. Four of five pages of today are."""
A_LINK, _MOST_URLS = 100, 10_000_000
"""Fifty thousand links of 100 characters, that is, or a hundred thousand empty ones."""
_MOST_ANCHORS = 8
"""How many times the text of its page all anchors may come to: links can lie within links."""


class OverBudget(Exception):
    """Raised when a page costs more than a page may."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one page may take, beyond the limit of its bytes."""

    seconds: int = 5
    """Of processor time."""
    memory: int = 700_000_000
    """Bytes, beside those of the process that reads it."""
    patience: float = 60.0
    """Seconds by the clock, on a machine that has no time for it."""


def is_ordinary(body: bytes) -> bool:
    """Whether a page is so small that reading it is harmless, whatever it says.

    The worst that a parser does is to repeat every element that is left open in every one that
    follows; so elements that are left open count twice.
    """
    if len(body) > _SMALL_BODY:
        return False
    tags = body.count(b"<")
    if tags <= _FEW_TAGS:
        return True
    return tags <= _SOME_TAGS and tags - 2 * body.count(b"</") <= _LEFT_OPEN


def link_budget(page_length: int) -> tuple[int, int]:
    """What all links of a page may come to: characters of URLs, and characters of anchors.

    A link costs `A_LINK` characters beside those of its URL.
    """
    return _MOST_URLS, _MOST_ANCHORS * page_length + _SMALL_BODY


def limit_memory(more: int) -> None:
    """Let this process take so many bytes more than it has now, where the system can limit that."""
    with suppress(OSError, ValueError, AttributeError):
        now = _data_bytes()
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = now + more if most == resource.RLIM_INFINITY else min(now + more, most)
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, most))


def _data_bytes() -> int:
    """The memory that this process could write to, as RLIMIT_DATA counts it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    raise OSError("the system does not say how much memory a process has")
