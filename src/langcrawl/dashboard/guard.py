"""Who is answered, and what the browser is forbidden.

The dashboard can stop a crawl, and the machine on which it runs also shows pages of strangers. So
the Host of each request must be one of ours (another name that leads here is an attack by DNS),
whoever changes something must come from our own page (Origin), and beyond the loopback address
everybody needs the token. Pages may run our one script, load our one style sheet, and nothing else.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ARCHIVED_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
"""For archived pages: no script, no form, nothing fetched, an origin of its own."""
COOKIE = "langcrawl-token"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # without one, our own forms would come from nowhere
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is this machine's own, for nobody else to reach."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Guard:
    """Wraps an application; what it refuses never gets there."""

    app: ASGIApp
    hosts: frozenset[str]
    """What the Host header may say, with the port where one is needed."""
    token: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        answer: ASGIApp = self.app
        if refusal:
            answer = PlainTextResponse(f"{refusal}\n", 403)
        elif self.token and scope["method"] == "GET" and (clean := self._without_token(scope)):
            answer = RedirectResponse(clean, 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
        elif self.token and not self._has_token(headers):
            answer = PlainTextResponse("open the address with the token in it first\n", 401)
        await answer(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> str:
        """Why a request is refused; empty where it is not."""
        if headers.get("host", "") not in self.hosts:
            return "this name is not the dashboard's; open it by the address that it printed"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and (
            scope["method"] not in ("GET", "HEAD") or headers.get("sec-fetch-mode") != "navigate"
        ):
            return "another site may not ask this"
        if scope["method"] in ("GET", "HEAD"):
            return ""
        origin = headers.get("origin")
        if origin is None:  # no browser; those send one with whatever changes something
            if headers.get("content-type", "").partition(";")[0] != "application/json":
                return "send JSON, or an Origin"
            return ""
        if origin not in {f"http://{host}" for host in self.hosts}:
            return "another site may not change anything here"
        return ""

    def _without_token(self, scope: Scope) -> str:
        """The address without the token in its query, where the right one is there."""
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = query.pop("token", [""])[0]
        if not _same(given, self.token):
            return ""
        rest = urlencode(query, doseq=True)
        path: str = "/" + scope["path"].lstrip("/")
        return f"{path}?{rest}" if rest else path

    def _has_token(self, headers: Headers) -> bool:
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        try:
            kept = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            kept = None
        return _same(bearer, self.token) or (kept is not None and _same(kept.value, self.token))


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    """Have every answer forbid what no page of ours needs."""

    async def sends(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("Content-Security-Policy", POLICY)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sends
