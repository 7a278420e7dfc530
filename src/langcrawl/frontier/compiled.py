"""The search of the URL index, compiled by Numba; loading Numba takes about a second.

Only large tables are worth that second, so this is imported when one is there.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

_Numbers = npt.NDArray[np.int64]


@numba.njit("void(i8[:, ::1], i8[::1], i8[::1])", cache=True, nogil=True)
def find(table: _Numbers, keys: _Numbers, places: _Numbers) -> None:
    """Put the places of keys into an array that holds something else for those that are absent."""
    buckets, slots = table.shape
    for at in range(len(keys)):
        bucket, slot = keys[at] & (buckets - 1), 0
        while table[bucket, slot] != 0:
            if table[bucket, slot] == keys[at]:
                places[at] = bucket * slots + slot
                break
            slot += 1
            if slot == slots:
                bucket, slot = (bucket + 1) & (buckets - 1), 0
