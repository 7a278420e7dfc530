"""Moves that wait to be written with others: none is lost, none comes twice, they stay bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl.frontier import moves
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.records import Facts, Visit

FACTS = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)
HOSTS, URLS = 20, 5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "frontier.db"


def visit(host: int, number: int, priority: float) -> Visit:
    return Visit(f"http://host{host}/{number}", f"host{host}", FACTS, priority, "")


def filled(path: Path) -> SqliteFrontier:
    frontier = SqliteFrontier(path)
    for number in range(URLS):
        for host in range(HOSTS):
            frontier.put(visit(host, number, 9.0))
    frontier.commit()
    return frontier


def in_the_table(frontier: SqliteFrontier, priority: float) -> int:
    count = "SELECT count(*) FROM known WHERE priority = ?"
    return frontier.connection.execute(count, (priority,)).fetchone()[0]


def journal(frontier: SqliteFrontier) -> int:
    return frontier.connection.execute("SELECT count(*) FROM moves").fetchone()[0]


def taken(frontier: SqliteFrontier) -> list[str]:
    urls = []
    while found := frontier.take(lambda host: True, overtake=False):
        urls.append(found.url)
        frontier.finish(found.url)
    return urls


def test_moves_stand_in_the_journal_and_are_written_by_the_next_process(path: Path) -> None:
    frontier = filled(path)
    for host in range(HOSTS):
        frontier.put(visit(host, 3, 1.0))
    frontier.commit()
    assert (in_the_table(frontier, 1.0), journal(frontier)) == (0, 1)
    frontier.close()
    again = SqliteFrontier(path)
    assert (in_the_table(again, 1.0), journal(again)) == (HOSTS, 0)
    assert taken(again)[:HOSTS] == [f"http://host{host}/3" for host in range(HOSTS)]


def test_the_turn_of_a_host_writes_its_moves(path: Path) -> None:
    frontier = filled(path)
    frontier.put(visit(7, 2, 1.0))
    frontier.put(visit(8, 2, 2.0))
    found = frontier.take(lambda host: True, overtake=False)
    assert found is not None
    assert found.url == "http://host7/2"
    assert (in_the_table(frontier, 1.0), in_the_table(frontier, 2.0)) == (1, 0)


def test_a_move_knows_its_parent_even_one_that_was_just_met(path: Path) -> None:
    frontier = filled(path)
    frontier.lookup(["http://new.example/"])
    frontier.put(visit(7, 2, 1.0)._replace(parent="http://new.example/"))
    found = frontier.take(lambda host: True, overtake=False)
    assert found is not None
    assert (found.url, found.parent) == ("http://host7/2", "http://new.example/")


def test_what_was_taken_or_dropped_since_is_not_moved_again(path: Path) -> None:
    frontier = filled(path)
    for host in (1, 2, 3):
        frontier.put(visit(host, 0, 1.0))
    frontier.commit()
    for _ in range(2):
        found = frontier.take(lambda host: True, overtake=False)
        assert found is not None
        frontier.finish(found.url)
    frontier.drop("http://host3/0")
    frontier.put(visit(3, 0, 5.0))
    frontier.commit()
    assert journal(frontier) == 1
    frontier.close()
    again = SqliteFrontier(path)
    assert taken(again)[0] == "http://host3/0"
    assert len(again) == 0
    assert in_the_table(again, 5.0) == 1


def test_to_settle_leaves_nothing_to_the_next_process(path: Path) -> None:
    frontier = filled(path)
    for host in range(HOSTS):
        frontier.put(visit(host, 3, 1.0))
    frontier.write_all()
    assert (in_the_table(frontier, 1.0), journal(frontier)) == (HOSTS, 0)
    frontier.close()
    assert taken(SqliteFrontier(path))[:HOSTS] == [f"http://host{h}/3" for h in range(HOSTS)]


def test_neither_moves_nor_journal_grow_without_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moves, "_MANY", 8)
    monkeypatch.setattr(moves, "_REGION_BITS", 3)
    frontier = filled(path)
    last = {}
    for step in range(400):
        host, number = step * 7 % HOSTS, step * 3 % URLS
        priority = 8.0 - step / 100
        frontier.put(visit(host, number, priority))
        last[f"http://host{host}/{number}"] = priority
        frontier.commit()
        assert len(frontier._moves) <= 8
        assert journal(frontier) < 100
    frontier.close()
    again = SqliteFrontier(path)
    expected = sorted(last, key=last.__getitem__)
    assert taken(again)[: len(expected)] == expected


def test_a_url_that_moves_again_and_again_takes_no_more_room(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moves, "_MANY", 8)
    frontier = filled(path)
    for step in range(100):
        frontier.put(visit(0, 0, 8.0 - step / 100))
        frontier.commit()
        assert len(frontier._moves) <= 8
    assert taken(frontier)[0] == "http://host0/0"
