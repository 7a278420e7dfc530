"""The examples run, and what they are there to show comes out."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

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


def test_the_segment_crawler_is_compared_with_three_others_on_three_topics(tmp_path: Path) -> None:
    """Paper 004, on webs too small to show by how much: that every table and figure is there."""
    picture = tmp_path / "curves.svg"
    few = ("--pages", "1500", "--seeds", "1", "--times", "1", "--plot", str(picture))
    text = _put(tmp_path, "thai_related_2014", *few)
    drawn = picture.read_text("utf-8")
    assert [drawn.count(f"Figure {number}: Thai-") > 0 for number in (12, 13, 14)] == [True] * 3
    assert drawn.count('aria-roledescription="line mark"') >= 12  # four crawlers, three topics
    assert len(re.findall(r"^\| \w+ \|(?: [\d.]+ \|){5} [\d.]+ / [\d.]+ \|$", text, re.M)) == 3
    areas = re.findall(r"^\| area \|(.*)\|$", text, re.MULTILINE)
    assert len(areas) == 3
    for row in areas:
        cells = [float(cell) for cell in row.split("|")]
        assert len(cells) == 4
        assert all(0 < cell < 100 for cell in cells)
    assert len(re.findall(r"^\| \w+ \| (?:0\.25|0\.5|0\.75|1\.0) \|", text, re.MULTILINE)) == 12
    assert len(re.findall(r"\(Table [567]\) \| [\d.]+ / [\d.]+ \| [\d.]+ / ", text)) == 9
    assert len(re.findall(r"^\| .* \| (?:yes|no) \|$", text, re.MULTILINE)) == 7


def test_a_researcher_compares_strategies_in_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGES", "5000")
    shown = _run_notebook("compare_strategies", tmp_path)
    assert "5,000 pages" in shown
    with (tmp_path / "curves.csv").open(encoding="utf-8", newline="") as file:
        last = {row["strategy"]: row for row in csv.DictReader(file)}
    assert list(last) == ["bfs", "hard", "soft", "lswc:s=3,t=5", "patient"]
    assert float(last["bfs"]["coverage"]) == float(last["soft"]["coverage"]) == 1.0
    downloads = [int(last[name]["pages"]) for name in ("hard", "patient", "soft", "bfs")]
    assert downloads[0] < downloads[1] < downloads[2] == downloads[3]
    assert {path.name for path in tmp_path.glob("figure-*.pdf")} == {
        "figure-harvest.pdf", "figure-coverage.pdf", "figure-queue.pdf",
    }  # fmt: skip
    assert "Made by langcrawl" in (tmp_path / "report.html").read_text("utf-8")
    assert shown.count("image/svg+xml") == 2  # both charts are drawn
    assert "Best mean coverage: " in shown


def test_a_builder_of_corpora_takes_texts_in_a_notebook(
    tmp_path: Path, small_crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRAWL", str(small_crawl))
    shown = _run_notebook("look_at_a_crawl", tmp_path)
    lines = (tmp_path / "corpus.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) > 20
    assert {row["language"] for row in rows} == {"th"}
    assert len({row["text"] for row in rows}) == len(rows)
    assert re.search(r"\d+% of the relevant pages are outside .th", shown)
    assert f"{rows[0]['url']} th True" in shown


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_kept_without_their_outputs(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    assert cells[0].cell_type == "markdown"
    for cell in cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def _run_notebook(name: str, folder: Path) -> str:
    """Run a notebook in a folder, in a kernel of its own; all that it shows, as text."""
    notebook: Any = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute(env={**os.environ, "IPYTHONDIR": str(folder / ".ipython")})
    return "\n".join(
        output.get("text", "") + "\n".join([*output.get("data", {}), *_texts(output)])
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    )


def _texts(output: Any) -> list[str]:
    return [text for text in output.get("data", {}).values() if isinstance(text, str)]


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


def test_a_crawl_becomes_a_corpus_as_recorded() -> None:
    """The recipe of docs/corpus.md, on a web on loopback."""
    command = [sys.executable, EXAMPLES / "crawl_to_corpus.py"]
    done = subprocess.run(command, check=True, timeout=300, stdout=subprocess.PIPE, text=True)
    assert done.stdout == (EXAMPLES / "crawl_to_corpus.out").read_text("utf-8")
