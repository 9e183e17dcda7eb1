"""Models that several tests use."""

from __future__ import annotations

import pytest

import cardan


def pendulum(**options: object) -> cardan.Model:
    """A rod on a pin."""
    m = cardan.Model(planar=True, gravity=(0, -9.81))
    m.body("bar", mass=2, shape={"rod": 1}, position=(0.5, 0))
    m.revolute("O", "ground", "bar", at=(0, 0))
    return m


@pytest.fixture
def bar() -> cardan.Model:
    return pendulum()
