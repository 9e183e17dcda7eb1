"""A latch by events: a swinging arm is caught when it passes a catch, and released a second later."""

from __future__ import annotations

from matplotlib.figure import Figure

import cardan


def main() -> Figure:
    m = cardan.Model(planar=True, gravity=(0, -9.81), title="Latch")
    m.body("arm", mass=1, shape={"rod": 0.5}, position=(0.25, 0))
    m.revolute("A", "ground", "arm", at=(0, 0))
    # the arm has fallen by 110 degrees: the joint is locked by an impact
    m.event("catch", when="A.angle + 110*deg", direction="falling", lock="A.angle", message="caught")
    m.event("release", at=1.5, unlock="A.angle", disable="catch", message="released")
    # a Python function as an action: it reads channels, and asks for changes
    m.event_action("catch", lambda at: at.message(f"at {at['A.angle']:.3f} rad"))
    r = m.run(end=3, step=5e-4, channels=["A.angle", "A.angle.rate", "energy.*"])
    caught, released = r.events
    assert caught["name"] == "catch" and released["time"] == 1.5
    # all kinetic energy is lost: m g l/2 sin(110°), the balance of the energy counts it
    assert abs(caught["energy_change"] + 9.81 * 0.25 * 0.9396926207859084) < 1e-4
    assert abs(r["energy.balance"]).max() < 1e-4
    held = (r.time > caught["time"] + 1e-3) & (r.time < 1.5)
    assert abs(r["A.angle.rate"][held]).max() < 1e-9
    return r.plot("A.angle", "A.angle.rate")


if __name__ == "__main__":
    main().savefig("latch.svg")
