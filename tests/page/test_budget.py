"""What reading a page may cost: the worst pages cost no more than any page may."""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import costly
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.page import Answer, Budget, CarefulReader, PageReader, Reading
from langcrawl.page.budget import is_ordinary
from langcrawl.page.helper import Helper

FOLDER = "http://costly.example/" + "p" * 2_000 + "/"


def answer(body: bytes) -> Answer:
    return Answer(FOLDER, 200, "text/html; charset=utf-8", "", body, {})


def reader(normalize: str = "none") -> CarefulReader:
    """With a smaller budget than in crawls, which the worst pages spend as well."""
    plain = PageReader(make_judge(load_pack("my"), ""), normalize=normalize)
    return CarefulReader(plain, Budget(seconds=1))


@pytest.mark.parametrize("name", costly.PAGES)
def test_the_worst_pages_cost_no_more_than_a_page_may(name: str) -> None:
    careful = reader("unicode")
    began = time.process_time(), _children()
    careful.read(answer(costly.PAGES[name]()))
    careful.close()
    spent = time.process_time() - began[0] + _children() - began[1]
    assert spent < 5.0


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_what_is_over_budget_is_noted_and_not_judged() -> None:
    careful = reader()
    page, verdict, _ = careful.read(answer(costly.open_fonts()))
    assert (page.status, page.notes, len(page.links)) == (200, ("over-budget",), 0)
    assert page.digest
    assert not verdict.relevant
    after = careful.read(answer(b"<p>\xe1\x80\x99\xe1\x80\xbc\xe1\x80\x94\xe1\x80\xba" * 50))
    assert after.page.notes == ()
    careful.close()


def test_a_large_page_is_read_by_a_helper_as_it_is_on_the_spot() -> None:
    body = b"".join(b"<p>word <a href=/%d>link</a></p>" % n for n in range(5_000))
    careful, plain = reader(), PageReader(make_judge(load_pack("my"), ""))
    assert not is_ordinary(body)
    assert careful.read(answer(body)) == plain.read(answer(body))
    careful.close()


@pytest.mark.parametrize(
    ("body", "ordinary"),
    [
        (b"<p>text</p>" * 900, True),
        (b"<p>text</p>" * 1_900, True),
        (b"<p>text" * 1_900, True),
        (b"<p>text" * 2_100, False),
        (b"<p>text</p>" * 2_100, False),
        (b"text " * 50_001, False),
    ],
)
def test_only_small_pages_are_read_on_the_spot(body: bytes, ordinary: bool) -> None:
    assert is_ordinary(body) is ordinary


def take_memory(megabytes: int) -> int:
    return len(bytearray(megabytes * 1_000_000))


def test_a_helper_that_takes_too_much_memory_or_time_is_replaced() -> None:
    helper = Helper(take_memory, Budget(memory=200_000_000))
    assert helper(50) == 50_000_000
    with pytest.raises(Exception, match="too much"):
        helper(2_000)
    assert helper(50) == 50_000_000
    helper.close()
    sleepy = Helper(time.sleep, Budget(patience=0.5))
    with pytest.raises(Exception, match="too long"):
        sleepy(60)
    sleepy.close()


def fail(word: str) -> None:
    raise ValueError(word)


def test_an_error_of_the_work_is_told_as_it_is() -> None:
    helper = Helper(fail)
    with pytest.raises(ValueError, match="broken page"):
        helper("broken page")
    helper.close()


def test_a_reader_can_be_handed_to_another_process() -> None:
    again: CarefulReader = pickle.loads(pickle.dumps(reader()))
    reading: Reading = again.read(answer(b"<p>text</p>"), careful=True)
    assert reading.page.status == 200
    again.close()


def test_a_helper_ends_with_the_process_that_made_it(tmp_path: Path) -> None:
    script = (
        "import os, time\n"
        "from langcrawl.page.helper import Helper\n"
        "print(Helper(os.getpid)(), flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        helper = int(process.stdout.readline())
        os.kill(helper, 0)
        process.kill()
    deadline = time.monotonic() + 10
    while _lives(helper) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(helper)


def _lives(pid: int) -> bool:
    """Whether a process is there and not only waits to be buried."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
