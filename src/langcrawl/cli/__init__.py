"""The command line: arguments in, tables or JSON out, one sentence when something is wrong.

Each command is a file of its own; what they share is in `common`. Only the command that is asked
for is loaded: all of them would take longer than many a command takes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from io import TextIOWrapper
from keyword import iskeyword
from typing import Annotated

import typer
from typer.exceptions import TyperException

from langcrawl import __version__
from langcrawl.cli.common import INTERRUPTED, without_controls
from langcrawl.cli.options import ManyWords, config_defaults, prepared
from langcrawl.errors import NO_MEMORY, LangcrawlError

_COMMANDS = {
    "demo": "demo_command",
    "crawl": "crawl_command",
    "status": "status_command",
    "why": "why_command",
    "report": "report_command",
    "dashboard": "dashboard_command",
    "review": "review_command",
    "retry": "retry_command",
    "recrawl": "recrawl_command",
    "recover": "recover_command",
    "verify": "verify_command",
    "forget": "forget_command",
    "collect": "collect_command",
    "simulate": "simulate_command",
    "tune": "tune_command",
    "import": "import_command",
    "synth": "synth_command",
    "serve": "serve_command",
    "analyze": "analyze_command",
    "export": "export_command",
    "stats": "stats_command",
    "identify": "identify_command",
    "convert": "convert_command",
    "text": "text_command",
    "learn": "learn_command",
    "train": "train_command",
    "keywords": "keywords_command",
    "strategies": "list_commands",
    "judges": "list_commands",
    "languages": "list_commands",
}
"""Every command, in the order of the help, and the module in which it stands."""


def top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Collect the web of one language.

    \b
    Try:  langcrawl demo
          langcrawl crawl thai --lang th --seeds https://www.example.co.th/ --max-pages 1000
          langcrawl simulate thai --strategy soft --strategy lswc:s=3,t=5
    """
    if version:
        print(f"langcrawl {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def make_app(names: Iterable[str] = _COMMANDS) -> typer.Typer:
    """The command line with these commands; only their modules are loaded."""
    made = typer.Typer(
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback(invoke_without_command=True)(top)
    for name in names:
        module = import_module(f"langcrawl.cli.{_COMMANDS[name]}")
        command = getattr(module, f"{name}_" if iskeyword(name) else name)
        defaults = config_defaults() if name == "crawl" else None
        made.command(name, cls=ManyWords if name == "import" else None)(prepared(command, defaults))
    return made


def main() -> None:
    """Run a command; every error that a user can cause ends in one sentence."""
    if isinstance(sys.stdout, TextIOWrapper):  # a terminal that cannot show a letter gets its code
        sys.stdout.reconfigure(errors="backslashreplace")
    asked = sys.argv[1:2]
    try:
        app = make_app(asked if asked and asked[0] in _COMMANDS else _COMMANDS)
        code = app(standalone_mode=False)
    except LangcrawlError as error:
        code = _complain(str(error), error.exit_status)
    except TyperException as error:
        code = _complain(_with_hint(error.format_message(), "".join(asked)), 2)
    except MemoryError:
        code = _complain(NO_MEMORY, 1)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except OSError as error:
        code = _complain(_of_the_system(error), 1)
    sys.exit(code if isinstance(code, int) else 0)


_MEANT = {
    "crawl": "URLs to start from go after --seeds",
    "forget": "URLs go after --url, hosts after --host",
    "import": "web archives go after --warc",
    "collect": "the folder or store to bring them to goes after --to",
}
"""What somebody means who gives a command more words than it takes."""


def _with_hint(sentence: str, command: str) -> str:
    if sentence.startswith("Got unexpected extra argument") and (hint := _MEANT.get(command)):
        return f"{sentence}; {hint}."
    return sentence


def _of_the_system(error: OSError) -> str:
    """What the system refused, with the file if there is one."""
    if error.filename is None or not error.strerror:
        return str(error)
    return (
        f"'{os.fsdecode(error.filename)}' cannot be used ({error.strerror}); check the path and "
        "its permissions."
    )


def _complain(sentence: str, status: int) -> int:
    print(f"langcrawl: {without_controls(sentence)}", file=sys.stderr)
    return status
