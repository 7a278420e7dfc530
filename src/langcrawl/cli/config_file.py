"""``--config FILE``: settings of a crawl from a file, as if they stood on the command line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from langcrawl.config import CrawlConfig, first_problem
from langcrawl.errors import BadInput

_NOT_ASKED = ("version", "source")
"""What a crawl.toml says of its own crawl, and not of what is wanted."""


def read_config_file(path: Path) -> dict[str, Any]:
    """The keys of a TOML file, as the options of the same names would give them.

    Files that it names are looked for beside it.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise BadInput(f"there is no file '{path}'; --config takes a TOML file.") from None
    except OSError as error:
        raise BadInput(
            f"'{path}' cannot be read ({error.strerror}); --config takes a TOML file."
        ) from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"'{path}' is not valid TOML ({error}); mend it.") from None
    wanted = {key: value for key, value in table.items() if key not in _NOT_ASKED}
    try:
        CrawlConfig(**({"lang": "en"} | wanted))
    except ValidationError as error:
        known = ", ".join(key for key in CrawlConfig.model_fields if key not in _NOT_ASKED)
        hint = f"; the keys are {known}" if set(wanted) - set(CrawlConfig.model_fields) else ""
        raise BadInput(f"'{path}' cannot be used: {first_problem(error)}{hint}.") from None
    if "seeds" in wanted:
        wanted["seeds"] = [s if "://" in s else str(path.parent / s) for s in wanted["seeds"]]
    if named := wanted.get("block_hosts"):
        files = [named] if isinstance(named, str) else named
        wanted["block_hosts"] = [str(path.parent / file) for file in files]
    return wanted
