"""Pushes the parts of a page that change, as server-sent events: each part when it is another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

from starlette.requests import Request
from starlette.responses import StreamingResponse

EVERY = 1.0
"""Seconds between two looks."""
_STEP = 0.1
"""Seconds between two looks at whether the dashboard is to end."""
_KEEP_ALIVE = 15
"""Looks without a change after which a remark is sent, so that nobody hangs up."""
Parts = Callable[[], dict[str, str]]
"""Makes the parts of a page, each as HTML by its name."""


def stream(request: Request, parts: Parts) -> StreamingResponse:
    """Follow the parts of a page for as long as somebody listens and the dashboard runs."""
    return StreamingResponse(_events(request, parts), media_type="text/event-stream")


async def _events(request: Request, parts: Parts) -> AsyncIterator[str]:
    sent: dict[str, str] = {}
    quiet = 0
    yield "retry: 2000\n\n"
    while not (_ending(request) or await request.is_disconnected()):
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
        for _ in range(round(EVERY / _STEP)):
            if not _ending(request):
                await asyncio.sleep(_STEP)


def _ending(request: Request) -> bool:
    """Whether the dashboard is to end: a stream that goes on would have to be broken off."""
    return bool(request.app.state.ending())
