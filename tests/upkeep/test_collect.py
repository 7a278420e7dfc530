"""Archive files are brought to one place: nothing is lost, and every command still finds them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.archive.texts import texts
from langcrawl.parallel import silent
from langcrawl.store.collected import collected
from langcrawl.store.sealed import checksum_of
from langcrawl.upkeep.collect import collect


@pytest.fixture
def crawl(small_crawl: Path, tmp_path: Path) -> Path:
    shutil.copytree(small_crawl, tmp_path / "crawl")
    return tmp_path / "crawl"


def read(directory: Path) -> dict[int, str]:
    return {page: content.text for page, content in texts(directory).all()}


def sums(folder: Path) -> dict[str, str]:
    return {path.name: checksum_of(path) for path in folder.glob("*.warc.gz")}


def test_in_a_folder_every_command_finds_them_as_before(
    crawl: Path, tmp_path: Path, cli: Cli
) -> None:
    before, told = sums(crawl / "warc"), read(crawl)
    done = cli("collect", crawl, "--to", tmp_path / "far", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["files"] == len(before)
    assert sums(tmp_path / "far") == before
    assert all(path.is_symlink() for path in (crawl / "warc").glob("*.warc.gz"))
    assert read(crawl) == told
    assert cli("verify", crawl).returncode == 0
    done = cli("crawl", crawl, "--max-outage", "1")  # its servers are gone
    assert "downloaded again" not in done.stderr
    assert cli("verify", crawl).returncode == 0
    again = cli("collect", crawl, "--to", tmp_path / "far", "--json")
    assert json.loads(again.stdout)["files"] == 0
    assert cli("collect", crawl, "--back").returncode == 0
    assert not any(path.is_symlink() for path in (crawl / "warc").glob("*.warc.gz"))
    assert sums(crawl / "warc") == before


def test_pages_that_are_forgotten_go_from_the_collected_files_too(
    crawl: Path, tmp_path: Path, cli: Cli
) -> None:
    assert cli("collect", crawl, "--to", tmp_path / "far").returncode == 0
    before = sums(tmp_path / "far")
    host = next(iter((crawl / "warc" / "index.cdxj").read_text().splitlines()))
    url = json.loads(host[host.index("{") :])["url"]
    done = cli("forget", crawl, "--url", url)
    assert done.returncode == 0, done.stderr
    assert sums(tmp_path / "far") != before
    assert cli("verify", crawl).returncode == 0


def test_in_a_store_they_are_elsewhere_until_they_are_brought_back(
    crawl: Path, tmp_path: Path, cli: Cli
) -> None:
    before, told = sums(crawl / "warc"), read(crawl)
    store = f"file://{tmp_path / 'store'}"
    done = cli("collect", crawl, "--to", store)
    assert done.returncode == 0, done.stderr
    assert f"{len(before):,} archive files" in done.stdout
    assert not list((crawl / "warc").glob("*.warc.gz"))
    assert sums(tmp_path / "store") == before
    assert set(collected(crawl / "warc")) == set(before)
    assert cli("verify", crawl).returncode == 0
    done = cli("crawl", crawl, "--max-outage", "1")
    assert "downloaded again" not in done.stderr
    assert set(collected(crawl / "warc")) == set(before)
    for words in (
        ("forget", crawl, "--host", "nobody.example"), ("recover", crawl, "--rebuild"),
        ("export", crawl, "--to", tmp_path / "a.wacz"),
        ("export", crawl, "--to", tmp_path / "a.txt"),
    ):  # fmt: skip
        done = cli(*words)
        assert done.returncode == 1, words
        assert f"langcrawl collect {crawl} --back" in done.stderr, (words, done.stderr)
        assert done.stderr.count("\n") == 1, done.stderr
    assert cli("collect", crawl, "--back").returncode == 0
    assert sums(crawl / "warc") == before
    assert collected(crawl / "warc") == {}
    assert read(crawl) == told


def test_what_a_store_has_lost_or_changed_is_noticed(crawl: Path, tmp_path: Path, cli: Cli) -> None:
    assert cli("collect", crawl, "--to", f"file://{tmp_path / 'store'}").returncode == 0
    first = sorted((tmp_path / "store").iterdir())[0]
    data = first.read_bytes()
    first.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    done = cli("collect", crawl, "--back")
    assert done.returncode == 1
    assert "is not what was sent" in done.stderr
    assert not (crawl / "warc" / first.name).exists()
    first.unlink()
    done = cli("verify", crawl)
    assert done.returncode == 1
    assert first.name in done.stdout
    first.write_bytes(data)
    assert cli("collect", crawl, "--back").returncode == 0
    assert cli("verify", crawl).returncode == 0


def test_stopped_half_way_nothing_is_lost_and_the_rest_follows(crawl: Path, tmp_path: Path) -> None:
    (path,) = sorted((crawl / "warc").glob("*.warc.gz"))[:1]
    shutil.copy2(path, path.with_name(path.name.replace(".warc.gz", ".1.warc.gz")))
    answers = iter((False, True))
    done = collect(crawl, str(tmp_path / "far"), silent, lambda: next(answers))
    assert (done.files, done.stopped) == (1, True)
    (tmp_path / "far" / f"{path.name}.part").write_bytes(b"half")
    done = collect(crawl, str(tmp_path / "far"), silent, lambda: False)
    assert not done.stopped
    assert all(each.is_symlink() for each in (crawl / "warc").glob("*.warc.gz"))


def test_a_file_is_no_folder_to_bring_them_to(crawl: Path, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "file").write_text("a file")
    done = cli("collect", crawl, "--to", tmp_path / "file")
    assert done.returncode == 1
    assert "is a file; name a folder" in done.stderr


def test_another_file_of_that_name_is_never_overwritten(
    crawl: Path, tmp_path: Path, cli: Cli
) -> None:
    path = sorted((crawl / "warc").glob("*.warc.gz"))[0]
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / path.name).write_bytes(b"another")
    done = cli("collect", crawl, "--to", tmp_path / "far")
    assert done.returncode == 1
    assert "is another file" in done.stderr
    assert not path.is_symlink()


@pytest.mark.parametrize("words", [(), ("--back", "--to", "x")])
def test_it_is_told_where_to(crawl: Path, cli: Cli, words: tuple[str, ...]) -> None:
    done = cli("collect", crawl, *words)
    assert done.returncode == 2
    assert "--back" in done.stderr


def test_only_a_crawl_has_an_archive_to_collect(tmp_path: Path, cli: Cli) -> None:
    done = cli("collect", tmp_path, "--to", tmp_path / "far")
    assert done.returncode == 1
    assert "holds no live crawl" in done.stderr
