"""A user's own judge works wherever a judge does, also in other processes."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from archives import THAI, ArchiveFile
from conftest import Cli
from langcrawl.errors import JudgeFailed, UsageError
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table
from langcrawl.records import Content
from langcrawl.virtualweb.phrases import PHRASES
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "own_judge.py"
MARKET = "ตลาด"
ABOUT = f"{EXAMPLE}:About:word={MARKET}"

OWN = """
from dataclasses import dataclass
from langcrawl.records import Verdict

@dataclass(frozen=True, slots=True)
class Always:
    target: object
    score: float = 0.5
    def judge(self, content):
        return Verdict(self.target.primary, "", "", self.score, True, ("always",))

class Foreign:
    def judge(self, content):
        return Verdict("en", "Latn", "", 0.9, False, ())

class Nothing:
    def judge(self, content):
        return None

class Listed:
    def judge(self, content):
        return Verdict("th", evidence=["a", "list"])

class Late:
    def judge(self, content):
        if "\\u0e01" in content.text:
            raise ValueError("no Thai, please")
        return Verdict()

class Sometimes:
    def judge(self, content):
        if len(content.links) % 3 == 2:
            raise KeyError("two links")
        return Verdict()

class Never:
    def judge(self, content):
        return content.text[1000]

class Ready:
    def judge(self, content):
        return Verdict("th", "", "", 1.0, True, ("ready",))
ready = Ready()
def number(): return 3
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return path


def test_the_example_asks_for_language_and_word() -> None:
    judge = make_judge(load_pack("th"), ABOUT)
    market, weather = PHRASES["th"][1], PHRASES["th"][0]
    assert judge.judge(Content(market)).relevant
    verdict = judge.judge(Content(weather))
    assert (verdict.language, verdict.relevant, verdict.score) == ("th", False, 0.0)
    assert verdict.evidence[-1] == f"'{MARKET}' stands 0 times on the page"
    assert not judge.judge(
        Content(f"{MARKET} is the word that Thais have for a market by the river")
    ).relevant


def test_a_judge_may_be_a_class_with_parameters_or_an_object(own: Path) -> None:
    verdict = make_judge(load_pack("th"), f"{own}:Always:score=0.25").judge(Content("x"))
    assert (verdict.language, verdict.score, verdict.evidence) == ("th", 0.25, ("always",))
    assert make_judge(load_pack("th"), f"{own}:ready").judge(Content()).evidence == ("ready",)


def test_a_changed_file_is_read_again(own: Path) -> None:
    assert make_judge(load_pack("th"), f"{own}:ready").judge(Content()).score == 1.0
    own.write_text(OWN.replace('1.0, True, ("ready"', '0.5, True, ("ready"'))
    assert make_judge(load_pack("th"), f"{own}:ready").judge(Content()).score == 0.5
    assert not (own.parent / "__pycache__").exists()


def test_a_page_in_another_language_scores_0_whatever_the_judge_says(own: Path) -> None:
    assert make_judge(load_pack("th"), f"{own}:Foreign").judge(Content()).score == 0.0
    assert make_judge(load_pack("en"), f"{own}:Foreign").judge(Content()).score == 0.9


def test_a_process_that_starts_from_nothing_is_sent_the_judge(own: Path, tmp_path: Path) -> None:
    sent = tmp_path / "judge.pickle"
    sent.write_bytes(pickle.dumps(make_judge(load_pack("th"), f"{own}:Always:score=0.75")))
    code = (
        "import pickle, sys; from langcrawl.records import Content\n"
        "with open(sys.argv[1], 'rb') as file: judge = pickle.load(file)\n"
        "print(judge.judge(Content('x')).score)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, sent], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("0.75\n", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("absent", "cannot be loaded .there is no 'absent' in it; it has Always"),
        ("Always:size=1", "there is no parameter of Always 'size'; there are: score"),
        ("Always:score=high", "Always's score must be a number, not 'high'"),
        ("number", "it should be, or return, an object with judge.content"),
    ],
)
def test_a_judge_that_cannot_be_made_says_why(own: Path, words: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make_judge(load_pack("th"), f"{own}:{words}")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Nothing", "should return a langcrawl.records.Verdict; it returned NoneType"),
        ("Listed", "its evidence is not a tuple of texts"),
        ("Never", "failed on a page .IndexError: string index out of range"),
    ],
)
def test_a_judge_that_never_works_is_refused_before_the_work(
    own: Path, name: str, said: str
) -> None:
    with pytest.raises(JudgeFailed, match=said):
        make_judge(load_pack("th"), f"{own}:{name}")


@pytest.mark.parametrize(
    ("judge", "status", "said"),
    [
        ("gone.py:Name", 2, "there is no file 'gone.py'"),
        ("own.py:Nmae", 2, "there is no 'Nmae' in it"),
        ("own.py:Nothing", 1, "should return a langcrawl.records.Verdict"),
    ],
)
def test_a_user_reads_one_sentence(cli: Cli, own: Path, judge: str, status: int, said: str) -> None:
    crawl = ("crawl", "new", "--lang", "th", "--seeds", "http://127.0.0.1:9/", "--judge", judge)
    for words in (crawl, ("identify", own, "--judge", judge)):
        done = cli(*words)
        assert done.returncode == status
        assert said in done.stderr
        assert done.stderr.count("\n") == 1


def words_of(server: Server, judge: str) -> list[str]:
    return [
        "crawl", "thai", "--lang", "th", "--seeds", "http://www.talad-nam.th/", "--connect-to",
        server.connect_to, "--delay", "0.005", "--strategy", "bfs", "--max-pages", "120",
        "--workers", "2", "--judge", judge, "--json",
    ]  # fmt: skip


def test_a_live_crawl_asks_it_in_its_workers(cli: Cli, tmp_path: Path, small_web: SmallWeb) -> None:
    with Server(small_web.answer) as server:
        done = cli(*words_of(server, ABOUT))
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
    graph = load_graph(tmp_path / "thai")
    assert 20 < result["relevant"] < graph.pages
    pages = read_table(tmp_path / "thai", "pages", ["id", "status", "language", "relevant"])
    for url, page in zip(graph.urls, pages.sort_by("id").to_pylist(), strict=False):
        served = small_web.answer(url)
        has_word = any(MARKET.encode(codec) in served.body for codec in ("utf-8", "cp874"))
        assert page["relevant"] == (served.language == "th" and has_word), url


def test_a_page_on_which_it_fails_is_an_error_and_the_crawl_goes_on(
    cli: Cli, own: Path, small_web: SmallWeb
) -> None:
    with Server(small_web.answer) as server:
        done = cli(*words_of(server, "own.py:Sometimes"))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    said = "the judge 'own.py:Sometimes' failed on a page (KeyError: 'two links')"
    assert result["pages"] == 120
    assert 0 < sum(n for error, n in result["errors"].items() if error.startswith(said)) < 120


def test_identify_and_import_ask_it_too(cli: Cli, own: Path, tmp_path: Path) -> None:
    assert own.exists()
    for number in range(150):  # enough for several processes
        (tmp_path / f"{number:03}.txt").write_text(PHRASES["th"][number % 2], encoding="utf-8")
    files = [f"{number:03}.txt" for number in range(150)]
    done = cli("identify", *files, "--lang", "th", "--judge", ABOUT, "--json")
    assert done.returncode == 0, done.stderr
    assert [entry["relevant"] for entry in json.loads(done.stdout)] == [False, True] * 75
    archive = (
        ArchiveFile().answer("http://a.example/", THAI).answer("http://b.example/", "<p>x</p>")
    )
    archive.save(tmp_path / "a.warc.gz")
    words = ["import", "web", "--warc", "a.warc.gz", "--lang", "th", "--judge"]
    done = cli(*words, f"{own}:Always")
    assert done.returncode == 0, done.stderr
    assert load_graph(tmp_path / "web").relevant.tolist() == [1, 1]
    failed = cli("import", "other", *words[2:], "own.py:Late")
    assert failed.returncode == 1
    said = "the judge 'own.py:Late' failed on a page (ValueError: no Thai, please); fix it"
    assert said in failed.stderr
    assert "Traceback" not in failed.stderr


def test_simulate_asks_it_of_a_generated_web_and_keeps_nothing(cli: Cli, own: Path) -> None:
    made = cli("synth", "web", "--profile", "thai-2005", "--pages", "400", "--seed", "3")
    assert made.returncode == 0, made.stderr
    words = ["simulate", "web", "--strategy", "bfs", "--judge", "own.py:Word", "--json"]
    totals = []
    for word in ("True", "False"):
        own.write_text(
            "from langcrawl.records import Verdict\nclass Word:\n    def judge(self, content):\n"
            f"        return Verdict('th', 'Thai', '', 1.0, {word})\n"
        )
        done = cli(*words)
        assert done.returncode == 0, done.stderr
        totals.append(json.loads(done.stdout)["relevant_total"])
    assert totals[0] > 0 == totals[1]
