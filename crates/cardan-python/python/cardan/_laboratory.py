"""Tables of methods, spectra and comparisons; runs that are continued."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _cardan
from ._model import Model
from ._outcome import _finished, _folder_results, _warn
from ._progress import progress_function
from ._results import Results
from ._tables import Table


def methods() -> Table:
    """The integration methods: order, stages, stability, parameters, source. `measured_order` is the lowest order of positions
    in the constrained problems of the exam."""
    first = ("method", "family", "order", "measured_order", "stages", "stability", "parameters")
    return Table(_cardan.methods(), first=first)


def spectrum(
    methods: Sequence[str] | str = (),
    *,
    rho: Iterable[float] | float = (),
    damping: float = 0.0,
    at: Iterable[float] = (),
    summary: bool = False,
) -> Table:
    """Spectral radius, decay and period of methods on a linear oscillator, at steps Δt/(nT); with `summary` one row for each
    method. Methods may have parameters: `"bathe:splitting=0.9"`.

    >>> import cardan
    >>> table = cardan.spectrum("lms3", rho=[0.6], summary=True)
    >>> round(table[0]["radius_at_infinity"], 3)
    0.6
    """
    chosen = [methods] if isinstance(methods, str) else list(methods)
    values = [float(rho)] if isinstance(rho, (int, float)) else [float(x) for x in rho]
    rows = _cardan.spectrum(chosen, values, float(damping), [float(x) for x in at], summary)
    return Table(rows, first=("method", "label", "rho", "stages", "order", "dt_over_nT", "spectral_radius"))


def compare(model: Model, methods: Sequence[str] | str, steps: Iterable[float] = (), **options: Any) -> Table:
    """Errors and observed orders of methods with several steps on a model: `model.compare(...)`."""
    return model.compare(methods, steps, **options)


def resume(
    folder: str | os.PathLike[str],
    end: float | None = None,
    *,
    progress: bool | Callable[[float], object] | None = None,
    checkpoint: float | None = None,
    max_time: float | None = None,
    max_memory: int | None = None,
    force: bool = False,
) -> Results:
    """Continues a run in the folder of its results: one that was killed or interrupted, or a complete one up to another
    `end`. The results have the same bits as those of an unbroken run."""
    place = os.fspath(folder)
    if not os.path.isdir(place):
        raise FileNotFoundError(2, "there is no folder of results", place)
    show = progress_function(progress, place)
    try:
        out = _cardan.resume(place, end, show, checkpoint, max_time, max_memory, force)
    finally:
        close = getattr(show, "close", None)
        if close is not None:
            close()
    _warn(out["notes"], 3)
    return _finished(_folder_results(place, out), out, [], 4)
