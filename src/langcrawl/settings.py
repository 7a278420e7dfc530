"""The settings of a crawl from what a user says: those of a new one, or changes to an old one.

What is said on resume adds up where several values are possible, replaces where one is, and takes
back where the user says so. Then, what the settings mean for the parts of a crawl.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from langcrawl import __version__
from langcrawl.config import FILE, CrawlConfig, first_problem, read_seeds
from langcrawl.errors import BadInput, UsageError
from langcrawl.languages import bridges_of, find_targets, load_packs
from langcrawl.politeness import Politeness, unproven_slots
from langcrawl.records import Limits
from langcrawl.scope import CrawlScope, read_hosts
from langcrawl.store.directory import CrawlDirectory

if TYPE_CHECKING:
    from langcrawl.web.fetch import FetchSettings

ADD_UP = ("seeds", "include", "exclude", "block_hosts", "connect_to")
"""Settings of which there can be several."""
_TAKE_BACK = "no_"
_MOST_WORKERS = 8
_REQUESTS_A_PAGE, _MORE_REQUESTS = 20, 100
_POLITE_TO_ADDRESSES = 0.2
"""Seconds between two requests to one address, unless the user says otherwise."""


def settings(directory: Path, given: Mapping[str, Any]) -> CrawlConfig:
    """The config of a new crawl, or that of the crawl in the directory with changes.

    `given` has keys of the config; ``no_exclude`` and the like hold values to take back.
    """
    said = dict(given)
    if "lang" in said:
        named = said["lang"]
        said["lang"] = find_targets([named] if isinstance(named, str) else named)
    if "seeds" in said:
        said["seeds"] = read_seeds(said["seeds"])
    for key in ("block_hosts", "no_block_hosts"):
        if key in said:
            said[key] = tuple(str(Path(path).resolve()) for path in said[key])
    fields = _before(directory, said)
    for key in ADD_UP:
        some = [*fields.get(key, ()), *said.pop(key, ())]
        fields[key] = _without(key, list(dict.fromkeys(some)), said.pop(_TAKE_BACK + key, ()))
    try:
        return CrawlConfig(**(fields | said))
    except ValidationError as error:
        raise UsageError(f"{first_problem(error)}.") from None


def _before(directory: Path, said: dict[str, Any]) -> dict[str, Any]:
    """What the settings are as long as nobody says otherwise."""
    if (directory / FILE).exists():
        before = CrawlConfig.load(directory)
        if before.source != "crawl":
            raise BadInput(
                f"'{directory}' was made by '{before.source}' and cannot be resumed as a crawl; "
                "name a new directory."
            )
        if sorted(said.pop("lang", before.lang).split(",")) != sorted(before.lang.split(",")):
            raise BadInput(
                f"the crawl in '{directory}' was started with another --lang; start a new "
                "crawl in another directory, or resume this one without that option."
            )
        if _is_pinned(said.get("judge", ""), before.judge):
            del said["judge"]  # as before: its model must be the same still
        return before.model_dump() | {"version": __version__}
    if directory.is_file():
        raise BadInput(f"'{directory}' is a file; name a new directory.")
    if not CrawlDirectory(directory).is_empty:
        raise BadInput(f"'{directory}' is not empty and holds no crawl; name a new directory.")
    missing = [f"--{key}" for key in ("lang", "seeds") if key not in said]
    if missing:
        raise UsageError(f"a new crawl needs {' and '.join(missing)}.")
    return {"bridge": bridges_of(load_packs(said["lang"]))}


def _is_pinned(said: str, before: str) -> bool:
    """Whether the judge that is named again is the one of before, whose model was made certain."""
    name, _, rest = said.partition(":")
    items = [
        f"model={Path(item[6:]).absolute()}" if item.startswith("model=") else item
        for item in rest.split(",")
    ]
    return bool(said) and before.startswith(f"{name}:{','.join(items)},sha256=")


def _without(key: str, some: list[str], unwanted: tuple[str, ...]) -> tuple[str, ...]:
    flag = "--" + key.replace("_", "-")
    for value in unwanted:
        if value not in some:
            known = ", ".join(f"'{one}'" for one in some) or "none"
            raise UsageError(f"there is no {flag} '{value}' to take back; there is {known}.")
        some.remove(value)
    return tuple(some)


def limits_of(config: CrawlConfig) -> Limits:
    """The limits that a config sets."""
    return Limits(
        config.max_pages,
        config.max_bytes,
        config.max_time,
        config.max_depth,
        config.max_pages_per_host,
        config.max_pages_per_domain,
        max_requests_of(config),
    )


def max_requests_of(config: CrawlConfig) -> int | None:
    """A crawl of few pages is to be one of few requests, whatever servers answer."""
    if config.max_requests is not None or config.max_pages is None:
        return config.max_requests
    return _REQUESTS_A_PAGE * config.max_pages + _MORE_REQUESTS


def fetch_settings_of(config: CrawlConfig) -> FetchSettings:
    """How the crawl behaves towards servers."""
    from langcrawl.web.fetch import FetchSettings  # commands that ask nobody load sooner

    return FetchSettings(
        user_agent=config.user_agent,
        contact=config.contact,
        delay=config.delay,
        timeout=config.timeout,
        connect_timeout=config.connect_timeout,
        max_page_bytes=config.max_page_bytes,
        connect_to=config.connect_to,
        connections=config.connections,
        proxy=config.proxy,
    )


def politeness_of(config: CrawlConfig) -> Politeness:
    """How long hosts and addresses are left alone."""
    return Politeness(
        config.delay,
        ip_delay_of(config),
        config.backoff,
        config.max_wait,
        config.domain_connections,
        unproven_slots(config.connections),
    )


def scope_of(config: CrawlConfig) -> CrawlScope:
    """What the crawl leaves out."""
    lists = [read_hosts(Path(name)) for name in config.block_hosts]
    return CrawlScope(config.include, config.exclude, frozenset().union(*lists))


def workers_of(config: CrawlConfig) -> int:
    """How many processes: one for each core, and never more than there are connections."""
    from langcrawl.parallel import cores  # commands that start no process load sooner

    return config.workers or min(cores(), _MOST_WORKERS, config.connections)


def ip_delay_of(config: CrawlConfig) -> float:
    """Seconds between requests to one address; --connect-to sends many hosts to the same."""
    if config.ip_delay is not None:
        return config.ip_delay
    return 0.0 if config.connect_to or config.proxy else min(config.delay, _POLITE_TO_ADDRESSES)
