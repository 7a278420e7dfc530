"""Every command says what it does, gives an example that works, and refuses what it has not."""

from __future__ import annotations

import re
import shlex

import pytest
import typer

from conftest import Cli
from langcrawl.cli import make_app

COMMANDS = typer.main.get_command(make_app()).commands  # type: ignore[attr-defined]
LISTS = ("strategies", "judges", "languages")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_in_a_sentence_what_the_command_does(name: str, cli: Cli) -> None:
    done = cli(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"langcrawl {name} " in done.stdout
    says = (COMMANDS[name].help or "").strip().splitlines()[0]
    assert says[0].isupper()
    assert says.endswith(".")
    assert " ".join(says.split()[:3]) in " ".join(done.stdout.split())
    assert cli(name, "-h").stdout == done.stdout


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in LISTS])
def test_examples_use_options_that_there_are(name: str) -> None:
    text = COMMANDS[name].help or ""
    assert "Example:" in text
    examples = re.findall(r"langcrawl (.+)", text)
    assert any(example.split()[0] == name for example in examples)
    for example in examples:
        command, *words = shlex.split(example.split(" > ")[0])
        known = {option for each in COMMANDS[command].params for option in each.opts}
        given = {word for word in words if word.startswith("--")}
        assert given <= known, f"{example}: there is no {given - known}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_described(name: str) -> None:
    for option in COMMANDS[name].params:
        assert getattr(option, "help", ""), f"{name} {option.name}"


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_that_is_not_there_is_named_and_nothing_is_done(name: str, cli: Cli) -> None:
    done = cli(name, "--no-such-option")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("langcrawl: ")
    assert "--no-such-option" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_commands_that_report_take_json() -> None:
    for name, command in COMMANDS.items():
        assert "--json" in {option for each in command.params for option in each.opts}, name


def test_a_word_too_many_is_named(cli: Cli) -> None:
    done = cli("strategies", "soft")
    assert (done.returncode, done.stdout) == (2, "")
    assert "soft" in done.stderr


def test_the_overview_names_every_command(cli: Cli) -> None:
    shown = cli("--help").stdout
    assert all(re.search(rf"^  {name}\b", shown, re.MULTILINE) for name in COMMANDS)


def test_a_new_interpreter_says_the_same_as_the_tests_own_processes(
    cli: Cli, cold_cli: Cli
) -> None:
    for words in (["strategies"], ["crawl", "x", "--no"], ["status", "absent"], ["judges", "-h"]):
        warm, cold = cli(*words), cold_cli(*words)
        assert (warm.returncode, warm.stderr) == (cold.returncode, cold.stderr)
        assert warm.stdout == cold.stdout.replace("python -m langcrawl", "langcrawl")
