"""Whole pages as the web of legacy encodings has them: judged rightly or unknown, never a crash."""

from __future__ import annotations

import pytest

from langcrawl.judge import JUDGES, make_anchor_scorer, make_judge
from langcrawl.languages import load_pack
from langcrawl.page.decode import decode
from langcrawl.page.extract import extract
from langcrawl.records import Content, Verdict
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES

BURMESE, ENGLISH, CHINESE = (" ".join(PHRASES[tag]) for tag in ("my", "en", "zh"))
MONGOLIAN = " ".join(PHRASES["mn"])
ICONS = "".join(chr(0xE244 + 7 * k) + " " for k in range(30)) + "\uf015\uf0e0\uf105"


def read(body: str, fonts: str = "") -> Content:
    style = f' style="font-family: {fonts}"' if fonts else ""
    page = f"<html><head><meta charset=utf-8></head><body{style}>{body}</body></html>"
    decoded = decode(page.encode("utf-8", "surrogatepass"), "text/html; charset=utf-8")
    return extract(decoded.text, "http://a/", decoded.charsets)


def judged(lang: str, body: str, fonts: str = "") -> Verdict:
    return make_judge(load_pack(lang)).judge(read(body, fonts))


@pytest.mark.parametrize(
    ("text", "declared", "encoding"),
    [
        (write_in(BURMESE, "zawgyi"), "Myanmar3, Padauk", "zawgyi"),
        (BURMESE, "Zawgyi-One", "unicode"),
        (BURMESE, "Win Innwa", "unicode"),
    ],
    ids=[
        "zawgyi declared as Unicode",
        "Unicode declared as Zawgyi",
        "Unicode declared as Win Innwa",
    ],
)
def test_the_text_decides_where_the_font_that_is_declared_is_wrong(
    text: str, declared: str, encoding: str
) -> None:
    verdict = judged("my", f"<p>{text}</p>", declared)
    assert (verdict.language, verdict.relevant, verdict.encoding) == ("my", True, encoding)


@pytest.mark.parametrize("first", ["zawgyi", "unicode", "win-innwa"])
@pytest.mark.parametrize("second", ["zawgyi", "unicode", "win-innwa"])
def test_a_page_of_two_burmese_encodings_is_burmese(first: str, second: str) -> None:
    body = "".join(
        f"<p>{write_in(text, (first, second)[at % 2])}</p>".replace("&", "&amp;")
        for at, text in enumerate(PHRASES["my"])
    )
    verdict = judged("my", body, "WinInnwa" if "win-innwa" in (first, second) else "")
    assert (verdict.language, verdict.relevant) == ("my", True)


def test_a_page_of_two_mongolian_encodings_is_mongolian_or_unknown() -> None:
    body = f"<p>{write_in(MONGOLIAN, 'menksoft')}</p><p>{MONGOLIAN}</p>"
    verdict = judged("mn-Mong", body)
    assert (verdict.language, verdict.script, verdict.relevant) == ("mn", "Mong", True)
    # Saiyin beside Menksoft: most codes make no word of Menksoft, as icons do not.
    body = f"<p>{write_in(MONGOLIAN, 'menksoft')}</p><p>{write_in(MONGOLIAN, 'saiyin')}</p>"
    assert judged("mn-Mong", body).language == "und"


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, ""], ids=["English", "Chinese", "nothing"])
@pytest.mark.parametrize("judge", ["code-interval", "mean-distance", "ngram"])
def test_icons_make_no_page_mongolian(text: str, judge: str) -> None:
    verdict = make_judge(load_pack("mn-Mong"), judge).judge(read(f"<p>{ICONS}{text}{ICONS}</p>"))
    assert not verdict.relevant
    assert verdict.language != "mn"


@pytest.mark.parametrize("encoding", ["menksoft", "unicode"])
def test_n_grams_know_mongolian_in_either_encoding(encoding: str) -> None:
    judge = make_judge(load_pack("mn-Mong"), "mean-distance:threshold=0.3")
    verdict = judge.judge(read(f"<p>{write_in(MONGOLIAN, encoding)}</p>"))
    assert (verdict.language, verdict.encoding, verdict.relevant) == ("mn", encoding, True)
    unknown = judge.judge(read(f"<p>{write_in(MONGOLIAN, 'saiyin')}</p>"))
    assert not unknown.relevant  # nobody can name its letters


def test_empty_and_image_only_anchors_are_links_without_a_score() -> None:
    scorer = make_anchor_scorer(load_pack("my"))
    body = (
        '<a href="/1"></a><a href="/2"> &nbsp;</a><a href="/3"><img src=x></a>'
        '<a href="/4"><img src=x alt=""></a><a href="/5">\uf015</a><a href="/6">သတင်း</a>'
    )
    links = read(body).links
    assert [link.url[-1] for link in links] == list("123456")
    scores = [scorer.score(link.anchor) for link in links]
    assert scores[:5] == [0.0] * 5
    assert scores[5] > 0.3


@pytest.mark.parametrize("lang", ["my", "mn-Mong"])
@pytest.mark.parametrize(
    "text",
    ["\ud800", "\ue000" * 5000, "\u1039" * 3000, "\u180e" * 3000, "\u1031\u1031", "\uffff\ufdd0",
     write_in(BURMESE, "zawgyi")[::-1], write_in(MONGOLIAN, "menksoft")[::-1]],
    ids=["surrogate", "private", "virama", "separator", "vowels", "noncharacters", "z", "m"],
)  # fmt: skip
def test_no_judge_fails_on_nonsense(lang: str, text: str) -> None:
    pack = load_pack(lang)
    for name in sorted(set(JUDGES) - {"fasttext", "learned", "topic"}):
        made = make_judge(pack, name)
        verdict = made.judge(Content(text=text))
        assert 0 <= verdict.score <= 1
    assert 0 <= make_anchor_scorer(pack).score(text) <= 1
