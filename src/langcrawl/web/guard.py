"""Which addresses may be asked: public ones, and those that the user names himself.

`fetch` looks names up and asks here of every address before it connects.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from langcrawl.errors import UsageError
from langcrawl.url import canonical, host_of

_HOST = r"(\[[0-9a-fA-F:.]+\]|[^:\[\]]*)"
_RULE = re.compile(f"{_HOST}:([^:]*):{_HOST}:([^:]*)")


@dataclass(frozen=True, slots=True)
class ConnectTo:
    """A rule ``HOST1:PORT1:HOST2:PORT2``: ask HOST2:PORT2 in place of HOST1:PORT1."""

    host: str
    port: str
    to_host: str
    to_port: str

    @classmethod
    def parse(cls, text: str) -> ConnectTo:
        """As in curl; empty parts match anything, or leave it as it is."""
        found = _RULE.fullmatch(text)
        if not found or not all(_is_port(part) for part in found.group(2, 4)):
            raise UsageError(
                f"--connect-to takes HOST1:PORT1:HOST2:PORT2, an IPv6 address in brackets, "
                f"not '{text}'."
            )
        return cls(*found.groups())

    def matches(self, host: str, port: int) -> bool:
        return self.host in ("", host) and self.port in ("", str(port))


def _is_port(text: str) -> bool:
    return not text or (text.isascii() and text.isdigit() and 0 < int(text) < 65536)


_NOT_PUBLIC = tuple(
    ipaddress.ip_network(text)
    for text in (
        "168.63.129.16/32",  # a cloud's metadata service on a public address
        "192.0.0.0/24",  # protocols, and another cloud's metadata service
        "192.88.99.0/24",  # 6to4 relays
        "2001::/23",  # Teredo and other protocols, none of them hosts
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address inside
        "3fff::/20",  # documentation
    )
)
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_INWARD_NAMES = ("localhost", "local", "localdomain", "internal", "lan", "home.arpa")
"""Names, and all below them, that are never on the public internet."""


def is_public(address: str) -> bool:
    """Whether an address belongs to the public internet."""
    ip = ipaddress.ip_address(address.split("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            ip = inner
        elif ip not in _GLOBAL_UNICAST:
            return False
    return ip.is_global and not ip.is_multicast and not any(ip in net for net in _NOT_PUBLIC)


def literal(host: str) -> str | None:
    """The address that a host is, in whatever notation, or None where it is a name."""
    url = canonical(f"http://{host}/")
    text = host_of(url) if url else host
    try:
        return str(ipaddress.ip_address(text.strip("[]").split("%")[0]))
    except ValueError:
        return None


def is_public_name(host: str) -> bool:
    """Whether a host may be looked up: no private address, no name from inside a network."""
    address = literal(host)
    if address is not None:
        return is_public(address)
    name = host.lower().rstrip(".")
    return "." in name and not f".{name}".endswith(tuple(f".{end}" for end in _INWARD_NAMES))
