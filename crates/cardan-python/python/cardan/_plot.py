"""Plots with matplotlib, one axis for each unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import Error

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._analysis import Modes
    from ._results import Columns

#: The words for units on axes.
_QUANTITIES = {
    "rad": "angle", "m": "length", "rad/s": "angular velocity", "m/s": "velocity", "m/s²": "acceleration",
    "rad/s²": "angular acceleration", "N": "force", "N·m": "torque", "J": "energy", "W": "power",
}


def new_figure(**options: Any) -> Figure:
    """An empty figure, drawn by the backend of the session."""
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise Error("plots need matplotlib", remedy="pip install matplotlib") from error
    return pyplot.figure(layout="constrained", **options)


#: More events than this are not marked: the lines would hide the curves.
MAX_MARKS = 100


def mark_events(axis: Any, events: Sequence[dict[str, Any]]) -> None:
    """Draws a dotted line at the time of each event."""
    times = sorted({event["time"] for event in events})
    if len(times) <= MAX_MARKS:
        for time in times:
            axis.axvline(time, color="0.5", ls=":", lw=0.8, zorder=0)


def plot_columns(columns: Columns, names: Sequence[str], against: str | None) -> Figure:
    """Draws columns over time or another column."""
    wide: list[str] = []
    for name in names:
        if "*" in name:
            from fnmatch import fnmatchcase

            matched = [n for n in columns.columns if fnmatchcase(n, name)]
            if not matched:
                raise columns._missing(name)
            wide += matched
        elif name in columns.units:
            wide.append(name)
        else:
            columns[name]
            wide += columns._parts(name)
    abscissa = against or columns.columns[0]
    x = columns[abscissa]
    units = list(dict.fromkeys(columns.units[name] for name in wide))
    figure = new_figure(figsize=(7, 1.2 + 2.2 * len(units)))
    axes = figure.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0]
    for axis, unit in zip(axes, units):
        for name in [n for n in wide if columns.units[n] == unit]:
            axis.plot(x, columns[name], label=name)
        word = _QUANTITIES.get(unit, "")
        axis.set_ylabel(f"{word} [{unit}]".strip() if unit else word)
        axis.legend(loc="best", fontsize="small")
        axis.grid(True, alpha=0.3)
        if abscissa == "time":
            mark_events(axis, getattr(columns, "events", []))
    unit = columns.units.get(abscissa, "")
    axes[-1].set_xlabel(f"{abscissa} [{unit}]" if unit else abscissa)
    return figure


def plot_modes(modes: Modes, count: int) -> Figure:
    """Draws mode shapes: the displaced places in the plane in which they spread most."""
    shown = min(count, len(modes))
    if shown == 0:
        raise Error("there are no modes to draw")
    figure = new_figure(figsize=(7, 1.6 * shown))
    axes = figure.subplots(shown, 1, squeeze=False)[:, 0]
    places = modes.positions
    moved = np.abs(modes.translations[:shown]).sum(axis=(0, 1))
    spread = np.ptp(places, axis=0) if len(places) else np.zeros(3)
    along = int(np.argmax(spread))
    across = max((k for k in range(3) if k != along), key=lambda k: (moved[k], spread[k]))
    size = float(spread.max()) or 1.0
    for k, axis in enumerate(axes):
        shape = modes.translations[k].real
        scale = 0.15 * size / (float(np.abs(shape).max()) or 1.0)
        axis.plot(places[:, along], places[:, across], ".", color="0.7")
        axis.plot(*(places[:, j] + scale * shape[:, j] for j in (along, across)), "o-", ms=3)
        axis.set_title(f"mode {k + 1}: {modes.hertz[k]:.4g} Hz, damping {modes.damping_ratios[k]:.3g}", fontsize="small")
    axes[-1].set_xlabel(f"{'xyz'[along]} [m]")
    return figure
