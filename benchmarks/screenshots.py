"""Pictures of the dashboard and of a report: a small web is crawled, watched and photographed.

They go to docs/images. With ``LANGCRAWL_LOOK=FOLDER`` whole pages go there instead, at every size
that people use, for somebody to look at.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode
from urllib.request import urlopen

from langcrawl.review import ReviewFile
from langcrawl.store.control import ask
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import make_small_web

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
WIDE, PHONE = (1160, 780), (400, 860)
Look = tuple[tuple[int, int], Literal["light", "dark"], str]
"""A size of the window, its colours, and what the name of the picture ends with."""
SIZES: tuple[Look, ...] = ((WIDE, "light", ""), (PHONE, "dark", "-phone"))
LOOK: tuple[Look, ...] = (
    ((1280, 900), "light", "-1280"),
    ((500, 900), "light", "-500"),
    ((400, 860), "dark", "-400"),
)


def run() -> None:
    """screenshots of the dashboard and a report for the documentation; needs chromium"""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        sys.exit("needs a browser; on Debian: apt-get install chromium fonts-noto-core")
    look = os.environ.get("LANGCRAWL_LOOK", "")
    images = Path(look) if look else IMAGES
    images.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, _watched(Path(name)) as (url, directory):
        pages = json.load(urlopen(f"{url}crawls/1.json"))["pages"]
        one = urlencode({"url": pages[0]["url"]})
        _answer_some(directory)
        views = {
            "dashboard": "crawls/1", "dashboard-all": "", "dashboard-hosts": "crawls/1/hosts",
            "dashboard-page": f"crawls/1/page?{one}", "dashboard-why": f"crawls/1/why?{one}",
            "dashboard-preview": "crawls/1/preview?exclude_hosts=www.river-news.com",
            "review": "crawls/1/review?reviewer=mali", "report": _report(directory),
        }  # fmt: skip
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            for size, scheme, suffix in LOOK if look else SIZES:
                context = browser.new_context(
                    viewport={"width": size[0], "height": size[1]}, color_scheme=scheme
                )
                page = context.new_page()
                page.set_default_timeout(120_000)
                for view, path in views.items():
                    page.goto(path if path.startswith("file:") else url + path)
                    page.wait_for_timeout(1_500)
                    page.screenshot(path=images / f"{view}{suffix}.png", full_page=bool(look))
                    print(f"{view}{suffix}.png", flush=True)
                context.close()
            browser.close()


@contextmanager
def _watched(folder: Path) -> Iterator[tuple[str, Path]]:
    """A crawl that has run for a while and still does, one that has ended, and a dashboard."""
    web = make_small_web(pages=3000, seed=11)
    thai, lao = folder / "thai", folder / "earlier"
    with Server(web.answer, keep=False) as server:
        seeds = [word for seed in web.seeds for word in ("--seeds", seed)]
        words = [*seeds, "--lang", "th",
                 "--connect-to", server.connect_to, "--connections", "12", "--workers", "1",
                 "-q"]  # fmt: skip
        program = [sys.executable, "-m", "langcrawl"]
        ended = [*program, "crawl", str(lao), *words, "--delay", "0.05", "--max-pages", "600"]
        subprocess.run(ended, check=True, stdout=subprocess.DEVNULL)
        running = [*program, "crawl", str(thai), *words, "--delay", "0.6", "--strategy", "soft",
                   "--sample", "5%"]  # fmt: skip
        with subprocess.Popen([*running, "--max-pages", "2800"]) as crawl:
            while (ask(thai, "/status") or {}).get("pages", 0) < 900:
                assert crawl.poll() is None
                time.sleep(0.2)
            line = [*program, "dashboard", str(thai), str(lao), "--port", "0", "--json"]
            with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as dashboard:
                assert dashboard.stdout is not None
                try:
                    yield json.loads(dashboard.stdout.readline())["url"], thai
                finally:
                    os.kill(dashboard.pid, signal.SIGINT)
                    crawl.terminate()


def _report(directory: Path) -> str:
    """A report of the crawl as it stands, as a URL."""
    page = directory.parent / "report.html"
    command = [sys.executable, "-m", "langcrawl", "report", str(directory), "--to", str(page)]
    more = ["--against", str(directory.parent / "earlier")]
    subprocess.run([*command, *more], check=True, stdout=subprocess.DEVNULL)
    return page.as_uri()


def _answer_some(directory: Path) -> None:
    """A review that is under way, by two reviewers."""
    kept = ReviewFile(directory)
    for at, page in enumerate(kept.sample(60, 4).pages[:40]):
        said = "yes" if page.relevant else "other-language"
        if at < 30:
            kept.add(page.page, "mixed" if at % 13 == 5 else said, "mali")
        kept.add(page.page, "no-text" if at % 17 == 9 else said, "somchai")
