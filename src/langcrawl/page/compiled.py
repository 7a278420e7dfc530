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
_QUICKLY = {"cache": True, "nogil": True, "_nrt": False, "no_cfunc_wrapper": True}


def compiled(function: F) -> F:
    """For what is called from Python with arrays, and never handed on as a function."""
    made: F = numba.njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)  # type: ignore[call-overload]
    return made


def compiled_within(signature: Any = None) -> Callable[[F], F]:
    """For what is called by compiled code only: no way in from Python.

    That way takes longer to compile than what it leads to. Without a signature a function with
    numbers is compiled for several kinds, which a first user waits for too.
    """
    options = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    return _when_called(signature, cache=True, nogil=True, **options)


def quickly(signature: Any) -> Callable[[F], F]:
    """For what is called from Python and allocates nothing: arrays are not counted, which costs as
    much as the work (docs/decisions/0004)."""
    made: Callable[[F], F] = numba.njit(signature, **_QUICKLY)  # type: ignore[call-overload]
    return made


def quickly_within(signature: Any) -> Callable[[F], F]:
    """The same for what is called by compiled code only."""
    return _when_called(signature, **_QUICKLY, no_cpython_wrapper=True)


def _when_called(signature: Any, **options: Any) -> Callable[[F], F]:
    """Compile a function when compiled code that calls it is compiled.

    Such code is mostly loaded as it was compiled before, and has in it what it calls. To load all
    of that once more by itself takes ten times as long.
    """

    def made(function: F) -> F:
        within: Any = numba.njit(**options)(function)
        if signature is not None and within is not function:  # it is in plain Python
            call_template = within.get_call_template

            def compile_first(args: Any, kws: Any) -> Any:
                within.get_call_template = call_template
                within.compile(signature)
                within.disable_compile()
                return call_template(args, kws)

            within.get_call_template = compile_first
        return within  # type: ignore[no-any-return]

    return made


def inlined(function: F) -> F:
    """For the smallest of functions: a part of what calls them."""
    made: Any = numba.njit(cache=True, nogil=True, inline="always")(function)
    return made  # type: ignore[no-any-return]
