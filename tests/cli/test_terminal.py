"""The text of a page cannot tell a terminal what to do; elsewhere it stays as it is."""

from __future__ import annotations

import json
import os
import pty
import sys
import tty
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

import pytest

from commands import run_here
from langcrawl.cli import main
from langcrawl.cli.common import without_controls

STORY = "The river is low at this time of the year, and boats cannot pass. " * 5
COMMANDS = "\x1b]0;a name\x07 \x1b[2J \x9b31m \x7f\x08\x0c"
SHOWN = "[U+001B]]0;a name[U+0007] [U+001B][2J [U+009B]31m [U+007F][U+0008][U+000C]"


@pytest.fixture
def page(tmp_path: Path) -> str:
    (tmp_path / "page.txt").write_text(f"{STORY}\n\t{COMMANDS}end\r\n{STORY}\n", "utf-8")
    return "page.txt"


def on_terminal(directory: Path, *words: str) -> str:
    """What a terminal gets of a command; line ends are not made longer on the way."""
    mine, its = pty.openpty()
    tty.setraw(its)
    with (
        open(its, "w", encoding="utf-8") as terminal,
        chdir(directory),
        patch.object(sys, "argv", ["langcrawl", *words]),
        patch.object(sys, "stdout", terminal),
    ):
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 0
        said = os.read(mine, 65536).decode()
    os.close(mine)
    return said


@pytest.mark.parametrize("words", [("text", "--text", "full"), ("convert", "--from", "unicode")])
def test_controls_are_codes_on_a_terminal_and_stay_elsewhere(
    tmp_path: Path, page: str, words: tuple[str, ...]
) -> None:
    name, *options = words
    said = on_terminal(tmp_path, name, page, *options)
    assert "[U+001B]]0;a name[U+0007]" in said
    assert "[U+009B]31m" in said
    assert not {letter for letter in said if ord(letter) < 32 or 127 <= ord(letter) < 160} - {
        "\n", "\t", "\r"
    }  # fmt: skip
    assert "\x1b[2J" in run_here(tmp_path, name, page, *options).out


def test_json_has_codes_of_all_controls(tmp_path: Path, page: str) -> None:
    said = run_here(tmp_path, "text", page, "--text", "full", "--json").out
    assert "\x9b" not in said
    assert "\x7f" not in said
    assert "\x9b31m \x7f" in json.loads(said)[0]["text"]


def test_lines_and_tabs_stay() -> None:
    assert without_controls(f"a\r\nb\tc\n{COMMANDS}\r") == f"a\nb\tc\n{SHOWN}[U+000D]"
    assert without_controls("ภาษา\u200d\u200b é") == "ภาษา\u200d\u200b é"
