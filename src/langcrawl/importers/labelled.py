"""Labelled pages to learn a topic from: of a log, of folders, or of a CSV file.

A page that is not in the language is left out, as paper 004 does; so are labels without a page.
What is left out is counted, and the command says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from langcrawl.archive.texts import texts
from langcrawl.errors import BadInput
from langcrawl.importers.csv_rows import read_rows
from langcrawl.importers.files import find_files, read_file
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.segments import read_urls
from langcrawl.page import read_document
from langcrawl.page.kind import is_binary
from langcrawl.parallel import Progress, cores, in_order, silent
from langcrawl.ports import Judge
from langcrawl.records import Content
from langcrawl.store.migrate import open_directory
from langcrawl.topic import Terms
from langcrawl.url import canonical, domain_of, host_of

_BATCH, _FEW = 100, 300
"""Pages that a process reads at a time; so few that no other process is worth its start."""
POSITIVE = "positive"
_NEGATIVE = "negative"


class Example(NamedTuple):
    """A labelled page, as terms."""

    site: str
    """The registered domain; pages of one site go into one fold."""
    label: str
    terms: Counter[str]


class Labelled(NamedTuple):
    """The pages that were found, and what was left out."""

    examples: list[Example]
    left_out: Counter[str]
    """How many by why: ``no text``, ``another language``."""
    unknown: frozenset[str] = frozenset()
    """Labelled URLs that are not in the logs."""

    def add(self, other: Labelled) -> None:
        self.examples.extend(other.examples)
        self.left_out.update(other.left_out)


def read_labels(paths: Sequence[Path]) -> tuple[dict[str, str], int]:
    """Labels by URL, from files of ``url TAB label``; and how many lines have no web address."""
    labels: dict[str, str] = {}
    foreign = 0
    for path in paths:
        for number, line in enumerate(_lines(path), 1):
            url, tab, label = line.partition("\t")
            if not tab or not label.strip():
                raise BadInput(f"line {number} of '{path}' should be a URL, a tab and a label.")
            if (known := canonical(url)) is None:
                foreign += 1
            else:
                labels[known] = label.strip()
    if not labels:
        raise BadInput(f"there is no label in {_named(paths)}; write a URL, a tab and a label.")
    return labels, foreign


def from_logs(
    logs: Sequence[Path],
    labels: Mapping[str, str],
    lang: str,
    terms: Terms,
    progress: Progress = silent,
) -> Labelled:
    """The labelled pages of some logs, with the texts that their archives have."""
    found = Labelled([], Counter())
    missing = set(labels)
    for log in logs:
        open_directory(log)
        urls: list[str] = read_urls(log, ["url"])["url"].to_pylist()
        ids = {at: url for at, url in enumerate(urls) if url in missing}
        missing.difference_update(ids.values())
        found.add(_of_log(log, ids, labels, lang, terms, progress))
    if len(missing) == len(labels):
        raise BadInput(
            f"none of the {len(labels):,} labelled URLs is in {_named(logs)}; are the labels "
            f"those of another crawl? The first is '{next(iter(labels))}'."
        )
    return found._replace(unknown=frozenset(missing))


def from_folder(folder: Path, lang: str, terms: Terms, progress: Progress = silent) -> Labelled:
    """Pages in folders that are named by their labels; each file is a site of its own.

    Where the files of a label stand in folders again, each of those is a site.
    """
    folders = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if len(folders) < 2:
        raise BadInput(
            f"'{folder}' should hold a folder of pages for each label, such as "
            f"'{POSITIVE}' and '{_NEGATIVE}'; it has {len(folders)}."
        )
    judge, found = make_judge(load_pack(lang)), Labelled([], Counter())
    if empty := [each for each in folders if not any(each.rglob("*"))]:
        raise BadInput(f"the folder '{empty[0].name}' has no page; put some in, or remove it.")
    files = [(label, path) for label in folders for path in find_files([label])]
    for done, (label, path) in enumerate(files, 1):
        body = read_file(path)
        parts = path.relative_to(label).parts
        if is_binary(body) or not body.strip():
            found.left_out["no text"] += 1
        else:
            content = read_document(body).content
            _take(found, parts[0], label.name, content, judge, terms)
        progress(done, done / len(files))
    return found


def from_csv(path: Path, lang: str, terms: Terms, progress: Progress = silent) -> Labelled:
    """Rows with ``label,text`` and, if there are, ``url`` and ``title``."""
    table = read_rows(path, ("label", "text")).table
    judge, found = make_judge(load_pack(lang)), Labelled([], Counter())
    for done, row in enumerate(table.to_pylist(), 1):
        url = canonical(row.get("url") or "")
        content = Content(row["text"], title=row.get("title") or "")
        site = domain_of(host_of(url)) if url else f"row {done}"
        _take(found, site, row["label"].strip(), content, judge, terms)
        progress(done, done / table.num_rows)
    return found


def _of_log(
    log: Path,
    ids: Mapping[int, str],
    labels: Mapping[str, str],
    lang: str,
    terms: Terms,
    progress: Progress,
) -> Labelled:
    wanted = [page for page in texts(log).ids.tolist() if page in ids]
    batches = [wanted[at : at + _BATCH] for at in range(0, len(wanted), _BATCH)]
    found = Labelled([], Counter())
    judge = make_judge(load_pack(lang))
    done = 0
    work = partial(_read_pages, log, ids, labels, judge, terms)
    for part in in_order(work, batches, 1 if len(wanted) < _FEW else cores()):
        found.add(part)
        done += _BATCH
        progress(min(done, len(wanted)), min(1.0, done / len(wanted)))
    unread = len(ids) - len(found.examples) - sum(found.left_out.values())
    if unread:
        found.left_out["not downloaded, or no text"] += unread
    return found


def _read_pages(
    log: Path,
    ids: Mapping[int, str],
    labels: Mapping[str, str],
    judge: Judge,
    terms: Terms,
    pages: list[int],
) -> Labelled:
    found = Labelled([], Counter())
    there = texts(log)
    for page, content in there.some(pages):
        url = ids[page]
        _take(found, domain_of(host_of(url)), labels[url], content, judge, terms)
    there.close()
    return found


def _take(
    found: Labelled, site: str, label: str, content: Content, judge: Judge, terms: Terms
) -> None:  # fmt: skip
    if judge.judge(content).relevant:
        found.examples.append(Example(site, label, terms.count(content)))
    else:
        found.left_out["another language"] += 1


def _lines(path: Path) -> Iterator[str]:
    text = read_file(path).decode("utf-8-sig", errors="replace")
    return (line for line in text.splitlines() if line.strip())


def _named(paths: Sequence[Path]) -> str:
    return " or ".join(f"'{path}'" for path in paths)
