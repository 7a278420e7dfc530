"""Targets: pages, text in legacy encodings, URLs, robots.txt and sitemaps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import isfinite

from benchmarks import costly
from fuzz.target import Target, demand
from langcrawl.judge import make_anchor_scorer, make_judge
from langcrawl.languages import load_pack
from langcrawl.page import Answer, Budget, CarefulReader, PageReader, Reading, extract
from langcrawl.page.budget import OverBudget
from langcrawl.page.quick import READER, quick_page
from langcrawl.records import Charsets, Content, Links
from langcrawl.script import ENCODINGS, convert
from langcrawl.url import Resolver, canonical, domain_of, host_of, tld_of, without_noise
from langcrawl.web.robots import read_rules
from langcrawl.web.sitemaps import read_sitemap

_BUDGET = Budget(seconds=1, memory=300_000_000, patience=30.0)
"""Small, so that what is over budget takes little of the time, and is told as such."""
_MOST_LINKS = 100_000
_SITE = "http://fuzz.example/"
_THAI = "ภาษาไทยเป็นภาษาราชการของประเทศไทย มีผู้พูดหลายสิบล้านคน "
_BURMESE = "မြန်မာစာသည် မြန်မာနိုင်ငံ၏ ရုံးသုံးဘာသာစကား ဖြစ်သည်။ "
_ZAWGYI = "ျမန္မာစာသည္ ျမန္မာႏိုင္ငံ၏ ႐ုံးသုံးဘာသာစကား ျဖစ္သည္။ "
_WIN_INNWA = "jrefrmpmonf jrefrmEdkifiH\\ ½Hk;oHk;bmompum; jzpfonf/ "
_MENKSOFT = "".join(chr(0xE234 + n % 300) for n in range(60))


@cache
def _readers() -> tuple[CarefulReader, CarefulReader]:
    """One for a language of today, and one that converts what was typed in old fonts."""
    thai, burmese = load_pack("th"), load_pack("my")
    plain = PageReader(make_judge(thai), context=True)
    scorer = make_anchor_scorer(burmese).score
    full = PageReader(make_judge(burmese), scorer, normalize="unicode", fingerprinted=False)
    return CarefulReader(plain, _BUDGET), CarefulReader(full, _BUDGET)


def _check_page(data: bytes) -> object:
    """The first three lines are the path, the type and the headers; the rest is the body."""
    path, kind, links, body = (data.split(b"\n", 3) + [b""] * 4)[:4]
    url = canonical(_SITE + path.decode("utf-8", "replace")) or _SITE
    said = links.decode("latin-1")
    headers = {"link": said, "x-robots-tag": said, "content-language": said}
    status = 301 if path.startswith(b"301") else 200
    answer = Answer(url, status, kind.decode("latin-1"), said, body, headers)
    reading = _readers()[len(path) % 2].read(answer)
    _check_reading(reading)
    page, verdict, conversion = reading
    return (
        page.notes, page.charsets, verdict.language, verdict.encoding, verdict.relevant,
        bool(page.redirect), len(page.links).bit_length(), bool(page.title), len(page.fonts),
        conversion is not None and bool(conversion.unmapped),
    )  # fmt: skip


def _check_reading(reading: Reading) -> None:
    page, verdict, _ = reading
    demand(0.0 <= verdict.score <= 1.0, f"a score is within 0 and 1: {verdict.score}")
    demand(len(page.links) <= _MOST_LINKS, f"a page has at most 100,000 links: {len(page.links)}")
    for link in (*page.links.urls, page.redirect):
        if link:
            demand(canonical(link) == link, f"a link is canonical: {link!r}")
    for score in page.links.anchor_scores:
        known = score is None or 0.0 <= score <= 1.0
        demand(known, f"the score of an anchor is within 0 and 1: {score}")
    said = (page.title, page.html_lang, page.content_language, page.content_type, verdict.language)
    for text in (*said, *page.fonts, *page.charsets, *_columns(page.links)):
        demand(_can_be_kept(text), f"a text can be written to the log: {text!r}")


def _columns(links: Links) -> Iterator[str]:
    for column in (links.anchors, links.contexts, links.hreflangs, links.rels, links.tag_paths):
        demand(len(column) in (0, len(links)), f"columns are equally long: {len(column)}")
        yield from column


def _can_be_kept(text: str | None) -> bool:
    try:
        (text or "").encode()
    except UnicodeEncodeError:
        return False
    return True


def _page_seeds() -> list[bytes]:
    _readers()
    first = b"a/b?c=1\ntext/html; charset=utf-8\n</c>; rel=canonical\n"
    whole = (
        f"<!doctype html><html lang=th><head><title>{_THAI}</title><meta charset=utf-8>"
        "<meta name=robots content=nofollow><meta http-equiv=refresh content='5;url=/next'>"
        "<base href='http://other.example/x/'><link rel=alternate hreflang=en href=/en></head>"
        f"<body><p>{_THAI * 4}<a href='y?sid=0123456789abcdef0123456789'>{_THAI}</a>"
        "<a href='//xn--o3cw4h.example:8080/(S(0123456789abcdefghijklmn))/x;jsessionid=1'>s</a>"
        "<iframe src=z></iframe><img alt=x><table><tr><td>1<noscript>no</noscript></table>"
    ).encode()
    old_fonts = f"<font face='Zawgyi-One'>{_ZAWGYI * 8}</font><font face=WinInnwa>{_WIN_INNWA * 8}"
    bodies = [
        whole,
        old_fonts.encode(),
        f"<p>{_MENKSOFT}<p>{_BURMESE * 8}".encode(),
        (_THAI * 8).encode("tis-620"),
        f"<meta charset=utf-16>{_THAI}".encode("utf-16"),
        "<meta charset=shift_jis>日本語のページです。".encode("shift_jis"),
        costly.open_fonts(20, 50),
        costly.lists_of_sections(50),
        costly.titles_that_look_like_ends(50),
        costly.links_around_objects(20, 200),
        costly.many_attributes(100),
        costly.deep_links(50),
        costly.vowels(50),
        b"<base href=http://a.example/" + b"b" * 500 + b">" + b"<a href=x>y</a>" * 10,
    ]
    others = [
        b"301\ntext/html\n//(S(0123456789abcdefghijklmn))/x\n",
        b"\ntext/plain; charset=windows-874\n\n" + (_THAI * 4).encode("cp874", "replace"),
        b"x\napplication/xhtml+xml\nnoindex\n<?xml version='1.0' encoding='tis-620'?><p>x",
    ]
    return [(b"" if n % 2 else b"x") + first + body for n, body in enumerate(bodies)] + others


def _check_markup(data: bytes) -> object:
    """A page in one pass, where that can be, and by its tree."""
    html = data.decode("utf-8", "replace")
    raw = html.encode()
    READER.load()
    quick = _extracted(html)
    in_one_pass = quick_page(raw, raw.lower()) is not None
    READER.stay()
    READER.is_loaded = False
    tree = _extracted(html)
    demand(quick == tree, f"a pass says what the tree says: {quick!r}, {tree!r}")
    size = (len(tree.links).bit_length(), len(tree.text).bit_length()) if tree else None
    return in_one_pass, size


def _extracted(html: str) -> Content | None:
    try:
        return extract(html, _SITE, Charsets())
    except OverBudget:
        return None


def _markup_seeds() -> list[bytes]:
    READER.load()
    return [
        b"<!doctype html><html lang=th><head><title>a &amp; b</title></head><body class=c><p>d<p>e"
        b"<ul><li>f<li>g<ol><li>h</ol></ul><table><tr><td>i<td>j</table><a href=k rel=l>m<b>n</b>"
        b"<img alt=o></a><pre>\np\n q</pre>r<br>s<svg><path/><title>t</title></svg>",
        b"<head><noscript><img src=a></noscript><base href=/b/><link rel=next href=c></head><body>"
        b"<form><label>d<input></label><select><option>e</select></form><dl><dt>f<dd>g</dl>&copy h",
        b"<p>a<table><caption>b</caption><col><thead><tr><th>c</thead></table><h1>d</h1><!-- e -->"
        b"<template><p>f</template><iframe src=g></iframe><script>h<!-- i --></script><hr>j&#39;k",
    ]


def _check_script(data: bytes) -> object:
    """The first byte says what is converted to what; the rest is the text."""
    text = data[1:].decode("utf-8", "replace")
    how = data[0] if data else 0
    target = ("unicode", "zawgyi")[how & 1]
    source = ("", *ENCODINGS)[(how >> 1) % (len(ENCODINGS) + 1)]
    found, made = convert(text, source, target, ("Zawgyi-One",) if how & 64 else ())
    demand(_can_be_kept(made.text), "a converted text can be written")
    if not source and target == "unicode":
        again = convert(made.text, "", target, ("Zawgyi-One",) if how & 64 else ())[1].text
        same = again == made.text
        demand(same, f"what is converted stays as it is when it is converted again: {made.text!r}")
    return found.encoding, source, target, len(made.unmapped), bool(made.merged)


def _script_seeds() -> list[bytes]:
    texts = (_BURMESE, _ZAWGYI, _WIN_INNWA, _MENKSOFT, _THAI, _BURMESE + _ZAWGYI)
    made = [bytes([how]) + text.encode() for how in (0, 1, 2, 4, 64) for text in texts]
    return [*made, b"\0" + ("ေ" * 300).encode(), b"\0" + ("ႈၽ" * 100).encode()]


def _check_url(data: bytes) -> object:
    """A page's address, what it calls its base, and a link, a line each."""
    how = "surrogateescape" if data[:1] == b"s" else "replace"
    lines = data.decode("utf-8", how).split("\n", 2)
    first, base, href = (lines + [""] * 3)[:3]
    page = canonical(first) or _SITE
    demand(canonical(page) == page, f"what is canonical stays so: {page!r}")
    resolve = Resolver(page, base)
    plain, link = resolve(href), resolve.link(href)
    for url in (page, plain, link, *(without_noise(url) for url in (page, plain) if url)):
        if url:
            demand(canonical(url) == url, f"what a resolver gives is canonical: {url!r}")
            host = host_of(url)
            demand(bool(host), f"a canonical URL has a host: {url!r}")
            demand(bool(domain_of(host)) and bool(tld_of(host)), f"a host has a domain: {host!r}")
    if plain:
        demand(host_of(without_noise(plain)) == host_of(plain), f"the host stays: {plain!r}")
        demand(link == without_noise(plain), f"a link is what it leads to, without noise: {link!r}")
    return plain is None, link is None, link == plain, tld_of(host_of(link)) if link else ""


def _url_seeds() -> list[bytes]:
    page, base = b"http://a.example/b/c?d=e\n", b"http://b.example/x/\n"
    links = (
        b"../x", b"//c.example", b"http://(S(0123456789abcdefghijklmn))/x", b"?sid=a1" + b"0" * 30,
        b"http://user:pass@[2001:db8::1]:8080/%7e", "http://ไทย.example/ทดสอบ".encode(),
        b"https://a.example/(S(0123456789abcdefghijklmn))/x;jsessionid=1?utm_a=b&c=d#e",
        b"/a/./b/../c", b"mailto:x@y", b"http://0x7f.1/", b"http:\\\\a.example\\b", b"http:///x",
        b"?utm_source=a&phpsessid=b",
    )  # fmt: skip
    return [page + base + link for link in links] + [page + b"\n" + link for link in links]


def _check_robots(data: bytes) -> object:
    """A status in the first line, and the file."""
    first, _, body = data.partition(b"\n")
    status = int(first) if first.isdigit() and len(first) == 3 else 200
    rules = read_rules(status, body, "langcrawl/1.0 (+http://fuzz.example)")
    urls = (_SITE, f"{_SITE}a/b.html?c=d", f"{_SITE}index.html", f"{_SITE}{'a' * 2000}")
    allowed = [rules.allow(url) for url in urls]
    demand(isfinite(rules.delay), f"a delay is a number: {rules.delay}")
    demand(0.0 <= rules.delay <= 300.0, f"a delay is at most five minutes: {rules.delay}")
    demand(len(rules.sitemaps) <= 100, "at most 100 sitemaps count")
    return status // 100, allowed, rules.delay > 0, len(rules.sitemaps)


def _robots_seeds() -> list[bytes]:
    rules = (
        b"User-agent: *\nDisallow: /a/*.html$\nAllow: /index.html\nCrawl-delay: 2.5\n"
        b"User-agent: langcrawl\nDisallow: /*a*b*c\nSitemap: /sitemap.xml\n"
        b"Request-rate: 1/5s 1200-1300\nVisit-time: 0600-0845\nHost: fuzz.example\n"
    )
    stars = b"User-agent: *\nDisallow: /" + b"*a" * 40 + b"$\n"
    return [b"200\n" + rules, b"404\n", b"503\nx", b"200\n\xef\xbb\xbf" + rules, b"200\n" + stars]


def _check_sitemap(data: bytes) -> object:
    sitemap = read_sitemap(f"{_SITE}sitemap.xml", data)
    if sitemap is None:
        return None
    demand(len(sitemap.urls) <= 50_000, "a sitemap has at most 50,000 URLs")
    for url in sitemap.urls:
        demand(canonical(url) == url, f"a URL of a sitemap is canonical: {url!r}")
        demand(bool(host_of(url)), f"a URL of a sitemap has a host: {url!r}")
    return sitemap.is_index, len(sitemap.urls).bit_length()


def _sitemap_seeds() -> list[bytes]:
    place = b"<url><loc>http://fuzz.example/a?b=1&amp;c=2</loc></url>"
    urls = b"<?xml version='1.0'?><urlset xmlns='x'><!-- c -->" + place * 3 + b"</urlset>"
    index = b"<sitemapindex><sitemap><loc><![CDATA[ /s.xml ]]></loc></sitemap></sitemapindex>"
    rss = b"<rss><channel><item><link>/a</link></item><atom:link href='/b'/></channel></rss>"
    atom = b"<feed><entry><link rel='alternate' href='/c'/><link rel='self' href='/d'/></entry>"
    text = b"http://fuzz.example/a\nhttps://other.example/\n"
    entities = b'<!DOCTYPE a [<!ENTITY b "c">]><urlset><url><loc>&b;&b;</loc></url></urlset>'
    plain = [urls, index, rss, atom, text, entities, urls.decode().encode("utf-16")]
    return [*plain, costly.packed(urls)]


_TAGS = tuple(
    b"<%s>" % name
    for name in b"a href=x,p,li,section,font color=1,table,tr,td,object,base href=x,frame,form,"
    b"select,option,svg,math,template,script,style,textarea,noscript,b,i,/p,/a,/table,/script,"
    b"!--,/div,iframe src=y,area href=z,meta charset=tis-620,meta charset=iso-2022-jp,plaintext"
    .split(b",")
)  # fmt: skip
_SIGNS = tuple(chr(code).encode() for code in (
    0x1031, 0x103A, 0x1039, 0x103B, 0x1085, 0x102D, 0x1000, 0x1094, 0x200B, 0xE234, 0xE360, 0xE8F0,
    0x25CC, 0x180E,
))  # fmt: skip
_IN_URLS = (
    b"http://", b"https:", b"//", b"@", b":0", b":65536", b"[::1]", b"%2e%2e", b"xn--",
    b";jsessionid=", b"/(S(0123456789abcdefghijklmn))/", b"?sid=", b"&utm_source=", b"\\", b"..",
    "ß".encode(),
)  # fmt: skip

READING = (
    Target("page", "read within its budget, links canonical, scores within 0 and 1",
           _page_seeds, _check_page, _TAGS + _IN_URLS + _SIGNS, most=400_000),
    Target("markup", "read in one pass, a page says what its tree says",
           _markup_seeds, _check_markup, _TAGS, most=20_000),
    Target("script", "converted text can be written, and stays when it is converted again",
           _script_seeds, _check_script, _SIGNS, most=40_000),
    Target("url", "canonical URLs stay canonical and keep their host",
           _url_seeds, _check_url, _IN_URLS, most=20_000),
    Target("robots", "rules and delays can be had of any file, in little time",
           _robots_seeds, _check_robots, (
               b"User-agent: *\n", b"Disallow: ", b"Allow: ", b"Crawl-delay: ", b"Sitemap: ",
               b"*", b"$", b"nan", b"inf", b"-1", b"Request-rate: ", b"Visit-time: ", b"\r",
           ), most=600_000, seconds=2),
    Target("sitemap", "the URLs of any sitemap are canonical, and found in little time",
           _sitemap_seeds, _check_sitemap, (
               b"<loc>", b"</loc>", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<link>", b"<link ",
               b"href='", b"&#x0;", b"&#1114112;", b"<rss>", b"<sitemapindex>", b"http://",
           ), most=600_000, seconds=2),
)  # fmt: skip
