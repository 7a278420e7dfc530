"""Loaded only by the process of which workers are copies: it leaves signals to the coordinator.

A terminal that closes, and systemd when it stops a service, send their signal to all processes of
a crawl. The coordinator then ends the workers in order. Would this process end before, they would
count as dead, and what they had just downloaded would be lost.
"""

from __future__ import annotations

import signal

for _number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(_number, signal.SIG_IGN)
