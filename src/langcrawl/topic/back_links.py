"""Pages that link to a page, asked of a search API that the user has (004, section 5.1, Figure 11).

Such services have terms and keys of their own, so none is built in. The seam is one request for
each page: GET the user's address, with the page's URL in place of ``{url}``. The answer is JSON: a
list of URLs, or of objects with a ``url`` or ``link``, or an object in which such a list stands.
A key is taken from the environment and sent as ``Authorization: Bearer``.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import quote

from langcrawl import __version__
from langcrawl.errors import BadInput, UsageError
from langcrawl.parallel import Progress, silent
from langcrawl.url import canonical

KEY: Final = "LANGCRAWL_BACKLINKS_KEY"
"""The variable of the environment that holds the key of the service."""
_PLACE: Final = "{url}"
_TIMEOUT, _MOST_BYTES = 30.0, 10_000_000
_DEEPEST: Final = 4


def check_service(service: str) -> None:
    """Refuse an address that cannot be asked."""
    if _PLACE not in service or not service.startswith(("http://", "https://")):
        raise UsageError(
            f"--back-links must be 'log', or the address of a search API with {_PLACE} in it, such "
            f"as 'https://api.example/links?to={_PLACE}', not '{service}'."
        )


def find_back_links(
    service: str, urls: Sequence[str], progress: Progress = silent
) -> tuple[str, ...]:
    """The pages that link to any of these, each once, in the order in which they are named."""
    check_service(service)
    found: dict[str, None] = {}
    for number, url in enumerate(urls, 1):
        found |= dict.fromkeys(_ask(service.replace(_PLACE, quote(url, safe=""))))
        progress(number, number / len(urls))
    for url in urls:
        found.pop(url, None)  # a page that links to itself leads nowhere
    return tuple(found)


def _ask(address: str) -> list[str]:
    """What the service answers."""
    heads = {"Accept": "application/json", "User-Agent": f"langcrawl/{__version__}"}
    if key := os.environ.get(KEY):
        heads["Authorization"] = f"Bearer {key}"
    try:
        asked = urllib.request.Request(address, headers=heads)
        with urllib.request.urlopen(asked, timeout=_TIMEOUT) as answer:
            body = answer.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        status = error.code if isinstance(error, urllib.error.HTTPError) else 0
        hint = f"; is the key in {KEY} right?" if status in (401, 403) else "."
        raise BadInput(f"the search API at {address} gave no answer ({error}){hint}") from None
    try:
        document = json.loads(body) if len(body) <= _MOST_BYTES else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, list | dict):
        raise BadInput(
            f"the search API at {address} did not answer with JSON that has a list of URLs."
        )
    return list(_urls(document, 0))


def _urls(value: Any, depth: int) -> Iterator[str]:
    """The URLs in lists of an answer: texts, or what objects have as ``url`` or ``link``."""
    if isinstance(value, list):
        for each in value:
            given = each.get("url") or each.get("link") if isinstance(each, dict) else each
            if isinstance(given, str) and (url := canonical(given)):
                yield url
    elif isinstance(value, dict) and depth < _DEEPEST:
        for each in value.values():
            yield from _urls(each, depth + 1)
