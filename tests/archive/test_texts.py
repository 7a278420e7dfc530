"""Texts of pages, read again: from a crawl's archive, from an import's files, generated."""

from __future__ import annotations

import gzip
import os
import pickle
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from archives import ENGLISH, THAI, ArchiveFile, save_wacz
from conftest import Cli
from langcrawl.archive.texts import NoText, Texts, texts
from langcrawl.config import CrawlConfig
from langcrawl.importers.crawl import import_crawls
from langcrawl.importers.warc import import_warc
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.segments import read_table
from langcrawl.parallel import in_order
from langcrawl.run import run_crawl
from langcrawl.simulate import Source, open_graph, rejudge
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage, SmallWeb
from webs import P, write_web


def take_in(web: Path, *files: Path) -> Path:
    config = CrawlConfig(source="import", lang="th")
    import_warc(web, files, make_judge(load_pack("th")), config, lambda share, pages: None)
    return web


def rows(directory: Path) -> dict[str, dict[str, Any]]:
    urls = read_table(directory, "urls")["url"].to_pylist()
    return {urls[row["id"]]: row for row in read_table(directory, "pages").to_pylist()}


def said(directory: Path, url: str) -> str:
    return texts(directory).content(rows(directory)[url]["id"]).text


def test_a_crawl_gives_back_what_its_judge_saw(small_crawl: Path, small_web: SmallWeb) -> None:
    judge = make_judge(load_pack("th"))
    pages = {row["id"]: row for row in rows(small_crawl).values()}
    read = texts(small_crawl)
    found = dict(read.all())
    assert len(found) > 200
    for number, content in found.items():
        row = pages[number]
        assert len(content.text.encode()) == row["text_bytes"]
        if row["redirect"] is None:
            verdict = judge.judge(content)
            assert (verdict.language, verdict.relevant) == (row["language"], row["relevant"])
        assert read.content(number) == content
    with_text = {number for number, row in pages.items() if row["text_bytes"]}
    assert with_text <= set(found)
    read.close()


def test_all_texts_come_file_by_file_and_some_in_the_same_order(small_crawl: Path) -> None:
    read = texts(small_crawl)
    pages = {row["id"]: row for row in rows(small_crawl).values()}
    order = [number for number, _ in read.all()]
    by_file: dict[str, list[int]] = {}
    for number in order:
        by_file.setdefault(pages[number]["warc_file"], []).append(pages[number]["warc_offset"])
    assert all(offsets == sorted(offsets) for offsets in by_file.values())
    wanted = order[::7]
    assert [number for number, _ in read.some(wanted[::-1])] == wanted
    assert list(read.some([])) == []


def test_pages_without_a_text_say_why(small_crawl: Path) -> None:
    read, pages = texts(small_crawl), rows(small_crawl).values()
    gone = next(row["id"] for row in pages if row["status"] == 404)
    with pytest.raises(NoText, match="status 404"):
        read.content(gone)
    other = [row["id"] for row in pages if row["status"] == 200 and not row["warc_file"]]
    for number in other:
        with pytest.raises(NoText, match="not archived"):
            read.content(number)
    with pytest.raises(NoText, match="no page 999999 in the log"):
        read.content(999999)


def test_an_archive_that_is_not_there_is_named(small_crawl: Path, tmp_path: Path) -> None:
    moved = tmp_path / "crawl"
    moved.mkdir()
    for name in ("crawl.toml", "log"):
        os.symlink(small_crawl / name, moved / name)
    with pytest.raises(NoText, match=r"langcrawl-.*warc\.gz.* is missing; put it into"):
        next(texts(moved).all())
    assert len(list(texts(moved, [small_crawl / "warc"]).all())) > 200


SAME = f"<p>{THAI * 9}<a href='x'>x</a>"


def test_a_revisit_has_the_text_of_the_other_page_and_links_of_its_own(tmp_path: Path) -> None:
    hrefs = "".join(f"<a href='/{n}/'>{n}</a>" for n in range(5))
    web = SmallWeb(
        {"http://a.th/": SmallPage(body=hrefs.encode())}
        | {f"http://a.th/{n}/": SmallPage(body=SAME.encode()) for n in range(5)}
    )
    with Server(web.answer) as server:
        config = CrawlConfig(
            lang="th", seeds=("http://a.th/",), strategy="bfs", delay=0.0, workers=1,
            connect_to=(server.connect_to,),
        )  # fmt: skip
        run_crawl(tmp_path / "crawl", config)
    files = sorted((tmp_path / "crawl" / "warc").glob("*.warc.gz"))
    take_in(tmp_path / "import", *files)
    for directory in (tmp_path / "crawl", tmp_path / "import"):
        pages = rows(directory)
        repeats = [url for url, row in pages.items() if "revisit" in (row["notes"] or "").split()]
        assert len(repeats) == 4
        for url in repeats:
            content = texts(directory).content(pages[url]["id"])
            assert [link.url for link in content.links] == [f"{url}x"]
            assert "อากาศดี" in content.text


def test_a_limit_that_was_changed_since_does_not_change_the_text(tmp_path: Path) -> None:
    long = ArchiveFile().answer("http://a.th/", gzip.compress(THAI.encode() * 500, 1),
                                Content_Encoding="gzip")  # fmt: skip
    path = long.save(tmp_path / "a.warc.gz")
    config = CrawlConfig(source="import", lang="th", max_page_bytes=50_000)
    judge = make_judge(load_pack("th"))
    import_warc(tmp_path / "web", [path], judge, config, lambda share, pages: None)
    before = said(tmp_path / "web", "http://a.th/")
    assert len(before.encode()) == rows(tmp_path / "web")["http://a.th/"]["text_bytes"] < 50_000
    for limit in (10_000_000, 20):
        config.model_copy(update={"max_page_bytes": limit}).save(tmp_path / "web")
        assert said(tmp_path / "web", "http://a.th/") == before


def archives(folder: Path) -> dict[str, Path]:
    """Pages in every kind of archive that an import takes, two to a file."""
    two = ArchiveFile().answer("http://a.th/1", THAI).answer("http://a.th/2", ENGLISH)
    plain = ArchiveFile(packed=False).answer("http://a.th/1", THAI).answer("http://a.th/2", ENGLISH)
    resource = ArchiveFile().record("http://a.th/1", "resource", THAI, "text/html; charset=utf-8")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    arc = b"filedesc://x.arc 0.0.0.0 20200101000000 text/plain 5\n1 0 x\n"
    for number, text in ((1, THAI), (2, ENGLISH)):
        block = head + text.encode()
        arc += b"http://a.th/%d 1.2.3.4 20200101000000 text/html %d\n" % (number, len(block))
        arc += block + b"\n"
    (folder / "d.arc").write_bytes(arc)
    (folder / "e.arc.gz").write_bytes(gzip.compress(arc))
    (folder / "f.warc.gz").write_bytes(gzip.compress(plain.data))
    return {
        "packed": two.save(folder / "a.warc.gz"),
        "plain": plain.save(folder / "b.warc"),
        "wacz": save_wacz(folder / "c.wacz", two.data),
        "arc": folder / "d.arc",
        "packed arc": folder / "e.arc.gz",
        "packed as a whole": folder / "f.warc.gz",
        "resource": resource.save(folder / "g.warc.gz"),
    }


@pytest.mark.parametrize(
    "kind", ["packed", "plain", "wacz", "arc", "packed arc", "packed as a whole", "resource"]
)
def test_texts_of_an_import_are_read_from_the_files_given(tmp_path: Path, kind: str) -> None:
    (tmp_path / "away").mkdir()
    path = archives(tmp_path / "away")[kind]
    web = take_in(tmp_path / "web", path)
    assert "อากาศดี" in said(web, "http://a.th/1")
    found = dict(texts(web).all())
    assert len(found) == (1 if kind == "resource" else 2)
    if kind != "resource":
        assert "harbour" in said(web, "http://a.th/2")


def test_files_that_were_moved_are_found_beside_the_import(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    path = ArchiveFile().answer("http://a.th/", THAI).save(tmp_path / "away" / "a.warc.gz")
    web = take_in(tmp_path / "web", path)
    path.rename(tmp_path / "a.warc.gz")
    assert "อากาศดี" in said(web, "http://a.th/")


def test_of_two_files_of_one_name_the_right_one_is_read(tmp_path: Path) -> None:
    paths = []
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        archive = ArchiveFile().answer(f"http://a.th/{number}", f"{THAI}<p>{number}{number}")
        paths.append(archive.save(tmp_path / str(number) / "a.warc.gz"))
    web = take_in(tmp_path / "web", *paths)
    assert "00" in said(web, "http://a.th/0")
    assert "11" in said(web, "http://a.th/1")


def test_crawls_put_together_have_their_texts(tmp_path: Path, small_crawl: Path) -> None:
    path = ArchiveFile().answer("http://a.th/", THAI).save(tmp_path / "a.warc.gz")
    web = take_in(tmp_path / "web", path)
    config = CrawlConfig(source="import", lang="th")
    both = tmp_path / "far" / "both"
    import_crawls(both, [web, small_crawl], config, lambda share, pages: None)
    assert "อากาศดี" in said(both, "http://a.th/")
    assert len(list(texts(both).all())) == 1 + len(list(texts(small_crawl).all()))


def test_a_record_that_is_lost_is_left_out_and_told(tmp_path: Path) -> None:
    archive = ArchiveFile().answer("http://a.th/1", THAI).answer("http://a.th/2", THAI)
    path = archive.save(tmp_path / "a.warc.gz")
    web = take_in(tmp_path / "web", path)
    path.write_bytes(archive.data[: archive.offsets[1] + 40])
    assert len(dict(texts(web).all())) == 1
    with pytest.raises(NoText, match="its record is lost"):
        said(web, "http://a.th/2")


def test_a_log_without_an_archive_has_no_texts(tmp_path: Path) -> None:
    web = write_web(tmp_path / "web", {"s/": P("th")}, ["s/"])
    assert list(texts(web).all()) == []
    with pytest.raises(NoText, match="not archived"):
        texts(web).content(0)


def test_a_generated_web_is_written_anew(tmp_path: Path, cli: Cli) -> None:
    assert cli("synth", "web", "--pages", "500", "--seed", "3").returncode == 0
    read = texts(tmp_path / "web")
    found = dict(read.all())
    pages = {row["id"]: row for row in rows(tmp_path / "web").values()}
    assert set(found) == {number for number, row in pages.items() if row["status"] == 200}
    number = next(iter(found))
    assert read.content(number) == found[number]
    assert found[number].text
    failed = next(number for number, row in pages.items() if row["status"] != 200)
    with pytest.raises(NoText):
        read.content(failed)


def linked(crawl: Path, place: Path) -> Path:
    """The same crawl with a place of its own for what is worked out from it."""
    (place / "log").mkdir(parents=True)
    for name in ("crawl.toml", "warc", "log/urls", "log/pages", "log/links"):
        os.symlink(crawl / name, place / name)
    return place


def test_any_judge_judges_a_crawl_again_by_its_archive(tmp_path: Path, small_crawl: Path) -> None:
    copy = linked(small_crawl, tmp_path / "crawl")
    plain = open_graph(Source(copy))
    again = open_graph(Source(copy, judge="cld"))
    assert np.array_equal(again.relevant, open_graph(Source(copy, judge="cld")).relevant)
    assert list((copy / "log" / "graph").glob("judged-*.npz"))
    agreed = np.mean(again.relevant == plain.relevant)
    assert again.relevant_total > 50
    assert agreed > 0.95
    japanese = open_graph(Source(copy, lang="ja", judge="cld"))
    assert 0 < japanese.relevant_total < plain.pages / 2
    assert not np.any(japanese.relevant & again.relevant)


OPENED: list[Texts] = []
"""What a copied process finds opened by the process that it was copied from."""


def lengths(ids: list[int]) -> list[tuple[int, int]]:
    return [(number, len(content.text)) for number, content in OPENED[0].some(ids)]


def test_processes_that_were_copied_with_open_files_read_them_on_their_own(tmp_path: Path) -> None:
    """Copies of a process share its places in open files, and would read from each other's."""
    archive, rng = ArchiveFile(), Random(1)
    for number in range(12):
        archive.answer(f"http://a.th/{number}", THAI + rng.randbytes(200_000 + number).hex())
    read = texts(take_in(tmp_path / "web", archive.save(tmp_path / "a.warc.gz")))
    ids = read.ids.tolist()
    OPENED[:] = [read]
    expected = lengths(ids)
    assert len(set(expected)) == 12
    for found in in_order(lengths, [ids] * 12, 4):
        assert found == expected


def test_another_process_may_be_handed_texts_with_open_files(small_crawl: Path) -> None:
    read = texts(small_crawl)
    number, content = next(read.all())
    assert pickle.loads(pickle.dumps(read)).content(number) == content


def test_a_log_judged_in_several_processes_is_judged_as_in_one(
    tmp_path: Path, small_crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejudge, "_BATCH", 20)
    one = open_graph(Source(linked(small_crawl, tmp_path / "one"), judge="cld"))
    monkeypatch.setattr(rejudge, "_FEW", 10)
    monkeypatch.setattr(rejudge, "cores", lambda: 3)
    many = open_graph(Source(linked(small_crawl, tmp_path / "many"), judge="cld"))
    assert np.array_equal(one.score, many.score)
    assert np.array_equal(one.relevant, many.relevant)
