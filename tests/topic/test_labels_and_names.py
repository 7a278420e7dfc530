"""Labelled pages as users bring them, networks of countries, and names among words."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.errors import BadInput, BadValue
from langcrawl.importers.labelled import from_csv, from_folder, from_logs, read_labels
from langcrawl.records import Content
from langcrawl.topic.countries import Countries
from langcrawl.topic.terms import Terms, words_of
from langcrawl.topic.tokenizer import Found, Tokens
from langcrawl.topic.train import Plan
from webs import P, write_web

DIVING = "The diving school offers courses for beginners at the coral reef near the island. " * 5
COOKING = "The kitchen prepares noodles with vegetables and a soup that the guests like. " * 5
THAI = "วันนี้อากาศดีมากและท้องฟ้าแจ่มใส ตลาดริมน้ำเปิดทุกเช้าตั้งแต่หกโมง " * 4
TERMS = Terms("en")


def test_labels_are_by_url_and_what_is_no_web_address_is_counted(tmp_path: Path) -> None:
    first, second = tmp_path / "a.tsv", tmp_path / "b.tsv"
    first.write_text("\ufeffHTTP://A.th/x\tdiving \n\nmailto:x\tother\nhttp://b.th/\tother\n")
    second.write_text("http://b.th/\tdiving\n")
    labels, foreign = read_labels([first, second])
    assert labels == {"http://a.th/x": "diving", "http://b.th/": "diving"}  # the last one counts
    assert foreign == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("http://a.th/ diving\n", r"line 1 of '.*' should be a URL, a tab and a label"),
        ("http://a.th/\tx\nhttp://b.th/\t \n", "line 2 of"),
        ("", "there is no label in"),
        ("mailto:x\ty\n", "there is no label in"),
    ],
)
def test_lines_that_are_no_labels_are_named(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "l.tsv").write_text(text)
    with pytest.raises(BadInput, match=says):
        read_labels([tmp_path / "l.tsv"])


def test_folders_are_labels_and_what_stands_in_them_are_sites(tmp_path: Path) -> None:
    for name, text in (
        ("diving/one.txt", DIVING), ("diving/site/a.html", f"<p>{DIVING}</p>"),
        ("diving/site/b.html", f"<p>{DIVING}</p>"), ("other/x.txt", COOKING),
        ("other/thai.txt", THAI), ("other/empty.txt", " \n"),
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "other" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    seen: list[float] = []
    found = from_folder(tmp_path, "en", TERMS, lambda done, share, *_: seen.append(share or 0))
    assert [(each.label, each.site) for each in found.examples] == [
        ("diving", "one.txt"), ("diving", "site"), ("diving", "site"), ("other", "x.txt"),
    ]  # fmt: skip
    assert found.left_out == {"another language": 1, "no text": 2}
    assert (seen[-1], seen) == (1.0, sorted(seen))
    assert found.examples[0].terms["dive"] == 5


def test_a_folder_needs_two_labels_with_pages(tmp_path: Path) -> None:
    (tmp_path / "diving").mkdir()
    with pytest.raises(BadInput, match=r"a folder of pages for each label, .* it has 1"):
        from_folder(tmp_path, "en", TERMS)
    (tmp_path / "other").mkdir()
    with pytest.raises(BadInput, match="the folder 'diving' has no page; put some in"):
        from_folder(tmp_path, "en", TERMS)
    with pytest.raises(BadInput, match="it has 0"):
        from_folder(tmp_path / "absent", "en", TERMS)


def test_rows_are_pages_of_the_site_that_their_url_names(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text(
        "label,text,url,title\n"
        f"diving,{DIVING},http://www.dive.co.th/a,Reef\n"
        f" other ,{COOKING},,\n"
        f"other,{THAI},http://x.th/,\n"
    )
    found = from_csv(tmp_path / "l.csv", "en", TERMS)
    assert [(each.label, each.site) for each in found.examples] == [
        ("diving", "dive.co.th"), ("other", "row 2"),
    ]  # fmt: skip
    assert found.examples[0].terms["title:reef"] == 1
    assert found.left_out == {"another language": 1}
    (tmp_path / "bad.csv").write_text("topic,text\nx,y\n")
    with pytest.raises(BadInput, match="has no column 'label'"):
        from_csv(tmp_path / "bad.csv", "en", TERMS)


def test_labels_of_another_crawl_are_refused(tmp_path: Path) -> None:
    log = write_web(tmp_path / "web", {"a.th/": P("en")}, ["a.th/"])
    with pytest.raises(BadInput, match=r"none of the 1 labelled URLs is in .* those of another"):
        from_logs([log], {"http://elsewhere.th/": "x"}, "en", TERMS)


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"classifier": "forest"}, "--classifier must be logistic or naive-bayes, not 'forest'"),
        ({"recipe": "soup"}, "--recipe must be places or paper, not 'soup'"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(keys: dict[str, str], says: str) -> None:
    with pytest.raises(BadValue, match=says):
        Plan("diving", **keys)  # type: ignore[arg-type]
    assert Plan("x", "tha", "naive-bayes").terms == Terms("th", "paper")
    assert Plan("x").terms == Terms("en", "places")


@settings(max_examples=30)
@given(
    parts=st.lists(st.integers(0, 255), min_size=4, max_size=4),
    lengths=st.lists(st.integers(0, 32), max_size=5, unique=True),
)
def test_the_country_of_an_address_is_that_of_its_smallest_network(
    parts: list[int], lengths: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    address = ".".join(map(str, parts))
    nets = {ip_network(f"{address}/{n}", strict=False): f"{chr(97 + n % 26)}x" for n in lengths}
    path = tmp_path_factory.mktemp("nets") / "n.tsv"
    path.write_text("\n".join(["# a remark", *(f"{net}\t{code}" for net, code in nets.items())]))
    known = Countries(str(path))
    for asked in (address, "203.0.113.9"):
        holding = [(net.prefixlen, code) for net, code in nets.items() if ip_address(asked) in net]
        assert known.of(asked) == (max(holding)[1].upper() if holding else None)
    assert known.of("no address") is None
    assert Countries().of(address) is None


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["the", "phuket", "koh", "samui", "of", "reef"]), max_size=12))
def test_the_share_of_names_leaves_stop_words_out(tokens: list[str]) -> None:
    names = [Found(at, at + 1, True) for at, token in enumerate(tokens) if token == "phuket"]
    read = Tokens(tokens, names)
    stop = frozenset({"the", "of"})
    others = [token for token in tokens if token != "phuket"]
    assert read.words == others
    assert read.keywords == ["phuket"] * len(names)
    rest = sum(token not in stop for token in others)
    assert read.ratio(stop) == (len(names) / (len(names) + rest) if names else 0.0)


@settings(max_examples=40)
@given(st.text(st.sampled_from("abcXY 0123'.,-\n"), max_size=50))
def test_words_of_plain_text_are_small_and_in_their_order(text: str) -> None:
    words = words_of(text)
    place = 0
    for word in words:
        assert word == word.casefold()
        place = text.casefold().index(word, place) + len(word)
    letters = [letter for letter in text.casefold() if letter.isalnum()]
    assert [letter for word in words for letter in word if letter.isalnum()] == letters


def test_numbers_count_by_their_length_and_titles_once_more() -> None:
    terms = TERMS.count(Content("Call 12345 or 99 or 11", title="Diving"))
    assert (terms["#5"], terms["#2"]) == (1, 2)
    assert (terms["dive"], terms["title:dive"], terms["first:call"]) == (1, 1, 1)
    paper = Terms("en", "paper").count(Content("Dolphins 12345 or 99", title="The diving"))
    assert dict(paper) == {"dolphin": 1, "dive": 1}
