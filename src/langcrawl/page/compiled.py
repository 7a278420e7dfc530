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


def compiled(function: F) -> F:
    """For what is called from Python with arrays, and never handed on as a function."""
    made: F = numba.njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)  # type: ignore[call-overload]
    return made


def compiled_within(signature: Any = None) -> Callable[[F], F]:
    """For what is called by compiled code only: no way in from Python.

    That way takes longer to compile than what it leads to. Without a signature a function with
    numbers is compiled for several kinds, which a first user waits for too.
    """
    within: Callable[[F], F] = numba.njit(  # type: ignore[call-overload]
        signature, cache=True, nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True
    )
    return within


def quickly(signature: Any) -> Callable[[F], F]:
    """For what is called from Python and allocates nothing: arrays are not counted, which costs as
    much as the work (docs/decisions/0004)."""
    return _quickly(signature)


def quickly_within(signature: Any) -> Callable[[F], F]:
    """The same for what is called by compiled code only."""
    return _quickly(signature, no_cpython_wrapper=True)


def _quickly(signature: Any, **options: Any) -> Callable[[F], F]:
    made: Callable[[F], F] = numba.njit(  # type: ignore[call-overload]
        signature, cache=True, nogil=True, _nrt=False, no_cfunc_wrapper=True, **options
    )
    return made


def inlined(function: F) -> F:
    """For the smallest of functions: a part of what calls them."""
    made: Any = numba.njit(cache=True, nogil=True, inline="always")(function)
    return made  # type: ignore[no-any-return]
