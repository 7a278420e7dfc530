"""What every command's options can do beside being read: complete, and show their defaults.

`prepared` adds both to a command from the outside, so that the commands need not know of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Annotated, Any, get_args, get_type_hints

from typer.core import TyperCommand
from typer.models import OptionInfo

from langcrawl.config import CrawlConfig

Work = Callable[..., None]
_IN_WORDS = {
    "judge": "the language's own",
    "max_requests": "in proportion to --max-pages",
    "ip_delay": "at most 0.2",
    "workers": "one per core",
}
"""Defaults that are no value of the config, but follow from something else."""


def strategy_names(incomplete: str) -> list[str]:
    """The strategies that begin so."""
    from langcrawl.strategy import STRATEGIES

    return [name for name in STRATEGIES if name.startswith(incomplete)]


def judge_names(incomplete: str) -> list[str]:
    """The judges that begin so."""
    from langcrawl.judge import JUDGES

    return [name for name in JUDGES if name.startswith(incomplete)]


def language_tags(incomplete: str) -> list[str]:
    """The languages whose tags begin so."""
    from langcrawl.languages import known_languages

    return sorted(tag for tag in known_languages() if tag.startswith(incomplete))


_COMPLETED: dict[str, Callable[[str], list[str]]] = {
    "strategy": strategy_names,
    "judge": judge_names,
    "lang": language_tags,
}
"""What a shell offers for an option, by its name."""


def config_defaults() -> dict[str, str]:
    """The defaults of a crawl's settings as a user would write them, by key."""
    found = {
        key: field.default
        for key, field in CrawlConfig.model_fields.items()
        if not field.is_required() and field.default not in (None, "", ())
    }
    return {key: _written(value) for key, value in found.items()} | _IN_WORDS


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def prepared(command: Work, defaults: Mapping[str, str] | None = None) -> Work:
    """A command whose options complete, and show these defaults where they have none of their own.

    Typer reads the options of a command from its annotations.
    """
    hints = get_type_hints(command, include_extras=True)
    for name, hint in hints.items():
        infos = [each for each in get_args(hint) if isinstance(each, OptionInfo)]
        if not infos:
            continue
        info = copy(infos[0])  # several commands may share one
        info.autocompletion = info.autocompletion or _COMPLETED.get(name)
        if defaults and name in defaults:
            info.show_default = defaults[name]
        hints[name] = Annotated[get_args(hint)[0], info]
    command.__annotations__ = hints
    return command


class ManyWords(TyperCommand):
    """A command whose options of several values take all words up to the next option.

    So ``--warc *.warc.gz`` works, which a shell makes many words of. Where no word is left for the
    directory, it is the last of them, as it is for ``cp``.
    """

    many = ("--warc", "--wat", "--crawl")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._spread(args))

    def _spread(self, args: list[str]) -> list[str]:
        """The words with the option repeated before each value."""
        flags = {word for each in self.params if getattr(each, "is_flag", False)
                 for word in (*each.opts, *each.secondary_opts)} | {"-h", "--help"}  # fmt: skip
        spread: list[str] = []
        option, values, free = "", 0, 0
        last = -1
        for at, word in enumerate(args):
            if word == "--":
                return [*spread, *args[at:]]
            if word.startswith("-") and word != "-":
                option, values = word.partition("=")[0], int("=" in word)
                spread.append(word)
            elif option in self.many:
                if values:
                    spread.append(option)
                    last = len(spread)
                spread.append(word)
                values += 1
            else:
                free += not option or option in flags or values > 0
                spread.append(word)
                values += 1
        if last >= 0 and not free:
            return [*spread[: last - 1], *spread[last + 1 :], spread[last]]
        return spread
