"""Documentation is complete: every command, flag, strategy, judge and key is in docs/."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import typer

from langcrawl.cli import make_app
from langcrawl.config import CrawlConfig
from langcrawl.judge import JUDGES, make_judge
from langcrawl.languages import load_pack
from langcrawl.languages.packs import Pack
from langcrawl.log.schema import TABLES
from langcrawl.ports import Learner, Strategy
from langcrawl.records import Facts
from langcrawl.strategy import NEED_A_MODEL, STRATEGIES, make_rule, make_strategy
from langcrawl.virtualweb.synth import profiles
from langcrawl.virtualweb.synth.profile import Domain, Hosts, Linking, Links, Pages, Profile

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = typer.main.get_command(make_app()).commands  # type: ignore[attr-defined]


def text(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_flag_is_documented(name: str) -> None:
    document = text("commands.md")
    heading = re.search(rf"^## .*langcrawl {name}\b.*$", document, re.MULTILINE)
    assert heading, f"docs/commands.md has no section on langcrawl {name}"
    section = document[heading.start() :].split("\n## ", 1)[0]
    for parameter in COMMANDS[name].params:
        for flag in parameter.opts:
            if flag.startswith("--") and flag != "--help":
                assert f"`{flag}`" in section, f"{flag} of langcrawl {name} is not documented"


@pytest.mark.parametrize(("makers", "file"), [(STRATEGIES, "strategies.md"), (JUDGES, "judges.md")])
def test_every_strategy_and_judge_is_documented_with_its_parameters(
    makers: dict[str, object], file: str
) -> None:
    for name, maker in makers.items():
        row = re.search(rf"^\| `{re.escape(name)}[:`].*$", text(file), re.MULTILINE)
        assert row, f"{name} is not in docs/{file}"
        assert callable(maker)
        for parameter in inspect.signature(maker).parameters:
            if parameter not in ("target", "pack", "lang"):
                assert f"{parameter.rstrip('_')}=" in row.group(), f"{name}'s {parameter}"


def test_every_reason_to_discard_is_documented() -> None:
    for name in STRATEGIES.keys() - NEED_A_MODEL:
        made = make_strategy(name)
        for reason in made.reasons if isinstance(made, Strategy) else ():
            assert f"`{reason}`" in text("strategies.md"), reason


def test_every_key_fact_and_column_is_documented() -> None:
    for key in CrawlConfig.model_fields:
        assert f"`{key}`" in text("config.md"), key
    for key in Pack.model_fields:
        assert f"`{key}`" in text("languages.md"), key
    for fact in Facts._fields:
        assert f"`{fact}`" in text("strategies.md"), fact
    for schema in TABLES.values():
        for column in schema.names:
            assert re.search(rf"\b{column}\b", text("crawl-log.md")), column


def test_every_key_of_a_profile_is_documented() -> None:
    tables = (Profile, Domain, Hosts, Pages, Links, Linking)
    for key in {key for table in tables for key in table.model_fields}:
        assert f"`{key}`" in text("virtual-webs.md"), key
    for name in profiles():
        assert f"`{name}`" in text("virtual-webs.md"), name


def test_the_example_in_the_text_is_the_example_in_the_tree() -> None:
    code = (ROOT / "examples" / "own_strategy.py").read_text("utf-8").split('"""\n\n', 1)[1]
    assert code in text("strategies.md")
    assert make_rule(f"{ROOT}/examples/own_strategy.py:near:most=1").lanes == 2
    learner = (ROOT / "examples" / "own_learner.py").read_text("utf-8").split('"""\n\n', 1)[1]
    assert learner.rstrip() in text("strategies.md")


def test_every_part_of_a_learner_is_documented() -> None:
    for part in (name for name in vars(Learner) if not name.startswith("_")):
        if part not in ("name", "says", "state_of", "watches", "rank_facts"):
            assert re.search(rf"`[^`]*\b{part}\b", text("strategies.md")), part


def test_the_judge_in_the_text_is_the_judge_in_the_tree() -> None:
    code = (ROOT / "examples" / "own_judge.py").read_text("utf-8").split('"""\n\n', 1)[1]
    assert code in text("judges.md")
    assert make_judge(load_pack("th"), f"{ROOT}/examples/own_judge.py:About:word=x,times=2")


def test_links_between_documents_lead_somewhere() -> None:
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
            if "://" not in target:
                name, _, place = target.partition("#")
                there = path.parent / name if name else path
                assert there.exists(), f"{path.name} -> {target}"
                assert not place or place in headings(there), f"{path.name} -> {target}"


def headings(path: Path) -> set[str]:
    """The headings of a document as links name them."""
    found = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_the_readme_begins_with_one_sentence_the_two_commands_and_what_they_print() -> None:
    lines = [line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if line]
    assert lines[0].startswith("# langcrawl")
    assert lines[1].count(".") == 1
    first_screen = "\n".join(lines[:40])
    for words in ("make demo", "make test", "robots.txt closed", "passed"):
        assert words in first_screen
