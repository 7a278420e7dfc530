"""What a command loads: time that every user waits for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import langcrawl
from langcrawl.config import CrawlConfig

SOURCE = Path(langcrawl.__file__).parent.parent
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


def test_compiled_code_is_loaded_without_linear_algebra(small_crawl: Path, tmp_path: Path) -> None:
    names = loaded(tmp_path, "simulate", small_crawl, "--strategy", "bfs", "--json")
    assert "numba.np.arraymath" in names
    assert "scipy.linalg" not in names


def test_who_asks_for_linear_algebra_still_gets_it() -> None:
    code = (
        "import langcrawl.startup, sys\n"
        "langcrawl.startup.do_not_load_linear_algebra()\n"
        "import langcrawl.simulate.kernel\n"
        "assert 'scipy.linalg' not in sys.modules\n"
        "import scipy.linalg\n"
        "assert round(scipy.linalg.det([[2.0, 1.0], [1.0, 2.0]])) == 3\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_command_does_not_look_for_garbage_at_its_end() -> None:
    code = (
        "import atexit, gc, sys\n"
        "atexit.register(lambda: print(gc.get_freeze_count()))  # the last of all\n"
        "from langcrawl.__main__ import main\n"
        "sys.argv = ['langcrawl', '--version']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-1]) > 10_000


def test_a_command_loads_no_other_command(small_crawl: Path, tmp_path: Path) -> None:
    url = CrawlConfig.load(small_crawl).seeds[0]
    names = loaded(tmp_path, "why", small_crawl, url)
    commands = {name for name in names if re.fullmatch(r"langcrawl\.cli\.\w+_commands?", name)}
    assert commands == {"langcrawl.cli.why_command"}
    assert not {"langcodes", "langcrawl.web", "langcrawl.strategy"} & names


def test_nothing_is_loaded_before_a_ctrl_c_would_end_in_order() -> None:
    """Before `main` runs, Ctrl-C shows Python's own words: so there must be next to nothing."""
    code = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); before = set(sys.modules)\n"
        "import langcrawl.__main__\n"
        "print(*(set(sys.modules) - before))"
    )
    bare = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(bare, capture_output=True, text=True, check=True)
    new = set(done.stdout.split())
    assert {name for name in new if name.startswith("langcrawl")} == {
        "langcrawl",
        "langcrawl.__main__",
    }
    assert not {"typing", "dataclasses", "re"} & new


def test_ctrl_c_while_a_class_is_made_ends_in_order(tmp_path: Path) -> None:
    """Python tells of it as another error, of which Ctrl-C is the cause."""
    (tmp_path / "typer.py").write_text(
        "class Name:\n    def __set_name__(self, owner, name): raise KeyboardInterrupt\n"
        "class Owner:\n    name = Name()\n"
    )
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from langcrawl.__main__ import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "")
