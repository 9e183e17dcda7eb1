"""Andrews' squeezer, and the choice of an integrator: the error of some methods over the step."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import cardan
from cardan._plot import new_figure


def main() -> Figure:
    m = cardan.example("andrews")
    methods = ["lms2", "lms3", "generalized-alpha", "bathe", "esdirk436"]
    table = m.compare(methods, [1e-4, 5e-5, 2.5e-5], end=0.02)
    error = "position error"
    figure = new_figure(figsize=(7, 4))
    axis = figure.subplots()
    for method in methods:
        rows = table.where(method=method)
        axis.loglog(rows["step"], rows[error], "o-", label=method)
    axis.set_xlabel("step [s]")
    axis.set_ylabel("relative error of the positions")
    axis.legend()
    axis.grid(True, alpha=0.3)
    # every method converges
    for method in methods:
        errors = np.asarray(table.where(method=method)[error], dtype=float)
        assert errors[-1] < errors[0], method
    return figure


if __name__ == "__main__":
    main().savefig("andrews.svg")
