"""The judge fasttext: any model, its labels, its identity."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from tests.judge import tiny_fasttext

from conftest import Cli
from langcrawl.errors import BadInput, BadValue
from langcrawl.judge import make_judge, pinned
from langcrawl.judge.fasttext_file import read_model_file, tag_of
from langcrawl.languages import load_packs
from langcrawl.records import Content
from langcrawl.virtualweb.phrases import PHRASES

ENGLISH, GERMAN, THAI = (" ".join(PHRASES[tag]) for tag in ("en", "de", "th"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny.bin"
    texts = {"eng_Latn": ENGLISH, "deu_Latn": GERMAN, "zxx_Zzzz": "lorem ipsum dolor sit amet"}
    return tiny_fasttext.train(path, texts)


@pytest.mark.parametrize(
    ("label", "tag"),
    [
        ("eng_Latn", "en"), ("__label__eng_Latn", "en"), ("en", "en"), ("srp_Cyrl", "sr-Cyrl"),
        ("zho_Hant", "zh-Hant"), ("nob_Latn", "nb"), ("no", "nb"), ("nn", "nn"),
        ("khk_Cyrl", "mn-Cyrl"), ("arb_Arab", "ar"), ("zsm_Latn", "ms"), ("shn_Mymr", "shn-Mymr"),
        ("und_Latn", "und"), ("zxx_Zzzz", "und"), ("noise", "und"), ("other_Latn", "und"),
    ],
)  # fmt: skip
def test_labels_of_all_kinds_of_models_become_tags(label: str, tag: str) -> None:
    assert str(tag_of(label)) == tag


def test_labels_are_read_from_the_file(model: Path) -> None:
    assert read_model_file(model).labels == ("eng_Latn", "deu_Latn", "zxx_Zzzz")


def test_a_page_is_judged_by_the_model(model: Path) -> None:
    judge = make_judge(load_packs("de"), f"fasttext:model={model}")
    german, english = judge.judge(Content(GERMAN)), judge.judge(Content(ENGLISH))
    assert (german.language, german.script, german.relevant) == ("de", "Latn", True)
    assert 0.9 < german.score <= 1
    assert (english.language, english.relevant, english.score) == ("en", False, 0.0)
    assert any("tiny.bin: de" in said for said in german.evidence)


@pytest.mark.parametrize("loss", tiny_fasttext.LOSSES)
@pytest.mark.parametrize("quantised", [False, True])
def test_models_of_every_kind_are_read(tmp_path: Path, loss: str, quantised: bool) -> None:
    texts = {"eng_Latn": ENGLISH, "deu_Latn": GERMAN, "tha_Thai": THAI, "zxx_Zzzz": "lorem ipsum"}
    path = tmp_path / ("tiny.ftz" if quantised else "tiny.bin")
    tiny_fasttext.train(path, texts, loss=loss, quantised=quantised)
    assert read_model_file(path).labels == tuple(texts)
    for tag, text in (("de", GERMAN), ("en", ENGLISH), ("th", THAI)):
        verdict = make_judge(load_packs(tag), f"fasttext:model={path}").judge(Content(text))
        assert (verdict.language, verdict.relevant) == (tag, True)
        assert verdict.score > 0.9


def test_classes_of_noise_and_short_texts_are_unknown(model: Path) -> None:
    judge = make_judge(load_packs("de"), f"fasttext:model={model}")
    assert judge.judge(Content("lorem ipsum dolor sit amet " * 9)).language == "und"
    assert judge.judge(Content("Der")).language == "und"
    assert judge.judge(Content("")).language == "und"


def test_one_model_serves_several_targets(model: Path) -> None:
    judge = make_judge(load_packs("de,en"), f"fasttext:model={model}")
    assert judge.judge(Content(GERMAN)).relevant
    assert judge.judge(Content(ENGLISH)).relevant


def test_models_of_small_letters_are_given_small_letters(model: Path) -> None:
    small = tiny_fasttext.train(
        model.with_name("OpenLID-v2.bin"),
        {"eng_Latn": ENGLISH.lower(), "deu_Latn": GERMAN.lower()},
    )
    loud = Content("".join(f"{word.upper()}!3 " for word in GERMAN.lower().split()))
    by_name = make_judge(load_packs("de"), f"fasttext:model={small}").judge(loud)
    plain = make_judge(load_packs("de"), f"fasttext:model={small},prepare=plain").judge(loud)
    assert by_name.relevant
    assert by_name.score > plain.score


def test_a_file_that_is_no_model_is_refused_in_words(tmp_path: Path, model: Path) -> None:
    text, cut = tmp_path / "text.bin", tmp_path / "cut.bin"
    text.write_text("no model at all " * 20)
    cut.write_bytes(model.read_bytes()[:120])
    vectors = tiny_fasttext.train(tmp_path / "vectors.bin", {"en": "a b"}, supervised=2)
    (tmp_path / "empty.bin").touch()
    for path in (text, cut, vectors, tmp_path / "empty.bin"):
        with pytest.raises(BadInput, match="is not a fastText model"):
            make_judge(load_packs("de"), f"fasttext:model={path}")
    with pytest.raises(BadInput, match="there is no model"):
        make_judge(load_packs("de"), f"fasttext:model={tmp_path / 'none.bin'}")
    with pytest.raises(BadValue, match="needs a model=FILE"):
        make_judge(load_packs("de"), "fasttext")


def test_a_model_is_known_again_by_its_sha_256(tmp_path: Path) -> None:
    path = tiny_fasttext.train(tmp_path / "m.bin", {"en": ENGLISH, "de": GERMAN})
    spec = pinned(f"fasttext:model={path},share=0.5")
    assert spec == f"fasttext:model={path},share=0.5,sha256={read_model_file(path).sha256}"
    assert pinned(spec) == spec
    assert pinned("cld") == "cld"
    make_judge(load_packs("de"), spec)
    tiny_fasttext.train(path, {"en": GERMAN, "de": ENGLISH})
    with pytest.raises(BadInput, match="is not the one that this crawl began with"):
        make_judge(load_packs("de"), spec)


def test_an_import_keeps_the_sha_256_of_its_model(cli: Cli, tmp_path: Path, model: Path) -> None:
    page = f"<html><title>x</title><p>{GERMAN}</p>".encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n"
        "WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
    )
    warc = tmp_path / "a.warc"
    warc.write_bytes(head.encode() + answer + b"\r\n\r\n")
    done = cli("import", tmp_path / "web", "--warc", warc, "--lang", "de", "--json",
               "--judge", f"fasttext:model={model}")  # fmt: skip
    assert json.loads(done.stdout)["relevant"] == 1
    kept = tomllib.loads((tmp_path / "web" / "crawl.toml").read_text())["judge"]
    assert kept.endswith(f",sha256={read_model_file(model).sha256}")
