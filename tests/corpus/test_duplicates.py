"""Duplicates: exact, near, and repeated paragraphs; each with its switch and its count."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from archives import ArchiveFile
from conftest import Cli
from corpus.pages import archive, html, rows, sentences
from langcrawl.corpus.duplicates import bands_for, signatures_of
from langcrawl.corpus.kernels import BINS, SHINGLE, find_near

BASE = sentences(1, count=12)
EDITED = [*BASE[:-1], BASE[-1] + " แก้ไขแล้ว"]
SITE = ["ติดต่อเราได้ที่เบอร์โทรศัพท์ด้านล่างนี้ทุกวัน", "สงวนลิขสิทธิ์ตามกฎหมายโดยเจ้าของเว็บไซต์"]


def export(cli: Cli, *words: str) -> dict[str, object]:
    done = cli("export", "a.warc.gz", "--lang", "th", "--to", "c.parquet", *words, "--json")
    assert done.returncode == 0, done.stderr
    report: dict[str, object] = json.loads(done.stdout)
    return report


def urls(folder: Path) -> list[str]:
    return [str(row["url"]).rpartition("/")[2] for row in rows(folder / "c.parquet")]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    made = {
        "http://a.example/one": html(BASE),
        "http://b.example/two": html(BASE),
        "http://c.example/three": html(EDITED),
        "http://d.example/other": html(sentences(2)),
    }
    archive(tmp_path / "a.warc.gz", made)
    return tmp_path


def test_exact_and_near_duplicates_are_left_out_and_counted(cli: Cli, pages: Path) -> None:
    assert export(cli)["dropped"] == {"exact": 1, "near": 1}
    assert urls(pages) == ["three", "other"]  # of equal scores, the longest


def test_each_kind_has_its_switch(cli: Cli, pages: Path) -> None:
    assert export(cli, "--no-near")["dropped"] == {"exact": 1}
    assert urls(pages) == ["one", "three", "other"]
    report = export(cli, "--no-exact", "--near-threshold", "1", "--overwrite")
    assert report["dropped"] == {"near": 1}
    assert export(cli, "--no-exact", "--no-near", "--overwrite")["dropped"] == {}
    assert urls(pages) == ["one", "two", "three", "other"]


def test_what_is_kept_can_be_chosen(cli: Cli, tmp_path: Path) -> None:
    made = ArchiveFile()
    for name, paragraphs in (("old", EDITED), ("new", BASE)):
        made.answer(f"http://a.example/{name}", html(paragraphs))
    data = made.data
    (tmp_path / "a.warc.gz").write_bytes(data)
    export(cli, "--keep", "longest")
    assert urls(tmp_path) == ["old"]
    import gzip

    lines = gzip.decompress(data).split(b"WARC-Date: ")
    first = lines[1].replace(lines[1][:20], b"2001-01-01T00:00:00Z", 1)
    (tmp_path / "a.warc").write_bytes(b"WARC-Date: ".join([lines[0], first, *lines[2:]]))
    done = cli("export", "a.warc", "--lang", "th", "--to", "n.parquet", "--keep", "newest")
    assert done.returncode == 0
    assert [row["url"] for row in rows(tmp_path / "n.parquet")] == ["http://a.example/new"]


def test_of_several_captures_of_an_address_one_stays(cli: Cli, tmp_path: Path) -> None:
    made = ArchiveFile()
    for seed in range(3):
        made.answer("http://a.example/", html(sentences(seed)))
    made.save(tmp_path / "a.warc.gz")
    assert export(cli)["dropped"] == {"same-url": 2}


def test_paragraphs_of_a_site_are_kept_once_if_asked(cli: Cli, tmp_path: Path) -> None:
    made = {f"http://a.example/{n}": html([*sentences(n), *SITE]) for n in range(4)}
    made |= {f"http://b.example/{n}": html([*sentences(9), *SITE]) for n in range(1)}
    made["http://a.example/menu"] = html([*SITE, "สั้น"])
    archive(tmp_path / "a.warc.gz", made)
    assert export(cli)["paragraphs_dropped"] == {"repeated": 0, "other-language": 0}
    report = export(cli, "--site-paragraphs", "--min-chars", "60", "--overwrite")
    assert report["dropped"] == {"short-without-repeats": 1}
    assert report["paragraphs_dropped"] == {"repeated": 6, "other-language": 0}
    found = rows(tmp_path / "c.parquet")
    texts = [str(row["text"]) for row in found]
    times = [text.count(SITE[0]) for text in texts]
    assert (sum(times[:4]), times[4]) == (1, 1)  # once a host
    assert all(row["characters"] == len(text) for row, text in zip(found, texts, strict=True))
    assert report["characters"] == sum(map(len, texts))
    export(cli, "--site-paragraphs", "--site-repeats", "9", "--overwrite")
    assert SITE[0] in str(rows(tmp_path / "c.parquet")[-1]["text"])


def shingles(text: str) -> set[str]:
    bare = "".join(text.split()).lower()
    return {bare[at : at + SHINGLE] for at in range(max(len(bare) - SHINGLE + 1, 1))}


def jaccard(first: str, second: str) -> float:
    one, other = shingles(first), shingles(second)
    return len(one & other) / len(one | other)


def test_signatures_estimate_the_jaccard_similarity_in_every_script() -> None:
    rng = random.Random(3)
    wrong = []
    for letters in ("abcdefgh", "กขคงจชซญ", "的一是不了人我在", "𝒜𝒞𝒟𐌰𐌱𐌲"):
        base = "".join(rng.choices(letters, k=1200))
        for share in (0.0, 0.02, 0.1, 0.3):
            at = rng.randrange(len(base) - 400)
            other = base[:at] + "".join(rng.choices(letters, k=int(share * 1200))) + base[at:]
            first, second = signatures_of(pa.array([base, other], pa.large_string()))
            wrong.append(np.mean(first == second) - jaccard(base, other))
    assert max(map(abs, wrong)) < 0.1
    assert abs(np.mean(wrong)) < 0.02


def test_short_and_empty_texts_have_signatures_too() -> None:
    made = signatures_of(pa.array(["", "ab", "ab", "A B", "xyzxyz"], pa.large_string()))
    assert made.shape == (5, BINS)
    assert (made[1] == made[2]).all()
    assert (made[1] == made[3]).all()  # neither white space nor case counts
    assert (made[1] != made[4]).mean() > 0.9


def test_a_dropped_document_resembles_one_that_stays_and_no_chain_of_others() -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(0, 1 << 8, BINS, dtype=np.uint8)
    chain = [first]
    for step in range(1, 4):
        following = chain[-1].copy()
        following[(step - 1) * 80 : step * 80] += 1  # each resembles the one before, by 0.84
        chain.append(following)
    signatures = np.array(chain)
    instead = np.full(4, -1, np.int64)
    find_near(signatures, np.arange(4), *bands_for(0.8), instead)
    assert instead.tolist() == [-1, 0, -1, 2]


def test_bands_are_as_wide_as_the_threshold_allows() -> None:
    thresholds = (0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
    chosen = [bands_for(threshold) for threshold in thresholds]
    assert [each.rows for each in chosen] == sorted(each.rows for each in chosen)
    for threshold, each in zip(thresholds, chosen, strict=True):
        assert each.rows * each.bands <= BINS
        assert 1 - (1 - threshold**each.rows) ** each.bands >= 0.995
