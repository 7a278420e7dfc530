"""Traps: places on the web with endless URLs and hardly any pages.

Some give themselves away by the form of a URL: paths that repeat themselves, calendars that go
on into the far future. Others show only in what was downloaded: where the pages of a host whose
URLs are alike say nearly all the same, more of them are not worth asking for; nor are more hosts
of a domain whose hosts say nearly all the same. A page left out wrongly is worse than a trap that
costs some downloads, so the rules are wide.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import Any, TypeVar

from langcrawl.url import domain_of, tld_of

K = TypeVar("K")
V = TypeVar("V")

_MOST_SEGMENTS, _MOST_PARAMETERS = 25, 30
_IN_A_ROW, _IN_ALL = 3, 4
"""How often two names or more may not follow each other in a path, and how often one may not
stand in it at all."""

_CALENDAR = re.compile(r"[CcKk]alend|[Aa]genda|[?&/](?:month|week|day|date|events?)\b")
_DATE = re.compile(
    r"(?<!\d)(\d{4})[-/_](?:0?[1-9]|1[0-2])(?!\d)"
    r"|[?&](?:\w{0,20}year|y|yr)=(\d{4})(?!\d)"
    r"|[?&]\w{0,20}(?:date|day|month)=(\d{4})(?:\d\d){1,2}(?!\d)"
)
_AHEAD, _BUDDHIST_ERA, _FIRST_BUDDHIST_YEAR = 3, 543, 2400
_MOST_DATES, _MOST_CALENDARS = 2_000, 10_000

_NUMBER, _HASH = re.compile(r"\d+"), re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{8,}\b")
_ENOUGH, _FEW = 30, 2
"""Of so many pages that are alike in their URLs, so few different ones show a trap."""
_MISSES, _MISSED_PATTERNS, _MISSED_PAGES = 5, 5, 10
_ANY_HOST = "*."
_MOST_HOSTS, _MOST_PATTERNS, _MOST_TEXTS, _MOST_TRAPS = 10_000, 32, 64, 1_000


def endless_form(url: str) -> str:
    """The reason to leave out a URL that no site would give to a page, if it is one."""
    path, _, query = url.partition("?")
    if path.count("/") >= _IN_ALL + 3:
        segments = path.split("/")[3:-1]
        if len(segments) > _MOST_SEGMENTS:
            return "trap-path"
        if len(set(segments)) < len(segments) - 1 and _repeats(segments):
            return "trap-repeats"
    if "&" in query:
        parameters = query.split("&")
        if len(parameters) > _MOST_PARAMETERS:
            return "trap-query"
        if len(set(parameters)) < len(parameters) - 1 and _thrice(parameters):
            return "trap-repeats"
    return ""


def _repeats(segments: Sequence[str]) -> bool:
    """Whether names (numbers do not count) come again and again in a path."""
    names = Counter(name for name in segments if _is_name(name))
    if names and max(names.values()) >= _IN_ALL:
        return True
    for size in range(2, len(segments) // _IN_A_ROW + 1):
        same = 0
        for place, name in enumerate(segments[size:]):
            same = same + 1 if name == segments[place] else 0
            group = segments[place + 1 : place + 1 + size]
            if same == size * (_IN_A_ROW - 1) and any(map(_is_name, group)):
                return True
    return False


def _is_name(segment: str) -> bool:
    return len(segment) > 1 and not segment.isdigit()


def _thrice(parameters: Sequence[str]) -> bool:
    return any(n >= _IN_A_ROW for text, n in Counter(parameters).items() if "=" in text)


class Calendars:
    """Dates in the URLs of calendars: not in the far future, and not without end."""

    def __init__(self, this_year: int) -> None:
        self._last = this_year + _AHEAD
        self._dates: OrderedDict[str, int] = OrderedDict()
        self.changed: set[str] = set()
        """Hosts of which more is known since this was last cleared."""

    def memory(self, host: str) -> int:
        """How many dates of a host were met, to be remembered by the next run."""
        return self._dates.get(host, 0)

    def restore(self, host: str, dates: int) -> None:
        if dates:
            _put(self._dates, host, dates, _MOST_CALENDARS)

    def refuses(self, url: str, host: str) -> str:
        """The reason to leave out a URL, if it leads on and on through a calendar."""
        date = _DATE.search(url) if _has_calendar(url) else None
        if not date:
            return ""
        year = int(next(filter(None, date.groups())))
        last = self._last if year < _FIRST_BUDDHIST_YEAR else self._last + _BUDDHIST_ERA
        count = self._dates.pop(host, 0) + 1
        _put(self._dates, host, count, _MOST_CALENDARS)
        self.changed.add(host)
        return "trap-calendar" if year > last or count > _MOST_DATES else ""


def _has_calendar(url: str) -> bool:
    """Whether a word in a URL speaks of a calendar; a few plain looks spare most URLs the rule."""
    spoken = "alend" in url or "genda" in url or "event" in url or "month" in url or "week" in url
    spoken = spoken or "day" in url or "date" in url
    return spoken and _CALENDAR.search(url) is not None


def form_of(url: str) -> str:
    """What the URLs of like pages have in common: no numbers, no last name, no values."""
    path, _, query = url.split("/", 3)[3].partition("?")
    folder, slash, last = path.rstrip("/").rpartition("/")
    folder = _NUMBER.sub("N", _HASH.sub("H", folder))
    ending = last.rpartition(".")[2]
    last = f"*.{ending}" if len(ending) < min(len(last), 6) else "*"
    keys = sorted({pair.partition("=")[0] for pair in query.split("&")})
    return f"{folder}{slash}{last}?{'&'.join(keys)}"


class _Host:
    """What the pages of a host have shown so far."""

    __slots__ = ("forms", "texts", "traps")

    def __init__(self) -> None:
        self.traps: dict[str, str] = {}
        self.forms: OrderedDict[str, tuple[int, tuple[int, ...]]] = OrderedDict()
        """For each form of URL: pages in a row, and their texts as long as they are few."""
        self.texts: OrderedDict[int, tuple[int, frozenset[str]]] = OrderedDict()
        """For each text: how many pages had it, and under which forms of URL."""


class Lookalikes:
    """Pages that say the same under many URLs of a host, or under many hosts of a domain.

    Of a domain the first page of each form and host is looked at. What shows it to be a trap is
    remembered as that of a host ``*.domain``.
    """

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._traps_by_domain: OrderedDict[str, None] = OrderedDict()
        self.changed: set[str] = set()
        """Hosts of which more is known since this was last cleared."""
        self.found_trap = False
        """Whether a trap was found since then."""

    def memory(self, host: str) -> dict[str, Any]:
        """What is known of a host, to be saved for the next run."""
        known = self._hosts.get(host) or _Host()
        texts = [[text, pages, sorted(forms)] for text, (pages, forms) in known.texts.items()]
        return {
            "traps": known.traps,
            "forms": [[form, *seen] for form, seen in known.forms.items()],
            "texts": texts,
        }

    def restore(self, host: str, memory: dict[str, Any]) -> None:
        known = _Host()
        known.traps.update(memory["traps"])
        for form, pages, texts in memory["forms"]:
            known.forms[form] = (pages, tuple(texts))
        for text, pages, forms in memory["texts"]:
            known.texts[text] = (pages, frozenset(forms))
        _put(self._hosts, host, known, _MOST_HOSTS)
        if known.traps and host.startswith(_ANY_HOST):
            _put(self._traps_by_domain, host, None, _MOST_HOSTS)

    def refuses(self, url: str, host: str) -> str:
        """The reason to leave out a URL, if pages like it are a trap."""
        known = self._hosts.get(host)
        if known and known.traps and (reason := known.traps.get(form_of(url), "")):
            return reason
        if not self._traps_by_domain or (known and len(known.texts) > _FEW):
            return ""  # a host that says several things is none of many that say the same
        domain = _ANY_HOST + domain_of(host)
        if domain not in self._traps_by_domain or domain not in self._hosts:
            return ""
        return self._hosts[domain].traps.get(form_of(url), "") and "trap-domain"

    def saw(self, url: str, host: str, text: int) -> None:
        """A page of that text was downloaded."""
        form = form_of(url)
        pages = self._count(host, form, text)
        if pages == 1 and tld_of(host) != "ip":
            domain = _ANY_HOST + domain_of(host)
            self._count(domain, form, text)
            if self._hosts[domain].traps:
                _put(self._traps_by_domain, domain, None, _MOST_HOSTS)

    def _count(self, host: str, form: str, text: int) -> int:
        """Count a page of a host; answers how many of its form in a row there were."""
        known = self._hosts.pop(host, None) or _Host()
        _put(self._hosts, host, known, _MOST_HOSTS)
        self.changed.add(host)
        missing = self._is_missing(known, form, text)
        pages, texts = known.forms.pop(form, (0, ()))
        pages, texts = pages + 1, texts if text in texts or len(texts) > _FEW else (*texts, text)
        reason = ""
        if missing and texts == (text,) and pages >= _MISSES and host[:2] != _ANY_HOST:
            reason = "soft-404"
        elif pages >= _ENOUGH and len(texts) <= _FEW:
            reason = "trap-content"
        if reason and len(known.traps) < _MOST_TRAPS:
            known.traps[form] = reason
            self.found_trap = True
        elif pages < _ENOUGH:
            _put(known.forms, form, (pages, texts), _MOST_PATTERNS)
        return pages

    @staticmethod
    def _is_missing(known: _Host, form: str, text: int) -> bool:
        """Whether a host says this whatever it is asked for: that there is no such page."""
        pages, forms = known.texts.pop(text, (0, frozenset()))
        pages, forms = pages + 1, forms if len(forms) >= _MISSED_PATTERNS else forms | {form}
        _put(known.texts, text, (pages, forms), _MOST_TEXTS)
        return pages >= _MISSED_PAGES and len(forms) >= _MISSED_PATTERNS


def _put(memory: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    """Remember a thing as the last one, and forget the first where there are too many."""
    memory[key] = value
    if len(memory) > most:
        memory.popitem(last=False)
