"""Start the command line: ``python -m langcrawl`` and the installed script."""

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
