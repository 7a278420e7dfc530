"""The index of an archive; test_archive_oracles.py compares it with that of another program."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from langcrawl.web.cdxj import INDEX, Capture, surt, write_index


def capture(url: str, number: int = 0, **changes: object) -> Capture:
    made = Capture(
        url, 1794809700.999999 + number, "text/html; charset=utf-8", 200, "sha1:AB", "f.warc.gz",
        number, 7, False,
    )  # fmt: skip
    return made._replace(**changes)


def test_a_line_says_where_a_record_stands(tmp_path: Path) -> None:
    write_index(tmp_path, [capture("http://www.one.example/A/?c&b=1", 3)])
    assert (tmp_path / INDEX).read_text() == (
        "example,one)/a?b=1&c 20261116061503 "
        '{"url": "http://www.one.example/A/?c&b=1", "mime": "text/html", "status": "200", '
        '"digest": "sha1:AB", "length": "7", "offset": "3", "filename": "f.warc.gz"}\n'
    )


def test_a_revisit_is_marked_and_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    captures = [
        capture("http://a.example/", revisit=True),
        capture("http://b.example/", content_type=""),
    ]
    write_index(tmp_path, captures)
    revisit, bare = (tmp_path / INDEX).read_text().splitlines()
    assert '"mime": "warc/revisit"' in revisit
    assert '"mime"' not in bare


def test_the_index_is_sorted_however_little_of_it_is_held_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("langcrawl.web.cdxj._SORTED_AT_ONCE", 7)
    numbers = list(range(100))
    Random(1).shuffle(numbers)
    write_index(tmp_path, [capture("http://old.example/")])
    write_index(tmp_path, (capture(f"http://h{n % 9}.example/{n}", n) for n in numbers))
    lines = (tmp_path / INDEX).read_bytes().splitlines()
    assert lines == sorted(lines)
    assert len(lines) == 100
    assert [path.name for path in tmp_path.iterdir()] == [INDEX]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.com/", "com,example)/"),
        ("https://www2.example.co.th:8443/A//B/?", "th,co,example:8443)/a/b"),
        ("http://127.0.0.1/x", "1,0,0,127)/x"),
        ("http://[::1]/x", "::1)/x"),
        ("http://example.com/%E0%B8%81%41%2541?x=%26", "com,example)/%e0%b8%81aa?&x="),
    ],
)
def test_a_key_begins_with_the_end_of_the_host(url: str, key: str) -> None:
    assert surt(url) == key
