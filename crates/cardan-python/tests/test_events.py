"""Events: their log, Python functions as actions, a start in equilibrium."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import cardan
from conftest import pendulum


def controller(at: cardan.EventView) -> None:
    at.set("u", 5 * (0.3 - at["O.angle"]) - at["O.angle.rate"])


def sampled() -> cardan.Model:
    m = pendulum()
    m.input("u")
    m.motor("M", "O", "u")
    return m


def test_python_action_and_formula_give_the_same_bits() -> None:
    formula, function = sampled(), sampled()
    formula.event("sample", every=0.01, set={"u": "5*(0.3 - O.angle) - O.angle.rate"})
    function.event("sample", every=0.01)
    function.event_action("sample", controller)
    runs = [m.run(end=0.5, step=1e-3) for m in (formula, function, pickle.loads(pickle.dumps(function)))]
    for r in runs[1:]:
        assert np.array_equal(runs[0]["O.angle"], r["O.angle"])
    assert len(runs[0].events) == 51 and runs[0].events[1]["name"] == "sample"


def test_actions_change_the_motion_and_stop_the_run() -> None:
    m = cardan.Model(gravity=(0, 0, -10))
    m.body("ball", type="point-mass", mass=0.5, position=(0, 0, 5))
    m.event("floor", when="ball.position.z", direction="falling")
    m.event("end", when="ball.velocity.z", direction="falling", enabled=False)

    def bounce(at: cardan.EventView) -> None:
        assert at["ball.position"].shape == (3,)
        at.impulse("ball", force=(0, 0, -1.5 * 0.5 * at["ball.velocity.z"]))
        at.message(f"at {at.t:.6f} s")
        at.enable("end")

    m.event_action("floor", bounce)
    m.event_action("end", lambda at: at.stop())
    r = m.run(end=3, step=1e-2)
    # it falls for 1 s, and rises again with 5 m/s for 0.5 s
    assert r.summary["stopped_by"] == "end"
    assert abs(r.time[-1] - 1.5) < 1e-9 and abs(r["ball.position.z"][-1] - 1.25) < 1e-9
    assert r.events[0]["messages"] == ["at 1.000000 s"]


def test_wrong_actions_come_out_as_themselves() -> None:
    cases = {
        "raises": (lambda at: 1 / 0, ZeroDivisionError),
        "unknown": (lambda at: at.set("w", 1.0), KeyError),
        "not finite": (lambda at: at.set("u", float("nan")), ValueError),
        "no channel": (lambda at: at["nothing"], KeyError),
        "no event": (lambda at: at.enable("nothing"), KeyError),
    }
    for name, (function, error) in cases.items():
        m = sampled()
        m.event("sample", at=0.1)
        m.event_action("sample", function)
        with pytest.raises(error) as raised:
            m.run(end=0.5, step=1e-3)
        assert m.last_run is not None and m.last_run.time[-1] == pytest.approx(0.1), name
        assert "event `sample`" in raised.value.cardan_place, name  # type: ignore[attr-defined]


def test_events_that_do_not_exist_have_no_action() -> None:
    m = sampled()
    with pytest.raises(cardan.Error):
        m.event_action("nothing", controller)
    m.event("sample", every=0.1)
    m.event_action("sample", controller)
    with pytest.raises(cardan.ModelError):
        m.event_action("sample", controller)
    with pytest.raises(cardan.ModelError, match="Python function"):
        m.to_toml()
    m.remove("sample")
    assert "sample" not in m.to_toml()


def test_start_in_equilibrium() -> None:
    m = pendulum()
    m.joint_spring("spring", "O", stiffness=50)
    r = m.run(end=0.3, step=1e-3, from_="static")
    angle = r["O.angle"]
    assert abs(angle[0]) > 0.05 and np.abs(angle - angle[0]).max() < 1e-9


def test_simulation_lists_the_events_of_a_run() -> None:
    m = pendulum()
    m.event("tick", every=0.01, message="passed")
    m.event("down", when="O.angle + 1", direction="falling")
    run, sim = m.run(end=0.8, step=1e-3), m.simulate(step=1e-3)
    assert [event["name"] for event in sim.events] == [event["name"] for event in run.events if event["time"] == 0]
    sim.run_until(0.3)
    saved, before = sim.state(), sim.events
    sim.run_until(0.8)
    # the actions of the last instant are performed with the next step
    sim.step()
    kinds = [(event["time"], event["name"], event.get("messages")) for event in sim.events]
    assert kinds == [(event["time"], event["name"], event.get("messages") or None) for event in run.events]
    assert {"tick", "down"} == {event["name"] for event in sim.events}
    sim.restore(saved)
    assert sim.events == before
