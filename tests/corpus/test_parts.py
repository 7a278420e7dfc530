"""Parts of an export on the disk: from them it is resumed, and nothing of another is taken."""

from __future__ import annotations

import errno
import os
from collections import Counter
from pathlib import Path

import pytest

from corpus.parts import Doc, parts_of, table_of
from langcrawl.corpus import parts as parts_module
from langcrawl.corpus.parts import Parts, Standing, read_part, room_expected
from langcrawl.corpus.schema import PART
from langcrawl.errors import BadInput, DiskFull

ONE, TWO = Doc("http://a/1", ("first text",)), Doc("http://a/2", ("second", "ภาษาไทย"))
PLAN = {"target": "th", "of": ["ไทย"]}


def test_what_was_taken_in_is_there_for_the_next_run(tmp_path: Path) -> None:
    first = Parts(tmp_path / "work")
    with first.opened(PLAN) as resumed:
        assert not resumed
        first.add(table_of([ONE]), Counter(short=2), 1)
        first.add(table_of([]), Counter(short=1, near=1), 0)
        first.flush()
        first.add(table_of([TWO]), Counter(), 3)
        first.flush()
    again = Parts(tmp_path / "work")
    with again.opened(PLAN) as resumed:
        assert resumed
        assert again.standing == Standing(3, 2, Counter(short=3, near=1), 4)
        assert again.columns(["url", "text"]).to_pylist() == [
            {"url": ONE.url, "text": ONE.text}, {"url": TWO.url, "text": TWO.text},
        ]  # fmt: skip


def test_what_was_not_flushed_is_read_again(tmp_path: Path) -> None:
    first = Parts(tmp_path / "work")
    with first.opened(PLAN):
        first.add(table_of([ONE]), Counter(), 0)
        first.flush()
        first.add(table_of([TWO]), Counter(short=9), 0)
    again = Parts(tmp_path / "work")
    with again.opened(PLAN) as resumed:
        assert resumed
        assert again.standing == Standing(1, 1, Counter(), 0)


def test_another_plan_begins_anew_and_leaves_nothing_of_the_old_one(tmp_path: Path) -> None:
    parts_of(tmp_path / "work", [ONE])
    (tmp_path / "work" / "made").mkdir()
    (tmp_path / "work" / "made" / "c.parquet").write_text("half written")
    other = Parts(tmp_path / "work")
    with other.opened(PLAN) as resumed:
        assert not resumed
        assert other.standing == Standing()
        assert sorted(path.name for path in other.folder.iterdir()) == ["lock", "plan.json"]


def test_drafts_of_a_run_that_was_killed_are_removed(tmp_path: Path) -> None:
    work = tmp_path / "work"
    first = Parts(work)
    with first.opened(PLAN):
        first.add(table_of([ONE]), Counter(), 0)
        first.flush()
    for name in ("000001.tmp", "signatures"):
        (work / name).write_bytes(b"half")
    (work / "made").mkdir()
    with Parts(work).opened(PLAN) as resumed:
        assert resumed
        assert sorted(path.name for path in work.iterdir()) == ["000000.arrow", "lock", "plan.json"]


def test_a_plan_that_cannot_be_read_is_another_plan(tmp_path: Path) -> None:
    parts_of(tmp_path / "work", [ONE])
    (tmp_path / "work" / "plan.json").write_bytes(b"\xff\xfe")
    with Parts(tmp_path / "work").opened({}) as resumed:
        assert not resumed


def test_two_exports_at_a_time_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with (
        Parts(tmp_path / "work").opened(PLAN),
        pytest.raises(BadInput, match="another export is at work"),
        Parts(tmp_path / "work").opened(PLAN),
    ):
        pass
    with Parts(tmp_path / "work").opened(PLAN):
        """The lock ends with whoever held it."""


@pytest.mark.parametrize(("limit", "value"), [("_READY", 1), ("_BUNDLES", 1)])
def test_a_part_is_written_when_it_is_large_or_has_waited_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    parts = Parts(tmp_path / "work")
    with parts.opened(PLAN):
        parts.add(table_of([ONE]), Counter(), 0)
        assert parts.files == []
        monkeypatch.setattr(parts_module, limit, value)
        parts.add(table_of([TWO]), Counter(), 0)
        assert len(parts.files) == 1
        parts.flush()
        assert len(parts.files) == 1  # nothing has come since
        assert read_part(parts.files[0]).num_rows == 2


def test_some_columns_of_a_part_come_by_name(tmp_path: Path) -> None:
    parts = parts_of(tmp_path / "work", [ONE, TWO])
    assert read_part(parts.files[0], ["text", "url"]).column_names == ["url", "text"]
    assert read_part(parts.files[0]).column_names == PART.names


def test_without_a_part_there_are_columns_without_rows(tmp_path: Path) -> None:
    found = Parts(tmp_path).columns(["url", "score", "paragraph_sizes"])
    assert found.num_rows == 0
    assert found.schema.types == [PART.field(name).type for name in found.column_names]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_said_in_a_sentence(number: int) -> None:
    with pytest.raises(DiskFull, match="make room and run the same command again"), room_expected():
        raise OSError(number, os.strerror(number))


def test_other_troubles_with_files_are_not_called_a_full_disk() -> None:
    with pytest.raises(PermissionError), room_expected():
        raise PermissionError(errno.EACCES, "no")


def test_the_folder_goes_when_all_is_done(tmp_path: Path) -> None:
    parts = parts_of(tmp_path / "work", [ONE])
    parts.remove()
    assert not parts.folder.exists()
    parts.remove()
