"""What the tests share: the data folder, a real command line, and a crawl of the small web."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import langcrawl.simulate  # noqa: F401  (compiled once, before any test listens to the output)
from langcrawl.config import CrawlConfig
from langcrawl.run import run_crawl
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb, make_small_web

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The developers' data folder; tests that need it are skipped where it is not."""
    if not SHARED.is_dir():
        pytest.skip("needs the data folder ../shared/data, which is not part of the project")
    return SHARED


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """With LANGCRAWL_FAIL_ON_SKIP set, a run in which anything was skipped has failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = len(reporter.stats.get("skipped", ())) if reporter else 0
    if skipped and os.environ.get("LANGCRAWL_FAIL_ON_SKIP") and session.exitstatus == 0:
        reporter.write_line(f"{skipped} tests were skipped, and none may be here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Run the installed command in a process of its own, in an empty directory."""

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


@pytest.fixture(scope="session")
def small_web() -> SmallWeb:
    return make_small_web(pages=300, seed=7)


@pytest.fixture(scope="session")
def small_crawl(small_web: SmallWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete live crawl of the small web; to be read, not changed."""
    directory = tmp_path_factory.mktemp("crawls") / "small"
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
    return directory
