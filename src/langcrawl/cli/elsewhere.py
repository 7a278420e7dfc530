"""Exports from and to object stores: sources are copied here before, what is made there after."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from langcrawl.cli.common import all_as_one
from langcrawl.errors import BadInput

if TYPE_CHECKING:
    from langcrawl.corpus.export import Order

Sent = Callable[[dict[str, Any]], dict[str, Any]]
"""Sends what was made to where it is wanted; the result, with the names that files have there."""


@contextmanager
def brought_here(given: Sequence[str], to: str, order: Order) -> Iterator[tuple[Order, Sent]]:
    """An order about files of this machine only, and what is to be done with its result."""
    from langcrawl.importers.given import ARCHIVE
    from langcrawl.store.remote import fetch, is_remote

    with TemporaryDirectory(prefix="langcrawl-") as name:
        paths = all_as_one(fetch(given, Path(name, "given"), ARCHIVE))
        order = replace(order, given=tuple(paths))
        if order.path is None or not is_remote(to):
            yield order, lambda done: done
            return
        made = Path(name, "made")
        order = replace(order, path=made / order.path.name)
        _check(to, order)
        yield order, lambda done: _send(done, made, to)


def _check(to: str, order: Order) -> None:
    """Complain before the work begins where something of that name is there already."""
    from langcrawl.corpus.export import layout_of
    from langcrawl.store.remote import below, exists, split

    target = below(split(to)[0], layout_of(order).place.name)
    if exists(target) and not order.overwrite:
        raise BadInput(
            f"'{target}' is there already; name another file, or replace it with --overwrite."
        )


def _send(done: dict[str, Any], made: Path, to: str) -> dict[str, Any]:
    from langcrawl.store.remote import below, send, split

    folder, _ = split(to)
    places = {
        str(path): below(folder, path.relative_to(made).as_posix())
        for path in sorted(made.rglob("*"))
        if path.is_file()
    }
    send([(Path(path), uri) for path, uri in places.items()])
    done["files"] = [places[path] for path in done["files"]]
    if "card" in done:
        done["card"] = places[done["card"]]
    return done
