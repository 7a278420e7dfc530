"""Real multilingual pages: Debian's manuals, served under 30 host names, crawled for Japanese.

``make debian-docs`` fetches the packages; nothing of them is kept in the project.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

from langcrawl.virtualweb.log import read_table
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

FOLDER = Path(".debian-docs")
HOSTS, BUDGET = 30, 2_000
_RELATIVE = re.compile(rb'(href|src)="([^":#?]+)')
SEEDS = ("/usr/share/doc/", "/usr/share/libreoffice/help/")
STRATEGIES = ("bfs", "soft", "lswc:s=3,t=5", "lswc:s=20,t=5")


def host_of_path(path: str) -> str:
    """The translation of a manual, or a part of the large one, lives on one host."""
    folder = "/".join(path.rsplit("/", 1)[0].split("/")[:7])
    return f"host{zlib.crc32(folder.encode()) % HOSTS}.example"


def is_japanese(path: Path) -> bool:
    """The label: the language folder of a file, or of the file that it is a link to."""
    return "ja" in path.resolve().parts


class Manuals:
    """Files below a root as a web; folders without an index are listed."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def answer(self, url: str) -> SmallPage:
        parts = urlsplit(url)
        path = unquote(parts.path)
        if parts.netloc != host_of_path(path):
            return SmallPage(301, location=f"http://{host_of_path(path)}{quote(path)}")
        file = self._root / path.lstrip("/")
        if file.is_dir():
            if not path.endswith("/"):
                return SmallPage(301, location=quote(path) + "/")
            if not (file / "index.html").exists():
                return SmallPage(body=_with_hosts(path, _listing(file).encode()))
            file /= "index.html"
        if ".." in file.parts or not file.is_file():
            return SmallPage(404)
        if file.suffix != ".html":
            return SmallPage(content_type="application/octet-stream", body=file.read_bytes())
        return SmallPage(body=_with_hosts(path, file.read_bytes()))

    def file_of(self, url: str) -> Path:
        file = self._root / unquote(urlsplit(url).path).lstrip("/")
        return file / "index.html" if file.is_dir() else file

    def japanese(self) -> int:
        return sum(is_japanese(file) and not file.is_symlink() for file in self._html())

    def _html(self) -> list[Path]:
        return [file for file in self._root.rglob("*.html") if file.is_file()]


def _with_hosts(path: str, page: bytes) -> bytes:
    """A page whose relative links name the host that has their target."""

    def absolute(found: re.Match[bytes]) -> bytes:
        target = urljoin(path, found[2].decode("utf-8", "replace"))
        return b'%s="http://%s%s' % (found[1], host_of_path(target).encode(), target.encode())

    return _RELATIVE.sub(absolute, page)


def _listing(folder: Path) -> str:
    names = sorted(f"{entry.name}{'/' if entry.is_dir() else ''}" for entry in folder.iterdir())
    links = "".join(f'<li><a href="{quote(name)}">{html.escape(name)}</a>' for name in names)
    return f"<!doctype html><title>Index</title><ul>{links}</ul>"


def run() -> None:
    """Debian's manuals crawled live for Japanese: harvest and coverage by the paths' labels."""
    if not FOLDER.is_dir():
        sys.exit("the packages are not there; 'make debian-docs' fetches them.")
    manuals = Manuals(FOLDER)
    total = manuals.japanese()
    print(f"{total:,} Japanese pages; budget {BUDGET:,} downloads, then without end")
    with Server(manuals.answer, keep=False) as server, tempfile.TemporaryDirectory() as name:
        for number, strategy in enumerate(STRATEGIES):
            directory = Path(name) / str(number)
            for budget in (BUDGET, 1_000_000):
                _crawl(directory, server, strategy, budget)
                print(_measure(directory, manuals, strategy, total), flush=True)


def _crawl(directory: Path, server: Server, strategy: str, budget: int) -> None:
    words = [
        "crawl", str(directory), "--lang", "ja", "--strategy", strategy, "--delay", "0",
        "--connections", "30", "--connect-to", server.connect_to, "--max-pages", str(budget),
        "--json",
    ]  # fmt: skip
    for seed in SEEDS:
        words += ["--seeds", f"http://{host_of_path(seed)}{seed}"]
    done = subprocess.run(
        [sys.executable, "-m", "langcrawl", *words], check=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    json.loads(done.stdout)


def _measure(directory: Path, manuals: Manuals, strategy: str, total: int) -> str:
    urls = read_table(directory, "urls", ["id", "url"])["url"].to_pylist()
    table = read_table(directory, "pages", ["id", "status", "content_type", "relevant"])
    found: set[Path] = set()
    true = right = judged = 0
    for row in table.to_pylist():
        if row["status"] != 200 or row["content_type"] != "text/html":
            continue
        file = manuals.file_of(urls[row["id"]])
        japanese = is_japanese(file) and file.is_file()
        judged += row["relevant"]
        true += japanese
        right += japanese and row["relevant"]
        if japanese:
            found.add(file.resolve())
    pages = table.num_rows
    return (
        f"{strategy:14} {pages:6,} downloads: harvest {true / pages:6.1%}, coverage "
        f"{len(found) / total:6.1%}; judge: precision {right / max(judged, 1):.1%}, "
        f"recall {right / max(true, 1):.1%}"
    )
