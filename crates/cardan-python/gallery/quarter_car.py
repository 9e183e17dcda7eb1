"""A quarter of a car on a measured road: the profile is an array, and a table of the model."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import cardan


def measured_road(length: float = 60.0) -> tuple[np.ndarray, np.ndarray]:
    """A road profile as an instrument gives it: a height every 10 cm. Here from random waves of class B (ISO 8608)."""
    x = np.arange(0.0, length, 0.1)
    random = np.random.default_rng(7)
    waves = np.arange(0.02, 2.0, 0.02)
    amplitude = np.sqrt(2 * 64e-6 * (waves / 0.1) ** -2.0 * 0.02)
    height = (amplitude * np.sin(2 * np.pi * np.outer(x, waves) + random.uniform(0, 2 * np.pi, len(waves)))).sum(axis=1)
    return x, (height - height[0]) * np.clip(x / 5, 0, 1)


def main() -> Figure:
    x, height = measured_road()
    m = cardan.example("quarter_car")
    road = m.tables["road"]
    road.x, road.value = x, height
    soft = m.run(end=5, channels=["car.position", "car.acceleration", "height", "suspension.length"])
    stiff = m.copy().set(k_suspension=45e3).run(end=5, channels=["car.position", "car.acceleration"])
    comfort = [float(np.sqrt(np.mean(r["car.acceleration.y"] ** 2))) for r in (soft, stiff)]
    # a stiffer suspension is less comfortable
    assert comfort[0] < comfort[1]
    figure = soft.plot("car.position.y", "height", "car.acceleration.y")
    figure.axes[-1].plot(stiff.time, stiff["car.acceleration.y"], lw=0.8, label=f"stiff: {comfort[1]:.2f} m/s² instead of {comfort[0]:.2f}")
    figure.axes[-1].legend()
    return figure


if __name__ == "__main__":
    main().savefig("quarter_car.svg")
