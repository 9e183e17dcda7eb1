"""A latch: a swinging arm is caught when it passes a catch. A relay switches a stiff spring on, in the step in which it happens."""

from __future__ import annotations

import warnings

import numpy as np
from matplotlib.figure import Figure

import cardan


def main() -> Figure:
    m = cardan.Model(planar=True, gravity=(0, -9.81), title="Latch")
    m.body("arm", mass=1, shape={"rod": 0.5}, position=(0.25, 0))
    m.revolute("A", "ground", "arm", at=(0, 0))
    # on from the step in which the arm has fallen by 110 degrees; it does not let go
    m.hysteresis("caught", input="-A.angle", lower=-100, upper="110*deg")
    m.joint_spring("catch", "A", law="caught*(200*(x + 110*deg) + 3*v)")
    with warnings.catch_warnings():
        # the balance of the energy shows the catch, which takes one step
        warnings.simplefilter("ignore", cardan.CardanWarning)
        r = m.run(end=2, step=5e-4, channels=["A.angle", "A.angle.rate", "caught", "energy.*"])
    when = r.time[np.argmax(r["caught"] > 0)]
    # caught for good, at rest near the catch
    assert 0.2 < when < 1 and abs(r["A.angle.rate"][-1]) < 1e-3
    figure = r.plot("A.angle", "A.angle.rate")
    for axis in figure.axes:
        axis.axvline(when, color="0.5", ls=":")
    return figure


if __name__ == "__main__":
    main().savefig("latch.svg")
