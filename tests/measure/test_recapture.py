"""Sites of two sources, and how many neither has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.errors import BadInput
from langcrawl.measure.recapture import recapture, recapture_of, relevant_hosts


def sites(first: int, end: int) -> set[str]:
    return {f"h{number}.example" for number in range(first, end)}


def test_chapmans_formula_on_a_textbook_case() -> None:
    found = recapture(sites(0, 24), sites(9, 39))  # 24 and 30 with 15 in common
    assert (found.here, found.there, found.both) == (24, 30, 15)
    assert found.sites == pytest.approx(25 * 31 / 16 - 1)
    assert found.sites_low < found.sites < found.sites_high
    assert found.low < found.reach == 0.5 < found.high


def test_nothing_in_common_and_everything() -> None:
    none, all_of_it = recapture(sites(0, 5), sites(5, 9)), recapture(sites(0, 9), sites(0, 9))
    assert (none.reach, none.low) == (0.0, pytest.approx(0.0))
    assert none.sites_low >= 9
    assert all_of_it.sites == 9
    assert all_of_it.high == pytest.approx(1.0)


def test_a_crawl_against_a_list_and_against_a_crawl(
    small_crawl: Path, tmp_path: Path, cli: Cli
) -> None:
    own = relevant_hosts(small_crawl)
    assert "www.talad-nam.th" in own
    assert "www.river-news.com" not in own  # nothing of it is in Thai
    (tmp_path / "hosts.txt").write_text("\n".join(sorted(own)[:4]) + "\nelse.where.th\n")
    found = recapture_of(small_crawl, tmp_path / "hosts.txt")
    assert (found.both, found.there) == (4, 5)
    assert recapture_of(small_crawl, small_crawl).reach == 1.0
    done = cli("report", small_crawl, "--against", "hosts.txt", "--json")
    assert json.loads(done.stdout)["recapture"]["both"] == 4
    with pytest.raises(BadInput):
        recapture_of(small_crawl, tmp_path / "none.txt")
