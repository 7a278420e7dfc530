"""Debian's manuals as a web: the files of the packages, as they are, under natural host names.

A manual names the language of a page where its authors put it: in the path
(``httpd.example/ja/bind.html``), in the file name (``reference.debian.example/ch01.ja.html``) or
in both. Two manuals have a folder for each language that never looks outside; these become a
host for each language (``ja.gimp-help.example``). No byte of a page is changed.

Only the portal is made here: one English page at ``www.manuals.example``, and for each manual
that has no list of its translations an English page with one, as such portals have.
"""

from __future__ import annotations

import html
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from langcrawl.virtualweb.small import SmallPage

PORTAL = "www.manuals.example"
SERVED = r"^http://([a-z-]+\.)*(manuals|httpd|debian|aptitude|gimp-help|office)\.example/"
"""URLs of the hosts that may be served: what ``--include`` is given."""
_INDEXES = ("index.html", "index.en.html")
"""What stands for a folder, the first that is there, as in Apache's DirectoryIndex."""
_TYPES = mimetypes.MimeTypes()
"""Python's own table and not the machine's, so that every machine serves the same."""
_NOT_FOUND = b"<h1>Not Found</h1>"
_NAMES = {
    "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "dz": "Dzongkha",
    "el": "Greek", "en": "English", "en-gb": "English (British)", "en-us": "English (American)",
    "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "gl": "Galician", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "km": "Khmer", "ko": "Korean",
    "lt": "Lithuanian", "nl": "Dutch", "nn": "Norwegian Nynorsk", "om": "Oromo", "pl": "Polish",
    "pt": "Portuguese", "pt-br": "Portuguese (Brazil)", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "zh-cn": "Chinese (simplified)", "zh-tw": "Chinese (traditional)",
}  # fmt: skip


class Door(NamedTuple):
    """A page that readers of a translation begin with."""

    name: str
    path: str
    """In the folder of the manual; ``{}`` stands for the language."""


@dataclass(frozen=True, slots=True)
class Manual:
    """One manual in all its languages, and where it is served."""

    title: str
    about: str
    folder: str
    """Below the root of the packages."""
    host: str
    """With ``{}`` in it: a host for each language, whose root is that language's folder."""
    english: str = "en/index.html"
    """The first page of the English original, as a path in the folder."""
    doors: tuple[Door, ...] = (Door("", "{}/index.html"),)
    """Where each translation begins."""
    lists_itself: bool = False
    """Whether its own pages link to their translations."""

    @property
    def by_host(self) -> bool:
        return "{}" in self.host

    @property
    def key(self) -> str:
        """Its name in the portal's URLs."""
        return self.host.removeprefix("{}.").split(".")[0]


MANUALS = (
    Manual(
        "Apache HTTP Server", "How to install, configure and extend the web server.",
        "usr/share/doc/apache2-doc/manual", "httpd.example", lists_itself=True,
    ),
    Manual(
        "Debian installation guide", "From the first boot of the installer to a running system.",
        "usr/share/doc/installation-guide-amd64", "install.debian.example",
    ),
    Manual(
        "Debian reference", "A guide for the administrators of Debian systems.",
        "usr/share/debian-reference", "reference.debian.example",
        "index.en.html", (Door("", "index.{}.html"),),
    ),
    Manual(
        "Debian FAQ", "Answers to questions that are often asked about Debian.",
        "usr/share/doc/debian/FAQ", "faq.debian.example",
        "index.en.html", (Door("", "{0}/index.{0}.html"),),
    ),
    Manual(
        "Debian developer's reference", "Procedures and resources for developers.",
        "usr/share/developers-reference", "developers.debian.example", "index.html",
    ),
    Manual(
        "aptitude", "The user's manual of the package manager.",
        "usr/share/doc/aptitude/html", "{}.aptitude.example",
    ),
    Manual(
        "GIMP", "The user manual of the GNU image manipulation program.",
        "usr/share/gimp/2.0/help", "{}.gimp-help.example",
    ),
    Manual(
        "LibreOffice", "Help for the word processor, the spreadsheet and the other programs.",
        "usr/share/libreoffice/help", "help.office.example",
        "en-US/text/shared/05/new_help.html",
        (  # those that its own index.html opens, by a script
            Door("", "{}/text/shared/05/new_help.html"),
            Door("Writer", "{}/text/swriter/main0000.html"),
            Door("Calc", "{}/text/scalc/main0000.html"),
            Door("Chart", "{}/text/schart/main0000.html"),
            Door("Impress", "{}/text/simpress/main0000.html"),
            Door("Draw", "{}/text/sdraw/main0000.html"),
            Door("Math", "{}/text/smath/main0000.html"),
            Door("Base", "{}/text/sdatabase/main.html"),
            Door("Basic", "{}/text/sbasic/shared/main0601.html"),
        ),
    ),
)  # fmt: skip


class Manuals:
    """The manuals below a root as a web."""

    def __init__(self, root: Path, manuals: tuple[Manual, ...] = MANUALS) -> None:
        self._root = root.resolve()
        self._manuals = [each for each in manuals if (self._root / each.folder).is_dir()]
        self._folders = dict(self._hosts())
        self._portal = dict(self._write_portal())

    @property
    def seed(self) -> str:
        return f"http://{PORTAL}/"

    @property
    def hosts(self) -> list[str]:
        """Every host that is served."""
        return [PORTAL, *self._folders]

    def answer(self, url: str) -> SmallPage:
        """What the server of this URL says."""
        parts = urlsplit(url)
        if parts.netloc == PORTAL:
            page = self._portal.get(parts.path)
            return SmallPage(body=page.encode()) if page else SmallPage(404, body=_NOT_FOUND)
        folder = self._folders.get(parts.netloc)
        if folder is None:
            return SmallPage(502, body=b"<h1>No such host</h1>")
        return self._elsewhere(parts.netloc, parts.path) or self._answer_from(
            folder, unquote(parts.path)
        )

    def label(self, url: str) -> str:
        """The language that the place of a page names, such as ``pt-br``; empty if it names none.

        What counts is the file itself: untranslated pages of some manuals are links to English
        ones. A page that names no language belongs to the English original.
        """
        parts = urlsplit(url)
        if parts.netloc == PORTAL:
            return "en"
        folder = self._folders.get(parts.netloc)
        file = self._file(folder, unquote(parts.path)) if folder else None
        homes = (self._root / manual.folder for manual in self._manuals)
        home = next((each for each in homes if file and file.is_relative_to(each)), None)
        if not file or not home or not file.name.endswith(".html"):
            return ""
        place = file.relative_to(home)
        for name in (*place.parts[:-1], *place.name.split(".")[1:-1]):
            if _tag(name) in _NAMES:
                return _tag(name)
        return "en"

    def _hosts(self) -> Iterator[tuple[str, Path]]:
        """Each host with the folder that is its root."""
        for manual in self._manuals:
            folder = self._root / manual.folder
            if not manual.by_host:
                yield manual.host, folder
                continue
            for each in sorted(folder.iterdir()):
                if each.is_dir() and _tag(each.name) in _NAMES:
                    yield manual.host.format(_tag(each.name)), each

    def _place(self, folder: Path, path: str) -> Path | None:
        """What a path leads to, links followed; None where that is outside the packages."""
        if "\0" in path:
            return None
        place = (folder / path.lstrip("/")).resolve()
        return place if place.is_relative_to(self._root) else None

    def _file(self, folder: Path, path: str) -> Path | None:
        """The file that is sent for a path, if there is one; for a folder, its index."""
        if not path.endswith("/"):
            file = self._place(folder, path)
            return file if file and file.is_file() else None
        return next(filter(None, (self._file(folder, path + name) for name in _INDEXES)), None)

    def _elsewhere(self, host: str, path: str) -> SmallPage | None:
        """A link such as ``../en/legal.html`` on a host for one language leads to another one."""
        language, _, rest = path.lstrip("/").partition("/")
        other = ".".join((_tag(language), *host.split(".")[1:]))
        if rest and other != host and host.split(".")[0] in _NAMES and other in self._folders:
            return SmallPage(301, location=f"http://{other}/{rest}")
        return None

    def _answer_from(self, folder: Path, path: str) -> SmallPage:
        if file := self._file(folder, path):
            return SmallPage(content_type=content_type(file.name), body=file.read_bytes())
        place = self._place(folder, path)
        if not place or not place.is_dir():
            return SmallPage(404, body=_NOT_FOUND)
        if not path.endswith("/"):
            return SmallPage(301, location=quote(path) + "/")
        return SmallPage(body=_listing(path, place).encode())

    def _write_portal(self) -> Iterator[tuple[str, str]]:
        """The pages of the portal by their paths."""
        items = []
        for manual in self._manuals:
            links = "".join(self._translations(manual))
            more = ""
            if links and not manual.lists_itself:
                more = f' It is there <a href="/{manual.key}.html">in other languages</a> too.'
                yield f"/{manual.key}.html", _list_of_languages(manual, links)
            title, url = html.escape(manual.title), _url(manual, manual.english)
            items.append(f'<li><a href="{url}">{title}</a>. {manual.about}{more}\n')
        text = (
            "<p>Welcome. Here you find the manuals of well-known free programs, as their authors "
            "and translators have written them. Choose the one that you would like to read.</p>\n"
        )
        yield "/", _english_page("Manuals of free software", f"{text}<ul>\n{''.join(items)}</ul>")

    def _translations(self, manual: Manual) -> Iterator[str]:
        """The languages of a manual, each an item of a list, with links to its doors."""
        folder = self._root / manual.folder
        names = {each.name for each in folder.iterdir() if each.is_dir()}
        names |= {each.name.split(".")[1] for each in folder.glob("index.*.html")}
        for name in sorted(names):
            tag = _tag(name)
            paths = [
                (door.name or _NAMES.get(tag), door.path.format(name)) for door in manual.doors
            ]
            links = [
                f'<a href="{_url(manual, path)}" hreflang="{tag}">{anchor}</a>'
                for anchor, path in paths
                if anchor and (folder / path).is_file()
            ]
            if tag in _NAMES and links:
                yield f"<li>{', '.join(links)}\n"


def _url(manual: Manual, path: str) -> str:
    """Where a file of a manual is served."""
    if manual.by_host:
        name, _, path = path.partition("/")
        return f"http://{manual.host.format(_tag(name))}/{quote(path)}"
    return f"http://{manual.host}/{quote(path)}"


def content_type(name: str) -> str:
    """The Content-Type by a file's name; charsets are left to the pages, as Debian does."""
    kind, packed = _TYPES.guess_type(name)
    if packed:
        return f"application/{packed}"
    return kind or "application/octet-stream"


def _tag(name: str) -> str:
    """A folder's name as a language tag: ``zh_CN`` is ``zh-cn``."""
    return name.lower().replace("_", "-")


def _list_of_languages(manual: Manual, items: str) -> str:
    text = (
        "<p>Volunteers have translated this manual, not always to the end: what they have not "
        f"done yet is in English. {manual.about}</p>\n"
    )
    title = f"{manual.title}: the manual in other languages"
    return _english_page(title, f'{text}<ul>\n{items}</ul>\n<p><a href="/">All manuals</a></p>')


def _english_page(title: str, body: str) -> str:
    title = html.escape(title)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"</head>\n<body><h1>{title}</h1>\n{body}\n</body></html>\n"
    )


def _listing(path: str, folder: Path) -> str:
    """A folder without an index, as Apache shows it."""
    names = sorted(f"{entry.name}{'/' if entry.is_dir() else ''}" for entry in folder.iterdir())
    links = "".join(f'<li><a href="{quote(name)}">{html.escape(name)}</a>' for name in names)
    title = html.escape(f"Index of {path}")
    return f"<!doctype html><title>{title}</title><h1>{title}</h1><ul>{links}</ul>"
