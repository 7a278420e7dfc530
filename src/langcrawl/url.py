"""URLs in one canonical form, and the parts of them that the crawl reasons about.

A canonical URL is what the WHATWG parser makes of it, with scheme http or https, without
fragment and without user name or password. `without_noise` takes from the links of pages what
names a visitor and not a page; docs/urls.md lists it. Everything behind this module may therefore
take ``url.split("/", 3)[2]`` for its host.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache

import can_ada
from publicsuffixlist import PublicSuffixList

_SCHEMES = ("http://", "https://")
_MAX_LENGTH, _SHORT = 2083, 300
_PLAIN = re.compile(r"https?://[a-z0-9][a-z0-9.-]*\.[a-z]{2,}/[A-Za-z0-9/_.~-]*")
"""What is canonical already, but for dots as names of folders and names in Punycode."""
_NO_URL = (ValueError, TypeError)  # the latter for text that is no Unicode

_NOISE = re.compile(
    r"""(?<=[?&])(?:
        (?:jsessionid|phpsessid|aspsessionid[a-z]{8}|asp\.net_sessionid|oscsid|zenid)=[^&]*
      | (?:sid|sessid|sessionid|session_id)=(?:[0-9a-f]{26,64}|(?=[^&]*\d)[0-9a-z]{20,64})(?![^&])
      | (?:utm_[a-z_]{2,20}|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|ysclid|twclid
          |ttclid|igshid|srsltid|mc_cid|mc_eid|mkt_tok|_hsenc|_hsmi|_ga|_gl|vero_id)=[^&]*
    )(?:&|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_PATH_SESSION = re.compile(
    r";(?:jsessionid|phpsessid)=[^/?;&]*|/\(S\([0-9a-z]{24}\)\)(?=/)", re.IGNORECASE
)


def canonical(url: str) -> str | None:
    """The canonical form of an absolute URL, or None where it is no web address."""
    try:
        return _canonical(can_ada.parse(url.strip()))
    except _NO_URL:
        return None


class Resolver:
    """Turns the links of one page into canonical URLs; made once for each page."""

    def __init__(self, page_url: str, base_href: str = "") -> None:
        self._base = can_ada.parse(page_url)
        if base_href:
            with suppress(*_NO_URL):  # as browsers do: a base that is no URL is not there
                self._base = self._base + base_href.strip()

    def __call__(self, href: str) -> str | None:
        """The canonical URL that a link leads to, or None where it leads to no web page."""
        try:
            return _canonical(self._base + href.strip())
        except _NO_URL:
            return None

    def link(self, href: str) -> str | None:
        """The same for a link on a page: without what names its reader (`without_noise`)."""
        if len(href) <= _SHORT:
            if _PLAIN.fullmatch(href) and "/." not in href and "xn--" not in href:
                return href
            if href.startswith(_SCHEMES):
                return _absolute_link(href)
        url = self(href)
        return without_noise(url) if url else None


@lru_cache(maxsize=1 << 16)
def _absolute_link(href: str) -> str | None:
    """Kept, because the pages of a site link to the same places again and again."""
    url = canonical(href)
    return without_noise(url) if url else None


def _canonical(parsed: can_ada.URL) -> str | None:
    href: str = parsed.href
    if not href.startswith(_SCHEMES):
        return None
    if "#" in href or "@" in href:
        parsed.hash = parsed.username = parsed.password = ""
        href = parsed.href
    return href if len(href) <= _MAX_LENGTH else None


def without_noise(url: str) -> str:
    """A canonical URL without session ids and without parameters that only track visitors."""
    if ";" in url or "/(" in url:
        url = _PATH_SESSION.sub("", url)
    if "?" in url and (kept := _NOISE.sub("", url)) != url:
        url = kept.rstrip("&").removesuffix("?")
    return url


def host_of(url: str) -> str:
    """The host, with its port where one is named, of a canonical URL."""
    return url.split("/", 3)[2]


def path_slashes(url: str) -> int:
    """How many ``/`` are in the path of a canonical URL; at least the one it begins with."""
    return url.partition("?")[0].count("/") - 2


def tld_of(host: str) -> str:
    """The top-level domain with its dot (``.th``), or ``ip`` for an address."""
    name = without_port(host)
    last = name.rsplit(".", 1)[-1]
    return "ip" if last.isdigit() or name.startswith("[") else f".{last}"


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


@lru_cache(maxsize=1 << 16)
def domain_of(host: str) -> str:
    """The registered domain of a host by the public suffix list; the host where it has none."""
    name = without_port(host)
    if tld_of(host) == "ip":
        return name
    return _suffixes().privatesuffix(name) or name


def without_port(host: str) -> str:
    """The name or address of a host."""
    if host.startswith("["):
        return host.split("]", 1)[0] + "]"
    return host.split(":", 1)[0]
