"""The main text of a page: what it is about, without menus, advertisements and the like.

`classifier` finds it, by code that is compiled when it is first needed; so it is loaded only then.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from langcrawl.page.stated import read_stated
from langcrawl.records import MainText

ReadMain = Callable[[bytes], MainText]
"""Finds the main text of a page of HTML in UTF-8, as `main_text` does."""
MAIN_WITHIN = 2_000_000
"""Bytes of a page that are looked at."""
LITTLE = 300_000
"""Bytes of pages that are not worth compiled code."""


def main_text(html: bytes) -> MainText:
    """The main text of a page of HTML in UTF-8, and what the page says of itself."""
    from langcrawl.page.classifier import content_of

    seen = html[:MAIN_WITHIN]
    return MainText(_lines(content_of(seen)), *read_stated(seen))


def load_main_text() -> None:
    """Have the code of `main_text` compiled, which takes a while the first time, or loaded."""
    main_text(b"<p>a</p>")


def load_plain_main_text() -> None:
    """Have the code of `main_text` run as plain Python in this process, unless it is loaded.

    It reads 0.2 MB a second or more, with the same result. Compiling takes 20 seconds the first
    time on a machine, and loading what was compiled takes two.
    """
    import numba

    config: Any = numba.config
    before, config.DISABLE_JIT = config.DISABLE_JIT, True
    try:
        import langcrawl.page.classifier  # noqa: F401
    finally:
        config.DISABLE_JIT = before


def best_text(html: bytes) -> MainText:
    """The main text as trafilatura finds it, which takes much longer; it must be installed."""
    from trafilatura import extract

    text = extract(html.decode("utf-8", "replace"), include_comments=True) or ""
    return MainText(_lines(text), *read_stated(html[:MAIN_WITHIN]))


def has_best_text() -> bool:
    """Whether trafilatura is installed."""
    return find_spec("trafilatura") is not None


def main_of_text(text: str) -> MainText:
    """A text that is no HTML has nothing around it."""
    return MainText(_lines(text))


def _lines(text: str) -> str:
    """A text with a line for each paragraph, and no other white space than single blanks."""
    lines = (" ".join(line.split()) for line in text.replace("\0", "").split("\n"))
    return "\n".join(line for line in lines if line)
