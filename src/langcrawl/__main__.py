"""Start the command line: ``python -m langcrawl`` and the installed script."""

import os
import sys

from langcrawl.errors import NO_MEMORY


def main() -> None:
    """Start the command line; what stops it while it is still loading ends in one sentence."""
    # Work is spread over processes. Threads of a library within each only wait for each other:
    # on a busy machine they made 'train topic' fifteen times as slow.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from langcrawl.cli import main as run

        _do_not_load_pandas()
        run()
    except KeyboardInterrupt:
        sys.exit(130)
    except (ImportError, MemoryError, RuntimeError) as error:
        if not _no_room(error):
            raise
        print(f"langcrawl: {NO_MEMORY}", file=sys.stderr)
        sys.exit(1)


def _do_not_load_pandas() -> None:
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


def _no_room(error: Exception) -> bool:
    """Whether there was no memory; loaders and threads say so in errors of other kinds."""
    signs = ("failed to map segment", "cannot allocate memory", "can't start new thread")
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in signs)


if __name__ == "__main__":
    main()
