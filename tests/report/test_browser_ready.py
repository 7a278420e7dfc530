"""The browser that tests of pages use is there, and shows the scripts of the world."""

from __future__ import annotations

from playwright.sync_api import Browser
from tests.browser import opened_page


def test_a_page_is_shown_without_scripts_of_strangers(browser: Browser) -> None:
    with opened_page(browser, width=400, dark=True) as page:
        page.set_content("<title>x</title><h1 dir=auto>ไทย မြန်မာ</h1>")
        assert page.inner_text("h1") == "ไทย မြန်မာ"
        assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
