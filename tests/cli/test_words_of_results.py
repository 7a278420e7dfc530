"""What commands say at their end and on the way: sentences for known numbers."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import typer

from langcrawl.cli import make_app, recrawl_command, status_command
from langcrawl.cli.common import by_language, check_file, number, print_table, unknown_fails
from langcrawl.cli.crawl_words import tell_result, why_nothing
from langcrawl.cli.export_command import _day, _hosts, _say, _share
from langcrawl.cli.import_command import _say as say_imported
from langcrawl.cli.options import ManyWords
from langcrawl.cli.priors import is_prior, some_with_prior, with_prior
from langcrawl.cli.progress import _Line, _span, _speed
from langcrawl.cli.recrawl_command import _size, _tell_result, in_words
from langcrawl.cli.watching import CrawlDisplay, Loudness, crawl_line, next_line
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadValue, UsageError
from langcrawl.store.status import EstimatedEnd, FailingHost, Status
from langcrawl.units import read_count

CONFIG = CrawlConfig(lang="th", seeds=("http://a.th/",))
Said = pytest.CaptureFixture[str]


def result(**more: Any) -> dict[str, Any]:
    """The result of a crawl of ten downloads."""
    return {
        "pages": 10, "relevant": 4, "harvest": 0.4, "queue": 0, "stopped": "queue-empty",
        "answers": {"text": 6, "redirect": 2, "error": 1, "file": 1}, "failures": 0,
        "silences": {}, "discards": {}, "errors": {}, "languages": {"th": 4},
    } | more  # fmt: skip


def status(**more: Any) -> Status:
    known: dict[str, Any] = {
        "running": True, "lang": "th", "strategy": "bfs", "pages": 1200, "relevant": 300,
        "harvest": 0.25, "queue": 50, "under_way": 2, "urls": 1252, "hosts": 9, "bytes": 2_500_000,
        "requests": 1300, "seconds": 60.0, "pages_per_second": 20.0, "lately": None,
        "last_page": None, "failing_hosts": 0, "failing": (), "estimated_end": None,
        "last_event": None, "errors": {}, "discards": {}, "notes": {}, "answers": {},
        "silences": {}, "failures": 0, "languages": {},
    }  # fmt: skip
    return Status(**(known | more))


class TestTheEndOfACrawl:
    def test_everything_that_came_is_told_apart(self, capsys: Said) -> None:
        tell_result(Path("thai"), CONFIG, result(queue=7, failures=3), as_json=False)
        first, last = capsys.readouterr().out.splitlines()
        assert first == (
            "10 downloads: 4 pages in th (40.0%), 2 in other languages, 2 redirects, 1 errors, "
            "1 other files, and 3 URLs without an answer. 7 URLs wait; no URL is left."
        )
        assert last == "Try next:  langcrawl simulate thai --strategy soft --strategy lswc"

    def test_several_languages_are_counted_apart(self, capsys: Said) -> None:
        tell_result(Path("x"), CONFIG, result(languages={"my": 3, "shn": 1}), as_json=False)
        assert "By language: my 3, shn 1.\n" in capsys.readouterr().out
        assert by_language({"th": 4}) == ""

    @pytest.mark.parametrize(
        ("more", "by_service", "code"),
        [({}, False, 130), ({}, True, 0), ({"told_to_stop": True}, False, 0)],
    )
    def test_an_interrupted_crawl_says_how_to_resume_it(
        self, capsys: Said, more: dict[str, Any], by_service: bool, code: int
    ) -> None:
        with pytest.raises(typer.Exit) as ended:
            tell_result(Path("a b"), CONFIG, result(stopped="interrupted", **more), False,
                        by_service=by_service)  # fmt: skip
        assert ended.value.exit_code == code
        assert "Resume it with:  langcrawl crawl 'a b'\n" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("more", "reason"),
        [
            ({"stopped": "max-time"}, "--max-time ended the crawl first; allow more"),
            ({"silences": {"timeout": 3}}, "nobody answered (timeout 3); check the network"),
            ({"errors": {"dns": 2}}, "the names of the seeds do not exist (dns 2)"),
            ({"discards": {"robots": 1}}, "robots.txt of the seeds' hosts forbids it"),
            ({"errors": {"503": 4}}, "the servers answered with errors (503 4)"),
            ({"discards": {"excluded": 4}}, "all links were left out (excluded 4)"),
            ({"discards": {"excluded": 0}}, "no page was found; check the seeds"),
            ({"stopped": "max-time", "errors": {"503": 1}}, "the servers answered with errors"),
        ],
    )
    def test_an_empty_crawl_fails_with_the_likeliest_reason(
        self, capsys: Said, more: dict[str, Any], reason: str
    ) -> None:
        empty = result(answers={"error": 3}, relevant=0, pages=3, harvest=0.0, **more)
        assert reason in why_nothing(empty)
        with pytest.raises(typer.Exit) as ended:
            tell_result(Path("x"), CONFIG, empty, as_json=True)
        assert ended.value.exit_code == 1
        assert capsys.readouterr().err.startswith("langcrawl: nothing was collected, because ")

    def test_a_crawl_that_was_to_take_no_page_has_not_failed(self) -> None:
        none = CONFIG.model_copy(update={"max_pages": 0})
        tell_result(Path("x"), none, result(answers={}, stopped="max-pages"), as_json=True)

    def test_an_outage_is_a_failure_whatever_was_collected(self, capsys: Said) -> None:
        with pytest.raises(typer.Exit) as ended:
            tell_result(Path("x"), CONFIG, result(stopped="outage"), as_json=True)
        assert ended.value.exit_code == 1
        assert "the crawl ended, because" in capsys.readouterr().err


class TestTheEndOfARecrawl:
    NUMBERS: dict[str, Any] = {  # noqa: RUF012
        "asked": 12, "not_modified": 5, "same_bytes": 2, "changed": 3, "gone": 1, "failed": 1,
        "failures": {"dns": 1, "timeout": 4}, "new_urls": 9, "new_pages": 4, "new_relevant": 2,
        "bytes": 1500, "full_bytes": 6000, "new_bytes": 2_500_000, "left_out": {"excluded": 2},
        "stopped": "max-pages", "pages": 99, "relevant": 40, "queue": 3, "told_to_stop": False,
    }  # fmt: skip

    def test_it_is_told_in_sentences(self) -> None:
        assert in_words("th", self.NUMBERS) == [
            "12 pages asked for again: 7 unchanged (5 by their servers' word, 2 by the same "
            "bytes), 3 changed, 1 gone, 1 failed.",
            "Failed for: timeout 4, dns 1.",
            "9 new URLs were found and 4 new pages downloaded, 2 of them in th.",
            "1.5 kB came for the pages asked for again, where all of them whole would have taken "
            "6.0 kB (25%); 2.5 MB came for new pages.",
            "Left out by what the crawl excludes now: excluded 2.",
            "Stopped by --max-pages.",
        ]

    def test_where_nothing_was_due_that_is_all(self) -> None:
        nothing = self.NUMBERS | {"asked": 0, "new_pages": 0}
        assert in_words("th", nothing) == ["No page was due: 99 pages, 40 in th."]
        stopped = nothing | {"stopped": "interrupted"}
        assert in_words("th", stopped) == ["No page was asked for yet: 99 pages, 40 in th."]
        quiet = self.NUMBERS | {"failures": {}, "left_out": {}, "stopped": "outage"}
        assert in_words("th", quiet)[-1].startswith("Hosts that do not answer are left")

    @pytest.mark.parametrize(
        ("stopped", "told", "code"),
        [("interrupted", False, 130), ("interrupted", True, 0), ("outage", False, 1)],
    )
    def test_it_ends_with_the_status_that_it_deserves(
        self, stopped: str, told: bool, code: int, capsys: Said
    ) -> None:
        numbers = self.NUMBERS | {"stopped": stopped, "told_to_stop": told}
        with pytest.raises(typer.Exit) as ended:
            _tell_result(Path("x"), CONFIG, numbers, False, by_service=False)
        assert ended.value.exit_code == code
        assert ("The same command resumes it." in capsys.readouterr().out) == (code != 1)

    def test_what_still_waits_is_told_with_what_to_do(self, capsys: Said) -> None:
        _tell_result(Path("a b"), CONFIG, self.NUMBERS, False, by_service=False)
        assert "3 URLs of the crawl wait; download them with:  langcrawl crawl 'a b'" in (
            capsys.readouterr().out
        )

    def test_a_plan_names_what_comes_first(self, capsys: Said) -> None:
        plan = {"due": 5, "asked": 3, "expected_changes": 1.6,
                "first": [{"url": "http://a.th/", "probability": 0.42}]}  # fmt: skip
        recrawl_command._tell_plan(plan, as_json=False)
        said = capsys.readouterr().out
        assert "5 pages are due; 3 would be asked for, of which about 2 may have changed" in said
        assert "42%" in said

    @pytest.mark.parametrize(
        ("count", "words"),
        [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1000, "1.0 kB"),
            (1e6, "1.0 MB"),
            (5e12, "5,000.0 GB"),
        ],
    )
    def test_sizes_have_units(self, count: float, words: str) -> None:
        assert _size(count) == words


class TestWhileACrawlRuns:
    def test_a_line_says_pages_speed_and_what_waits(self) -> None:
        line = crawl_line(status(lately=3.25), 5000)
        assert line.startswith("crawling: 1,200 of 5,000 pages, 3.2/s, ")
        assert "50" in line
        failing = status(lately=12.0, failing_hosts=3, estimated_end=EstimatedEnd(0.0, 60, "x"))
        assert ", 12/s, " in crawl_line(failing, None)
        assert ", 3 hosts failing, about " in crawl_line(failing, None)

    def test_plain_lines_are_seldom_after_a_minute(self) -> None:
        assert next_line(100.0, 110.0) == 115.0
        assert next_line(100.0, 161.0) == 191.0

    def test_events_of_a_kind_are_told_twenty_times(self, capsys: Said) -> None:
        display = CrawlDisplay(None, Loudness.NORMAL)
        for at in range(30):
            display.hear("host-failed", f"number {at}.")
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 20
        assert lines[-1].endswith("are told only in events.jsonl, or with -v.)")
        loud = CrawlDisplay(None, Loudness.VERBOSE)
        for at in range(30):
            loud.hear("host-failed", f"number {at}.")
        assert len(capsys.readouterr().err.splitlines()) == 30

    def test_quiet_says_nothing_and_verbose_names_failing_hosts_once(self, capsys: Said) -> None:
        host = FailingHost("a.th", "timeout", 2, time.time() + 600)
        failing = status(failing=(host,), failing_hosts=1)
        CrawlDisplay(None, Loudness.QUIET).look(failing)
        assert capsys.readouterr().err == ""
        loud = CrawlDisplay(None, Loudness.VERBOSE)
        loud.look(failing)
        loud.look(failing)
        lines = capsys.readouterr().err.splitlines()
        assert [line for line in lines if "fails" in line] == lines[:1]
        assert "a.th fails (timeout), 2 times in a row, and is asked again in " in lines[0]

    def test_loudness_follows_from_two_options(self) -> None:
        assert Loudness.of(False, False) is Loudness.NORMAL
        assert Loudness.of(True, False) is Loudness.VERBOSE
        assert Loudness.of(False, True) is Loudness.QUIET
        with pytest.raises(UsageError, match="contradict"):
            Loudness.of(True, True)

    def test_a_status_is_told_with_hosts_and_counts(self, capsys: Said) -> None:
        found = status(
            running=False, lately=2.0, languages={"my": 200, "shn": 100},
            errors={"dns": 1, "503": 4},
            failing=(FailingHost("a.th", "", 3, None),), failing_hosts=1,
            last_event={"time": time.time() - 5, "words": "it\x1b[2J began"},
            estimated_end=EstimatedEnd(0.0, 120, "max-pages"),
        )  # fmt: skip
        status_command._show(Path("thai"), found)
        said = capsys.readouterr().out
        assert said.startswith(
            "thai: not running, 1,200 pages in 60 s (20.0/s), 300 of them in th (25.0%).\n"
            "By language: my 200, shn 100.\n"
        )
        assert "(max-pages)" in said
        assert "50 URLs wait, 2 are under way; 1,252 are known on 9 hosts; 2.5 MB" in said
        assert "it?[2J began" in said
        assert said.index("503") < said.index("dns")  # the most frequent first


class TestTheLineOfAJob:
    def test_it_has_number_speed_share_and_what_is_left(self) -> None:
        line = _Line("counting", "files", 40)
        line.take(0.0, 0, 0.0, "")
        line.take(2.0, 10, 0.25, "so far")
        assert line.text == "counting: 10 of 40 files, 5.0/s, so far, 25% done, 6 s left"
        line.take(3.0, 0, None, "sorting")
        assert (line.text, line.is_stage) == ("counting: sorting ...", True)

    @pytest.mark.parametrize(
        ("seconds", "words"), [(5, "5 s"), (119, "119 s"), (120, "2 min"), (7300, "2 h")]
    )
    def test_spans_are_rough(self, seconds: float, words: str) -> None:
        assert _span(seconds) == words

    def test_speeds_have_a_digit_where_they_are_slow(self) -> None:
        assert (_speed(9.94), _speed(1234.5)) == ("9.9/s", "1,234/s")


class TestOptions:
    @pytest.mark.parametrize(
        ("text", "value"), [("500", 500), ("50k", 50_000), ("2M", 2_000_000), ("none", None)]
    )
    def test_numbers_have_units(self, text: str, value: int | None) -> None:
        assert number(read_count)(text) == value

    @pytest.mark.parametrize("text", ["", "-1", "many", "1.5.2", "5 pages"])
    def test_what_is_no_number_is_refused(self, text: str) -> None:
        with pytest.raises(typer.BadParameter):
            number(read_count)(text)
        with pytest.raises(typer.BadParameter, match="it needs a number"):
            number(read_count, optional=False)("none")
        with pytest.raises(typer.BadParameter, match="0 is less than 1"):
            number(read_count, 1)("0")

    @pytest.mark.parametrize(
        ("words", "spread"),
        [
            ("new --warc a b --lang th", "new --warc a --warc b --lang th"),
            ("--warc a b new", "--warc a --warc b new"),
            ("--warc a b c --lang th", "--warc a --warc b --lang th c"),
            ("--lang th new --wat a", "--lang th new --wat a"),
            ("--warc=a b new --json", "--warc=a --warc b --json new"),
            ("new --crawl a -- b c", "new --crawl a -- b c"),
            ("--json new --warc a b", "--json new --warc a --warc b"),
            ("--warc a", "--warc a"),
        ],
    )
    def test_words_after_an_option_of_several_values_are_all_its_own(
        self, words: str, spread: str
    ) -> None:
        command = typer.main.get_command(make_app(["import"])).commands["import"]  # type: ignore[attr-defined]
        assert isinstance(command, ManyWords)
        assert command._spread(words.split()) == spread.split()

    def test_a_prior_is_for_adaptive_alone(self, tmp_path: Path) -> None:
        place = tmp_path / "p.prior"
        assert with_prior("soft", None) == "soft"
        assert with_prior("adaptive", place) == f"adaptive:prior={place}"
        assert with_prior("adaptive:x=1", place) == f"adaptive:x=1,prior={place}"
        assert some_with_prior(["bfs", "adaptive"], place) == ["bfs", f"adaptive:prior={place}"]
        for strategy in ("soft", "adaptive:prior=x"):
            with pytest.raises(UsageError, match="give --strategy adaptive once"):
                with_prior(strategy, place)
        assert [is_prior(to) for to in ("prior", "x.prior", "prior.txt")] == [True, True, False]

    def test_days_begin_at_midnight_in_utc(self) -> None:
        assert _day("", "--since") is None
        assert _day("1970-01-02", "--since") == 86_400.0
        assert _day("1970-01-02", "--until", 1) == 2 * 86_400.0  # the whole day counts
        assert _day("1970-01-02T06:00", "--until", 1) == 86_400.0 + 6 * 3600
        assert _day("1970-01-02T01:00+01:00", "--since") == 86_400.0
        with pytest.raises(BadValue, match="--since needs a day such as 2026-05-31, not 'x'"):
            _day("x", "--since")

    def test_hosts_are_named_as_people_copy_them(self) -> None:
        given = ["Example.ORG", "http://a.th/x/y", "b.th/", "https://c.th:8080"]
        assert _hosts(given) == ("example.org", "a.th", "b.th", "c.th:8080")
        assert _hosts(None) == ()

    def test_shares_lie_within_0_and_1(self) -> None:
        assert [_share(text) for text in ("0", "0.3", "1", " None ")] == [0.0, 0.3, 1.0, None]
        for text in ("1.1", "-0.1", "x", "nan"):
            with pytest.raises(typer.BadParameter, match="is not a share from 0 to 1"):
                _share(text)

    def test_a_file_is_no_directory_and_unknown_links_drop_or_fail(self, tmp_path: Path) -> None:
        check_file(None, "--to")
        check_file(tmp_path / "new", "--to")
        with pytest.raises(UsageError, match="--to names the directory"):
            check_file(tmp_path, "--to")
        assert (unknown_fails("fail"), unknown_fails("drop")) == (True, False)


def test_an_export_says_what_it_made_and_what_it_left_out(capsys: Said) -> None:
    done: dict[str, Any] = {
        "files": ["c.parquet"], "documents": 1200, "characters": 3_000_000, "pages": 2000,
        "dropped": {"short": 500, "exact": 300}, "broken_records": 1, "card": "README.md",
        "paragraphs_dropped": {"repeated": 7, "other-language": 0},
    }  # fmt: skip
    _say(done)
    said = capsys.readouterr().out
    assert said.startswith(
        "1,200 documents with 3,000,000 characters are in c.parquet, of 2,000 pages.\n"
    )
    assert "Of 2,000 pages 500 were left out as short: --min-chars 0 keeps them." in said
    assert "Paragraphs left out: 7 repeated on their site, 0 in another language." in said
    assert "1 record could not be read." in said
    _say({"files": ["a", "b"], "pages": 5, "captures": 6, "archives": 2})
    assert capsys.readouterr().out == (
        "5 pages and 6 captures of 2 archive files are in 2 files.\n"
    )


def test_an_import_says_what_it_left_out(capsys: Said) -> None:
    done = {"pages": 1200, "relevant": 3, "links": 9, "bad_languages": 2, "bad_pages": 1,
            "repeated_pages": 0, "skipped": Counter({"robots.txt": 4})}  # fmt: skip
    say_imported(done, Path("web"), "th")
    assert capsys.readouterr().out.splitlines() == [
        "1,200 pages, 3 of them in th, and 9 links are in web.",
        "2 pages have a language that is not a BCP-47 tag; it counts as unknown.",
        "Left out: bad pages: 1, robots.txt: 4.",
    ]


def test_a_table_has_names_to_the_left_and_numbers_to_the_right(capsys: Said) -> None:
    print_table(["host", "pages"], [("a.th", "5"), ("long.example.org", "1,200")])
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "host              pages",
        "a.th                  5",
        "long.example.org  1,200",
    ]
