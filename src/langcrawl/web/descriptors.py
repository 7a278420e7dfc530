"""How many files a process may have open, and how many connections fit into that."""

from __future__ import annotations

import resource

from langcrawl.errors import NO_DESCRIPTORS, LocalFault
from langcrawl.web.fetch import LOOKUP_THREADS, MOST_IDLE

_OTHER_FILES = 64 + 2 * LOOKUP_THREADS
"""Of a worker: its pipes, archive, libraries, and the sockets with which names are looked up."""


def fit_connections(connections: int) -> int:
    """How many of these connections a process can have; it may open as many files as it can use.

    All of them may be at work in one process, and as many may be kept open for later.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + min(connections, MOST_IDLE) + _OTHER_FILES
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return connections
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if allowed > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed >= needed:
        return connections
    fitting = max((allowed - _OTHER_FILES) // 2, allowed - _OTHER_FILES - MOST_IDLE)
    if fitting < 1:
        raise LocalFault(NO_DESCRIPTORS)
    return fitting
