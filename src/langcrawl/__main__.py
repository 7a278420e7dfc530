"""The command, as ``python -m langcrawl`` and as the installed script start it."""

import sys


def main() -> None:
    """Start the command line; Ctrl-C while it is still loading ends it quietly."""
    try:
        from langcrawl.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
