"""The command line: arguments in, tables or JSON out, one sentence when something is wrong.

Each command is a file of its own; what they share is in `common`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Annotated

import typer
from typer.exceptions import TyperException

from langcrawl import __version__
from langcrawl.cli.analyze_command import analyze
from langcrawl.cli.common import INTERRUPTED
from langcrawl.cli.convert_command import convert
from langcrawl.cli.crawl_command import crawl
from langcrawl.cli.dashboard_command import dashboard
from langcrawl.cli.demo_command import demo
from langcrawl.cli.export_command import export
from langcrawl.cli.forget_command import forget
from langcrawl.cli.identify_command import identify
from langcrawl.cli.import_command import import_
from langcrawl.cli.keywords_command import keywords
from langcrawl.cli.learn_command import learn
from langcrawl.cli.list_commands import judges, languages, strategies
from langcrawl.cli.options import ManyWords, config_defaults, prepared
from langcrawl.cli.recover_command import recover
from langcrawl.cli.recrawl_command import recrawl
from langcrawl.cli.report_command import report
from langcrawl.cli.retry_command import retry
from langcrawl.cli.review_command import review
from langcrawl.cli.serve_command import serve
from langcrawl.cli.simulate_command import simulate
from langcrawl.cli.stats_command import stats
from langcrawl.cli.status_command import status
from langcrawl.cli.synth_command import synth
from langcrawl.cli.text_command import text
from langcrawl.cli.train_command import train
from langcrawl.cli.tune_command import tune
from langcrawl.cli.verify_command import verify
from langcrawl.cli.why_command import why
from langcrawl.errors import NO_MEMORY, LangcrawlError

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
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


_COMMANDS: dict[str, Callable[..., None]] = {
    "demo": demo,
    "crawl": crawl,
    "status": status,
    "why": why,
    "report": report,
    "dashboard": dashboard,
    "review": review,
    "retry": retry,
    "recrawl": recrawl,
    "recover": recover,
    "verify": verify,
    "forget": forget,
    "simulate": simulate,
    "tune": tune,
    "import": import_,
    "synth": synth,
    "serve": serve,
    "analyze": analyze,
    "export": export,
    "stats": stats,
    "identify": identify,
    "convert": convert,
    "text": text,
    "learn": learn,
    "train": train,
    "keywords": keywords,
    "strategies": strategies,
    "judges": judges,
    "languages": languages,
}
for _name, _command in _COMMANDS.items():
    _defaults = config_defaults() if _name == "crawl" else None
    _class = ManyWords if _name == "import" else None
    app.command(_name, cls=_class)(prepared(_command, _defaults))


def main() -> None:
    """Run a command; every error that a user can cause ends in one sentence."""
    if isinstance(sys.stdout, TextIOWrapper):  # a terminal that cannot show a letter gets its code
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = app(standalone_mode=False)
    except LangcrawlError as error:
        code = _complain(str(error), error.exit_status)
    except TyperException as error:
        code = _complain(_with_hint(error.format_message()), 2)
    except MemoryError:
        code = _complain(NO_MEMORY, 1)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except OSError as error:
        code = _complain(str(error), 1)
    sys.exit(code if isinstance(code, int) else 0)


def _with_hint(sentence: str) -> str:
    """A URL where none is expected is meant as a seed."""
    if sentence.startswith("Got unexpected extra argument") and "://" in sentence:
        return f"{sentence}; URLs to start from go after --seeds."
    return sentence


def _complain(sentence: str, status: int) -> int:
    print(f"langcrawl: {sentence}", file=sys.stderr)
    return status
