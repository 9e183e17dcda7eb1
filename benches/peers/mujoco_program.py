"""One run of one problem with MuJoCo. It prints one line of JSON.

`run` starts this file with the Python of the virtual environment, and the request as JSON in the first argument:
problem, parameters, step, steps, variant.

The time is that of `mj_step` with the number of steps, a loop in C. Contacts are switched off.

A variant is an integrator: Euler (semi-implicit, first order), implicitfast, RK4. `run` tries all of them at the step of the problem, and
keeps the fastest one whose error is not larger than that of Cardan, or else not more than 1.5 times the smallest error. Joints of a
tree are exact in MuJoCo, because joint angles are the coordinates. Loops are closed by equality constraints, which MuJoCo
solves as stiff springs with dampers: their time constant is at least two steps. RK4 and Euler were tried
with time constants of 2, 4 and 8 steps; 2 has the smallest error.
"""

import json
import resource
import sys
import time

import mujoco
import numpy as np

G = 9.81
INTEGRATORS = {
    "euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
}
HINGE, BALL = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_BALL


def add_body(parent, name, place, mass, centre, inertia):
    """A rigid body by its origin in the axes of its parent, and its centre of mass from the origin."""
    body = parent.add_body(name=name, pos=place)
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = mass, centre, inertia
    return body


def pendulum(spec):
    """IFToMM A01: a mass on a massless bar. MuJoCo needs some inertia: 1e-12 does not change the motion."""
    spec.option.gravity = [0, -G, 0]
    bob = add_body(spec.worldbody, "bob", [0, 0, 0], 1, [-1, 0, 0], [1e-12] * 3)
    bob.add_joint(type=HINGE, axis=[0, 0, 1])

    def read(model, data):
        return data.body("bob").xipos[:2]

    return None, read


def four_bars(spec, n):
    """IFToMM A02: n four-bars in a row. The tree has each crank and the rod on its tip; n connections close the loops."""
    spec.option.gravity = [0, -G, 0]
    rod_inertia = [1e-6, 1 / 12, 1 / 12]
    for i in range(n + 1):
        crank = add_body(spec.worldbody, f"crank{i}", [i, 0, 0], 1, [0, 0.5, 0], [1 / 12, 1e-6, 1 / 12])
        crank.add_joint(type=HINGE, axis=[0, 0, 1], name=f"foot{i}")
        if i < n:
            rod = add_body(crank, f"rod{i}", [0, 1, 0], 1, [0.5, 0, 0], rod_inertia)
            rod.add_joint(type=HINGE, axis=[0, 0, 1], name=f"tip{i}")
    for i in range(n):
        loop = spec.add_equality()
        loop.type = mujoco.mjtEq.mjEQ_CONNECT
        loop.objtype = mujoco.mjtObj.mjOBJ_BODY
        loop.name1, loop.name2 = f"rod{i}", f"crank{i + 1}"
        loop.data[:3] = [1, 0, 0]
        loop.solref = [2 * spec.option.timestep, 1]
        loop.solimp = [0.9999, 0.9999, 0.001, 0.5, 2]

    def start(model, data):
        for i in range(n + 1):
            data.joint(f"foot{i}").qvel[0] = -1
        for i in range(n):
            data.joint(f"tip{i}").qvel[0] = 1

    def read(model, data):
        crank = data.body("crank0")
        return (crank.xpos + crank.xmat.reshape(3, 3)[:, 1])[:2]

    return start, read


def chain(spec, n):
    """A chain of n rods of 1 m and 1 kg in space, on revolute joints whose axes alternate."""
    spec.option.gravity = [0, 0, -G]
    parent = spec.worldbody
    for i in range(n):
        inertia = [0.02 / 12, 1.01 / 12, 1.01 / 12]
        parent = add_body(parent, f"rod{i}", [0 if i == 0 else 1, 0, 0], 1, [0.5, 0, 0], inertia)
        parent.add_joint(type=HINGE, axis=[0, 1, 0] if i % 2 == 0 else [0, 0.6, 0.8])

    def read(model, data):
        return np.concatenate([data.body("rod0").xipos, data.body(f"rod{n - 1}").xipos])

    return None, read


def heavy_top(spec):
    """A fast top on a ball joint at the origin."""
    spec.option.gravity = [0, 0, -G]
    top = add_body(spec.worldbody, "top", [0, 0, 0], 15, [0, 1, 0], [0.234375, 0.46875, 0.234375])
    top.add_joint(type=BALL, name="tip")

    def start(model, data):
        data.joint("tip").qvel[:] = [0, 150, -4.61538]

    def read(model, data):
        return data.body("top").xipos

    return start, read


MODELS = {"pendulum": pendulum, "four_bars": four_bars, "chain": chain, "heavy_top": heavy_top}


def run(request):
    """Computes the motion and returns the measurements."""
    begin = time.process_time()
    spec = mujoco.MjSpec()
    spec.option.timestep = request["step"]
    spec.option.integrator = INTEGRATORS[request["variant"]]
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    spec.option.tolerance = 1e-12
    start, read = MODELS[request["problem"]](spec, **request["parameters"])
    model = spec.compile()
    data = mujoco.MjData(model)
    if start is not None:
        start(model, data)
    mujoco.mj_forward(model, data)
    ready = time.process_time()
    mujoco.mj_step(model, data, nstep=request["steps"])
    done = time.process_time()
    mujoco.mj_forward(model, data)
    return {
        "unknowns": int(model.nv),
        "steps": request["steps"],
        "iterations": None,
        "factorizations": None,
        "setup_seconds": ready - begin,
        "step_seconds": done - ready,
        "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "values": [float(value) for value in read(model, data)],
    }


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]))))
