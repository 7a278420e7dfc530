"""A web over real HTTP: answered by the Host header, watched, and stopped at the end."""

from __future__ import annotations

import http.client
import socket
import threading
import time

import pytest

from langcrawl.errors import BadInput
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

PAGES = {
    "http://a.th/": SmallPage(body=b"one"),
    "http://b.th/": SmallPage(content_type="text/plain; charset=tis-620", body=b"two"),
    "http://a.th/moved?x=1": SmallPage(301, location="http://b.th/"),
    "http://a.th/broken": SmallPage(0),
    "http://a.th/slow": SmallPage(body=b"late", seconds=0.3),
}


def answer(url: str) -> SmallPage:
    return PAGES.get(url, SmallPage(404, body=b"none"))


def ask(server: Server, host: str, path: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        connection.request("GET", path, headers={"Host": host})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def test_hosts_are_told_apart_at_one_address() -> None:
    with Server(answer) as server:
        first, one = ask(server, "a.th", "/")
        second, two = ask(server, "b.th", "/")
        missing, none = ask(server, "c.th", "/")
    assert (first.status, one, second.status, two) == (200, b"one", 200, b"two")
    assert second.headers["Content-Type"] == "text/plain; charset=tis-620"
    assert (missing.status, none) == (404, b"none")


def test_redirects_and_query_strings_arrive_as_they_are() -> None:
    with Server(answer) as server:
        moved, _ = ask(server, "a.th", "/moved?x=1")
        encoded, _ = ask(server, "a.th", "/%E0%B8%81?a=%7e|b")
        paths = [request.path for request in server.requests]
    assert (moved.status, moved.headers["Location"]) == (301, "http://b.th/")
    assert encoded.status == 404
    assert paths == ["/moved?x=1", "/%E0%B8%81?a=%7e|b"]


def test_a_page_of_status_0_breaks_the_connection() -> None:
    with Server(answer) as server:
        with pytest.raises((http.client.HTTPException, OSError)):
            ask(server, "a.th", "/broken")
        assert ask(server, "a.th", "/")[0].status == 200  # and the server lives


def test_a_server_that_thinks_about_one_page_answers_others_meanwhile() -> None:
    with Server(answer) as server:
        done: list[bytes] = []
        slow = threading.Thread(target=lambda: done.append(ask(server, "a.th", "/slow")[1]))
        began = time.monotonic()
        slow.start()
        while not server.requests:
            time.sleep(0.005)
        assert ask(server, "a.th", "/")[1] == b"one"
        assert not done
        slow.join()
    assert done == [b"late"]
    assert time.monotonic() - began >= 0.3


def test_requests_are_counted_and_kept_only_where_asked() -> None:
    with Server(answer, keep=False) as server:
        for _ in range(3):
            ask(server, "a.th", "/")
        assert (server.answered, server.requests) == (3, [])
    with Server(answer) as server:
        before = time.monotonic()
        ask(server, "b.th", "/")
        (request,) = server.requests
    assert (request.host, request.path) == ("b.th", "/")
    assert before <= request.at <= time.monotonic()


def test_a_port_in_use_is_told_in_a_sentence() -> None:
    with Server(answer) as server:
        with pytest.raises(BadInput, match=f"port {server.port} cannot be used"):
            Server(answer, server.port).__enter__()
        assert server.connect_to == f"::127.0.0.1:{server.port}"


def test_the_port_is_free_again_and_only_loopback_was_open() -> None:
    with Server(answer) as server:
        port = server.port
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))
    with Server(answer, port) as server:
        assert ask(server, "a.th", "/")[0].status == 200
