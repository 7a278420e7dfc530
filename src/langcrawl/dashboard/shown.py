"""How text from strangers is shown: cut, and with what could change its surroundings made visible.

Jinja2 escapes markup. This takes care of the rest: controls that turn the direction of writing,
other invisible controls, and texts without end.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from langcrawl.draws import reason_in_words
from langcrawl.languages.names import named

LONGEST = 200
_CONTROLS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\u2028\u2029\ufff9-\ufffb\ud800-\udfff]"
)
_ENDINGS = {
    "queue-empty": "no URL is left",
    "no-answer": "only hosts that do not answer are left",
    "outage": "nobody has answered for too long",
    "interrupted": "it was stopped",
}
_WEB = re.compile(r"https?://[^\s]+\Z")


def shown(text: object, most: int = LONGEST) -> str:
    """A text as it may stand on a page: short, and with its controls as codes."""
    words = "" if text is None else str(text)
    cut = words[:most].rstrip() + "…" if len(words) > most else words
    return _CONTROLS.sub(lambda found: f"[U+{ord(found[0]):04X}]", cut)


def web_link(url: object) -> str:
    """A URL that may stand in a link: one of the web; empty for any other scheme."""
    text = str(url)
    return text if _WEB.match(text) else ""


def count(number: object) -> str:
    """A number with its thousands parted; a dash where there is none."""
    if not isinstance(number, (int, float)):
        return "–"
    return f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"


def share(number: object) -> str:
    return f"{number:.1%}" if isinstance(number, (int, float)) else "–"


def size(number: object) -> str:
    """Bytes, in the unit that fits."""
    if not isinstance(number, (int, float)):
        return "–"
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.2f} TB"


def span(seconds: object) -> str:
    """How long that is, in one or two units."""
    if not isinstance(seconds, (int, float)):
        return "–"
    left = max(0, round(seconds))
    days, hours, minutes = left // 86_400, left // 3600 % 24, left // 60 % 60
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {left % 60} s" if minutes else f"{left} s"


def ago(moment: object) -> str:
    if not isinstance(moment, (int, float)) or not moment:
        return "–"
    return f"{span(time.time() - moment)} ago"


def moment(at: object) -> str:
    """A moment as people write it, in UTC."""
    if not isinstance(at, (int, float)) or not 0 < at < 1e11:
        return "–"
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"


def ended(because: object) -> str:
    """Why a crawl ends, in plain words."""
    word = str(because)
    if word in ("max-pages", "max-bytes", "max-requests", "max-time"):
        return f"the limit of {word[4:]} is reached"
    return _ENDINGS.get(word, word)


def reason(text: object) -> str:
    """Why a page was taken, as its strategy said, or that it was drawn."""
    return shown(reason_in_words(str(text)))


FILTERS: dict[str, Callable[..., Any]] = {
    "shown": shown, "web_link": web_link, "count": count, "share": share, "size": size,
    "span": span, "ago": ago, "moment": moment, "ended": ended, "named": named,
    "reason": reason,
}  # fmt: skip
