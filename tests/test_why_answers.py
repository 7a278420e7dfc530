"""``why`` in sentences: each state of a URL in a crawl that was written down in advance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from langcrawl.config import CrawlConfig
from langcrawl.records import Later, Page, Refused, Sitemap, Verdict, Visit
from langcrawl.why import Explanation, explain
from scripted import ENGLISH, THAI, kept, page

SEED = "http://a.th/"
ANSWERS: dict[str, Any] = {
    SEED: (["http://a.th/1", "http://a.th/en", "http://a.th/closed", "http://b.th/404"], THAI),
    "http://a.th/1": (["http://a.th/cut", "http://b.th/gone"], THAI),
    "http://a.th/en": (["http://c.th/x", "http://a.th/no/1", "http://d.th:22/"], ENGLISH),
    "http://a.th/cut": ([], Verdict("und")),
    "http://a.th/twice": ([], Verdict("ja")),
}
NOTES = {"http://a.th/cut": ("truncated",), "http://a.th/1": ("revisit", "of-no-word")}
ANSWERS["http://a.th/cut"][0].append("http://a.th/twice")


def says(visit: Visit) -> Any:
    if visit.url == "http://a.th/closed":
        return Refused("robots")
    if visit.url == "http://b.th/404":
        return Page(visit.url, 404)
    if visit.url == "http://b.th/gone":
        return Later(Page(visit.url, 0, error="timeout"))
    links, verdict = ANSWERS.get(visit.url, ([], ENGLISH))
    return page(visit, links, notes=NOTES.get(visit.url, ())), verdict


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("why") / "c"
    return kept(directory, says, seeds=(SEED,), strategy="hard", exclude=("/no/",))


def limited(tmp_path: Path, **limits: Any) -> Path:
    return kept(tmp_path / "c", says, seeds=(SEED,), **limits)


@pytest.mark.parametrize(
    ("url", "state", "sentence"),
    [
        (SEED, "downloaded",
         "it was downloaded, is in Thai, and is relevant for a crawl of Thai"),
        ("http://a.th/en", "downloaded",
         "it was downloaded, is in English, and is not relevant for a crawl of Thai"),
        ("http://a.th/cut", "downloaded",
         "it was downloaded, is in an unknown language, and is not relevant for a crawl of Thai; "
         "it was cut at the limit of bytes a page"),
        ("http://a.th/1", "downloaded",
         "it was downloaded, is in Thai, and is relevant for a crawl of Thai; "
         "the same bytes were archived before: a duplicate, kept as a reference"),
        ("http://a.th/closed", "refused", "the robots.txt of a.th closes it to this crawler"),
        ("http://b.th/404", "downloaded", "the server answered with status 404"),
        ("http://b.th/gone", "failed", "nobody answered: timeout"),
        ("http://c.th/x", "left-out",
         "it was left out: the strategy hard discards links of http://a.th/en, which is irrelevant "
         "(en), 1 irrelevant pages in a row before this URL (irrelevant-parent)"),
        ("http://a.th/new", "unknown",
         "no page that was downloaded links to it; 7 other URLs of its host are known, 4 of them "
         "downloaded"),
        ("http://z.th/", "unknown",
         "no page that was downloaded links to it, nor to any page of z.th"),
        ("http://z.th/no/", "unknown",
         "no page that was downloaded links to it, nor to any page of z.th; it would be left out: "
         "it matches the exclude pattern /no/ (excluded)"),
        ("https://a.th/en/", "unknown",
         "it was never seen, but http://a.th/en was: ask for that one"),
        ("http://www.a.th/1", "unknown",
         "it was never seen, but http://a.th/1 was: ask for that one"),
    ],
)  # fmt: skip
def test_each_state_is_told_in_one_sentence(
    crawled: Path, url: str, state: str, sentence: str
) -> None:
    found = explain(crawled, url)
    assert (found.state, found.says) == (state, sentence)
    assert found.as_json()["says"] == sentence


def test_every_rule_that_leaves_a_url_out_is_named_in_the_order_asked(crawled: Path) -> None:
    found = explain(crawled, "http://a.th/no/1")
    assert [rule.word for rule in found.rules] == ["irrelevant-parent", "excluded"]
    assert found.linked_from == ("http://a.th/en",)
    assert [step.url for step in found.path] == [SEED, "http://a.th/en"]
    found = explain(crawled, "http://d.th:22/")
    assert found.rules[-1].word == "port"
    assert found.rules[-1].says == "its port is none of the web's"


def test_the_path_has_every_page_from_the_seed_with_its_place(crawled: Path) -> None:
    path = explain(crawled, "http://b.th/gone").path
    assert [(step.url, step.depth) for step in path] == [
        (SEED, 0), ("http://a.th/1", 1), ("http://b.th/gone", 2),
    ]  # fmt: skip
    assert [step.found_by for step in path] == ["seed", "link", "link"]
    assert [step.relevant for step in path] == [True, True, False]
    assert path[-1].error == "timeout"


def test_a_host_is_told_with_what_it_gave(crawled: Path) -> None:
    host = explain(crawled, SEED).host
    assert host is not None
    assert (host.host, host.downloads, host.relevant, host.waiting) == ("a.th", 4, 2, 0)


@pytest.mark.parametrize(
    ("limits", "url", "word", "words"),
    [
        ({"max_depth": 1}, "http://a.th/cut", "max-depth",
         "it lies 2 links from a seed, and max-depth is 1"),
        ({"max_pages_per_host": 2}, "http://a.th/cut", "max-pages-per-host",
         "its host has had 3 downloads of 2"),
        ({"include": ("//a\\.th",)}, "http://c.th/x", "not-included",
         "it matches none of 1 include patterns"),
    ],
)  # fmt: skip
def test_limits_and_rules_of_the_user_are_named(
    tmp_path: Path, limits: dict[str, Any], url: str, word: str, words: str
) -> None:
    found = explain(limited(tmp_path, **limits), url)
    assert found.state == "left-out"
    assert (found.rules[0].word, found.rules[0].says) == (word, words)
    assert found.says == f"it was left out: {words} ({word})"


def test_a_block_list_is_named_and_a_list_that_is_gone_is_told(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked.txt"
    blocked.write_text("c.th\n")
    directory = limited(tmp_path, block_hosts=(str(blocked),))
    found = explain(directory, "http://c.th/x")
    assert [(rule.word, rule.says) for rule in found.rules] == [
        ("blocked-host", "its host is in a block list")
    ]
    config = CrawlConfig.load(directory).model_copy(update={"block_hosts": ()})
    config.save(directory)
    found = explain(directory, "http://c.th/x")
    assert (found.state, found.rules) == ("left-out", ())
    assert "no rule of now says why" in found.says


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("http://a.th/" + "x/" * 30, "trap-path"),
        ("http://a.th/" + "deep/" * 9, "trap-repeats"),
        ("http://a.th/?" + "&".join(f"k{n}={n}" for n in range(40)), "trap-query"),
    ],
)
def test_what_looks_like_a_trap_is_told_in_words(crawled: Path, url: str, word: str) -> None:
    found = explain(crawled, url)
    assert [rule.word for rule in found.rules] == [word]
    assert found.says.endswith(f"it would be left out: {found.rules[0].says} ({word})")
    assert "its path" in found.rules[0].says or "parameters" in found.rules[0].says


def test_what_waits_has_its_lane_its_reason_and_what_comes_first(tmp_path: Path) -> None:
    directory = kept(tmp_path / "c", says, seeds=(SEED,), strategy="soft", max_pages=3)
    first = explain(directory, "http://b.th/404")
    assert (first.state, first.lane, first.ahead) == ("waiting", 0.0, 0)
    assert first.says == "it waits in lane 0, as its host's next"
    assert "its priority is 0" in first.reason
    later = explain(directory, "http://a.th/no/1")
    assert (later.lane, later.ahead) == (1.0, 2)
    assert later.says == "it waits in lane 1; 2 URLs of its host come first"
    assert [step.url for step in later.path] == [SEED, "http://a.th/en"]


def test_tries_in_vain_are_told(tmp_path: Path) -> None:
    def fails(visit: Visit) -> Later:
        return Later(Page(visit.url, 503))

    directory = kept(
        tmp_path / "c", fails, seeds=(SEED,), retries=9, max_requests=2, max_pages=1
    )  # fmt: skip
    found = explain(directory, SEED)
    assert found.says == "it waits in lane 0, after 2 tries in vain, as its host's next"


def test_a_sitemap_is_told_from_a_page(tmp_path: Path) -> None:
    def lists(visit: Visit) -> Any:
        if visit.url.endswith(".xml"):
            return Sitemap(("http://a.th/1",))
        if visit.url == SEED and not seen:
            seen.append(visit.url)
            return Later(sitemaps=("http://a.th/map.xml",))
        return page(visit)

    seen: list[str] = []
    found = explain(kept(tmp_path / "c", lists, seeds=(SEED,)), "http://a.th/map.xml")
    assert (found.state, found.path) == ("downloaded", ())
    assert found.says == "it is a sitemap: read for the URLs that it lists, and no page"


@pytest.mark.parametrize("written", ["a.th/en", " http://a.th/en#top ", "HTTP://A.TH:80/./en"])
def test_a_url_is_known_however_it_is_written(crawled: Path, written: str) -> None:
    found = explain(crawled, written)
    assert (found.url, found.state) == ("http://a.th/en", "downloaded")


def test_the_nearest_urls_begin_alike(crawled: Path) -> None:
    found = explain(crawled, "http://a.th/c")
    assert set(found.nearest[:2]) == {"http://a.th/cut", "http://a.th/closed"}
    assert isinstance(found, Explanation)
