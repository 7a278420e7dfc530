"""Commands in this very process: for what a command says, where it needs no process of its own.

`run_here` calls the same `main` as the installed script, with the same words. Only the start of an
interpreter is left out, so a hundred wrong options are tried in the time of one process.
"""

from __future__ import annotations

import json
import sys
from contextlib import chdir
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from langcrawl.cli import main


class Done(NamedTuple):
    """How a command ended, and what it said."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output of a command that was done."""
        assert self.status == 0, self.err
        return json.loads(self.out)

    def check_refused(self, status: int, *says: str) -> None:
        """It ended so, with one sentence that says all this, and nothing on standard output."""
        assert (self.status, self.out) == (status, ""), self.err
        assert len(self.err.splitlines()) == 1, self.err
        assert self.err.startswith("langcrawl: ")
        for words in says:
            assert words in self.err


def run_here(directory: Path, *words: str | Path, given: bytes = b"") -> Done:
    """Run a command in a directory, with these bytes on its standard input."""
    out, err = _stream(), _stream()
    with (
        chdir(directory),
        patch.object(sys, "argv", ["langcrawl", *map(str, words)]),
        patch.object(sys, "stdin", _stream(given)),
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
    ):
        try:
            main()
        except SystemExit as end:
            status = end.code
    assert isinstance(status, int)
    return Done(status, _text(out), _text(err))


def _stream(given: bytes = b"") -> TextIOWrapper:
    return TextIOWrapper(BytesIO(given), encoding="utf-8")


def _text(stream: TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, BytesIO)
    return stream.buffer.getvalue().decode()
