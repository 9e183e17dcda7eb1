"""What a computation returns: its results with warnings, or the exception that stopped it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import Any

from ._errors import CardanWarning, Interrupted, SolveError
from ._results import Results


def _warn(messages: Iterable[str], level: int) -> None:
    for message in messages:
        warnings.warn(message, CardanWarning, stacklevel=level)


def _folder_results(folder: str, out: dict[str, Any]) -> Results:
    place = os.path.join(folder, os.path.dirname(out["summary"]["results"]))
    results = Results._open(place.rstrip("/") or folder)
    results.summary = out["summary"]
    return results


def _finished(results: Results, out: dict[str, Any], hints: list[str], level: int = 5) -> Results:
    """The results of a run that succeeded; otherwise the exception that stopped it, with the results. The warnings are those of
    the caller so many levels above."""
    summary, error = results.summary, out.get("error")
    if isinstance(error, KeyboardInterrupt):
        raise Interrupted(f"interrupted at t = {summary['time']} s; `results` has the rows so far", results) from error
    if error is not None:
        if isinstance(error, Exception) and not hasattr(error, "results"):
            try:
                error.results = results  # type: ignore[attr-defined]
            except AttributeError:
                pass
        raise error
    if summary["status"] == "failed":
        failure = str(summary.get("failure"))
        remedy = failure.partition("\n  try: ")[2] or None
        raise SolveError(failure, time=summary["time"], remedy=remedy, results=results)
    stopped = [str(summary["failure"])] if summary["status"] == "interrupted" and summary.get("failure") else []
    _warn([*stopped, *summary["warnings"], *hints], level)
    return results
