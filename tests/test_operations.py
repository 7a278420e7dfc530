"""docs/operations.md and docs/control.md keep their word: events, metrics, unit and backup."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from conftest import Cli
from langcrawl.virtualweb.serve import Server
from running import Running, endless, wait_for
from warm import Warm

ROOT = Path(__file__).resolve().parents[1]
OPERATIONS = (ROOT / "docs/operations.md").read_text("utf-8")
INSTRUCTIONS = {
    "FROM", "COPY", "RUN", "USER", "WORKDIR", "VOLUME", "STOPSIGNAL", "ENTRYPOINT", "CMD", "ENV",
}  # fmt: skip


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", OPERATIONS, re.DOTALL)
    assert found
    return found[1]


def test_every_event_is_documented() -> None:
    told = set()
    for path in (ROOT / "src").rglob("*.py"):
        told |= set(re.findall(r'\b_?tell(?:_of)?\(\s*"([a-z-]+)"', path.read_text("utf-8")))
    assert {"start", "stop", "milestone", "silent", "again", "worker-died"} <= told
    for event in {*told, "failed", "notice"}:
        assert re.search(rf"^\| [^|]*`{event}`", OPERATIONS, re.MULTILINE), event


def test_every_metric_is_documented(cli: Cli, small_crawl: Path) -> None:
    document = (ROOT / "docs/control.md").read_text("utf-8")
    text = cli("status", small_crawl, "--metrics").stdout
    families = re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE)
    assert len(families) > 15
    for name, kind in families:
        suffix = {"counter": "_total", "info": "_info"}.get(kind, "")
        assert f"| `{name}{suffix}` | {kind} |" in document


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(block("ini"))
    service = unit["Service"]
    assert service["ExecStart"].split()[1:] == ["crawl", "/srv/crawls/thai"]
    assert set(unit.sections()) == {"Unit", "Service", "Install"}
    if shutil.which("systemd-analyze"):
        path = tmp_path / "langcrawl-thai.service"
        path.write_text(block("ini").replace("/opt/langcrawl/bin/langcrawl", "/bin/true"))
        done = subprocess.run(
            ["systemd-analyze", "verify", "--recursive-errors=no", path],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert (done.returncode, "langcrawl-thai" in done.stderr) == (0, False), done.stderr


def test_the_container_file_has_only_instructions_that_there_are() -> None:
    lines = block("dockerfile").strip().splitlines()
    assert lines[0].startswith("FROM ")
    for line in lines:
        word, _, rest = line.partition(" ")
        assert word in INSTRUCTIONS, line
        assert rest.strip()
        if word in ("ENTRYPOINT", "CMD"):
            assert isinstance(json.loads(rest), list)


def test_a_backup_of_a_running_crawl_in_the_order_given_loses_nothing(
    cli: Cli, warm: Warm, tmp_path: Path
) -> None:
    directory, copy = tmp_path / "c", tmp_path / "copy"
    copy.mkdir()
    with (
        Server(endless) as server,
        Running(
            directory, server.connect_to, "--delay", "0.1", "--workers", "1", warm=warm
        ) as crawl,
    ):
        wait_for(lambda: server.answered > 60)
        with (
            closing(sqlite3.connect(directory / "frontier.db")) as source,
            closing(sqlite3.connect(copy / "frontier.db")) as target,
        ):
            source.backup(target)
        before = server.answered
        wait_for(lambda: server.answered > before + 40)  # so that the archive is newer
        for name in ("crawl.toml", "events.jsonl"):
            shutil.copy(directory / name, copy / name)
        for name in ("log", "warc"):
            if (directory / name).exists():
                shutil.copytree(directory / name, copy / name)
        crawl.signal(signal.SIGTERM)
        assert crawl.wait() == 0
        kept = json.loads(cli("status", "copy", "--json").stdout)["pages"]
        assert kept > 30
        done = cli("crawl", "copy", "--max-pages", "1")
        assert done.returncode == 0, done.stderr
        assert "lost+found" in done.stderr
        asked = server.answered
        taken = json.loads(cli("recover", "copy", "--json").stdout)["pages"]
        assert taken > 20
        assert server.answered == asked
    assert cli("verify", "copy").returncode == 0
    assert json.loads(cli("status", "copy", "--json").stdout)["pages"] == kept + taken
