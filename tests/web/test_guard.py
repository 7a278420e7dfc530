"""The address guard: every notation of every address that is not the public internet's."""

from __future__ import annotations

import asyncio

import pytest

from langcrawl.errors import UsageError
from langcrawl.url import canonical
from langcrawl.web.fetch import Fetcher, FetchError, FetchSettings
from langcrawl.web.guard import ConnectTo, is_public, is_public_name, literal

PRIVATE = (
    "127.0.0.1", "127.255.255.254", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "100.100.100.200", "0.0.0.0", "0.1.2.3", "192.0.0.192",
    "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "224.0.0.1",
    "239.255.255.250", "240.0.0.1", "255.255.255.255", "168.63.129.16",
    "::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00::1", "fd00:ec2::254",
    "ff02::1", "ff0e::1", "::ffff:10.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "::8.8.8.8",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:0001::", "2002:808:808::",
    "2001:0:7f00:1::", "2001:db8::1", "2001:10::1", "3fff::1", "100::1", "4000::1", "5f00::1",
)  # fmt: skip
PUBLIC = ("8.8.8.8", "93.184.216.34", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808")

NOTATIONS = (
    "http://127.0.0.1/", "http://127.0.0.1./", "http://127.1/", "http://127.0.1/",
    "http://2130706433/", "http://017700000001/", "http://0x7f000001/", "http://0x7f.0x0.0x0.0x1/",
    "http://0177.0.0.01/", "http://0X7F.1/", "http://127.0x0.1/", "http://127.00000.1/",
    "http://%31%32%37.0.0.1/", "http://127%2e0%2e0%2e1/", "http://１２７.０.０.１/",
    "http://127。0。0。1/", "http://①②⑦.0.0.1/", "http://0/", "http://0x/", "http://00.0x0/",
    "http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::127.0.0.1]/",
    "http://[::ffff:127.0.0.1]/", "http://[::FFFF:7F00:1]/", "http://[0:0:0:0:0:ffff:7f00:0001]/",
    "http://[64:ff9b::127.0.0.1]/", "http://[2002:7f00:1::]/", "http://[2001:0:0:0:0:0:80ff:fffe]/",
    "http://[fe80::1]/", "http://[fd00:ec2::254]/", "http://[::]/",
    "http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/", "http://169.16689662/", "http://100.100.100.200/",
    "http://168.63.129.16/", "http://192.0.0.192/", "http://10.1/", "http://192.168.257/",
    "http://user:password@127.0.0.1/", "http://8.8.8.8@127.0.0.1/", "http://127.0.0.1:8080/",
    "http:\\\\127.0.0.1\\", "http:127.0.0.1/", "HTTP://LOCALHOST/", "http://localhost./",
    "http://a.b.localhost/", "http://metadata.google.internal/", "http://metadata/",
    "http://printer.local/", "http://router.lan/", "http://nas.home.arpa/",
    "http://localhost.localdomain/", "http://ⓛocalhost/", "http://loc%61lhost/",
)  # fmt: skip
"""As they might stand in a link, a redirect, a robots.txt or a sitemap."""
NO_URLS = ("http://[fe80::1%25eth0]/", "http://[::1%lo]/", "http://256.1.1.1/", "http://1.2.3.4.5/",
           "http://0x7f.1.1.1.1/", "http://[::1/", "http://127.0.0.1:99999/")  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


def word_for(url: str, settings: FetchSettings, lookup_answer: str = "127.0.0.1") -> str:
    async def ask() -> str:
        fetcher = Fetcher(settings, lambda name: [lookup_answer])
        try:
            for attempt in (fetcher.address_of, fetcher.fetch):
                try:
                    await attempt(url)
                except FetchError as error:
                    word = error.word
                else:
                    word = ""
                if word != "address":
                    break
            return word
        finally:
            await fetcher.close()

    return asyncio.run(ask())


@pytest.mark.parametrize("url", NOTATIONS)
def test_no_notation_of_a_private_address_is_asked_directly_or_by_proxy(url: str) -> None:
    address = canonical(url)
    assert address is not None
    assert word_for(address, FetchSettings("t/1")) == "address"
    assert word_for(address, FetchSettings("t/1", proxy="http://127.0.0.1:9")) == "address"


@pytest.mark.parametrize("url", NO_URLS)
def test_notations_that_are_no_url(url: str) -> None:
    assert canonical(url) is None


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f.1", "017700000001", "127.1", "127.0.0.1.", "１２７.0.0.1", "[::1]",
     "%31%32%37.0.0.1", "[fe80::1%eth0]", "localhost", "a.localhost.", "metadata"],
)  # fmt: skip
def test_a_host_that_was_not_made_canonical_is_seen_through_as_well(host: str) -> None:
    assert not is_public_name(host)


@pytest.mark.parametrize("address", [address for address in PRIVATE if "%" not in address])
def test_a_public_name_at_a_private_address_is_refused(address: str) -> None:
    assert word_for("http://innocent.th/", FetchSettings("t/1"), address) == "address"


def test_names_are_names_and_addresses_addresses() -> None:
    assert literal("8.8.8.8") == "8.8.8.8"
    assert literal("0x8.0x8.0x808") == "8.8.8.8"
    assert literal("[2001:4860::1]") == "2001:4860::1"
    assert literal("a.th") is None
    assert is_public_name("a.th")
    assert is_public_name("internal.example.th")
    assert is_public_name("mylocalhost.th")


def test_empty_parts_of_a_rule_match_anything() -> None:
    rule = ConnectTo.parse("www.example.th::127.0.0.1:8080")
    assert rule.matches("www.example.th", 443)
    assert not rule.matches("example.th", 443)
    assert ConnectTo.parse("::127.0.0.1:8080").matches("anything", 80)


@pytest.mark.parametrize("text", ["localhost", "a:b:c", "a:x:b:80", "a:80:b:c:d"])
def test_a_rule_that_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(UsageError, match="HOST1:PORT1:HOST2:PORT2"):
        ConnectTo.parse(text)
