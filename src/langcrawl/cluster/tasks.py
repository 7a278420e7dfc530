"""Work of other commands as tasks of a Ray cluster: files of an import, simulations of a search.

Everything that `langcrawl.parallel` spreads over processes goes there within `on_cluster`. A task
whose node is lost is done again elsewhere by Ray; its result counts once, because only results
that come back count. Files must be on a file system that all nodes share.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import Any

from langcrawl.cluster.actors import joined
from langcrawl.errors import LangcrawlError
from langcrawl.parallel import KILLED, Board, Pool, Progress, spread_over

_LOOK_EVERY = 0.5
"""Seconds between two messages of a job about how it stands."""
_kept: dict[str, Callable[[Any], Any]] = {}
"""In a process of the cluster: the work that it was last given."""


@contextmanager
def on_cluster(cluster: str) -> Iterator[None]:
    """Have work go to this cluster."""
    with joined(cluster) as ray, spread_over(RayPlace(ray)):
        yield


class RayPlace:
    """A cluster as `langcrawl.parallel.Place`."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    @property
    def cores(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    @contextmanager
    def pool(self, processes: int, work: Callable[[Any], Any], /) -> Iterator[Pool]:
        """Tasks; those that are not waited for are cancelled."""
        pool = _RayPool(self._ray, work)
        try:
            yield pool
        except BrokenProcessPool:
            raise LangcrawlError(KILLED) from None
        finally:
            pool.cancel()

    def board(self, jobs: int, /) -> Board:
        return _RayBoard(self._ray.remote(_Notes).options(num_cpus=0).remote(jobs))


class _RayPool:
    def __init__(self, ray: Any, work: Callable[[Any], Any]) -> None:
        self._ray, self._work = ray, ray.put(work)
        self._task = ray.remote(_do).options(num_cpus=1, max_retries=3)
        self._left: dict[Future[Any], Any] = {}

    def submit(self, item: Any, /) -> Future[Any]:
        answer = self._task.remote([self._work], self._work.hex(), item)
        done: Future[Any] = Future()
        self._left[done] = answer
        answer.future().add_done_callback(partial(self._settle, done))
        return done

    def _settle(self, done: Future[Any], answered: Future[Any]) -> None:
        """Pass on what came of a task; called in a thread of Ray."""
        error = answered.exception()
        self._left.pop(done, None)
        if error is None:
            value, failure = answered.result()
            done.set_exception(failure) if failure else done.set_result(value)
        elif isinstance(cause := getattr(error, "cause", None), Exception):
            done.set_exception(cause)
        else:
            done.set_exception(BrokenProcessPool(str(error)))

    def cancel(self) -> None:
        for answer in list(self._left.values()):
            self._ray.cancel(answer, force=True)


def _do(work: list[Any], name: str, item: Any) -> tuple[Any, LangcrawlError | None]:
    """In a process of the cluster: the work on one item, and the error of ours that ended it."""
    import ray

    if name not in _kept:
        _kept.clear()
        _kept[name] = ray.get(work[0])
    try:
        return _kept[name](item), None
    except LangcrawlError as error:
        return None, error


class _Notes:
    """An actor: what jobs have said of themselves."""

    def __init__(self, jobs: int) -> None:
        self._said: list[tuple[int, float | None, str] | None] = [None] * jobs
        self._halted = False

    def write(self, job: int, *said: Any) -> bool:
        self._said[job] = said
        return self._halted

    def read(self) -> list[tuple[int, float | None, str] | None]:
        return self._said

    def halt(self) -> None:
        self._halted = True

    def halted(self) -> bool:
        return self._halted


class _RayBoard:
    """A `Board` on a cluster. A copy looks at it now and then, so a job may stop a moment later."""

    def __init__(self, notes: Any) -> None:
        self._notes = notes
        self._asked_at = self._wrote_at = 0.0
        self._wrote_of = -1
        self._halted = False

    def __reduce__(self) -> tuple[type[_RayBoard], tuple[Any]]:
        return _RayBoard, (self._notes,)

    def halt(self) -> None:
        self._notes.halt.remote()

    def halted(self) -> bool:
        import ray

        if not self._halted and time.monotonic() - self._asked_at > _LOOK_EVERY:
            self._halted = ray.get(self._notes.halted.remote())
            self._asked_at = time.monotonic()
        return self._halted

    def write(
        self, done: int, share: float | None = None, words: str = "", job: int = 0, /
    ) -> None:
        late = time.monotonic() - self._wrote_at > _LOOK_EVERY
        if late or share == 1.0 or job != self._wrote_of:  # a process may do several jobs in turn
            self._notes.write.remote(job, done, share, words)
            self._wrote_at, self._wrote_of = time.monotonic(), job

    def tell(self, progress: Progress) -> None:
        import ray

        for job, said in enumerate(ray.get(self._notes.read.remote())):
            if said is not None:
                done, share, words = said
                progress(done, share, words, job)
