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

SCHEMES = ("http://", "https://")
_BEHIND_SCHEME = len("https://")
_MAX_LENGTH, _SHORT = 2083, 300
_MOST_LINKS = 1 << 16
"""Absolute links that are kept with where they lead."""
_PLAIN = re.compile(r"https?://[a-z0-9][a-z0-9.-]*\.[a-z]{2,}/[A-Za-z0-9/_.~-]*")
"""What is canonical already, but for dots as names of folders and names in Punycode."""
_NO_URL = (ValueError, TypeError)  # the latter for text that is no Unicode

_BAD_PORTS = frozenset((
    # "bad ports" of the WHATWG's fetch standard: no browser asks them
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
    # remote desktops, files and databases, of which some take a request for a command
    445, 873, 1433, 1521, 2375, 2376, 3306, 3389, 5432, 5900, 6379, 11211, 27017,
))  # fmt: skip

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
        if href.startswith(SCHEMES) and len(href) <= _SHORT:
            return absolute_links.get(href) or _absolute_link(href) or None
        url = self(href)
        return without_noise(url) if url else None


absolute_links: dict[str, str] = {}
"""Where absolute links lead, "" for nowhere: the pages of a site link to the same places again and
again. Python's own cache would take longer, as links that are not there are many."""


def _absolute_link(href: str) -> str:
    """Where an absolute link leads, to be known from now on."""
    url: str | None = href
    if not _PLAIN.fullmatch(href) or "/." in href or "xn--" in href:
        url = canonical(href)
        url = without_noise(url) if url else ""
    if len(absolute_links) >= _MOST_LINKS:
        absolute_links.clear()
    absolute_links[href] = url or ""
    return url or ""


def _canonical(parsed: can_ada.URL) -> str | None:
    href: str = parsed.href
    if not href.startswith(SCHEMES):
        return None
    if "#" in href or "@" in href:
        parsed.hash = parsed.username = parsed.password = ""
        href = parsed.href
    return href if len(href) <= _MAX_LENGTH else None


def without_noise(url: str) -> str:
    """A canonical URL without session ids and without parameters that only track visitors.

    The rules look behind the host only, and what they leave is brought into canonical form:
    without its session id, ``/a/..;jsessionid=1/`` is another path than it seems.
    """
    start = url.find("/", _BEHIND_SCHEME)
    rest = url[start:]
    if ";" in rest or "/(" in rest:
        rest = _PATH_SESSION.sub("", rest)
    if "?" in rest and (kept := _NOISE.sub("", rest)) != rest:
        rest = kept.rstrip("&").removesuffix("?")
    if len(rest) == len(url) - start:
        return url
    return canonical(url[:start] + rest) or url


def host_of(url: str) -> str:
    """The host, with its port where one is named, of a canonical URL."""
    return url.split("/", 3)[2]


def origin_of(url: str) -> str:
    """Scheme, host and port of a canonical URL: ``http://host``."""
    return "/".join(url.split("/", 3)[:3])


def has_web_port(host: str) -> bool:
    """Whether a host's port may be asked: not one on which other services than webs listen."""
    if ":" not in host:
        return True
    port = host.rpartition(":")[2]
    return not (port.isdigit() and int(port) in _BAD_PORTS)


def segment_of(url: str) -> str:
    """The website segment of a canonical URL: its host and its path up to the last ``/``.

    Without scheme and query, as in Figure 6 of paper 004: ``/travel`` lies in the segment ``/``.
    """
    path = url.partition("?")[0]
    return path[path.find("/") + 2 : path.rfind("/") + 1]


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


def is_robots_txt(url: str) -> bool:
    """Whether a canonical URL is that of a robots.txt, which is archived and is no page."""
    return url.split("/", 3)[3:] == ["robots.txt"]
