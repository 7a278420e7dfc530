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
