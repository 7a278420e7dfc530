"""What can be known of shards on Ray without Ray; `on_ray.py` has the rest."""

from __future__ import annotations

import sys
import threading

import pytest

from langcrawl.cluster.actors import ActorChannel, on_ray
from langcrawl.cluster.messages import Allow, Event, Stop
from langcrawl.config import CrawlConfig
from langcrawl.errors import UsageError


def test_without_ray_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    config = CrawlConfig(lang="th", shards=2, cluster="local")
    with pytest.raises(UsageError, match=r"langcrawl\[cluster\]"), on_ray(config):
        raise AssertionError("it began")


def test_an_actor_carries_messages_both_ways_in_their_order() -> None:
    channel = ActorChannel()
    heard = []

    def shard() -> None:
        while True:
            if channel.poll(5.0):
                message = channel.receive()
                heard.append(message)
                channel.send(Event("heard", str(len(heard))))
                if isinstance(message, Stop):
                    return

    thread = threading.Thread(target=shard)
    thread.start()
    orders = [Allow(number, 10.0 * number) for number in range(3)]
    said = channel.exchange([*orders, Stop()])
    thread.join(30)
    said += channel.exchange([])
    assert heard == [*orders, Stop()]
    assert [event.words for event in said if isinstance(event, Event)] == ["1", "2", "3", "4"]
    assert channel.exchange([]) == [], "a shard that is quiet has nothing to say"
