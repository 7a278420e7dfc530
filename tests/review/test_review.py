"""A review from the sample to the export: kept whatever happens, judged by one key."""

from __future__ import annotations

import csv
import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from conftest import Cli
from dashboards import linked_copy
from langcrawl.errors import BadInput
from langcrawl.review import ReviewFile, ReviewTexts, draw_sample
from langcrawl.review.answers import FILE


@pytest.fixture
def crawl(small_crawl: Path, tmp_path: Path) -> Path:
    return linked_copy(small_crawl, tmp_path / "crawl")


def test_a_sample_is_stratified_and_drawn_again_by_its_seed(small_crawl: Path) -> None:
    sample = draw_sample(small_crawl, 60, 1)
    assert len(sample.pages) == 60
    assert len({page.page for page in sample.pages}) == 60
    drawn = Counter(page.stratum for page in sample.pages)
    assert len(drawn) == len(sample.strata) > 6
    for at, stratum in enumerate(sample.strata):
        assert min(stratum.size, 2) <= drawn[at] <= stratum.size
    assert sum(not page.relevant for page in sample.pages) == 12
    assert all(sample.strata[page.stratum].relevant == page.relevant for page in sample.pages)
    again, other = draw_sample(small_crawl, 60, 1), draw_sample(small_crawl, 60, 2)
    assert again.pages == sample.pages
    assert {page.page for page in other.pages} != {page.page for page in sample.pages}
    with pytest.raises(BadInput, match="at least 10"):
        draw_sample(small_crawl, 3, 1)


def test_pages_are_read_from_the_archive(small_crawl: Path) -> None:
    texts = ReviewTexts(small_crawl)
    for page in draw_sample(small_crawl, 20, 3).pages:
        assert texts.text(page)
        archived = texts.archived(page)
        assert archived is not None
        assert archived.is_html


def test_answers_are_kept_and_the_last_one_counts(crawl: Path) -> None:
    kept = ReviewFile(crawl)
    sample = kept.sample(20, 5)
    assert kept.sample(40, 6) == sample, "it is drawn once"
    first = sample.pages[0].page
    kept.add(first, "yes", "a")
    kept.add(first, "spam", "a")
    with (crawl / FILE).open("ab") as file:
        file.write(b'{"page": 1, "answer": "ye')  # the power failed
    kept.add(sample.pages[1].page, "yes", "b")
    read, answers = ReviewFile(crawl).read()
    assert read == sample
    assert [(given.page, given.answer) for given in answers] == [
        (first, "spam"), (sample.pages[1].page, "yes"),
    ]  # fmt: skip
    for page, word, who in ((first, "perhaps", "a"), (first, "yes", ""), (first, "yes", "x\ny")):
        with pytest.raises(BadInput):
            kept.add(page, word, who)
    assert kept.sample(20, 9, new=True) != sample
    assert ReviewFile(crawl).read()[1] == []


def test_a_kill_loses_no_answer(crawl: Path) -> None:
    sample = ReviewFile(crawl).sample(20, 5)
    numbers = [page.page for page in sample.pages]
    code = (
        "import sys\nfrom pathlib import Path\nfrom langcrawl.review.answers import ReviewFile\n"
        f"kept = ReviewFile(Path({str(crawl)!r}))\n"
        f"for at in range(10**6):\n    kept.add({numbers!r}[at % 20], 'yes', f'r{{at // 20}}')\n"
        "    print(at, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        said = -1
        while said < 40:
            said = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        for line in writer.stdout.read().splitlines():
            said = int(line)
    answers = ReviewFile(crawl).read()[1]
    assert len(answers) in (said + 1, said + 2)


def test_scripts_answer_from_a_file_and_export(cli: Cli, crawl: Path, tmp_path: Path) -> None:
    drawn = json.loads(cli("review", crawl, "--size", "30", "--json").stdout)
    assert drawn["precision"] is None
    urls = [page["url"] for page in drawn["sample"]]
    rows = [f"{url},{'y' if at else 'garbled'}" for at, url in enumerate(urls)]
    (tmp_path / "mine.csv").write_text("\n".join(["url,answer", *rows]))
    lines = [json.dumps({"url": url, "answer": "yes", "reviewer": "other"}) for url in urls[:9]]
    (tmp_path / "other.jsonl").write_text("\n".join(lines))
    again = cli("review", crawl, "--size", "20", "--json")
    assert len(json.loads(again.stdout)["sample"]) == 30
    assert "sample of 30 pages that was drawn before is used; --new draws another" in again.stderr
    assert cli("review", crawl, "--size", "30", "--json").stderr == ""
    done = cli("review", crawl, "--answers", "mine.csv", "--reviewer", "me")
    assert done.returncode == 0, done.stderr
    assert "30 of 30 pages answered by me" in done.stdout
    assert "Precision" in done.stdout
    found = json.loads(
        cli("review", crawl, "--answers", "other.jsonl", "--export", "all.csv", "--json").stdout
    )
    assert found["reviewers"] == {"me": 30, "other": 9}
    assert found["agreement"]["pairs"][0]["pages"] == 9
    assert 0 < found["precision"]["low"] < found["precision"]["high"] <= 1
    with (tmp_path / "all.csv").open(newline="") as file:
        exported = list(csv.DictReader(file))
    assert len(exported) == 39
    assert {row["reviewer"] for row in exported} == {"me", "other"}
    for words, says in (
        (("--answers", "none.csv"), "cannot be read"),
        (("--export", "x.pdf"), "neither"),
        (("--size", "none"), "needs a number"),
    ):
        done = cli("review", crawl, *words)
        assert done.returncode in (1, 2)
        assert says in done.stderr
    (tmp_path / "bad.csv").write_text("url,answer\nhttp://else.where/,yes\n")
    assert "which is not in the sample" in cli("review", crawl, "--answers", "bad.csv").stderr


def test_one_key_a_page_in_a_terminal(crawl: Path) -> None:
    """A real terminal: keys, going back, more text, and Ctrl-C in the middle."""
    ReviewFile(crawl).sample(12, 5)
    terminal, its = pty.openpty()
    command = [sys.executable, "-m", "langcrawl", "review", str(crawl), "--reviewer", "tty"]
    with (
        subprocess.Popen(command, stdin=its, stdout=its, stderr=its) as process,
        ExitStack() as leaving,
    ):
        os.close(its)
        leaving.callback(process.kill)
        said = ""

        def until(words: str) -> None:
            nonlocal said
            while words not in said:
                assert select.select([terminal], [], [], 60)[0], said
                said += os.read(terminal, 65_536).decode(errors="replace")
            said = said.partition(words)[2]

        until("1 of 12")
        for key, then in ((b"y", "2 of 12"), (b"o", "3 of 12"), (b"b", "2 of 12"),
                          (b"s", "3 of 12"), (b"?", "Keys:"), (b"u", "4 of 12")):  # fmt: skip
            os.write(terminal, key)
            until(then)
        os.write(terminal, b"q")
        until("Stopped; the answers are kept.")
        until("3 of 12 pages answered by tty")
        assert process.wait(30) == 0
    os.close(terminal)
    _, answers = ReviewFile(crawl).read()
    assert [given.answer for given in answers] == ["yes", "spam", "unsure"]
