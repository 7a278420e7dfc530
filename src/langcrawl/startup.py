"""What a process does before it works, so that it begins sooner."""

from __future__ import annotations

import sys


def do_not_load_pandas() -> None:
    """Keep Arrow from loading pandas, where that is installed, at the first list it is given.

    That takes half a second, and no command needs it. Arrow still loads it for who asks for a
    DataFrame.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_NoPandas)


def do_not_load_linear_algebra() -> None:
    """Keep Numba from loading that of SciPy with the first code that it compiles or loads.

    That takes a sixth of a second, and no compiled code here multiplies matrices.
    """
    sys.meta_path.insert(0, _NoLinearAlgebra)


class _NoLinearAlgebra:
    """A finder of modules that says to Numba, and to nobody else, that there is none."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "scipy.linalg":
            asks = sys.modules.get("numba.np.arraymath")
            if asks is not None and not hasattr(asks, "_HAVE_BLAS"):  # it is asking right now
                raise ImportError(name)


class _NoPandas:
    """A finder of modules that says that there is no pandas."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ImportError
