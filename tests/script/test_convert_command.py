"""``langcrawl convert`` as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.script import zawgyi_glyphs
from langcrawl.virtualweb.phrases import PHRASES

BURMESE = "\n".join(PHRASES["my"]) + "\n"
ZAWGYI = zawgyi_glyphs.from_unicode(BURMESE).text


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.txt"
    path.write_text(ZAWGYI, "utf-8")
    return path


def test_text_goes_to_standard_output_and_nothing_else_does(cli: Cli, old: Path) -> None:
    done = cli("convert", "old.txt")
    assert (done.returncode, done.stdout, done.stderr) == (0, BURMESE, "")


def test_a_file_is_written_and_json_reports(cli: Cli, old: Path, tmp_path: Path) -> None:
    done = cli("convert", "old.txt", "--output", "new.txt", "--json")
    report = json.loads(done.stdout)
    assert (report["source"], report["from"], report["to"]) == ("old.txt", "zawgyi", "unicode")
    assert (report["characters"], report["unmapped"]) == (len(ZAWGYI), {})
    assert (tmp_path / "new.txt").read_text("utf-8") == BURMESE
    assert len(json.loads(cli("convert", "old.txt", "old.txt", "--json").stdout)) == 2


def test_what_cannot_be_converted_is_said(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("\ue245\ue250\ue261 \ue270\ue262", "utf-8")
    done = cli("convert", "s.txt")
    assert done.returncode == 0
    assert done.stdout == "\ue245\ue250\ue261 \ue270\ue262"
    assert "5 characters could not be converted from saiyin" in done.stderr
    assert "U+E245 (1)" in done.stderr
    (tmp_path / "s.txt").write_text("\ue266\ue26c\ue268 \ue271\ue276\ue273", "utf-8")
    assert "choose one with --from" in cli("convert", "s.txt").stderr
    assert cli("convert", "s.txt", "--from", "menksoft").stdout == "ᠠᠠᠠ ᠡᠡᠡ"


def test_a_page_in_an_ascii_font_shows_its_text(cli: Cli, tmp_path: Path) -> None:
    page = "<html><body><font face='Win Innwa'>vGSrf;rdk;xm;onf</font></body></html>"
    (tmp_path / "page.html").write_text(page)
    assert cli("convert", "page.html").stdout == "လွှမ်းမိုးထားသည်\n"


def test_standard_input_is_read_and_zawgyi_written() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "langcrawl", "convert", "-", "--to", "zawgyi"],
        input=BURMESE.encode(), capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.decode() == ZAWGYI


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["absent.txt"], 1, "there is no file 'absent.txt'"),
        (["."], 1, "is a directory"),
        (["empty.txt"], 1, "is empty"),
        (["binary"], 1, "is not text"),
        (["old.txt", "--from", "zawgy"], 2, "did you mean 'zawgyi'"),
        (["old.txt", "--to", "menksoft"], 2, "unicode or zawgyi"),
        (["old.txt", "--output", "."], 2, "name of a file"),
        ([], 2, "FILE"),
    ],
)
def test_bad_input_gives_one_sentence(
    cli: Cli, old: Path, tmp_path: Path, words: list[str], status: int, says: str
) -> None:
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 4)
    done = cli("convert", *words)
    assert (done.returncode, done.stdout) == (status, "")
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    assert says in lines[0]


def test_what_cannot_be_read_is_said(cli: Cli, tmp_path: Path) -> None:
    """A byte that is no UTF-8 is counted; that a page is too long to be read is told."""
    broken = BURMESE.encode() * 3 + b"\xff" + BURMESE.encode()
    (tmp_path / "broken.txt").write_bytes(broken)
    done = cli("convert", "broken.txt")
    assert done.stdout == broken.decode("utf-8", "replace")
    assert "1 places are not utf-8" in done.stderr
    report = json.loads(cli("convert", "broken.txt", "--json").stdout)
    assert (report["unread"], report["charset"], report["cut"]) == (1, "utf-8", False)
    page = "<html><body>" + f"<p>{BURMESE}</p>" * 2_000
    (tmp_path / "long.html").write_text(page, "utf-8")
    done = cli("convert", "long.html")
    assert done.returncode == 0
    assert "only the beginning of its text" in done.stderr


def test_files_that_are_no_text_or_cannot_be_written_are_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 " + BURMESE.encode())
    (tmp_path / "memory").symlink_to("/proc/self/mem")
    (tmp_path / "a.txt").write_text(BURMESE, "utf-8")
    for words, said in (
        (["a.pdf"], "'a.pdf' is not text; name a file of text or HTML."),
        (["memory"], "'memory' cannot be read (Input/output error); check its permissions."),
        (
            ["a.txt", "--output", "no/where"],
            "'no/where' cannot be written (No such file or directory); choose another --output.",
        ),
    ):
        done = cli("convert", *words)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"langcrawl: {said}\n"
