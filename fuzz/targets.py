"""All that is fuzzed, by name."""

from __future__ import annotations

from fuzz.answers import ANSWERS
from fuzz.crawls import CRAWLS
from fuzz.imports import IMPORTS
from fuzz.reading import READING
from fuzz.target import Target

TARGETS: dict[str, Target] = {
    target.name: target for target in (*READING, *ANSWERS, *IMPORTS, *CRAWLS)
}
