"""The table of all URLs: it grows to its bound, and says what it does not know."""

from __future__ import annotations

import random
from itertools import pairwise
from math import inf
from pathlib import Path

import pytest

from langcrawl.errors import BrokenLog
from langcrawl.frontier import url_index
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.frontier.url_index import ABSENT, BITS, UNTOLD, UrlIndex
from langcrawl.records import Facts, Visit


@pytest.mark.parametrize("many", [0, 1000, 1 << 30])
def test_it_holds_what_it_is_told_last(monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    monkeypatch.setattr(url_index, "_MANY", many)
    monkeypatch.setattr(url_index, "_SLOTS", 4)
    chance = random.Random(1)
    table, known = UrlIndex(), {}
    for _ in range(200):
        some = [chance.randrange(-(1 << 63), 1 << 63) for _ in range(chance.randrange(30))]
        some += chance.sample(sorted(known), min(len(known), 10))
        told = {fp: (len(known) + at, (float(at), at, 1, 0.0, 0.0)) for at, fp in enumerate(some)}
        table.tell((fp, number, kind) for fp, (number, kind) in told.items())
        known |= told
    found = table.find(list(known))
    assert table.complete
    assert [(each >> BITS, table.kinds[each & UNTOLD]) for each in found] == list(known.values())
    assert table.find([5, 6]) == [ABSENT, ABSENT]


def test_a_full_table_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_index, "_MANY", 0)
    monkeypatch.setattr(url_index, "_SLOTS", 4)
    monkeypatch.setattr(url_index, "_LARGEST", 4)
    table = UrlIndex()
    for fp in range(1, 100):
        table.tell([(fp, fp, None)])
    assert not table.complete
    found = table.find(range(1, 100))
    assert [each >> BITS for each in found[:12]] == list(range(1, 13))
    assert set(found[13:]) == {ABSENT}
    table.tell([(3, 3, (1.0, 0, 0, 0.0, 0.0)), (99, 99, None)])
    assert table.kinds[table.find([3])[0] & UNTOLD] == (1.0, 0, 0, 0.0, 0.0)


def test_kinds_beyond_the_last_number_are_untold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_index, "_MOST_KINDS", 3)
    table = UrlIndex()
    table.tell([(1, 7, (1.0, 0, 0, 0.0, 0.0)), (2, 8, (2.0, 0, 0, 0.0, 0.0)), (3, 9, None)])
    assert [each & UNTOLD for each in table.find([1, 2, 3])] == [2, UNTOLD, 0]
    assert [each >> BITS for each in table.find([1, 2, 3])] == [7, 8, 9]


@pytest.fixture(params=[1, 3], ids=["one-thread", "three-threads"])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many threads read a database that is opened."""
    count: int = request.param
    monkeypatch.setattr(url_index, "_WORTH_THREADS", 0)
    monkeypatch.setattr(url_index, "cores", lambda: count)
    return count


def test_ranges_of_hosts_leave_no_host_out(threads: int) -> None:
    ranges = url_index._ranges(threads)
    assert len(ranges) == threads
    assert ranges[0][0] == -(1 << 63)
    assert ranges[-1][1] == (1 << 63) - 1
    assert all(last + 1 == first for (_, last), (first, _) in pairwise(ranges))


@pytest.mark.usefixtures("threads")
def test_a_database_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "a space and ä.db"
    frontier = SqliteFrontier(path)
    for number in range(3000):
        facts = Facts(number % 3, number % 5, 1, 0, 1.0, 0, 0, 0, 0, number % 2, 0.5)
        url = f"http://h{number % 50}/{number}"
        frontier.put(Visit(url, f"h{number % 50}", facts, float(number % 4), ""))
    frontier.lookup(["http://seen/"])
    taken = [frontier.take(lambda host: True, overtake=True) for _ in range(10)]
    for each in taken[:5]:
        assert each is not None
        frontier.finish(each.url)
    frontier.write_all()
    urls = [f"http://h{number % 50}/{number}" for number in range(3000)]
    before = [frontier._known(url)[0] for url in urls]
    stood = frontier.lookup([*urls, "http://seen/"])
    frontier.close()
    again = SqliteFrontier(path)
    assert [again._known(url)[0] for url in urls] == before
    found = again.lookup([*urls, "http://seen/"])
    leased = {each.url for each in taken[5:] if each is not None}
    assert [each for each in found if each[0] not in leased] == stood
    assert leased <= {each[0] for each in found}
    assert found[-1][1] == inf
    assert not again._new


@pytest.mark.usefixtures("threads")
def test_a_database_that_is_opened_has_each_host_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(url_index, "_AT_ONCE", 7)  # so that hosts span what is read together
    path, chance = tmp_path / "frontier.db", random.Random(3)
    frontier = SqliteFrontier(path)
    for number in range(400):
        host = f"h{chance.randrange(40)}"
        facts = Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0)
        visit = Visit(f"http://{host}/{number}", host, facts, float(chance.randrange(3)), "")
        frontier.put(visit)
    for _ in range(30):  # of these, ten are being asked for when the process dies
        visit = frontier.take(lambda host: True, overtake=True)
        assert visit is not None
        if chance.random() < 0.66:
            frontier.finish(visit.url)
    frontier.write_all()
    frontier.close()
    again = SqliteFrontier(path)
    firsts: dict[str, tuple[float, int]] = {}
    rows = again.connection.execute(
        "SELECT url, priority, arrival FROM known JOIN urls USING (id) WHERE state = 1"
    )
    for url, *place in rows:
        host = url.split("/")[2]
        firsts[host] = min(firsts.get(host, (inf, 0)), (place[0], place[1]))
    assert {host: head[:2] for host, head in again._heads._bounds.items()} == firsts
    again.close()


@pytest.mark.usefixtures("threads")
def test_a_url_that_waits_nowhere_is_told_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    frontier = SqliteFrontier(path)
    frontier.put(Visit("http://h/1", "h", Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0), 1.0, ""))
    frontier.commit()
    frontier.connection.execute("UPDATE known SET arrival = NULL")
    frontier.close()
    with pytest.raises(BrokenLog, match="no place in the queue"):
        SqliteFrontier(path)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE known SET host = (SELECT host FROM known ORDER BY arrival LIMIT 1)",
        "UPDATE urls SET url = 'http://a/2' WHERE url = 'http://a/1'",
    ],
    ids=["under another host", "under another URL"],
)
def test_a_url_in_the_place_of_another_is_told_as_damage(tmp_path: Path, damage: str) -> None:
    """Such a URL stayed in the queue when it was taken, so that a crawl went on without end."""
    path = tmp_path / "frontier.db"
    frontier = SqliteFrontier(path)
    for host in "ab":
        facts = Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0)
        frontier.put(Visit(f"http://{host}/1", host, facts, 1.0, ""))
    frontier.commit()
    frontier.connection.execute(damage)
    frontier.close()
    frontier = SqliteFrontier(path)
    with pytest.raises(BrokenLog, match="has the place of another"):
        [frontier.take(lambda host: True, overtake=True) for _ in range(10)]
