"""The elements of HTML by number, and how the parser of HTML treats each of them.

The rules are those of the HTML standard (tree construction); what the text of a page makes of an
element is what resiliparse makes of it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from langcrawl.page.elements import name_hash, words

(BLOCK, ENDS_P, FORMAT, VOID, SPECIAL, SCOPE, SKIP, ODD, RAW, TABLE_PART, ENDS_ALL) = (
    1 << bit for bit in range(11)
)
_KINDS = {
    # Begins a line of its own in the text.
    BLOCK: "address article aside blockquote br center details dd dt div dl fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main nav ol p pre section table tr "
    "ul",
    # Ends an open paragraph.
    ENDS_P: "address article aside blockquote center details dialog dir div dl fieldset "
    "figcaption figure footer header hgroup main menu nav ol p section summary ul h1 h2 h3 "
    "h4 h5 h6 pre form li dd dt hr",
    # Is opened again by the parser where something else has ended it.
    FORMAT: "a b big code em font i s small strike strong tt u",
    VOID: "area base basefont bgsound br col embed hr img input link meta param source track wbr",
    # No end tag of another element reaches beyond it.
    SPECIAL: "address applet area article aside base basefont bgsound blockquote body br button "
    "caption center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer "
    "form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li "
    "link listing main marquee menu meta nav noembed noframes noscript object ol p param "
    "plaintext pre script section select source style summary table tbody td template "
    "textarea tfoot th thead title tr track ul wbr xmp",
    # Nor does the end of a block.
    SCOPE: "applet caption html table td th marquee object template",
    # Nothing in it is a part of the text.
    SKIP: "script style iframe noscript textarea input button select label",
    # Is left to the parser, with the whole page.
    ODD: "applet marquee object template plaintext listing xmp noembed noframes frameset frame "
    "math nobr rb rt rp rtc image keygen title option optgroup isindex foreignobject search",
    # What is in it is no markup.
    RAW: "script style iframe textarea title",
    TABLE_PART: "caption col colgroup tbody td tfoot th thead tr",
    # Its end tag ends all that is still open in it.
    ENDS_ALL: "address article aside blockquote button center details dialog dir div dl fieldset "
    "figcaption figure footer header hgroup main menu nav ol pre section summary ul",
}
_OTHERS = "body html head svg"
NAMES = ("?", *sorted({name for names in (*_KINDS.values(), _OTHERS) for name in words(names)}))
NUMBER = {name: number for number, name in enumerate(NAMES)}


def _kinds() -> npt.NDArray[np.int64]:
    kinds = np.zeros(len(NAMES), np.int64)
    for kind, names in _KINDS.items():
        for name in words(names):
            kinds[NUMBER[name]] |= kind
    return kinds


KINDS = _kinds()
HASH = np.array([name_hash(name) for name in NAMES], np.uint64).view(np.int64)
"""The number that stands for a name."""
