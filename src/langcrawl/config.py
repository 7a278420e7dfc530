"""The settings of a crawl: one frozen record, kept as ``crawl.toml`` in its directory."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from langcrawl import __version__
from langcrawl.errors import BadInput, BrokenLog, LangcrawlError, NoSuchLog, UsageError
from langcrawl.units import read_bytes, read_count, read_seconds, read_share
from langcrawl.url import canonical

FILE = "crawl.toml"
BEFORE = {"strategy": "soft"}
"""What a crawl.toml means that does not say it: the default of the versions that made it."""
MOST_SHARDS = 1_000
Count = Annotated[int | None, BeforeValidator(read_count)]
Bytes = Annotated[int | None, BeforeValidator(read_bytes)]
Seconds = Annotated[float | None, BeforeValidator(read_seconds)]


class CrawlConfig(BaseModel):
    """Complete enough to run the crawl again. Every key is described in docs/config.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str = __version__
    source: str = "crawl"
    """Where the log comes from: ``crawl`` or ``import``."""
    lang: str
    bridge: str = "en"
    seeds: tuple[str, ...] = ()
    strategy: str = "adaptive"
    judge: str = ""
    """Empty for the judge chain of the language pack."""
    max_pages: Count = None
    max_bytes: Bytes = None
    max_time: Seconds = None
    max_depth: Count = None
    max_pages_per_host: Count = None
    max_pages_per_domain: Count = None
    max_requests: Count = None
    """None for twenty a page and a hundred more, where there is a limit of pages."""
    sample: Annotated[float, BeforeValidator(read_share)] = Field(default=0.0, ge=0, le=0.5)
    """The share of downloads that are drawn from the queue by chance."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    block_hosts: tuple[str, ...] = ()
    """Files of hosts and domains that are never asked."""
    delay: float = Field(default=1.0, ge=0)
    ip_delay: float | None = Field(default=None, ge=0)
    """None for at most 0.2 seconds; none at all with connect_to or a proxy."""
    retries: int = Field(default=2, ge=0)
    backoff: float = Field(default=30.0, ge=0)
    max_wait: float = Field(default=3600.0, ge=0)
    max_outage: Seconds = 86_400.0
    """How long the crawl waits for anybody to answer before it ends."""
    connections: int = Field(default=128, ge=1)
    domain_connections: int = Field(default=8, ge=0)
    """Hosts of a registered domain that are asked at a time or rest; 0 for no bound."""
    workers: int | None = Field(default=None, ge=1)
    shards: int = Field(default=1, ge=1, le=MOST_SHARDS)
    """Of how many shards the crawl consists, each with its own hosts, processes and directory."""
    cluster: str = ""
    """The Ray cluster on which the shards run: its address, or ``local``; empty for none."""
    timeout: float = Field(default=30.0, gt=0)
    connect_timeout: float = Field(default=7.0, gt=0)
    """Seconds to connect and to agree on encryption, within the timeout."""
    max_page_bytes: int = Field(default=10_000_000, ge=1)
    user_agent: str = f"langcrawl/{__version__}"
    contact: str = ""
    connect_to: tuple[str, ...] = ()
    proxy: str = ""
    nofollow: bool = False
    """Obey nofollow, in links and META elements."""
    noindex: bool = False
    """Do not archive pages that say noindex."""
    sitemaps: bool = False
    """Take links from sitemaps too."""
    store: Literal["all", "relevant"] = "all"
    """Which pages go into the archive."""
    normalize: Literal["none", "unicode", "zawgyi"] = "none"
    """The encoding in which the text of relevant pages is archived beside them."""
    types: Literal["pages", "pdf", "all"] = "pages"
    """Whether PDFs are read and archived too, or whatever there is is archived."""
    context: bool = False
    """Keep the text around links in the log."""
    warc_bytes: int = Field(default=1_000_000_000, ge=1)
    """Bytes at which a file of the archive is complete and another begins."""
    durable: bool = False
    """Have everything reach the disk before it counts."""

    @field_validator("block_hosts", mode="before")
    @classmethod
    def _one_file(cls, files: object) -> object:
        """Earlier versions knew one file at most."""
        return ((files,) if files else ()) if isinstance(files, str) else files

    @field_validator("user_agent", "contact")
    @classmethod
    def _one_line(cls, text: str) -> str:
        """Both are sent as part of a header, which ends with its line."""
        if not text.isprintable():
            raise ValueError("it must be one line without control characters")
        return text

    @field_validator("normalize")
    @classmethod
    def _zawgyi_is_burmese(cls, encoding: str, others: ValidationInfo) -> str:
        if encoding == "zawgyi" and others.data.get("lang", "").split("-")[0] != "my":
            raise ValueError("zawgyi is an encoding of Burmese; for other languages use unicode")
        return encoding

    def save(self, directory: Path) -> None:
        """Write crawl.toml; None is left out, because TOML has no word for it.

        Nobody else may read it where it holds the password of a proxy.
        """
        directory.mkdir(parents=True, exist_ok=True)
        table = self.model_dump(mode="json", exclude_none=True)
        draft = directory / f"{FILE}.tmp"
        draft.unlink(missing_ok=True)
        mode = 0o600 if "@" in self.proxy else 0o666
        with open(draft, "x", encoding="utf-8", opener=partial(os.open, mode=mode)) as file:
            file.write(tomli_w.dumps(table))
        draft.replace(directory / FILE)

    @classmethod
    def load(cls, directory: Path) -> CrawlConfig:
        """Read the crawl.toml of a crawl directory."""
        path = directory / FILE
        if not directory.exists():
            raise NoSuchLog(f"there is no directory '{directory}'; give the directory of a crawl.")
        if not path.is_file():
            raise NoSuchLog(
                f"'{directory}' is not a crawl directory, because it has no {FILE}; "
                "'langcrawl crawl', 'langcrawl import' and 'langcrawl synth' make one."
            )
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
            _check_version(directory, table.get("version"))
            return cls(**BEFORE | table)
        except ValidationError as error:
            raise BrokenLog(
                f"'{path}' cannot be used: {first_problem(error)}; fix it by hand."
            ) from None
        except (ValueError, TypeError, RecursionError) as error:
            raise BrokenLog(f"'{path}' is not valid TOML ({error}); fix it by hand.") from None


def _check_version(directory: Path, version: object) -> None:
    """Refuse a directory of a later version: its files may mean something else."""
    if isinstance(version, str) and _numbers(version) > _numbers(__version__):
        raise BadInput(
            f"the crawl in '{directory}' was made by langcrawl {version}, and this is "
            f"{__version__}; install that version to use it."
        )


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version that stand for its files: the first two."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def first_problem(error: ValidationError) -> str:
    """The first thing that pydantic minds, in words."""
    problem: Any = error.errors()[0]
    key = ".".join(str(part) for part in problem["loc"]) or "it"
    says = problem["msg"].removeprefix("Value error, ")
    return f"{key}: {says[:1].lower()}{says[1:]}"


def read_seeds(given: Iterable[str]) -> tuple[str, ...]:
    """Seeds as a user gives them: URLs, and files of URLs, a line each, # for remarks."""
    seeds: dict[str, None] = {}
    wrong: type[LangcrawlError]
    for item in given:
        if "://" in item:
            lines, where, wrong = [item], "--seeds", UsageError
        else:
            lines, where, wrong = _lines(Path(item)), f"'{item}'", BadInput
        for line in filter(None, (line.split("#", 1)[0].strip() for line in lines)):
            url = canonical(line)
            if url is None:
                raise wrong(f"'{line}' in {where} is not a URL; write it as http://host/path.")
            seeds[url] = None
    return tuple(seeds)


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        hint = "give a file of URLs, or a URL with its http://"
        raise BadInput(f"there is no file '{path}'; {hint}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"the seed file '{path}' cannot be read ({error}); "
            "give a text file with one URL per line."
        ) from None
    if not any(line.split("#", 1)[0].strip() for line in lines):
        raise BadInput(f"the seed file '{path}' is empty; write at least one URL in it.")
    return lines
