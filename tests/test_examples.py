"""The examples run, and what they are there to show comes out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_the_calibrated_shares_hold_within_two_points_at_a_million_pages(tmp_path: Path) -> None:
    """Papers 000 and 002; the crawls on it are there, and say of themselves what they found."""
    target = tmp_path / "papers.md"
    target.write_text(
        "before\n<!-- begin thai_2005 1000000 -->\nold\n<!-- end thai_2005 1000000 -->\n"
    )
    command = [sys.executable, EXAMPLES / "thai_2005.py", "--seeds", "1", "--into", target]
    subprocess.run(command, check=True, timeout=600)
    text = target.read_text("utf-8")
    assert "old" not in text
    assert text.startswith("before")
    worst = re.search(r"further from the paper's than ([\d.]+) points", text)
    assert worst
    assert 0 < float(worst.group(1)) <= 2.0
    coverage = {
        name: float(share)
        for name, share in re.findall(r"\| `(\S+)` \|.*?\|.*?\| ([\d.]+) % \|", text)
    }
    assert coverage["soft"] == coverage["bfs"] == coverage["perfect"] == 100.0
    assert coverage["hard"] < coverage["limited:n=1"] <= coverage["limited:n=2"]
    assert coverage["lswc:s=1,t=1"] < coverage["lswc:s=2,t=1"] < coverage["lswc:s=3,t=5"]


def test_the_three_mongolian_experiments_are_measured_by_the_hour(tmp_path: Path) -> None:
    """Paper 001, on a web too small to show who is best: that every part is there."""
    text = _put(tmp_path, "mongolian_2014", "--pages", "20000", "--seeds", "1", "--tries", "4")
    hours = re.findall(r"^\| (\d+) \|((?: [\d,]+ / [\d,]+ \|){9})$", text, re.MULTILINE)
    assert [int(hour) for hour, _ in hours] == list(range(1, 13))
    ours = [re.findall(r"/ ([\d,]+)", row) for _, row in hours]
    sums, pages, right = ([int(row[at].replace(",", "")) for row in ours] for at in (0, 3, 6))
    for measure in (sums, pages, right):  # of B_Crawl
        assert 0 <= measure[0] < measure[-1]
        assert measure == sorted(measure)
    assert all(few <= many for few, many in zip(right, pages, strict=True))
    assert len(re.findall(r"^\| (?:\w|').* \| (?:yes|no) \|$", text, re.MULTILINE)) == 7
    shares = dict(re.findall(r"^\| (links [\w ]+) \| ([\d.]+) % \|$", text, re.MULTILINE))
    assert float(shares["links of other pages that lead to Mongolian ones"]) < 5
    assert float(shares["links of Mongolian pages that lead to Mongolian ones"]) > 50
    assert re.search(r"`correlation:wt=[\d.]+,ws=[\d.]+,wd=[\d.]+,min=[\d.]+`", text)
    for name in ("B_Crawl", "G_Crawl", "N_Crawl"):
        row = re.search(rf"^\| {name} \|(.*)\|$", text, re.MULTILINE)
        assert row
        cells = [float(cell) for cell in row.group(1).split("|")]
        assert cells[3] == pytest.approx(cells[4] + cells[5], abs=1)  # IS = AIS + FIS


def test_the_two_myanmar_runs_store_myanmar_pages_in_the_papers_encodings(tmp_path: Path) -> None:
    """Paper 003, Tables 6 to 8 and Figure 8."""
    text = _put(tmp_path, "myanmar_2014", "--pages", "5000", "--seeds", "1")
    stored = [
        int(count.replace(",", ""))
        for count in re.findall(r"run \| (?:7|10) \| [34]% \| [\d,]+ \| ([\d,]+) \|", text)
    ]
    assert 200 < stored[0] <= stored[1]
    shares = r"run \| (\S+) \| 9\d\.\d+ % \| ([\d.]+) % \| ([\d.]+) % \| ([\d.]+) %"
    judged = [(name, *map(float, numbers)) for name, *numbers in re.findall(shares, text)]
    assert [name for name, *_ in judged] == ["syllables", "n-grams"] * 2
    assert all(sample > 95 and precision > 95 for _, sample, precision, _ in judged)
    assert all(mine[3] > other[3] for mine, other in zip(judged[::2], judged[1::2], strict=True))
    com = re.search(r"\| \.com \| 83\.08 % \| ([\d.]+) % \| 82\.3 % \| ([\d.]+) %", text)
    assert com
    assert abs(float(com.group(1)) - 83) < 8
    assert abs(float(com.group(2)) - 82) < 8


def _put(folder: Path, name: str, *words: str) -> str:
    """What an example puts between its marks."""
    target = folder / "papers.md"
    target.write_text(f"before\n<!-- begin {name} -->\nprevious\n<!-- end {name} -->\nafter\n")
    command = [sys.executable, EXAMPLES / f"{name}.py", *words, "--into", target]
    subprocess.run(command, check=True, timeout=600)
    text = target.read_text("utf-8")
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "previous" not in text
    return text
