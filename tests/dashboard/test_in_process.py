"""The dashboard without a server: its guard, its answers to nonsense, its charts and its words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from itertools import chain, repeat
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message

from langcrawl.dashboard.app import make_app
from langcrawl.dashboard.charts import Line, crawl_charts, draw, lately, short
from langcrawl.dashboard.guard import COOKIE, POLICY, Guard
from langcrawl.dashboard.shown import ago, count, moment, share, shown, size, span, web_link
from langcrawl.dashboard.stream import _events
from langcrawl.errors import NoSuchLog
from langcrawl.review import ReviewFile
from webs import P, write_web

HOST = "127.0.0.1:8765"
OWN = {"origin": f"http://{HOST}"}


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


def ask(
    app: ASGIApp, path: str = "/", method: str = "GET", body: bytes = b"", query: str = "",
    **headers: str,
) -> Answer:  # fmt: skip
    """One request, as a server hands it to an application; header names have underscores."""
    named = {"host": HOST} | {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {
        "type": "http", "http_version": "1.1", "method": method, "scheme": "http", "path": path,
        "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in named.items()],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8765),
    }  # fmt: skip
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    start = next(message for message in sent if message["type"] == "http.response.start")
    whole = b"".join(message.get("body", b"") for message in sent)
    found = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], found, whole.decode())


def guarded(token: str = "") -> Guard:
    return Guard(PlainTextResponse("inside"), frozenset({HOST, "localhost:8765"}), token)


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 200),
        ("GET", {"host": "localhost:8765"}, 200),
        ("GET", {"host": "evil.example"}, 403),
        ("GET", {"host": "127.0.0.1"}, 403),
        ("GET", {"host": ""}, 403),
        ("HEAD", {"host": "evil.example:8765"}, 403),
        ("GET", {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}, 200),
        ("GET", {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}, 403),
        ("GET", {"sec_fetch_site": "same-site", "sec_fetch_mode": "cors"}, 403),
        ("GET", {"sec_fetch_site": "same-origin", "sec_fetch_mode": "cors"}, 200),
        ("POST", {}, 403),
        ("POST", OWN, 200),
        ("POST", {"origin": "http://localhost:8765"}, 200),
        ("POST", {"origin": "http://evil.example"}, 403),
        ("POST", {"origin": f"https://{HOST}"}, 403),
        ("POST", {"origin": "null"}, 403),
        ("POST", {"content_type": "application/json"}, 200),
        ("POST", {"content_type": "application/json; charset=utf-8"}, 200),
        ("POST", {"content_type": "text/plain"}, 403),
        ("POST", {"content_type": "application/json", "origin": "http://evil.example"}, 403),
        ("POST", OWN | {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}, 403),
        ("DELETE", {}, 403),
    ],
)
def test_who_is_answered(method: str, headers: Mapping[str, str], status: int) -> None:
    answer = ask(guarded(), method=method, **headers)
    assert answer.status == status
    assert (answer.text == "inside") is (status == 200)
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer secret"}, 200),
        ({"authorization": "Bearer secre"}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"cookie": f"{COOKIE}=secret"}, 200),
        ({"cookie": f"other=1; {COOKIE}=secret"}, 200),
        ({"cookie": f"{COOKIE}=wrong"}, 401),
        ({"cookie": f"{COOKIE}="}, 401),
        ({"cookie": "\x01=;;;"}, 401),
        ({"authorization": "Bearer s\xe9cret"}, 401),
        ({"authorization": "Bearer secret", "host": "evil.example"}, 403),
    ],
)
def test_a_token_is_asked_of_everybody(headers: Mapping[str, str], status: int) -> None:
    assert ask(guarded("secret"), **headers).status == status
    posted = ask(guarded("secret"), method="POST", **(OWN | dict(headers)))
    assert posted.status == status


@pytest.mark.parametrize(
    ("path", "query", "goes"),
    [
        ("/", "token=secret", "/"),
        ("/crawls/1", "token=secret&sort=pages&search=", "/crawls/1?sort=pages&search="),
        ("//evil.example/", "token=secret", "/evil.example/"),
        ("/\\evil.example", "token=secret", "/%5Cevil.example"),
    ],
)
def test_the_token_in_the_address_becomes_a_cookie_and_leads_nowhere_else(
    path: str, query: str, goes: str
) -> None:
    answer = ask(guarded("secret"), path, query=query)
    assert (answer.status, answer.headers["location"]) == (303, goes)
    kept = answer.headers["set-cookie"].lower()
    assert kept.startswith(f"{COOKIE}=secret;")
    assert "httponly" in kept
    assert "samesite=strict" in kept
    wrong = ask(guarded("secret"), path, query="token=wrong")
    assert (wrong.status, "set-cookie" in wrong.headers) == (401, False)
    assert ask(guarded("secret"), path, "POST", query=query, **OWN).status == 401


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> ASGIApp:
    """A dashboard of two directories that hold logs, and no live crawl."""
    folder = tmp_path_factory.mktemp("logs")
    web = {f"a.th/{n}": P("th" if n < 12 else "en") for n in range(16)}
    return make_app([write_web(folder / name, web, ["a.th/0"]) for name in ("one", "two")])


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/crawls/3", 404, "there is no crawl 3 here"),
        ("/crawls/0", 404, "there is no crawl 0 here"),
        ("/crawls/x", 404, "Not Found"),
        ("/nothing", 404, "Not Found"),
        ("/crawls/1", 400, "holds no live crawl"),
        ("/crawls/1/hosts", 400, "holds no live crawl"),
        ("/crawls/1/page?url=x", 400, "'x' is not a URL; write it as http://host/path"),
        ("/crawls/1/page", 400, "'' is not a URL"),
        ("/crawls/1/why?url=no%20url", 400, "is not a URL"),
        ("/crawls/1/archived?url=ftp://a.th/", 400, "is not a URL"),
        ("/static/../app.py", 404, "Not Found"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_page_and_in_json(
    app: ASGIApp, path: str, status: int, says: str
) -> None:
    bare, _, query = path.partition("?")
    page = ask(app, bare, query=query)
    assert page.status == status
    assert says in page.text.replace("&#39;", "'")
    assert "Traceback" not in page.text
    if bare.startswith("/crawls/") and "archived" not in bare:
        told = ask(app, f"{bare}.json", query=query)
        assert told.status == status
        if status == 400:
            assert told.json["ok"] is False
            assert says in told.json["error"]


def test_a_crawl_that_cannot_be_read_does_not_hide_the_others(app: ASGIApp) -> None:
    crawls = ask(app, "/index.json").json["crawls"]
    assert [(each["crawl"], each["name"], each["state"]) for each in crawls] == [
        (1, "one", "cannot be read"), (2, "two", "cannot be read"),
    ]  # fmt: skip
    shown_page = ask(app, "/")
    assert shown_page.status == 200
    assert "holds no live crawl" in shown_page.text


def test_a_dashboard_needs_directories_of_crawls(tmp_path: Path) -> None:
    with pytest.raises(NoSuchLog):
        make_app([tmp_path / "absent"])


@pytest.mark.parametrize(
    ("body", "kind", "status", "says"),
    [
        (b"[]", "application/json", 400, "send a JSON object"),
        (b"{", "application/json", 400, "send a JSON object"),
        (b"\xff", "application/json", 400, "send a JSON object"),
        (b"[" * 100_000, "application/json", 400, "send a JSON object"),
        (b"{}", "application/json", 400, "that page is not in the sample"),
        (b'{"page": 99, "answer": "yes"}', "application/json", 400, "not in the sample"),
        (b'{"draw": "many"}', "application/json", 400, "'many' is no number of pages"),
        (b'{"draw": "5"}', "application/json", 400, "a sample of 5 pages says nothing"),
        (b"x=1&" * 150, "application/x-www-form-urlencoded", 400, "too many fields"),
        (b"x" * 1_000_001, "application/x-www-form-urlencoded", 413, "that is too long"),
    ],
)
def test_what_is_sent_to_a_review_is_checked(
    app: ASGIApp, body: bytes, kind: str, status: int, says: str
) -> None:
    answer = ask(app, "/crawls/2/review", "POST", body, content_type=kind)
    assert (answer.status, "Traceback" in answer.text) == (status, False)
    assert says in answer.text.replace("&#39;", "'")


def test_a_review_by_a_form_and_by_a_script(app: ASGIApp) -> None:
    empty = ask(app, "/crawls/1/review.json").json
    assert (empty["figures"], empty["next"], empty["sampled"]) == (None, None, 0)
    form = "application/x-www-form-urlencoded"
    drawn = ask(app, "/crawls/1/review", "POST", b"draw=12&reviewer=mali", content_type=form)
    assert (drawn.status, drawn.headers["location"]) == (303, "/crawls/1/review?reviewer=mali")
    before = ask(app, "/crawls/1/review.json", query="reviewer=mali").json
    assert (before["reviewer"], before["answered"], before["sampled"]) == ("mali", 0, 12)
    assert "relevant" not in before["next"]  # the judge's verdict sways nobody
    sent = json.dumps({"page": before["next"]["page"], "answer": "yes", "reviewer": "mali"})
    said = ask(app, "/crawls/1/review", "POST", sent.encode(), content_type="application/json")
    assert said.json == {"ok": True, "reviewer": "mali"}
    after = ask(app, "/crawls/1/review.json", query="reviewer=mali&precision=2").json
    assert (after["answered"], after["figures"]["threshold"]["wanted"]) == (1, 0.95)
    assert after["next"]["page"] != before["next"]["page"]
    directory = Path(after["directory"])
    assert [each.answer for each in ReviewFile(directory).read()[1]] == ["yes"]


def test_there_is_nothing_else_to_do(app: ASGIApp) -> None:
    answer = ask(app, "/crawls/1/explode", "POST", b"{}", content_type="application/json")
    assert (answer.status, answer.json["error"]) == (404, "there is nothing called explode to do.")
    assert ask(app, "/crawls/1/review", "PUT").status == 405


def history(points: int = 60) -> list[dict[str, Any]]:
    return [
        {"spent": 10.0 * at, "pages": 5 * at, "relevant": 2 * at, "queue": 100 + at}
        for at in range(points)
    ]


def test_charts_of_a_crawl_say_in_words_what_they_show() -> None:
    pages, harvest, queue = crawl_charts(history(), None)
    assert [chart.name for chart in (pages, harvest, queue)] == ["pages", "harvest", "queue"]
    assert pages.summary == "295 pages so far, 118 of them relevant."
    assert [line["name"] for line in pages.lines] == ["all", "relevant"]
    assert [label for _, label in harvest.y_ticks][-1] == "100%"
    assert queue.summary == "159 URLs wait."
    assert [line["name"] for line in queue.lines] == ["waiting"]
    end = {"seconds": 300.0, "because": "queue-empty"}
    _, _, ending = crawl_charts(history(), end)
    assert ending.summary.endswith("It ends in about 300 seconds (queue-empty).")
    assert ending.lines[-1]["dot"][1] == ending.bottom  # then nothing waits


def test_a_crawl_that_has_just_begun_has_charts_too() -> None:
    for few in ([], history(1), history(2)):
        charts = crawl_charts(few, {"seconds": 0.0, "because": "max-pages"})
        assert len(charts) == 3
        for chart in charts:
            assert chart.x_ticks
            assert chart.y_ticks


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(0, 10**7).map(lambda tenths: tenths / 10), st.integers(0, 10**7)),
        min_size=1,
        max_size=20,
    ),
    st.booleans(),
)
def test_every_point_lies_within_its_chart(points: list[tuple[float, float]], two: bool) -> None:
    lines = [Line("a", points, "all")] + [Line("none", [], "relevant")] * two
    chart = draw("x", "X", lines, "says")
    assert len(chart.lines) == 1
    for pair in chart.lines[0]["path"].removeprefix("M").split("L"):
        x, y = map(float, pair.split(","))
        assert chart.left - 0.1 <= x <= chart.right + 0.1
        assert chart.top - 0.1 <= y <= chart.bottom + 0.1
    assert all(chart.left <= at <= chart.right + 0.5 for at, _ in chart.x_ticks)
    assert [at for at, _ in chart.y_ticks] == sorted((at for at, _ in chart.y_ticks), reverse=True)


def test_lately_is_the_share_among_the_newest_pages() -> None:
    points = history(40) + [
        {"spent": 400.0 + at, "pages": 200 + at, "relevant": 80 + at, "queue": 0}
        for at in range(1, 9)
    ]
    found = lately(points)
    assert found[0][1] == pytest.approx(0.4)
    assert found[-1] == (408.0, 1.0)
    assert lately([points[0]] * 5) == []


@pytest.mark.parametrize(
    ("say", "value", "words"),
    [
        (count, 1234567, "1,234,567"), (count, 0.25, "0.2"), (count, None, "–"), (count, "x", "–"),
        (share, 0.125, "12.5%"), (share, None, "–"), (size, 999, "999 B"), (size, 1000, "1.0 kB"),
        (size, 2_500_000, "2.5 MB"), (size, 3e12, "3.00 TB"), (size, None, "–"),
        (span, 59.4, "59 s"), (span, 60, "1 min 0 s"), (span, 7260, "2 h 1 min"),
        (span, 180_000, "2 d 2 h"), (span, -5, "0 s"), (span, None, "–"), (ago, 0, "–"),
        (ago, None, "–"), (moment, 86_400, "1970-01-02 00:00:00 UTC"), (moment, 0, "–"),
        (moment, 1e12, "–"), (moment, "soon", "–"), (short, 1500.0, "1.5k"), (short, 2e9, "2G"),
        (short, 0.5, "0.5"), (shown, None, ""), (shown, "a\u202eb", "a[U+202E]b"),
        (web_link, "javascript:alert(1)", ""), (web_link, "http://a.th/x y", ""),
        (web_link, "https://a.th/", "https://a.th/"),
    ],
)  # fmt: skip
def test_numbers_and_texts_are_shown_plainly(
    say: Callable[[Any], str], value: object, words: str
) -> None:
    assert say(value) == words


class _Asked:
    """A request as the stream sees it: it ends after so many looks."""

    def __init__(self, looks: int) -> None:
        self._left = looks
        self.app = self
        self.state = self

    def ending(self) -> bool:
        return self._left <= 0

    async def is_disconnected(self) -> bool:
        self._left -= 1
        return self._left < 0


def test_a_stream_sends_only_the_parts_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("langcrawl.dashboard.stream._STEP", 0.001)
    monkeypatch.setattr("langcrawl.dashboard.stream.EVERY", 0.001)
    looks = chain([{"a": "1", "b": "1"}], repeat({"a": "1", "b": "2"}))

    async def collect() -> list[str]:
        return [event async for event in _events(_Asked(20), lambda: next(looks))]  # type: ignore[arg-type]

    events = asyncio.run(collect())
    sent = [json.loads(each.split("data: ")[1]) for each in events if "data: " in each]
    assert events[0] == "retry: 2000\n\n"
    assert sent == [{"a": "1", "b": "1"}, {"b": "2"}]
    assert events.count(": still here\n\n") == 1
