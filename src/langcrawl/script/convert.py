"""Convert text in any known encoding to Unicode, or to Zawgyi."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from langcrawl.errors import UnknownName, UsageError
from langcrawl.script import (
    menksoft,
    saiyin,
    win_innwa,
    win_innwa_odds,
    zawgyi,
    zawgyi_glyphs,
)
from langcrawl.script.conversion import Conversion, joined
from langcrawl.script.detect import (
    ENCODINGS,
    MYANMAR,
    Detection,
    detect,
    is_win_innwa,
    private_encoding,
    private_words,
)
from langcrawl.script.detect import zawgyi_probability as probability

_WORDS = re.compile(r"(\s+)")
_LINES = re.compile(r"([^\n]*\n|[^\n]+)")
_SURE, _VERY_SURE = 0.05, 1e-4
_BLOCK, _BLOCK_SAMPLE = 2000, 300
_WHOLE: dict[str, Callable[[str], Conversion]] = {
    "menksoft": menksoft.to_unicode,
    "saiyin": saiyin.to_unicode,
}


def convert(
    text: str, source: str = "", target: str = "unicode", fonts: Iterable[str] = ()
) -> tuple[Detection, Conversion]:
    """Convert a text, from the encoding that it is found to be in unless `source` says."""
    if source and source not in ENCODINGS:
        raise UnknownName("encoding", source, ENCODINGS)
    if target not in ("unicode", "zawgyi"):
        raise UsageError(f"text is converted to unicode or zawgyi, not to '{target}'.")
    fonts = tuple(fonts)
    found = Detection(source, evidence="as told") if source else detect(text, fonts)
    unicode = to_unicode(text, found, fonts, told=bool(source))
    if target == "unicode":
        return found, unicode
    glyphs = zawgyi_glyphs.from_unicode(unicode.text)
    return found, Conversion(glyphs.text, {**unicode.unmapped, **glyphs.unmapped}, unicode.merged)


def readable(text: str, encoding: str, fonts: Iterable[str] = ()) -> str:
    """A text as people can read it: in Unicode, where a page is in a legacy encoding."""
    if encoding == "unicode" or encoding not in ENCODINGS:
        return text
    return convert(text, encoding, fonts=fonts)[1].text


def to_unicode(
    text: str, found: Detection, fonts: tuple[str, ...] = (), told: bool = False
) -> Conversion:
    """The text in Unicode, given the encoding of most of it.

    Words and lines that are plainly in another encoding are taken as what they are, so a
    page that mixes two is read right. Converted text stays as it is when it is converted
    again; a text for which that cannot be had is not converted, and all its letters are
    reported as not mapped.
    """
    result = _once(text, found.encoding, fonts, told)
    done = [found.encoding]
    while not told:
        encoding = detect(result.text, fonts).encoding
        again = _once(result.text, encoding, fonts, told)
        if again.text == result.text:
            break
        if encoding in done:
            return Conversion(
                text, dict(Counter("".join(MYANMAR.findall(text)) or private_words(text)))
            )
        done.append(encoding)
        result = Conversion(again.text, *_sums(result, again))
    return result


def _sums(first: Conversion, second: Conversion) -> tuple[dict[str, int], dict[str, int]]:
    whole = joined([first, second])
    return dict(whole.unmapped), dict(whole.merged)


def _once(text: str, encoding: str, fonts: tuple[str, ...], told: bool) -> Conversion:
    if encoding in _WHOLE:
        return _WHOLE[encoding](text)
    result = _by_line(text, encoding, fonts, told)
    private = "" if told else private_encoding(private_words(result.text)).encoding
    if private not in _WHOLE:
        return result
    again = _WHOLE[private](result.text)
    return Conversion(again.text, *_sums(result, again))


def roughly_unicode(text: str, found: Detection, fonts: tuple[str, ...] = ()) -> str:
    """The text in Unicode for counting: the encoding is asked for once a block of lines."""
    if found.encoding in _WHOLE:
        return _WHOLE[found.encoding](text).text
    if found.encoding == "win-innwa":
        return _by_line(text, found.encoding, fonts, False).text
    blocks = _in_blocks(text, found)
    return "".join(zawgyi.to_unicode(block).text if old else block for block, old in blocks)


def in_both(text: str, found: Detection) -> tuple[str, str]:
    """Split a text into its Unicode and its Zawgyi parts."""
    blocks = list(_in_blocks(text, found))
    return "".join(b for b, old in blocks if not old), "".join(b for b, old in blocks if old)


def _in_blocks(text: str, found: Detection) -> Iterator[tuple[str, bool]]:
    """The lines of a text, many at a time, and whether they are Zawgyi."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _BLOCK - 1) + 1 or len(text)
        block = text[start:end]
        odds = probability(block, _BLOCK_SAMPLE)
        sure = not _SURE <= odds <= 1 - _SURE
        yield block, odds > 0.5 if sure else found.encoding == "zawgyi"
        start = end


def _by_line(text: str, encoding: str, fonts: tuple[str, ...], told: bool) -> Conversion:
    return joined(_line(line, encoding, fonts, told) for line in _LINES.findall(text))


def _line(line: str, encoding: str, fonts: tuple[str, ...], told: bool) -> Conversion:
    if encoding == "win-innwa" and not MYANMAR.search(line):
        if told:
            return win_innwa.to_unicode(line)
        if not is_win_innwa(line, fonts):
            return Conversion(line)
        runs = win_innwa_odds.runs(line)
        return joined(win_innwa.to_unicode(run) if old else Conversion(run) for run, old in runs)
    if not MYANMAR.search(line):
        return Conversion(line)
    odds, is_zawgyi = probability(line), encoding == "zawgyi"
    if not _SURE <= odds <= 1 - _SURE:
        is_zawgyi = odds > 0.5
    return joined(_word(word, is_zawgyi) for word in _WORDS.split(line))


def _word(word: str, is_zawgyi: bool) -> Conversion:
    if not MYANMAR.search(word):
        return Conversion(word)
    odds = probability(word)
    if not _VERY_SURE <= odds <= 1 - _VERY_SURE:
        is_zawgyi = odds > 0.5
    return zawgyi.to_unicode(word) if is_zawgyi else Conversion(word)
