"""The pages of the dashboard: each is a document, as HTML or, under its .json name, as JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from langcrawl import __version__
from langcrawl.changes import LIMITS, changed, host_pattern, left_out
from langcrawl.config import CrawlConfig
from langcrawl.dashboard.charts import crawl_charts
from langcrawl.dashboard.guard import ARCHIVED_POLICY
from langcrawl.dashboard.reviewing import review_document, take_answer
from langcrawl.dashboard.shown import FILTERS
from langcrawl.dashboard.stream import stream
from langcrawl.dashboard.watched import WatchedCrawl
from langcrawl.errors import BadInput, LangcrawlError
from langcrawl.store.control import DO, command
from langcrawl.url import canonical
from langcrawl.why import explain

Document = dict[str, Any]
_PARTS = ("say", "figures", "charts", "now", "pages", "failures", "events")
"""The parts of a crawl's page that change while it is open."""
_LONGEST_FORM = 1_000_000


def make_app(directories: Sequence[Path]) -> Starlette:
    """The application that shows the crawls in these directories; it answers whoever asks."""
    for directory in directories:
        CrawlConfig.load(directory)
    crawls = [WatchedCrawl(at, path) for at, path in enumerate(directories, 1)]
    app = Starlette(
        routes=Pages(crawls).routes(),
        exception_handlers={LangcrawlError: _complain, HTTPException: _complain},
    )
    app.state.ending = lambda: False  # who runs it may know better
    return app


class Pages:
    """What can be asked for."""

    def __init__(self, crawls: Sequence[WatchedCrawl]) -> None:
        self._crawls = crawls
        self._templates = _templates()
        self._templates.globals["crawls"] = [(crawl.number, crawl.name) for crawl in crawls]

    def routes(self) -> list[BaseRoute]:
        one = "/crawls/{crawl:int}"
        views: dict[str, tuple[str, Callable[[Request], Awaitable[Document]]]] = {
            one: ("crawl.html", self._crawl),
            f"{one}/hosts": ("hosts.html", self._hosts),
            f"{one}/page": ("page.html", self._page),
            f"{one}/why": ("why.html", self._why),
            f"{one}/review": ("review.html", self._review),
            f"{one}/preview": ("preview.html", self._preview),
        }
        found: list[BaseRoute] = [
            Route("/", self._index),
            Route("/index.json", self._index),
            Route("/events", self._overview_stream),
            Mount("/static", StaticFiles(packages=[("langcrawl.dashboard", "static")])),
        ]
        for path, (template, view) in views.items():
            answer = partial(self._answer, template, view)
            found += [Route(path, answer), Route(f"{path}.json", answer)]
        return [
            *found,
            Route(f"{one}/events", self._stream),
            Route(f"{one}/archived", self._archived),
            Route(f"{one}/change", self._change, methods=["POST"]),
            Route(f"{one}/review", self._take_answer, methods=["POST"]),
            Route(f"{one}/{{do:str}}", self._do, methods=["POST"]),
        ]

    async def _answer(
        self, template: str, view: Callable[[Request], Awaitable[Document]], request: Request
    ) -> Response:
        document = await view(request)
        if request.url.path.endswith(".json"):
            return JSONResponse(document)
        return self._html(template, document)

    def _html(self, template: str, about: Document) -> HTMLResponse:
        return HTMLResponse(self._templates.get_template(template).render(about))

    def _of(self, request: Request) -> WatchedCrawl:
        number = int(request.path_params["crawl"])
        if not 1 <= number <= len(self._crawls):
            raise HTTPException(404, f"there is no crawl {number} here.")
        return self._crawls[number - 1]

    async def _index(self, request: Request) -> Response:
        """All crawls; where there is one only, its page."""
        if request.url.path.endswith(".json"):
            return JSONResponse({"crawls": await asyncio.to_thread(self._all)})
        if len(self._crawls) == 1:
            return RedirectResponse("/crawls/1", 303)
        documents = await asyncio.to_thread(self._all)
        cards = self._cards(documents)
        return self._html("overview.html", {"documents": documents, "cards": cards})

    def _all(self) -> list[Document]:
        return [_looked_at(crawl) for crawl in self._crawls]

    def _cards(self, documents: Sequence[Document]) -> str:
        charts = {
            each["crawl"]: crawl_charts(each["history"], each["status"]["estimated_end"])
            for each in documents
            if "status" in each
        }
        return self._templates.get_template("cards.html").render(documents=documents, charts=charts)

    async def _overview_stream(self, request: Request) -> Response:
        return stream(request, lambda: {"cards": self._cards(self._all())})

    async def _crawl(self, request: Request) -> Document:
        crawl = self._of(request)
        document = await asyncio.to_thread(crawl.look)
        if request.url.path.endswith(".json"):
            return document
        return document | {"parts": self._parts(document), "names": LIMITS}

    def _parts(self, document: Document) -> dict[str, str]:
        charts = crawl_charts(document["history"], document["status"]["estimated_end"])
        return {
            name: self._templates.get_template(f"{name}.html").render(charts=charts, **document)
            for name in _PARTS
        }

    async def _stream(self, request: Request) -> Response:
        crawl = self._of(request)
        return stream(request, lambda: self._parts(crawl.look()))

    async def _hosts(self, request: Request) -> Document:
        crawl, asked = self._of(request), request.query_params
        page = asked.get("page", "0")
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 9 else 0
        found = await asyncio.to_thread(
            crawl.hosts, asked.get("search", "")[:200], asked.get("sort", "pages"), number
        )
        return _about(crawl) | found

    async def _page(self, request: Request) -> Document:
        crawl = self._of(request)
        return _about(crawl) | await asyncio.to_thread(crawl.page, _url(request))

    async def _why(self, request: Request) -> Document:
        """How a URL came to be crawled, queued or left out; without one, a place to ask."""
        crawl = self._of(request)
        if not request.query_params.get("url"):
            return _about(crawl) | {"url": "", "found": None}
        url = _url(request)
        found = await asyncio.to_thread(explain, crawl.directory, url)
        return _about(crawl) | {"url": url, "found": found.as_json()}

    async def _review(self, request: Request) -> Document:
        crawl, asked = self._of(request), request.query_params
        wanted = _share(asked.get("precision", ""), 0.95)
        reviewer = asked.get("reviewer", "")[:60]
        found = await asyncio.to_thread(review_document, crawl, reviewer, wanted)
        return _about(crawl) | found

    async def _take_answer(self, request: Request) -> Response:
        crawl = self._of(request)
        name = await asyncio.to_thread(take_answer, crawl, await _sent(request))
        if _is_json(request):
            return JSONResponse({"ok": True, "reviewer": name})
        query = urlencode({"reviewer": name})
        return RedirectResponse(f"/crawls/{crawl.number}/review?{query}", 303)

    async def _archived(self, request: Request) -> Response:
        """An archived page, for a frame in which it can do nothing."""
        page = await asyncio.to_thread(self._of(request).archived, _url(request))
        kind = "text/html" if page.is_html else "text/plain"
        source = page.source() if page.is_readable else "This is no page of text."
        headers = {"Content-Security-Policy": ARCHIVED_POLICY}
        body = source.encode("utf-8", "replace")
        return Response(body, media_type=f"{kind}; charset=utf-8", headers=headers)

    async def _preview(self, request: Request) -> Document:
        """What an exclusion would take out of the queue; nothing is changed."""
        crawl, asked = self._of(request), request.query_params
        said = _said({key: asked.getlist(key) for key in ("exclude", "exclude_hosts")})
        config = await asyncio.to_thread(changed, crawl.directory, said)
        found = await asyncio.to_thread(left_out, crawl.directory, config)
        patterns = [*said.get("exclude", ()), *map(host_pattern, said.get("exclude_hosts", ()))]
        return _about(crawl) | found.as_json() | {"said": said, "patterns": patterns}

    async def _change(self, request: Request) -> Response:
        crawl = self._of(request)
        said = _said(await _sent(request))
        answer = await asyncio.to_thread(command, crawl.directory, "change", said)
        return self._done(request, crawl, answer)

    async def _do(self, request: Request) -> Response:
        crawl, do = self._of(request), request.path_params["do"]
        if do not in DO:
            raise HTTPException(404, f"there is nothing called {do} to do.")
        answer = await asyncio.to_thread(command, crawl.directory, do)
        return self._done(request, crawl, answer)

    def _done(self, request: Request, crawl: WatchedCrawl, answer: Document) -> Response:
        crawl.look_again()
        if _is_json(request):
            return JSONResponse(answer)
        about = {"left": answer["left_out"]} if answer.get("left_out") else {}
        query = f"?{urlencode(about)}" if about else ""
        return RedirectResponse(f"/crawls/{crawl.number}{query}", 303)


def _looked_at(crawl: WatchedCrawl) -> Document:
    """A crawl among several: one that cannot be read says so, and does not hide the others."""
    try:
        return crawl.look()
    except (LangcrawlError, OSError) as error:
        return _about(crawl) | {"state": "cannot be read", "error": str(error)}


def _about(crawl: WatchedCrawl) -> Document:
    return {"crawl": crawl.number, "name": crawl.name, "directory": str(crawl.directory)}


def _url(request: Request) -> str:
    """The URL that is asked about, in its canonical form."""
    given = request.query_params.get("url", "")
    url = canonical(given.strip())
    if url is None:
        raise BadInput(f"'{given[:200]}' is not a URL; write it as http://host/path.")
    return url


def _share(text: str, otherwise: float) -> float:
    try:
        value = float(text)
    except ValueError:
        return otherwise
    return value if 0 <= value <= 1 else otherwise


def _is_json(request: Request) -> bool:
    return request.headers.get("content-type", "").partition(";")[0] == "application/json"


async def _sent(request: Request) -> Document:
    """What a form or a script sends."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST_FORM:
            raise HTTPException(413, "that is too long.")
    if not _is_json(request):
        try:
            return parse_qs(body.decode("utf-8", "replace"), max_num_fields=100)
        except ValueError:
            raise BadInput("there are too many fields in that form.") from None
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        raise BadInput("send a JSON object.") from None
    if not isinstance(sent, dict):
        raise BadInput("send a JSON object.")
    return sent


def _said(sent: Document) -> Document:
    """What is to be changed, in the words of the channel: fields that were left empty say nothing.

    A field of several lines is several values.
    """
    said: Document = {}
    for key, value in sent.items():
        if not isinstance(value, list):
            said[key] = value
            continue
        lines = [line.strip() for text in value for line in str(text).splitlines() if line.strip()]
        if lines:
            said[key] = lines[0] if key in LIMITS else lines
    return said


async def _complain(request: Request, error: Exception) -> Response:
    """One sentence that says what to do."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    words = str(error.detail) if isinstance(error, HTTPException) else str(error)
    if request.url.path.endswith(".json") or _is_json(request):
        return JSONResponse({"ok": False, "error": words}, status)
    page = _templates().get_template("error.html").render(words=words, crawls=[])
    return HTMLResponse(page, status)


def _templates() -> Environment:
    """Templates that escape every value; a name that they use and nobody gives is an error."""
    made = Environment(
        loader=PackageLoader("langcrawl.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(FILTERS)
    made.globals["version"] = __version__
    return made
