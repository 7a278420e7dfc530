"""The main text of pages: what is read, what is chosen, and floors for how well."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from benchmarks.maintext import f1, grams, in_thai, words

from benchmarks import costly
from conftest import Cli
from corpus.pages import archive
from langcrawl.page import main_text
from langcrawl.page.build_main_text import is_held_out, label, read_pages, train
from langcrawl.page.classifier import choose, content_of, load, read_blocks, save, text_of

LEAST_F1, MOST_LOST = 0.85, 0.01
"""What the classifier reaches on pages that it was not learned from, less a little."""
STORY = "<p>It rained all day, and the river rose until the bridge could not be seen.</p>"
MENU = (
    "<nav><ul>" + "".join(f"<li><a href=/{n}>Item {n}</a></li>" for n in range(9)) + "</ul></nav>"
)
FOOTER = "<footer><a href=/c>Copyright</a> <a href=/l>Login</a></footer>"
PAGE = f"<html><body>{MENU}<main><h1>Rain</h1>{STORY * 6}</main>{FOOTER}</body></html>"


def every_block(html: str) -> list[str]:
    blocks = read_blocks(html.encode())
    count = len(blocks.markup.block)
    alone = [np.arange(count) == number for number in range(count)]
    return [" ".join(text_of(blocks, one.astype(np.uint8)).split()) for one in alone]


@pytest.mark.parametrize(
    ("html", "blocks"),
    [
        ("<p>one<p>two<div>three</div>four", ["one", "two", "three", "four"]),
        ("<ul><li>one<li>two<ul><li>in two</ul><li>three</ul>", ["one", "two", "in two", "three"]),
        ("<table><tr><td>a<td>b<tr><th>c</table>d", ["a", "b", "c", "d"]),
        ("<p>a <b>bold</b> <a href=x>link</a>, end</p>", ["a bold link, end"]),
        ("ไทย<b>ไทย</b><span>ไทย</span>", ["ไทยไทยไทย"]),
        ("one<br>two<br><br>three", ["one two", "three"]),
        ("<a href=1>one</a><a href=2>two</a>", ["one two"]),
        ("a<!-- <p>no</p> -->b<script>if (1 <2) '</p>'</script>c", ["abc"]),
        ("<style>p{}</style><title>no</title><textarea>no</textarea>yes", ["yes"]),
        ("<p title='a > b'>one</p><p title=\"</p>\">two", ["one", "two"]),
        ("1 < 2 &amp; 3 &gt; 2 &nbsp; x", ["1 < 2 & 3 > 2 x"]),
        ("<select><option>no</select><svg><text>no</text></svg><template>no</template>y", ["y"]),
        ("</p></div>one</table>", ["one"]),
        ("", []), ("<", ["<"]), ("<p", []), ("<!--", []), ("<script>", []), ("<a href='", []),
    ],
)  # fmt: skip
def test_a_page_is_read_in_blocks_as_a_browser_would(html: str, blocks: list[str]) -> None:
    assert every_block(html) == blocks


def test_the_story_is_kept_and_what_stands_around_it_is_not() -> None:
    main = main_text(PAGE.encode())
    assert main.paragraphs[-6:] == [STORY[3:-4]] * 6
    assert "Item" not in main.text
    assert "Login" not in main.text


def test_as_much_is_taken_as_makes_the_best_f1_to_be_expected() -> None:
    def chosen(*chances: float, chars: Sequence[int] = (100, 100, 100)) -> list[int]:
        return choose(np.array(chances, np.float32), np.array(chars, np.int32)).tolist()

    assert chosen(0.05, 0.95, 0.95) == [0, 1, 1]
    assert chosen(0.3, 0.28, 0.25) == [1, 1, 1]  # all of what is uncertain
    assert chosen(0.9, 0.28, 0.25) == [1, 0, 0]
    assert chosen(0.9, 0.28, 0.25, chars=(10, 100, 100)) == [1, 1, 1]


def test_what_is_for_readers_without_scripts_is_read_where_there_is_nothing_else() -> None:
    hidden = f"<html><body><noscript>{STORY * 6}</noscript><div id=app></div></body></html>"
    assert main_text(hidden.encode()).paragraphs == [STORY[3:-4]] * 6
    beside = PAGE.replace("<main>", "<noscript><p>Please switch scripts on.</p></noscript><main>")
    assert "scripts" not in main_text(beside.encode()).text


def test_cells_of_a_row_stand_on_a_line_and_lines_of_code_on_their_own() -> None:
    table = "<table><tr><th>Year</th><td>1999</td></tr><tr><th>Rain</th><td>much</td></tr></table>"
    blocks = read_blocks(f"{table}<pre>a = 1\nb = 2</pre>".encode())
    chosen = np.ones(len(blocks.markup.block), np.uint8)
    assert text_of(blocks, chosen).split("\n")[1:] == ["Year 1999", "Rain much", "a = 1", "b = 2"]


def test_a_page_without_text_has_none() -> None:
    for html in (b"", b"<html></html>", b"<p>&nbsp;</p>", b"<script>a</script>"):
        assert main_text(html).text == ""
    assert "\0" not in main_text(b"<p>\xff\xfe\x00</p>").text


@pytest.mark.parametrize("name", costly.PAGES)
def test_hostile_pages_are_read_in_moments(name: str) -> None:
    html = costly.PAGES[name]()
    main_text(PAGE.encode())
    began = time.process_time()
    main_text(html)
    assert time.process_time() - began < 3.0


@pytest.mark.parametrize("part", ["<div>", "<p>x<b>", "</div>", "<a href=x>y</a>", "<td>", "<li>a"])
def test_time_grows_with_the_size_of_a_page(part: str) -> None:
    html = (part * (2_000_000 // len(part))).encode()
    main_text(PAGE.encode())
    began = time.process_time()
    main_text(html)
    assert time.process_time() - began < 5.0


def test_a_classifier_is_learned_written_and_read_again(tmp_path: Path) -> None:
    story = STORY[3:-4]
    pages = []
    for site in range(60):
        text = "\n".join(f"{story} Page {site}, line {line}." for line in range(5))
        body = "".join(f"<p class=story>{line}</p>" for line in text.split("\n"))
        html = f"<div class=menu>{MENU}</div><div class=body>{body}</div>{FOOTER}"
        pages.append(label(f"http://site{site}.test/", "article", html.encode(), text))
    model = train(pages)
    save(tmp_path / "model.npz", model)
    with (tmp_path / "model.npz").open("rb") as file:
        again = load(file)
    found = content_of(pages[0].html, again)
    assert found == content_of(pages[0].html, model)
    assert found.strip() == pages[0].text


@pytest.mark.shared
def test_floors_on_pages_of_sites_that_were_held_out(shared: Path) -> None:
    pages = list(read_pages(shared / "maintext" / "pages.jsonl.gz", is_held_out))
    assert len(pages) > 90
    scores, plain, thai = [], [], []
    for page in pages:
        found = main_text(page.html).text
        scores.append(f1(words(found), words(page.text)))
        plain.append(f1(grams(found), grams(page.text)))
        other = main_text(in_thai(page.html.decode("utf-8", "replace")).encode()).text
        thai.append(f1(grams(other), grams(in_thai(page.text))))
    assert np.mean(scores) >= LEAST_F1
    assert np.mean(plain) - np.mean(thai) <= MOST_LOST


def test_the_command_prints_the_main_text_of_files_and_archives(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "plain.txt").write_text("Only a line.\n\nAnd another.\n")
    answer = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{PAGE}"
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n"
        "WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(answer)}\r\n\r\n{answer}\r\n\r\n"
    )
    (tmp_path / "a.warc").write_text(head, newline="")
    one = cli("text", "page.html")
    assert one.stdout.splitlines()[-1] == STORY[3:-4]
    many = json.loads(cli("text", "page.html", "plain.txt", "a.warc", "--json").stdout)
    assert [row["source"] for row in many] == ["page.html", "plain.txt", "http://a.test/"]
    assert many[0]["text"] == many[2]["text"] == one.stdout.rstrip("\n")
    assert many[1]["text"] == "Only a line.\nAnd another."
    assert (many[0]["language"], many[0]["encoding"], many[0]["error"]) == ("en", "unicode", None)
    full = json.loads(cli("text", "page.html", "--text", "full", "--json").stdout)
    assert "Item 3" in full[0]["text"]
    best = json.loads(cli("text", "page.html", "--text", "best", "--json").stdout)
    assert STORY[3:-4] in best[0]["text"]


@pytest.mark.shared
def test_a_few_pages_are_read_without_compiling_and_alike(shared: Path, tmp_path: Path) -> None:
    pages, files = [], []
    for page in read_pages(shared / "maintext" / "pages.jsonl.gz", is_held_out):
        if len(page.html) < 20_000 and len(files) < 4:
            pages.append(page)
            files.append(tmp_path / f"{len(files)}.html")
            files[-1].write_bytes(page.html)
    assert len(files) == 4
    cache = tmp_path / "cache"
    done = subprocess.run(
        [sys.executable, "-m", "langcrawl", "text", "--json", *files],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)}, capture_output=True, check=True,
    )  # fmt: skip
    found = [entry["text"] for entry in json.loads(done.stdout)]
    assert found == [main_text(page.html).text for page in pages]
    assert b"compiled" not in done.stderr
    assert not list(cache.rglob("*.nbi"))


def test_half_an_archive_gives_what_can_be_read_and_says_so(cli: Cli, tmp_path: Path) -> None:
    whole = archive(tmp_path / "a.warc.gz", {f"http://a.test/{n}": PAGE for n in range(5)})
    data = whole.read_bytes()
    whole.write_bytes(data[: len(data) * 2 // 3])
    done = cli("text", "a.warc.gz")
    assert done.returncode == 1
    assert STORY[3:-4] in done.stdout
    assert "'a.warc.gz': 1 of its records cannot be read (it may be cut short)" in done.stderr


def test_bad_input_gets_a_sentence(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG" + bytes(99))
    for words_, status, said in (
        (("none.html",), 1, "there is no file"),
        (("picture.png",), 1, "no text, but an image"),
        (("picture.png", "--text", "some"), 2, "full, main or best"),
        (("-", "picture.png"), 2, "standard input"),
    ):
        done = cli("text", *words_)
        assert (done.returncode, said in done.stderr) == (status, True), done.stderr


def test_legacy_encodings_become_unicode(cli: Cli, tmp_path: Path) -> None:
    from langcrawl.script.zawgyi_glyphs import from_unicode
    from langcrawl.virtualweb.phrases import PHRASES

    burmese = "".join(f"<p>{from_unicode(line).text}</p>" for line in PHRASES["my"])
    (tmp_path / "old.html").write_text(f"<html><body>{burmese}</body></html>", encoding="utf-8")
    (row,) = json.loads(cli("text", "old.html", "--json").stdout)
    assert (row["language"], row["encoding"]) == ("my", "zawgyi")
    assert row["text"].split("\n")[0] == PHRASES["my"][0]


def test_the_texts_of_a_crawl_are_those_of_its_pages(small_crawl: Path, cli: Cli) -> None:
    done = cli("text", small_crawl, "--json")
    assert done.returncode == 0, done.stderr
    sources = [entry["source"] for entry in json.loads(done.stdout)]
    assert len(sources) > 200
    assert not [source for source in sources if source.endswith("/robots.txt")]
