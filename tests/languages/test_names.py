"""Languages by the names people use, through the command and by the table."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.errors import UnknownName, UsageError
from langcrawl.languages import find_tag, find_targets, known_languages, load_pack, parse_tag
from langcrawl.languages.names import countries, language_names, name_key
from webs import P, write_web

MEANT = [
    ("Thai", "th"), ("thai", "th"), ("THAI", "th"), ("tha", "th"), ("th-TH", "th"),
    ("th_TH", "th"), ("th-Thai-TH", "th"), ("ไทย", "th"), ("ภาษาไทย", "th"), ("Thailand", "th"),
    ("the Thai language", "th"), ("burmese", "my"), ("Myanmar", "my"), ("Burma", "my"),
    ("bur", "my"), ("မြန်မာ", "my"), ("မြန်မာဘာသာ", "my"), ("Laos", "lo"), ("Lao", "lo"),
    ("Laotian", "lo"), ("ລາວ", "lo"), ("Cambodia", "km"), ("ភាសាខ្មែរ", "km"), ("Shan", "shn"),
    ("Mongolian", "mn"), ("mon", "mn"), ("Mongolia", "mn-Cyrl"),
    ("Traditional Mongolian", "mn-Mong"),
    ("mongolian (cyrillic)", "mn-Cyrl"), ("Uighur", "ug"), ("Tibet", "bo"), ("日本語", "ja"),
    ("Español", "es"), ("espanol", "es"), ("Turkce", "tr"), ("Farsi", "fa"), ("Bokmal", "nb"),
    ("Ambonese Malay", "abs"), ("Malay, Ambonese", "abs"), ("Malay", "ms"), ("zh-TW", "zh-Hant"),
    ("zh-CN", "zh"), ("Cantonese", "yue"), ("Haitian creole", "ht"), ("Korea", "ko"),
    ("en-US", "en"), ("pt-BR", "pt"), ("Brazil", "pt"), ("Georgian", "ka"), ("Georgia", "ka"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "tag"), MEANT)
def test_names_codes_regions_and_countries_mean_what_they_say(said: str, tag: str) -> None:
    assert str(find_tag(said)) == find_targets(said) == load_pack(said).tag == tag


@pytest.mark.parametrize(
    ("said", "choices"),
    [
        ("Switzerland", ("de (German)", "fr (French)", "it (Italian)", "rm (Romansh)")),
        ("India", ("hi (Hindi)", "ta (Tamil)")),
        ("Mon", ("mn (Mongolian)", "mnw (Mon)")),
        ("Ga", ("ga (Irish)", "gaa (Ga)")),
        ("Tonga", ("to (Tongan)", "toi (")),
    ],
)
def test_a_name_of_several_languages_lists_them(said: str, choices: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="may mean several languages") as found:
        find_tag(said)
    assert all(choice in str(found.value) for choice in choices)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("Thia", "did you mean th (Thai)?"),
        ("burmse", "did you mean my (Burmese)?"),
        ("Cambodja", "did you mean km (Khmer)?"),
        ("jp", "did you mean ja (Japanese)?"),
        ("thh", "'langcrawl languages' lists them."),
        ("xx", "'langcrawl languages' lists them."),
        ("klingon", "'langcrawl languages' lists them."),
        ("und", "'langcrawl languages' lists them."),
    ],
)
def test_suggestions_are_by_name(said: str, hint: str) -> None:
    with pytest.raises(UnknownName) as found:
        find_tag(said)
    assert str(found.value) == f"there is no language '{said}'; {hint}"


def test_every_language_is_found_by_its_own_name_unless_a_code_means_another() -> None:
    unclear = {}
    for tag, pack in known_languages().items():
        try:
            assert load_pack(pack.name).tag == tag, pack.name
        except UsageError as error:
            unclear[pack.name] = str(error)
    assert set(unclear) == {"Mon", "Fur", "Ga", "Tem"}
    assert all("may mean several languages" in said for said in unclear.values())


def test_the_tables_are_in_order_and_lead_to_languages_that_can_be_collected() -> None:
    known = known_languages()
    names = language_names()
    assert list(names) == sorted(names)
    for tag, called in names.items():
        assert tag in known
        assert all(map(name_key, called))
        assert len({name_key(name) for name in called}) == len(called), tag
    for country in countries():
        assert all(tag in known for tag in country.tags), country
        assert len(set(country.tags)) == len(country.tags)
        assert country.code.isupper()


def test_what_is_found_is_the_tag_that_crawl_toml_keeps() -> None:
    for said, tag in MEANT:
        assert find_targets(tag) == tag, said
        assert str(parse_tag(tag)) == tag


@pytest.fixture
def log(tmp_path: Path) -> Path:
    web = {"s/": P("th", ("s/1", "x/", "l/")), "s/1": P("th"), "x/": P("en"), "l/": P("lo")}
    return write_web(tmp_path / "web", web, ["s/"])


@pytest.mark.parametrize(("said", "pages"), [("Thai", 2), ("Laos", 1), ("ລາວ", 1), ("lao-LA", 1)])
def test_simulate_and_analyze_know_names(cli: Cli, log: Path, said: str, pages: int) -> None:
    done = cli("simulate", log, "--strategy", "bfs", "--lang", said, "--json")
    assert json.loads(done.stdout)["relevant_total"] == pages, done.stderr
    done = cli("analyze", log, "--lang", said, "--json")
    assert json.loads(done.stdout)["relevant"] == pages, done.stderr


def test_tune_knows_names(cli: Cli, log: Path) -> None:
    words = ("--strategy", "limited", "--try", "n=0,1", "--held-out", "0", "--json")
    by_name, by_tag = (
        json.loads(cli("tune", log, *words, "--lang", said).stdout) for said in ("Laos", "lo")
    )
    assert by_name["tried"]
    for key in ("name", "score", "pages"):
        assert [each[key] for each in by_name["tried"]] == [each[key] for each in by_tag["tried"]]


def test_crawl_keeps_the_tag_and_resumes_by_any_name(cli: Cli, tmp_path: Path) -> None:
    cli("crawl", "web", "--lang", "Burma", "--seeds", "http://a.test/", "--max-pages", "0")
    kept = tomllib.loads((tmp_path / "web" / "crawl.toml").read_text())
    assert kept["lang"] == "my"
    for said in ("burmese", "my-MM", "mya"):
        again = cli("crawl", "web", "--lang", said, "--max-pages", "0")
        assert "another --lang" not in again.stderr
    other = cli("crawl", "web", "--lang", "Thai", "--max-pages", "0")
    assert (other.returncode, "was started with another --lang" in other.stderr) == (1, True)


def test_import_knows_names_in_the_option_and_in_the_table(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("url,language\nhttp://a/,Thai\nhttp://b/,tha\nhttp://c/,Lao\n")
    done = cli("import", "web", "--pages", "p.csv", "--lang", "Thailand", "--json")
    found = json.loads(done.stdout)
    assert (found["pages"], found["relevant"], found["bad_languages"]) == (3, 2, 0)
    assert CrawlConfig.load(tmp_path / "web").lang == "th"


def test_identify_knows_names(cli: Cli, tmp_path: Path) -> None:
    text = "วันนี้อากาศดีมากและท้องฟ้าแจ่มใส ตลาดริมน้ำเปิดทุกเช้าตั้งแต่หกโมง"
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    for said, relevant in (("Thai", True), ("ไทย", True), ("Laos", False)):
        (entry,) = json.loads(cli("identify", "a.txt", "--lang", said, "--json").stdout)
        assert (entry["language"], entry["relevant"]) == ("th", relevant)


@pytest.mark.parametrize(
    "words",
    [
        ("crawl", "new", "--seeds", "http://a.test/"),
        ("simulate", "web", "--strategy", "bfs"),
        ("tune", "web", "--strategy", "soft"),
        ("analyze", "web"),
        ("import", "new", "--pages", "p.csv"),
        ("identify", "web"),
    ],
)
def test_every_command_suggests_by_name(cli: Cli, log: Path, words: tuple[str, ...]) -> None:
    done = cli(*words, "--lang", "Thia")
    sentence = "langcrawl: there is no language 'Thia'; did you mean th (Thai)?\n"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(sentence)
    several = cli(*words, "--lang", "Belgium")
    assert "nl (Dutch), fr (French), de (German)" in several.stderr
    assert several.returncode == 2


def test_learn_knows_names(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGCRAWL_PACKS", str(tmp_path / "packs"))
    (tmp_path / "few.txt").write_text("Too few letters.")
    assert "too few to learn" in cli("learn", "Khakas", "few.txt").stderr
    assert "may mean several" in cli("learn", "Mon", "few.txt").stderr
    done = cli("learn", "Klingon", "few.txt")
    assert (done.returncode, "is not a language tag" in done.stderr) == (2, True)


def test_a_profile_of_a_generated_web_may_name_its_language(cli: Cli, tmp_path: Path) -> None:
    from importlib import resources

    folder = resources.files("langcrawl.virtualweb.synth") / "profiles"
    text = (folder / "thai-2005.toml").read_text(encoding="utf-8")
    assert 'lang = "th"' in text
    (tmp_path / "own.toml").write_text(text.replace('lang = "th"', 'lang = "Thai"'), "utf-8")
    done = cli("synth", "web", "--profile", "own.toml", "--pages", "200")
    assert done.returncode == 0, done.stderr
    assert CrawlConfig.load(tmp_path / "web").lang == "th"
    (tmp_path / "bad.toml").write_text(text.replace('lang = "th"', 'lang = "Thia"'), "utf-8")
    bad = cli("synth", "bad", "--profile", "bad.toml", "--pages", "200")
    assert "lang: there is no language 'Thia'; did you mean th (Thai)?" in bad.stderr
