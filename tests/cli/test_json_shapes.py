"""The JSON of commands: the keys that docs/commands.md promises, and numbers that are known."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from commands import run_here
from webs import P, reference, url, write_web

DOCS = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
WEB = {
    "a.th/": P("th", ("a.th/1", "b.com/", "gone.org/")), "a.th/1": P("th", ("b.com/",)),
    "b.com/": P("en", ("a.th/1", "c.jp/")), "c.jp/": P("ja", ("d.th/",)), "d.th/": P("th"),
}  # fmt: skip
ENGLISH = "The river is low at this time of the year and the boats stay in the harbour. " * 5
THAI = "วันนี้อากาศดีมากและท้องฟ้าแจ่มใส ตลาดริมน้ำเปิดทุกเช้าตั้งแต่หกโมง " * 4


def promised(command: str) -> set[str]:
    """The keys of the first object that the documentation of a command's --json shows."""
    text = DOCS.read_text("utf-8")
    begin = text.index(f"## langcrawl {command}")
    row = re.search(r"^\| `--json` \| (.*)$", text[begin:], re.MULTILINE)
    assert row, command
    shape = row[1][row[1].index("{") :]
    keys, depth = set(), 0
    for found in re.finditer(r'[{\[]|[}\]]|"([a-z_]+)":', shape):
        if found[0] in "{[":
            depth += 1
        elif found[0] in "}]":
            depth -= 1
            if not depth:
                break
        elif depth == 1:
            keys.add(found[1])
    assert len(keys) > 1, command
    return keys


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log, texts, a page and tables."""
    folder = tmp_path_factory.mktemp("shapes")
    write_web(folder / "web", WEB, ["a.th/"])
    (folder / "en.txt").write_text(ENGLISH)
    (folder / "th.txt").write_bytes(THAI.encode("tis-620"))
    (folder / "page.html").write_text(f"<html><title>Boats</title><p>{ENGLISH}</p></html>")
    (folder / "pages.csv").write_text(
        "url,language\nhttp://a.th/,th\nno url,th\nhttp://b.th/,xx1\n"
    )
    (folder / "links.csv").write_text("from,to\nhttp://a.th/,http://b.th/\nx,y\n")
    return folder


def simulated(folder: Path, *words: str) -> Any:
    return run_here(folder, "simulate", "web", *words, "--interpreted", "--json").json


def test_simulate_has_an_entry_for_each_strategy_in_the_order_given(folder: Path) -> None:
    found = simulated(folder, "--strategy", "soft", "--strategy", "hard", "--points", "2")
    assert set(found) >= promised("simulate LOG")
    assert (found["log"], found["relevant_total"], found["languages"]) == ("web", 3, {"th": 3})
    assert [entry["name"] for entry in found["strategies"]] == ["soft", "hard"]
    for entry in found["strategies"]:
        told = reference(WEB, ["a.th/"], _rule(entry["name"]))
        relevant = sum(WEB[name].language == "th" for name in told.order)
        assert (entry["pages"], entry["relevant"]) == (len(told.order), relevant)
        assert entry["harvest"] == relevant / len(told.order)
        assert entry["coverage"] == relevant / 3
        assert entry["max_queue"] == max(told.queues)
        assert entry["discards"]["not-in-log"] == 1
        assert set(entry["pages_to"]) == {"0.5", "0.8", "0.9", "0.99"}
        assert len(entry["curve"]) == 2
        assert set(entry["curve"][0]) == {"pages", "harvest", "coverage", "queue"}
        assert entry["partial"] is False


def _rule(name: str) -> Any:
    from langcrawl.strategy import make_rule

    return make_rule(name)


def test_orders_of_several_strategies_are_files_of_their_own(folder: Path) -> None:
    simulated(folder, "--strategy", "bfs", "--strategy", "hard", "--order", "o/taken.txt")
    for place, name in ((1, "bfs"), (2, "hard")):
        lines = (folder / "o" / f"taken.txt.{place}").read_text().splitlines()
        assert lines == [url(each) for each in reference(WEB, ["a.th/"], _rule(name)).order]
    simulated(folder, "--strategy", "bfs", "--order", "one.txt")
    assert len((folder / "one.txt").read_text().splitlines()) == 5


def test_a_timed_simulation_tells_the_time(folder: Path) -> None:
    (entry,) = simulated(folder, "--strategy", "bfs", "--timed", "--delay", "2")["strategies"]
    time = entry["time"]
    assert (time["delay"], time["connections"]) == (2.0, 16)
    assert time["seconds"] >= time["without_delay"]["seconds"]
    assert time["slowed_by_delay"] == time["seconds"] / time["without_delay"]["seconds"]
    assert time["hours"][0]["pages"] == 5


def test_a_strategy_that_fails_has_an_error_and_the_status_is_1(folder: Path) -> None:
    (folder / "own.py").write_text(
        "from langcrawl.ports import Strategy\n"
        "def broken():\n"
        "    return Strategy('broken', lambda facts: 1 / (facts.depth - 1), 'fails', lanes=0)\n"
    )
    words = ("simulate", "web", "--strategy", "bfs", "--strategy", "own.py:broken", "--json")
    done = run_here(folder, *words, "--interpreted")
    assert done.status == 1
    assert "1 of 2 strategies failed: 'own.py:broken'; the results say why." in done.err
    good, bad = json.loads(done.out)["strategies"]
    assert "error" not in good
    assert (bad["pages"], bad["partial"]) == (0, True)
    assert "the strategy 'own.py:broken' returned -1.0" in bad["error"]


def test_the_table_says_what_the_json_says(folder: Path) -> None:
    done = run_here(folder, "simulate", "web", "--strategy", "bfs", "--interpreted")
    heads, row = (re.split(r"  +", line.strip()) for line in done.out.splitlines())
    shown = dict(zip(heads, row, strict=True))
    assert shown == {
        "strategy": "bfs", "pages": "5", "relevant": "3", "harvest": "60.0%", "coverage": "100.0%",
        "pages to 90 %": "5", "largest queue": "2", "discarded": "1",
    }  # fmt: skip


def test_import_counts_what_came_in_and_what_did_not(folder: Path) -> None:
    words = ("--pages", "pages.csv", "--links", "links.csv", "--lang", "th", "--json")
    found = run_here(folder, "import", "in", *words).json
    assert set(found) >= promised("import DIR")
    assert found == {
        "pages": 2, "links": 1, "urls": 2, "relevant": 1, "bad_pages": 1, "repeated_pages": 0,
        "bad_links": 1, "bad_languages": 1,
    }  # fmt: skip
    assert run_here(folder, "verify", "in", "--json").json == {"problems": [], "lost_and_found": 0}


def test_identify_tells_each_file(folder: Path) -> None:
    files = ("en.txt", "th.txt", "page.html")
    found = run_here(folder, "identify", *files, "--lang", "th", "--json").json
    assert all(set(entry) >= promised("identify FILE") for entry in found)
    assert [(entry["source"], entry["language"], entry["relevant"]) for entry in found] == [
        ("en.txt", "en", False), ("th.txt", "th", True), ("page.html", "en", False),
    ]  # fmt: skip
    assert found[1]["charset"] == "cp874"
    (one,) = run_here(folder, "identify", "-", "--json", given=THAI.encode()).json
    assert (one["source"], one["language"], one["relevant"]) == ("-", "th", None)


def test_text_gives_title_and_text(folder: Path) -> None:
    (found,) = run_here(folder, "text", "page.html", "--json").json
    assert set(found) >= promised("text FILE")
    assert (found["title"], found["text"], found["error"]) == ("Boats", ENGLISH.strip(), None)
    (thai,) = run_here(folder, "text", "-", "--json", given=THAI.encode("tis-620")).json
    assert (thai["language"], thai["encoding"], thai["charset"]) == ("th", "unicode", "cp874")
    shown = run_here(folder, "text", "page.html", "en.txt")
    assert shown.out.startswith("==> page.html <==\n")
    assert "\n==> en.txt <==\n" in shown.out


def test_convert_reports_what_it_did(folder: Path) -> None:
    found = run_here(folder, "convert", "en.txt", "--json").json
    assert set(found) >= promised("convert FILE")
    assert (found["source"], found["from"], found["to"]) == ("en.txt", "unicode", "unicode")
    assert (found["characters"], found["unread"], found["cut"]) == (len(ENGLISH), 0, False)
    both = run_here(folder, "convert", "en.txt", "th.txt", "--json").json
    assert [each["source"] for each in both] == ["en.txt", "th.txt"]
    done = run_here(folder, "convert", "th.txt", "--output", "out.txt")
    assert (done.status, done.out) == (0, "")
    assert (folder / "out.txt").read_text("utf-8") == THAI
    damaged = run_here(folder, "convert", "-", given=f"{THAI}\ufffd".encode())
    assert "-: 1 places are not utf-8, or were damaged before; they are now U+FFFD" in damaged.err
    assert THAI.strip() in damaged.out


def test_convert_names_what_it_cannot_convert(folder: Path) -> None:
    (folder / "private.txt").write_text("\ue264\ue265\ue34b " * 30 + "\ue25e")
    found = run_here(folder, "convert", "private.txt", "--from", "menksoft", "--json").json
    assert found["from"] == "menksoft"
    assert found["unmapped"] == {"U+E25E": 1}
    said = run_here(folder, "convert", "private.txt", "--from", "menksoft")
    assert "1 characters could not be converted from menksoft" in said.err
    assert "U+E25E (1)" in said.err


def test_a_dry_run_of_a_crawl_changes_nothing(folder: Path) -> None:
    words = ("crawl", "new", "--lang", "th", "--seeds", "http://a.th/", "--dry-run")
    found = run_here(folder, *words, "--json").json
    assert found == {
        "dry_run": True, "waiting": 0, "left_out": 0, "reasons": {}, "examples": {}, "seeds": 1,
    }  # fmt: skip
    assert (
        "Nothing was changed and nobody was asked. 1 seeds are named."
        in run_here(folder, *words).out
    )
    assert not (folder / "new").exists()


@pytest.mark.parametrize("name", ["strategies", "judges"])
def test_parts_are_listed_with_their_parameters(folder: Path, name: str) -> None:
    found = run_here(folder, name, "--json").json
    assert all(set(entry) == {"name", "parameters", "says"} for entry in found)
    assert not any(key.endswith("_") for entry in found for key in entry["parameters"])
    lines = run_here(folder, name).out.splitlines()
    assert len(lines) == len(found)
    for line, entry in zip(lines, found, strict=True):
        assert line.startswith(entry["name"])
        assert all(f"{key}=" in line for key in entry["parameters"])


def test_profiles_and_keywords_are_listed(folder: Path) -> None:
    profiles = run_here(folder, "synth", "--profiles", "--json").json
    assert "thai-2005" in [entry["name"] for entry in profiles]
    assert len(run_here(folder, "synth", "--profiles").out.splitlines()) == len(profiles)
    found = run_here(folder, "keywords", "th", "--kind", "province", "--json").json
    assert set(found) >= promised("keywords COUNTRY")
    assert (found["country"], "Chiang Mai" in found["names"]) == ("TH", True)
    assert found["kinds"]["province"] >= len(found["names"]) > 70
    shown = run_here(folder, "keywords", "Thailand", "--kind", "province").out.splitlines()
    assert shown == found["names"]
