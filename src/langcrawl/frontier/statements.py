"""The SQL statements of the frontier. An update names only the columns that change."""

from __future__ import annotations

from functools import lru_cache

from langcrawl.records import Facts

FACTS = (*Facts._fields, "parent", "found_by", "hops", "tries", "reason", "evidence")
"""What is known of a URL that waits, in the order of a visit's own fields."""
INSERT = (
    f'INSERT INTO known (host, fp, id, "group", state, priority, arrival, first, '
    f"{', '.join(FACTS)}) VALUES ({', '.join('?' * (8 + len(FACTS)))})"
)
INSERT_TEXT = "INSERT INTO urls (id, url) VALUES (?, ?)"
_THIS = "WHERE host = ? AND fp = ?"
_SET_FACTS = f"({', '.join(FACTS)}) = ({', '.join('?' * len(FACTS))})"
QUEUE = (
    f'UPDATE known SET state = 1, "group" = ?, priority = ?, arrival = ?, first = ?, '
    f"{_SET_FACTS} {_THIS}"
)
MOVE = f"UPDATE known SET priority = ?, arrival = ?, {_SET_FACTS} {_THIS}"
MOVE_AND_TAKE = f"UPDATE known SET state = 2, priority = ?, arrival = ?, {_SET_FACTS} {_THIS}"
MOVE_UNLESS_OUTDATED = f"{MOVE} AND state = 1 AND abs(arrival) < abs(?)"
"""A move is outdated where the URL no longer waits, or has moved since."""
ADD_TO_JOURNAL = "INSERT INTO moves (rows) VALUES (?)"
READ_JOURNAL = "SELECT rows FROM moves ORDER BY number"
LAST_OF_JOURNAL = "SELECT coalesce(max(number), 0) FROM moves"
FORGET_JOURNAL = "DELETE FROM moves WHERE number <= ?"
RELATE = f"UPDATE known SET {_SET_FACTS} {_THIS}"
REVISE = f"UPDATE known SET run = ?, depth = ?, anchor_score = ?, parent_share = ? {_THIS}"
REVISE_EVIDENCE = REVISE.replace("parent_share = ?", "parent_share = ?, evidence = ?")
TURN = f"UPDATE known SET state = ? {_THIS}"
RETURN = f"UPDATE known SET state = 1, first = ?, tries = ? {_THIS}"
END_LEASE = f"UPDATE known SET state = 1, first = ? {_THIS}"
_VISITS = (
    f"SELECT it.url, known.id, fp, priority, arrival, {', '.join(Facts._fields)}, "
    f"coalesce(the_parent.url, ''), {', '.join(FACTS[len(Facts._fields) + 1 :])}, parent "
    "FROM known JOIN urls AS it ON it.id = known.id "
    "LEFT JOIN urls AS the_parent ON the_parent.id = parent WHERE state = 1 AND "
)
ONE = f"{_VISITS} host = ? AND fp = ?"
FIRST_OF_HOST = f"{_VISITS} host = ? ORDER BY priority, arrival LIMIT ?"
OF_HOST = f"{_VISITS} host = ? ORDER BY first"
OF_GROUP = f'{_VISITS} "group" = ? ORDER BY first'
GROUP = f'UPDATE known SET "group" = ? {_THIS}'
ALL_WAITING = "SELECT host, fp, url FROM known JOIN urls USING (id) WHERE state = 1"
STATES = (
    "SELECT url, priority, run, depth, anchor_score, parent_share "
    "FROM known JOIN urls USING (id) WHERE state = 1"
)
URLS_OF = "SELECT urls.id, url FROM json_each(?) JOIN urls ON urls.id = json_each.value"
ARRIVAL = f"SELECT arrival FROM known {_THIS}"


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


@lru_cache(128)
def hosts_of_groups(count: int) -> str:
    """A query for those of so many groups that have waiting URLs, and the hosts of these."""
    return (
        'SELECT DISTINCT "group", host FROM known WHERE state = 1 AND "group" IN '
        f"({', '.join('?' * count)})"
    )


@lru_cache(128)
def evidence_of(count: int) -> str:
    """A query for what a ranker kept of so many pairs of host and fingerprint."""
    pairs = ", ".join(["(?, ?)"] * count)
    return (
        f"WITH wanted (h, f) AS (VALUES {pairs}) SELECT fp, evidence "
        "FROM wanted CROSS JOIN known ON host = h AND fp = f WHERE state = 1"
    )
