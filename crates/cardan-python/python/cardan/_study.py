"""Studies: many cases of a model, and quantities of each."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cardan
from ._batches import BatchRunner
from ._errors import ChannelError, Error
from ._model import Model, example, load
from ._progress import progress_function
from ._study_plot import Picture, plot_study
from ._tables import Table

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from matplotlib.figure import Figure

_TABLE = "table.parquet"
_HISTORIES = "histories.parquet"


class Study:
    """The cases of a study: `study["peak"]` is a column, `study.table` the rows.

    A case that failed has the status "failed", a reason, and NaN for its quantities.

    >>> import cardan
    >>> s = cardan.study("pendulum", {"simulation.step": [1e-2, 5e-3]}, {"drift": "drift"}, set={"simulation.end": 0.1})
    >>> s.statistics()["cases"].tolist()
    [2]
    """

    def __init__(self, folder: str) -> None:
        #: The folder of the table.
        self.folder = folder
        self._place: tempfile.TemporaryDirectory[str] | None = None
        path = os.path.join(folder, _TABLE)
        if not os.path.exists(path):
            raise FileNotFoundError(2, "there is no table of a study", path)
        self._columns, about = _cardan.study_table(path)
        description = json.loads(about)
        #: The title.
        self.title: str = description["title"]
        #: What was computed: "run", "static", "modes" or "static-modes".
        self.analysis: str = description["analysis"]
        #: How the cases were formed.
        self.design: str = description["design"]
        #: The names of the parameters.
        self.parameters: list[str] = description["parameters"]
        #: The quantities with their formulas.
        self.quantities: dict[str, str] = dict(description["quantities"])

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> Any:
        if name not in self._columns:
            nearest = _cardan.nearest(name, self.columns)
            remedy = f"did you mean `{nearest}`?" if nearest else f"there are {', '.join(self.columns)}"
            raise ChannelError(f"the study has no column `{name}`; {remedy}", name=name, remedy=remedy)
        column = self._columns[name]
        return np.array(column) if isinstance(column, list) else column

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns["case"])

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    @property
    def table(self) -> Table:
        """The rows; `table.where(status="failed")` selects some."""
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

    def _answers(self) -> dict[str, Any]:
        answers: dict[str, Any] = json.loads(_cardan.study_answers(self.folder))
        return answers

    def statistics(self) -> Table:
        """The mean, standard deviation, extremes and percentiles of each quantity, over the cases with a finite value."""
        return Table(self._answers()["statistics"])

    def sensitivity(self) -> Table:
        """Sobol's sensitivity indices of each quantity and parameter, if the design is "sensitivity"."""
        if self.design != "sensitivity":
            remedy = 'design="sensitivity" with `samples`'
            raise Error(f"the design `{self.design}` gives no sensitivity indices", remedy=remedy)
        return Table(self._answers()["sensitivity"])

    def failures(self) -> Table:
        """The reasons of failures with the number of cases of each."""
        return Table([{"reason": reason, "cases": cases} for reason, cases in self._answers()["failures"]])

    def plot(self, kind: str | None = None, *quantities: str) -> Figure | Picture:
        """Draws the study with matplotlib, or as SVG without it: "main-effects", "scatter", "histogram", "response"
        (quantities over one parameter), "campbell" (frequencies over one parameter) or "histories". Without a kind, one
        that suits the study; without quantities, all."""
        return plot_study(self, kind, quantities)

    def to_dict(self) -> dict[str, Any]:
        """The columns by name."""
        return {name: self[name] for name in self._columns}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas `DataFrame`, with the case as its index."""
        import pandas

        return pandas.DataFrame(dict(self._columns)).set_index("case")

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars `DataFrame`."""
        import polars

        return polars.DataFrame(dict(self._columns))

    def to_arrow(self) -> pyarrow.Table:
        """The table as an Arrow table."""
        import pyarrow

        return pyarrow.table(dict(self._columns))

    def _about(self) -> str:
        failed = self._columns["status"].count("failed")
        return f"{len(self)} cases, {failed} failed"

    def __repr__(self) -> str:
        title = f" {self.title!r}:" if self.title else ":"
        return f"<cardan.Study{title} {self._about()}; {', '.join([*self.parameters, *self.quantities])}>"

    def _repr_html_(self) -> str:
        caption = escape(f"{self.title}: {self._about()}" if self.title else self._about())
        return f"<p>{caption}</p>{self.statistics()._repr_html_()}{self.failures()._repr_html_() if self.failures() else ''}"


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
