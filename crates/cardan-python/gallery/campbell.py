"""Modes of a rotating shaft, and its Campbell diagram: natural frequencies over the speed of rotation."""

from __future__ import annotations

import warnings

import numpy as np
from matplotlib.figure import Figure

import cardan
from cardan._plot import new_figure


def shaft() -> cardan.Model:
    """A shaft on two bearings, free to turn, with a disk beside its middle: gyroscopic moments split its modes."""
    m = cardan.Model(title="Overhung disk")
    m.body("disk", mass=10, inertia=(0.4, 0.2, 0.2), position=(0.7, 0, 0))
    m.beam("shaft", path=[(0, 0, 0), "disk", (1, 0, 0)], elements=4, profile={"circle": 0.015}, young=2.1e11, poisson=0.3, density=7850)
    m.bushing("left", "ground", "shaft.start", at=(0, 0, 0), stiffness=(1e8, 1e8, 1e8, 0, 0, 0))
    m.bushing("right", "ground", "shaft.end", at=(1, 0, 0), stiffness=(0, 1e8, 1e8, 0, 0, 0))
    return m


def main() -> Figure:
    m = shaft()
    speeds = np.linspace(0, 400, 9)
    rows = []
    with warnings.catch_warnings():
        # the notes of each speed are the same
        warnings.simplefilter("ignore", cardan.CardanWarning)
        for speed in speeds:
            modes = m.modes(7, spin=(speed, 0, 0)) if speed else m.modes(7)
            bending = np.sort(modes.hertz[modes.hertz > 1.0])
            rows.append(bending[:4])
    table = np.array([row[: min(map(len, rows))] for row in rows])
    figure = new_figure(figsize=(7, 4))
    axis = figure.subplots()
    axis.plot(speeds, table, "o-", ms=3)
    axis.plot(speeds, speeds / (2 * np.pi), "k--", label="speed of rotation")
    axis.set_xlabel("speed [rad/s]")
    axis.set_ylabel("frequency in rotating axes [Hz]")
    axis.legend()
    axis.grid(True, alpha=0.3)
    # equal bearings: the modes come in pairs at rest, and rotation splits them
    assert abs(table[0, 0] - table[0, 1]) < 1e-3 * table[0, 0]
    assert table[-1, 1] - table[-1, 0] > 1.0
    return figure


if __name__ == "__main__":
    main().savefig("campbell.svg")
