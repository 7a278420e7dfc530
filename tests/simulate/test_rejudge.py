"""A log judged again: by the charsets that it has recorded, or by the texts of its pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from langcrawl.archive.texts import GeneratedTexts
from langcrawl.config import CrawlConfig
from langcrawl.errors import LangcrawlError, NoSuchLog, UsageError
from langcrawl.log.schema import log_table
from langcrawl.log.segments import write_segment
from langcrawl.simulate import Source, open_graph, rejudge
from langcrawl.virtualweb.synth import generate, load_profile
from webs import P, url, write_web

CHARSETS = [
    # id, status, header, META, found in the bytes
    (3, 200, None, "tis-620", "utf-8"),
    (0, 200, "windows-874", None, None),
    (2, 200, None, None, "TIS-620"),
    (1, 404, "tis-620", "tis-620", "tis-620"),
    (4, 200, "shift_jis", "tis-620", None),
    (5, 200, "utf-8", "utf-8", "utf-8"),
    (6, 200, None, None, None),
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of seven pages; its rows are not in the order of their ids."""
    rows = len(CHARSETS)
    ids, status, header, meta, detected = zip(*CHARSETS, strict=True)
    pages = log_table("pages", rows, {
        "id": ids, "status": status, "charset_header": header, "charset_meta": meta,
        "charset_detected": detected, "language": ["und"] * rows, "relevant": [False] * rows,
    })  # fmt: skip
    urls = log_table("urls", rows, {
        "id": range(rows), "url": [url(f"a/{n}") for n in range(rows)], "host": ["a"] * rows,
    })  # fmt: skip
    links = log_table("links", 0, {})
    write_segment(tmp_path, 0, {"urls": urls, "pages": pages, "links": links})
    CrawlConfig(lang="th", seeds=(url("a/0"),)).save(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("judge", "relevant"),
    [
        ("charset:from=meta", {3, 4}),
        ("charset:from=header", {0}),
        ("charset:from=detected", {2}),
        ("charset", {0, 2, 3, 4}),  # META first, then the header, then the bytes
    ],
)
def test_recorded_charsets_are_judged_each_at_its_own_page(
    log: Path, judge: str, relevant: set[int]
) -> None:
    graph = open_graph(Source(log, judge=judge))
    assert set(np.flatnonzero(graph.relevant).tolist()) == relevant
    assert graph.relevant_total == len(relevant)
    assert set(np.flatnonzero(graph.score).tolist()) == relevant
    assert not open_graph(Source(log)).relevant.any()


def test_charsets_found_in_the_bytes_are_less_sure_than_declared_ones(log: Path) -> None:
    score = open_graph(Source(log, judge="charset")).score
    assert score[2] == 0.9
    assert score[3] == score[0] == 1.0


def test_charsets_are_judged_for_the_language_that_is_asked_for(log: Path) -> None:
    graph = open_graph(Source(log, lang="ja", judge="charset:from=header"))
    assert np.flatnonzero(graph.relevant).tolist() == [4]
    assert open_graph(Source(log, lang="ko", judge="charset")).relevant_total == 0


def test_a_page_that_did_not_answer_is_never_relevant(log: Path) -> None:
    for judge in ("charset", "charset:from=meta", "charset:from=header"):
        graph = open_graph(Source(log, judge=judge))
        assert not graph.relevant[1]
        assert graph.score[1] == 0.0


def test_a_log_in_which_no_charset_stands_has_no_relevant_page(tmp_path: Path) -> None:
    log = write_web(tmp_path, {"a/": P("th", ("b/",)), "b/": P("th")}, ["a/"])
    assert open_graph(Source(log, judge="charset")).relevant_total == 0
    assert open_graph(Source(log)).relevant_total == 2


def test_a_judge_of_texts_needs_an_archive_and_says_what_can_be_done(log: Path) -> None:
    with pytest.raises(LangcrawlError, match="no archive"):
        open_graph(Source(log, judge="cld"))


@pytest.mark.parametrize(
    ("source", "error"),
    [
        (Source(Path("nowhere")), NoSuchLog),
        (Source(Path("nowhere"), judge="charset"), NoSuchLog),
    ],
)
def test_a_directory_that_is_not_there_is_named(source: Source, error: type[Exception]) -> None:
    with pytest.raises(error, match="nowhere"):
        open_graph(source)


def test_a_wrong_judge_is_said_before_a_page_is_read(log: Path) -> None:
    for judge, words in (("cdl", "did you mean 'cld'"), ("charset:from=x", "must be one of")):
        with pytest.raises(UsageError, match=words):
            open_graph(Source(log, judge=judge))


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A web whose pages can be written anew, so that any judge can read them."""
    directory = tmp_path_factory.mktemp("rejudge") / "web"
    generate(directory, load_profile("thai-2005"), 400, 3)
    return directory


class TestKeptVerdicts:
    """What a judge said of texts is kept beside the log, and no longer than it is true."""

    @staticmethod
    def kept(log: Path) -> list[Path]:
        return sorted((log / "log" / "graph").glob("judged-*.npz"))

    @pytest.fixture(autouse=True)
    def _no_verdicts_before(self, generated: Path) -> None:
        rejudge._texts.cache_clear()
        for path in self.kept(generated):
            path.unlink()

    def test_they_are_read_and_not_worked_out_twice(
        self, generated: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = open_graph(Source(generated, judge="cld"))
        assert first.relevant_total > 10
        assert len(self.kept(generated)) == 1
        monkeypatch.setattr(rejudge, "_by_text", None)  # it would fail if it were asked
        again = open_graph(Source(generated, judge="cld"))
        assert np.array_equal(first.relevant, again.relevant)
        assert np.array_equal(first.score, again.score)

    def test_each_judge_and_each_language_has_its_own(self, generated: Path) -> None:
        ours = open_graph(Source(generated, judge="cld"))
        theirs = open_graph(Source(generated, lang="en", judge="cld"))
        assert len(self.kept(generated)) == 2
        both = np.count_nonzero(ours.relevant & theirs.relevant)  # a page may be in two languages
        assert both < 0.1 * min(ours.relevant_total, theirs.relevant_total)
        open_graph(Source(generated, judge="code-interval"))
        assert len(self.kept(generated)) == 3

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda path: path.write_bytes(b""),
            lambda path: path.write_bytes(b"no archive of arrays"),
            lambda path: path.write_bytes(path.read_bytes()[:100]),
            lambda path: np.savez(path, relevant=np.ones(3), score=np.ones(3)),
            lambda path: np.savez(path, relevant=np.ones(400)),
        ],
        ids=["empty", "other-bytes", "cut-short", "another-size", "one-missing"],
    )
    def test_a_file_that_is_spoilt_is_made_anew(self, generated: Path, spoil) -> None:  # type: ignore[no-untyped-def]
        first = open_graph(Source(generated, judge="cld"))
        (path,) = self.kept(generated)
        spoil(path)
        again = open_graph(Source(generated, judge="cld"))
        assert np.array_equal(first.relevant, again.relevant)
        with np.load(path) as arrays:
            assert arrays["relevant"].shape == (first.pages,)

    def test_those_of_a_users_own_judge_are_not_kept(self, generated: Path, tmp_path: Path) -> None:
        mine = tmp_path / "mine.py"
        words = (
            "from langcrawl.records import Verdict\n"
            "class All:\n"
            "    def judge(self, content):\n"
            "        return Verdict('th', '', '', {score}, {relevant})\n"
            "def every(target):\n"
            "    return All()\n"
        )
        mine.write_text(words.format(score=1.0, relevant=True))
        judge = f"{mine}:every"
        graph = open_graph(Source(generated, judge=judge))
        judged = (graph.arrays.status == 200) & (graph.arrays.redirect < 0)
        there = np.isin(np.flatnonzero(judged), GeneratedTexts(generated).ids)
        assert graph.relevant_total == there.sum() > 100
        assert self.kept(generated) == []
        assert not graph.relevant[~judged].any()
