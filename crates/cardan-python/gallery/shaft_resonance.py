"""A flexible shaft with an unbalanced disk runs through its critical speed."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import cardan


def main() -> Figure:
    m = cardan.example("rotating_shaft", n=8)
    r = m.run(end=2.0, channels=["shaft.mid", "R.angle", "R.angle.rate", "motor.force"], stride=2)
    position = r["shaft.mid"]
    radius = np.hypot(position[:, 1], position[:, 2])
    figure = r.plot("R.angle.rate")
    axis = figure.axes[0].twinx()
    axis.plot(r.time, radius, color="tab:red")
    axis.set_ylabel("deflection of the disk [m]")
    # below the critical speed of 60 rad/s the shaft bends little, then much
    assert radius[r.time < 0.5].max() < radius.max()
    return figure


if __name__ == "__main__":
    main().savefig("shaft_resonance.svg")
