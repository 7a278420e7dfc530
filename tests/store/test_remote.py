"""Files named by URIs; with those of an object store in ``make cluster``."""

from __future__ import annotations

import json
from collections.abc import Callable
from gzip import decompress as gunzip
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow.fs import FileSystem

from conftest import Cli
from corpus.pages import archive, html, sentences
from langcrawl import open_log
from langcrawl.errors import BadInput
from langcrawl.importers.given import ARCHIVE
from langcrawl.store.remote import below, exists, fetch, is_remote, send, split

Base = Callable[[str], str]
"""Makes the URI of a name in the store."""


@pytest.fixture
def base(tmp_path: Path) -> Base:
    return lambda name: (tmp_path / "store").as_uri() + f"/{name}"


def put(uri: str, path: Path) -> None:
    """What a user had there before: written without our code."""
    system, place = FileSystem.from_uri(uri)
    if system.type_name == "local":
        system.create_dir(place.rpartition("/")[0], recursive=True)
    with system.open_output_stream(place, compression=None) as stream:
        stream.write(path.read_bytes())


def listed(uri: str) -> bytes:
    system, place = FileSystem.from_uri(uri)
    with system.open_input_stream(place, compression=None) as stream:
        return bytes(stream.read())


@pytest.fixture
def stored(base: Base, tmp_path: Path) -> list[Path]:
    """Three archives in the store, and what is none; the archives as they are here."""
    made = []
    for number, folder in enumerate(("one", "one", "two")):
        pages = {
            f"http://h{number}.th/{page}": html(sentences(10 * number + page)) for page in range(3)
        }
        made.append(archive(tmp_path / f"{folder}-{number}.warc.gz", pages))
        put(base(f"{folder}/{made[-1].name}"), made[-1])
    (tmp_path / "notes.txt").write_text("nothing")
    put(base("one/notes.txt"), tmp_path / "notes.txt")
    return made


def test_files_folders_and_patterns_are_copied_as_they_are(
    base: Base, stored: list[Path], tmp_path: Path
) -> None:
    for number, (given, wanted) in enumerate({
        base("one/one-0.warc.gz"): stored[:1],
        base("one"): stored[:2],
        base("one/*-1.warc.gz"): stored[1:2],
        base("*/*.warc.gz"): stored,
    }.items()):  # fmt: skip
        copies = fetch([given, str(tmp_path / "mine")], tmp_path / str(number), ARCHIVE)
        assert copies.pop() == tmp_path / "mine", "what is here is left where it is"
        assert [path.name for path in copies] == [path.name for path in wanted]
        assert [path.read_bytes() for path in copies] == [path.read_bytes() for path in wanted]


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("name", "words"),
    [("none.warc.gz", "there is no"), ("one/*.arc", "no file"), ("three/", "there is no")],
)
def test_what_is_not_there_is_said(base: Base, tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        fetch([base(name)], tmp_path / "copies", ARCHIVE)


def test_what_is_sent_is_there(base: Base, tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(bytes(range(256)) * 40_000)
    assert not exists(base("a/large"))
    send([(path, base("a/large"))])
    assert exists(base("a/large"))
    assert listed(base("a/large")) == path.read_bytes()


def test_an_import_keeps_copies_from_which_texts_are_read_later(
    base: Base, stored: list[Path], cli: Cli, tmp_path: Path
) -> None:
    done = cli("import", "web", "--lang", "th", "--warc", base("one"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] == 6
    assert open_log(tmp_path / "web").pages(["url"]).num_rows == 6
    assert {path.name for path in (tmp_path / "web" / "archives").iterdir()} == {
        path.name for path in stored[:2]
    }
    for path in stored:
        path.unlink()
    (tmp_path / "web").rename(tmp_path / "moved")
    text = cli("export", "moved", "--to", "thai.parquet", "--min-chars", "1", "--json")
    assert json.loads(text.stdout)["documents"] == 6, text.stderr


def test_an_import_that_fails_leaves_nothing(base: Base, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.warc.gz").write_bytes(b"nothing that could be read")
    put(base("bad.warc.gz"), tmp_path / "bad.warc.gz")
    done = cli("import", "web", "--lang", "th", "--warc", base("bad.warc.gz"))
    assert done.returncode == 1
    assert "is not a WARC file" in done.stderr
    assert not (tmp_path / "web").exists()


def test_an_export_reads_from_a_store_and_writes_to_it(
    base: Base, stored: list[Path], cli: Cli, tmp_path: Path
) -> None:
    words = ("--lang", "th", "--min-chars", "1", "--json")
    here = cli("export", *map(str, stored), "--to", "here.parquet", *words)
    assert here.returncode == 0, here.stderr
    export = ("export", base("one"), base("two/*.gz"), "--to", base("made/thai.parquet"), *words)
    there = cli(*export)
    assert there.returncode == 0, there.stderr
    made = json.loads(there.stdout)
    assert made["files"] == [base("made/thai.parquet")]
    assert made["documents"] == json.loads(here.stdout)["documents"] > 0
    (tmp_path / "back.parquet").write_bytes(listed(base("made/thai.parquet")))
    both = [pq.read_table(tmp_path / name) for name in ("here.parquet", "back.parquet")]
    assert both[0].equals(both[1])
    assert b"langcrawl" in listed(made["card"])
    again = cli(*export)
    assert again.returncode == 1
    assert "is there already" in again.stderr
    assert cli(*export, "--overwrite").returncode == 0


@pytest.mark.usefixtures("stored")
def test_a_corpus_of_several_files_goes_to_a_folder_of_the_store(base: Base, cli: Cli) -> None:
    done = cli(
        "export", base("one"), "--lang", "th", "--min-chars", "1", "--to", base("thai.jsonl.gz"),
        "--shard-size", "1KB", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    files = json.loads(done.stdout)["files"]
    assert len(files) > 1
    name = f"thai/data/train-00000-of-{len(files):05}.jsonl.gz"
    assert files[0] == base(name)
    assert json.loads(gunzip(listed(files[0])).splitlines()[0])["url"].startswith("http://h")


@pytest.mark.parametrize("uri", ["nowhere://bucket/x.warc.gz", "s3:///x.warc.gz"])
def test_an_address_that_makes_no_sense_is_told(cli: Cli, uri: str) -> None:
    done = cli("import", "web", "--lang", "th", "--warc", uri)
    assert done.returncode == 1
    assert uri in done.stderr
    assert "Traceback" not in done.stderr


def test_uris_are_told_from_paths() -> None:
    assert is_remote("s3://bucket/a")
    assert not is_remote("a/b.warc.gz")
    assert not is_remote("C:/a")
    assert split("s3://bucket/a/b.txt?region=x") == ("s3://bucket/a?region=x", "b.txt")
    assert below("s3://bucket/a?region=x", "c") == "s3://bucket/a/c?region=x"
    with pytest.raises(BadInput, match="names no file"):
        split("s3://bucket")
