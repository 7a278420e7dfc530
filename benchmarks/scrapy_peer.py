"""The same crawl with Scrapy: robots, links, the same judge, WARC by warcio.

Run as ``python -m benchmarks.scrapy_peer PORT PAGES FILE``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import scrapy
from resiliparse.extract.html2text import extract_plain_text
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from twisted.internet import defer
from twisted.internet.base import ThreadedResolver
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks.fast_server import url_of
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.records import Charsets, Content


class LoopbackResolver(ThreadedResolver):
    """Every name is at 127.0.0.1."""

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> LoopbackResolver:
        return cls(reactor)

    def install_on_reactor(self) -> None:
        self.reactor.installResolver(self)  # type: ignore[arg-type]  # of an older kind

    def getHostByName(self, name: str, timeout: Any = None) -> Any:  # noqa: N802
        return defer.succeed("127.0.0.1")


class Pages(scrapy.Spider):
    """Follows every link, judges every page and writes it to a WARC file."""

    name = "pages"

    def __init__(self, port: str, file: str) -> None:
        super().__init__()
        self.start_urls = [url_of(0).replace(".example/", f".example:{port}/")]
        self._judge = make_judge(load_pack("th"))
        self._links = LinkExtractor()
        self._file = open(file, "wb")  # noqa: SIM115 (open as long as the spider)
        self._warc = WARCWriter(self._file, gzip=True)
        self._port, self.relevant = port, 0

    def parse(self, response: Any) -> Iterator[Any]:
        self._archive(response)
        text = extract_plain_text(response.text, alt_texts=True, links=False)
        content = Content(text, Charsets("utf-8", "utf-8", "utf-8"))
        self.relevant += self._judge.judge(content).relevant
        for link in self._links.extract_links(response):
            url = link.url.replace(".example/", f".example:{self._port}/")
            yield scrapy.Request(url, callback=self.parse)

    def _archive(self, response: Any) -> None:
        def fields(headers: Any) -> list[tuple[str, str]]:
            return [(k.decode(), b",".join(v).decode()) for k, v in headers.items()]

        asked = StatusAndHeaders(
            f"GET / {response.protocol}", fields(response.request.headers), is_http_request=True
        )
        request = self._warc.create_warc_record(response.url, "request", http_headers=asked)
        answer = StatusAndHeaders(
            f"{response.status} OK", fields(response.headers), protocol="HTTP/1.1"
        )
        record = self._warc.create_warc_record(
            response.url, "response", payload=BytesIO(response.body), http_headers=answer
        )
        self._warc.write_request_response_pair(request, record)

    def closed(self, reason: str) -> None:
        self._file.close()


def main(port: str, pages: str, file: str) -> None:
    process = CrawlerProcess(
        {
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": 100,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
            "DOWNLOAD_DELAY": 0,
            "CLOSESPIDER_PAGECOUNT": int(pages),
            "COOKIES_ENABLED": False,
            "RETRY_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_ENABLED": False,
            "DNS_RESOLVER": "benchmarks.scrapy_peer.LoopbackResolver",
            "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
            "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        }
    )
    process.crawl(Pages, port=port, file=file)
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
