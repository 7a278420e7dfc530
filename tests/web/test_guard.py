"""The address guard and the --connect-to rules."""

from __future__ import annotations

import pytest

from langcrawl.errors import UsageError
from langcrawl.web.guard import ConnectTo, is_public


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2001:4860:4860::8888", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:10.0.0.1", False),
        ("2002:7f00:0001::", False),
    ],
)
def test_only_addresses_of_the_public_internet_are_public(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_empty_parts_of_a_rule_match_anything() -> None:
    rule = ConnectTo.parse("www.example.th::127.0.0.1:8080")
    assert rule.matches("www.example.th", 443)
    assert not rule.matches("example.th", 443)
    assert ConnectTo.parse("::127.0.0.1:8080").matches("anything", 80)


@pytest.mark.parametrize("text", ["localhost", "a:b:c", "a:x:b:80", "a:80:b:c:d"])
def test_a_rule_that_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(UsageError, match="HOST1:PORT1:HOST2:PORT2"):
        ConnectTo.parse(text)
