"""Pages that are small on the wire and would cost minutes or gigabytes to read.

Each is a body as a server would send it, packed with gzip. Tests serve them to a real crawl, and
the fuzzer begins with them.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable


def open_fonts(fonts: int = 400, paragraphs: int = 60_000) -> bytes:
    """Elements that every paragraph repeats, because nobody closes them."""
    opened = b"".join(b"<font color=%d>" % n for n in range(fonts))
    return b"<p>" + opened + b"</p>" + b"<p>x" * paragraphs


def long_base(links: int = 71_000) -> bytes:
    """Links that are relative to an address of a megabyte."""
    base = b"http://costly.example/" + b"b" * 1_000_000
    return b'<base href="%s">' % base + b"<a href=x>y</a>" * links


def deep_links(links: int = 562_000) -> bytes:
    """More relative links than any page has; served below a very long path."""
    return b"".join(b"<a href=%x></a>" % n for n in range(links))


def lists_of_sections(times: int = 40_000) -> bytes:
    return b"<li><section>" * times


def titles_that_look_like_ends(times: int = 50_000) -> bytes:
    return b'<div title="</div>">' * times


def links_around_objects(links: int = 5_000, text: int = 200_000) -> bytes:
    """Links within links, by way of OBJECT elements, around one long text."""
    return b"".join(b"<a href=/%d><object>" % n for n in range(links)) + b"word " * (text // 5)


def many_attributes(attributes: int = 100_000) -> bytes:
    return b"<p " + b" ".join(b"a%d=1" % n for n in range(attributes)) + b">text</p>"


def vowels(times: int = 40_000) -> bytes:
    """A vowel sign that belongs in front of its consonant, again and again."""
    words = "မြန်မာစာသည် မြန်မာနိုင်ငံ၏ ရုံးသုံးဘာသာစကား ဖြစ်သည်။ ပြည်သူတို့ ပြောဆိုကြသည်။ " * 40
    return f"<html lang=my><meta charset=utf-8><p>{words}<p>{'ေ' * times}".encode()


PAGES: dict[str, Callable[[], bytes]] = {
    "open-fonts": open_fonts,
    "long-base": long_base,
    "deep-links": deep_links,
    "lists": lists_of_sections,
    "titles": titles_that_look_like_ends,
    "objects": links_around_objects,
    "attributes": many_attributes,
    "vowels": vowels,
}


def packed(body: bytes, times: int = 1) -> bytes:
    """A body in gzip, or in gzip inside gzip so many times."""
    for _ in range(times):
        body = gzip.compress(body, 9)
    return body
