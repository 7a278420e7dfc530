"""The same as with files of this machine, on a real server of S3; run by ``make cluster``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from socket import create_server
from time import monotonic, sleep
from urllib.request import urlopen

import pytest
from pyarrow.fs import FileSystem

from store.test_remote import *  # noqa: F403
from store.test_remote import Base

_KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
os.environ.update(_KEYS)  # before the process is made that all commands are copies of


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server."""
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = str(Path(sys.executable).with_name("moto_server"))
    log = tmp_path_factory.mktemp("moto") / "log"
    with log.open("w") as out:
        process = subprocess.Popen([program, "-p", str(port)], stdout=out, stderr=out)
    try:
        end = monotonic() + 60
        while True:
            try:
                urlopen(f"http://127.0.0.1:{port}/moto-api/").close()
                break
            except OSError:
                assert monotonic() < end, log.read_text()
                sleep(0.2)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture
def base(server: str, request: pytest.FixtureRequest) -> Base:
    """A bucket of the test's own."""
    query = f"?scheme=http&endpoint_override={server}&region=us-east-1&allow_bucket_creation=true"
    bucket = f"b{abs(hash(request.node.nodeid))}"
    system, path = FileSystem.from_uri(f"s3://{bucket}{query}")
    system.create_dir(path)
    return lambda name: f"s3://{bucket}/{name}{query}"
