"""Hard pages in legacy encodings, crawled live: judged rightly or unknown, never a crash."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import pytest

from langcrawl.config import CrawlConfig
from langcrawl.log.segments import read_table
from langcrawl.run import run_crawl
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES, WORDS
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

ICONS = "".join(chr(0xE244 + 7 * k) + " " for k in range(30)) + "\uf015\uf0e0\uf105"
ENGLISH, CHINESE = (" ".join(PHRASES[tag]) for tag in ("en", "zh"))
BROKEN = "\u1039\u1031\u180e\ue000\ufdd0" * 300


def lines(tag: str, *encodings: str) -> str:
    """Sentences, a paragraph each, in these encodings by turns."""
    by_turns = (
        write_in(text, encodings[at % len(encodings)]) for at, text in enumerate(PHRASES[tag])
    )
    return "".join(f"<p>{html.escape(text)}</p>" for text in by_turns)


BURMESE = {
    "zawgyi-as-unicode": ("Myanmar3, Padauk", lines("my", "zawgyi")),
    "unicode-as-zawgyi": ("Zawgyi-One", lines("my", "unicode")),
    "unicode-as-innwa": ("Win Innwa", lines("my", "unicode")),
    "zawgyi+unicode": ("Zawgyi-One", lines("my", "zawgyi", "unicode")),
    "zawgyi+innwa": ("Win Innwa", lines("my", "zawgyi", "win-innwa")),
    "innwa+unicode": ("Win Innwa", lines("my", "win-innwa", "unicode")),
    "icons": ("FontAwesome", f"<p>{ICONS}{ENGLISH}{ICONS}</p>"),
    "only-icons": ("FontAwesome", f"<p>{ICONS}</p>"),
    "broken": ("Zawgyi-One", f"<p>{BROKEN}</p>"),
    "nothing": ("Zawgyi-One", ""),
}
MONGOLIAN = {
    "menksoft+unicode": ("Menksoft2012", lines("mn", "menksoft", "unicode")),
    "menksoft+saiyin": ("Menksoft2012", lines("mn", "menksoft", "saiyin")),
    "saiyin-as-menksoft": ("Menksoft2012", lines("mn", "saiyin")),
    "icons": ("FontAwesome", f"<p>{ICONS}{CHINESE}{ICONS}</p>"),
    "icons-as-menksoft": ("Menksoft2012", f"<p>{ICONS}{CHINESE}</p>"),
    "broken": ("Menksoft2012", f"<p>{BROKEN}</p>"),
    "nothing": ("Saiyin", ""),
}


class Crawled:
    """A crawl for a language over pages with a font and a body each, all linked from one page."""

    def __init__(self, directory: Path, lang: str, pages: dict[str, tuple[str, str]]) -> None:
        links = "".join(f'<a href="/{name}"></a>' for name in pages)

        def answer(url: str) -> SmallPage:
            name = url.rsplit("/", 1)[1]
            font, body = ("Arial", links) if name == "" else pages.get(name, ("", ""))
            page = f'<meta charset=utf-8><body style="font-family: {font}">{body}</body>'
            known = name in pages or name == ""
            return SmallPage(body=page.encode("utf-8", "replace")) if known else SmallPage(404)

        with Server(answer) as server:
            config = CrawlConfig(
                lang=lang, seeds=("http://a.mm/",), strategy="correlation", normalize="unicode",
                delay=0.0, workers=1, connect_to=(server.connect_to,),
            )  # fmt: skip
            self.result = run_crawl(directory, config)
        urls = [url.rsplit("/", 1)[1] for url in read_table(directory, "urls")["url"].to_pylist()]
        rows = read_table(directory, "pages").to_pylist()
        self.pages: dict[str, dict[str, Any]] = {urls[row["id"]]: row for row in rows}
        self.anchors = {
            (urls[row["src"]], row["anchor"]): row["anchor_score"]
            for row in read_table(directory, "links").to_pylist()
        }


def test_burmese_pages_that_mix_or_misname_their_encodings_are_burmese(tmp_path: Path) -> None:
    crawled = Crawled(tmp_path / "c", "my", BURMESE)
    assert {row["status"] for row in crawled.pages.values()} == {200}
    relevant = {name: row["encoding"] for name, row in crawled.pages.items() if row["relevant"]}
    assert set(relevant) == {name for name in BURMESE if "+" in name or "-as-" in name}
    assert relevant["zawgyi-as-unicode"] == "zawgyi"
    assert relevant["unicode-as-zawgyi"] == relevant["unicode-as-innwa"] == "unicode"
    for name in ("icons", "only-icons", "broken", "nothing", ""):
        assert crawled.pages[name]["language"] != "my"


def test_mongolian_pages_that_mix_encodings_are_mongolian_and_icons_are_not(tmp_path: Path) -> None:
    crawled = Crawled(tmp_path / "c", "mn-Mong", MONGOLIAN)
    assert {row["status"] for row in crawled.pages.values()} == {200}
    relevant = {name: row["encoding"] for name, row in crawled.pages.items() if row["relevant"]}
    assert relevant == {"menksoft+unicode": "menksoft", "saiyin-as-menksoft": "saiyin"}
    # Saiyin beside Menksoft: most codes make no word of Menksoft, as icons do not.
    assert crawled.pages["menksoft+saiyin"]["language"] == "und"


@pytest.mark.parametrize(
    ("lang", "tag", "encoding", "font"),
    [("my", "my", "win-innwa", "Win Innwa"), ("my", "my", "zawgyi", "Zawgyi-One"),
     ("mn-Mong", "mn", "menksoft", "Menksoft2012")],
)  # fmt: skip
def test_anchors_are_scored_in_the_font_of_their_page(
    tmp_path: Path, lang: str, tag: str, encoding: str, font: str
) -> None:
    own = [write_in(word, encoding) for word in WORDS[tag]]
    silent = ['<a href="/1"></a>', '<a href="/2"> &nbsp;</a>', '<a href="/3"><img src=x></a>',
              '<a href="/4"><img src=x alt=""></a>', '<a href="/5">\uf015</a>']  # fmt: skip
    written = [f'<a href="/w">{html.escape(word)}</a>' for word in [*own, *WORDS["en"]]]
    body = lines(tag, encoding) + "".join(silent + written)
    crawled = Crawled(tmp_path / "c", lang, {"menu": (font, body)})
    assert crawled.pages["menu"]["relevant"]
    scores = {anchor: score for (page, anchor), score in crawled.anchors.items() if page == "menu"}
    assert set(scores) == {"", "\uf015", *own, *WORDS["en"]}
    assert scores[""] == scores["\uf015"] == 0.0
    assert max(scores[word] for word in WORDS["en"]) < 0.1 < min(scores[word] for word in own)
