"""A web that is planned and not yet written: its hosts, pages, names and links agree."""

from __future__ import annotations

import numpy as np
import pytest

from langcrawl.errors import BadInput
from langcrawl.url import canonical, domain_of, host_of
from langcrawl.virtualweb.synth import load_profile, profiles
from langcrawl.virtualweb.synth.encodings import encoding_names
from langcrawl.virtualweb.synth.hosts import BRIDGE, TARGET, UNKNOWN, Hosts, Tongues
from langcrawl.virtualweb.synth.links import count_new, link_pages
from langcrawl.virtualweb.synth.names import page_urls, unfetched_urls
from langcrawl.virtualweb.synth.pages import statuses
from langcrawl.virtualweb.synth.tables import link_table, page_table, unfetched_table, url_table
from langcrawl.virtualweb.synth.web import Web, plan_web

PAGES = 3_000
Links = tuple[np.ndarray, np.ndarray, np.ndarray]


@pytest.fixture(scope="module", params=profiles())
def web(request: pytest.FixtureRequest) -> Web:
    """A web of every profile; to be read, not changed."""
    return plan_web(load_profile(request.param), PAGES, 4)[0]


@pytest.fixture(scope="module")
def thai() -> Web:
    return plan_web(load_profile("thai-2005"), PAGES, 4)[0]


def links_of(web: Web, first: int, last: int, next_url: int) -> Links:
    """Links of some pages: how many each has, where they lead, hosts of URLs never fetched."""
    new = count_new(web.plan, web.labels.host, web.seed, first, last)
    goals, counts = np.empty(500_000, np.int64), np.zeros(last - first, np.int32)
    hosts = np.empty(new, np.int32)
    total = link_pages(
        web.plan, web.labels.host, web.seed, first, last, next_url, goals, counts, hosts
    )
    return counts, goals[:total], hosts


def test_the_pages_of_hosts_follow_each_other_without_a_gap(web: Web) -> None:
    hosts: Hosts = web.hosts
    sizes = hosts.ok + hosts.leaves
    assert sizes.sum() == PAGES
    assert np.array_equal(hosts.first, np.cumsum(sizes) - sizes)
    assert (sizes > 0).all()
    assert np.array_equal(np.bincount(web.labels.host, minlength=len(hosts)), sizes)
    assert (hosts.main[hosts.target == 1] > 0).all()
    assert not hosts.side[hosts.target == 0].any()


def test_the_hosts_of_a_domain_follow_each_other_in_one_top_level_domain(web: Web) -> None:
    hosts = web.hosts
    assert np.array_equal(np.unique(hosts.domain), np.arange(hosts.domain.max() + 1))
    assert (np.diff(hosts.domain) >= 0).all()
    for domain in range(int(hosts.domain.max()) + 1):
        mine = np.flatnonzero(hosts.domain == domain)
        assert (hosts.domain_size[mine] == len(mine)).all()
        assert (hosts.domain_first[mine] == mine[0]).all()
        assert len(set(hosts.tld[mine].tolist())) == 1


def test_names_are_distinct_and_hosts_of_a_domain_share_it(web: Web) -> None:
    names = web.names.to_pylist()
    assert len(set(names)) == len(names)
    registered = [domain_of(name) for name in names]
    for one, other, domain, following in zip(
        registered, registered[1:], web.hosts.domain, web.hosts.domain[1:], strict=False
    ):
        assert (one == other) == (domain == following)
    ends = list(web.profile.domains)
    for name, tld in zip(names, web.hosts.tld.tolist(), strict=True):
        assert name.endswith(ends[tld])


def test_urls_are_canonical_distinct_and_say_where_a_page_stands(web: Web) -> None:
    host = web.labels.host
    urls = page_urls(web.names, host, web.hosts, 0, web.tongues, web.has_paths).to_pylist()
    assert len(set(urls)) == PAGES
    names = web.names.to_pylist()
    for number, url in enumerate(urls):
        assert host_of(url) == names[host[number]]
        assert canonical(url) == url
    homes = web.hosts.first[web.hosts.ok > 0]
    assert all(urls[page].endswith("/") for page in homes.tolist())
    half = page_urls(web.names, host[1000:], web.hosts, 1000, web.tongues, web.has_paths)
    assert half.to_pylist() == urls[1000:]  # a chunk of pages has the URLs that the whole has


def test_urls_that_nobody_fetched_are_like_no_page(thai: Web) -> None:
    host = np.array([0, 0, 1], np.int32)
    urls = unfetched_urls(thai.names, host, PAGES).to_pylist()
    first, second = (thai.names[at].as_py() for at in (0, 1))
    assert urls == [
        f"http://{first}/x?id=3000", f"http://{first}/x?id=3001", f"http://{second}/x?id=3002",
    ]  # fmt: skip
    table = unfetched_table(thai, host, PAGES)
    assert table["id"].to_pylist() == [3000, 3001, 3002]
    assert table["host"].to_pylist() == [first, first, second]


def test_every_section_is_in_its_language(web: Web) -> None:
    place = np.arange(PAGES) - web.hosts.first[web.labels.host]
    host, language = web.labels.host, web.labels.language
    main = place < web.hosts.main[host]
    side = ~main & (place < web.hosts.ok[host])
    leaf = ~main & ~side
    target = web.hosts.target[host] == 1
    assert set(language[main & target].tolist()) <= {TARGET, BRIDGE}
    assert (language[side] == BRIDGE).all()
    assert set(language[leaf].tolist()) <= {UNKNOWN, BRIDGE}
    assert not (language[~target] == TARGET).any()
    assert not web.labels.meta[language != TARGET].any()
    ours = web.hosts.target == 1
    homes = language[web.hosts.first[ours]]
    assert np.array_equal(homes == BRIDGE, web.hosts.home[ours] > 0)
    odd = (language[main & target & (place > 0)] == BRIDGE).mean()
    assert odd == pytest.approx(web.profile.pages.mixed, abs=0.02)


def test_the_languages_of_a_web_are_numbered_once_the_unknown_first(web: Web) -> None:
    tags = Tongues.of(web.profile).tags
    assert tags[:3] == ("und", web.profile.lang, web.profile.bridge)
    assert len(set(tags)) == len(tags)
    assert set(web.profile.languages) <= set(tags)
    assert int(web.labels.language.max()) < len(tags)


def test_links_lead_to_pages_or_to_urls_that_are_told(web: Web) -> None:
    counts, goals, hosts = links_of(web, 0, PAGES, PAGES)
    assert counts.sum() == len(goals)
    assert goals.min() >= 0
    assert goals.max() < PAGES + len(hosts)
    leaf = np.arange(PAGES) - web.hosts.first[web.labels.host] >= web.hosts.ok[web.labels.host]
    assert not counts[leaf].any()  # what is no page has no links
    source = np.repeat(np.arange(PAGES), counts)
    assert not (source == goals).any()
    told = np.unique(goals[goals >= PAGES])
    assert np.array_equal(told, np.arange(PAGES, PAGES + len(hosts)))  # each is linked to
    assert ((hosts >= 0) & (hosts < len(web.hosts))).all()


def test_links_of_a_chunk_are_those_of_the_whole(thai: Web) -> None:
    """So that chunks can be made on any core; only URLs that nobody fetched go by chunk."""

    def to_pages(first: int, last: int) -> list[list[int]]:
        counts, goals, _ = links_of(thai, first, last, PAGES)
        rows = np.split(goals, np.cumsum(counts)[:-1])
        return [row[row < PAGES].tolist() for row in rows]

    whole = to_pages(0, PAGES)
    assert to_pages(1200, 2100) == whole[1200:2100]
    assert to_pages(0, 1) == whole[:1]


def test_links_for_which_there_is_no_room_are_told_and_not_lost(thai: Web) -> None:
    new = np.empty(count_new(thai.plan, thai.labels.host, thai.seed, 0, PAGES), np.int32)
    counts = np.zeros(PAGES, np.int32)
    small = np.empty(5_000, np.int64)
    assert link_pages(thai.plan, thai.labels.host, thai.seed, 0, PAGES, PAGES, small, counts,
                      new) == -1  # fmt: skip


def test_tables_of_a_chunk_have_a_row_for_each_page_and_link(web: Web) -> None:
    first, last = 500, 900
    counts, goals, _ = links_of(web, first, last, PAGES)
    urls, pages = url_table(web, first, last), page_table(web, first, last)
    links = link_table(web, first, counts, goals)
    assert urls["id"].to_pylist() == pages["id"].to_pylist() == list(range(first, last))
    assert np.array_equal(np.bincount(links["src"].to_numpy(), minlength=last)[first:], counts)
    assert links["dst"].to_pylist() == goals.tolist()
    for name in ("score", "elapsed"):
        values = pages[name].to_numpy()
        assert (values >= 0).all()
    assert (pages["score"].to_numpy() <= 1).all()
    relevant = pages["relevant"].to_numpy(zero_copy_only=False)
    languages = np.array(pages["language"].to_pylist())
    assert set(languages[relevant]) <= {web.profile.lang}
    status = pages["status"].to_numpy()
    assert (status[relevant] == 200).all()
    moved = pages["redirect"].is_valid().to_numpy(zero_copy_only=False)
    assert (status[moved] == 301).all()
    assert not (status[~moved] == 301).any()


def test_anchors_are_words_of_a_language_with_their_scores(thai: Web) -> None:
    counts, goals, _ = links_of(thai, 0, 400, PAGES)
    table = link_table(thai, 0, counts, goals)
    empty = [word == "" for word in table["anchor"].to_pylist()]
    assert np.mean(empty) == pytest.approx(0.15, abs=0.03)  # images without a text
    scores = table["anchor_score"].to_numpy()
    assert (scores[empty] == 0).all()
    thai_words = [any("ก" <= sign <= "๛" for sign in word) for word in table["anchor"].to_pylist()]
    assert scores[thai_words].min() > 0.2
    assert scores[~np.array(thai_words)].max() < 0.2


def test_hosts_have_the_encodings_of_their_domain_in_its_shares(web: Web) -> None:
    names = encoding_names(web.profile)
    target = web.hosts.target == 1
    assert not web.encoding[~target].any()
    if len(names) == 1:
        assert not web.encoding.any()
        return
    assert web.encoding[target].all()
    for number, domain in enumerate(web.profile.domains.values()):
        mine = target & (web.hosts.tld == number)
        allowed = {names.index(name) for name in domain.encodings}
        assert set(web.encoding[mine].tolist()) <= allowed


def test_leaves_answer_with_failures_or_redirects_and_pages_with_200() -> None:
    leaf = np.tile([True, False], 10_000)
    found = statuses(leaf, 0, 1, 0.2)
    assert (found[~leaf] == 200).all()
    assert not (found[leaf] == 200).any()
    assert (found[leaf] == 301).mean() == pytest.approx(0.2, abs=0.02)
    assert (found[leaf] == 404).mean() == pytest.approx(0.8 * 0.55, abs=0.02)
    assert not (statuses(leaf, 0, 1, 0.0) == 301).any()
    assert np.array_equal(statuses(leaf[3000:], 3000, 1, 0.2), found[3000:])


def test_seeds_are_the_most_popular_target_hosts_with_a_home_page_of_their_own() -> None:
    profile = load_profile("thai-2005")
    web, seeds = plan_web(profile, PAGES, 4)
    assert len(seeds) == profile.seeds
    popularity = np.where(web.hosts.target == 1, web.hosts.popularity, -1)
    assert set(popularity[seeds].tolist()) == set(np.sort(popularity)[-len(seeds) :].tolist())
    assert (web.labels.language[web.hosts.first[seeds]] == TARGET).all()


def test_the_same_seed_plans_the_same_web() -> None:
    profile = load_profile("today")
    one, same, other = (plan_web(profile, 1_000, seed)[0] for seed in (1, 1, 2))
    assert one.names.equals(same.names)
    assert np.array_equal(one.labels.language, same.labels.language)
    assert not one.names.equals(other.names)


def test_a_web_that_is_too_small_is_refused_in_a_sentence() -> None:
    with pytest.raises(BadInput, match="a web of 20 pages is too small"):
        plan_web(load_profile("thai-2005"), 20, 1)
