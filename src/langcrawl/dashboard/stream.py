"""Pushes the parts of a page that change, as server-sent events: each part when it is another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

from starlette.requests import Request
from starlette.responses import StreamingResponse

EVERY = 1.0
"""Seconds between two looks."""
_KEEP_ALIVE = 15
"""Looks without a change after which a remark is sent, so that nobody hangs up."""
Parts = Callable[[], dict[str, str]]
"""Makes the parts of a page, each as HTML by its name."""


def stream(request: Request, parts: Parts) -> StreamingResponse:
    """Follow the parts of a page for as long as somebody listens."""
    return StreamingResponse(_events(request, parts), media_type="text/event-stream")


async def _events(request: Request, parts: Parts) -> AsyncIterator[str]:
    sent: dict[str, str] = {}
    quiet = 0
    yield "retry: 2000\n\n"
    while not await request.is_disconnected():
        found = await asyncio.to_thread(parts)
        changed = {name: html for name, html in found.items() if sent.get(name) != html}
        if changed:
            sent.update(changed)
            yield f"event: parts\ndata: {json.dumps(changed)}\n\n"
            quiet = 0
        else:
            quiet += 1
            if quiet % _KEEP_ALIVE == 0:
                yield ": still here\n\n"
        await asyncio.sleep(EVERY)
