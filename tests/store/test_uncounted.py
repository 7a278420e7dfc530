"""Pages whose answers are lost are counted no longer, and once more when they are asked again."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from langcrawl.archive.repair import lost_pages
from langcrawl.crawl import kind_of
from langcrawl.log.segments import outdated, read_table
from langcrawl.records import Page, Verdict, Visit
from langcrawl.store.again import ask_again, finish_asking_again, kind_of_row, uncount_all
from langcrawl.store.database import COUNTS, connect, read_meta
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.view import read_status
from scripted import THAI, kept, kept_crawl, page

SEED = "http://a.th/"
KINDS: dict[str, Any] = {
    "http://a.th/text": {"content_type": "text/html", "text_bytes": 7, "bytes": 40},
    "http://a.th/picture": {"content_type": "image/png", "bytes": 900},
    "http://a.th/pdf": {"content_type": "application/pdf", "text_bytes": 5, "bytes": 100},
    "http://a.th/moved": {"status": 301, "redirect": SEED},
    "http://b.th/refreshed": {"redirect": SEED, "content_type": "text/html"},
    "http://b.th/404": {"status": 404, "content_type": "text/html", "bytes": 3},
    "http://b.th/503": {"status": 503},
}


def says(visit: Visit) -> tuple[Page, Verdict]:
    about = KINDS.get(visit.url, {"content_type": "text/html", "notes": ("truncated",)})
    links = KINDS if visit.url == SEED else ()
    place = {"warc_file": "f.warc.gz", "warc_offset": 9, "warc_length": 1}  # which is nowhere
    found = page(visit, links, **place | about)
    return found, THAI if kind_of(found) == "text" else Verdict()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return kept(tmp_path / "c", says, seeds=(SEED,))


def numbers(directory: Path) -> dict[str, Any]:
    """What counts of a crawl, without words of which there is none."""
    status = read_status(directory)
    words = {name: getattr(status, name) for name in ("answers", "errors", "notes")}
    return {
        "pages": status.pages, "relevant": status.relevant, "bytes": status.bytes,
        **{name: {word: n for word, n in counts.items() if n} for name, counts in words.items()},
    }  # fmt: skip


def lose(directory: Path, *, forget: bool = False) -> int:
    """The archive of the crawl is gone, and its pages are asked again or forgotten."""
    place = CrawlDirectory(directory)
    with closing(connect(place.database)) as connection:
        pages = list(lost_pages(place, connection, {"f.warc.gz"}))
        connection.execute("BEGIN")
        if forget:
            uncount_all(connection, pages, [lost.id for lost in pages])
        else:
            ask_again(connection, pages)
        connection.execute("COMMIT")
        if not forget:
            finish_asking_again(directory, connection)
    return len(pages)


def test_a_row_of_the_log_says_what_its_answer_was_counted_as(directory: Path) -> None:
    rows = read_table(directory, "pages").to_pylist()
    urls = read_table(directory, "urls")["url"].to_pylist()
    visits = [Visit(urls[row["id"]], "", None, 0.0, "") for row in rows]  # type: ignore[arg-type]
    assert [kind_of_row(row) for row in rows] == [kind_of(says(visit)[0]) for visit in visits]
    assert numbers(directory)["answers"] == {"text": 3, "file": 1, "redirect": 2, "error": 2}


@pytest.mark.parametrize("forget", [False, True])
def test_without_its_answers_nothing_of_a_crawl_is_counted(directory: Path, forget: bool) -> None:
    assert lose(directory, forget=forget) == 8
    assert numbers(directory) == {
        "pages": 0, "relevant": 0, "bytes": 0, "answers": {}, "errors": {}, "notes": {},
    }  # fmt: skip
    assert read_status(directory).queue == (0 if forget else 8)


def test_asked_again_everything_counts_as_before(directory: Path) -> None:
    before = numbers(directory)
    assert Counter(before["errors"]) == {"404": 1, "503": 1}
    lose(directory)
    assert sorted(*outdated(directory).values()) == list(range(8))
    with kept_crawl(directory, says) as found:
        found.run()
        asked = found.crawl.web.asked
    assert sorted(asked) == sorted([SEED, *KINDS])
    assert numbers(directory) == before
    assert len(read_table(directory, "pages")) == 8, "each page once"
    assert {host: (t.downloads, t.hits) for host, t in found.crawl.hosts.items()} == {
        "a.th": (5, 3), "b.th": (3, 0),
    }  # fmt: skip


def test_counts_of_an_earlier_version_lack_words_and_stay_so(directory: Path) -> None:
    place = CrawlDirectory(directory)
    with closing(connect(place.database)) as connection:
        counts = json.loads(read_meta(connection, COUNTS) or "{}")
        del counts["answers"]
        connection.execute("UPDATE meta SET value = ? WHERE key = 'counts'", (json.dumps(counts),))
        assert "answers" not in json.loads(read_meta(connection, COUNTS) or "{}")
    lose(directory)
    assert numbers(directory)["pages"] == 0
    with closing(connect(place.database)) as connection:
        assert "answers" not in json.loads(read_meta(connection, COUNTS) or "{}")
