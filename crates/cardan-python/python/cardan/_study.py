"""Studies: many cases of a model, and quantities of each."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from . import _cardan
from ._batches import BatchRunner
from ._model import Model, example, load
from ._progress import progress_function
from ._tables import Table

_TABLE = "table.parquet"
_HISTORIES = "histories.parquet"


class Study:
    """The cases of a study: `study["peak"]` is a column, `study.table` the rows.

    A case that failed has the status "failed", a reason, and NaN for its quantities.
    """

    def __init__(self, folder: str) -> None:
        #: The folder of the table.
        self.folder = folder
        self._place: tempfile.TemporaryDirectory[str] | None = None
        self._columns, about = _cardan.study_table(os.path.join(folder, _TABLE))
        description = json.loads(about)
        #: The names of the parameters.
        self.parameters: list[str] = description["parameters"]
        #: The quantities with their formulas.
        self.quantities: dict[str, str] = dict(description["quantities"])

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> Any:
        column = self._columns[name]
        return np.array(column) if isinstance(column, list) else column

    def __len__(self) -> int:
        return len(self._columns["case"])

    @property
    def table(self) -> Table:
        """The rows; `table.to_pandas()` and others convert them."""
        values = [column if isinstance(column, list) else column.tolist() for column in self._columns.values()]
        return Table([dict(zip(self._columns, row)) for row in zip(*values)])

    @property
    def failed(self) -> Table:
        """The rows of failed cases."""
        return Table([row for row in self.table if row["status"] == "failed"])

    @property
    def histories(self) -> dict[str, Any]:
        """The channels over time that were kept, with the case of each row; empty if there are none."""
        path = os.path.join(self.folder, _HISTORIES)
        return _cardan.study_table(path)[0] if os.path.exists(path) else {}

    def __repr__(self) -> str:
        failed = self._columns["status"].count("failed")
        return f"Study({len(self)} cases, {failed} failed, {', '.join(self.quantities)})"


@cache
def _program() -> str:
    """What identifies the program that computes."""
    with open(str(_cardan.__file__), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _plain(value: Any) -> Any:
    """Values for JSON: arrays as lists, numbers of NumPy as numbers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (str, int, float)):
        return value
    return [_plain(item) for item in value]


def study(
    model: Model | str | os.PathLike[str],
    parameters: Mapping[str, Any] | None = None,
    quantities: Mapping[str, str] | None = None,
    *,
    design: str | None = None,
    samples: int | None = None,
    seed: int = 0,
    analysis: str = "run",
    set: Mapping[str, float | str] | None = None,
    table: str | os.PathLike[str] | None = None,
    histories: Sequence[str] = (),
    modes: int | None = None,
    time_limit: float | None = None,
    title: str | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    executor: Any = None,
    progress: bool | Callable[[float], object] | None = None,
) -> Study:
    """Computes many cases of a model: on the processors of this machine, or with an `executor`: a Dask client, or anything
    with the interface of `concurrent.futures`. Cases that are stored in the folder `out` are not computed again.

    >>> import cardan
    >>> m = cardan.example("pendulum")
    >>> s = cardan.study(m, {"simulation.step": [1e-2, 5e-3]}, {"drift": "drift"}, set={"simulation.end": 0.1})
    >>> len(s), int((s["status"] == "completed").sum())
    (2, 2)
    """
    if not isinstance(model, Model):
        place = os.fspath(model)
        model = load(place) if os.path.exists(place) else example(place)
    manifest: dict[str, Any] = {
        "analysis": analysis,
        "seed": seed,
        "set": _plain(set or {}),
        "parameters": _plain(parameters or {}),
        "quantities": dict(quantities or {}),
        "histories": list(histories),
    }
    optional = {
        "design": design,
        "samples": samples,
        "table": None if table is None else os.path.abspath(table),
        "modes": modes,
        "time-limit": time_limit,
        "title": title,
    }
    manifest.update({key: value for key, value in optional.items() if value is not None})
    temporary = tempfile.TemporaryDirectory(prefix="cardan-study-") if out is None else None
    folder = os.fspath(out) if out is not None else str(temporary and temporary.name)
    session = _cardan.StudySession(json.dumps(manifest), model._name, model.to_toml(), folder, _program())
    show = progress_function(progress, "study")
    try:
        if executor is None:
            session.run(jobs, show)
        else:
            from . import __version__

            BatchRunner(session, executor, _program(), __version__).run(show)
    finally:
        close = getattr(show, "close", None)
        if close is not None:
            close()
    session.write()
    found = Study(folder)
    # the folder is removed with the object
    found._place = temporary
    return found


def open_study(folder: str | os.PathLike[str]) -> Study:
    """The table of a study that was computed before, by Python or by `cardan study`."""
    return Study(os.fspath(folder))
