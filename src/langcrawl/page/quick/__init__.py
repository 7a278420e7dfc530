"""Pages read in one pass, without a tree: which, and from when on.

`page` has the reader. It is compiled code: to load it takes half a second and 40 MB, and to compile
it fifteen seconds, once on a machine. So a process loads it when it has read enough to be repaid,
and if it is not compiled yet, another process compiles it in the meantime. The answers are those of
the tree (docs/decisions/0028), so nobody sees from when on it reads.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from langcrawl.page.nesting import few_tags
from langcrawl.page.tree import HARDLY_ANY_TEXT, TEXT_WITHIN

if TYPE_CHECKING:
    from langcrawl.page.quick.page import QuickPage

_FOLDER = Path(__file__).parent
_BESIDE = ("compiled.py", "elements.py", "links.py", "nesting.py")
"""Files of the package around this one of which compiled code has something in it."""
ENOUGH = 30_000_000
"""Bytes of pages that repay the time to load the reader."""
_READER_MODULE = "langcrawl.page.quick.page"
_COMPILE = "import os; os.nice(5); from langcrawl.page.quick import compile_anew; compile_anew()"


class NotPlain(Exception):
    """Raised where only the parser knows how a page is read."""


class _Reader:
    """Whether the reader is loaded in this process, or when it will be."""

    def __init__(self) -> None:
        self.is_loaded, self._seen, self._wanted = False, 0, True
        self._compiling: subprocess.Popen[bytes] | None = None

    def is_ready(self, size: int) -> bool:
        """Whether a page of that size can be read in one pass, by what was read so far."""
        self._seen += size
        is_there = _READER_MODULE in sys.modules  # this may be a copy of a process that loaded it
        if not self._wanted or not (is_there or self._is_repaid()):
            return False
        self.load()
        return True

    def _is_repaid(self) -> bool:
        return self._seen >= ENOUGH and self._has_compiled()

    def load(self) -> None:
        """Read pages in one pass from now on."""
        import langcrawl.page.quick.page  # noqa: F401

        self.is_loaded = True

    def stay(self) -> None:
        """Load nothing in this process: what is not loaded yet will not be."""
        self._wanted = False

    def _has_compiled(self) -> bool:
        if self._compiling is None:
            if _is_compiled():
                return True
            nowhere = subprocess.DEVNULL
            command = [sys.executable, "-c", _COMPILE]
            try:
                self._compiling = subprocess.Popen(
                    command, stdin=nowhere, stdout=nowhere, stderr=nowhere
                )
            except OSError:
                self._wanted = False
            return False
        self._wanted = not self._compiling.poll()  # it may have failed
        return self._compiling.returncode == 0


READER = _Reader()


def expect(size: int) -> None:
    """So many bytes of pages will be read: load the reader now, if it is compiled and worth it.

    Processes that are copies of this one then have it.
    """
    if modules_for(size):
        READER.load()


def modules_for(size: int) -> Sequence[str]:
    """What a process loads of which others are copies that will read so many bytes of pages."""
    return (_READER_MODULE,) if size >= 2 * ENOUGH and _is_compiled() else ()


def quick_page(raw: bytes, low: bytes) -> QuickPage | None:
    """A page in UTF-8 read in one pass; None if it is to be parsed.

    `low` is the same in small letters.
    """
    if not READER.is_loaded and not READER.is_ready(len(raw)):
        return None
    if len(raw) > TEXT_WITHIN or b"\0" in raw or not (tags := few_tags(low)):
        return None
    from langcrawl.page.quick.page import read_quickly

    page = read_quickly(raw, tags)
    if page and len(page.text()) < HARDLY_ANY_TEXT and b"<noscript" in low:
        return None  # its NOSCRIPT elements may say more
    return page


def compile_anew() -> None:
    """Compile the reader, or load what was compiled of these very files.

    What one file compiles has in it what it calls of another, and does not know when that changes.
    """
    if not _is_compiled():
        for kind in ("nbi", "nbc"):
            for path in _FOLDER.glob(f"__pycache__/*.{kind}"):
                path.unlink(missing_ok=True)
    READER.load()


def _is_compiled() -> bool:
    """Whether the compiled code lies ready beside these files; False where that is not known."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return False
    made = _FOLDER.glob("__pycache__/one_pass.read_in_one_pass-*.nbi")
    sources = (*_FOLDER.glob("*.py"), *[_FOLDER.parent / name for name in _BESIDE])
    written = max(path.stat().st_mtime for path in sources)
    return any(path.stat().st_mtime > written for path in made)
