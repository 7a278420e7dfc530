"""What finds and what fills the URL index, compiled by Numba, which takes a second to load.

Only large tables are worth that second, so this is imported when one is there.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

_Numbers = npt.NDArray[np.int64]
_TOGETHER = 64
"""Keys whose places are looked at together."""


@numba.njit("void(i8[:, ::1], i8[:, ::1], i8[::1], i8[::1])", cache=True, nogil=True)
def find(table: _Numbers, values: _Numbers, keys: _Numbers, found: _Numbers) -> None:
    """Put the values of keys into an array that holds something else for those that are absent."""
    buckets, slots = table.shape
    for at in range(len(keys)):
        bucket, slot = keys[at] & (buckets - 1), 0
        while table[bucket, slot] != 0:
            if table[bucket, slot] == keys[at]:
                found[at] = values[bucket, slot]
                break
            slot += 1
            if slot == slots:
                bucket, slot = (bucket + 1) & (buckets - 1), 0


@numba.njit("i8(i8[:, ::1], i8[:, ::1], i8[::1], i8[::1])", cache=True, nogil=True)
def put(table: _Numbers, values: _Numbers, keys: _Numbers, given: _Numbers) -> int:
    """Keep keys with their values, those that are there already too; how many are new.

    A place in a large table is far away. So those of some keys are looked at before they are
    needed: the processor asks memory for all of them at once, and not for one after the other.
    """
    buckets, slots = table.shape
    new = 0
    touched = np.zeros(1, np.int64)
    for first in range(0, len(keys), _TOGETHER):
        some = keys[first : first + _TOGETHER]
        for key in some:
            bucket = key & (buckets - 1)
            for slot in (0, slots // 2):
                touched[0] ^= table[bucket, slot] ^ values[bucket, slot]
        for at, key in enumerate(some):
            bucket, slot = key & (buckets - 1), 0
            while table[bucket, slot] != 0 and table[bucket, slot] != key:
                slot += 1
                if slot == slots:
                    bucket, slot = (bucket + 1) & (buckets - 1), 0
            if table[bucket, slot] == 0:
                table[bucket, slot] = key
                new += 1
            values[bucket, slot] = given[first + at]
    return new
