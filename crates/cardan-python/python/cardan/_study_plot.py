"""Pictures of studies: with matplotlib, or as SVG without it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _cardan
from ._errors import Error
from ._plot import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._study import Study

#: Rows, columns and curves of a picture, at most.
_MOST = 6
_CURVES = 100
#: Intervals in which main effects are averaged.
_BINS = 10
_PERCENTILES = {"5 %": 5.0, "median": 50.0, "95 %": 95.0}


class Picture:
    """A picture as SVG: notebooks show it, `save` writes it."""

    def __init__(self, svg: str) -> None:
        #: The SVG document.
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file `.svg`."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __repr__(self) -> str:
        return f"<cardan.Picture: SVG of {len(self.svg)} characters>"


def plot_study(study: Study, kind: str | None, quantities: Sequence[str]) -> Figure | Picture:
    """Draws a picture of a kind; without one, the first that suits the study."""
    kinds = _cardan.study_words()[1]
    if kind is not None and kind not in kinds:
        nearest = _cardan.nearest(kind, kinds)
        remedy = f"did you mean `{nearest}`?" if nearest else f"there are {', '.join(kinds)}"
        raise Error(f"there is no kind of picture `{kind}`; {remedy}", remedy=remedy)
    for name in quantities:
        study[name]
    chosen = kind or _suitable(study)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        pictures = _cardan.study_svgs(study.folder, chosen)
        if len(quantities) == 1:
            pictures = [x for x in pictures if x[1] == f"{chosen}-{quantities[0]}.svg"] or pictures
        if not pictures:
            raise _unsuitable(chosen) from None
        return Picture(pictures[0][3])
    return _DRAW[chosen](study, list(quantities) or list(study.quantities))


def _suitable(study: Study) -> str:
    if len(study.parameters) == 1 and len(_numbers(study, study.parameters)) == 1 and study.quantities:
        return "campbell" if study.analysis in ("modes", "static-modes") else "response"
    if not study.quantities:
        return "histories"
    return "main-effects" if _numbers(study, study.parameters) else "histogram"


def _unsuitable(kind: str) -> Error:
    remedy = 'study.plot("histogram")' if kind != "histogram" else "more cases with different values"
    if kind == "histories":
        remedy = 'histories=["arm.angle"] when the study is computed'
    return Error(f"the study has nothing to draw as `{kind}`", remedy=remedy)


def _numbers(study: Study, names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """The columns with at least two different finite numbers."""
    columns = {name: study[name] for name in names}
    numeric = {name: x for name, x in columns.items() if x.dtype.kind in "fi"}
    return {name: x for name, x in numeric.items() if len(np.unique(x[np.isfinite(x)])) > 1}


def _response(study: Study, quantities: list[str]) -> Figure:
    across = _numbers(study, study.parameters)
    if len(across) != 1:
        raise _unsuitable("response")
    ((name, x),) = across.items()
    order = np.argsort(x)
    figure = new_figure(figsize=(7, 1.2 + 2.2 * len(quantities)))
    axes = figure.subplots(len(quantities), 1, sharex=True, squeeze=False)[:, 0]
    for axis, quantity in zip(axes, quantities):
        axis.plot(x[order], study[quantity][order], "o-" if len(x) <= 30 else "-", ms=3)
        axis.set_ylabel(quantity)
        axis.grid(True, alpha=0.3)
    axes[-1].set_xlabel(name)
    return figure


def _campbell(study: Study, quantities: list[str]) -> Figure:
    across = _numbers(study, study.parameters)
    if len(across) != 1:
        raise _unsuitable("campbell")
    ((name, x),) = across.items()
    order = np.argsort(x)
    figure = new_figure(figsize=(7, 4.5))
    axis = figure.subplots()
    for quantity in quantities:
        axis.plot(x[order], study[quantity][order], label=quantity)
    is_spin = name.startswith("modes.spin.")
    axis.set_xlabel(f"{name} [rad/s]" if is_spin else name)
    axis.set_ylabel("frequency in the rotating frame [Hz]" if is_spin else "frequency [Hz]")
    axis.legend(fontsize="small")
    axis.grid(True, alpha=0.3)
    return figure


def _matrix(study: Study, quantities: list[str], kind: str, draw: Callable[[Any, Any, Any], None]) -> Figure:
    across = dict(list(_numbers(study, study.parameters).items())[:_MOST])
    down = [name for name in quantities if np.isfinite(study[name]).any()][:_MOST]
    if not across or not down:
        raise _unsuitable(kind)
    figure = new_figure(figsize=(1 + 2.2 * len(across), 0.8 + 1.8 * len(down)))
    axes = figure.subplots(len(down), len(across), sharex="col", sharey="row", squeeze=False)
    for i, quantity in enumerate(down):
        axes[i, 0].set_ylabel(quantity)
        for j, (name, x) in enumerate(across.items()):
            y = study[quantity]
            finite = np.isfinite(x) & np.isfinite(y)
            draw(axes[i, j], x[finite], y[finite])
            axes[i, j].grid(True, alpha=0.3)
            if i + 1 == len(down):
                axes[i, j].set_xlabel(name)
    return figure


def _main_effects(study: Study, quantities: list[str]) -> Figure:
    def draw(axis: Any, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        values = np.unique(x)
        listed = len(values) <= 2 * _BINS
        width = (values[-1] - values[0]) / _BINS
        bins = np.searchsorted(values, x) if listed else np.minimum(((x - values[0]) / width).astype(int), _BINS - 1)
        groups = [bins == k for k in np.unique(bins)]
        centre = [x[group].mean() for group in groups]
        axis.fill_between(centre, *([np.percentile(y[group], p) for group in groups] for p in (5, 95)), alpha=0.25)
        axis.plot(centre, [y[group].mean() for group in groups], "C1")

    return _matrix(study, quantities, "main-effects", draw)


def _scatter(study: Study, quantities: list[str]) -> Figure:
    return _matrix(study, quantities, "scatter", lambda axis, x, y: axis.plot(x, y, ".", ms=3, alpha=0.5))


def _histogram(study: Study, quantities: list[str]) -> Figure:
    shown = [name for name in quantities if name in _numbers(study, quantities)][:_MOST]
    if not shown:
        raise _unsuitable("histogram")
    figure = new_figure(figsize=(7, 0.8 + 2.6 * len(shown)))
    for axis, name in zip(figure.subplots(len(shown), 1, squeeze=False)[:, 0], shown):
        values = study[name][np.isfinite(study[name])]
        axis.hist(values, bins=int(np.clip(np.ceil(np.sqrt(len(values))), 5, 60)), color="C0", alpha=0.5)
        for k, (label, part) in enumerate(_PERCENTILES.items()):
            place = np.percentile(values, part)
            axis.axvline(place, color="C1", ls=("--", "-", ":")[k], label=f"{label}: {place:.4g}")
        axis.set_xlabel(name)
        axis.set_ylabel("cases")
        axis.legend(fontsize="small")
    return figure


def _histories(study: Study, quantities: list[str]) -> Figure:
    kept = study.histories
    channels = [name for name in kept if name not in ("case", "time")][:_MOST]
    if not channels:
        raise _unsuitable("histories")
    ends = np.flatnonzero(np.diff(kept["case"])) + 1
    groups = np.split(np.arange(len(kept["case"])), ends)[:_CURVES]
    few = len(groups) <= 8
    figure = new_figure(figsize=(7, 1.2 + 2.2 * len(channels)))
    axes = figure.subplots(len(channels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, name in zip(axes, channels):
        for rows in groups:
            style: dict[str, Any] = {"label": f"case {kept['case'][rows[0]]}"} if few else {"color": "C0", "alpha": 0.3, "lw": 0.8}
            axis.plot(kept["time"][rows], kept[name][rows], **style)
        axis.set_ylabel(name)
        axis.grid(True, alpha=0.3)
    if few:
        axes[0].legend(fontsize="small")
    axes[-1].set_xlabel("time [s]")
    return figure


_DRAW: dict[str, Callable[[Study, list[str]], Figure]] = {
    "response": _response,
    "campbell": _campbell,
    "main-effects": _main_effects,
    "scatter": _scatter,
    "histogram": _histogram,
    "histories": _histories,
}
