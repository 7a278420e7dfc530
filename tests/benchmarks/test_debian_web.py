"""The rules by which the Debian benchmark serves manuals, on small made-up ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.debian_web import MANUALS, SERVED, Door, Manual, Manuals, content_type

from langcrawl.config import CrawlConfig
from langcrawl.log.segments import read_table
from langcrawl.run import run_crawl
from langcrawl.virtualweb.serve import Server

BY_PATH = Manual("Paths", "In the path.", "doc/paths", "paths.debian.example")
BY_NAME = Manual(
    "Names", "In the name.", "doc/names", "names.debian.example",
    "index.en.html", (Door("", "index.{}.html"),),
)  # fmt: skip
BY_HOST = Manual("Hosts", "In the host.", "doc/hosts", "{}.gimp-help.example")
PAGE = '<!doctype html><meta charset=utf-8><p>{} <a href="{}">more</a>'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three manuals, and a file that belongs to nobody."""
    _write(tmp_path / "secret.html", "nothing to see")
    root = tmp_path / "packages"
    _write(root / "doc/paths/en/index.html", PAGE.format("one", "../de/index.html"))
    _write(root / "doc/paths/de/index.html", PAGE.format("eins", "../../en/index.html"))
    (root / "doc/paths/de/old.html").symlink_to("../en/index.html")
    (root / "doc/paths/de/secret.html").symlink_to("../../../../secret.html")
    _write(root / "doc/paths/images/a.png", "picture")
    _write(root / "doc/names/index.en.html", PAGE.format("two", "https://www.debian.org/"))
    _write(root / "doc/names/index.pt-br.html", PAGE.format("dois", "a%20b.pt-br.html"))
    _write(root / "doc/names/a b.pt-br.html", PAGE.format("dois", "index.pt-br.html"))
    _write(root / "doc/hosts/en/index.html", PAGE.format("three", "legal.html"))
    _write(root / "doc/hosts/en/legal.html", PAGE.format("law", "#top"))
    _write(root / "doc/hosts/zh_CN/index.html", PAGE.format("三", "../en/legal.html"))
    return root


@pytest.fixture
def manuals(root: Path) -> Manuals:
    return Manuals(root, (BY_PATH, BY_NAME, BY_HOST))


def test_pages_are_served_to_the_byte(manuals: Manuals, root: Path) -> None:
    answer = manuals.answer("http://paths.debian.example/de/index.html")
    assert answer.status == 200
    assert answer.body == (root / "doc/paths/de/index.html").read_bytes()


def test_each_language_of_a_manual_by_host_has_its_own(manuals: Manuals) -> None:
    assert manuals.hosts == [
        "www.manuals.example",
        "paths.debian.example",
        "names.debian.example",
        "en.gimp-help.example",
        "zh-cn.gimp-help.example",
    ]
    assert "三".encode() in manuals.answer("http://zh-cn.gimp-help.example/index.html").body


def test_a_link_to_the_folder_of_another_language_leads_to_its_host(manuals: Manuals) -> None:
    answer = manuals.answer("http://zh-cn.gimp-help.example/en/legal.html")
    assert (answer.status, answer.location) == (301, "http://en.gimp-help.example/legal.html")


def test_a_folder_is_its_index_or_its_list(manuals: Manuals) -> None:
    answer = manuals.answer("http://paths.debian.example/en")
    assert (answer.status, answer.location) == (301, "/en/")
    assert b"one" in manuals.answer("http://paths.debian.example/en/").body
    assert b"two" in manuals.answer("http://names.debian.example/").body
    assert b'href="a.png"' in manuals.answer("http://paths.debian.example/images/").body


def test_names_are_unquoted_and_parameters_ignored(manuals: Manuals) -> None:
    assert manuals.answer("http://names.debian.example/a%20b.pt-br.html?DbPAR=X").status == 200


@pytest.mark.parametrize(
    "path",
    ["/gone.html", "/de/secret.html", "/../../../secret.html", "/%2e%2e/%2e%2e/%2e%2e/secret.html",
     "/a%00b", "/en/index.html/", "/en/index.html/more"],
)  # fmt: skip
def test_what_is_not_in_the_packages_is_not_found(manuals: Manuals, path: str) -> None:
    assert manuals.answer(f"http://paths.debian.example{path}").status == 404


def test_a_host_that_is_not_served_has_no_404(manuals: Manuals) -> None:
    assert manuals.answer("http://www.debian.org/").status == 502


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("http://www.manuals.example/", "en"),
        ("http://paths.debian.example/de/index.html", "de"),
        ("http://paths.debian.example/de/old.html", "en"),
        ("http://paths.debian.example/images/a.png", ""),
        ("http://names.debian.example/", "en"),
        ("http://names.debian.example/a%20b.pt-br.html", "pt-br"),
        ("http://zh-cn.gimp-help.example/index.html", "zh-cn"),
        ("http://zh-cn.gimp-help.example/gone.html", ""),
        ("http://www.debian.org/", ""),
    ],
)
def test_a_label_is_the_language_that_the_file_itself_names(
    manuals: Manuals, url: str, label: str
) -> None:
    assert manuals.label(url) == label


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.html", "text/html"),
        ("ch01.ja.html", "text/html"),
        ("a.png", "image/png"),
        ("a.txt", "text/plain"),
        ("a.txt.gz", "application/gzip"),
        ("objects.inv", "application/octet-stream"),
    ],
)
def test_types_are_those_of_file_names(name: str, kind: str) -> None:
    assert content_type(name) == kind


def test_every_host_and_no_other_is_in_scope(manuals: Manuals) -> None:
    hosts = [*manuals.hosts, *(manual.host.format("pt-br") for manual in MANUALS)]
    assert all(re.search(SERVED, f"http://{host}/a.html") for host in hosts)
    for url in (
        "https://www.debian.org/",
        "http://x.org/http://httpd.example/",
        "http://a.example/",
    ):
        assert not re.search(SERVED, url)


def test_a_crawl_from_the_portal_reaches_all_and_asks_nobody_else(
    manuals: Manuals, tmp_path: Path
) -> None:
    directory = tmp_path / "crawl"
    with Server(manuals.answer) as server:
        config = CrawlConfig(
            lang="th",
            seeds=(manuals.seed,),
            strategy="bfs",
            delay=0,
            workers=1,
            include=(SERVED,),
            connect_to=(server.connect_to,),
        )
        result = run_crawl(directory, config)
    assert {request.host for request in server.requests} == set(manuals.hosts)
    assert result["discards"] == {"not-included": 1}
    urls = read_table(directory, "urls", ["url"])["url"].to_pylist()
    pages = read_table(directory, "pages", ["id", "status"]).to_pylist()
    answers = {urls[page["id"]]: page["status"] for page in pages}
    assert answers == {
        "http://www.manuals.example/": 200,
        "http://www.manuals.example/paths.html": 200,
        "http://www.manuals.example/names.html": 200,
        "http://www.manuals.example/gimp-help.html": 200,
        "http://paths.debian.example/en/index.html": 200,
        "http://paths.debian.example/de/index.html": 200,
        "http://names.debian.example/index.en.html": 200,
        "http://names.debian.example/index.pt-br.html": 200,
        "http://names.debian.example/a%20b.pt-br.html": 200,
        "http://en.gimp-help.example/index.html": 200,
        "http://en.gimp-help.example/legal.html": 200,
        "http://zh-cn.gimp-help.example/index.html": 200,
        "http://zh-cn.gimp-help.example/en/legal.html": 301,
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
