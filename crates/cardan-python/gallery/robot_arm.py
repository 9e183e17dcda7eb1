"""A robot arm with two links: PID blocks in the model, and the same law in a Python loop between steps."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import cardan

KP, KI, KD = 400.0, 300.0, 60.0


def arm() -> cardan.Model:
    """Two rods, horizontal at the start."""
    m = cardan.Model(planar=True, gravity=(0, -9.81), title="Robot arm")
    m.body("upper", mass=4, shape={"rod": 0.5}, position=(0.25, 0), points={"tip": (0.25, 0)})
    m.body("lower", mass=2, shape={"rod": 0.4}, position=(0.7, 0))
    m.revolute("shoulder", "ground", "upper", at=(0, 0))
    m.revolute("elbow", "upper.tip", "lower", at=(0.5, 0))
    m.signal("target_1", "0.8*smoothstep(t, 0, 1)")
    m.signal("target_2", "-1.2*smoothstep(t, 0, 1)")
    return m


def with_blocks() -> cardan.Results:
    """Controllers as blocks: integrated with the motion, with their derivatives in the matrix of the step."""
    m = arm()
    for joint, target in (("shoulder", "target_1"), ("elbow", "target_2")):
        m.pid(f"{joint}_pid", error=f"{target} - {joint}.angle", error_rate=f"-{joint}.angle.rate", kp=KP, ki=KI, kd=KD)
        m.motor(f"{joint}_motor", joint, f"{joint}_pid")
    return m.run(end=2, step=1e-3)


def with_a_loop() -> tuple[np.ndarray, np.ndarray]:
    """A controller in Python that sets the torques every millisecond."""
    m = arm()
    joints = ("shoulder", "elbow")
    for joint in joints:
        m.input(f"{joint}_torque")
        m.motor(f"{joint}_motor", joint, f"{joint}_torque")
    sim = m.simulate(step=1e-3)
    integrals = [0.0, 0.0]
    times, angles = [sim.time], [sim["shoulder.angle"]]
    for _ in range(2000):
        for k, joint in enumerate(joints):
            error = sim[f"target_{k + 1}"] - sim[f"{joint}.angle"]
            integrals[k] += KI * error * 1e-3
            sim.inputs[f"{joint}_torque"] = KP * error + integrals[k] - KD * sim[f"{joint}.angle.rate"]
        sim.step()
        times.append(sim.time)
        angles.append(sim["shoulder.angle"])
    return np.array(times), np.array(angles)


def main() -> Figure:
    r = with_blocks()
    times, angles = with_a_loop()
    # the loop holds its torques for a step: the two agree as the step becomes small
    assert np.abs(angles - r["shoulder.angle"]).max() < 0.05
    assert abs(r["shoulder.angle"][-1] - 0.8) < 0.1
    figure = r.plot("shoulder.angle", "elbow.angle")
    figure.axes[0].plot(times, angles, "--", label="shoulder, Python loop")
    figure.axes[0].legend()
    return figure


if __name__ == "__main__":
    main().savefig("robot_arm.svg")
