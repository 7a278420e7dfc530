"""Import of Common Crawl's WAT files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from archives import ArchiveFile
from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.importers.wat import import_wat
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.segments import read_table, read_urls
from langcrawl.parallel import silent


def envelope(url: str, status: str = "200", kind: str = "response", **answer: Any) -> str:
    """What Common Crawl writes of an answer."""
    payload = {"HTTP-Response-Metadata": {"Response-Message": {"Status": status}} | answer}
    about = {"WARC-Type": kind, "WARC-Target-URI": url, "WARC-IP-Address": "10.0.0.1"}
    whole = {"WARC-Header-Metadata": about, "Payload-Metadata": payload}
    container = {"Filename": "CC-MAIN-1.warc.gz", "Offset": "1234", "Compressed": True}
    return json.dumps({"Container": container, "Envelope": whole})


def html(*links: dict[str, str], **head: Any) -> dict[str, Any]:
    return {"Head": head, "Links": list(links)}


def save(path: Path, *records: str) -> Path:
    archive = ArchiveFile().record("", "warcinfo", "a: b")
    for record in records:
        archive.record("http://a.th/", "metadata", record, "application/json")
    return archive.save(path)


def take_in(web: Path, *files: Path, lang: str = "th") -> dict[str, Any]:
    config = CrawlConfig(source="import", lang=lang)
    judge = make_judge(load_pack(lang), "charset")
    return import_wat(web, files, judge, config, silent)


LINKS = (
    {"path": "A@/href", "url": "x", "text": "read  more", "rel": "nofollow"},
    {"path": "IMG@/src", "url": "/i.png"},
    {"path": "IFRAME@/src", "url": "http://b.com/f"},
    {"path": "A@/href", "url": "mailto:x@y"},
    {"path": "AREA@/href", "url": "//c.com/", "alt": "map"},
)
UTF8 = {"Content-Type": "text/html; charset=utf-8"}


def test_links_and_headers_become_a_log(tmp_path: Path) -> None:
    thai = [{"http-equiv": "Content-Type", "content": "text/html; charset=TIS-620"}]
    path = save(
        tmp_path / "a.warc.wat.gz",
        envelope("http://a.th/d/", Headers=UTF8, **{"HTML-Metadata": html(*LINKS, Metas=thai)}),
        envelope("http://a.th/d/", kind="request"),
        envelope("http://a.th/old", "302", Headers={"location": "/d/"}),
        envelope("http://a.th/i.png", Headers={"Content-Type": "image/png"}),
        envelope("http://a.th/b/", **{"HTML-Metadata": html(LINKS[0], Base="http://d.com/")}),
        "{no json",
        '{"Envelope": {}}',
        envelope("dns:a.th"),
    )
    done = take_in(tmp_path / "web", path)
    assert done == {
        "pages": 4, "links": 4, "urls": 8, "relevant": 1, "repeated_pages": 0, "broken_records": 2,
        "skipped": {"no-web-address": 1, "request": 1, "warcinfo": 1},
    }  # fmt: skip
    urls = read_urls(tmp_path / "web", ["url"])["url"].to_pylist()
    pages = read_table(tmp_path / "web", "pages").to_pylist()
    assert [page["status"] for page in pages] == [200, 302, 200, 200]
    assert pages[0]["charset_meta"] == "tis-620"
    assert (pages[0]["warc_file"], pages[0]["warc_offset"]) == ("CC-MAIN-1.warc.gz", 1234)
    assert urls[pages[1]["redirect"]] == "http://a.th/d/"
    links = read_table(tmp_path / "web", "links").to_pylist()
    assert [(urls[link["dst"]], link["anchor"], link["nofollow"]) for link in links] == [
        ("http://a.th/d/x", "read more", True),
        ("http://b.com/f", "", False),
        ("http://c.com/", "map", False),
        ("http://d.com/x", "read more", True),
    ]


@pytest.mark.parametrize(
    ("headers", "metas", "language"),
    [
        (UTF8, [], "und"),
        (UTF8, [{"charset": "windows-874"}], "th"),
        ({"Content-Type": "text/html; charset=euc-jp"}, [], "ja"),
        (UTF8 | {"Content-Language": "th-TH, en"}, [], "th"),
        (UTF8, [{"http-equiv": "content-language", "content": "tha"}], "th"),
        (UTF8 | {"Content-Language": "not a language"}, [], "und"),
        ({"Content-Type": "text/html; charset=euc-jp", "Content-Language": "en"}, [], "ja"),
    ],
)
def test_the_charset_tells_the_language_and_then_what_is_declared(
    tmp_path: Path, headers: dict[str, str], metas: list[dict[str, str]], language: str
) -> None:
    record = envelope("http://a.th/", Headers=headers, **{"HTML-Metadata": html(Metas=metas)})
    done = take_in(tmp_path / "web", save(tmp_path / "a.wat", record))
    page = read_table(tmp_path / "web", "pages").to_pylist()[0]
    assert page["language"] == language
    assert done["relevant"] == (language == "th")


def test_broken_letters_are_mended(tmp_path: Path) -> None:
    link = {"path": "A@/href", "url": "/", "text": "a\ud800b"}
    record = envelope("http://a.th/", **{"HTML-Metadata": html(link)})
    take_in(tmp_path / "web", save(tmp_path / "a.wat", record))
    assert read_table(tmp_path / "web", "links")["anchor"].to_pylist() == ["a?b"]


def test_a_real_file_without_answers_is_refused(shared: Path, tmp_path: Path) -> None:
    for name in ("whirlwind.warc.wat.gz", "whirlwind.warc.wat"):
        with pytest.raises(BadInput, match=r"request: 1, warcinfo: 1"):
            take_in(tmp_path / "web", shared / "warc" / "commoncrawl+whirlwind-python" / name)
        assert not (tmp_path / "web").exists()


def test_the_command_takes_several_files(tmp_path: Path, cli: Cli) -> None:
    for name in ("a", "b"):
        save(tmp_path / f"{name}.wat.gz", envelope(f"http://{name}.th/", Headers=UTF8))
    done = cli("import", "web", "--wat", "a.wat.gz", "--wat", "b.wat.gz", "--lang", "th", "--json")
    assert json.loads(done.stdout)["pages"] == 2
