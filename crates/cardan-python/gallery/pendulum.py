"""A pendulum in ten lines: build it, run it, plot it, change a number, run again."""

from __future__ import annotations

from matplotlib.figure import Figure

import cardan


def main() -> Figure:
    m = cardan.Model(planar=True, gravity=(0, -9.81), parameters={"length": 1})
    m.body("bar", mass=2, shape={"rod": "length"}, position=("length/2", 0))
    m.revolute("O", "ground", "bar", at=(0, 0))
    r = m.run(end=5, tolerance=1e-6, every=0.01)

    figure = r.plot("O.angle")
    for length in (0.5, 0.25):
        shorter = m.set(length=length).run(end=5, tolerance=1e-6, every=0.01)
        figure.axes[0].plot(shorter.time, shorter["O.angle"], label=f"{length} m")
    figure.axes[0].legend()
    # the pin does not lose energy: the swing returns to its height
    assert abs(r["O.angle"].max()) < 1e-3
    return figure


if __name__ == "__main__":
    main().savefig("pendulum.svg")
