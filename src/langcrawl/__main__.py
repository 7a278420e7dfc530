"""Start the command line: ``python -m langcrawl`` and the installed script.

Nothing is loaded before `main` runs, so that a Ctrl-C from then on ends in order.
"""

import atexit
import gc
import os
import sys


def main() -> None:
    """Start the command line; what stops it while it is still loading ends in one sentence."""
    # Work is spread over processes. Threads of a library within each only wait for each other:
    # on a busy machine they made 'train topic' fifteen times as slow.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would look for them for long
    gc.set_threshold(50_000)  # modules are no garbage: looking for some doubles their loading
    atexit.register(_leave_garbage)
    try:
        from langcrawl.cli import main as run
        from langcrawl.startup import do_not_load_linear_algebra, do_not_load_pandas

        do_not_load_linear_algebra()
        do_not_load_pandas()
        run()
    except KeyboardInterrupt:
        sys.exit(130)
    except (ImportError, MemoryError, RuntimeError) as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # it came while a class was made
            sys.exit(130)
        if not _no_room(error):
            raise
        from langcrawl.errors import NO_MEMORY

        print(f"langcrawl: {NO_MEMORY}", file=sys.stderr)
        sys.exit(1)


def _leave_garbage() -> None:
    """At its end a process need not look for garbage, which takes 0.2 s where Numba is loaded.

    DuckDB complains, line by line, of what is left over.
    """
    if "_duckdb" not in sys.modules:
        gc.freeze()


def _no_room(error: Exception) -> bool:
    """Whether there was no memory; loaders and threads say so in errors of other kinds."""
    signs = ("failed to map segment", "cannot allocate memory", "can't start new thread")
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in signs)


if __name__ == "__main__":
    main()
