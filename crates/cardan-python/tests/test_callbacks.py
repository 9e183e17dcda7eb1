"""Physics in Python: signals, laws, forces, controllers, systems."""

from __future__ import annotations

import math
import multiprocessing
import pickle
from typing import Any

import numpy as np
import pytest

import cardan
from conftest import pendulum


def damping(t: float, rate: float) -> float:
    return -0.7 * rate


def cubic(x: float, v: float) -> float:
    return 40.0 * x**3 + 0.3 * v


def final_angle(model: cardan.Model) -> float:
    return float(model.run(end=0.2, step=1e-3)["O.angle"][-1])


def close(one: cardan.Model, two: cardan.Model, tolerance: float = 1e-9, **settings: Any) -> None:
    chosen = {"end": 0.5, "step": 1e-3, **settings}
    a, b = one.run(**chosen)["O.angle"], two.run(**chosen)["O.angle"]
    assert np.abs(a - b).max() < tolerance


def test_function_and_formula_give_the_same_motion() -> None:
    formula, function, wrapped, exact = (pendulum() for _ in range(4))
    formula.motor("M", "O", "-0.7*O.angle.rate")
    function.signal("u", damping, of="O.angle.rate")
    function.motor("M", "O", "u")
    wrapped.motor("M", "O", cardan.Function(damping, "O.angle.rate"))
    exact.motor("M", "O", cardan.Function(lambda t, rate: (-0.7 * rate, [-0.7]), "O.angle.rate", gradient=True))
    for other in (function, wrapped, exact):
        close(formula, other)
        for method in ("esdirk436", "g4"):
            close(formula, other, method=method)


def test_functions_of_time_and_vectors() -> None:
    formula, function = pendulum(), pendulum()
    formula.load("L", "bar", force=["2*sin(5*t)", "t"])
    function.load("L", "bar", force=lambda t: (2 * math.sin(5 * t), t))
    close(formula, function)


def test_laws() -> None:
    formula, function, exact = (pendulum() for _ in range(3))
    formula.joint_spring("S", "O", law="40*x^3 + 0.3*v")
    function.joint_spring("S", "O", law=cubic)
    exact.joint_spring("S", "O", law=lambda x, v: (cubic(x, v), 120 * x**2, 0.3))
    close(formula, function)
    close(formula, exact)
    # a formula again
    function.forces["S"].law = "40*x^3 + 0.3*v"
    assert function == formula


def test_forces_at_points_and_coordinates() -> None:
    formula, point, coordinate = (pendulum() for _ in range(3))
    formula.motor("M", "O", "-0.7*O.angle.rate")
    coordinate.force_function("M", lambda at: -0.7 * at.rate(), at="O.angle")
    close(formula, coordinate)

    def torque(at: cardan.ForceView) -> None:
        assert at.position().shape == (3,) and at.rotation().shape == (3, 3) and at.t >= 0
        at.torque(0, -0.7 * at.rotation() @ at.angular_velocity())

    point.force_function("M", torque, at=["bar"])
    close(formula, point)


def test_controller_with_states() -> None:
    block, function = pendulum(), pendulum()
    block.pid("c", error="0.5 - O.angle", error_rate="-O.angle.rate", kp=60, ki=80, kd=12)
    block.motor("M", "O", "c")

    def pid(t: float, angle: float, rate: float, integral: float) -> tuple[float, float]:
        error = 0.5 - angle
        return 60 * error + integral - 12 * rate, 80 * error

    function.controller("c", pid, of=["O.angle", "O.angle.rate"], states={"integral": 0.0})
    function.motor("M", "O", "c")
    close(block, function, end=2.0)
    r = function.run(end=0.1, step=1e-3)
    assert "c_integral" in r and "c" in r


class Angle(cardan.System):
    names = ["angle"]
    constant_mass = True

    def mass(self, t: float, q: Any) -> Any:
        return [[2.0 / 3.0]]

    def force(self, t: float, q: Any, v: Any) -> Any:
        return [-9.81 * np.cos(q[0])]

    def potential(self, t: float, q: Any) -> float:
        return float(9.81 * np.sin(q[0]))


class Point(cardan.System):
    space = 2
    names = ["x", "y"]
    constraints = 1

    def mass(self, t: float, q: Any) -> Any:
        return 4.0 / 3.0 * np.eye(2)

    def force(self, t: float, q: Any, v: Any) -> Any:
        return [0.0, -9.81 * 2]

    def constraint(self, t: float, q: Any) -> Any:
        return q[0] ** 2 + q[1] ** 2 - 0.25


class Filter(Angle):
    states = 1

    def force(self, t: float, q: Any, v: Any, z: Any = None) -> Any:  # noqa: D102
        return [-9.81 * np.cos(q[0])]

    def rates(self, t: float, q: Any, v: Any, z: Any) -> Any:
        return [5.0 * (q[0] - z[0])]


def test_system_in_python_has_the_motion_of_the_model() -> None:
    expected = pendulum().run(end=0.5, step=1e-3, method="esdirk436", constraints="acceleration")["O.angle"]
    r = Angle().run(end=0.5, q=[0.0], v=[0.0], step=1e-3, method="esdirk436")
    assert np.abs(r["angle"] - expected).max() < 1e-7
    assert np.ptp(r["energy.total"]) < 1e-6
    state = Filter().run(end=0.5, q=[0.0], v=[0.0], z=[0.2], step=1e-3, method="lms3")
    assert state["z0"][0] == 0.2 and abs(state["z0"][-1] - 0.2) > 0.1


def test_system_with_every_method() -> None:
    for method in cardan.methods()["method"]:
        r = Point().run(end=0.05, q=[0.5, 0.0], v=[0.0, 0.0], step=1e-3, method=str(method))
        # the free fall begins with the acceleration g*3/2
        assert abs(r["y"][-1] + 0.5 * 14.715 * 0.05**2) < 3e-3, method


def test_system_is_copied_and_pickled() -> None:
    sim = Angle().simulate(q=[0.0], v=[0.0], step=1e-3, method="lms3")
    sim.step(20)
    twin = pickle.loads(pickle.dumps(sim))
    sim.step(20)
    twin.step(20)
    assert sim["angle"] == twin["angle"] and sim["angle.rate"] == twin["angle.rate"]
    with pytest.raises(KeyError, match="did you mean `angle`"):
        sim["angel"]


class Wrong(RuntimeError):
    pass


@pytest.mark.parametrize("form", ["signal", "law", "force", "controller", "system"])
def test_exception_comes_out_as_itself(form: str) -> None:
    m = pendulum()

    def fail(*values: Any) -> Any:
        t = values[0].t if isinstance(values[0], cardan.ForceView) else values[0]
        if form == "law" or t > 0.05:
            raise Wrong("from the callback")
        return (0.0, 0.0) if form == "controller" else 0.0

    if form == "system":
        class Failing(Angle):
            def force(self, t: float, q: Any, v: Any) -> Any:
                fail(t)
                return [0.0]

        with pytest.raises(Wrong, match="from the callback"):
            Failing().run(end=1, q=[0], v=[0], step=1e-3)
        return
    if form == "signal":
        m.motor("M", "O", cardan.Function(fail, "O.angle"))
    elif form == "law":
        m.joint_spring("S", "O", law=fail)
    elif form == "force":
        m.force_function("F", fail, at="O.angle")
    else:
        m.controller("c", fail, of="O.angle", states={"x": 0.0})
        m.motor("M", "O", "c")
    with pytest.raises(Wrong, match="from the callback") as caught:
        m.run(end=1, step=1e-3)
    if form in ("signal", "force", "controller"):
        assert "at t = 0.051" in caught.value.cardan_place or "at t = 0.05" in caught.value.cardan_place
        assert len(caught.value.results) > 40
    # the same from a simulation, which then goes on from its last step
    if form == "signal":
        sim = m.simulate(step=1e-3)
        with pytest.raises(Wrong):
            sim.step(100)
        assert sim.steps == pytest.approx(50, abs=1)


@pytest.mark.parametrize(
    ("value", "error"),
    [("text", TypeError), ([1.0, 2.0], TypeError), (None, TypeError), (float("nan"), cardan.SolveError), (float("inf"), cardan.SolveError)],
)
def test_wrong_values_stop_the_run(value: Any, error: type[Exception]) -> None:
    m = pendulum()
    m.motor("M", "O", lambda t: value if t > 0.01 else 0.0)
    with pytest.raises(error):
        m.run(end=1, step=1e-3)


def test_wrong_shapes_stop_the_run() -> None:
    m = pendulum()
    m.load("L", "bar", force=lambda t: (1.0, 2.0, 3.0, 4.0))
    with pytest.raises(ValueError, match="2 numbers, not 4"):
        m.run(end=1, step=1e-3)
    m = pendulum()
    m.force_function("F", lambda at: (1.0, 2.0, 3.0, 4.0), at="bar")
    with pytest.raises(ValueError):
        m.run(end=1, step=1e-3)
    m = pendulum()
    m.force_function("F", lambda at: at.position(3), at="bar")
    with pytest.raises(IndexError, match="no site 3"):
        m.run(end=1, step=1e-3)

    class Short(Angle):
        def force(self, t: float, q: Any, v: Any) -> Any:
            return [1.0, 2.0]

    with pytest.raises(ValueError, match="1 numbers, not 2"):
        Short().run(end=1, q=[0], v=[0], step=1e-3)


def test_callback_cannot_use_its_own_simulation() -> None:
    m = pendulum()
    holder: list[cardan.Simulation] = []

    def nested(t: float) -> float:
        if holder:
            holder[0].step()
        return 0.0

    m.motor("M", "O", nested)
    sim = m.simulate(step=1e-3)
    holder.append(sim)
    with pytest.raises(cardan.BusyError, match="callback"):
        sim.step()
    # another simulation is allowed
    holder[0] = pendulum().simulate(step=1e-3)
    sim.step()
    assert holder[0].steps > 0


def test_interrupt_in_a_callback_keeps_the_results() -> None:
    m = pendulum()

    def stop(t: float) -> float:
        if t > 0.05:
            raise KeyboardInterrupt
        return 0.0

    m.motor("M", "O", stop)
    with pytest.raises(cardan.Interrupted) as caught:
        m.run(end=1, step=1e-3)
    assert len(caught.value.results) > 40


def test_functions_are_not_written_to_files() -> None:
    m = pendulum()
    m.motor("M", "O", damping)
    with pytest.raises(cardan.ModelError, match="signal `M_value`"):
        m.to_toml()
    with pytest.raises(cardan.ModelError, match="folder"):
        m.run(end=1, step=1e-3, folder="somewhere")
    with pytest.raises(cardan.ModelError, match="cannot be a Python function"):
        m.body("x", mass=lambda: 3)
    m.remove("M")
    m.remove("M_value")
    assert m == pendulum() or m.to_toml()


def test_drives_need_formulas() -> None:
    m = pendulum()
    m.drive("D", type="angle", joint="O", value=lambda t: t)
    with pytest.raises(cardan.ModelError):
        m.run(end=1, step=1e-3)


def test_lambdas_are_refused_by_pickle_with_the_reason() -> None:
    m = pendulum()
    m.motor("M", "O", lambda t: 0.0)
    with pytest.raises(pickle.PicklingError, match="top of a module"):
        pickle.dumps(m)
    assert m.copy() == m


def test_models_are_arguments_of_processes() -> None:
    m = pendulum()
    m.motor("M", "O", cardan.Function(damping, "O.angle.rate"))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(final_angle, [m, pendulum()])
    assert found == [final_angle(m), final_angle(pendulum())]
