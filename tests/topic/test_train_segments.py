"""``langcrawl train segments`` and the crawl that its model guides."""

from __future__ import annotations

import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess
from urllib.parse import parse_qs, urlsplit

import pytest

from conftest import Cli
from langcrawl.topic.document import write_document
from topic.test_train_command import refused

QUICK = ("--times", "2", "--folds", "4")


def write_csv(folder: Path, hosts: int = 24, relevant: bool = True) -> None:
    """A web of sites with a section about islands, to which anchors with names lead."""
    chance = random.Random(3)
    pages, links = ["url,language,score"], ["src,dst,anchor"]
    places = []
    for host in range(hosts):
        home = f"http://www.h{host}.example/"
        pages.append(f"{home},en,0.2")
        for section, score in (("thai", 0.9), ("news", 0.1)):
            for page in range(4):
                url = f"{home}{section}/{page}.html"
                language = "en" if section == "thai" and relevant else "fr"
                pages.append(f"{url},{language},{score if language == 'en' else 0}")
                anchor = "beaches of Phuket" if section == "thai" else "latest court cases"
                links.append(f"{home},{url},{anchor}")
                places.append((url, section, anchor))
        links.append(f"{home},http://www.h{(host + 1) % hosts}.example/,next")
    for url, section, _ in places:
        for goal, other, anchor in chance.sample(places, 12):
            if other == section or chance.random() < 0.2:
                links.append(f"{url},{goal},{anchor}")
    (folder / "pages.csv").write_text("\n".join(pages) + "\n")
    (folder / "links.csv").write_text("\n".join(links) + "\n")


def web_of(cli: Cli, folder: Path, relevant: bool = True) -> None:
    write_csv(folder, relevant=relevant)
    words = ("--pages", "pages.csv", "--links", "links.csv", "--lang", "en")
    done = cli("import", "web", *words, "--seeds", "http://www.h0.example/")
    assert done.returncode == 0, done.stderr


def trained(cli: Cli, *more: str) -> CompletedProcess[str]:
    words = ("--log", "web", "--keywords", "thailand", *QUICK)
    return cli("train", "segments", "seg.json", *words, *more)


def test_a_model_is_tried_written_and_guides_a_crawl(cli: Cli, tmp_path: Path) -> None:
    web_of(cli, tmp_path)
    found = json.loads(trained(cli, "--json").stdout)
    assert found["g_mean"] > 0.9
    assert [(each["by"], each["of"]) for each in found["trials"]] == [
        (by, of) for by in ("site", "page") for of in ("links", "words", "both")
    ]
    assert found["pairs"]["remove"] < found["pairs"]["dedupe"] <= found["pairs"]["keep"]
    assert found["relevant"] + found["irrelevant"] == found["pairs"]["remove"]
    assert found["keywords"] > 8000
    assert {"phuket", "thai"} <= set(found["words"])
    kept = json.loads((tmp_path / "seg.json").read_text("utf-8"))
    assert kept["links"]["anchors"]["0"] < 0 < kept["links"]["anchors"]["5"]
    again = trained(cli, "--json").stdout
    assert json.loads(again) == found
    assert kept["expected"] == found["expected"]
    assert kept["expected"]["words"] > 0 < kept["expected"]["strength"]
    likely = "likely-segment:model=seg.json"
    names = ("bfs", "best-segment", "segments:model=seg.json", likely)
    strategies = [word for name in names for word in ("--strategy", name)]
    done = cli("simulate", "web", *strategies, "--max-pages", "80", "--json")
    assert done.returncode == 0, done.stderr
    harvest = {each["name"]: each["harvest"] for each in json.loads(done.stdout)["strategies"]}
    assert harvest["bfs"] < harvest["best-segment"] <= harvest["segments:model=seg.json"]
    assert harvest["bfs"] < harvest[likely]


def test_a_model_that_does_not_know_what_to_expect_is_refused_by_who_needs_it(
    cli: Cli, tmp_path: Path
) -> None:
    web_of(cli, tmp_path)
    trained(cli)
    document = json.loads((tmp_path / "seg.json").read_text("utf-8"))
    for gone in ("expected", "checksum"):
        del document[gone]
    write_document(tmp_path / "old.json", document)
    assert cli("simulate", "web", "--strategy", "segments:model=old.json").returncode == 0
    done = cli("simulate", "web", "--strategy", "likely-segment:model=old.json")
    refused(done, "older langcrawl", "train it anew")
    refused(cli("simulate", "web", "--strategy", "likely-segment"), "likely-segment needs a model")


def test_back_links_of_the_log_are_where_training_starts(cli: Cli, tmp_path: Path) -> None:
    web_of(cli, tmp_path)
    all_pairs = json.loads(trained(cli, "--hops", "2", "--json").stdout)
    found = json.loads(trained(cli, "--hops", "2", "--back-links", "log", "--json").stdout)
    assert found["relevant"] > all_pairs["relevant"]
    seed = ("--seeds", "http://www.h3.example/thai/0.html", "--back-links", "log")
    some = json.loads(trained(cli, *seed, "--hops", "2", "--json").stdout)
    assert 0 < some["pages"] < found["pages"]
    alone = ("--seeds", "http://nowhere.example/", "--back-links", "log")
    refused(trained(cli, *alone), "no page of 'web' links to the seeds")


def test_the_table_has_all_three_classifiers_and_both_ways_to_fold(
    cli: Cli, tmp_path: Path
) -> None:
    web_of(cli, tmp_path)
    shown = trained(cli, "--within-site", "dedupe", "--hops", "4").stdout
    for words in ("P_L", "P_W", "P_E", "by site, 4 folds x 2", "by page", "Words that decide"):
        assert words in shown


def test_bad_input_is_told_in_a_sentence(cli: Cli, tmp_path: Path) -> None:
    web_of(cli, tmp_path)
    refused(cli("train", "segments", "seg.json"), "--log")
    refused(trained(cli, "--labels", "pages.csv"), "no --labels")
    refused(trained(cli, "--within-site", "some"), "remove, dedupe or keep")
    refused(trained(cli, "--threshold", "0"), "above 0")
    refused(trained(cli, "--hops", "0"), "no links between sites", "--within-site")
    refused(trained(cli, "--judge", "topic:model=none.json"), "there is no model 'none.json'")
    refused(trained(cli, "--countries", "none.mmdb"), "there is no file 'none.mmdb'")
    (tmp_path / "names.txt").write_text("\n\n")
    refused(trained(cli, "--keywords", "names.txt"), "there is no name", "names.txt")
    refused(trained(cli, "--keywords", "atlantis"), "atlantis")
    refused(cli("train", "sections", "seg.json", "--log", "web"), "sections", "segments")


def test_a_log_with_one_class_or_another_language_is_refused(cli: Cli, tmp_path: Path) -> None:
    web_of(cli, tmp_path)
    web = tmp_path / "french"
    web.mkdir()
    write_csv(web, relevant=False)
    words = ("--pages", web / "pages.csv", "--links", web / "links.csv", "--lang", "th")
    cli("import", "none", *words, "--seeds", "http://www.h0.example/")
    refused(cli("train", "segments", "m", "--log", "none"), "no page of 'none' is relevant")


def test_back_links_of_a_search_api_are_where_training_starts(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web_of(cli, tmp_path)
    asked: list[tuple[str, str]] = []
    answers = {"http://www.h1.example/thai/0.html": ["http://www.h0.example/", "mailto:x"],
               "http://www.h2.example/": {"found": {"results": [
                   {"url": "http://www.h3.example/"}, {"link": "http://www.h0.example/"}]}},
               "http://none.example/": [], "http://far.example/": ["http://not.example/a"],
               "http://odd.example/": "no list"}  # fmt: skip

    class Api(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = parse_qs(urlsplit(self.path).query)["to"][0]
            asked.append((url, self.headers.get("Authorization", "")))
            body = json.dumps(answers.get(url)).encode()
            self.send_response(200 if url in answers else 403)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    monkeypatch.setenv("LANGCRAWL_BACKLINKS_KEY", "secret")
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        api = ("--back-links", f"http://127.0.0.1:{server.server_port}/links?to={{url}}", "--json")
        seeds = (
            "--seeds",
            "http://www.h1.example/thai/0.html",
            "--seeds",
            "http://www.h2.example/",
        )
        found = json.loads(trained(cli, *seeds, *api, "--hops", "2").stdout)
        refused(trained(cli, "--seeds", "http://none.example/", *api), "knows no page")
        refused(
            trained(cli, "--seeds", "http://far.example/", *api), "none of the 1", "seg.seeds.txt"
        )
        refused(trained(cli, "--seeds", "http://odd.example/", *api), "list of URLs")
        refused(trained(cli, "--seeds", "http://closed.example/", *api), "403", "KEY")
        server.shutdown()
    assert asked[:2] == [(url, "Bearer secret") for url in seeds[1::2]]
    assert 1 < found["pages"] < 24 * 9  # two links from two pages are not all of the web
    assert (tmp_path / "seg.seeds.txt").read_text().split() == ["http://not.example/a"]
    refused(trained(cli, *api), "needs --seeds")
    refused(trained(cli, *seeds, "--back-links", "http://a.example/"), "{url}")
    refused(trained(cli, *seeds, *api), "gave no answer")


@pytest.mark.parametrize("change", [{"version": 7}, {"threshold": 2.0}, {"format": "other"}])
def test_a_file_that_is_no_segment_model_is_refused(
    cli: Cli, tmp_path: Path, change: dict[str, object]
) -> None:
    web_of(cli, tmp_path)
    trained(cli, "--times", "0")
    good = json.loads((tmp_path / "seg.json").read_text("utf-8"))
    (tmp_path / "bad.json").write_text(json.dumps(good | change))
    found = cli("simulate", "web", "--strategy", "segments:model=bad.json")
    words = {"version": "version 7", "threshold": "damaged", "format": "no segment model"}
    refused(found, words[next(iter(change))])
    refused(cli("simulate", "web", "--strategy", "segments:model=pages.csv"), "no segment model")
    refused(cli("simulate", "web", "--strategy", "segments"), "model=FILE")
