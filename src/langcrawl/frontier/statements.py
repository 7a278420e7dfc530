"""What the frontier says to its database. A change names only the columns that change."""

from __future__ import annotations

from functools import lru_cache

from langcrawl.records import Facts

FACTS = (*Facts._fields, "parent", "via")
INSERT = (
    f"INSERT INTO known (host, fp, id, state, priority, arrival, first, {', '.join(FACTS)}) "
    f"VALUES ({', '.join('?' * (7 + len(FACTS)))})"
)
INSERT_TEXT = "INSERT INTO urls (id, url) VALUES (?, ?)"
_THIS = "WHERE host = ? AND fp = ?"
_SET_FACTS = f"({', '.join(FACTS)}) = ({', '.join('?' * len(FACTS))})"
QUEUE = f"UPDATE known SET state = 1, priority = ?, arrival = ?, first = ?, {_SET_FACTS} {_THIS}"
MOVE = f"UPDATE known SET priority = ?, arrival = ?, {_SET_FACTS} {_THIS}"
MOVE_UNLESS_OUTDATED = f"{MOVE} AND state = 1 AND abs(arrival) < abs(?)"
"""A move is outdated where the URL no longer waits, or has moved since."""
ADD_TO_JOURNAL = "INSERT INTO moves (rows) VALUES (?)"
READ_JOURNAL = "SELECT rows FROM moves ORDER BY number"
LAST_OF_JOURNAL = "SELECT coalesce(max(number), 0) FROM moves"
FORGET_JOURNAL = "DELETE FROM moves WHERE number <= ?"
RELATE = f"UPDATE known SET {_SET_FACTS} {_THIS}"
REVISE = f"UPDATE known SET run = ?, depth = ?, anchor_score = ?, parent_share = ? {_THIS}"
TURN = f"UPDATE known SET state = ? {_THIS}"
RETURN = f"UPDATE known SET state = 1, first = ? {_THIS}"
_VISITS = (
    f"SELECT it.url, known.id, fp, priority, arrival, {', '.join(Facts._fields)}, "
    "coalesce(the_parent.url, ''), via FROM known JOIN urls AS it ON it.id = known.id "
    "LEFT JOIN urls AS the_parent ON the_parent.id = parent WHERE host = ? AND state = 1"
)
FIRST_OF_HOST = f"{_VISITS} ORDER BY priority, arrival LIMIT 2"
OF_HOST = f"{_VISITS} ORDER BY first"
NEXT_HOST = (
    "SELECT host, priority, arrival, url FROM known JOIN urls USING (id) "
    "WHERE state = 1 AND host > ? ORDER BY host, priority, arrival LIMIT 1"
)


@lru_cache(128)
def look_up(count: int) -> str:
    """A query for so many pairs of host and fingerprint.

    Two URLs are the same if both are equal, which is 128 bits: no text is compared.
    """
    pairs = ", ".join(["(?, ?)"] * count)
    return (
        f"WITH wanted (h, f) AS (VALUES {pairs}) "
        "SELECT fp, id, state, priority, run, depth, anchor_score, parent_share "
        "FROM wanted CROSS JOIN known ON host = h AND fp = f"
    )
