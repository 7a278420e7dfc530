"""What a user changes in a crawl that is there: shown beforehand, or applied while it runs.

A change is said in the keys of crawl.toml, as on resume: `langcrawl.settings` adds it to what was
said before. A running crawl takes it through its local channel, in the one thread that crawls,
between two turns of its loop: it binds before the next request.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langcrawl.config import FILE, CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.errors import UsageError
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.ports import Tell
from langcrawl.records import Limits
from langcrawl.scope import CrawlScope
from langcrawl.scope.review import Review
from langcrawl.settings import limits_of, scope_of, settings
from langcrawl.store.control import Command
from langcrawl.store.database import read_meta, write_meta
from langcrawl.store.view import open_view

LIMITS = tuple(Limits.__dataclass_fields__)
"""Limits that can be set while a crawl runs; they are keys of crawl.toml too."""
_LISTS = ("seeds", "exclude", "no_exclude", "exclude_hosts")
_RULES = "rules"
"""The key of `meta` that says by which rules of the user the queue was looked through."""
_EXAMPLES = 5
"""URLs shown for each reason."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What settings would leave out of the queue as it is."""

    waiting: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "waiting": self.waiting,
            "left_out": self.reasons.total(),
            "reasons": dict(self.reasons),
            "examples": self.examples,
        }


def left_out(directory: Path, config: CrawlConfig) -> LeftOut:
    """What would leave the queue of a crawl with these settings; nothing is changed."""
    scope, limits = scope_of(config), limits_of(config)
    if not (directory / FILE).exists():
        return LeftOut()
    waiting, reasons, examples = 0, Counter[str](), dict[str, list[str]]()
    with open_view(directory) as view:
        downloads = view.downloads()
        review = Review(scope, limits, config.seeds, lambda host: downloads.get(host, 0))
        for url, depth in view.waiting():
            waiting += 1
            if reason := review.reason(url, depth):
                reasons[reason] += 1
                if reasons[reason] <= _EXAMPLES:
                    examples.setdefault(reason, []).append(url)
    return LeftOut(waiting, reasons, examples)


def changed(directory: Path, said: Mapping[str, Any]) -> CrawlConfig:
    """The settings of the crawl in a directory with what is said added; a sentence if it cannot."""
    return settings(directory, _given(said))


def host_pattern(host: str) -> str:
    """The regular expression that leaves out a host and all below it."""
    name = host.strip().strip(".").lower()
    if not name or re.search(r"[\s/@?#\\]", name):
        raise UsageError(f"'{host}' is not the name of a host; write it as www.example.com.")
    port = "" if re.search(r":\d+$", name) else r"(:\d+)?"
    return rf"^https?://([^/?#]*\.)?{re.escape(name)}{port}/"


def _given(said: Mapping[str, Any]) -> dict[str, Any]:
    """What a client says, in the keys of `settings`; whoever says something else is told."""
    given: dict[str, Any] = {}
    for key, value in said.items():
        if key in LIMITS:
            if value is not None and type(value) not in (int, float, str):
                raise UsageError(f"{key} must be a number such as 500 or 50k, or none.")
            given[key] = None if value is None else str(value)
        elif key in _LISTS:
            given[key] = _words(key, value)
        else:
            known = ", ".join((*_LISTS, *LIMITS))
            raise UsageError(f"there is nothing called '{key}' to change; there are: {known}.")
    for seed in given.get("seeds", ()):
        if "://" not in seed:  # a name of a file would be read
            raise UsageError(f"'{seed}' is not a URL; write it as http://host/path.")
    patterns = [host_pattern(host) for host in given.pop("exclude_hosts", ())]
    if patterns:
        given["exclude"] = (*given.get("exclude", ()), *patterns)
    if not given:
        raise UsageError("nothing to change is named.")
    return given


def _words(key: str, value: object) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UsageError(f"{key} must be a list of texts.")
    return tuple(word for word in words if word.strip())


class Changes:
    """Obeys what comes through the local channel of a running crawl."""

    def __init__(
        self,
        directory: Path,
        config: CrawlConfig,
        crawl: Crawl,
        frontier: SqliteFrontier,
        scope: CrawlScope,
        tell: Tell,
    ) -> None:
        self.config = config
        """The settings that hold now."""
        self.stopping = False
        """Whether the crawl was told to stop."""
        self._directory, self._crawl, self._frontier = directory, crawl, frontier
        self._scope, self._tell = scope, tell

    def obey(self, command: Command) -> dict[str, Any]:
        """Do what a command says, and answer how things stand then."""
        crawl = self._crawl
        if command.do == "pause" and not crawl.paused:
            crawl.paused = True
            self._tell("paused", "paused: nothing new is asked for until it is resumed.")
        elif command.do == "resume" and crawl.paused:
            crawl.paused = False
            self._tell("resumed", "resumed after a pause.")
        elif command.do == "stop" and not self.stopping:
            self.stopping = True
            self._tell("told-to-stop", "told to stop through the local channel.")
        elif command.do == "change":
            return {"ok": True, **self._change(command.about)}
        return {"ok": True, "paused": crawl.paused, "stopping": self.stopping}

    def _change(self, said: Mapping[str, Any]) -> dict[str, Any]:
        before, config = self.config, changed(self._directory, said)
        rules = scope_of(config)
        config.save(self._directory)
        self.config = config
        self._scope.take_rules(rules)
        self._crawl.limit(limits_of(config))
        self._tell("changed", f"changed: {_in_words(said)}.", changes=dict(said))
        dropped = self.review()
        new = [seed for seed in config.seeds if seed not in set(before.seeds)]
        if new:
            self._crawl.seed(new)
            self._frontier.commit()
        return {"left_out": dropped.total(), "reasons": dict(dropped), "new_seeds": len(new)}

    def review(self) -> Counter[str]:
        """Where the user's rules have changed, they hold for what waits before anything is asked.

        Answers how many URLs leave the queue, by reason.
        """
        config, connection = self.config, self._frontier.connection
        rules = f"{self._scope.rules} {config.max_depth} {config.max_pages_per_host}"
        if read_meta(connection, _RULES) == rules:
            return Counter()
        dropped = self._crawl.review(config.seeds)
        write_meta(connection, _RULES, rules)
        self._frontier.commit()
        if dropped:
            self._tell(
                "scope-changed",
                f"{dropped.total():,} waiting URLs are left out, because of what was said now: "
                f"{in_words(dropped)}.",
                reasons=dict(dropped),
            )
        return dropped


def in_words(counts: Mapping[str, int]) -> str:
    """Counts by reason, the largest first."""
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{reason} {count:,}" for reason, count in ranked)


def _in_words(said: Mapping[str, Any]) -> str:
    """A change, for people."""
    return "; ".join(f"{key} {_value(value)}" for key, value in said.items())


def _value(value: object) -> str:
    some: Sequence[object] = value if isinstance(value, list) else [value]
    few = ", ".join("none" if one is None else str(one)[:200] for one in some[:3])
    return f"{few} and {len(some) - 3:,} more" if len(some) > 3 else few
