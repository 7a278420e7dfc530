"""Judging: what the default chain costs beside parsing a page, and beside langdetect."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.page import decode, extract
from langcrawl.records import Content
from langcrawl.virtualweb.phrases import PHRASES

RUNS = 3
"""The best of so many counts, for the peers too: other work on the machine only slows."""
CORPUS = Path(__file__).resolve().parents[2] / "shared" / "data" / "charsets"
CHAINS = ("th", "ja", "my", "en", "shn")


def run() -> None:
    """the default chain: at most as dear as parsing the page, ten times as fast as langdetect"""
    pages = _pages()
    parsing = _best(lambda: [_parse(html) for html in pages])
    contents = [extract(html, "http://host.test/", decode(b"").charsets) for html in pages]
    size = sum(map(len, pages)) / len(pages)
    print(f"{len(pages)} pages of {size:,.0f} characters")
    print(f"{'parsing with resiliparse':32} {1e6 * parsing / len(pages):8.0f} us a page")
    for lang in CHAINS:
        judge = make_judge(load_pack(lang))
        cost = _best(lambda judge=judge: [judge.judge(content) for content in contents])
        each = 1e6 * cost / len(pages)
        print(f"{f'chain of {lang}':32} {each:8.0f} us a page {cost / parsing:6.2f} x parsing")
    _texts()


def _texts() -> None:
    """Texts a second, a paragraph each, of our judges and of langdetect."""
    from langdetect import DetectorFactory, detect

    DetectorFactory.seed = 0
    unknown = ("my", "mn")  # to langdetect
    known = [lines for language, lines in PHRASES.items() if language not in unknown]
    texts = [" ".join(lines[at:] + lines[:at]) for lines in known for at in range(6)]
    peer = _best(lambda: [detect(text) for text in texts]) / len(texts)
    print(f"{'langdetect':32} {1 / peer:8,.0f} texts/s")
    for name in ("", "ngram", "charset+ngram", "mean-distance"):
        judge = make_judge(load_pack("th"), name)
        cost = _best(lambda judge=judge: [judge.judge(Content(text)) for text in texts])
        each = cost / len(texts)
        said = name or "chain of th"
        print(f"{said:32} {1 / each:8,.0f} texts/s {peer / each:8.1f} x langdetect")


def _pages() -> list[str]:
    """Real pages of the charset corpus where it is; else pages made of phrases, menu and links."""
    files = sorted(path for path in CORPUS.glob("*/*") if path.suffix in (".html", ".xml"))
    if files:
        bodies = [path.read_bytes() for path in files]
        return [decode(body).text for body in bodies if 2_000 < len(body) < 100_000]
    print("no corpus of pages: made-up ones are measured", file=sys.stderr)
    menu = "".join(f'<li class="item"><a href="/{at}">link {at}</a></li>' for at in range(40))
    return [
        f"<html><head><title>x</title></head><body><ul>{menu}</ul>"
        + "".join(f"<div><p>{line}</p></div>" for line in lines * 4)
        for lines in PHRASES.values()
    ]


def _parse(html: str) -> str:
    tree = HTMLTree.parse(html)
    return str(extract_plain_text(tree, alt_texts=True, links=False, preserve_formatting=True))


def _best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of some runs, after one that warms up."""
    work()
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)
