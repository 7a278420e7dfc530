"""Content codings: right, wrong, cut short, several, and bombs."""

from __future__ import annotations

import gzip
import time
import tracemalloc
import zlib
from collections.abc import Callable
from functools import partial

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard

from langcrawl.archive.unpack import ACCEPT_ENCODING, unpack

TEXT = "ภาษาไทย ".encode() * 2000
LIMIT = 1_000_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": partial(brotli.compress, quality=2),
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("coding", PACKERS)
def test_every_coding_that_we_say_we_take_is_unpacked(coding: str) -> None:
    assert coding.removeprefix("x-") in ACCEPT_ENCODING
    assert unpack(PACKERS[coding](TEXT), coding.upper(), LIMIT) == (TEXT, ())


def test_deflate_without_its_header_is_unpacked() -> None:
    assert unpack(raw_deflate(TEXT), "deflate", LIMIT) == (TEXT, ())


def test_several_codings_are_taken_off_in_their_order() -> None:
    packed = zstandard.compress(brotli.compress(gzip.compress(TEXT)))
    assert unpack(packed, "gzip, br,zstd", LIMIT) == (TEXT, ())
    many = TEXT
    for _ in range(5):
        many = gzip.compress(many)
    assert unpack(many, "gzip," * 5, LIMIT) == (many, ("encoding",))


@pytest.mark.parametrize("word", ["", "identity", "none", "UTF-8", " , "])
def test_words_that_mean_nothing_change_nothing(word: str) -> None:
    assert unpack(TEXT, word, LIMIT) == (TEXT, ())


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "compress", "rot13"])
def test_what_is_not_coded_as_it_says_is_left_as_it_came(coding: str) -> None:
    assert unpack(b"<p>" + TEXT, coding, LIMIT) == (b"<p>" + TEXT, ("encoding",))
    assert unpack(b"", coding, LIMIT) == (b"", ())


@pytest.mark.parametrize("coding", PACKERS)
def test_what_breaks_off_is_kept_as_far_as_it_came(coding: str) -> None:
    data = b"".join(b"%d " % (n * n * 7919) for n in range(100_000))
    packed = PACKERS[coding](data)
    body, notes = unpack(packed[: len(packed) // 2], coding, LIMIT * 10)
    assert data.startswith(body)
    assert len(body) > len(data) // 4
    if coding != "zstd":  # whose reader does not tell that more was to come
        assert notes == ("encoding",)


def test_a_wrong_checksum_does_not_lose_a_long_page() -> None:
    data = b"".join(b"%d " % (n * n * 7919) for n in range(100_000))
    body, notes = unpack(gzip.compress(data)[:-8] + bytes(8), "gzip", LIMIT * 10)
    assert len(body) > 0.99 * len(data)
    assert notes == ("encoding",)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_wrong_checksum_does_not_lose_a_small_page(coding: str) -> None:
    packed = bytearray(PACKERS[coding](b"<p>a small page"))
    packed[-5 if coding == "gzip" else -1] ^= 0xFF
    assert unpack(bytes(packed), coding, LIMIT) == (b"<p>a small page", ("encoding",))


def test_a_gzip_header_with_all_its_parts_is_passed_over_where_the_checksum_is_wrong() -> None:
    plain = gzip.compress(b"<p>a small page", mtime=0)
    parts = b"\x05\x00extra" + b"name\0" + b"comment\0" + b"\x12\x34"
    full = plain[:3] + bytes([2 | 4 | 8 | 16]) + plain[4:10] + parts + plain[10:-8] + bytes(8)
    assert unpack(full, "gzip", LIMIT) == (b"<p>a small page", ("encoding",))


def test_gzip_inside_gzip_without_end_is_left_packed() -> None:
    body = TEXT
    for _ in range(200):
        body = gzip.compress(body)
    tracemalloc.start()
    unpacked = unpack(body, "gzip", LIMIT)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert unpacked.body.startswith(b"\x1f\x8b")
    assert unpacked.notes == ("encoding",)
    assert peak < 1_000_000


def test_gzip_in_several_members_and_with_something_behind_it() -> None:
    two = gzip.compress(TEXT) + gzip.compress(b"more")
    assert unpack(two, "gzip", LIMIT) == (TEXT + b"more", ())
    assert unpack(two + b"\0\0\0", "gzip", LIMIT) == (TEXT + b"more", ())


def test_what_was_packed_twice_by_mistake_is_unpacked_twice() -> None:
    assert unpack(gzip.compress(gzip.compress(TEXT)), "gzip", LIMIT) == (TEXT, ("encoding",))


@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT, LIMIT + 1])
@pytest.mark.parametrize("coding", PACKERS)
def test_the_limit_cuts_what_is_longer_and_nothing_else(coding: str, size: int) -> None:
    body, notes = unpack(PACKERS[coding](bytes(size)), coding, LIMIT)
    assert len(body) == min(size, LIMIT)
    assert notes == (("truncated",) if size > LIMIT else ())


@pytest.mark.parametrize("coding", PACKERS)
def test_a_bomb_costs_memory_and_time_for_what_is_kept(coding: str) -> None:
    packed = PACKERS[coding](bytes(100_000_000))
    tracemalloc.start()
    begun = time.process_time()
    body, notes = unpack(packed, coding, LIMIT)
    spent = time.process_time() - begun
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(body), notes) == (LIMIT, ("truncated",))
    assert peak < 4 * LIMIT
    assert spent < 1.0


def test_members_without_end_are_given_up() -> None:
    begun = time.process_time()
    assert unpack(gzip.compress(b"") * 400_000, "gzip", LIMIT).notes == ("encoding",)
    assert time.process_time() - begun < 1.0
