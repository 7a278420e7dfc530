"""What a command loads: time that every user waits for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from langcrawl.config import CrawlConfig

_RUN = """
import sys
from langcrawl.__main__ import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def loaded(folder: Path, *words: str | Path) -> set[str]:
    """The modules that a command loads, by a new interpreter."""
    line = [sys.executable, "-c", _RUN, *map(str, words)]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_pandas_is_installed_and_no_command_loads_it(small_crawl: Path, tmp_path: Path) -> None:
    names = loaded(tmp_path, "analyze", small_crawl, "--json")
    assert "pyarrow.lib" in names
    assert "pandas.core.frame" not in names


def test_who_asks_arrow_for_pandas_still_gets_it() -> None:
    code = (
        "import langcrawl.startup, pyarrow as pa, sys\n"
        "langcrawl.startup.do_not_load_pandas()\n"
        "table = pa.table({'a': [1, 2]})\n"
        "assert 'pandas' not in sys.modules\n"
        "frame = table.to_pandas()\n"
        "assert pa.array(frame['a']).to_pylist() == [1, 2]\n"
        "assert pa.Table.from_pandas(frame).num_rows == 2\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_command_loads_no_other_command(small_crawl: Path, tmp_path: Path) -> None:
    url = CrawlConfig.load(small_crawl).seeds[0]
    names = loaded(tmp_path, "why", small_crawl, url)
    commands = {name for name in names if re.fullmatch(r"langcrawl\.cli\.\w+_commands?", name)}
    assert commands == {"langcrawl.cli.why_command"}
    assert not {"langcodes", "langcrawl.web", "langcrawl.strategy"} & names
