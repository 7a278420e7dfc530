"""What the tests share: the data folder, a real command line, and a crawl of the small web."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from multiprocessing import forkserver
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from langcrawl.config import CrawlConfig
from langcrawl.run import run_crawl
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb, make_small_web
from running import Started
from warm import Warm, WarmProcess, compile_all

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# What is compiled is compiled once, side by side: before any test listens to the output, and
# before the first of several processes runs a test.
if "PYTEST_XDIST_WORKER" not in os.environ:
    compile_all()

# Under nohup, or in the background, the tests are deaf to signals; what they start must not be.
for number in (signal.SIGHUP, signal.SIGINT):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

# How long a test takes says nothing where several run at once. What CI tries is the same each time;
# `make test` tries something else each time.
settings.register_profile(
    "langcrawl", deadline=None, derandomize="LANGCRAWL_FAIL_ON_SKIP" in os.environ
)
settings.load_profile("langcrawl")

LONG = (
    "store/test_kills.py", "test_examples.py", "cli/test_outages.py", "cli/test_watching.py",
    "web/test_fetch.py", "web/test_hostile.py", "store/test_foreign.py", "cli/test_cli.py",
    "web/test_costly.py", "topic/test_train_command.py", "test_crawl.py",
    "simulate/test_compiled.py", "dashboard/test_browser.py", "judge/test_floors.py",
    "recrawl/test_recrawl.py", "fuzz/test_fuzz.py", "judge/test_several.py",
    "virtualweb/test_encoded_webs.py", "cli/test_progress.py", "page/test_main_text.py",
    "frontier/test_durable.py", "cluster/test_shards.py", "cluster/test_shard_kills.py",
    "strategy/test_segments.py", "upkeep/test_recover.py", "judge/test_nasty_pages.py",
    "importers/test_warc.py", "cli/test_demo.py", "corpus/test_stats.py",
    "measure/test_estimate.py", "languages/test_profiles.py", "importers/test_files.py",
)  # fmt: skip
"""Files that take longest, or wait most, come first: several processes then end together."""

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The developers' data folder; tests that need it are skipped where it is not."""
    if not SHARED.is_dir():
        pytest.skip("needs the data folder ../shared/data, which is not part of the project")
    return SHARED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first; `make test` gives each process a file at a time."""
    place = {Path(__file__).parent / name: at for at, name in enumerate(LONG)}
    items.sort(key=lambda item: place.get(item.path, len(LONG)))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes have no place in names: packed ones hold the time, and each process has another."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session", autouse=True)
def _workers_start_quickly() -> None:
    """The process of which workers are copies has loaded what all of them need."""
    forkserver.set_forkserver_preload(["langcrawl.web.process", "langcrawl.run", "langcrawl.judge"])
    forkserver.ensure_running()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """With LANGCRAWL_FAIL_ON_SKIP set, a run in which anything was skipped has failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = len(reporter.stats.get("skipped", ())) if reporter else 0
    if skipped and os.environ.get("LANGCRAWL_FAIL_ON_SKIP") and session.exitstatus == 0:
        reporter.write_line(f"{skipped} tests were skipped, and none may be here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


_WARM = "LANGCRAWL_TESTS_WARM"


def pytest_configure(config: pytest.Config) -> None:
    """Where several processes run tests, one warm process serves them all."""
    if config.getoption("numprocesses", None) and "PYTEST_XDIST_WORKER" not in os.environ:
        running = WarmProcess()
        os.environ[_WARM] = running.__enter__().address
        config.add_cleanup(running.__exit__)


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """A process that has loaded the program, to make others of."""
    with Warm(os.environ[_WARM]) if _WARM in os.environ else WarmProcess() as running:
        yield running


@pytest.fixture
def cli(warm: Warm, tmp_path: Path) -> Cli:
    """Run the command in a process of its own, in an empty directory."""

    def run(*words: str | Path, timeout: float = 180) -> subprocess.CompletedProcess[str]:
        line = [str(word) for word in words]
        started = Started(warm, *line, directory=tmp_path)
        out, err = started.communicate(timeout)
        return subprocess.CompletedProcess(["langcrawl", *line], started.returncode, out, err)

    return run


@pytest.fixture
def cold_cli(tmp_path: Path) -> Cli:
    """Run the command as a user does, from a new interpreter: slower, and wholly real."""

    def run(*words: str | Path, timeout: float = 180) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "langcrawl"]
        return subprocess.run(
            command + [str(word) for word in words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser; it ends with its file, because others start event loops of their own."""
    from browser import started_browser  # what it loads only one process in four needs

    with started_browser() as running:
        yield running


@pytest.fixture(scope="session")
def small_web() -> SmallWeb:
    return make_small_web(pages=300, seed=7)


@pytest.fixture(scope="session")
def small_crawl(small_web: SmallWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete live crawl of the small web; to be read, not changed.

    The first of several processes makes it, and each has a copy: a reader may leave files of
    SQLite behind, and another must not meet them.
    """
    mine = tmp_path_factory.mktemp("crawls") / "small"
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    made = folder / "small-crawl"
    with (folder / "small-crawl.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _crawl_small_web(small_web, folder / "small-crawl.part")
            (folder / "small-crawl.part").rename(made)
    shutil.copytree(made, mine)
    return mine


def _crawl_small_web(small_web: SmallWeb, directory: Path) -> None:
    with Server(small_web.answer) as server:
        config = CrawlConfig(
            lang="th",
            seeds=small_web.seeds,
            strategy="bfs",
            delay=0.0,
            connections=16,
            connect_to=(server.connect_to,),
        )
        run_crawl(directory, config)
