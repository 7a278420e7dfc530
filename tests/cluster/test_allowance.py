"""The limit of pages, shared out among shards that know only their own part."""

from __future__ import annotations

from random import Random

import pytest

from langcrawl.cluster import allowance as module
from langcrawl.cluster.allowance import Allowance
from langcrawl.cluster.messages import Allow, Report


class Shard:
    """A shard that downloads a page whenever it may and has one; its mail arrives late."""

    def __init__(self, pages: int, allowed: float) -> None:
        self.left, self.done, self.allowed, self.order = pages, 0, allowed, 0
        self.mail: list[Allow] = []

    def step(self) -> None:
        if self.left and self.done < self.allowed:
            self.left -= 1
            self.done += 1

    def read(self) -> None:
        if self.mail:
            order = self.mail.pop(0)
            self.allowed, self.order = max(order.pages, self.done), order.order

    def report(self) -> Report:
        idle = "" if self.left else "queue-empty"
        if self.left and self.done >= self.allowed:
            idle = "full"
        return Report(0, 0, idle, self.done, self.done, 0, 0, self.order, self.allowed)


@pytest.mark.parametrize("seed", range(30))
def test_shards_come_to_the_limit_exactly_wherever_the_pages_are(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOW", (0, 4, 256)[seed % 3])
    rng = Random(seed)
    count, limit = rng.randint(1, 6), rng.randint(1, 60)
    pages = [rng.choice((0, 1, 5, 100)) for _ in range(count)]
    allowance = Allowance(limit, [0] * count)
    shards = [Shard(n, allowed) for n, allowed in zip(pages, allowance.allowed, strict=True)]
    reports: dict[int, Report] = {}
    for _ in range(6_000):
        number = rng.randrange(count)
        rng.choice((shards[number].step, shards[number].read))()
        if rng.random() < 0.5:
            reports[number] = shards[number].report()
        if rng.random() < 0.02:  # it dies, and begins anew with what the driver knows
            allowance.forget(number)
            shards[number].mail.clear()
            shards[number].allowed, shards[number].order = allowance.allowed[number], 0
            reports.pop(number, None)
        for told, order in allowance.orders(reports).items():
            shards[told].mail.append(order)
        assert sum(shard.done for shard in shards) <= limit
    assert sum(shard.done for shard in shards) == min(limit, sum(pages))


@pytest.mark.parametrize("pages", [(9_000, 9_000, 9_000), (9_000, 300, 0)])
def test_no_shard_waits_for_its_allowance_while_others_have_plenty(pages: tuple[int, ...]) -> None:
    limit = 6_000
    allowance = Allowance(limit, [0] * len(pages))
    shards = [Shard(n, allowed) for n, allowed in zip(pages, allowance.allowed, strict=True)]
    waited = 0
    for turn in range(limit):
        for shard in shards:
            shard.step()
        waited += shards[0].report().idle == "full"
        if turn % 40 == 0:  # mail takes so long, each way
            for shard in shards:
                shard.read()
            reports = {number: shard.report() for number, shard in enumerate(shards)}
            for number, order in allowance.orders(reports).items():
                shards[number].mail.append(order)
        if sum(shard.done for shard in shards) > limit - 3 * module._LOW:
            break
    assert sum(shard.done for shard in shards) > limit - 3 * module._LOW
    assert not waited


def test_without_a_limit_nobody_is_told_anything() -> None:
    allowance = Allowance(None, [3, 4])
    assert min(allowance.allowed) > 10**9
    assert allowance.orders({0: Shard(1, 1.0).report()}) == {}


def test_a_limit_that_comes_later_binds_and_one_that_goes_frees() -> None:
    allowance = Allowance(None, [3, 4])
    shards = {0: Shard(100, allowance.allowed[0]), 1: Shard(0, allowance.allowed[1])}
    for shard, done in ((shards[0], 3), (shards[1], 4)):
        shard.done = done
    orders = allowance.change(20, {number: shard.report() for number, shard in shards.items()})
    for _ in range(60):
        for number, order in orders.items():
            shards[number].mail.append(order)
        for shard in shards.values():
            shard.read()
            shard.step()
        orders = allowance.orders({number: shard.report() for number, shard in shards.items()})
    assert shards[0].done + shards[1].done == 20
    freed = allowance.change(None, {number: shard.report() for number, shard in shards.items()})
    assert all(order.pages > 10**9 for order in freed.values())
