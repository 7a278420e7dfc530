"""identify: files and directories, as tables and JSON, with evidence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from tests.conftest import Cli

from langcrawl.importers.files import find_files, identify
from langcrawl.virtualweb.phrases import PHRASES


def test_files_are_identified_with_charset_and_evidence(cli: Cli, tmp_path: Path) -> None:
    thai = " ".join(PHRASES["th"])
    page = f"<html><head><meta charset=tis-620></head><body>{thai}</body></html>"
    (tmp_path / "thai.html").write_bytes(page.encode("cp874"))
    (tmp_path / "english.txt").write_text(" ".join(PHRASES["en"]), encoding="utf-8")
    (tmp_path / "empty").write_bytes(b"")
    done = cli("identify", "thai.html", "english.txt", "empty", "--json")
    assert done.returncode == 0, done.stderr
    first, second, third = json.loads(done.stdout)
    assert (first["language"], first["charset"], first["relevant"]) == ("th", "cp874", None)
    assert first["evidence"]
    assert first["score"] > 0.8
    assert (second["language"], second["source"]) == ("en", "english.txt")
    assert second["score"] > 0.8
    assert all("Myanmar" not in line for line in second["evidence"])
    assert (third["language"], third["score"]) == ("und", 0.0)
    table = cli("identify", "thai.html", "english.txt", "--lang", "th").stdout
    assert "th *" in table
    assert "en *" not in table


def test_a_directory_of_many_files_is_judged_in_order_on_all_cores(
    cli: Cli, tmp_path: Path
) -> None:
    folder = tmp_path / "many" / "deep"
    folder.mkdir(parents=True)
    tongues = list(PHRASES)
    for number in range(200):
        text = " ".join(PHRASES[tongues[number % len(tongues)]])
        (folder / f"{number:03}.txt").write_text(text, encoding="utf-8")
    done = cli("identify", "many", "--lang", "my", "--json")
    found = json.loads(done.stdout)
    assert [entry["language"].split("-")[0] for entry in found] == [
        tongues[number % len(tongues)] for number in range(200)
    ]
    assert sum(entry["relevant"] for entry in found) == sum(
        tongues[number % len(tongues)] == "my" for number in range(200)
    )


def test_bad_input_is_refused_in_a_sentence(cli: Cli, tmp_path: Path) -> None:
    done = cli("identify", "nowhere")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no file" in done.stderr
    (tmp_path / "bare").mkdir()
    assert cli("identify", "bare").returncode == 1
    (tmp_path / "a").write_text("text")
    assert cli("identify", "a", "--judge", "oracle").returncode == 2


def test_names_that_are_no_text_and_files_that_cannot_be_read(tmp_path: Path) -> None:
    """Odd names keep a table and a JSON document whole; one bad file does not end the work."""
    english = " ".join(PHRASES["en"])
    folder = tmp_path / "odd"
    folder.mkdir()
    odd = os.fsdecode(b"bad\xff.txt")
    for name in (odd, "new\nline.txt", "plain.txt"):
        (folder / name).write_text(english)
    (folder / "memory").symlink_to("/proc/self/mem")  # a file that fails when it is read
    (folder / "loop").symlink_to(folder)
    (folder / "gone").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "pipe")
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    command = [sys.executable, "-m", "langcrawl", "identify", "odd"]
    done = subprocess.run([*command, "--json"], cwd=tmp_path, env=strict, capture_output=True)
    assert done.returncode == 1
    assert done.stderr == (b"langcrawl: 1 of 4 files could not be read; their evidence says why.\n")
    found = json.loads(done.stdout.decode())
    assert [Path(entry["source"]).name for entry in found] == sorted(
        [odd, "new\nline.txt", "plain.txt", "memory"]
    )
    assert {entry["language"] for entry in found if not entry["error"]} == {"en"}
    assert [entry["error"] for entry in found if entry["error"]] == [
        "cannot be read (Input/output error)"
    ]
    table = subprocess.run(command, cwd=tmp_path, env=strict, capture_output=True, text=True)
    assert "bad\\udcff.txt" in table.stdout
    assert "new\\nline.txt" in table.stdout


def test_a_directory_that_cannot_be_looked_into_is_missed() -> None:
    """As another user where the tests run as root, whom nothing is closed to."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "closed").mkdir(mode=0o700)
        (folder / "open.txt").write_text("text")
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        else:
            (folder / "closed").chmod(0)
        try:
            found = find_files([folder])
        finally:
            if root:
                os.seteuid(0)
            (folder / "closed").chmod(0o700)
        answers = list(identify(found))
    assert [path.name for path in found] == ["closed", "open.txt"]
    assert answers[0]["error"] == "a directory that cannot be looked into"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "nothing in it"),
        (b" \n\n", "nothing in it"),
        (b"%PDF-1.4\nThe river is low and the boats stay in the harbour today", "no text"),
        (b"\x1f\x8b\x08" + b"The river is low and the boats stay in the harbour", "no text"),
        (b"\x7fELF\x02\x01\x01" + bytes(900), "no text"),
    ],
    ids=["empty", "blank", "pdf", "gzip", "program"],
)
def test_what_is_no_text_is_said_to_be_none(tmp_path: Path, body: bytes, said: str) -> None:
    (tmp_path / "file").write_bytes(body)
    (found,) = identify([tmp_path / "file"], "en")
    assert (found["language"], found["relevant"], found["charset"]) == ("und", False, "")
    assert said in found["evidence"][0]


def test_standard_input_stands_alone(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    done = cli("identify", "-", "a")
    assert (done.returncode, done.stdout) == (2, "")
    assert "give no other file with it" in done.stderr


@pytest.mark.parametrize("after", [0.8, 1.3, 1.8, 2.5])
def test_ctrl_c_ends_the_work_on_all_cores_without_a_word(tmp_path: Path, after: float) -> None:
    """Also while the processes are only starting."""
    folder = tmp_path / "many"
    folder.mkdir()
    text = tmp_path / "text"
    text.write_text(" ".join(PHRASES["en"] * 20))
    for number in range(20_000):  # enough for any machine to be at it when it is stopped
        os.link(text, folder / f"{number}.txt")
    command = [sys.executable, "-m", "langcrawl", "identify", "many"]
    running = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, text=True,
    )  # fmt: skip
    time.sleep(after)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert running.returncode in (130, -signal.SIGINT)
    assert out == ""
    assert "Traceback" not in err
