"""Which addresses may be asked: public ones, and those that the user names himself.

A name is looked up here and nowhere else, and every address is checked again when its
socket is made, so an address written into a URL is seen as well.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aiohappyeyeballs import AddrInfoType
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import TCPConnector
from aiohttp.resolver import ThreadedResolver

from langcrawl.errors import UsageError
from langcrawl.url import canonical, host_of


class AddressRefused(OSError):
    """The address is private, local or otherwise none of the public web's."""


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
        parts = text.split(":")
        if len(parts) != 4 or not all(_is_port(part) for part in (parts[1], parts[3])):
            raise UsageError(f"--connect-to takes HOST1:PORT1:HOST2:PORT2, not '{text}'.")
        return cls(*parts)

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


class GuardedResolver(AbstractResolver):
    """Looks names up, obeys the ``--connect-to`` rules and lets only public addresses through."""

    def __init__(self, rules: Sequence[ConnectTo] = ()) -> None:
        self._rules = rules
        self._allowed: set[tuple[str, int]] = set()
        self._lookup = ThreadedResolver()

    def rule_for(self, host: str, port: int) -> ConnectTo | None:
        """The first rule that speaks of this host and port."""
        return next((rule for rule in self._rules if rule.matches(host, port)), None)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        rule = self.rule_for(host, port)
        asked = rule.to_host or host if rule else host
        asked_port = int(rule.to_port or port) if rule else port
        found = await self._lookup.resolve(asked, asked_port, family)
        for result in found:
            result["hostname"] = host
            if rule:
                self._allowed.add((result["host"], asked_port))
        kept = [result for result in found if self._may_ask(result["host"], asked_port)]
        if not kept:
            raise AddressRefused(f"{host} is at {found[0]['host']}, which is no public address")
        return kept

    def make_socket(self, info: AddrInfoType) -> socket.socket:
        """The last look before a connection: also addresses that stood in the URL pass here."""
        family, kind, protocol, _, address = info
        if not self._may_ask(str(address[0]), int(address[1])):
            raise AddressRefused(f"{address[0]} is no public address")
        return socket.socket(family, kind, protocol)

    async def close(self) -> None:
        await self._lookup.close()

    def _may_ask(self, address: str, port: int) -> bool:
        return (address, port) in self._allowed or is_public(address)


class GuardedConnector(TCPConnector):
    """Sends addresses written into URLs through the ``--connect-to`` rules as well."""

    async def _resolve_host(self, host: str, port: int, traces: Any = None) -> list[ResolveResult]:
        resolver = self._resolver
        if isinstance(resolver, GuardedResolver) and resolver.rule_for(host, port):
            return await resolver.resolve(host, port, self._family)
        return await super()._resolve_host(host, port, traces)
