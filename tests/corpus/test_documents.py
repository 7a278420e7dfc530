"""A page as a document: judged where nobody has, in Unicode, without what is not wanted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from corpus.pages import html, sentences
from langcrawl.corpus.documents import DocumentReader, Found, Reading
from langcrawl.corpus.quality import Filters
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.page import Answer
from langcrawl.records import Verdict

LOOSE = Filters(min_chars=1, max_symbols=None, max_repeated_lines=None, min_mean_line=None)
THAI = sentences(1)
KNOWN = Verdict("th", "Thai", "", 0.75, True)


def found(
    body: str | bytes, kind: str = "text/html; charset=utf-8", verdict: Verdict | None = None
) -> Found:
    data = body.encode() if isinstance(body, str) else body
    answer = Answer("http://a.th:8080/x", 200, kind, "", data, {})
    return Found(answer, 1.25, "sha1:X", "a.warc.gz", 7, verdict)


class Asked:
    """The judge of Thai, and how often it was asked."""

    def __init__(self) -> None:
        self.times = 0
        self._judge = make_judge(load_pack("th"), "cld")

    def judge(self, content):  # type: ignore[no-untyped-def]
        self.times += 1
        return self._judge.judge(content)


@pytest.fixture
def judge() -> Asked:
    return Asked()


@pytest.fixture
def reader(judge: Asked) -> Iterator[DocumentReader]:
    made = DocumentReader(Reading(judge, LOOSE))
    yield made
    made.close()


def test_a_page_becomes_a_row_with_all_that_is_known_of_it(reader: DocumentReader) -> None:
    table = reader.read_all([found(html(THAI, "ชื่อ  เรื่อง"))]).documents
    (row,) = table.to_pylist()
    assert row["text"].split("\n") == [" ".join(line.split()) for line in THAI]
    assert row["characters"] == len(row["text"])
    assert (row["url"], row["host"]) == ("http://a.th:8080/x", "a.th:8080")
    assert (row["language"], row["script"], row["encoding"]) == ("th", "Thai", "unicode")
    assert row["title"] == "ชื่อ เรื่อง"
    assert (row["warc_file"], row["warc_offset"], row["digest"]) == ("a.warc.gz", 7, "sha1:X")
    assert row["fetched_at"].isoformat() == "1970-01-01T00:00:01.250000+00:00"
    assert row["licence"] is None
    assert len(row["paragraph_keys"]) == len(row["paragraph_sizes"]) == len(THAI)


def test_a_verdict_of_the_log_is_not_asked_for_again(reader: DocumentReader, judge: Asked) -> None:
    batch = reader.read_all([found(html(THAI), verdict=KNOWN)])
    assert batch.documents["score"].to_pylist() == [0.75]
    assert judge.times == 0
    assert reader.read(found(html(THAI), verdict=Verdict("en", "Latn", "", 0.0, False))) == (
        "other-language"
    )


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (found(b"\x89PNG\r\n\x1a\n" + bytes(50), "image/png"), "not-text"),
        (found(b"%PDF-1.4 none", "application/pdf"), "not-text"),
        (found(html(sentences(1, "en"))), "other-language"),
        (found(html([]), verdict=KNOWN), "no-text"),
    ],
    ids=["picture", "pdf-of-an-archive", "english", "empty"],
)
def test_what_is_no_document_is_counted_by_its_reason(
    reader: DocumentReader, page: Found, reason: str
) -> None:
    assert reader.read(page) == reason
    batch = reader.read_all([page, found(html(THAI)), page])
    assert dict(batch.dropped) == {reason: 2}
    assert batch.documents.num_rows == 1


def test_filters_that_need_no_text_come_first(judge: Asked) -> None:
    from dataclasses import replace

    reader = DocumentReader(Reading(judge, replace(LOOSE, hosts=("b.th",), since=2.0)))
    assert reader.read(found(html(THAI))) == "host"
    assert judge.times == 0
    reader = DocumentReader(Reading(judge, replace(LOOSE, since=2.0)))
    assert reader.read(found(html(THAI))) == "date"


@pytest.mark.parametrize(
    ("codec", "charset"), [("tis-620", "tis-620"), ("cp874", "cp874"), ("utf-8", "utf-8")]
)
def test_text_is_unicode_whatever_the_bytes_were(
    reader: DocumentReader, codec: str, charset: str
) -> None:
    body = html(THAI).replace("charset=utf-8", f"charset={codec}").encode(codec)
    (row,) = reader.read_all([found(body, "text/html")]).documents.to_pylist()
    assert row["text"] == "\n".join(" ".join(line.split()) for line in THAI)
    assert row["charset"].replace("windows-", "cp") == charset


def test_plain_text_is_a_document_too(reader: DocumentReader) -> None:
    (row,) = reader.read_all([found("\n".join(THAI), "text/plain")]).documents.to_pylist()
    assert row["text"].startswith(THAI[0][:10])


def test_all_text_of_a_page_has_its_menu_and_the_main_text_has_not(judge: Asked) -> None:
    page = found(
        "<body><nav><ul><li><a href=/>หน้าแรก</a><li><a href=/2>ติดต่อเรา</a></ul></nav>"
        + "".join(f"<p>{each}</p>" for each in THAI * 2)
    )
    texts = {}
    for kind in ("main", "full"):
        with_kind = DocumentReader(Reading(judge, LOOSE, kind))
        (texts[kind],) = with_kind.read_all([page]).documents["text"].to_pylist()
    assert "ติดต่อเรา" in texts["full"]
    assert "ติดต่อเรา" not in texts["main"]
    assert THAI[0][:20] in texts["main"]


def test_any_language_is_taken_where_none_is_wanted(judge: Asked) -> None:
    reader = DocumentReader(Reading(judge, LOOSE, only_target=False))
    batch = reader.read_all([found(html(sentences(1, "en"))), found(html(THAI))])
    assert batch.documents["language"].to_pylist() == ["en", "th"]


def test_paragraphs_in_other_languages_go_and_are_counted(judge: Asked) -> None:
    reader = DocumentReader(Reading(judge, LOOSE, paragraphs_in_target=True))
    english = sentences(1, "en", 2)
    batch = reader.read_all([found(html([*THAI, *english, "ครับ"]), verdict=KNOWN)])
    (text,) = batch.documents["text"].to_pylist()
    assert batch.paragraphs_out == 2
    assert english[0] not in text
    assert "ครับ" in text  # too short to tell, but in the script of the page


def test_what_the_main_text_leaves_open_the_whole_page_decides(
    reader: DocumentReader, judge: Asked
) -> None:
    menu = "".join(f"<li><a href=/{n}>{each}</a></li>" for n, each in enumerate(THAI))
    header = f"<body><header><nav class=menu><ul>{menu}</ul></nav></header>"
    short = html(["1234 5678 90"] * 3).replace("<body>", header)
    made = reader.read(found(short))
    assert judge.times == 2
    assert not isinstance(made, str)
    assert made.row["language"] == "th"


def test_a_page_that_breaks_its_reader_stops_nothing() -> None:
    class Broken:
        def judge(self, content):  # type: ignore[no-untyped-def]
            raise ValueError("no")

    reader = DocumentReader(Reading(Broken(), LOOSE))
    assert reader.read(found(html(THAI))) == "unreadable"
