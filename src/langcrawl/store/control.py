"""The local channel of a running crawl: a Unix socket that answers how it stands.

One thread speaks just enough HTTP for ``curl --unix-socket`` and for Prometheus: a GET of
``/status`` or ``/metrics``, one connection at a time, each with little time and few bytes. It reads
nothing but the last status that the crawl has handed to it. docs/control.md describes it.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from langcrawl.store.metrics import CONTENT_TYPE, metrics_of
from langcrawl.store.status import Status

FILE = "control.sock"
_LONGEST_PATH = 100 if sys.platform != "linux" else 107
"""Bytes of a path to which a socket can be bound."""
_LONGEST_REQUEST = 8_192
_PATIENCE = 2.0
"""Seconds for a whole exchange."""
_WAITING = 16
_JSON, _TEXT = "application/json", "text/plain; charset=utf-8"


class _Answer(NamedTuple):
    status: str
    kind: str
    body: str


class ControlSocket:
    """Serves the status of a crawl in its directory; a context manager.

    Where the directory cannot hold a socket, that is told, and the crawl goes on without one.
    """

    def __init__(self, directory: Path, notice: Callable[[str], None]) -> None:
        self._directory, self._notice = directory, notice
        self._status: Status | None = None
        self._made: tuple[Status | None, dict[str, _Answer]] = (None, {})
        self._listener: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._mine: tuple[int, int] | None = None

    def publish(self, status: Status) -> None:
        """Answer with this from now on."""
        self._status = status

    def __enter__(self) -> Self:
        path = self._directory / FILE
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _remove_stale(path)
            os.fchmod(listener.fileno(), 0o600)  # on Linux the file is then never open to others
            _bind(listener, path)
            os.chmod(path, 0o600)
            listener.listen(_WAITING)
        except OSError as error:
            listener.close()
            self._notice(
                f"there is no local channel '{path}' ({error.strerror or error}); the crawl goes "
                "on without it."
            )
            return self
        self._listener, self._mine = listener, _inode(path)
        self._thread = threading.Thread(target=self._serve, args=(listener,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._listener is None or self._thread is None:
            return
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self._listener.close()
        self._thread.join(_PATIENCE + 1.0)
        path = self._directory / FILE
        with suppress(OSError):
            if _inode(path) == self._mine:
                path.unlink()

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                if listener.fileno() < 0 or not _is_listening(listener):
                    return
                time.sleep(0.1)  # no descriptor is left for the moment
                continue
            with connection, suppress(OSError, ValueError):
                self._exchange(connection)

    def _exchange(self, connection: socket.socket) -> None:
        deadline = time.monotonic() + _PATIENCE
        request = b""
        while b"\n" not in request or not _is_whole(request):
            connection.settimeout(max(0.01, deadline - time.monotonic()))
            part = connection.recv(_LONGEST_REQUEST)
            request += part
            if not part or len(request) > _LONGEST_REQUEST or time.monotonic() > deadline:
                break
        method, _, rest = request.split(b"\n", 1)[0].decode("latin-1").strip().partition(" ")
        answer = self._answer(method, rest.split(" ")[0].split("?")[0], len(request))
        body = answer.body.encode("utf-8", "backslashreplace")
        head = (
            f"HTTP/1.0 {answer.status}\r\nContent-Type: {answer.kind}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        connection.sendall(head.encode() + (b"" if method == "HEAD" else body))

    def _answer(self, method: str, path: str, size: int) -> _Answer:
        if size > _LONGEST_REQUEST:
            return _Answer("413 Too Large", _TEXT, "the request is too long\n")
        if method not in ("GET", "HEAD"):
            return _Answer("405 Method Not Allowed", _TEXT, "only GET is answered\n")
        status = self._status
        if status is None:
            return _Answer("503 Not Ready", _TEXT, "the crawl is starting; ask again\n")
        if self._made[0] is not status:
            self._made = (status, {})
        made = self._made[1]
        if path not in made:
            if path == "/metrics":
                made[path] = _Answer("200 OK", CONTENT_TYPE, metrics_of(status))
            elif path == "/status":
                text = json.dumps(status.as_json(), ensure_ascii=False)
                made[path] = _Answer("200 OK", _JSON, text + "\n")
            else:
                return _Answer("404 Not Found", _TEXT, "there are /status and /metrics\n")
        return made[path]


def _is_whole(request: bytes) -> bool:
    """Whether the head of a request is complete; one of HTTP/0.9 is a single line."""
    return b"\r\n\r\n" in request or b"\n\n" in request


def _is_listening(listener: socket.socket) -> bool:
    with suppress(OSError):
        return bool(listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
    return False


def _remove_stale(path: Path) -> None:
    """Remove what a process that was killed left; whoever calls this holds the directory's lock."""
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise OSError("there is another file of that name")
        path.unlink()


def _bind(listener: socket.socket, path: Path) -> None:
    """Bind to a path of any length: a long one is named by way of its open directory."""
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        listener.bind(str(path))
        return
    if sys.platform != "linux":
        raise OSError(f"the path is longer than {_LONGEST_PATH} bytes")
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        listener.bind(f"/proc/self/fd/{directory}/{path.name}")
    finally:
        os.close(directory)


def _inode(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino
