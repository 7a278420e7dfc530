"""``langcrawl dashboard``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from langcrawl.cli.common import Json, all_as_one, print_json

if TYPE_CHECKING:
    from langcrawl.dashboard import Address


def dashboard(
    directories: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...", callback=all_as_one, help="Directories of crawls, running or not."
        ),
    ],
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for a free one.")
    ] = 8765,
    host: Annotated[
        str, typer.Option(help="The address to listen on; beyond this machine a token is needed.")
    ] = "127.0.0.1",
    token: Annotated[
        str, typer.Option(help="Answer only who has this token; made up where one is needed.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Watch and steer crawls in a browser, on a page of this machine.

    \b
    Example:  langcrawl dashboard thai
              langcrawl dashboard thai lao khmer --port 8000
    """
    from langcrawl.dashboard import serve

    def ready(address: Address) -> None:
        if as_json:
            print_json({"url": address.url, "port": address.port})
        else:
            print(f"Open {address.url}  (Ctrl-C ends the dashboard, not the crawls.)", flush=True)

    serve(directories, host, port, token, ready)
