"""Targets: files that users bring, web archives and tables."""

from __future__ import annotations

import gzip
import io
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.target import Target, demand, workplace
from langcrawl.config import CrawlConfig
from langcrawl.errors import LangcrawlError
from langcrawl.importers.csv import import_csv
from langcrawl.importers.warc import import_warc
from langcrawl.importers.wat import import_wat
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table
from langcrawl.parallel import silent
from langcrawl.ports import Judge

_GZIP, _ZIP, _ARC = b"\x1f\x8b", b"PK", b"filedesc"
_SOUND = tuple(f"http://sound.example/{number}" for number in range(3))
_HTML = "<p>ภาษาไทยเป็นภาษาราชการของประเทศไทย <a href='/x'>ไทย</a>".encode() * 3
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
_BETWEEN = b"\n--links--\n"
_PAGES = b"url,language,status,redirect,bytes,score\n"
_LINKS = b"src,dst,anchor\n"


@cache
def _judge(name: str = "") -> Judge:
    return make_judge(load_pack("th"), name)


def _config() -> CrawlConfig:
    return CrawlConfig(source="import", lang="th", seeds=_SOUND[:1], max_page_bytes=100_000)


def record(url: str, block: bytes, kind: str = "response", more: str = "") -> bytes:
    """A WARC record."""
    type_ = "application/http; msgtype=response" if kind == "response" else "text/html"
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        f"WARC-Date: 2024-02-03T04:05:06Z\r\nContent-Type: {type_}\r\n{more}"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


@cache
def _sound_records(packed: bool) -> bytes:
    records = [record(url, _ANSWER + _HTML) for url in _SOUND]
    return b"".join(gzip.compress(each, 1) if packed else each for each in records)


def _check_warc(data: bytes) -> object:
    """Sound records stand in front of those that are not, and must be imported."""
    whole = data.startswith((_ZIP, _ARC)) or not data
    front = b"" if whole else _sound_records(data.startswith(_GZIP))
    with workplace() as folder:
        archive, made = folder / "a.warc", folder / "crawl"
        archive.write_bytes(front + data)
        try:
            done = import_warc(made, [archive], _judge(), _config(), silent)
        except LangcrawlError as error:
            demand(whole, f"sound records in front of damaged ones are imported: {error}")
            return type(error).__name__
        return _check_log(made, () if whole else _SOUND), _shape(done)


def _check_wat(data: bytes) -> object:
    with workplace() as folder:
        archive, made = folder / "a.wat", folder / "crawl"
        archive.write_bytes(data)
        try:
            done = import_wat(made, [archive], _judge("charset"), _config(), silent)
        except LangcrawlError as error:
            return type(error).__name__
        return _check_log(made, ()), _shape(done)


def _check_csv(data: bytes) -> object:
    """A table of pages and one of links; an S in front of them for sound rows before both."""
    sound, data = data[:1] == b"S", data[1:]
    pages, _, links = data.partition(_BETWEEN)
    if sound:
        rows = "".join(f"{url},th,200,,10,0.5\n" for url in _SOUND)
        pages = _PAGES + rows.encode() + pages
        links = _LINKS + f"{_SOUND[0]},{_SOUND[1]},x\n".encode() + links
    with workplace() as folder:
        (folder / "pages.csv").write_bytes(pages)
        (folder / "links.csv").write_bytes(links)
        made = folder / "crawl"
        try:
            found = import_csv(made, folder / "pages.csv", folder / "links.csv", _config())
        except LangcrawlError as error:
            return type(error).__name__, str(error).split("'")[-1][:30]
        return _check_log(made, _SOUND if sound else ()), _shape(found._asdict())


def _shape(done: dict[str, Any]) -> list[str]:
    """Which numbers of an import are not 0."""
    more = done.get("skipped", {})
    return sorted(name for name, number in {**done, **more}.items() if number)


def _check_log(directory: Path, wanted: tuple[str, ...]) -> int:
    """What was imported is a sound log, with the pages that must be in it."""
    graph = load_graph(directory)
    urls = read_table(directory, "urls", ["url"])["url"].to_pylist()
    ids = read_table(directory, "pages", ["id"])["id"].to_pylist()
    known = {urls[number] for number in ids}
    lost = [url for url in wanted if url not in known]
    demand(not lost, f"sound records before the damage are imported: {lost}")
    return graph.pages.bit_length()


@cache
def _warm() -> None:
    """Load once what else every process would load anew."""
    _check_csv(b"S" + _BETWEEN)
    _check_warc(record("http://a.example/", _ANSWER + _HTML))


def _warc_seeds() -> list[bytes]:
    _warm()
    gzip_body = gzip.compress(_HTML)
    packed_answer = _ANSWER[:-2] + b"Content-Encoding: gzip\r\n\r\n" + gzip_body
    chunked = _ANSWER[:-2] + b"Transfer-Encoding: chunked\r\n\r\n5\r\n<p>hi\r\n0\r\n\r\n"
    same = (
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
        "WARC-Refers-To-Target-URI: http://a.example/1\r\n"
        "WARC-Refers-To-Date: 2024-02-03T04:05:06Z\r\n"
    )
    records = [
        record("http://a.example/1", _ANSWER + _HTML),
        record("http://a.example/2", packed_answer),
        record("<http://a.example/3>", chunked),
        record("http://a.example/4", _ANSWER, "revisit", same),
        record("http://a.example/5", _HTML, "resource"),
        record("http://a.example/6", b"HTTP/1.1 301 X\r\nLocation: /7\r\n\r\n"),
        record("", b"software: x\r\nmax-page-bytes: 50\r\n", "warcinfo"),
        record("http://a.example/8", b"no answer"),
    ]
    arc = b"filedesc://a.arc 0.0.0.0 20240203040506 text/plain 15\n1 0 x\nURL IP x\n\n"
    arc += b"http://a.example/ 10.0.0.1 20240203040506 text/html %d\n" % len(_ANSWER + _HTML)
    arc += _ANSWER + _HTML + b"\n"
    packed = [gzip.compress(each, 1) for each in records]
    return [
        *records,
        b"".join(records),
        b"".join(packed),
        gzip.compress(b"".join(records)),
        packed[0],
        arc,
        _wacz(b"".join(packed)),
    ]


def _wacz(archive: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("datapackage.json", "{}")
        made.writestr("archive/0.warc.gz", archive)
    return file.getvalue()


def _wat_seeds() -> list[bytes]:
    _warm()
    _judge("charset")
    links = b'[{"path":"A@/href","url":"/x","text":"y"},{"path":"IMG@/src","url":"z.png"}]'
    said = (
        b'{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Target-URI":'
        b'"http://a.example/","WARC-Date":"2024-02-03T04:05:06Z"},"Payload-Metadata":'
        b'{"HTTP-Response-Metadata":{"Response-Message":{"Status":"200"},"Headers":'
        b'{"Content-Type":"text/html; charset=tis-620"},"HTML-Metadata":{"Head":{"Title":"t",'
        b'"Base":"http://b.example/","Metas":[{"http-equiv":"Content-Language","content":"th"}],'
        b'"Link":[{"path":"LINK@/href","rel":"canonical","url":"/c"}]},"Links":' + links + b"}}}}}"
    )
    made = record("http://a.example/", said, "metadata")
    return [made, made * 3, gzip.compress(made) * 2]


def _csv_seeds() -> list[bytes]:
    _warm()
    rows = (
        b"http://a.example/1,th,200,,100,0.25\nhttp://a.example/2,en,404,,,\n"
        b'http://b.example/,"zh-Hant",301,http://a.example/1,,\n"http://a.example/3\n",th,,,,\n'
    )
    links = b"http://a.example/1,http://b.example/,x\nhttp://b.example/,http://c.example/,\n"
    whole = _PAGES + rows + _BETWEEN + _LINKS + links
    numbered = b"id,url,language\n1,http://a.example/,th\n2,http://b.example/,en\n"
    spaced = b"node url language\n1 http://a.example/ th\n"
    return [
        b"S" + rows + _BETWEEN + links,
        b"-" + whole,
        b"-\xef\xbb\xbf" + whole.replace(b"\n", b"\r\n"),
        b"-" + numbered + _BETWEEN + b"from,to\n1,2\n2,3\n",
        b"-" + spaced + _BETWEEN + b"start end\n1 1\n",
        b"-url,language\n" + _BETWEEN + b"src,dst\n",
    ]


IMPORTS = (
    Target("warc", "sound records before the damage are imported, the log is sound",
           _warc_seeds, _check_warc, (
               b"WARC/1.0\r\n", b"Content-Length: ", b"\r\n\r\n", b"WARC-Type: revisit\r\n",
               b"WARC-Target-URI: ", b"WARC-Date: 0000-99-99T99:99:99Z\r\n", b"\x1f\x8b\x08",
               b"max-page-bytes: 0", b"PK\3\4", b"filedesc://", b"HTTP/1.1 200 OK\r\n",
           ), most=100_000),
    Target("wat", "a sentence, or a sound log",
           _wat_seeds, _check_wat, (
               b"null", b"[]", b"{}", b'""', b"1e999", b'"\\ud800"', b"true", b"[[[[[[", b"-1",
           ), most=50_000),
    Target("csv", "a sentence, or a sound log with the sound rows",
           _csv_seeds, _check_csv, (
               b"http://", b",", b'"', b'""', b"\n", b"\r", b"th", b"status", b"redirect", b"bytes",
               b"score", b"anchor", b"id", b"src", b"nan", b"\xff", b"\0", _BETWEEN, b"url", b"\t",
           ), most=100_000),
)  # fmt: skip
