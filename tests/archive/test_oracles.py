"""An archive whose writer was killed again and again, as pywb, warcio and cdxj-indexer see it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from fastwarc.warc import ArchiveIterator

from exchanges import files, read, sample, sizes
from langcrawl.archive.index import INDEX, Capture, surt, update_index
from langcrawl.archive.writer import Place, finish, recover
from langcrawl.store.lost import LostAndFound
from langcrawl.url import canonical

ORACLES = Path(__file__).resolve().parents[2] / ".oracles" / "bin"
needs_oracles = pytest.mark.skipif(
    not (ORACLES.parent / ".ready").exists(), reason="needs pywb in .oracles, which make test makes"
)

WRITER = """
import json, sys
from pathlib import Path
from exchanges import ABOUT, Archive, put, sample

archive = Archive(Path(sys.argv[1]), 4, ABOUT, max_bytes=4_000_000)
number = int(sys.argv[2])
while True:
    print(json.dumps([number, *put(archive, sample(number))]), flush=True)
    number += 1
"""


@dataclass
class Killed:
    """An archive, the part of it that its database knows, and how often something was cut off."""

    directory: Path
    places: dict[int, Place] = field(default_factory=dict)
    cuts: int = 0

    def recover(self) -> None:
        before = sizes(self.directory)
        ends = {place.file: place.offset + place.length for place in self.places.values()}
        lost = LostAndFound(self.directory.parent)
        assert recover(self.directory, ends, lost).short == []
        self.cuts += sizes(self.directory) != before

    def update_index(self) -> None:
        """Every ten pages are a part of the log, the last one as long as it grows."""
        tens = {f"{number // 10:03}" for number in self.places}
        sources = {ten: sum(n // 10 == int(ten) for n in self.places) for ten in sorted(tens)}
        complete = {ten: size for ten, size in sources.items() if size == 10}
        update_index(self.directory, complete, self.captures)
        update_index(self.directory, sources, self.captures)

    def captures(self, tens: Sequence[str]) -> Iterator[Capture]:
        for number, place in self.places.items():
            if f"{number // 10:03}" not in tens:
                continue
            asked = sample(number)
            yield Capture(
                asked.url, asked.asked_at, asked.header("Content-Type"), asked.status,
                place.digest, place.file, place.offset, place.length, place.revisit,
            )  # fmt: skip


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """Eight times a process writes and is killed, and what was not committed is cut off."""
    made, random = Killed(tmp_path_factory.mktemp("killed")), Random(4)
    for _ in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, made.directory, str(len(made.places))],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            for line in islice(process.stdout, random.randint(1, 12)):
                number, *place = json.loads(line)
                made.places[number] = Place(*place)
            time.sleep(random.random() / 20)
            process.kill()
        made.recover()
        made.update_index()
    finish(made.directory)
    return made


def test_after_kills_warcio_and_fastwarc_read_the_pages_that_were_committed(killed: Killed) -> None:
    assert killed.cuts, "no kill came between a write and its commit"
    assert len(files(killed.directory)) >= 2
    found = [record for path in files(killed.directory) for record in read(path)]
    answers = [record for record in found if record.kind in ("response", "revisit")]
    assert [record["WARC-Target-URI"] for record in answers] == [
        sample(number).url for number in killed.places
    ]
    assert any(record.kind == "revisit" for record in answers)
    again = 0
    for path in files(killed.directory):
        with path.open("rb") as stream:
            again += sum(1 for _ in ArchiveIterator(stream, verify_digests=True))
    assert again == len(found)


@needs_oracles
def test_the_index_is_the_one_that_another_program_makes_of_the_files(killed: Killed) -> None:
    made = subprocess.run(
        [ORACLES / "cdxj-indexer", "--sort", *files(killed.directory)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (killed.directory / INDEX).read_text("utf-8") == made.stdout
    assert len(made.stdout.splitlines()) == len(killed.places)


Replay = Callable[[str], bytes]


@pytest.fixture
def replay(killed: Killed, tmp_path: Path) -> Iterator[Replay]:
    """Pages of the archive as pywb replays them."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "config.yaml").write_text(
        "collections:\n  killed:\n"
        f"    index_paths: {killed.directory / INDEX}\n    archive_paths: {killed.directory}/\n"
    )
    place = f"http://127.0.0.1:{port}"
    command = [ORACLES / "wayback", "-d", tmp_path, "-b", "127.0.0.1", "-p", str(port)]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log)
    try:
        _wait_for(place)
        yield lambda page: urlopen(f"{place}/killed/{page}", timeout=20).read()
    finally:
        process.kill()
        process.wait()


def _wait_for(place: str) -> None:
    for _ in range(300):
        try:
            urlopen(place, timeout=10).close()
            return
        except URLError:
            time.sleep(0.1)
    raise AssertionError("pywb does not answer")


@needs_oracles
def test_pywb_replays_every_page_revisits_too(killed: Killed, replay: Replay) -> None:
    assert len(killed.places) >= 20
    for number in killed.places:
        asked = sample(number)
        moment = time.strftime("%Y%m%d%H%M%S", time.gmtime(asked.asked_at))
        assert replay(f"{moment}id_/{asked.url}") == asked.body


PIECES = [
    "a", "B", "%41", "%20", "/", "//", ".", "?", "&", "=", "+", "%E0%B8%81", "~", "ก", ";", "%25",
    "index.html", "sid=", "0123456789abcdef0123456789abcdef", "PHPSESSID=", "%2541", "'", "(", ")",
    "%23", "-", "_", ":", "@", "!", "|", ".aspx",
]  # fmt: skip


def made_up_urls() -> list[str]:
    random = Random(5)
    urls = [
        "http://127.0.0.1:8080/", "http://[2001:db8::1]:81/x", "https://www.example.com/",
        "http://x.example/Default.aspx?b&a=1&a",
    ]  # fmt: skip
    for _ in range(3000):
        host = random.choice(["", "www.", "WWW2.", "m."]) + random.choice(["example", "ไทย", "a-b"])
        end = random.choice([".com", ".co.th", ".com:81", ".com."])
        rest = "".join(random.choice(PIECES) for _ in range(random.randint(0, 9)))
        urls.append(f"http://{host}{end}/{rest}")
    return [url for url in map(canonical, urls) if url]


@needs_oracles
def test_keys_are_those_of_the_surt_package() -> None:
    urls = made_up_urls()
    program = (
        "import json, sys, surt; print(json.dumps(list(map(surt.surt, json.load(sys.stdin)))))"
    )
    answer = subprocess.run(
        [ORACLES / "python", "-c", program],
        input=json.dumps(urls),
        capture_output=True,
        text=True,
        check=True,
    )
    keys = dict(zip(urls, json.loads(answer.stdout), strict=True))
    assert {url: surt(url) for url in urls} == keys
