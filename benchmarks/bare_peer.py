"""The barest crawl that Python can do: two processes that fetch, parse and store given pages.

aiohttp, links and text by resiliparse, gzip at level 6. There is no robots.txt, no frontier, no
judge and no log: this is what fetching alone costs. Run as ``python -m benchmarks.bare_peer PORT
PAGES FILE``; each process writes a file of its own.
"""

from __future__ import annotations

import asyncio
import gzip
import sys
from collections.abc import Iterator
from multiprocessing import Process
from typing import BinaryIO
from urllib.parse import urljoin

import aiohttp
import uvloop
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from benchmarks.fast_server import url_of

PROCESSES, CONNECTIONS = 2, 50


async def _crawl(port: str, urls: Iterator[str], file: BinaryIO) -> None:
    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(_fetch(session, port, urls, file) for _ in range(CONNECTIONS)))


async def _fetch(
    session: aiohttp.ClientSession, port: str, urls: Iterator[str], file: BinaryIO
) -> None:
    """One connection: takes the next URL until there is none."""
    for url in urls:
        _, host, path = url.replace("//", "/").split("/", 2)
        address = f"http://127.0.0.1:{port}/{path}"
        async with session.get(address, headers={"Host": host}) as response:
            body = await response.read()
        tree = HTMLTree.parse_from_bytes(body, "utf-8")
        links = {
            urljoin(url, a.getattr("href") or "") for a in tree.body.get_elements_by_tag_name("a")
        }
        text = extract_plain_text(tree, alt_texts=True, links=False)
        assert links, url
        assert text, url
        file.write(gzip.compress(body, 6))


def _run(port: str, pages: int, number: int, name: str) -> None:
    urls = (url_of(page) for page in range(number, pages, PROCESSES))
    with open(f"{name}.{number}", "wb") as file:
        uvloop.run(_crawl(port, urls, file))


def main(port: str, pages: str, file: str) -> None:
    processes = [
        Process(target=_run, args=(port, int(pages), number, file)) for number in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        if process.exitcode:
            sys.exit("a process of the bare loop failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
