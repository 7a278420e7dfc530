"""Where a URL lies: its top-level domain, registered domain, host and directories.

Every place has a key and says whether its own name speaks of a language: the target's, another,
or none. A file name that names a language makes a place of its own within its directory.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from zlib import crc32

from langcrawl.strategy.learned.tongues import targets_of
from langcrawl.strategy.learned.url_words import word_number, words_of
from langcrawl.url import domain_of, tld_of, without_port

NO_TONGUE, TARGET, OTHER = 0, 1, 2
"""What the name of a place says of its language;"""
TONGUES: Final = 3
"""so many things it may say."""
HOST: Final = 2
"""Where the host is among the places of a URL, behind its top-level domain and its domain."""
DIRECTORIES: Final = 5
"""So many directories of a path are places; deeper ones count for these."""
SLOTS: Final = 4096
"""Kinds of files and names of directories share so many weights."""
GROUPS: Final = 64
"""A host has at most so many groups of URLs that are ranked again together."""
_CUT = re.compile(r"[^\w-]+|_(?![a-zA-Z]{2}(?![a-zA-Z]))")
_PLAIN_PARTS: Final = frozenset({"www", "html", "htm", "php", "asp", "aspx", "jsp", "cgi"})
_KEPT: Final = 1 << 16


class Directory(NamedTuple):
    """The places around a file, from the largest to the smallest."""

    keys: tuple[str, ...]
    speaks: tuple[int, ...]
    """What the name of each place says: `NO_TONGUE`, `TARGET` or `OTHER`."""
    host: str
    kind: int
    """The weight that directories of this name share on all hosts."""
    number: int
    """For tables that last as long as one ranking, shifted so that a file's `code` fits."""
    words: tuple[int, ...]
    """The numbers of the words of its path, but for those that name languages."""
    names: bool
    """The host names the target, or a directory a language. Of a host that seems to name another
    language nothing is known: ``cs.`` is a department more often than Czech."""


class File(NamedTuple):
    """What the last part of a URL says."""

    speaks: int
    kind: int
    """The weight that files of this kind share on all hosts."""
    code: int
    """Both of them in one number."""


def places_of(directory: Directory, file: File) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The keys of all places around a page and what they say, that of its file name the last."""
    if not file.speaks:
        return directory.keys, directory.speaks
    keys = directory.keys
    return (*keys, f"{keys[-1]}|{file.speaks}"), (*directory.speaks, file.speaks)


class Places:
    """Cuts URLs into places, for one target or several."""

    def __init__(self, lang: str, *, codes: bool = True) -> None:
        self._targets, self._codes = targets_of(lang), codes
        self._home = self._targets.domains
        self._directories: dict[str, Directory] = {}
        self._files: dict[str, File] = {}
        self._groups: dict[str, str] = {}
        self._urls: dict[str, tuple[str, Directory, File]] = {}
        self._made = 0

    def of(self, url: str) -> tuple[str, Directory, File]:
        """The text of the directory, the places around the file, and the file."""
        found = self._urls.get(url)
        if found is None:
            if len(self._urls) > _KEPT:
                self._urls.clear()
            found = self._urls[url] = self._cut(url)
        return found

    def _cut(self, url: str) -> tuple[str, Directory, File]:
        query = url.find("?")
        cut = (url.rfind("/") if query < 0 else url.rfind("/", 0, query)) + 1
        folder, name = url[:cut], url[cut:]
        directory = self._directories.get(folder)
        if directory is None:
            directory = self._directory(folder)
        file = self._files.get(name)
        if file is None:
            file = self._file(name)
        return folder, directory, file

    def group(self, url: str, host: str) -> str:
        """The URLs that are ranked again together: those of the first two directories."""
        query = url.find("?")
        folder = url[: url.rfind("/") if query < 0 else url.rfind("/", 0, query)]
        found = self._groups.get(folder)
        if found is None:
            if len(self._groups) > _KEPT:
                self._groups.clear()
            path = "/".join(folder.split("/")[3:5])
            found = self._groups[folder] = f"{host}#{crc32(path.encode()) % GROUPS}"
        return found

    def groups_of(self, host: str) -> list[str]:
        """All groups that a host may have."""
        return [f"{host}#{number}" for number in range(GROUPS)]

    def speaks(self, word: str) -> int:
        """What a word says of the language that it names."""
        if not self._codes or word in _PLAIN_PARTS:
            return NO_TONGUE
        named = self._targets.named_by(word)
        if not named:
            return NO_TONGUE
        return TARGET if named in self._targets.codes else OTHER

    def _says(self, word: str) -> bool:
        """Whether a word says something that is heard elsewhere, or nothing."""
        return word in _PLAIN_PARTS or self.speaks(word) != NO_TONGUE

    def _of_words(self, text: str) -> int:
        """The same for several words; the target's own name wins."""
        said = {self.speaks(word) for word in _CUT.split(text) if word}
        return TARGET if TARGET in said else OTHER if OTHER in said else NO_TONGUE

    def _directory(self, folder: str) -> Directory:
        parts = folder.split("/")[2:-1]
        host, path = parts[0], parts[1 : 1 + DIRECTORIES]
        top, domain = tld_of(host), domain_of(host)
        labels = without_port(host).removesuffix(domain)
        keys = [top, "." + domain, host]
        speaks = [
            TARGET if top[1:] in self._home and self._codes else NO_TONGUE,
            NO_TONGUE,
            self._of_words(labels.replace(".", " ")) if labels else NO_TONGUE,
        ]
        key = host
        for part in path:
            key = f"{key}/{part}"
            keys.append(key)
            speaks.append(self._of_words(part) if len(part) < 40 else NO_TONGUE)
        kind = crc32(f"/{path[-1] if path else ''}".encode()) % SLOTS
        if len(self._directories) > _KEPT:
            self._directories.clear()
        self._made += 1
        words = tuple(
            word_number(word) for word in words_of("/".join(path)) if not self._says(word)
        )
        found = Directory(
            tuple(keys),
            tuple(speaks),
            host,
            kind,
            self._made << 16,
            words,
            speaks[HOST] == TARGET or any(speaks[HOST + 1 :]),
        )
        self._directories[folder] = found
        return found

    def _file(self, name: str) -> File:
        short = name[:120]
        stem, _, query = short.partition("?")
        last = stem.rpartition(".")[2] if "." in stem else ("/" if not stem else "-")
        kind = crc32(f"{last}{'?' if query else ''}".encode()) % SLOTS
        if len(self._files) > _KEPT:
            self._files.clear()
        said = self._of_words(short) if short else NO_TONGUE
        self._files[name] = found = File(said, kind, kind * 3 + said)
        return found
