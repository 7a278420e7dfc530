"""Runs the dashboard on a port of this machine."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_urlsafe

import uvicorn

from langcrawl.dashboard.app import make_app
from langcrawl.dashboard.guard import Guard, is_loopback
from langcrawl.errors import BadInput

_NICENESS = 5
"""The crawl comes first where the processor is busy."""
_GOODBYE = 10
"""Seconds for answers that are under way when Ctrl-C comes; a second one ends it at once."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the dashboard can be opened."""

    host: str
    port: int
    token: str = ""

    @property
    def url(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/" + (f"?token={self.token}" if self.token else "")


def serve(
    directories: Sequence[Path],
    host: str,
    port: int,
    token: str,
    ready: Callable[[Address], None],
) -> None:
    """Serve crawls until Ctrl-C; `ready` is told where, once the port is open.

    Beyond the loopback address there is always a token.
    """
    app = make_app(directories)
    if not token and not is_loopback(host):
        token = token_urlsafe(18)
    listener = _listen(host, port)
    address = Address(host, listener.getsockname()[1], token)
    guarded = Guard(app, _names(address), token)
    config = uvicorn.Config(
        guarded, log_level="warning", access_log=False, lifespan="off", server_header=False,
        timeout_graceful_shutdown=_GOODBYE,
    )  # fmt: skip
    with suppress(OSError):
        os.nice(_NICENESS)
    server = uvicorn.Server(config)
    app.state.ending = lambda: server.should_exit
    ready(address)
    try:
        server.run([listener])
    finally:
        listener.close()


def _names(address: Address) -> frozenset[str]:
    """What a browser may call this place: nothing else leads here by right."""
    names = {f"[{address.host}]" if ":" in address.host else address.host}
    if is_loopback(address.host):
        names |= {"localhost", "127.0.0.1", "[::1]"}
    else:
        names |= {socket.gethostname(), socket.getfqdn(), *_own_addresses()}
    return frozenset(f"{name}:{address.port}" for name in names) | (
        frozenset(names) if address.port == 80 else frozenset()
    )


def _own_addresses() -> set[str]:
    with suppress(OSError):
        found = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
        return {f"[{one}]" if ":" in str(one) else str(one) for one in found}
    return set()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(64)
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or error
        raise BadInput(
            f"port {port} of {host} cannot be used ({why}); name another with --port, or 0 for a "
            "free one."
        ) from None
    return listener
