"""What all options can do: complete in a shell, show their defaults; and ``--config``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from conftest import Cli
from langcrawl.cli import make_app
from langcrawl.config import CrawlConfig
from langcrawl.judge import JUDGES
from langcrawl.strategy import STRATEGIES
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb

COMMANDS = typer.main.get_command(make_app()).commands  # type: ignore[attr-defined]


def completed(tmp_path: Path, line: str) -> list[str]:
    """What bash would offer at the end of a line, by the script that langcrawl itself prints."""
    command = tmp_path / "langcrawl"
    if not command.exists():  # the command as it is installed, wherever this runs
        command.write_text(
            f"#!{sys.executable}\nimport sys\nsys.argv[0] = 'langcrawl'\n"
            "from langcrawl.__main__ import main\nmain()\n"
        )
        command.chmod(0o755)
    script = f"""
        eval "$(langcrawl --show-completion)" || exit 1
        COMP_WORDS=({line} '') COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        if [ "${{line: -1}}" != ' ' ]; then
            unset "COMP_WORDS[$COMP_CWORD]"; COMP_CWORD=$((COMP_CWORD - 1))
        fi
        _langcrawl_completion langcrawl
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "line": line}
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True, text=True, check=True, env=environment, timeout=120,
    )  # fmt: skip
    return done.stdout.split()


def test_bash_completes_strategies_judges_languages_and_commands(tmp_path: Path) -> None:
    assert set(completed(tmp_path, "langcrawl simulate web --strategy ")) == set(STRATEGIES)
    assert completed(tmp_path, "langcrawl crawl web --strategy l") == [
        "limited", "lswc", "likely-segment",
    ]  # fmt: skip
    assert set(completed(tmp_path, "langcrawl crawl web --judge ")) == set(JUDGES)
    assert "mn-Mong" in completed(tmp_path, "langcrawl import web --warc a b --lang mn")
    assert completed(tmp_path, "langcrawl simu") == ["simulate"]


@pytest.mark.parametrize("name", COMMANDS)
def test_options_of_these_names_complete_wherever_they_are(name: str) -> None:
    for option in COMMANDS[name].params:
        if option.name in ("strategy", "judge", "lang") and option.param_type_name == "option":
            context = typer.Context(COMMANDS[name])
            assert option.shell_complete(context, ""), f"{name} --{option.name}"


def test_help_shows_the_defaults_that_the_config_has(cli: Cli) -> None:
    shown = cli("crawl", "--help").stdout
    for key, field in CrawlConfig.model_fields.items():
        option = next((each for each in COMMANDS["crawl"].params if each.name == key), None)
        if option is None or field.is_required() or field.default in (None, "", ()):
            continue
        part = re.search(rf"^  {option.opts[0]} (.*?)(?=^  -)", shown, re.MULTILINE | re.DOTALL)
        assert part
        value = field.default
        said = ("yes" if value else "no") if isinstance(value, bool) else f"{value}"
        said = said.removesuffix(".0") if isinstance(value, float) else said
        assert f"[default: ({said})" in " ".join(part.group().split()), key
    assert "(the language's own)" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_every_default_of_an_option(name: str, cli: Cli) -> None:
    shown = cli(name, "--help").stdout
    told = shown.count("[default:")
    has = [
        option.name
        for option in COMMANDS[name].params
        if option.param_type_name == "option"
        and not isinstance(option.default, bool)
        and (option.default not in (None, "") or isinstance(option.show_default, str))
    ]
    assert told >= len(has), (has, shown)


def test_settings_come_from_a_file_and_options_win(
    cli: Cli, tmp_path: Path, small_web: SmallWeb
) -> None:
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "seeds.txt").write_text("\n".join(small_web.seeds))
    file = tmp_path / "settings" / "thai.toml"
    with Server(small_web.answer) as server:
        file.write_text(
            'version = "0.1"\nsource = "crawl"\nlang = "th"\nseeds = ["seeds.txt"]\n'
            f'strategy = "bfs"\ndelay = 0.0\nmax_pages = 5\nconnect_to = ["{server.connect_to}"]\n'
            "timeout = 7.0\n"
        )
        done = cli("crawl", "web", "--config", file, "--max-pages", "9", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["pages"] >= 9
        config = CrawlConfig.load(tmp_path / "web")
        assert (config.strategy, config.max_pages, config.timeout) == ("bfs", 9, 7.0)
        assert (config.lang, config.seeds) == ("th", small_web.seeds)
        file.write_text("max_pages = 12\n")
        more = json.loads(cli("crawl", "web", "--config", file, "--json").stdout)
        assert more["pages"] >= 12
        assert CrawlConfig.load(tmp_path / "web").strategy == "bfs"  # as it was


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "there is no file 'x.toml'"),
        ("lang = ", "'x.toml' is not valid TOML"),
        ("max_page = 3", "'x.toml' cannot be used: max_page: extra inputs are not permitted; the"),
        ("max_pages = 'many'", "'x.toml' cannot be used: max_pages: "),
        ("lang = 3", "'x.toml' cannot be used: lang: "),
        ("seeds = ['absent.txt']\nlang = 'th'", "there is no file 'absent.txt'"),
        ("lang = 'th'", "a new crawl needs --seeds"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_with_its_key(
    cli: Cli, tmp_path: Path, text: str | None, says: str
) -> None:
    if text is not None:
        (tmp_path / "x.toml").write_text(text)
    done = cli("crawl", "web", "--config", "x.toml")
    assert (done.returncode in (1, 2), done.stdout) == (True, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "web").exists()


def test_code_that_only_the_file_names_needs_trust(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("print('ran')\n")
    (tmp_path / "x.toml").write_text(
        'lang = "th"\nseeds = ["http://a.th/"]\nstrategy = "own.py:near"\n'
    )
    done = cli("crawl", "web", "--config", "x.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'x.toml' names the strategy 'own.py:near'" in done.stderr
    assert "--trust" in done.stderr
