"""From crawl to corpus: a small web on loopback, crawled for Thai, exported, counted.

What a builder of a corpus does, step by step, with the commands that do it. The web is generated
from a handful of sentences, so its pages resemble each other far more than those of real sites.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb

from langcrawl.config import CrawlConfig
from langcrawl.run import run_crawl
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import make_small_web


def crawl(directory: Path) -> None:
    """A live crawl, of 300 pages; a real one is `langcrawl crawl DIR --lang th --seeds FILE`."""
    web = make_small_web(pages=300, seed=7)
    with Server(web.answer) as server:
        settings: dict[str, Any] = {"delay": 0.0, "connections": 1, "strategy": "bfs"}
        config = CrawlConfig(
            lang="th", seeds=web.seeds, connect_to=(server.connect_to,), **settings
        )
        run_crawl(directory, config)


def langcrawl(*words: str | Path) -> Any:
    """Run a command, and read the JSON that it prints."""
    command = [sys.executable, "-m", "langcrawl", *map(str, words), "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        thai = Path(folder) / "thai"
        crawl(thai)
        loose = ("--min-chars", "1", "--max-repeated-lines", "none", "--no-exact", "--no-near")
        report = langcrawl("export", thai, "--to", "parquet", *loose)
        print(f"{report['documents']} documents of {report['pages']} pages")
        print("left out:", ", ".join(f"{k} {v}" for k, v in report["dropped"].items()))
        print("files:", ", ".join(str(Path(name).relative_to(thai)) for name in report["files"]))
        print("first lines of the data card:")
        print(
            "".join(Path(report["card"]).read_text("utf-8").splitlines(keepends=True)[:5]), end=""
        )
        found = langcrawl("stats", thai / "corpus", "--top", "3")
        print(f"counted in {found['unit']}")
        print(
            "hosts:", ", ".join(f"{each['host']} {each['documents']}" for each in found["by_host"])
        )
        print("charsets:", ", ".join(each["charset"] for each in found["by_charset"]))
        query = f"SELECT count(DISTINCT host) FROM '{thai}/corpus/data/*.parquet'"
        print("hosts, asked of DuckDB:", duckdb.sql(query).fetchall()[0][0])


if __name__ == "__main__":
    main()
