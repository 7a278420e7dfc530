"""The country of an address, by a file that the user has: a .mmdb database, or networks in lines.

Such databases are published by several parties under licences of their own, so none comes with
langcrawl. Without one, the country of a host is not known, and the predictor goes without it.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from langcrawl.errors import BadInput


class Countries:
    """Two letters for an address, or None."""

    def __init__(self, path: str = "") -> None:
        self._path = path
        self._database: Any = None
        self._networks: dict[tuple[int, int, int], str] = {}
        """Countries by version, length of the prefix, and the prefix as a number."""
        if path:
            self._open(Path(path))
        self.of = lru_cache(1 << 16)(self._of)

    def __bool__(self) -> bool:
        return bool(self._path)

    def _open(self, path: Path) -> None:
        if not path.is_file():
            raise BadInput(
                f"there is no file '{path}'; countries= takes a .mmdb database, or lines of "
                "network, tab, country."
            )
        if path.suffix != ".mmdb":
            self._networks = dict(_lines(path))
            return
        import maxminddb

        try:
            self._database = maxminddb.open_database(path)
        except (maxminddb.InvalidDatabaseError, OSError, ValueError) as error:
            raise BadInput(f"'{path}' is no database of addresses ({error}).") from None

    def _of(self, address: str) -> str | None:
        if not address:
            return None
        try:
            if self._database is not None:
                found = self._database.get(address) or {}
                code = (found.get("country") or found.get("registered_country") or {}).get(
                    "iso_code"
                )
                return str(code) if code else None
            wanted = ip_address(address)
        except (ValueError, AttributeError):
            return None
        for length in range(wanted.max_prefixlen, -1, -1):
            prefix = int(wanted) >> (wanted.max_prefixlen - length)
            if code := self._networks.get((wanted.version, length, prefix)):
                return code
        return None


def _lines(path: Path) -> Any:
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        network, _, code = line.partition("\t")
        try:
            net = ip_network(network.strip(), strict=False)
        except ValueError:
            net = None
        if net is None or len(code.strip()) != 2:
            raise BadInput(
                f"line {number} of '{path}' should be a network, a tab and two letters of a "
                "country, such as 192.0.2.0/24 and TH."
            )
        prefix = int(net.network_address) >> (net.max_prefixlen - net.prefixlen)
        yield (net.version, net.prefixlen, prefix), code.strip().upper()
