"""What an earlier run of a crawl has downloaded, as the visits it was then."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from langcrawl.languages import parse_tag
from langcrawl.records import Charsets, Facts, Finished, Link, Page, Verdict, Visit
from langcrawl.url import host_of
from langcrawl.virtualweb.log import read_table, read_urls


def recorded(directory: Path, bridge: str) -> Iterator[Finished]:
    """The finished visits of a log, in the order in which they were finished."""
    urls = read_urls(directory, ["url"])["url"].to_pylist()
    links: dict[int, list[Link]] = defaultdict(list)
    columns = ["src", "dst", "anchor", "nofollow", "anchor_score"]
    table = read_table(directory, "links", columns)
    for src, dst, *about in zip(*(table[c].to_pylist() for c in columns), strict=True):
        links[src].append(Link(urls[dst], *about))
    verdicts: dict[int | None, Verdict] = {None: Verdict(score=1.0, relevant=True)}
    for row in read_table(directory, "pages").to_pylist():
        verdict = Verdict(
            row["language"], row["script"], row["encoding"], row["score"], row["relevant"]
        )
        verdicts[row["id"]] = verdict
        url, above = urls[row["id"]], verdicts.get(row["parent"], Verdict())
        parent = "" if row["parent"] is None else urls[row["parent"]]
        facts = Facts(
            run=row["irrelevant_run"],
            depth=row["depth"],
            parent_relevant=int(above.relevant),
            parent_bridge=int(parse_tag(above.language).primary == bridge),
            parent_score=above.score,
            same_host=int(bool(parent) and host_of(parent) == host_of(url)),
            host_downloads=0,
            host_hits=0,
            group_state=0,
        )
        page = Page(
            url=url,
            status=row["status"],
            redirect="" if row["redirect"] is None else urls[row["redirect"]],
            content_type=row["content_type"],
            bytes=row["bytes"],
            text_bytes=row["text_bytes"],
            fetched_at=row["fetched_at"],
            elapsed=row["elapsed"],
            ip=row["ip"],
            charsets=Charsets(*(row[f"charset_{k}"] for k in ("header", "meta", "detected"))),
            digest=row["digest"],
            links=tuple(links[row["id"]]),
            reason=row["error"],
        )
        visit = Visit(url, host_of(url), facts, row["priority"], parent, row["reason"])
        yield Finished(visit, page, verdict)
