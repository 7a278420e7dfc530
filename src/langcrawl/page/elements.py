"""The elements of HTML by number, and what matters of each when a page is read."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def words(text: str) -> tuple[str, ...]:
    """The words of a list that is easier to read as a text."""
    return tuple(text.split())


TAGS = words(
    "? a abbr address article aside b blockquote body br button caption center code col dd del "
    "details dialog div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 "
    "head header hr html i iframe img input ins label legend li link main mark meta nav noscript "
    "ol option p pre q s samp script section select small span strong style sub summary sup svg "
    "table tbody td template textarea tfoot th thead time title tr u ul var video audio object "
    "canvas "
    "math wbr big cite kbd tt strike bdi bdo ruby rt rp nobr acronym dfn picture source menu "
    "hgroup search param area base embed track datalist optgroup xmp noembed noframes"
)
_INLINE = words(
    "a abbr b big cite code del dfn em font i img input ins kbd label mark math nobr q s samp "
    "small span strike strong sub sup time tt u var wbr bdi bdo ruby rt rp acronym picture source "
    "script style link meta"
)
_VOID = words("area base br col embed hr img input link meta param source track wbr")
_RAW = words("script style textarea title iframe xmp noembed noframes")
_UNSEEN = words(
    "head template svg select datalist noscript video audio object canvas option optgroup"
)
_KEEPS_P = words(
    "? body br button caption col dd dt head html link meta noscript option script style summary "
    "svg tbody td template textarea tfoot th thead title tr video audio object canvas search "
    "param area base embed track datalist optgroup noembed noframes"
)
"""Block elements that do not end a paragraph by beginning within it."""

TAG = {name: number for number, name in enumerate(TAGS)}
INLINE, VOID, RAW, UNSEEN, ENDS_P = 1, 2, 4, 8, 16


def _kinds() -> npt.NDArray[np.uint8]:
    kinds = np.zeros(len(TAGS), np.uint8)
    for names, kind in ((_INLINE, INLINE), (_VOID, VOID), (_RAW, RAW), (_UNSEEN, UNSEEN)):
        for name in names:
            kinds[TAG[name]] |= kind
    for name, number in TAG.items():
        if name not in _INLINE and name not in _KEEPS_P:
            kinds[number] |= ENDS_P
    return kinds


KINDS = _kinds()
SEED, _PRIME = np.uint64(14695981039346656037), 1099511628211


def name_hash(name: str) -> int:
    """The number that stands for a name in small letters."""
    value = int(SEED)
    for byte in name.encode():
        value = ((value ^ byte) * _PRIME) & 0xFFFFFFFFFFFFFFFF
    return value
