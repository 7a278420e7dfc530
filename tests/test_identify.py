"""identify: files and directories, as tables and JSON, with evidence."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Cli

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
