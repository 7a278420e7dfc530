"""Real processes without the seconds that an interpreter takes to load the program.

`Warm` starts one process that has loaded everything and then waits. For each command it makes a
copy of itself, which runs the command as ``python -m langcrawl`` does: in its own directory, with
its own streams, environment, signals and exit status. The download processes of all crawls are
copies of one other process that has loaded what they need. Where several processes run tests, they
share the one that was started first. What a test learns from such a process
it would learn from one that started from nothing; how a process starts is tested elsewhere.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from multiprocessing import forkserver, resource_tracker
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn, Self

LOADED = (
    "langcrawl.run", "langcrawl.simulate.tune", "langcrawl.judge",
    "langcrawl.importers.warc", "langcrawl.importers.files", "langcrawl.report.page",
    "langcrawl.virtualweb.served", "langcrawl.corpus.formats", "langcrawl.corpus.kernels",
    "langcrawl.dashboard", "langcrawl.measure.webgraph", "langcrawl.cluster.whole",
    "langcrawl.topic.train", "pydantic.type_adapter",
)  # fmt: skip
COMPILED = (
    ("import langcrawl.simulate, langcrawl.simulate.adaptive.run",),
    (
        "from langcrawl.page.main_text import load_main_text; load_main_text()",
        "from langcrawl.languages.tags import parse_tag; parse_tag('th')",
        "import langcrawl.corpus.kernels, langcrawl.frontier.sqlite, langcrawl.frontier.compiled",
        "import langcrawl.topic.logistic",
        "from langcrawl.page.quick import compile_anew; compile_anew()",
    ),
)
"""What compiles, or loads what was compiled before: what needs the same is in one row.

Both rows take about as long.
"""
REWRITTEN = "from warm import rewrite_all; rewrite_all()"
IMPORTED = "import altair, nbclient, pandas, playwright.sync_api, polars, scipy.optimize"
"""Large packages that all processes of the tests load: Python reads them first, and keeps that."""
TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src" / "langcrawl"
_FROM_HERE = {"PYTHONPATH": str(TESTS)}
_LONGEST = 1 << 20
"""Bytes of a command with its environment."""


def compile_all() -> None:
    """Prepare once what all processes of the tests need, in several side by side.

    Nothing is done where the same code was compiled before: to load it all takes seconds too.
    """
    code = sha256("\n".join([sys.version, version("numba"), str(COMPILED)]).encode())
    for path in sorted(SOURCE.rglob("*.py")):
        code.update(path.read_bytes())
    stamp = SOURCE / "simulate" / "__pycache__" / "compiled-for-tests"
    if stamp.exists() and stamp.read_text() == code.hexdigest():
        return
    rows = [*COMPILED, (IMPORTED, REWRITTEN)]
    several = [
        subprocess.Popen([sys.executable, "-c", "\n".join(row)], env=os.environ | _FROM_HERE)
        for row in rows
    ]
    for process in several:
        assert process.wait() == 0
    stamp.write_text(code.hexdigest())


def rewrite_all() -> None:
    """Give every test file the form in which pytest runs it, once and not in each process.

    pytest itself does so when it first loads a file. It does not offer this, and where it has
    changed, the tests only start later.
    """
    try:
        from _pytest.assertion.rewrite import (
            PYC_TAIL,
            _rewrite_test,
            _write_pyc,
            get_cache_dir,
        )

        for path in [TESTS / "conftest.py", *sorted(TESTS.rglob("test_*.py"))]:
            folder = get_cache_dir(path)
            folder.mkdir(parents=True, exist_ok=True)
            checked, code = _rewrite_test(path, None)
            _write_pyc(None, code, checked, folder / f"{path.stem}{PYC_TAIL}")
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        print(f"the tests start more slowly: {error!r}", file=sys.stderr)


class Process:
    """A copy at work, to be waited for or killed."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self.pid = int(channel.recv(64))
        self.returncode: int | None = None

    def poll(self, timeout: float = 0.0) -> int | None:
        """The exit status if it has ended; minus the signal that ended it."""
        if self.returncode is None:
            self._channel.settimeout(timeout or 1e-6)
            try:
                said = self._channel.recv(64)
            except TimeoutError:
                return None
            self.returncode = int(said)
            self._channel.close()
        return self.returncode

    def wait(self, timeout: float = 180.0) -> int:
        status = self.poll(timeout)
        if status is None:
            self.kill()
            raise subprocess.TimeoutExpired("langcrawl", timeout)
        return status

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait(10.0)


class Warm:
    """A way to the process that is copied; a context manager."""

    _channel: socket.socket

    def __init__(self, address: str) -> None:
        self.address = address

    def __enter__(self) -> Self:
        self._channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel.connect(self.address)
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def start(self, words: list[str], directory: Path, out: int, err: int) -> Process:
        """Run a command in a directory, with its output and its complaints into open files.

        The words may be ``-c`` and a program, as of Python itself.
        """
        mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        order = json.dumps([words, str(directory), dict(os.environ)]).encode()
        assert len(order) < _LONGEST
        socket.send_fds(self._channel, [order], [its.fileno(), out, err])
        its.close()
        return Process(mine)


class WarmProcess(Warm):
    """The process itself: it ends with the context, and others can find a way to it."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory()
        super().__init__(f"{self._folder.name}/warm")

    def __enter__(self) -> Self:
        self._channel, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door, its:
            door.bind(self.address)
            door.listen()
            files = its.fileno(), door.fileno()
            self._process = subprocess.Popen(
                [sys.executable, __file__, *map(str, files)],
                pass_fds=files, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._process.wait(30)
        self._folder.cleanup()


def _serve(owner: socket.socket, door: socket.socket) -> None:
    """Copy this process for each order, and say of each copy how it ended."""
    at_work: dict[int, socket.socket] = {}
    channels = [owner]
    signal.signal(signal.SIGCHLD, lambda *_: None)
    wake, woken = socket.socketpair()
    woken.setblocking(False)
    signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    while True:
        ready, _, _ = select.select([*channels, door, wake], [], [])
        if wake in ready:
            wake.recv(4096)
            for pid in list(at_work):
                ended, status = os.waitpid(pid, os.WNOHANG)
                if ended:
                    _tell(at_work.pop(pid), os.waitstatus_to_exitcode(status))
        if door in ready:
            channels.append(door.accept()[0])
        for channel in [each for each in channels if each in ready]:
            order, files, _, _ = socket.recv_fds(channel, _LONGEST, 3)
            if not order:
                if channel is owner:
                    for pid in at_work:  # of tests that failed
                        os.kill(pid, signal.SIGKILL)
                    return
                channels.remove(channel)
                channel.close()
                continue
            asker = socket.socket(fileno=files[0])
            pid = os.fork()
            if pid == 0:
                for other in (*channels, door, wake, woken, asker, *at_work.values()):
                    other.close()
                _work(*json.loads(order), *files[1:])
            os.close(files[1])
            os.close(files[2])
            at_work[pid] = asker
            _tell(asker, pid)


def _tell(asker: socket.socket, number: int) -> None:
    with suppress(OSError):  # it no longer wants to know
        asker.send(b"%d" % number)


def _work(
    words: list[str], directory: str, environment: dict[str, str], out: int, err: int
) -> NoReturn:
    """In the copy: run the command to its end."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(out, 1)
    os.dup2(err, 2)
    _close_all_but(*_share_the_source_of_workers())
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    code, words = (words[1], words[2:]) if words[:1] == ["-c"] else ("", words)
    sys.argv = ["langcrawl", *words]
    from langcrawl.__main__ import main

    status = 0
    try:
        if code:
            exec(code, {"__name__": "__main__"})
        else:
            main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
        status = 1
    _end(status)


def _share_the_source_of_workers() -> tuple[int, int]:
    """The files that lead to it; it is no child of this copy, which must not look after it."""
    source = forkserver._forkserver
    source.ensure_running = lambda: None
    return source._forkserver_alive_fd, resource_tracker.getfd()


def _close_all_but(*kept: int) -> None:
    first = 3
    for file in sorted(kept):
        os.closerange(first, file)
        first = file + 1
    os.closerange(first, 1024)


def _end(status: int) -> NoReturn:
    """What an interpreter does at its end, without the tests' own files."""
    import atexit
    import multiprocessing.util

    atexit._run_exitfuncs()
    multiprocessing.util._exit_function()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    import gc
    import importlib

    from langcrawl import cli, run
    from langcrawl.web import live

    cli.make_app()
    for name in LOADED:
        importlib.import_module(name)
    for row in COMPILED:
        for code in row:
            exec(code)
    gc.freeze()
    forkserver.set_forkserver_preload([*live._LOADED, *run._SHARED])
    forkserver.ensure_running()
    _serve(*[socket.socket(fileno=int(word)) for word in sys.argv[1:]])
