"""Main text: how much of it is found, and how fast, beside trafilatura and resiliparse."""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree
from trafilatura import extract

from langcrawl.page import main_text
from langcrawl.page.build_main_text import Labelled, read_pages, site_number, train
from langcrawl.page.classifier import content_of
from langcrawl.page.forest import Model

PAGES = Path(__file__).resolve().parents[2] / "shared" / "data" / "maintext" / "pages.jsonl.gz"
FOLDS = 5
_WORD = re.compile(r"\w+")
_TAG = re.compile(r"(<(?:script|style)\b.*?</(?:script|style)|<!--.*?-->|<[^>]*>)", re.S | re.I)
_THAI = {letter: chr(0x0E01 + (letter * 7) % 46) for letter in range(ord("a"), ord("z") + 1)}
_THAI |= {letter - 32: thai for letter, thai in _THAI.items()}
Reader = Callable[[str], str]


def run() -> None:
    """word F1 on pages of sites not learned from, and pages a second, beside two peers"""
    pages = list(read_pages(PAGES))
    models = {fold: train(_of(pages, fold, False)) for fold in range(FOLDS)}
    size = sum(len(page.html) for page in pages) / len(pages)
    print(f"{len(pages):,} pages of {size / 1000:.0f} KB, {FOLDS} folds by site")
    _print("langcrawl", pages, lambda page: _ours(page, models, page.html))
    _print("trafilatura", pages, lambda page: _trafilatura(page.html.decode()))
    _print("resiliparse", pages, lambda page: _resiliparse(page.html.decode()))
    _thai(pages, models)
    _speed([page.html for page in pages])


def _of(pages: Iterable[Labelled], fold: int, tested: bool) -> list[Labelled]:
    return [page for page in pages if (site_number(page.url) % FOLDS == fold) == tested]


def _ours(page: Labelled, models: dict[int, Model], html: bytes) -> str:
    return content_of(html, models[site_number(page.url) % FOLDS])


def _trafilatura(html: str) -> str:
    return extract(html, include_comments=True) or ""


def _resiliparse(html: str) -> str:
    return str(extract_plain_text(HTMLTree.parse(html), main_content=True))


def _print(name: str, pages: list[Labelled], read: Callable[[Labelled], str]) -> None:
    """The mean over pages, and over those of each kind."""
    found: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        score = f1(words(read(page)), words(page.text))
        found[""].append(score)
        found[page.kind].append(score)
    means = ", ".join(f"{kind} {np.mean(found[kind]):.3f}" for kind in sorted(found) if kind)
    print(f"{name:12} word F1 {np.mean(found['']):.4f}   {means}", flush=True)


def _thai(pages: list[Labelled], models: dict[int, Model]) -> None:
    """What is lost where letters are Thai and nothing is parted by spaces."""
    plain, thai = [], []
    for page in pages:
        html = in_thai(page.html.decode("utf-8", "replace")).encode()
        plain.append(f1(grams(_ours(page, models, page.html)), grams(page.text)))
        thai.append(f1(grams(_ours(page, models, html)), grams(page.text.translate(_THAI))))
    print(
        f"character 5-grams, F1 {np.mean(plain):.4f} as they are, {np.mean(thai):.4f} with Thai "
        f"letters and no spaces: {np.mean(plain) - np.mean(thai):+.4f} lost"
    )


def _speed(pages: list[bytes]) -> None:
    """Seconds of processor time a page, all in this process, one after the other."""
    texts = [page.decode("utf-8", "replace") for page in pages]
    main_text(pages[0])
    rates = {
        "langcrawl, with title, date, author and licence": _rate(main_text, pages),
        "resiliparse": _rate(_resiliparse, texts),
        "trafilatura": _rate(_trafilatura, texts[::10]),
    }
    for name, rate in rates.items():
        print(f"{rate:8.0f} pages/s  {name}")


def _rate(read: Callable[..., object], pages: list[bytes] | list[str]) -> float:
    began = time.process_time()
    for page in pages:
        read(page)
    return len(pages) / (time.process_time() - began)


def in_thai(html: str) -> str:
    """A page whose letters are Thai and whose text has no spaces; its markup stays."""
    parts = _TAG.split(html)
    parts[::2] = ["".join(re.sub(r"&\w+;", "", part).translate(_THAI).split())
                  for part in parts[::2]]  # fmt: skip
    return "".join(parts)


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def grams(text: str, size: int = 5) -> Counter[str]:
    whole = "".join(text.lower().split())
    return Counter(whole[at : at + size] for at in range(len(whole) - size + 1))


def f1(found: Counter[str], wanted: Counter[str]) -> float:
    common = (found & wanted).total()
    return 2 * common / (found.total() + wanted.total()) if common else float(found == wanted)
