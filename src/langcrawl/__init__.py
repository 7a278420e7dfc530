"""langcrawl collects the web of one language.

The Python interface is four functions::

    import langcrawl

    langcrawl.identify("ภาษาไทย").language                    # which language is this?
    langcrawl.crawl("thai", lang="th", seeds=["https://..."])  # collect its pages
    langcrawl.open_log("thai").pages()                         # look at what was collected
    langcrawl.simulate("thai", ["soft", "lswc"])               # what would others have found?

docs/python.md is the guide. Importing this module loads nothing else: each function loads what
it needs when it is first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

__version__ = "0.2.0"
__all__ = ["crawl", "identify", "open_log", "simulate"]

TYPE_CHECKING = False
"""As in `typing`, which takes so long to load that a Ctrl-C would often come in the midst of it."""
if TYPE_CHECKING:
    from typing import Any

    from langcrawl.api import crawl, identify, open_log, simulate


class _Function:
    """A function of the interface, loaded when it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, package: ModuleType, kind: type) -> Any:
        return getattr(import_module("langcrawl.api"), self._name)

    def __set__(self, package: ModuleType, submodule: Any) -> None:
        """Stay a function: importing the module ``langcrawl.crawl`` would set that here."""


class _Package(ModuleType):
    """This package: two of its functions have the names of modules in it, and win over them."""

    crawl = _Function("crawl")
    identify = _Function("identify")
    open_log = _Function("open_log")
    simulate = _Function("simulate")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Package
