"""Pages read in one pass: the same answers as from the tree, or none."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from langcrawl.page import extract, quick
from langcrawl.page.elements import words
from langcrawl.page.links import BEHIND_DIRECTORY, BEHIND_HOST, OTHER, WHOLE
from langcrawl.page.quick import ENOUGH, READER, compile_anew, modules_for, page, quick_page
from langcrawl.page.quick.page import read_quickly
from langcrawl.page.tree import TreePage
from langcrawl.records import Charsets, Content

URL = "http://host.example/a/b"
NAMES = words(
    "a a a b i em font span div div p p p ul ol li li dl dt dd table tr td th tbody thead "
    "tfoot caption col colgroup h1 h2 h3 pre form button label select option textarea script "
    "style iframe noscript br br hr img img area input meta link base title svg path g "
    "section nav article header footer main center blockquote address u strong code x-y body "
    "html head template object figure figcaption details summary fieldset tt small big s "
    "strike q abbr cite video audio embed source wbr menu dir dialog hgroup search nobr ruby "
    "rt image math basefont legend map "
)
EMPTY = set(words("br hr img area input meta link base embed source wbr col basefont "))
RAW = {"script", "style", "iframe", "textarea", "title"}
ATTRIBUTES = words(
    "href src alt class rel hreflang title lang name http-equiv content id ALT Class "
)
VALUES = [
    "/x", "y.html", "http://other.example/p?a=1&b=2", "?a=1&copy=2", "&amp;z", "a  b", "", "en",
    "nofollow", "robots", "refresh", "0; url=/q", "noindex", "next", "alternate", "canonical",
    "Q&A", "x&#39;y", "ไทย", "&eacute;t&eacute", "#", "javascript:x", "mailto:a@b", "menu  big",
    "a/b", "&#65039;", "&Tab;",
]  # fmt: skip
TEXTS = [
    "word", "สวัสดี ครับ", " ", "  \n ", "\n", "a &amp; b", "&nbsp;", "&lt;x&gt;", "R&D", "1 < 2", "x",
    "\t", "&copy", "&copy;", "&#8217;s", "&#x1F600;", "end.", "\r\n", "Q&", "&", "<", "&notit;",
    "&am", "p; q", "<3",
]  # fmt: skip
HEADS = [
    "", "<title>T &amp; x</title>", "<meta name=robots content=nofollow>",
    "<noscript><img src=x></noscript>", "<link rel=next href=/n>", "<script>a<b</script>",
    "<noscript><style>x</style></noscript>", "<base href=http://base.example/c/>",
]  # fmt: skip
TYPES = [
    "<!doctype html>", "<!DOCTYPE html>\n", "",
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">',
]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    READER.load()


class Soup:
    """Random markup, most of it in order."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def page(self) -> str:
        pick = self.random.choice
        body = self.some(0)
        if self.random.random() < 0.5:
            return body
        return (
            f"{pick(TYPES)}<html{self.attributes()}><head>{pick(HEADS)}</head>{pick(['', chr(10)])}"
            f"<body{self.attributes()}>{body}</body></html>{pick(['', chr(10), 'x'])}"
        )

    def some(self, depth: int) -> str:
        return "".join(self.piece(depth) for _ in range(self.random.randint(1, 5)))

    def piece(self, depth: int) -> str:
        pick, chance = self.random.choice, self.random.random()
        if chance < 0.35 or depth > 6:
            return pick(TEXTS)
        if chance < 0.4:
            return pick(["<!-- c -->", "<!x>", "<?pi?>", "<!-- <b> -->", "<![CDATA[x]]>", TYPES[0]])
        if chance < 0.44:
            return f"</{pick(NAMES)}{pick(['>', '>', ' >', ' x>'])}"
        name = pick(NAMES)
        ends = self.random.random() < 0.93
        written = name.upper() if self.random.random() < 0.15 else name
        begin = f"<{written}{self.attributes()}{pick(['', '', '', '/', ' /'])}>"
        if name in EMPTY:
            return begin
        return begin + self.inside(name, depth) + (f"</{written}>" if ends else "")

    def inside(self, name: str, depth: int) -> str:
        pick, in_order = self.random.choice, self.random.random() < 0.7
        if name in RAW:
            return pick(["", "x", "a<b", "<p>x", " ", "&amp;y"])
        if name == "select" and in_order:
            return "<option>a<option selected>b</option>"
        if name == "table" and in_order:
            return "".join(f"<tr>{self.items('td', depth)}{pick(['</tr>', '', ' '])}" for _ in "ab")
        return (
            self.items("li", depth) if name in ("ul", "ol") and in_order else self.some(depth + 1)
        )

    def items(self, name: str, depth: int) -> str:
        end = self.random.choice([f"</{name}>", ""])
        return "".join(
            f"<{name}>{self.some(depth + 2)}{end}" for _ in range(self.random.randint(1, 3))
        )

    def attributes(self) -> str:
        return "".join(
            f" {self.attribute()}" for _ in range(self.random.choice([0, 0, 1, 1, 2, 3]))
        )

    def attribute(self) -> str:
        pick = self.random.choice
        name, value, quote = pick(ATTRIBUTES), pick(VALUES), pick(['"', '"', '"', "'", "", None])
        if quote is None:
            return name
        if not quote:
            value = value.replace(" ", "") or "v"
        return f"{name}{pick(['=', '=', '= ', ' ='])}{quote}{value}{quote}"


def by_tree(html: str) -> Content:
    READER.stay()
    READER.is_loaded = False
    try:
        return extract(html, URL, Charsets())
    finally:
        READER.is_loaded = True


def is_quick(html: str) -> bool:
    raw = html.encode()
    return quick_page(raw, raw.lower()) is not None


def test_random_markup_is_read_as_the_parser_reads_it() -> None:
    quick = 0
    for seed in range(4_000):
        html = Soup(seed).page()
        assert extract(html, URL, Charsets()) == by_tree(html), f"seed {seed}: {html!r}"
        quick += is_quick(html)
    assert quick > 700  # or the comparison says little


CASES = {
    "lists": "<ul><li>a<li>b<ol><li>c</li><li>d</ol></ul>e<li>f",
    "empty lists": "<ul></ul><li>x</li><ol><li></li></ol>y",
    "tables": "<p>x<table><caption>c</caption><col><tr><th>1<td>2<tbody><tr><td>3</table>y",
    "tables in paragraphs, standard": "<!doctype html><p>x<table><tr><td>1</table>y",
    "tables in paragraphs, of old": "<p>x<table><tr><td>1</table>y",
    "paragraphs": "<p>a<p>b</p>c</p>d<div>e<p>f</div>g",
    "preformatted": "<pre>\n a\r\n  b\tc</pre><pre>x</pre> y",
    "breaks": "a<br>b<br><br>c<hr>d",
    "definitions": "<dl><dt>a<dd>b<dt>c<dd>d</dl>",
    "references": "<p>&lt;b&gt; &amp;amp; &eacute; &notit; R&D &copy 2 &#8217; &#x1F600; &#65039;",
    "references at ends": "<b>Q&</b>A <i>AT&</i>T <a href=x>R&<b>D</b></a>",
    "white space by reference": "<p>a&#10;b&Tab;c&NewLine;d",
    "images": "<a href=x><img alt='one &amp; two'></a><img alt=three>four<img alt='Q&A'>",
    "a link without text": "<a href=x title='t'></a><a href=y><img src=z><img alt='second'></a>",
    "unseen links": "<noscript><a href=x>a</a></noscript><label><a href=y>b</a></label>",
    "frames": "<iframe src=x></iframe><iframe src=y>text</iframe><iframe src='z' />a</iframe>",
    "image maps": "<map><area href=x alt=north><area alt=south></map>",
    "attributes": "<a href=x href=y CLASS='a  b' rel='NoFollow  me' hreflang=' th '>z</a>",
    "broken attributes": '<a href="x"class=y"z>a</a><a =b href = \'c\' d>e</a><a href=>f</a>',
    "ampersands in addresses": "<a href='?a=1&copy=2&lang=th&sect;=3&amp;b'>x</a>",
    "a base": "<base target=x><base href=http://base.example/q/><a href=r>s</a>",
    "a late body": "text<body class='late early'><a href=x>y</a>",
    "classes": "<body><div class='a&amp;b c'><p class=x/y><a href=x>y</a></div>",
    "a short head": "<head><noscript><img src=x></noscript><meta name=robots content=none>",
    "refresh in noscript": "<noscript><meta http-equiv=refresh content='0;url=/x'></noscript>y",
    "a title in the body": "<body>a<title>b &amp; c</title>d",
    "two languages": "<html lang=th><html lang=en dir=ltr>x",
    "drawings": "<svg class=a><title>t</title><path d='x'/><g><image/></g></svg>x<svg/>y",
    "templates": "<template><a href=x>y</a><template>z</template></template>a",
    "comments": "a<!-- b > c -->d<!-->e--><!e>f<?g?>h<!doctype html>i",
    "scripts": "<script>a</b><!-- </script>c<style>d</style>e<script>'</scripty>'</script>f",
    "a script in a comment in a script": "<script><!--<script></script>x--></script>y",
    "choices": "<select><option>a<optgroup><option>b</select>c<textarea><b></textarea>d",
    "forms": "<form><p>a<input value=b><button>c</button></form>d",
    "letters that are none": "<p>a\0b\x0bc\x0cd",
    "tags that are none": "a < b <3 <> </> <é> c",
    "nothing": "",
    "an end": "<p>a<b",
}


@pytest.mark.parametrize("html", CASES.values(), ids=CASES.keys())
def test_what_is_special_is_read_as_the_parser_reads_it(html: str) -> None:
    assert extract(html, URL, Charsets()) == by_tree(html)


@pytest.mark.parametrize(
    "html",
    [
        "<b>a<p>b</b>c</p>", "<a href=x>a<a href=y>b</a>", "<table>x<tr><td>y</table>",
        "<p><b>a</p>b", "<form><div></form>a</div>", "<math>x</math>", "<object>x</object>",
        "<table><div>x</div></table>", "<!-- no end", "<a href='no end", "<script>no end",
        "<div>" * 500 + "x", "<ruby>x<rt>y</ruby>", "<svg><p>x</svg>",
    ],
)  # fmt: skip
def test_what_is_not_in_order_is_left_to_the_parser(html: str) -> None:
    assert not is_quick(html)


@pytest.mark.parametrize("html", ["<p>a", CASES["lists"], CASES["tables"], CASES["drawings"]])
def test_what_is_in_order_is_read_in_one_pass(html: str) -> None:
    assert is_quick(html)


HREFS = [
    *words(
        "http:// https:// HTTP:// http:/ https: // / / / host.example h-1.example a.b a.bc 1.2.3.4 "
        "HOST.example -h .h xn--p1ai.example a--b.example xn--x . .. ./ ../ /. /.. - -- _ ~ a B9 "
        "index.html x.y.html ? ?q=1 ?sid=1 # #f ;jsessionid=1 : :80 :443 u@ @ & &amp; % %41 %zz "
        "\\ ( ) (S(abcdefghijklmnopqrstuvwx)) é ไทย * + , = ! $ ' | ^ ` { } [ ]"
    ),
    " ", "\t", "\n", "\r\n", "a" * 299, "/a" * 140,
]  # fmt: skip
PLAIN = words("http:// https:// / / host.example h-1.example/ a.bc/ - -x . ~ a B9 index.html x.y")
BASES = ["", "http://base.example/c/d", "/s/;jsessionid=1/x", "//b.example", "http://x:8080/a/"]


def test_where_links_lead_is_what_the_parser_and_the_rules_of_urls_say() -> None:
    """Links that are plain are seen so as they are read; this must change no URL."""
    rng, plain = random.Random(1), 0
    for _ in range(800):
        kinds = [rng.choice((HREFS, PLAIN)) for _ in range(24)]
        hrefs = ["".join(rng.choices(pieces, k=rng.randint(1, 6))) for pieces in kinds]
        base = rng.choice(BASES)
        html = f'<base href="{base}">' if base else ""
        html += "".join(f'<a href="{href}">x</a>' for href in hrefs)
        assert is_quick(html)
        assert extract(html, URL, Charsets()) == by_tree(html), html
        read = quick_page(html.encode(), html.encode().lower())
        assert read
        plain += sum(kind != OTHER for kind in read.kinds())
    assert plain > 2_000  # or the comparison says little


@pytest.mark.parametrize(
    ("href", "kind"),
    [
        ("http://host.example/a/b-c_d~e.html", WHOLE), ("https://a.b-1.example/", WHOLE),
        ("/a/b.html", BEHIND_HOST), ("b/c", BEHIND_DIRECTORY), ("9", BEHIND_DIRECTORY),
        ("http://host.example", OTHER), ("http://HOST.example/", OTHER), ("http://h/x", OTHER),
        ("http://h.example/?a=1", OTHER), ("http://h.example/a/../b", OTHER), ("../x", OTHER),
        ("//h.example/x", OTHER), ("/", OTHER), ("", OTHER), ("a:b", OTHER), ("a b", OTHER),
        ("http://xn--p1ai.example/x", OTHER), ("http://h.e/x", OTHER), ("http://.h.example", OTHER),
        ("http://1.2.3.4/", OTHER), ("x" * 301, OTHER), ("ftp://h.example/x", OTHER),
    ],
)  # fmt: skip
def test_what_makes_a_link_plain(href: str, kind: int) -> None:
    html = f'<a href="{href}">x</a>'.encode()
    read = quick_page(html, html.lower())
    assert read
    assert read.kinds() == [kind]


def test_pages_that_say_more_without_scripts_are_left_to_the_parser() -> None:
    html = f"<p>wait</p><noscript><p>{'what is shown without scripts ' * 9}</noscript>"
    assert not is_quick(html)
    assert "without scripts" in extract(html, URL, Charsets()).text


def test_long_lists_and_many_tags_take_no_longer_than_their_size() -> None:
    """Where lists lie in lists the parser takes the cube of their depth."""
    html = "<ul><li>" * 350 + "x" + "</ul>" * 350
    assert extract(html, URL, Charsets()) == by_tree(html)
    assert read_quickly(b"<ul></ul>" * 600, 1200) is None


def test_real_pages_are_read_as_the_parser_reads_them(shared: Path) -> None:
    with gzip.open(shared / "maintext" / "pages.jsonl.gz", "rt") as lines:
        pages = [json.loads(line)["html"] for line in lines][::12]
    for html in pages:
        assert extract(html, URL, Charsets()) == by_tree(html)
    assert sum(map(is_quick, pages)) > len(pages) // 2


LATER = """
import sys, time
from langcrawl.page import extract
from langcrawl.page import quick
from langcrawl.records import Charsets
quick.ENOUGH = 100_000
page = "<p>some text of a page</p><a href=/x>y</a>" * 100
def read():
    assert len(extract(page, "http://host.example/", Charsets()).links) == 100
for _ in range(20):
    read()
assert not quick.READER.is_loaded
until = time.monotonic() + 120
while not quick.READER.is_loaded:
    read()
    time.sleep(0.01)
    assert time.monotonic() < until, "the reader was never loaded"
read()
assert "langcrawl.page.quick.page" in sys.modules
"""


@pytest.mark.parametrize("known", ["True", "False"])
def test_a_process_that_has_read_enough_loads_the_reader(known: str) -> None:
    """At once where it is known to be compiled; else another process sees to that first."""
    script = LATER.replace("quick.ENOUGH", f"quick._is_compiled = lambda: {known}\nquick.ENOUGH")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_tree_and_a_pass_give_the_same_names() -> None:
    html = "<!doctype html><title>t</title><body class=b><div class='c d'><a href=x>y</a></div>"
    quick, tree = read_quickly(html.encode(), 8), TreePage(html, html.encode())
    assert isinstance(quick, page.QuickPage)
    assert (quick.title, quick.base, quick.lang) == (tree.title, tree.base, tree.lang)
    assert quick.hrefs() == tree.hrefs() == ["x"]
    assert quick.tag_paths([0]) == tree.tag_paths([0]) == ["body.b/div.c"]
    assert list(quick.said([0])) == list(tree.said([0])) == ["y"]


def test_a_copy_of_a_process_that_loaded_the_reader_uses_it_from_the_first_page() -> None:
    compile_anew()
    (module,) = modules_for(2 * ENOUGH)
    assert not modules_for(2 * ENOUGH - 1)
    program = f"""
import os, {module}
from langcrawl.page.quick import READER, quick_page
html = b"<title>a</title><p>b"
if child := os.fork():
    _, status = os.waitpid(child, 0)
    assert status == 0 and not READER.is_loaded
else:
    found = quick_page(html, html)
    os._exit(not (found and READER.is_loaded))
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize("name", ["quick/text.py", "links.py", "elements.py"])
def test_code_is_compiled_anew_when_a_file_that_it_was_made_of_has_changed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "page"
    caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(quick.__file__).parent.parent, package, ignore=caches)
    made = package / "quick" / "__pycache__" / "one_pass.read_in_one_pass-1.nbi"
    made.parent.mkdir()
    made.touch()
    os.utime(made, ns=(made.stat().st_atime_ns, made.stat().st_mtime_ns + 10**10))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(quick, "_FOLDER", package / "quick")
    assert quick._is_compiled()
    os.utime(package / name, ns=(0, made.stat().st_mtime_ns + 10**10))
    assert not quick._is_compiled()


def test_all_files_that_compiled_code_has_something_of_are_known() -> None:
    folder, found = Path(quick.__file__).parent, set()
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "import numba" in text or "langcrawl.page.compiled" in text or path.stem == "names":
            found |= set(re.findall(r"^from langcrawl\.page\.(\w+) import", text, re.MULTILINE))
    assert {f"{name}.py" for name in found} == set(quick._BESIDE)
