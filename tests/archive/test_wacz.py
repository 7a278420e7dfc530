"""WACZ files: what is in them, that their digests hold, and what others say of them."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from archives import THAI, ArchiveFile
from conftest import Cli

ORACLE = Path(__file__).resolve().parents[2] / ".oracles" / "bin" / "wacz"


@pytest.fixture
def packed(cli: Cli, tmp_path: Path) -> Path:
    for name in ("one", "two"):
        made = ArchiveFile().record("", "warcinfo", "software: test\r\n", "application/warc-fields")
        made.answer(f"http://{name}.example/", f"<title>Page &amp; {name}</title>{THAI}")
        made.answer(f"http://{name}.example/gone", "gone", "404 Not Found")
        made.save(tmp_path / f"{name}.warc.gz")
    done = cli("export", "one.warc.gz", "two.warc.gz", "--to", "both.wacz", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["archives"], report["captures"], report["pages"]) == (2, 4, 2)
    return tmp_path / "both.wacz"


def test_a_wacz_holds_archives_index_and_pages_and_their_digests(packed: Path) -> None:
    with zipfile.ZipFile(packed) as whole:
        assert whole.testzip() is None
        package = json.loads(whole.read("datapackage.json"))
        assert package["profile"] == "data-package"
        for resource in package["resources"]:
            data = whole.read(resource["path"])
            assert resource["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
            assert resource["bytes"] == len(data)
        said = json.loads(whole.read("datapackage-digest.json"))
        digest = hashlib.sha256(whole.read("datapackage.json")).hexdigest()
        assert said == {"path": "datapackage.json", "hash": f"sha256:{digest}"}
        for name in ("one", "two"):
            entry = whole.getinfo(f"archive/{name}.warc.gz")
            assert entry.compress_type == zipfile.ZIP_STORED
            assert whole.read(entry) == (packed.parent / f"{name}.warc.gz").read_bytes()
        pages = [json.loads(line) for line in whole.read("pages/pages.jsonl").splitlines()]
        assert pages[0]["format"] == "json-pages-1.0"
        assert [(page["url"], page["title"]) for page in pages[1:]] == [
            ("http://one.example/", "Page & one"),
            ("http://two.example/", "Page & two"),
        ]
        lines = whole.read("indexes/index.cdx").decode().splitlines()
        assert lines == sorted(lines)
        for line in lines:
            fields = json.loads(line.split(" ", 2)[2])
            archive = whole.read(f"archive/{fields['filename']}")
            start, length = int(fields["offset"]), int(fields["length"])
            record = gzip.decompress(archive[start : start + length])
            assert f"WARC-Target-URI: {fields['url']}".encode() in record


def test_the_same_archives_make_the_same_bytes(cli: Cli, packed: Path) -> None:
    before = packed.read_bytes()
    words = ("one.warc.gz", "two.warc.gz", "--to", "both.wacz", "--overwrite")
    assert cli("export", *words).returncode == 0
    assert packed.read_bytes() == before


def test_a_wacz_is_read_again_as_the_archives_that_it_was_made_of(cli: Cli, packed: Path) -> None:
    done = cli("import", "web", "--warc", packed, "--lang", "th", "--json")
    assert json.loads(done.stdout)["pages"] == 4


def test_the_archive_of_a_crawl_lists_its_relevant_pages(
    cli: Cli, tmp_path: Path, small_crawl: Path
) -> None:
    done = cli("export", small_crawl, "--to", "small.wacz", "--json")
    assert done.returncode == 0, done.stderr
    from langcrawl.api.tables import CrawlLog

    log = CrawlLog(small_crawl).pages(["url", "relevant"]).to_pylist()
    with zipfile.ZipFile(tmp_path / "small.wacz") as whole:
        pages = [json.loads(line) for line in whole.read("pages/pages.jsonl").splitlines()][1:]
    assert {page["url"] for page in pages} == {row["url"] for row in log if row["relevant"]}


def test_archives_that_cannot_be_indexed_are_named(cli: Cli, tmp_path: Path) -> None:
    plain = ArchiveFile(packed=False).answer("http://a.example/").answer("http://a.example/2").data
    (tmp_path / "whole.warc.gz").write_bytes(gzip.compress(plain))
    done = cli("export", "whole.warc.gz", "--to", "a.wacz")
    assert done.returncode == 1
    assert "compressed as a whole" in done.stderr
    assert not (tmp_path / "a.wacz").exists()


@pytest.mark.skipif(not ORACLE.exists(), reason="needs wacz in .oracles, which make test makes")
def test_the_validator_of_webrecorder_finds_it_valid(packed: Path) -> None:
    done = subprocess.run(
        [ORACLE, "validate", "-f", packed], capture_output=True, text=True, check=False
    )
    assert "the passed WACZ is valid" in done.stdout, done.stdout + done.stderr
