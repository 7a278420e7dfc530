"""Numbers as people write them."""

from __future__ import annotations

import pytest

from langcrawl.units import read_bytes, read_count, read_seconds


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("500", 500),
        ("50k", 50_000),
        ("1.5M", 1_500_000),
        ("10,000", 10_000),
        ("none", None),
        (7, 7),
    ],
)
def test_counts(text: object, number: int | None) -> None:
    assert read_count(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [("10MB", 10_000_000), ("2 GiB", 2 << 30), ("3k", 3_000), ("1tb", 10**12), ("None", None)],
)
def test_bytes(text: str, number: int | None) -> None:
    assert read_bytes(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [("90", 90), ("2h", 7200), ("30min", 1800), ("1.5d", 129_600), (0.25, 0.25), ("none", None)],
)
def test_seconds(text: object, number: float | None) -> None:
    assert read_seconds(text) == number


@pytest.mark.parametrize("text", ["", "k", "-1", "ten", "1e3", "5 pages", True, "0x10", "1/2"])
def test_what_is_no_number_is_told(text: object) -> None:
    for read in (read_count, read_bytes, read_seconds):
        with pytest.raises(ValueError, match="is not a"):
            read(text)
