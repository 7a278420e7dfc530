"""The n-gram profiles that are shipped."""

from __future__ import annotations

import lzma
from importlib import resources
from pathlib import Path

from langcrawl.languages import known_languages, load_pack, parse_tag
from langcrawl.languages.build_profiles import build
from langcrawl.languages.ngrams import count_ngrams, rank, words
from langcrawl.languages.profiles import RANKS, all_profiles, profile_of, ranked_ngrams, table

SHIPPED = Path(str(resources.files("langcrawl.languages"))) / "profiles"


def test_there_are_profiles_of_more_than_300_languages_in_a_small_place() -> None:
    assert len({parse_tag(profile.tag).primary for profile in all_profiles()}) > 300
    assert len(set(all_profiles())) == len(all_profiles())
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 6_000_000


def test_a_profile_is_ranks_and_no_text() -> None:
    for profile in all_profiles():
        ranked = ranked_ngrams(profile.script)[profile.tag]
        assert 0 < len(ranked) <= RANKS
        assert len(set(ranked)) == len(ranked)
        assert max(map(len, ranked)) <= 5


def test_scripts_are_kept_apart() -> None:
    cyrillic, traditional = profile_of("mn-Cyrl"), profile_of("mn-Mong")
    assert cyrillic
    assert traditional
    assert (cyrillic.script, traditional.script) == ("Cyrl", "Mong")
    assert {"zh", "zh-Hant"} <= {profile.tag for profile in all_profiles()}
    assert table("Zzzz") is None


def test_every_language_with_a_profile_can_be_collected() -> None:
    assert len(known_languages()) > 400
    assert load_pack("sah").judge == ("ngram", "charset")
    assert load_pack("th").judge == ("cld", "charset")


def test_words_keep_their_marks_and_pieces_their_edges() -> None:
    assert words("Ein Wort, 42 น้ำ!") == ["ein", "wort", "น้ำ"]
    assert rank(count_ngrams("aa aa"), 3) == ["a", "_a", "aa"]


def test_the_profiles_are_those_that_the_declaration_gives(shared: Path, tmp_path: Path) -> None:
    more = {"mn-Mong": shared / "mongolian" / "menksoft-words.txt"}
    assert build(shared / "udhr", tmp_path, more, preset=0) == len(all_profiles())
    for path in sorted(SHIPPED.iterdir()):
        built = tmp_path / path.name
        if path.suffix == ".xz":
            assert lzma.decompress(built.read_bytes()) == lzma.decompress(path.read_bytes())
        else:
            assert built.read_bytes() == path.read_bytes()
