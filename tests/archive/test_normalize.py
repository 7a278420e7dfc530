"""The text of relevant pages in one encoding, archived beside them, as other programs read it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from conftest import Cli
from exchanges import ABOUT, Read, exchange, files, put, read, read_at
from langcrawl.archive.index import INDEX
from langcrawl.archive.warc_records import Normalized
from langcrawl.archive.writer import Archive
from langcrawl.config import CrawlConfig
from langcrawl.log.segments import read_table
from langcrawl.run import run_crawl
from langcrawl.script import Conversion
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

ORACLES = Path(__file__).resolve().parents[2] / ".oracles" / "bin"
ENGLISH = " ".join(PHRASES["en"])
MONGOLIAN = PHRASES["mn"][0]


def page(body: str, font: str = "Arial") -> bytes:
    body = body.replace("&", "&amp;").replace("\n", "</p><p>")
    links = "".join(f'<a href="/{name}"></a>' for name in BURMESE)
    return f'<meta charset=utf-8><p style="font-family: {font}">{body}</p>{links}'.encode()


def written(*encodings: str) -> str:
    """The sentences, a line each, in these encodings by turns."""
    return "\n".join(
        write_in(text, encodings[at % len(encodings)]) for at, text in enumerate(PHRASES["my"])
    )


BURMESE = {
    "zawgyi": (written("zawgyi"), "Zawgyi-One"),
    "unicode": (written("unicode"), "Myanmar3"),
    "innwa": (written("win-innwa"), "Win Innwa"),
    "mixed": (written("zawgyi", "unicode"), "Zawgyi-One"),
    "again": (written("zawgyi"), "Zawgyi-One"),
    "english": (ENGLISH, "Arial"),
    "": (written("unicode"), "Padauk"),
}
MENKSOFT = {"": (f"{write_in(MONGOLIAN, 'menksoft')} \ue25e" * 5, "Menksoft2012")}


def crawl(directory: Path, lang: str, normalize: str) -> dict[str, dict[str, Read]]:
    """The records of a crawl by the last word of their URL and by their kind."""
    pages = BURMESE if lang == "my" else MENKSOFT

    def answer(url: str) -> SmallPage:
        name = url.rsplit("/", 1)[1]
        return SmallPage(body=page(*pages[name])) if name in pages else SmallPage(404)

    with Server(answer) as server:
        config = CrawlConfig(
            lang=lang, seeds=("http://a.mm/",), strategy="hard", max_depth=7, store="relevant",
            normalize=normalize, delay=0.0, workers=1, connect_to=(server.connect_to,),
        )  # fmt: skip
        run_crawl(directory, config)
    found: dict[str, dict[str, Read]] = {}
    for path in files(directory / "warc"):
        for record in read(path)[1:]:
            found.setdefault(record["WARC-Target-URI"].rsplit("/", 1)[1], {})[record.kind] = record
    return found


def words(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize("encoding", ["unicode", "zawgyi"])
def test_every_relevant_page_has_its_text_in_the_encoding_asked_for(
    tmp_path: Path, encoding: str
) -> None:
    found = crawl(tmp_path / "c", "my", encoding)
    assert set(found) == set(BURMESE) - {"english"}  # which is discarded, as not relevant
    for records in found.values():
        text = records["conversion"]
        assert words(text.payload.decode()) == words(written(encoding))
        assert text["Content-Type"] == "text/plain; charset=utf-8"
        answer = records.get("response") or records["revisit"]
        assert text["WARC-Refers-To"] == answer["WARC-Record-ID"]
        assert text["WARC-Date"] == answer["WARC-Date"]
        assert f"normalized: {encoding}\r\n" in records["metadata"].payload.decode()
    assert {"response", "revisit"} <= set(found["zawgyi"]) | set(found["again"])
    original = found["innwa"]["response"].payload.decode()
    assert "uRefawmfwdkU" in original  # the bytes stay as they came


@pytest.mark.skipif(not (ORACLES.parent / ".ready").exists(), reason="needs .oracles (make test)")
def test_texts_stand_in_no_index_as_with_other_indexers(tmp_path: Path) -> None:
    crawl(tmp_path / "c", "my", "unicode")
    archive = tmp_path / "c" / "warc"
    made = subprocess.run(
        [ORACLES / "cdxj-indexer", "--sort", *files(archive)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (archive / INDEX).read_text("utf-8") == made.stdout
    assert len(made.stdout.splitlines()) == len(BURMESE) - 1


def test_what_could_not_be_mapped_is_counted(tmp_path: Path) -> None:
    found = crawl(tmp_path / "c", "mn-Mong", "unicode")
    text, story = (found[""][kind].payload.decode() for kind in ("conversion", "metadata"))
    assert MONGOLIAN in text
    assert text.count("\ue25e") == 5
    assert "normalized: unicode\r\nunmapped: U+E25E 5\r\n" in story
    assert read_table(tmp_path / "c", "pages", ["notes"])["notes"][0].as_py() == "unmapped"


def test_without_the_option_no_text_is_archived(tmp_path: Path) -> None:
    for records in crawl(tmp_path / "c", "my", "none").values():
        assert "conversion" not in records
        assert "normalized" not in records["metadata"].payload.decode()


def test_a_text_is_a_gzip_member_of_its_own_before_the_answer(tmp_path: Path) -> None:
    archive = Archive(tmp_path, 0, ABOUT)
    texts = ["\ud800 broken", "", "WARC/1.1\r\n\r\nWARC-Type: response\r\n\r\n" * 3, "မြန်မာ"]
    places = [
        put(archive, exchange(f"http://a.mm/{at}"), None, Normalized("unicode", Conversion(text)))
        for at, text in enumerate(texts)
    ]
    archive.close()
    kinds = [record.kind for record in read(files(tmp_path)[0])]
    assert kinds[:5] == ["warcinfo", "request", "metadata", "conversion", "response"]
    assert kinds.count("conversion") == len(texts)
    assert read_at(tmp_path, places[0]).kind == "response"
    with files(tmp_path)[0].open("rb") as stream:
        offsets = ArchiveIterator(stream)
        starts = [offsets.get_record_offset() for _ in offsets]
    data = files(tmp_path)[0].read_bytes()
    assert all(data[start : start + 3] == b"\x1f\x8b\x08" for start in starts)


@pytest.mark.parametrize(
    ("lang", "encoding", "says"),
    [("my", "utf-8", "'none', 'unicode' or 'zawgyi'"), ("th", "zawgyi", "an encoding of Burmese")],
)
def test_an_encoding_that_cannot_be_had_is_wrong_usage(
    cli: Cli, lang: str, encoding: str, says: str
) -> None:
    done = cli("crawl", "x", "--lang", lang, "--seeds", "http://a.mm/", "--normalize", encoding)
    assert done.returncode == 2
    assert says in done.stderr
    assert "normalize" in done.stderr
    assert "Traceback" not in done.stderr
