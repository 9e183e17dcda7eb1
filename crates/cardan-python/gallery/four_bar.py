"""A four-bar linkage: a crank at constant speed drives a rocker; the reaction in its bearing."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import cardan

CRANK, COUPLER, ROCKER, BASE = 0.1, 0.35, 0.25, 0.4


def linkage(speed: float) -> cardan.Model:
    """The linkage with the crank along x at the start."""
    # the point where coupler and rocker meet: an intersection of two circles
    d = BASE - CRANK
    along = (d**2 + COUPLER**2 - ROCKER**2) / (2 * d)
    tip = np.array([CRANK + along, np.sqrt(COUPLER**2 - along**2)])
    m = cardan.Model(planar=True, gravity=(0, -9.81), title="Four-bar linkage")

    def link(name: str, start: np.ndarray, end: np.ndarray) -> None:
        middle, along = (start + end) / 2, end - start
        length = float(np.hypot(*along))
        m.body(name, mass=8 * length, shape={"rod": length}, position=middle, angle=float(np.arctan2(along[1], along[0])))

    a, b, c = np.zeros(2), np.array([CRANK, 0.0]), np.array([BASE, 0.0])
    link("crank", a, b)
    link("coupler", b, tip)
    link("rocker", c, tip)
    m.revolute("A", "ground", "crank", at=a)
    m.revolute("B", "crank", "coupler", at=b)
    m.revolute("C", "coupler", "rocker", at=tip)
    m.revolute("D", "ground", "rocker", at=c)
    m.drive("motor", type="angle", joint="A", value=f"{speed}*t")
    return m


def main() -> Figure:
    m = linkage(speed=20.0)
    check = m.check()
    # one motion, which the motor prescribes
    assert check.driven == 1 and not check.locked, check
    r = m.run(end=2 * np.pi / 20, step=1e-4, channels=["D.angle", "A.reaction.force", "motor.force"])
    # after one turn of the crank the rocker is back
    assert abs(r["D.angle"][-1] - r["D.angle"][0]) < 1e-3
    return r.plot("D.angle", "A.reaction.force", "motor.force")


if __name__ == "__main__":
    main().savefig("four_bar.svg")
