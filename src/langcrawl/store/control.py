"""The local channel of a running crawl: a Unix socket that tells how it stands, and takes commands.

One thread speaks just enough HTTP for ``curl --unix-socket`` and for Prometheus, one connection at
a time, each with little time and few bytes. What it tells is the last that the crawl has handed to
it. A command (POST) waits, in a thread of its own, until the crawl takes it between two turns of
its loop (`langcrawl.changes`). docs/control.md describes the channel. `ask` and `command` are its
client.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Self

from langcrawl.errors import BadInput, LangcrawlError
from langcrawl.store.metrics import CONTENT_TYPE, metrics_of
from langcrawl.store.status import Status

FILE = "control.sock"
_LONGEST_PATH = 100 if sys.platform != "linux" else 107
"""Bytes of a path to which a socket can be bound."""
_LONGEST_REQUEST = 8_192
_LONGEST_COMMAND = 1_000_000
_PATIENCE = 2.0
"""Seconds for a whole exchange."""
_WAITING = 16
_COMMANDS_AT_ONCE = 8
_COMMAND_PATIENCE = 60.0
"""Seconds that a client waits for the crawl to do what it was told."""
DO = ("pause", "resume", "stop", "change")
"""What a crawl can be told."""
_JSON, _TEXT = "application/json", "text/plain; charset=utf-8"


class _Answer(NamedTuple):
    status: str
    kind: str
    body: str


class Command:
    """What a client wants of the crawl; the thread that crawls answers it."""

    def __init__(self, do: str, about: dict[str, Any]) -> None:
        self.do, self.about = do, about
        self._done = threading.Event()
        self._answer = _as_json("202 Accepted", {"ok": False, "error": "the crawl is busy; it "
                                "will do this as soon as it can."})  # fmt: skip

    def take(self, obey: Callable[[Command], dict[str, Any]]) -> None:
        """Have it obeyed; what the user did wrong is told to the client, and to nobody else."""
        try:
            self._answer = _as_json("200 OK", obey(self))
        except LangcrawlError as error:
            self._answer = _as_json("400 Bad Request", {"ok": False, "error": str(error)})
        finally:
            self._done.set()

    def wait(self) -> _Answer:
        self._done.wait(_COMMAND_PATIENCE)
        return self._answer


class ControlSocket:
    """Serves the status of a crawl in its directory, and takes commands; a context manager.

    Where the directory cannot hold a socket, that is told, and the crawl goes on without one.
    """

    def __init__(self, directory: Path, notice: Callable[[str], None]) -> None:
        self._directory, self._notice = directory, notice
        self._status: Status | None = None
        self._live: dict[str, Any] = {}
        self._made: tuple[Status | None, dict[str, _Answer]] = (None, {})
        self._commands: SimpleQueue[Command] = SimpleQueue()
        self._room = threading.BoundedSemaphore(_COMMANDS_AT_ONCE)
        self._listener: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._mine: tuple[int, int] | None = None

    def publish(self, status: Status, live: dict[str, Any] | None = None) -> None:
        """Answer with this from now on; `live` is the document of ``/live``."""
        self._live, self._status = live or {}, status

    def commands(self) -> Iterator[Command]:
        """The commands that wait for the crawl; each is to be taken."""
        with suppress(Empty):
            while True:
                yield self._commands.get_nowait()

    def __enter__(self) -> Self:
        path = self._directory / FILE
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _remove_stale(path)
            os.fchmod(listener.fileno(), 0o600)  # on Linux the file is then never open to others
            with _short(path) as name:
                listener.bind(name)
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
        for late in self.commands():
            late.take(_refuse)
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
            try:
                self._exchange(connection)
            except (OSError, ValueError):
                connection.close()

    def _exchange(self, connection: socket.socket) -> None:
        deadline = time.monotonic() + _PATIENCE
        request = b""
        while b"\n" not in request or not _is_whole(request):
            connection.settimeout(max(0.01, deadline - time.monotonic()))
            part = connection.recv(_LONGEST_REQUEST)
            request += part
            most = _LONGEST_COMMAND if request.startswith(b"POST ") else _LONGEST_REQUEST
            if not part or len(request) > most or time.monotonic() > deadline:
                break
        method, _, rest = request.split(b"\n", 1)[0].decode("latin-1").strip().partition(" ")
        path = rest.split(" ")[0].split("?")[0]
        if method == "POST":
            self._take(connection, path.removeprefix("/"), request)
            return
        answer = self._answer(method, path, len(request))
        _send(connection, answer, bodiless=method == "HEAD")

    def _take(self, connection: socket.socket, do: str, request: bytes) -> None:
        """Hand a command to the crawl, and have another thread wait for what comes of it."""
        read = _read_command(do, request)
        if isinstance(read, Command) and not self._room.acquire(blocking=False):
            read = _Answer("503 Busy", _TEXT, "too many commands wait; ask again\n")
        if isinstance(read, _Answer):
            _send(connection, read)
            return
        self._commands.put(read)
        threading.Thread(target=self._finish, args=(connection, read), daemon=True).start()

    def _finish(self, connection: socket.socket, command: Command) -> None:
        try:
            answer = command.wait()
            connection.settimeout(_PATIENCE)
            with suppress(OSError):
                _send(connection, answer)
        finally:
            self._room.release()

    def _answer(self, method: str, path: str, size: int) -> _Answer:
        if size > _LONGEST_REQUEST:
            return _Answer("413 Too Large", _TEXT, "the request is too long\n")
        if method not in ("GET", "HEAD"):
            return _Answer("405 Method Not Allowed", _TEXT, "GET and POST are answered\n")
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
                made[path] = _as_json("200 OK", status.as_json())
            elif path == "/live":
                made[path] = _as_json("200 OK", self._live)
            else:
                return _Answer("404 Not Found", _TEXT, "there are /status, /live and /metrics\n")
        return made[path]


def _refuse(_: Command) -> dict[str, Any]:
    raise BadInput("the crawl has ended; resume it, and say it again.")


def _read_command(do: str, request: bytes) -> Command | _Answer:
    """The command in a request, or what to say of one that makes no sense."""
    if len(request) > _LONGEST_COMMAND:
        return _Answer("413 Too Large", _TEXT, "the request is too long\n")
    if do not in DO:
        known = ", ".join(f"/{name}" for name in DO)
        return _Answer("404 Not Found", _TEXT, f"a crawl can be told {known}\n")
    if not _is_whole(request):
        return _Answer("400 Bad Request", _TEXT, "the request is cut short\n")
    with suppress(ValueError, RecursionError):
        about = json.loads(_body_of(request) or b"{}")
        if isinstance(about, dict):
            return Command(do, about)
    return _Answer("400 Bad Request", _TEXT, "send a JSON object\n")


def _as_json(status: str, document: dict[str, Any]) -> _Answer:
    return _Answer(status, _JSON, json.dumps(document, ensure_ascii=False) + "\n")


def _send(connection: socket.socket, answer: _Answer, *, bodiless: bool = False) -> None:
    """Send an answer and hang up."""
    body = answer.body.encode("utf-8", "backslashreplace")
    head = (
        f"HTTP/1.0 {answer.status}\r\nContent-Type: {answer.kind}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    with connection:
        connection.settimeout(_PATIENCE)
        connection.sendall(head.encode() + (b"" if bodiless else body))


_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"^content-length:\s*(\d{1,9})\s*$", re.IGNORECASE | re.MULTILINE)


def _is_whole(request: bytes) -> bool:
    """Whether a request is complete; the head of one of HTTP/0.9 is a single line."""
    end = _END_OF_HEAD.search(request)
    if end is None:
        return False
    length = _LENGTH.search(request, 0, end.end())
    return not request.startswith(b"POST ") or len(request) - end.end() >= int(
        length[1] if length else 0
    )


def _body_of(request: bytes) -> bytes:
    end = _END_OF_HEAD.search(request)
    return request[end.end() :] if end else b""


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


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """A name for a path of any length: a long one is named by way of its open directory."""
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        yield str(path)
        return
    if sys.platform != "linux":
        raise OSError(f"the path is longer than {_LONGEST_PATH} bytes")
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)


def _inode(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino


class _Connection(http.client.HTTPConnection):
    """A connection to the channel of a crawl."""

    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        with _short(self._path) as name:
            self.sock.connect(name)


def ask(directory: Path, path: str) -> dict[str, Any] | None:
    """What a running crawl tells under a path; None where none runs, or it says nothing."""
    try:
        status, document = _exchange(directory, "GET", path, None, _PATIENCE + 1.0)
    except (OSError, http.client.HTTPException, ValueError):
        return None
    return document if status == 200 else None


def command(directory: Path, do: str, about: dict[str, Any] | None = None) -> dict[str, Any]:
    """Tell a running crawl to do something; its answer, or BadInput with what it says is wrong."""
    try:
        _, document = _exchange(
            directory, "POST", f"/{do}", json.dumps(about or {}), _COMMAND_PATIENCE + 5.0
        )
    except (OSError, http.client.HTTPException, ValueError):
        raise BadInput(
            f"no crawl in '{directory}' answers; start it with 'langcrawl crawl {directory}'."
        ) from None
    if not document.get("ok"):
        raise BadInput(str(document.get("error", "the crawl did not do it.")))
    return document


def _exchange(
    directory: Path, method: str, path: str, body: str | None, timeout: float
) -> tuple[int, dict[str, Any]]:
    connection = _Connection(directory / FILE, timeout)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        document = json.loads(answer.read())
        if not isinstance(document, dict):
            raise ValueError("no object")
        return answer.status, document
    finally:
        connection.close()
