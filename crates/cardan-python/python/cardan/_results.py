"""Results of runs: columns over time as NumPy arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _cardan
from ._errors import ChannelError, Error
from ._view import View, view_of, without_view

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from matplotlib.figure import Figure

_AXES = {"x", "y", "z", "w"}


class Columns:
    """Named columns of equal length with units. `columns["arm.angle"]` is an array without a copy, which cannot be written."""

    def __init__(self, columns: Sequence[dict[str, str]], data: NDArray[np.float64]) -> None:
        data = np.asarray(data)
        data.setflags(write=False)
        self._data = data
        self._names = [column["name"] for column in columns]
        #: The unit of each column.
        self.units: dict[str, str] = {column["name"]: column["unit"] for column in columns}
        self._index = {name: k for k, name in enumerate(self._names)}

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._names)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return list(self._names)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        k = self._index.get(name)
        if k is not None:
            column: NDArray[np.float64] = self._data[k]
            return column
        parts = self._parts(name)
        if parts:
            # the components of a vector stand side by side
            first, last = self._index[parts[0]], self._index[parts[-1]]
            block: NDArray[np.float64] = self._data[first : last + 1] if last - first + 1 == len(parts) else self._data[[self._index[p] for p in parts]]
            return np.transpose(block)
        raise self._missing(name)

    def _parts(self, name: str) -> list[str]:
        prefix = name + "."
        return [n for n in self._names if n.startswith(prefix) and n[len(prefix) :] in _AXES]

    def _missing(self, name: str) -> ChannelError:
        nearest = _cardan.nearest(name, self._names)
        below = [n for n in self._names if n.startswith(name + ".")]
        if below:
            remedy = f"there are {', '.join(below[:6])}"
        elif nearest:
            remedy = f"did you mean `{nearest}`?"
        else:
            remedy = "give it in `channels`: m.channels() lists what a run can record"
        return ChannelError(f"there is no column `{name}`; {remedy}", name=name, remedy=remedy)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._index or bool(self._parts(name)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return int(self._data.shape[1])

    def _ipython_key_completions_(self) -> list[str]:
        vectors = {n.rpartition(".")[0] for n in self._names if n.rpartition(".")[2] in _AXES}
        return [*self._names, *sorted(vectors - set(self._names))]

    def to_numpy(self) -> NDArray[np.float64]:
        """All columns as one array, a column per channel, without a copy."""
        return np.transpose(self._data)

    def to_dict(self) -> dict[str, NDArray[np.float64]]:
        """The columns by name."""
        return {name: self._data[k] for k, name in enumerate(self._names)}

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a pandas `DataFrame`, with time as its index if there is one; units are in `attrs`."""
        import pandas

        frame = pandas.DataFrame(self.to_dict())
        frame.attrs["units"] = dict(self.units)
        return frame.set_index("time") if "time" in frame.columns else frame

    def to_polars(self) -> polars.DataFrame:
        """The columns as a polars `DataFrame`."""
        import polars

        return polars.DataFrame(self.to_dict())

    def to_arrow(self) -> pyarrow.Table:
        """The columns as an Arrow table, with units in the metadata of its fields."""
        import pyarrow

        arrays = [pyarrow.array(self._data[k]) for k in range(len(self._names))]
        fields = [
            pyarrow.field(name, pyarrow.float64(), metadata={"unit": self.units[name]}) for name in self._names
        ]
        return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the columns to a file: `.parquet`, `.csv`, `.npz` or `.mat` (with SciPy)."""
        place = os.fspath(path)
        ending = os.path.splitext(place)[1].lower()
        if ending == ".parquet":
            _cardan.write_table(place, self._names, list(self._data))
        elif ending == ".csv":
            header = ",".join(self._names)
            np.savetxt(place, self._data.T, delimiter=",", header=header, comments="", fmt="%.17g")
        elif ending == ".npz":
            np.savez(place, **dict(self.to_dict()))  # type: ignore[arg-type]
        elif ending == ".mat":
            import scipy.io

            scipy.io.savemat(place, {name.replace(".", "_"): self._data[k] for k, name in enumerate(self._names)})
        else:
            raise Error(f"results cannot be written as `{ending or place}`", remedy="a file .parquet, .csv, .npz or .mat")

    def plot(self, *names: str, against: str | None = None) -> Figure:
        """Draws columns with matplotlib, one axis for each unit; returns the figure."""
        from ._plot import plot_columns

        return plot_columns(self, names or self._default_names(), against)

    def _default_names(self) -> tuple[str, ...]:
        return tuple(n for n in self._names if n.endswith((".angle", ".translation")))[:6] or tuple(self._names[1:4])


class Results(Columns):
    """The results of a run. `r["arm.angle"]` is an array over `r.time`; `r["arm.position"]` has a column per component.

    >>> import cardan
    >>> r = cardan.example("pendulum").run(end=1, step=1e-2)
    >>> r["O.angle"].shape == r.time.shape
    True
    >>> r.summary["status"]
    'completed'
    """

    def __init__(
        self,
        summary: dict[str, Any],
        columns: Sequence[dict[str, str]],
        data: NDArray[np.float64],
        state: _cardan.State | None = None,
        snapshots: Sequence[tuple[str, float, list[str], list[list[float]]]] = (),
        folder: str | None = None,
        view: _cardan.PageSource | None = None,
    ) -> None:
        super().__init__(columns, data)
        self._view = view
        #: How the run ended, its settings, steps, Newton iterations, energy balance and residuals.
        self.summary = summary
        #: The last state, from which `m.simulate(state=...)` continues.
        self.state = state
        #: The folder of the results, if they were written.
        self.folder = folder
        #: The nodes of structures at the times of `snapshots`.
        self.snapshots: list[dict[str, Any]] = [
            {"structure": structure, "time": time, "columns": names, "values": np.array(rows)}
            for structure, time, names, rows in snapshots
        ]

    @classmethod
    def _of_run(cls, out: dict[str, Any]) -> Results:
        summary = out["summary"]
        return cls(summary, summary["columns"], out["data"], out["state"], out["snapshots"], view=out["view"])

    @classmethod
    def _open(cls, path: str) -> Results:
        out = _cardan.open_results(path)
        folder = path if os.path.isdir(path) else None
        return cls(out["summary"] or {}, out["columns"], out["data"], folder=folder)

    @property
    def time(self) -> NDArray[np.float64]:
        """Time in s."""
        return self["time"]

    @property
    def warnings(self) -> list[str]:
        """Warnings about the method and the results."""
        return list(self.summary.get("warnings", []))

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of the run in their order: `time`, `name`, and, if there are any, `messages`, `energy_change`, `impulses`, `redundant`."""
        return list(self.summary.get("events", []))

    def plot_energy(self) -> Figure:
        """Draws the energies and the error of their balance."""
        from ._plot import plot_columns

        names = tuple(n for n in self.columns if n.startswith("energy."))
        if not names:
            raise ChannelError("no energy was recorded", remedy='channels=["energy.*"]')
        return plot_columns(self, names, None)

    def view(self) -> View:
        """The motion in the viewer: shown in a notebook, saved as one HTML file, or opened in a browser.

        >>> import cardan
        >>> r = cardan.example("pendulum").run(end=1, step=1e-2)
        >>> r.view()
        <cardan.View of 'Simple pendulum'>
        """
        title = str(self.summary.get("title") or self.summary.get("model") or "run")
        if self.folder is not None and self._view is None:
            return View(_cardan.view_folder(self.folder), title)
        channels = [(name, self.units[name], self._data[k]) for k, name in enumerate(self._names)]
        return view_of(self._view, title, channels)

    __getstate__ = without_view

    def _about(self) -> list[tuple[str, str]]:
        s = self.summary
        if not s:
            return []
        method = str(s["settings"].get("method", ""))
        return [
            ("status", str(s["status"])),
            ("method", method),
            ("time", f"{s['start']:g} to {s['time']:g} s"),
            ("steps", str(s["steps"])),
            ("Newton iterations", str(s["newton_iterations"])),
            ("energy balance error", f"{s['energy_drift']:.2e} J"),
            ("constraint residuals", f"position {s['max_position_residual']:.1e}, velocity {s['max_velocity_residual']:.1e}"),
            ("computing time", f"{s['wall_seconds']:.3g} s"),
            ("rows, columns", f"{len(self)}, {len(self.columns)}"),
        ]

    def __repr__(self) -> str:
        about = self._about()
        if not about:
            return f"<cardan.Results: {len(self)} rows, {len(self.columns)} columns>"
        width = max(len(key) for key, _ in about)
        title = self.summary.get("title") or self.summary.get("model") or "run"
        return "\n".join([f"<cardan.Results of {title!r}", *(f"  {k.ljust(width)}  {v}" for k, v in about)]) + ">"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(k)}</th><td style='text-align:left'>{escape(v)}</td></tr>" for k, v in self._about()
        )
        warnings = "".join(f"<p>&#9888; {escape(w)}</p>" for w in self.warnings)
        title = escape(str(self.summary.get("title") or self.summary.get("model") or "results"))
        return f"<table><caption>{title}</caption>{rows}</table>{warnings}"


def open_results(path: str | os.PathLike[str]) -> Results:
    """Reads results: the folder of a run, also of an unfinished one, or a Parquet or CSV file."""
    place = os.fspath(path)
    if not os.path.exists(place):
        raise FileNotFoundError(2, "there are no results", place)
    return Results._open(place)
