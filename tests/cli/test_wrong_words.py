"""Wrong words on the command line, for every command: one sentence, the right status, no harm."""

from __future__ import annotations

from pathlib import Path
from shlex import split

import pytest
import typer

from commands import run_here
from langcrawl import __version__
from langcrawl.cli import make_app
from webs import P, write_web

COMMANDS = typer.main.get_command(make_app()).commands  # type: ignore[attr-defined]
WEB = {"a.th/": P("th", ("a.th/1", "b.com/")), "a.th/1": P("th"), "b.com/": P("en")}
WRONG_USAGE = [
    ("simulate web --strategy soft --unknown ask", "--unknown must be drop or fail, not 'ask'"),
    ("simulate web --strategy soft --panel queue", "give --plot a file to write"),
    ("simulate web --strategy soft --plot x.gif", ".png, .svg, .pdf, .csv files, not 'x.gif'"),
    ("simulate web --strategy soft --plot x.png --panel depth", "harvest, coverage, queue, not"),
    ("simulate web --strategy soft --plot . --panel queue", "--plot writes"),
    ("simulate web --strategy soft --order .", "--order names the directory '.'"),
    ("simulate web --strategy soft --report .", "--report names the directory '.'"),
    ("simulate web --strategy soft --prior x", "give --strategy adaptive as well"),
    ("simulate web --strategy adaptive --prior a,b", "a path without commas"),
    ("simulate web --strategy adaptive:prior=a --prior b", "give --strategy adaptive once"),
    ("simulate web --strategy soft --explain", "give it --strategy adaptive"),
    ("simulate web --strategy soft --points 0", "'--points'"),
    ("simulate web --strategy soft --max-pages many", "such as 500, 50k or 2M, or none"),
    ("simulate web --strategy soft --sample 200%", "'200%' is not a share such as 2% or 0.02"),
    ("simulate web --strategy soft --timed --connections 0", "'--connections'"),
    ("simulate web --strategy soft --timed --delay -1", "'--delay'"),
    ("simulate web --strategy lswc:s=0", "s"),
    ("simulate web --strategy limited:n=many", "n"),
    ("simulate web", "Missing option '--strategy'"),
    ("import new --lang th", "give one kind of source: --warc, --wat, --pages, --crawl"),
    ("import new --lang th --pages a --warc b", "give one kind of source"),
    ("import new --lang th --warc a --links b", "--links works with --pages only"),
    ("import new --lang th --wat a --links b", "--links works with --pages only"),
    ("import new --lang th --pages a --judge cld", "--judge needs texts, and --pages has"),
    ("import new --lang th --crawl web --judge cld", "--judge needs texts, and --crawl has"),
    ("import new --lang th --warc a --types all", "pages or pdf, not 'all'"),
    ("import new --warc a", "Missing option '--lang'"),
    ("export web --to x.doc", "corpus.parquet, corpus.jsonl.zst, corpus.jsonl.gz, corpus.txt"),
    ("export web --keep worst", "--keep must be best, newest or longest, not 'worst'"),
    ("export web --text some", "--text must be main, full or best, not 'some'"),
    ("export web --min-score 2", "'--min-score'"),
    ("export web --since yesterday", "--since needs a day such as 2026-05-31, not 'yesterday'"),
    ("export web --until 2026-02-30", "--until needs a day"),
    ("export web --max-symbols 3", "'3' is not a share from 0 to 1, or none"),
    ("export web --max-repeated-lines few", "'few' is not a share from 0 to 1, or none"),
    ("export web --shard-size 0", "0 is less than 1"),
    ("export web --shard-size big", "'big'"),
    ("export web --near-threshold 0.1", "'--near-threshold'"),
    ("export web --site-repeats 1", "'--site-repeats'"),
    ("export web --min-chars none", "it needs a number"),
    ("export web web --to prior", "a prior is learned from one crawl"),
    ("crawl new", "a new crawl needs --lang and --seeds"),
    ("crawl new --lang th", "a new crawl needs --seeds"),
    ("crawl new --lang th --seeds http://a.th/ -v -q", "--verbose and --quiet contradict"),
    ("crawl new --lang th --seeds http://a.th/ http://b.th/", "URLs to start from go after"),
    ("forget web http://a.th/", "URLs go after --url, hosts after --host"),
    ("import new a.warc.gz --lang th", "web archives go after --warc"),
    ("collect web folder", "the folder or store to bring them to goes after --to"),
    ("crawl new --lang th --seeds http://a.th/ --delay -1", "'--delay'"),
    ("crawl new --lang klingon --seeds http://a.th/", "there is no language 'klingon'"),
    ("status web --json --metrics", "--metrics and --json are two forms of the same"),
    ("review web --size 0", "0 is less than 1"),
    ("review web --size 9", "--size must be 10 or more"),
    ("review web --size none", "it needs a number"),
    ("review web --precision 2", "'--precision'"),
    ("review web --export .", "--export names the directory '.'"),
    ("report web --plots notes.txt", "give the name of a folder"),
    ("report web --samples -1", "'--samples'"),
    ("report web --to .", "--to names the directory '.'"),
    ("forget web", "say what to forget: --host NAME or --url URL"),
    ("forget web --host 'a b'", "'a b' is not the name of a host"),
    ("forget web --url x", "'x' is not a URL"),
    ("collect web", "--to PLACE, or --back"),
    ("collect web --to x --back", "--to PLACE, or --back"),
    ("recrawl web --older-than soon", "such as 90, 30min, 2h or 3d"),
    ("why web", "Missing argument 'URL'"),
    ("why web x", "'x' is not a URL; write it as http://host/path"),
    ("dashboard web --port 70000", "'--port'"),
    ("serve web --unknown ask", "--unknown must be drop or fail"),
    ("serve web --port -1", "'--port'"),
    ("synth", "name a new directory for the web"),
    ("synth new --pages 0", "'--pages'"),
    ("synth new --seed -1", "'--seed'"),
    ("analyze web --top 0", "'--top'"),
    ("stats notes.txt --plot x.gif", "--plot writes .png, .svg, .pdf, not 'x.gif'"),
    ("stats notes.txt --report .", "--report names the directory '.'"),
    ("stats notes.txt --top 0", "'--top'"),
    ("identify notes.txt -", "give no other file with it"),
    ("identify notes.txt --judge nobody", "there is no judge 'nobody'"),
    ("identify notes.txt --lang klingon", "there is no language 'klingon'"),
    ("text notes.txt -", "give no other file with it"),
    ("text notes.txt --text some", "--text is full, main or best, not 'some'"),
    ("convert notes.txt --from klingon", "menksoft, saiyin, unicode, win-innwa, zawgyi"),
    ("convert notes.txt --to saiyin", "unicode or zawgyi, not to 'saiyin'"),
    ("convert notes.txt --output .", "--output names the directory '.'"),
    ("learn klingon notes.txt", "'klingon' is not a language tag"),
    ("learn th notes.txt --output .", "--output names the directory '.'"),
    ("learn th notes.txt --against notes.txt --against notes.txt", "rename one of them"),
    ("keywords atlantis", "there is no country 'atlantis'"),
    ("keywords th dance", "there are: add, annotate, find, import, list"),
    ("keywords th add", "'keywords th add' needs names, or files"),
    ("keywords th list x", "'keywords th list' takes no names"),
    ("tune web --strategy lswc --held-out 1", "'--held-out'"),
]
FAILED = [
    ("import new --lang th --warc absent", "there is no file 'absent'"),
    ("import new --lang th --warc 'absent-*'", "no file matches 'absent-*'; check the pattern"),
    ("import new --lang th --warc web", "the folder 'web' holds no archive (*.warc"),
    ("import new --lang th --wat web", "the folder 'web' holds no WAT file"),
    ("import new --lang th --crawl absent", "there is no directory 'absent'"),
    ("import new --lang th --pages absent.csv", "there is no file 'absent.csv'"),
    ("import web --lang th --crawl web", "'web'"),
    ("import new --lang th --pages empty", "(Empty CSV file); give a table in UTF-8 whose first"),
    ("import new --lang th --pages rows", "'rows' cannot be read as CSV"),
    ("export web --to notes.txt/c.parquet", "(Not a directory); check the path"),
    ("crawl new --lang th --seeds absent.txt", "give a file of URLs, or a URL with its http://"),
    ("status web", "'web' holds no live crawl (there is no frontier.db)"),
    ("collect web --to x", "'web' holds no live crawl"),
    ("recrawl web", "'web' was not crawled here"),
    ("retry web", "'web/frontier.db' is missing"),
    ("synth web", "'web' already holds a crawl; choose a new directory"),
    ("synth new --profile atlantis", "there is no profile and no file 'atlantis'"),
    ("synth new --profile atlantis", "today, thai-diving-2014, thai-estate-2014"),
    ("stats empty", "must end in .parquet, .jsonl, .jsonl.zst, .jsonl.gz, .txt"),
    ("stats web", "make it with 'langcrawl export web'"),
    ("stats absent.parquet", "there is no corpus 'absent.parquet'"),
    ("identify absent", "there is no file or directory 'absent'"),
    ("identify hollow", "there is no file to read"),
    ("text empty", "1 of 1 pages have no text that can be read: 'empty': there is nothing in it"),
    ("text absent", "there is no file or directory 'absent'"),
    ("export absent", "there is no file or directory 'absent'"),
    ("collect absent --to far", "there is no directory 'absent'"),
    ("convert absent", "there is no file 'absent'"),
    ("convert .", "'.' is a directory"),
    ("convert empty", "'empty' is empty; there is nothing to convert"),
    ("convert picture", "'picture' is not text"),
    ("convert notes.txt --output no/where.txt", "choose another --output"),
    ("learn th absent", "there is no file or directory 'absent'"),
    ("learn th notes.txt", "characters are too few to learn a language from"),
    ("keywords th import absent.txt", "'absent.txt'"),
    ("keywords th annotate absent.csv", "'absent.csv'"),
]
NEEDS_A_CRAWL = (
    "status", "why", "report", "review", "retry", "recrawl", "recover", "verify", "simulate",
    "analyze", "serve", "dashboard",
)  # fmt: skip
MORE = {"why": ["http://a.th/"], "simulate": ["--strategy", "bfs"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log, a text, nothing, an empty directory, and what is no text."""
    folder = tmp_path_factory.mktemp("wrong")
    write_web(folder / "web", WEB, ["a.th/"])
    (folder / "notes.txt").write_text("The river is low at this time of the year.\n")
    (folder / "empty").touch()
    (folder / "rows").write_bytes(b"url,language\n\xff\x1b[2J\n\xfe,\xff\n")
    (folder / "hollow").mkdir()
    (folder / "picture").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    return folder


def listed(folder: Path) -> set[str]:
    """The files there; what a simulation keeps for the next one is nobody's loss."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if "/graph/" not in name and not name.endswith("/.lock")}


@pytest.mark.parametrize(("line", "says"), WRONG_USAGE)
def test_wrong_usage_ends_with_2_and_writes_nothing(folder: Path, line: str, says: str) -> None:
    before = listed(folder)
    run_here(folder, *split(line)).check_refused(2, says)
    assert listed(folder) == before


@pytest.mark.parametrize(("line", "says"), FAILED)
def test_what_cannot_be_done_ends_with_1_and_a_reason(folder: Path, line: str, says: str) -> None:
    before = listed(folder)
    run_here(folder, *split(line)).check_refused(1, says)
    assert listed(folder) == before


@pytest.mark.parametrize("name", NEEDS_A_CRAWL)
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("absent", "there is no directory 'absent'; give the directory of a crawl."),
        ("hollow", "'hollow'"),
        ("notes.txt", "'notes.txt'"),
    ],
)
def test_what_is_no_crawl_is_named(folder: Path, name: str, given: str, says: str) -> None:
    done = run_here(folder, name, given, *MORE.get(name, ()))
    done.check_refused(1, says)
    assert list((folder / "hollow").iterdir()) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_that_does_not_exist_is_named(folder: Path, name: str) -> None:
    run_here(folder, name, "--no-such-option").check_refused(2, "--no-such-option")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_its_help_and_reports_as_json(folder: Path, name: str) -> None:
    for flag in ("--help", "-h"):
        done = run_here(folder, name, flag)
        assert (done.status, done.err) == (0, "")
        assert f"langcrawl {name} [OPTIONS]" in " ".join(done.out.split())
    assert "--json" in done.out


def test_without_a_command_the_help_lists_all_of_them(folder: Path) -> None:
    done = run_here(folder)
    assert (done.status, done.err) == (0, "")
    shown = [line.split()[0] for line in done.out.splitlines() if line.startswith("  ")]
    assert [name for name in shown if name in COMMANDS] == list(COMMANDS)


def test_the_version_is_told_without_loading_a_command(folder: Path) -> None:
    assert run_here(folder, "--version") == (0, f"langcrawl {__version__}\n", "")


def test_a_command_that_does_not_exist_is_wrong_usage(folder: Path) -> None:
    run_here(folder, "simulat").check_refused(2, "No such command 'simulat'")
