"""Equilibria, modes, linear systems, comparisons, spectra, tables, plots, stubs, documentation."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
from pathlib import Path

import numpy as np
import pytest

import cardan
from cardan import _stubs
from conftest import pendulum

ROOT = Path(os.environ.get("CARDAN_ROOT", Path(__file__).parents[3]))


def hanging() -> cardan.Model:
    m = cardan.Model(planar=True, gravity=(0, -9.81))
    m.body("bar", mass=2, shape={"rod": 1}, position=(0, -0.5), angle="-90*deg")
    m.revolute("O", "ground", "bar", at=(0, 0))
    m.input("u")
    m.motor("M", "O", "u")
    return m


def test_frequency_of_a_hanging_rod() -> None:
    modes = hanging().modes()
    # ω² = m g l/2 / (m l²/3)
    assert modes.frequencies[0] == pytest.approx(np.sqrt(1.5 * 9.81), rel=1e-9)
    assert modes.hertz[0] == pytest.approx(modes.frequencies[0] / 2 / np.pi)
    assert len(modes) == 1 and modes[0]["moves most"] and "<table>" in modes._repr_html_()
    with pytest.warns(cardan.CardanWarning, match="not an equilibrium"):
        pendulum().modes()


def test_linear_system_for_scipy_and_control() -> None:
    s = hanging().linearize("u", ["O.angle"])
    A, B, C, D = s
    assert A.shape == (2, 2) and B.shape == (2, 1) and C.shape == (1, 2) and D.shape == (1, 1)
    assert np.abs(s.poles.imag).max() == pytest.approx(np.sqrt(1.5 * 9.81), rel=1e-9)
    # the static gain is 1/(m g l/2)
    gain = (-C @ np.linalg.solve(A, B) + D)[0, 0]
    assert gain == pytest.approx(1 / 9.81, rel=1e-9)
    pytest.importorskip("scipy")
    assert s.to_scipy().A.shape == (2, 2)
    pytest.importorskip("control")
    assert s.to_control().input_labels == ["u"]


def test_equilibrium() -> None:
    e = hanging().static()
    assert e.stability is not None and e.stability["verdict"] == "stable"
    assert e["O.angle"].shape == (1,) and e.values["O.angle"] == e["O.angle"][-1]
    bent = cardan.example("bend_45").static(steps=4)
    assert len(bent) == 4 and bent.columns[0] == "load"


def test_comparison_shows_orders() -> None:
    table = cardan.compare(pendulum(), ["lms3", "trapezoidal"], [4e-3, 2e-3], end=0.2, channels=["O.angle"])
    assert table.columns[:3] == ["method", "constraints", "step"]
    assert table.where(method="lms3")[1]["O.angle order"] == pytest.approx(2, abs=0.1)
    with pytest.raises(cardan.SettingsError, match="no method"):
        pendulum().compare("lms33", [1e-3], end=0.2)


def test_methods_and_spectra() -> None:
    table = cardan.methods()
    assert len(table) > 30 and {"method", "order", "parameters", "source"} <= set(table.columns)
    rows = cardan.spectrum("lms3", rho=0.6, at=[1e6])
    assert rows[0]["spectral_radius"] == pytest.approx(0.6, abs=1e-2)
    assert cardan.spectrum("lms3", rho=0.6, summary=True)[0]["radius_at_infinity"] == pytest.approx(0.6, abs=1e-6)
    assert len(cardan.spectrum(["lms3", "bathe"], rho=[0.0, 0.5], summary=True)) == 4
    with pytest.raises(cardan.SettingsError):
        cardan.spectrum("nonsense")


def test_tables_are_converted() -> None:
    table = cardan.methods()
    assert table["order"].dtype.kind in "if" and "<table>" in table._repr_html_()
    assert len(table[:3]) == 3 and "method" in repr(table)
    with pytest.raises(KeyError):
        table["nothing"]
    pytest.importorskip("pandas")
    assert list(table.to_pandas().columns) == table.columns


def test_plots() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    r = pendulum().run(end=0.1, step=1e-3, channels=["O.angle", "bar.position", "energy.*"])
    figure = r.plot("O.angle", "bar.position")
    assert len(figure.axes) == 2
    assert len(r.plot_energy().axes) == 1
    assert len(r.plot("bar.position.y", against="bar.position.x").axes) == 1
    assert cardan.example("rotating_shaft").modes(3).plot(2).axes
    with pytest.raises(cardan.ChannelError):
        r.plot("nothing")
    import matplotlib.pyplot

    matplotlib.pyplot.close("all")


def test_committed_stubs_and_reference_are_those_of_the_registries() -> None:
    source = ROOT / "crates/cardan-python/python/cardan/_surface.pyi"
    page = ROOT / "docs/python-reference.md"
    if not page.exists():
        pytest.skip("not a clone of the repository")
    hint = "renew: python -m cardan._stubs crates/cardan-python/python/cardan/_surface.pyi docs/python-reference.md"
    assert source.read_text(encoding="utf-8") == _stubs.surface_stub(), hint
    assert page.read_text(encoding="utf-8") == _stubs.reference_page(), hint


def test_examples_in_docstrings() -> None:
    failed = tried = 0
    for info in pkgutil.iter_modules(cardan.__path__, "cardan."):
        if info.name.endswith("_stubs"):
            continue
        result = doctest.testmod(importlib.import_module(info.name))
        failed, tried = failed + result.failed, tried + result.attempted
    result = doctest.testmod(cardan)
    assert failed + result.failed == 0 and tried > 20


def test_public_names_have_docstrings() -> None:
    for name in cardan.__all__:
        thing = getattr(cardan, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and callable(value):
                    assert inspect.getdoc(value), f"{name}.{member}"
