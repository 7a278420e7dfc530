"""Who owns which host."""

from __future__ import annotations

from collections import Counter

import pytest

from langcrawl.cluster.owners import Owners

HOSTS = [f"www.site{number}.co.th" for number in range(4_000)]


def test_hosts_are_spread_evenly() -> None:
    owners = Owners(8)
    shares = Counter(owners.of(host) for host in HOSTS)
    assert set(shares) == set(range(8))
    assert max(shares.values()) < 1.2 * len(HOSTS) / 8


def test_the_hosts_of_a_domain_live_together() -> None:
    owners = Owners(16)
    for name in ("site7.co.th", "example.com", "xn--42c.th"):
        hosts = (name, f"www.{name}", f"a.b.{name}", f"{name}:8080")
        assert len({owners.of(host) for host in hosts}) == 1


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 3), (4, 8), (7, 9)])
def test_growing_moves_hosts_to_new_shards_only_and_no_more_than_it_must(
    before: int, after: int
) -> None:
    few, many = Owners(before), Owners(after)
    moved = [host for host in HOSTS if few.of(host) != many.of(host)]
    assert all(many.of(host) >= before for host in moved)
    must = 1 - before / after
    assert len(moved) / len(HOSTS) == pytest.approx(must, abs=0.04)


def test_an_owner_is_the_same_in_every_process_and_version() -> None:
    owners = Owners(5)
    assert [owners.of(host) for host in HOSTS[:8]] == OWNERS


OWNERS = [4, 1, 2, 0, 2, 3, 0, 4]
