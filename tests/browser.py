"""A real browser for tests of pages: Debian's chromium, steered by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

MISSING = "needs a browser; on Debian: apt-get install chromium fonts-noto-core fonts-noto-cjk"


@contextmanager
def started_browser() -> Iterator[Browser]:
    """A browser without a window; the test is skipped where none is installed."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened_page(browser: Browser, width: int = 1280, dark: bool = False) -> Iterator[Page]:
    """A page of its own; what a script on it complains of, or opens, fails the test."""
    scheme = "dark" if dark else "light"
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(120_000)  # milliseconds, on a machine that has no time for it
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
    try:
        yield page
    finally:
        context.close()
    assert not troubles
