"""Judging: what the default chain costs beside parsing a page, and beside langdetect."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.page import decode, extract
from langcrawl.ports import Judge
from langcrawl.records import Charsets, Content, Verdict
from langcrawl.run import few_collections
from langcrawl.script.zawgyi_glyphs import from_unicode
from langcrawl.virtualweb.phrases import PHRASES

RUNS = 5
"""Rounds over all pages: the median of each page counts. Of texts, the best of so many."""
CORPUS = Path(__file__).resolve().parents[2] / "shared" / "data" / "charsets"
CHAINS = ("th", "ja", "my", "en", "shn", "mnw", "km", "lo", "bo", "ug", "am", "mn-Cyrl", "mn-Mong")
UNKNOWN_TO_LANGDETECT = ("my", "mn")


def run() -> None:
    """the default chain: at most as dear as parsing the page, ten times as fast as langdetect"""
    with few_collections():
        _all_chains()
    _texts()


def _all_chains() -> None:
    _chains("real pages", _pages(), CHAINS)
    burmese = PHRASES["my"] * 12
    old = [from_unicode(line).text for line in burmese]
    _chains(
        "Burmese pages, made up, in Unicode and in Zawgyi", _made_up([burmese, old]), ("my", "shn")
    )


def _chains(what: str, pages: list[str], chains: Sequence[str]) -> None:
    """Seconds of chains and of parsing, in turn, as in a crawl: a page is parsed, read, judged.

    Each is done once for a page before the next page comes, so that none finds the page, or its
    own tables, in the processor's caches where a crawl would not.
    """
    size = sum(map(len, pages)) / len(pages)
    print(f"{len(pages)} {what}, of {size:,.0f} characters")
    for lang in chains:
        judge = make_judge(load_pack(lang)).judge
        rounds = [[_once(html, judge) for html in pages] for _ in range(1 + RUNS)]
        times = np.median(np.array(rounds[1:]), axis=0).mean(axis=0)
        parsing, judging = 1e6 * times
        print(
            f"{f'chain of {lang}':32} {judging:8.0f} us a page {judging / parsing:6.2f} x parsing "
            f"with resiliparse ({parsing:.0f} us)",
            flush=True,
        )


def _once(html: str, judge: Callable[[Content], Verdict]) -> tuple[float, float]:
    """Seconds to parse a page, and to judge it once it has been read."""
    began = time.perf_counter()
    _parse(html)
    parsed = time.perf_counter() - began
    content = extract(html, "http://host.test/", Charsets())
    began = time.perf_counter()
    judge(content)
    return parsed, time.perf_counter() - began


def _judge_all(judge: Judge, texts: Sequence[str]) -> None:
    for text in texts:
        judge.judge(Content(text))


def _texts() -> None:
    """Texts a second, a paragraph each, of our judges and of langdetect."""
    from langdetect import DetectorFactory, detect

    DetectorFactory.seed = 0
    known = [lines for tag, lines in PHRASES.items() if tag not in UNKNOWN_TO_LANGDETECT]
    texts = [" ".join(lines[at:] + lines[:at]) for lines in known for at in range(6)]
    peer = _best(lambda: [detect(text) for text in texts]) / len(texts)
    print(f"{'langdetect':32} {1 / peer:8,.0f} texts/s")
    for name in ("", "ngram", "charset+ngram", "mean-distance"):
        judge = make_judge(load_pack("th"), name)
        cost = _best(partial(_judge_all, judge, texts))
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
    return _made_up([lines * 4 for lines in PHRASES.values()])


def _made_up(texts: Iterable[Sequence[str]]) -> list[str]:
    """Pages of paragraphs below a menu."""
    menu = "".join(f'<li class="item"><a href="/{at}">link {at}</a></li>' for at in range(40))
    return [
        f"<html><head><title>x</title></head><body><ul>{menu}</ul>"
        + "".join(f"<div><p>{line}</p></div>" for line in lines)
        for lines in texts
    ]


def _parse(html: str) -> str:
    tree = HTMLTree.parse(html)
    return str(extract_plain_text(tree, alt_texts=True, links=False, preserve_formatting=True))


def _best(work: Callable[[], object]) -> float:
    """Seconds of processor time of the fastest of some runs, after one that warms up."""
    work()
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)
