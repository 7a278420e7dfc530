"""Why a URL was crawled, waits, or was left out: worked out from the database and the log.

Discards are not kept. So for a URL that was left out the rules are asked again, with what is known
now of its host and of the pages that linked to it first.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyarrow import ArrowException

from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, BrokenLog, UsageError
from langcrawl.languages.names import named
from langcrawl.ports import Ranker
from langcrawl.records import Facts, Tally, Visit
from langcrawl.store.database import NONSENSE, undamaged
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.lookup import HostState, KnownUrl, Lookup, lane_of
from langcrawl.store.view import open_view
from langcrawl.url import canonical, host_of, without_port

_LONGEST_PATH = 100
_TRAPS = {
    "trap-path": "its path has more than 25 folders",
    "trap-repeats": "folders of its path, or its parameters, repeat themselves",
    "trap-query": "it has more than 30 parameters",
    "trap-calendar": "it leads on and on through a calendar",
    "trap-content": "pages of its host with such URLs are all alike",
    "soft-404": "its host answers such URLs with the text of its error page",
    "trap-domain": "the hosts of its domain all say the same",
}
_NOTES = {
    "revisit": "the same bytes were archived before: a duplicate, kept as a reference",
    "truncated": "it was cut at the limit of bytes a page",
    "over-budget": "reading it would have cost too much",
}


@dataclass(frozen=True, slots=True)
class PageSeen:
    """A download: what came back, what the judge said, and where it is archived."""

    url: str
    status: int
    error: str
    fetched_at: float | None
    language: str
    script: str
    encoding: str
    score: float | None
    relevant: bool
    evidence: tuple[str, ...]
    title: str
    notes: tuple[str, ...]
    found_by: str
    depth: int | None
    irrelevant_run: int | None
    lane: float | None
    reason: str
    warc_file: str
    warc_offset: int | None


@dataclass(frozen=True, slots=True)
class PageVisit:
    """One of several times that a page was asked for."""

    fetched_at: float
    outcome: str
    """``new``, ``changed``, ``unchanged``, ``gone`` or ``failed``."""
    status: int
    error: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that leaves a URL out, by the word under which discards are counted."""

    word: str
    says: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a URL stands as it does."""

    url: str
    state: str
    """``downloaded``, ``failed``, ``waiting``, ``under-way``, ``refused``, ``left-out`` or
    ``unknown``."""
    says: str
    """The answer in one sentence."""
    path: tuple[PageSeen, ...] = ()
    """The pages from a seed to this URL; the last one is the page itself where it was downloaded,
    else the page that led to it."""
    lane: float | None = None
    reason: str = ""
    """Why the strategy gave it its place, in its own words."""
    ahead: int | None = None
    """URLs of the same host that come before it."""
    rules: tuple[Rule, ...] = ()
    """What leaves it out, as things stand now."""
    linked_from: tuple[str, ...] = ()
    """Pages that link to it, those first found."""
    host: HostState | None = None
    nearest: tuple[str, ...] = ()
    """For a URL that was never seen: what is known and looks most like it."""
    visits: tuple[PageVisit, ...] = ()
    """Where a recrawl asked for the page again: every time that it was asked for."""

    def as_json(self) -> dict[str, Any]:
        """The document of ``langcrawl why``."""
        return asdict(self)


def explain(directory: Path, url: str) -> Explanation:
    """Why a URL was crawled, waits or was left out; the crawl may be running."""
    wanted = _wanted(url)
    database = CrawlDirectory(directory).database
    with undamaged(database, *NONSENSE), open_view(directory) as view:
        try:
            return _Explainer(CrawlConfig.load(directory), view.lookup()).explain(
                wanted, view.leased()
            )
        except sqlite3.OperationalError as error:
            raise BadInput(f"'{database}' cannot be read ({error}); try again.") from None
        except ArrowException as error:
            first = str(error).splitlines()[0].rstrip(".")
            raise BrokenLog(
                f"a log file of '{directory}' is cut short or damaged ({first}); "
                f"'langcrawl verify {directory}' names it."
            ) from None


def _wanted(url: str) -> str:
    """The URL that is asked about; http:// may be left out where the rest names a host."""
    given = url.strip()
    host = re.split(r"[/?#]", given, maxsplit=1)[0]
    named = "@" not in host and ("." in host.strip(".") or re.fullmatch(r"localhost|\w+:\d+", host))
    wanted = canonical(f"http://{given}" if named and "://" not in given else given)
    if wanted is None:
        raise UsageError(f"'{url[:200]}' is not a URL; write it as http://host/path.")
    return wanted


class _Explainer:
    """One crawl, asked about one URL."""

    def __init__(self, config: CrawlConfig, lookup: Lookup) -> None:
        self._config, self._lookup = config, lookup

    def explain(self, url: str, leased: frozenset[int]) -> Explanation:
        known = self._lookup.known(url)
        if known is None:
            return self._unknown(url)
        host = self._lookup.host(host_of(url))
        if known.state == "waiting":
            return self._waiting(known, host)
        if known.state == "taken":
            return self._taken(known, host, known.number in leased)
        return self._left_out(known, host)

    def _taken(self, known: KnownUrl, host: HostState | None, under_way: bool) -> Explanation:
        path = self._path(known)
        lane, reason = lane_of(known.priority), known.reason
        if under_way:
            says = "it is being asked for now"
            return Explanation(known.url, "under-way", says, path, lane, reason, host=host)
        if path and path[-1].url == known.url:
            page = path[-1]
            state = "downloaded" if page.status else "failed"
            says = _of_page(page, self._config.lang)
            visits = tuple(
                PageVisit(visit.fetched_at, visit.outcome, visit.status, visit.error)
                for visit in self._lookup.visits(known.number)
            )
            return Explanation(known.url, state, says, path, lane, reason, host=host, visits=visits)
        if known.found_by == "sitemap":
            says = "it is a sitemap: read for the URLs that it lists, and no page"
            return Explanation(known.url, "downloaded", says, path, lane, reason, host=host)
        if rules := tuple(self._rules(known.url, host, None)):
            says = f"it was left out or taken out: {rules[0].says} ({rules[0].word})"
            return Explanation(known.url, "left-out", says, path, rules=rules, host=host)
        says = f"the robots.txt of {host_of(known.url)} closes it to this crawler"
        rules = (Rule("robots", says),)
        return Explanation(known.url, "refused", says, path, lane, reason, rules=rules, host=host)

    def _waiting(self, known: KnownUrl, host: HostState | None) -> Explanation:
        visit = self._visit(known)
        ahead, lane = self._lookup.ahead(known), lane_of(known.priority)
        reason = known.reason
        ranker = self._ranker()
        if ranker is not None and visit is not None:
            reason = ranker.why(visit)
        failed = f", after {known.tries:,} tries in vain" if known.tries else ""
        says = f"it waits in lane {lane:g}{failed}" if lane is not None else "it waits"
        says += f"; {ahead:,} URLs of its host come first" if ahead else ", as its host's next"
        return Explanation(
            known.url, "waiting", says, self._path(known), lane, reason, ahead, host=host
        )

    def _left_out(self, known: KnownUrl, host: HostState | None) -> Explanation:
        sources = self._lookup.linking(known.number)
        parents = self._pages(sources)
        rules: dict[str, Rule] = {}
        places: list[PageSeen | None] = [*parents] or [None]
        for parent in places:
            for rule in self._rules(known.url, host, parent):
                rules.setdefault(rule.word, rule)
        linked = tuple(page.url for page in parents)
        path: tuple[PageSeen, ...] = ()
        if linked and (parent_known := self._lookup.known(linked[0])) is not None:
            path = self._path(parent_known)
        if rules:
            first = next(iter(rules.values()))
            says = f"it was left out: {first.says} ({first.word})"
        else:
            says = (
                "it was left out, and no rule of now says why: its host was given up or its "
                "robots.txt could not be read, or a limit or rule of then is gone; it waits again "
                "when a page links to it again"
            )
        return Explanation(
            known.url, "left-out", says, path, rules=tuple(rules.values()), linked_from=linked,
            host=host,
        )  # fmt: skip

    def _unknown(self, url: str) -> Explanation:
        host = self._lookup.host(host_of(url))
        rules = tuple(self._rules(url, host, None))
        twins = [twin for twin in _twins(url) if self._lookup.known(twin) is not None]
        if twins:
            says = f"it was never seen, but {twins[0]} was: ask for that one"
        elif host is not None:
            says = (
                f"no page that was downloaded links to it; {host.urls:,} other URLs of its host "
                f"are known, {host.downloads:,} of them downloaded"
            )
        else:
            says = f"no page that was downloaded links to it, nor to any page of {host_of(url)}"
        if rules:
            says += f"; it would be left out: {rules[0].says} ({rules[0].word})"
        near = (*twins, *(self._lookup.neighbours(url) if host else ()))
        return Explanation(
            url, "unknown", says, rules=rules, host=host, nearest=tuple(dict.fromkeys(near))
        )

    def _rules(self, url: str, host: HostState | None, parent: PageSeen | None) -> Iterator[Rule]:
        """The rules that leave a URL out, in the order in which a crawl asks them."""
        config, name = self._config, host_of(url)
        downloads = host.downloads if host else 0
        if parent is not None:
            depth = (parent.depth or 0) + 1
            if config.max_depth is not None and depth > config.max_depth:
                says = f"it lies {depth} links from a seed, and max-depth is {config.max_depth}"
                yield Rule("max-depth", says)
        full = config.max_pages_per_host
        if full is not None and downloads >= full:
            yield Rule("max-pages-per-host", f"its host has had {downloads:,} downloads of {full}")
        if parent is not None and (rule := self._strategy_rule(name, host, parent)):
            yield rule
        yield from self._scope_rules(url, name)

    def _strategy_rule(self, name: str, host: HostState | None, parent: PageSeen) -> Rule | None:
        ranker = self._ranker(restored=False)
        if ranker is None or ranker.rank_facts is None or ranker.gathers:
            return None
        downloads, hits = (host.downloads, host.relevant) if host else (0, 0)
        state = ranker.state_of(Tally(downloads, hits))
        bridges = {tag.split("-")[0] for tag in self._config.bridge.split(",")}
        facts = Facts(
            0 if parent.relevant else (parent.irrelevant_run or 0) + 1, (parent.depth or 0) + 1,
            int(parent.relevant), int(parent.language.split("-")[0] in bridges),
            parent.score or 0.0, int(host_of(parent.url) == name), downloads, hits, state,
        )  # fmt: skip
        _, word = ranker.rank_facts(facts)
        if not word:
            return None
        kind = "relevant" if parent.relevant else f"irrelevant ({parent.language})"
        says = f"the strategy {self._config.strategy} discards links of {parent.url}, which is "
        return Rule(word, f"{says}{kind}, {facts.run} irrelevant pages in a row before this URL")

    def _scope_rules(self, url: str, host: str) -> Iterator[Rule]:
        from langcrawl.settings import scope_of  # few questions need it, and it loads much

        config, scope = self._config, scope_of(self._config)
        scope.restore(self._lookup.memory_of_traps((host, *_domains_of(host))))
        word = scope.refuses(url, host)
        if url in config.seeds:
            word = scope.rules_out(url, host, is_seed=True)
        if word == "excluded":
            hit = next(pattern for pattern in config.exclude if re.search(pattern, url))
            yield Rule(word, f"it matches the exclude pattern {hit}")
        elif word == "not-included":
            yield Rule(word, f"it matches none of {len(config.include):,} include patterns")
        elif word == "blocked-host":
            yield Rule(word, "its host is in a block list")
        elif word == "port":
            yield Rule(word, "its port is none of the web's")
        elif word:
            yield Rule(word, _TRAPS.get(word, word))

    def _path(self, known: KnownUrl) -> tuple[PageSeen, ...]:
        """The downloads from a seed to a URL, itself included where it is one."""
        steps, seen = [known], {known.url}
        while steps[-1].parent and len(steps) < _LONGEST_PATH:
            parent = self._lookup.known(steps[-1].parent)
            if parent is None or parent.url in seen:
                break
            seen.add(parent.url)
            steps.append(parent)
        rows = self._lookup.pages(step.number for step in steps)
        return tuple(
            _page_seen(step.url, rows[step.number])
            for step in reversed(steps)
            if step.number in rows
        )

    def _pages(self, numbers: list[int]) -> list[PageSeen]:
        rows = self._lookup.pages(numbers)
        return [
            _page_seen(self._lookup.url_of(number), rows[number])
            for number in numbers
            if number in rows
        ]

    def _visit(self, known: KnownUrl) -> Visit | None:
        if known.facts is None or known.priority is None:
            return None
        return Visit(
            known.url, host_of(known.url), known.facts, known.priority, known.parent,
            known.found_by, reason=known.reason, evidence=known.evidence,
        )  # fmt: skip

    def _ranker(self, restored: bool = True) -> Ranker | None:
        """The crawl's strategy; none where it is somebody's own code, which is not run here."""
        from langcrawl.spec import is_own  # few questions need a strategy, and it loads much
        from langcrawl.strategy import STRATEGIES, make_strategy, start_ranker

        if is_own(self._config.strategy, STRATEGIES):
            return None
        config = self._config
        ranker = start_ranker(make_strategy(config.strategy), config.lang, config.connections)
        if restored:
            ranker.restore(self._lookup.learned())
        return ranker


def _page_seen(url: str, row: dict[str, Any]) -> PageSeen:
    return PageSeen(
        url, row["status"], row["error"] or "", row["fetched_at"], row["language"] or "",
        row["script"] or "", row["encoding"] or "", row["score"], bool(row["relevant"]),
        tuple((row["evidence"] or "").splitlines()), row["title"] or "",
        tuple((row["notes"] or "").split()), row["found_by"] or "", row["depth"],
        row["irrelevant_run"], lane_of(row["priority"]), row["reason"] or "",
        row["warc_file"] or "", row["warc_offset"],
    )  # fmt: skip


def _of_page(page: PageSeen, lang: str) -> str:
    """A download in words."""
    if not page.status:
        return f"nobody answered: {page.error or 'no reason is known'}"
    if page.status != 200:
        return f"the server answered with status {page.status}"
    known = page.language not in ("", "und")
    language = named(page.language) if known else "an unknown language"
    kind = "and is relevant" if page.relevant else "and is not relevant"
    said = f"it was downloaded, is in {language}, {kind} for a crawl of {named(lang)}"
    return "; ".join([said, *(_NOTES[note] for note in page.notes if note in _NOTES)])


def _domains_of(host: str) -> Iterator[str]:
    """All domains that a host could be of, as traps name them: to know which of them is the
    registered one, the whole list of public suffixes would have to be read."""
    labels = without_port(host).split(".")
    return ("*." + ".".join(labels[first:]) for first in range(len(labels)))


def _twins(url: str) -> Iterator[str]:
    """Other ways to write a URL, under which its page may be known."""
    scheme, rest = url.split("://", 1)
    other = "https" if scheme == "http" else "http"
    host, slash, path = rest.partition("/")
    hosts = (host, host.removeprefix("www.") if host.startswith("www.") else f"www.{host}")
    ends = (path, path.rstrip("/") if path.endswith("/") else f"{path}/")
    for name in hosts:
        for end in ends:
            for kind in (scheme, other):
                if (twin := canonical(f"{kind}://{name}{slash}{end}")) and twin != url:
                    yield twin
