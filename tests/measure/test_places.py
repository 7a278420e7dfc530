"""Where pages are, and what they are written in there."""

from __future__ import annotations

from pathlib import Path

from tests.webs import P, Web, graph_of, write_web

from langcrawl.log.graph import load_graph
from langcrawl.measure.places import places_of
from langcrawl.measure.tally import tally_pages

WEB: Web = {
    "www.shop.co.th/": P("th"),
    "img.shop.co.th/": P("en"),
    "shop.com:8080/": P("th"),
    "127.0.0.1/": P("ja"),
    "localhost/": P("und", ("elsewhere.or.th/",)),
}


def test_hosts_of_one_registered_domain_are_in_one_place() -> None:
    graph = graph_of(WEB)
    places = places_of(graph)
    hosts = graph.hosts.to_pylist()
    domain = dict(zip(hosts, places.domain.tolist(), strict=True))
    tld = {host: places.tlds[code] for host, code in zip(hosts, places.tld, strict=True)}
    assert domain["www.shop.co.th"] == domain["img.shop.co.th"] != domain["shop.com:8080"]
    assert (tld["www.shop.co.th"], tld["shop.com:8080"], tld["127.0.0.1"]) == (".th", ".com", "ip")
    assert tld["elsewhere.or.th"] == ".th"
    assert places.domains == len(set(domain.values())) == 5


def test_an_empty_web_has_no_places() -> None:
    places = places_of(graph_of({}))
    assert (places.tlds, places.domains) == ([], 0)


def test_languages_are_counted_alike_from_arrays_and_from_tables(tmp_path: Path) -> None:
    there = load_graph(write_web(tmp_path, WEB))
    tables = tally_pages(there, places_of(there))
    memory = graph_of(WEB)
    arrays = tally_pages(memory, places_of(memory))
    assert tables.languages == arrays.languages
    assert tables.languages["th"] == {".th": 1, ".com": 1}
    assert tables.languages["ja"] == {"ip": 1}
    assert sum(sum(row.values()) for row in tables.languages.values()) == len(WEB)


def test_charsets_need_the_tables_of_a_log() -> None:
    graph = graph_of(WEB)
    tally = tally_pages(graph, places_of(graph))
    assert tally.charsets == {"header": {}, "meta": {}, "detected": {}}
    assert tally.encodings == {}
