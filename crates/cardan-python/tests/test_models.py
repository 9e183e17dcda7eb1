"""Building, changing, saving and copying models; messages for wrong words."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import cardan
from cardan._schema import SECTIONS
from cardan._generate import methods
from conftest import pendulum


def test_saved_model_is_loaded_with_equal_values(bar: cardan.Model, tmp_path: Path) -> None:
    bar.parameters["k"] = 0.1 + 0.2
    bar.points["P"] = np.array([1.0, 2.0])
    bar.spring("s", "ground.P", "bar", stiffness="k", damping=np.float64(1 / 3))
    bar.simulation.step, bar.simulation.end = 1e-3, 0.1
    bar.save(tmp_path / "m.toml")
    again = cardan.load(tmp_path / "m.toml")
    assert again == bar
    assert again.run()["O.angle"].tobytes() == bar.run()["O.angle"].tobytes()


def test_every_example_can_be_rewritten_without_a_change_of_the_results() -> None:
    for name in cardan.examples()["example"]:
        model = cardan.example(name)
        copied = model.copy()
        copied.title = model.title  # written again from the values
        assert copied._source is None
        assert cardan.loads(copied.to_toml()) == model
        assert copied.check().degrees_of_freedom == model.check().degrees_of_freedom


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda m: m.revolute("P", "ground", "bar", axs=(0, 0, 1)), "did you mean `axis`"),
        (lambda m: m.joint("P", type="hinge", between=["ground", "bar"]), "did you mean `revolute`"),
        (lambda m: m.body("x", weigth=3), "body `x` does not take `weigth`"),
        (lambda m: setattr(m.bodies["bar"], "mas", 3), "did you mean `mass`"),
        (lambda m: m.motor("M", "O"), "has no `value`"),
        (lambda m: m.body("bar", mass=1), "there is a body `bar` already"),
        (lambda m: m.run(end=1, step=1e-3, methd="lms3"), "did you mean `method`"),
        (lambda m: m.run(end=1, step=1e-3, method="lms33"), "did you mean `lms3`"),
        (lambda m: m.run(end=1, step=1e-3, method="bathe", zeta=3), "zeta"),
        (lambda m: cardan.Model(gravty=(0, 1)), "did you mean `gravity`"),
        (lambda m: m.set(k=3), "no parameter `k`"),
    ],
)
def test_wrong_words_get_suggestions(wrong, text: str, bar: cardan.Model) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(cardan.ModelError, match=text):
        wrong(bar)
    # the model is as it was
    assert bar == pendulum()


def test_errors_have_attributes(bar: cardan.Model) -> None:
    bar.bodies["bar"].mass = "2*densty"
    with pytest.raises(cardan.ModelError) as caught:
        bar.run(end=1, step=1e-3)
    error = caught.value
    assert (error.section, error.name, error.key) == ("body", "bar", "mass")
    assert isinstance(error, ValueError)
    with pytest.raises(cardan.SettingsError) as settings:
        pendulum().run(end=1, step=-1)
    assert (settings.value.section, settings.value.key) == ("simulation", "step")


def test_file_with_a_mistake_shows_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text("format = 2\n[body.bar]\nmas = 3\n")
    with pytest.raises(cardan.ModelError) as caught:
        cardan.load(path)
    assert caught.value.problems[0]["line"] == 3
    assert "mas = 3" in str(caught.value)
    with pytest.raises(FileNotFoundError):
        cardan.load(tmp_path / "missing.toml")
    path.write_text("format = 2\n[body.bar\n")
    with pytest.raises(cardan.ModelError):
        cardan.load(path)


def test_parts_are_read_changed_and_removed(bar: cardan.Model) -> None:
    assert bar.bodies["bar"].mass == 2
    assert bar.bodies["bar"].inertia is None
    bar.bodies["bar"].mass = 4
    assert bar.bodies["bar"].to_dict()["mass"] == 4
    with pytest.raises(cardan.ChannelError, match="there is no body"):
        bar.bodies["baar"]
    with pytest.raises(KeyError):
        bar.joints["P"]
    bar.remove("O")
    assert list(bar.joints) == []
    assert bar.check().degrees_of_freedom == 3
    del bar.bodies["bar"]
    assert "body" not in bar.to_toml()


def test_parameters_are_set_at_loading_and_later() -> None:
    model = cardan.example("pendulum")
    name = next(iter(model.parameters))
    changed = cardan.example("pendulum", **{name: 0.7})
    assert changed.parameters[name] == 0.7
    assert model.set(**{name: 0.7}) == changed


def test_copies_and_pickles_are_independent(bar: cardan.Model) -> None:
    for other in (bar.copy(), copy.copy(bar), copy.deepcopy(bar), pickle.loads(pickle.dumps(bar))):
        assert other == bar
        other.bodies["bar"].mass = 7
        assert bar.bodies["bar"].mass == 2


def test_every_kind_of_joint_force_and_state_is_a_method() -> None:
    made = methods()
    for key in ("joint", "force", "state"):
        for variant in SECTIONS[key].variants:
            assert any(of is SECTIONS[key] and v is variant for of, v in made.values())
    for name in made:
        method = getattr(cardan.Model, name)
        assert method.__doc__ and "name: a name of your choice" in method.__doc__
        assert "name" in str(__import__("inspect").signature(method))


def test_positional_arguments_and_keywords_mean_the_same() -> None:
    one, two = pendulum(), pendulum()
    one.motor("M", "O", "3*t")
    two.force("M", type="motor", joint="O", value="3*t")
    assert one == two
    with pytest.raises(TypeError, match="body_2"):
        one.revolute("P", "ground")
    with pytest.raises(TypeError, match="multiple values"):
        one.revolute("P", "ground", "bar", name="Q")


def test_values_that_toml_has_not_are_refused(bar: cardan.Model) -> None:
    with pytest.raises(cardan.ModelError, match="mass"):
        bar.bodies["bar"].mass = object()
    for value in (float("nan"), float("inf")):
        bar.bodies["bar"].mass = value
        with pytest.raises(cardan.ModelError):
            bar.check()


def test_names_and_texts_are_quoted() -> None:
    m = cardan.Model(title='a "quoted" \\ title\nwith lines')
    m.body("bar é", mass=1, inertia=(1, 1, 1))
    assert cardan.loads(m.to_toml()) == m


def test_displays(bar: cardan.Model) -> None:
    assert "1 body" in repr(bar)
    assert "<table>" in bar._repr_html_()
    assert "degrees of freedom: 1" in repr(bar.check())
    assert "mass" in dir(bar.bodies["bar"])
    assert "<iframe" in bar.view()._repr_html_()
