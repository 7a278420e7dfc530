"""A command as a user runs it, in a process of its own, with its time and its memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any, NamedTuple

# A small process in between asks the kernel for the peak memory of its only child.
_MEASURE = (
    "import resource, subprocess, sys\n"
    "subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


class Done(NamedTuple):
    """What a command printed as JSON, its seconds, and its peak memory in GB."""

    document: Any
    seconds: float
    peak: float


def run_command(*words: str) -> Done:
    """Run ``langcrawl WORDS``, which must include ``--json``."""
    command = [sys.executable, "-c", _MEASURE, sys.executable, "-m", "langcrawl", *words]
    began = time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    seconds = time.perf_counter() - began
    document, peak = done.stdout.decode().splitlines()
    return Done(json.loads(document), seconds, int(peak) / 1e6)
