"""The examples run, and what they are there to show comes out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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
    hours = re.findall(r"^\| (\d+) \| ([\d,]+) \| 0\.\d\d \| (\d\.\d\d) \|", text, re.MULTILINE)
    assert [int(hour) for hour, *_ in hours] == list(range(1, 13))
    pages = [int(count.replace(",", "")) for _, count, _ in hours]
    assert 0 < pages[0] < pages[-1]
    assert re.search(r"`correlation:wt=[\d.]+,ws=[\d.]+,wd=[\d.]+,min=[\d.]+`", text)
    for name in ("B_Crawl", "G_Crawl", "N_Crawl"):
        assert f"| {name} |" in text


def test_the_two_myanmar_runs_store_myanmar_pages_in_the_papers_encodings(tmp_path: Path) -> None:
    """Paper 003, Tables 6 to 8 and Figure 8."""
    text = _put(tmp_path, "myanmar_2014", "--pages", "5000", "--seeds", "1")
    stored = [
        int(count.replace(",", ""))
        for count in re.findall(r"run \| (?:7|10) \| [34]% \| [\d,]+ \| ([\d,]+) \|", text)
    ]
    assert 200 < stored[0] <= stored[1]
    precision = re.findall(r"run \| 99\.\d+ % \| ([\d.]+) %", text)
    assert len(precision) == 2
    assert all(float(share) > 95 for share in precision)
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
