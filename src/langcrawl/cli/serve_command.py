"""``langcrawl serve``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import Json, print_json, unknown_fails
from langcrawl.cli.progress import Interrupt


def serve(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A generated or recorded web.")],
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port on 127.0.0.1; 0 for a free one.")
    ] = 8080,
    latency: Annotated[
        float,
        typer.Option(min=0, help="Delay each answer by its recorded time, multiplied by this."),
    ] = 0.0,
    failures: Annotated[
        bool,
        typer.Option(
            "--failures", help="Break the connection for pages recorded without an answer."
        ),
    ] = False,
    unknown: Annotated[
        str, typer.Option(help="Links that have no page in the log: drop them, or let them fail.")
    ] = "drop",
    max_time: Annotated[
        float | None, typer.Option(min=0, help="Stop after this many seconds.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Serve a web over HTTP on loopback, under its own host names, to test a crawler.

    \b
    Example:  langcrawl synth web --pages 100000
              langcrawl serve web --port 8080
              langcrawl crawl thai --lang th --seeds URL --connect-to ::127.0.0.1:8080 --delay 0
    """
    from langcrawl.store.migrate import open_directory
    from langcrawl.virtualweb.serve import Server
    from langcrawl.virtualweb.served import ServedLog

    open_directory(directory)
    web = ServedLog(directory, latency, failures, unknown_fails(unknown))
    graph = web.graph
    seeds = graph.config.seeds
    with Interrupt() as stop, Server(web.answer, port, keep=False) as server:
        if as_json:
            print_json({"port": server.port, "pages": graph.pages, "seeds": list(seeds),
                        "connect_to": server.connect_to})  # fmt: skip
        else:
            print(
                f"{graph.pages:,} pages are served on 127.0.0.1:{server.port}; "
                "press Ctrl-C to stop."
            )
            words = " ".join(f"--seeds {seed}" for seed in seeds[:3])
            print(f"Try:  langcrawl crawl DIR --lang {graph.config.lang} {words} \\")
            print(f"          --connect-to {server.connect_to} --delay 0")
        until = None if max_time is None else time.monotonic() + max_time
        while not stop() and (until is None or time.monotonic() < until):
            time.sleep(0.1)
        answered = server.answered
    if not as_json:
        print(f"{answered:,} requests were answered.")
