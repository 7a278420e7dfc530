"""Single URLs, pages and hosts of a crawl, found by index: the same as by looking through all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from langcrawl.config import CrawlConfig
from langcrawl.log.segments import read_table
from langcrawl.records import Page, Verdict, Visit
from langcrawl.store.lookup import Lookup
from langcrawl.store.view import HOST_ORDERS, View, open_view
from scripted import kept, kept_crawl, page

HOSTS = ("a.th", "b.th", "c.com", "www.a.th")
SEED = "http://a.th/"
PAGES = 40


def url_of(number: int) -> str:
    return f"http://{HOSTS[number % 4]}/{'x' * (number % 3)}/{number}" if number else SEED


def says(visit: Visit) -> tuple[Page, Verdict]:
    """Page n links to 2n + 1 to 2n + 3; every fifth is missing, every third is Thai."""
    number = int(visit.url.rsplit("/", 1)[1] or 0)
    if number % 5 == 4:
        return page(visit, status=404), Verdict()
    links = [url_of(2 * number + n) for n in (1, 2, 3)]
    thai = number % 3 == 0
    verdict = Verdict("th" if thai else "en", score=float(thai), relevant=thai)
    found = page(visit, links, title=f"page {number}", digest=f"sha1:{number % 7}", bytes=number)
    return found, verdict


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl in three runs, so its log has several segments, and pages beside them."""
    directory = tmp_path_factory.mktemp("lookup") / "c"
    kept(directory, says, seeds=(SEED,), strategy="soft", max_pages=PAGES // 4)
    config = CrawlConfig.load(directory)
    for pages in (PAGES // 2, PAGES):
        with kept_crawl(directory, says, config.model_copy(update={"max_pages": pages})) as found:
            found.run()
    return directory


@pytest.fixture
def view(directory: Path) -> Iterator[View]:
    with open_view(directory) as found:
        yield found


@pytest.fixture
def lookup(view: View) -> Lookup:
    return view.lookup()


def test_every_page_is_found_by_its_url_as_the_log_has_it(directory: Path, lookup: Lookup) -> None:
    rows = read_table(directory, "pages").to_pylist()
    assert len(rows) == PAGES
    for row in rows:
        url = lookup.url_of(row["id"])
        known = lookup.known(url)
        assert known is not None
        assert (known.number, known.state) == (row["id"], "taken")
        (found,) = lookup.pages([known.number]).values()
        assert {key: row[key] for key in found} == found
    some = [row["id"] for row in rows[::3]]
    assert sorted(lookup.pages(some)) == sorted(some)


def test_what_is_not_there_is_not_found(lookup: Lookup) -> None:
    assert lookup.known("http://a.th/never") is None
    assert lookup.host("never.th") is None
    assert lookup.url_of(10**6) == ""
    assert lookup.pages([10**6]) == {}
    assert lookup.linking(10**6) == []
    assert lookup.visits(0) == []


def test_what_waits_knows_its_place_its_parent_and_who_comes_first(
    view: View, lookup: Lookup
) -> None:
    waiting = list(view.waiting())
    assert waiting
    places = {}
    for url, depth in waiting:
        known = lookup.known(url)
        assert known is not None
        assert known.facts is not None
        assert (known.state, known.facts.depth, known.found_by) == ("waiting", depth, "link")
        parent = lookup.known(known.parent)
        assert parent is not None
        assert parent.state == "taken"
        places[url] = (url.split("/")[2], known.priority)
        assert known.priority is not None
    for url, (host, priority) in places.items():
        known = lookup.known(url)
        assert known is not None
        ahead = [other for other in places.values() if other[0] == host and other[1] < priority]
        assert lookup.ahead(known) == len(ahead)


def test_the_pages_that_link_to_a_url_are_the_first_that_did(
    directory: Path, lookup: Lookup
) -> None:
    links = read_table(directory, "links").to_pylist()
    first: dict[int, int] = {}
    for link in links:
        first.setdefault(link["dst"], link["src"])
    for number, source in first.items():
        found = lookup.linking(number)
        assert found[0] == source
        assert set(found) <= {link["src"] for link in links if link["dst"] == number}


def test_hosts_have_what_was_counted(directory: Path, view: View, lookup: Lookup) -> None:
    rows = read_table(directory, "pages").to_pylist()
    for name in HOSTS:
        own = [row for row in rows if lookup.url_of(row["id"]).split("/")[2] == name]
        host = lookup.host(name)
        assert host is not None
        assert (host.downloads, host.relevant) == (len(own), sum(row["relevant"] for row in own))
        assert host.waiting == len([url for url, _ in view.waiting() if url.split("/")[2] == name])
    assert view.downloads() == {row.host: row.pages for row in view.hosts()[1]}, (
        "asked in two ways, the same"
    )


@pytest.mark.parametrize("order", HOST_ORDERS)
def test_hosts_are_listed_in_the_order_asked_for(view: View, order: str) -> None:
    keys = {
        "pages": lambda row: -row.pages,
        "relevant": lambda row: -row.relevant,
        "wasted": lambda row: row.relevant - row.pages,
        "failures": lambda row: -row.failures,
        "name": lambda row: row.host,
    }
    count, rows = view.hosts(sort=order)
    assert count == len(rows) == len(HOSTS)
    assert rows == sorted(rows, key=lambda row: (keys[order](row), row.host))
    parts = [view.hosts(sort=order, first=at, most=1)[1] for at in range(5)]
    assert [row for part in parts for row in part] == rows


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", 4),
        ("a.th", 2),
        ("A.TH", 2),
        ("www", 1),
        ("%", 0),
        ("_.th", 0),
        ("\\", 0),
        ("com", 1),
        ("none", 0),
    ],
)
def test_hosts_are_searched_for_by_any_part_of_their_name(
    view: View, search: str, found: int
) -> None:
    count, rows = view.hosts(search)
    assert count == len(rows) == found
    assert all(search.lower() in row.host for row in rows)


def test_the_latest_pages_come_first(directory: Path, view: View) -> None:
    rows = read_table(directory, "pages").to_pylist()
    relevant = [row["id"] for row in rows if row["relevant"]][::-1]
    failed = [row["id"] for row in rows if row["status"] >= 400][::-1]
    assert relevant
    assert failed
    for most in (1, 3, 1000):
        assert [row["id"] for row in view.latest(["id"], most)] == relevant[:most]
        found = view.latest(["id", "status"], most, relevant=False)
        assert [row["id"] for row in found] == failed[:most]


def test_neighbours_begin_most_alike(lookup: Lookup) -> None:
    near = lookup.neighbours("http://a.th/xx/9", most=3)
    assert len(near) == 3
    assert all(url.startswith("http://a.th/xx/") for url in near)
    assert lookup.neighbours("http://nobody.th/") == []


def test_the_log_is_read_alike_by_view_and_from_its_files(directory: Path, view: View) -> None:
    for name in ("urls", "pages", "links"):
        table = read_table(directory, name)
        columns = table.column_names[:3]
        rows = [row for part in getattr(view, name)(columns) for row in part.to_pylist()]
        assert rows == table.select(columns).to_pylist()
    assert view.tables() is None, "all of it is in files"


def test_before_its_pages_are_in_files_a_view_has_them_all_the_same(tmp_path: Path) -> None:
    directory = tmp_path / "c"
    config = CrawlConfig(lang="th", strategy="bfs", connections=1, seeds=(SEED,), max_pages=9)
    with kept_crawl(directory, says, config) as found:
        found.run()
        with open_view(directory) as view:
            tables = view.tables()
            assert tables is not None
            assert tables["pages"]["id"].to_pylist() == sorted(view.taken())
            lookup = view.lookup()
            known = lookup.known("http://b.th/x/1")
            assert known is not None
            assert lookup.pages([known.number])[known.number]["title"] == "page 1"
            assert lookup.linking(known.number) == [0]
            assert [row["id"] for row in view.latest(["id"], 1)] == [
                max(row["id"] for row in tables["pages"].to_pylist() if row["relevant"])
            ]
    with open_view(directory) as view:
        assert view.tables() is None
        again = view.lookup().known("http://b.th/x/1")
        assert again == known


def test_a_crawl_in_several_languages_is_counted_by_each(tmp_path: Path) -> None:
    def both(visit: Visit) -> tuple[Page, Verdict]:
        number = int(visit.url.rsplit("/", 1)[1] or 0)
        tongue = ("th", "lo", "en")[number % 3]
        links = [f"http://a.th/{n}" for n in range(10)]
        return page(visit, links), Verdict(tongue, relevant=tongue != "en")

    directory = kept(tmp_path / "c", both, lang="th,lo", seeds=("http://a.th/0",))
    with open_view(directory) as view:
        assert view.languages("th,lo", 7) == {"th": 4, "lo": 3}
        assert view.languages("th", 7) == {"th": 7}
