"""Generated webs: the same to the byte for a seed, calibrated, complete, and refused in words."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.conftest import Cli

from langcrawl.errors import BadInput
from langcrawl.languages.charsets import codec_name
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table
from langcrawl.simulate import Plan, Source, open_graph, simulate
from langcrawl.strategy import make_strategy
from langcrawl.url import canonical, host_of
from langcrawl.virtualweb.synth import generate, load_profile, profiles
from webs import P, write_web


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A web of 30,000 pages; to be read, not changed."""
    directory = tmp_path_factory.mktemp("synth") / "web"
    generate(directory, load_profile("thai-2005"), 30_000, 3)
    return directory


def digest(directory: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(directory.rglob("*")):
        if path.is_file() and "graph" not in path.parts:
            found.update(path.relative_to(directory).as_posix().encode() + path.read_bytes())
    return found.hexdigest()


def test_the_same_seed_gives_the_same_web_to_the_byte_and_another_seed_another(
    tmp_path: Path,
) -> None:
    profile = load_profile("thai-2005")
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        generate(tmp_path / name, profile, 2_000, seed)
    assert digest(tmp_path / "a") == digest(tmp_path / "b") != digest(tmp_path / "c")


@pytest.mark.parametrize("name", profiles())
def test_every_profile_makes_a_web_in_which_the_seeds_lead_everywhere(
    name: str, tmp_path: Path
) -> None:
    profile = load_profile(name)
    made = generate(tmp_path / "web", profile, 20_000, 1)
    graph = load_graph(tmp_path / "web")
    assert (graph.pages, graph.nodes) == (20_000, made.urls)
    assert graph.links <= made.links
    assert graph.relevant_total == made.relevant
    found = simulate(graph, make_strategy("bfs"), Plan())
    assert found.summary.pages == graph.pages
    wanted = sum(domain.target for domain in profile.domains.values())
    whole = sum(domain.pages for domain in profile.domains.values())
    assert graph.relevant_total / graph.pages == pytest.approx(wanted / whole, abs=0.02)


def test_urls_are_canonical_distinct_and_on_their_hosts(web: Path) -> None:
    table = read_table(web, "urls")
    urls = table["url"].to_pylist()
    assert len(set(urls)) == len(urls)
    assert [host_of(url) for url in urls] == table["host"].to_pylist()
    assert all(canonical(url) == url for url in urls[:5000])


def test_links_start_at_ok_pages_only_and_lead_to_each_page_once(web: Path) -> None:
    links, pages = read_table(web, "links"), read_table(web, "pages")
    status = pages["status"].to_numpy()
    src, dst = links["src"].to_numpy(), links["dst"].to_numpy()
    assert set(status[np.unique(src)]) == {200}
    assert not np.any(src == dst)
    pairs = np.unique(np.stack([src, dst]), axis=1).shape[1]
    assert pairs > 0.995 * len(src)
    position = links["position"].to_numpy()
    assert np.array_equal(position[1:][src[1:] == src[:-1]] - 1, position[:-1][src[1:] == src[:-1]])


def test_sizes_and_in_links_have_heavy_tails_and_many_pages_a_single_link(web: Path) -> None:
    graph = load_graph(web)
    sizes = np.sort(np.bincount(graph.arrays.host[: graph.pages]))[::-1]
    assert sizes[: len(sizes) // 100].sum() > 0.15 * graph.pages
    degree = np.bincount(graph.arrays.dst, minlength=graph.nodes)[: graph.pages]
    assert degree.max() > 10 * degree.mean()
    assert np.mean(degree == 1) > 0.3


def test_meta_labels_lie_within_the_languages_and_cluster_on_hosts(web: Path) -> None:
    graph = load_graph(web)
    by_meta = open_graph(Source(web, judge="charset:from=meta"))
    assert not np.any(by_meta.relevant > graph.relevant)
    share = by_meta.relevant_total / graph.relevant_total
    assert share == pytest.approx(0.86, abs=0.03)
    host = graph.arrays.host[: graph.pages][graph.relevant == 1]
    labelled = by_meta.relevant[graph.relevant == 1]
    per_host = np.bincount(host, labelled) / np.maximum(1, np.bincount(host))
    large = np.bincount(host) >= 10
    assert np.mean((per_host[large] < 0.25) | (per_host[large] > 0.85)) > 0.8


def test_what_strategies_read_is_there(web: Path) -> None:
    links = read_table(web, "links", ["anchor", "anchor_score"])
    assert {"ข่าว", "news", ""} <= set(links["anchor"].to_pylist())
    score = links["anchor_score"].to_numpy()
    assert 0 <= score.min() < score.max() <= 1
    pages = read_table(web, "pages", ["elapsed", "bytes", "score", "charset_meta", "relevant"])
    assert pages["elapsed"].to_numpy().min() > 0
    assert pages["bytes"].to_numpy().std() > 0
    assert all(codec_name(label) for label in set(pages["charset_meta"].to_pylist()) - {""})
    urls = read_table(web, "urls", ["url"])["url"].to_pylist()
    assert any("/th/" in url for url in urls)
    assert any("/en/" in url for url in urls)


def test_a_re_judged_log_refuses_judges_that_need_text(cli: Cli, tmp_path: Path) -> None:
    web = write_web(tmp_path / "web", {"s/": P("th")}, ["s/"])
    done = cli("simulate", web, "--strategy", "hard", "--judge", "cld")
    assert done.returncode == 2
    assert "has no archive" in done.stderr


def test_the_command_reports_what_it_made(cli: Cli, tmp_path: Path) -> None:
    done = cli("synth", "web", "--pages", "3000", "--seed", "5", "--json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made["pages"] == 3000
    assert pq.read_table(tmp_path / "web" / "log" / "pages").num_rows == 3000
    again = cli("synth", "web", "--pages", "3000")
    assert again.returncode == 1
    assert "already holds a crawl" in again.stderr
    listed = cli("synth", "--profiles").stdout
    assert all(name in listed for name in profiles())
    assert cli("synth").returncode == 2


IMPOSSIBLE = {
    "share above one": ("target_share = 0.68", "target_share = 1.4", "target_share"),
    "shares above one together": ("leaves_on_target_hosts = 0.12", "leaves_on_target_hosts = 0.5",
                                  "more than one"),
    "more hosts than pages": ("pages_per_host = 20.929", "pages_per_host = 0.5", "pages_per_host"),
    "a key nobody knows": ("seeds = 3", "sedes = 3", "sedes"),
    "no target pages": ("target_share = 0.68", "target_share = 0.0", "target_share"),
    "no TOML": ("[hosts]", "[hosts", "cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_impossible_profiles_are_refused_in_a_sentence(case: str, tmp_path: Path) -> None:
    before, after, word = IMPOSSIBLE[case]
    import langcrawl.virtualweb.synth as package

    text = (Path(package.__file__).parent / "profiles" / "thai-2005.toml").read_text("utf-8")
    assert before in text
    path = tmp_path / "own.toml"
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(BadInput, match=word):
        load_profile(str(path))


def test_a_web_too_small_for_its_seeds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="too small"):
        generate(tmp_path / "web", load_profile("thai-2005"), 5, 1)
    assert not (tmp_path / "web").exists()


def test_ctrl_c_leaves_nothing_and_a_second_run_succeeds(cli: Cli, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "langcrawl", "synth", "web", "--pages", "4000000"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        draft = tmp_path / "web" / "draft.tmp" / "log" / "pages"
        deadline = time.monotonic() + 120
        while not list(draft.glob("*.parquet")) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert list(draft.glob("*.parquet"))
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 130
    assert not (tmp_path / "web").exists()
    assert cli("synth", "web", "--pages", "2000").returncode == 0
