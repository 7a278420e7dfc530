"""The crawl log: written live, read back, and robust against what happens to files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from langcrawl.errors import BrokenLog, NoSuchLog
from langcrawl.log.graph import load_graph
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import read_urls, segments, write_segment
from webs import P, tables_of, write_web


def test_the_files_have_the_documented_columns(small_crawl: Path) -> None:
    for name, schema in TABLES.items():
        for path in (small_crawl / "log" / name).iterdir():
            assert pq.read_schema(path).equals(schema, check_metadata=False)


def test_a_half_written_segment_does_not_count(tmp_path: Path, small_crawl: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(small_crawl, copy)
    last = Path(segments(copy)[-1]).stem
    following = f"{int(last) + 1:06}"
    shutil.copy(copy / f"log/urls/{last}.parquet", copy / f"log/urls/{following}.parquet")
    (copy / f"log/pages/{following}.tmp").write_bytes(b"half")
    assert load_graph(copy).pages == load_graph(small_crawl).pages


def test_a_file_cut_short_is_named_and_left_alone(tmp_path: Path) -> None:
    write_web(tmp_path, {"s/": P("th", ("s/1",)), "s/1": P()}, ["s/"])
    path = tmp_path / "log/links/000000.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BrokenLog, match=r"links/000000\.parquet' is cut short or damaged"):
        load_graph(tmp_path)
    assert path.read_bytes() == whole[: len(whole) // 2]
    path.unlink()
    with pytest.raises(BrokenLog, match="is missing"):
        load_graph(tmp_path)


def test_what_is_no_log_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoSuchLog, match="there is no directory"):
        load_graph(tmp_path / "absent")
    with pytest.raises(NoSuchLog, match="is not a crawl directory"):
        load_graph(tmp_path)
    (tmp_path / "crawl.toml").write_text("lang = 'th'\n")
    with pytest.raises(NoSuchLog, match="has no log yet"):
        load_graph(tmp_path)
    (tmp_path / "crawl.toml").write_text("lang = \n")
    with pytest.raises(BrokenLog, match="not valid TOML"):
        load_graph(tmp_path)
    (tmp_path / "crawl.toml").write_text("lang = 'th'\nspeed = 3\n")
    with pytest.raises(BrokenLog, match="speed"):
        load_graph(tmp_path)


def test_another_language_can_be_asked_of_a_log(tmp_path: Path) -> None:
    web = {"s/": P("th", ("s/1", "s/2")), "s/1": P("ja"), "s/2": P("ja", status=404)}
    write_web(tmp_path, web, ["s/"])
    assert load_graph(tmp_path).relevant_total == 1
    graph = load_graph(tmp_path, "ja")
    assert graph.relevant_total == 1
    assert graph.relevant.tolist() == [0, 1, 0]
    assert graph.score.tolist() == [0.0, 1.0, 0.0]
    assert graph.arrays.status.tolist() == [200, 200, 404]


def test_urls_known_from_links_only_were_never_fetched(tmp_path: Path) -> None:
    write_web(tmp_path, {"s/": P("th", ("x/",))}, ["s/"])
    graph = load_graph(tmp_path)
    assert (graph.pages, graph.nodes, graph.links) == (1, 2, 1)
    assert graph.find(["http://x/", "http://s/", "http://never/"]) == [1, 0, -1]


def test_a_log_that_contradicts_itself_is_named(tmp_path: Path) -> None:
    write_web(tmp_path, {"s/": P("th", ("s/1",)), "s/1": P()}, ["s/"])
    path = tmp_path / "log/urls/000000.parquet"
    pq.write_table(pq.read_table(path).slice(0, 1), path)
    with pytest.raises(BrokenLog, match="name a URL id that is not in its urls"):
        load_graph(tmp_path)


def test_a_gap_in_the_log_is_named_wherever_it_is_read(tmp_path: Path) -> None:
    tables = tables_of({"s/": P("th", ("s/1",)), "s/1": P()})
    for number in range(3):
        urls = tables["urls"].set_column(
            0, "id", pa.array([2 * number, 2 * number + 1], pa.int64())
        )
        write_segment(tmp_path, number, tables | {"urls": urls})
    for table in TABLES:
        (tmp_path / "log" / table / "000001.parquet").unlink()
    with pytest.raises(BrokenLog, match="a segment of the log is missing"):
        read_urls(tmp_path, ["url"])


def test_a_file_of_another_table_is_named(tmp_path: Path) -> None:
    write_web(tmp_path, {"s/": P("th")}, ["s/"])
    shutil.copy(tmp_path / "log/urls/000000.parquet", tmp_path / "log/pages/000000.parquet")
    with pytest.raises(BrokenLog, match=r"pages/000000\.parquet'"):
        load_graph(tmp_path)


def test_arrays_are_made_once_and_anew_when_the_log_grows(tmp_path: Path) -> None:
    write_web(tmp_path, {"s/": P("th", ("s/1",)), "s/1": P()}, ["s/"])
    assert load_graph(tmp_path).pages == 2
    made = (tmp_path / "log/graph/dst.npy").stat().st_mtime_ns
    assert load_graph(tmp_path).pages == 2
    assert (tmp_path / "log/graph/dst.npy").stat().st_mtime_ns == made
    grown = tables_of({"new/": P("th")})
    for name in ("urls", "pages"):
        grown[name] = grown[name].set_column(0, "id", pa.array([2], pa.int64()))
    write_segment(tmp_path, 1, grown)
    assert load_graph(tmp_path).pages == 3
