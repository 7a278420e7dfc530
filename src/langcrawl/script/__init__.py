"""Legacy encodings to Unicode: what a page was typed in, and what it says.

Before Unicode was everywhere, Burmese and Mongolian were written with fonts that put their
glyphs where they liked: Zawgyi-One into Unicode's Myanmar block, Win Innwa onto Latin
letters, Menksoft and Saiyin into the private use area. `detect` says which of them a text
is in, `convert` turns it into Unicode and counts what it could not turn. One module each
holds an encoding's table; `myanmar` knows the one order that Unicode has, and its syllables.
"""

from langcrawl.script.conversion import Conversion
from langcrawl.script.convert import convert, readable, roughly_unicode, to_unicode
from langcrawl.script.detect import ENCODINGS, Detection, detect

__all__ = [
    "ENCODINGS",
    "Conversion",
    "Detection",
    "convert",
    "detect",
    "readable",
    "roughly_unicode",
    "to_unicode",
]
