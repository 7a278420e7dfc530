"""How functions that only compiled code calls are compiled: for one kind of arguments, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba import types

F = TypeVar("F", bound=Callable[..., Any])
READ = types.Array(types.uint8, 1, "C", readonly=True)
INTS, BYTES, HASHES = types.int32[::1], types.uint8[::1], types.uint64[::1]
I8, U8, BOOL = types.int64, types.uint64, types.boolean
TAG_FOUND = types.UniTuple(I8, 2)  # type: ignore[no-untyped-call]
VALUE = types.Tuple((U8, I8, I8, I8))  # type: ignore[no-untyped-call]
ATTRIBUTES = types.Tuple((I8, I8, BOOL))  # type: ignore[no-untyped-call]
_INSIDE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled_within(signature: Any) -> Callable[[F], F]:
    """For what is called by compiled code only: one kind of arguments, and no way in from Python.

    Without a signature each is compiled for several kinds, which a first user waits for.
    """
    compiled: Callable[[F], F] = numba.njit(signature, cache=True, nogil=True, **_INSIDE)  # type: ignore[call-overload]
    return compiled
