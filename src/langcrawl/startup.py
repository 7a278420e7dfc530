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


class _NoPandas:
    """A finder of modules that says that there is no pandas."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ImportError
