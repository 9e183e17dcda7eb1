"""Batches of cases on an executor: sized by measured time, and run again if a worker dies."""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import Any

from . import _cardan
from ._errors import Error

#: A batch is to take about this many seconds.
_TARGET = 1.0
#: After so many deaths of workers, the cases of a batch are computed alone.
_DEATHS = 2


def compute_batch(packed: bytes, program: str, version: str, cases: list[int]) -> list[tuple[bytes, float]]:
    """The rows of some cases: runs in a worker."""
    from . import __version__

    if __version__ != version:
        raise Error(f"the worker has cardan {__version__}, the study cardan {version}")
    return _cardan.study_cases(packed, program, cases)


def _is_death(error: BaseException) -> bool:
    """Whether an exception says that the worker, and not the case, failed."""
    names = {type(error).__name__, *(base.__name__ for base in type(error).__mro__)}
    lost = {
        "KilledWorker", "CommClosedError", "CancelledError", "FutureCancelledError",  # Dask
        "WorkerLostError", "WorkerCrashedError", "OutOfMemoryError", "NodeDiedError",  # Ray and others
    }
    return isinstance(error, (BrokenExecutor, MemoryError)) or bool(names & lost)


def _worker_count(executor: Any) -> int:
    """The number of workers, as far as the executor tells it."""
    if hasattr(executor, "nthreads"):  # Dask
        return max(1, int(sum(executor.nthreads().values())))
    return max(1, int(getattr(executor, "_max_workers", 0) or 4))


class _Batch:
    def __init__(self, cases: list[int], deaths: int = 0) -> None:
        self.cases, self.deaths = cases, deaths


class BatchRunner:
    """Computes the cases of a study with an executor, or with those that a function makes."""

    def __init__(self, session: _cardan.StudySession, executor: Any, program: str, version: str) -> None:
        self.session, self.program, self.version = session, program, version
        self.make: Callable[[], Any] | None = None if hasattr(executor, "submit") else executor
        self.executor: Any = executor if self.make is None else self.make()
        self.packed = session.pack()
        self.done: queue.Queue[tuple[_Batch, Any]] = queue.Queue()
        self.seconds, self.count = 0.0, 0

    def run(self, report: Callable[[float], object] | None) -> None:
        """Computes all cases that are not stored."""
        waiting = self.session.pending()
        waiting.reverse()
        total = max(1, len(waiting))
        again: list[_Batch] = []
        alone: list[_Batch] = []
        flying: dict[int, Any] = {}
        finished = 0
        try:
            while waiting or again or alone or flying:
                workers = _worker_count(self.executor)
                while len(flying) < 2 * workers and (again or waiting):
                    batch = again.pop() if again else self._next(waiting, workers)
                    self._submit(batch, flying)
                # a case that may have killed a worker twice is computed while no other is
                if alone and not flying:
                    self._submit(alone.pop(), flying)
                batch, future = self.done.get()
                flying.pop(id(batch), None)
                try:
                    rows = future.result()
                except BaseException as error:
                    if isinstance(error, KeyboardInterrupt) or not _is_death(error):
                        raise
                    is_alone = len(batch.cases) == 1 and batch.deaths >= _DEATHS
                    finished += self._died(batch, error, again, alone) if not is_alone else self._poison(batch, error)
                    self._renew(error)
                    continue
                self.session.append([row for row, _ in rows])
                finished += len(rows)
                self.seconds += sum(seconds for _, seconds in rows)
                self.count += len(rows)
                if report is not None:
                    report(finished / total)
        finally:
            for future in flying.values():
                future.cancel()
            if self.make is not None:
                self.executor.shutdown(wait=False)

    def _next(self, waiting: list[int], workers: int) -> _Batch:
        """The next batch: one case until the time of a case is known."""
        size = 1
        if self.count > 0:
            most = max(1, len(waiting) // (2 * workers))
            size = max(1, min(most, int(_TARGET / max(self.seconds / self.count, 1e-6))))
        return _Batch([waiting.pop() for _ in range(min(size, len(waiting)))])

    def _submit(self, batch: _Batch, flying: dict[int, Any]) -> None:
        arguments = (compute_batch, self.packed, self.program, self.version, batch.cases)
        # Dask must not take two calls with equal arguments for one
        extra = {"pure": False} if hasattr(self.executor, "nthreads") else {}
        try:
            future = self.executor.submit(*arguments, **extra)
        except BrokenExecutor as error:
            self._renew(error)
            future = self.executor.submit(*arguments, **extra)
        flying[id(batch)] = future
        future.add_done_callback(lambda ended, batch=batch: self.done.put((batch, ended)))

    def _died(self, batch: _Batch, error: BaseException, again: list[_Batch], alone: list[_Batch]) -> int:
        """A batch whose worker died is run again; after the second death in halves, and single cases alone."""
        batch.deaths += 1
        if batch.deaths < _DEATHS:
            again.append(batch)
        elif len(batch.cases) > 1:
            middle = len(batch.cases) // 2
            again.extend(_Batch(part, batch.deaths - 1) for part in (batch.cases[:middle], batch.cases[middle:]))
        else:
            alone.append(batch)
        return 0

    def _poison(self, batch: _Batch, error: BaseException) -> int:
        """A case that killed its worker while no other was computed fails."""
        self.session.fail(batch.cases[0], f"the worker died: {type(error).__name__}")
        return 1

    def _renew(self, error: BaseException) -> None:
        """A pool of processes is broken by the death of one of them: another one replaces it."""
        if not isinstance(error, BrokenExecutor):
            return
        if self.make is None:
            remedy = "executor=lambda: ProcessPoolExecutor(2), which makes another pool; the stored cases are kept"
            raise Error(f"a worker died and broke the executor: {error}\n  try: {remedy}") from error
        if getattr(self.executor, "_broken", True):
            self.executor.shutdown(wait=False)
            self.executor = self.make()
