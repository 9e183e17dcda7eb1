"""Studies: in this process, on executors, with workers that die."""

from __future__ import annotations

import inspect
import os
import signal
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardan

MODEL = """
format = 2
planar = true
gravity = [0, -9.81]
[parameters]
m = 2
[body.bar]
mass = "m"
shape = { rod = 1 }
position = [0.5, 0]
[joint.O]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]
[simulation]
step = 1e-3
end = 0.2
"""
PARAMETERS = {"m": {"from": -1.0, "to": 3.0, "count": 40}}
QUANTITIES = {"peak": "max(abs(O.angle))", "late": "at(0.15, O.angle)"}


def rows(study: cardan.Study) -> list[tuple[Any, ...]]:
    """The rows without times; NaN as text, so that they can be compared."""
    names = [name for name in study.columns if name != "wall_time"]
    return [tuple(map(repr, row)) for row in zip(*(study[name].tolist() for name in names))]


@pytest.fixture(scope="module")
def serial() -> cardan.Study:
    return cardan.study(cardan.loads(MODEL), PARAMETERS, QUANTITIES, jobs=1)


def test_failed_cases_are_rows(serial: cardan.Study) -> None:
    assert len(serial) == 40
    # a mass must be positive
    is_failed = serial["status"] == "failed"
    assert (is_failed == (serial["m"] <= 0)).all() and is_failed.sum() == 10
    assert np.isnan(serial["peak"][is_failed]).all() and np.isfinite(serial["peak"][~is_failed]).all()
    assert all(serial["reason"][is_failed]) and len(serial.failed) == 10


def test_stored_cases_are_not_computed_again(serial: cardan.Study, tmp_path: Path) -> None:
    first = cardan.study(cardan.loads(MODEL), PARAMETERS, QUANTITIES, out=tmp_path, jobs=2)
    again = cardan.study(cardan.loads(MODEL), PARAMETERS, QUANTITIES, out=tmp_path)
    assert rows(first) == rows(again) == rows(serial)
    assert first["wall_time"].tolist() == again["wall_time"].tolist()
    assert rows(cardan.open_study(tmp_path)) == rows(serial)
    other = cardan.study(cardan.loads(MODEL.replace("9.81", "1.62")), PARAMETERS, QUANTITIES, out=tmp_path)
    assert rows(other) != rows(serial)


def test_histories(tmp_path: Path) -> None:
    study = cardan.study(cardan.loads(MODEL), {"m": [1, 2]}, histories=["O.angle"], out=tmp_path)
    kept = study.histories
    assert list(kept) == ["case", "time", "O.angle"]
    assert (kept["case"] == np.repeat([0, 1], 201)).all()
    assert kept["time"][[0, 200]] == pytest.approx([0, 0.2])


def test_wrong_studies_are_refused() -> None:
    model = cardan.loads(MODEL)
    with pytest.raises(cardan.Error, match="did you mean|there are m"):
        cardan.study(model, {"mm": [1]}, QUANTITIES)
    with pytest.raises(cardan.Error, match="at most"):
        cardan.study(model, {"m": {"from": 1, "to": 2, "count": 10**9}}, QUANTITIES)
    with pytest.raises(cardan.Error, match="no channel"):
        cardan.study(model, {"m": [1]}, {"x": "max(O.angel)"})


def test_threads_and_processes(serial: cardan.Study) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert rows(cardan.study(cardan.loads(MODEL), PARAMETERS, QUANTITIES, executor=pool)) == rows(serial)


class Poisoned:
    """A pool whose worker dies when it gets a certain case."""

    def __init__(self, case: int) -> None:
        self.inner, self.case = ThreadPoolExecutor(1), case
        self._max_workers = 2

    def submit(self, function: Any, *arguments: Any) -> Any:
        if self.case in arguments[-1]:
            return self.inner.submit(_die)
        return self.inner.submit(function, *arguments)


class KilledWorker(Exception):
    """Stands for the exception of this name of Dask."""


def _die() -> None:
    raise KilledWorker("by case")


def test_case_that_kills_its_worker_is_a_failed_row(serial: cardan.Study) -> None:
    study = cardan.study(cardan.loads(MODEL), PARAMETERS, QUANTITIES, executor=Poisoned(33))
    assert study["status"][33] == "failed" and "the worker died: KilledWorker" in study["reason"][33]
    others = [k for k in range(40) if k != 33]
    assert [rows(study)[k] for k in others] == [rows(serial)[k] for k in others]


SLOW = {"m": {"from": 1.0, "to": 3.0, "count": 100}}


def test_killed_process_of_a_pool(tmp_path: Path) -> None:
    """A process of a pool is killed in the middle: another pool continues, and no case is lost."""
    pools: list[ProcessPoolExecutor] = []

    def make() -> ProcessPoolExecutor:
        pools.append(ProcessPoolExecutor(2))
        return pools[-1]

    def kill() -> None:
        while not (pools and pools[0]._processes):
            time.sleep(0.01)
        time.sleep(1.0)
        os.kill(next(iter(pools[0]._processes)), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    model = cardan.loads(MODEL.replace("step = 1e-3", "step = 1e-5"))
    study = cardan.study(model, SLOW, QUANTITIES, executor=make, out=tmp_path / "killed")
    killer.join()
    assert len(pools) > 1, "the pool was not broken: the study is too short"
    assert rows(study) == rows(cardan.study(model, SLOW, QUANTITIES, out=tmp_path / "serial"))


def test_tables_and_columns(serial: cardan.Study) -> None:
    assert serial.design == "grid" and serial.analysis == "run" and "peak" in serial
    statistics = serial.statistics()
    assert statistics["quantity"].tolist() == ["peak", "late"] and statistics["cases"].tolist() == [30, 30]
    finite = serial["peak"][np.isfinite(serial["peak"])]
    assert statistics["median"][0] == pytest.approx(np.median(finite))
    assert statistics["percentile_95"][0] == pytest.approx(np.percentile(finite, 95))
    assert statistics["deviation"][0] == pytest.approx(finite.std(ddof=1))
    assert serial.failures()["cases"].tolist() == [10]
    with pytest.raises(cardan.ChannelError, match="did you mean `peak`"):
        serial["peek"]
    with pytest.raises(cardan.Error, match="no sensitivity indices"):
        serial.sensitivity()
    assert "40 cases, 10 failed" in repr(serial) and "<table>" in serial._repr_html_()
    assert list(serial.to_dict()) == serial.columns == list(serial)


def test_conversions(serial: cardan.Study) -> None:
    pandas = pytest.importorskip("pandas")
    assert isinstance(serial.to_pandas(), pandas.DataFrame) and len(serial.to_pandas()) == 40
    polars = pytest.importorskip("polars")
    assert isinstance(serial.to_polars(), polars.DataFrame)
    assert serial.to_polars().columns == serial.columns == serial.to_arrow().column_names
    assert (serial.to_pandas()["m"].to_numpy() == serial["m"]).all()


def test_sensitivity(tmp_path: Path) -> None:
    parameters = {"m": {"from": 1, "to": 2}, "simulation.end": {"from": 0.1, "to": 0.2}}
    study = cardan.study(cardan.loads(MODEL), parameters, {"late": "final(O.angle)"}, design="sensitivity", samples=16)
    table = study.sensitivity()
    assert table["parameter"].tolist() == ["m", "simulation.end"] and table["samples"].tolist() == [16, 16]
    # the mass of a pendulum has no effect, apart from round-off
    assert abs(table["total"][0]) < 1e-12 and table["total"][1] > 0.5


KINDS = {"response": 1, "main-effects": 2, "scatter": 2, "histogram": 2, "histories": 1}


@pytest.fixture(scope="module")
def drawn() -> dict[int, cardan.Study]:
    """Studies of one and of two parameters, with histories."""
    two = {"m": [1, 2, 3], "simulation.step": [1e-3, 2e-3, 5e-3]}
    quantities = {"late": "final(O.angle)", "drift": "drift"}
    return {
        1: cardan.study(cardan.loads(MODEL), {"m": [1, 2, 3]}, quantities, histories=["O.angle"]),
        2: cardan.study(cardan.loads(MODEL), two, quantities),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_pictures(drawn: dict[int, cardan.Study], kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With matplotlib a figure, without it an SVG."""
    study = drawn[KINDS[kind]]
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = study.plot(kind)
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 2000 and len(figure.axes) >= 1
    matplotlib.pyplot.close(figure)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    picture = study.plot(kind)
    assert isinstance(picture, cardan.Picture) and picture._repr_svg_().startswith("<svg")
    picture.save(tmp_path / "picture.svg")
    with pytest.raises(cardan.Error, match="did you mean"):
        study.plot("histogramm")


def test_campbell_diagram(tmp_path: Path) -> None:
    parameters = {"modes.spin.x": [0, 20, 40]}
    quantities = {"f1": "frequency(1)", "f2": "frequency(2)"}
    study = cardan.study("rotating_shaft", parameters, quantities, analysis="static-modes", modes=2, set={"n": 4})
    # about the rotation Ω the frequencies of the rotating frame are f ∓ Ω/2π
    assert study["f2"][1] - study["f1"][1] == pytest.approx(40 / (2 * np.pi), rel=1e-2)
    pytest.importorskip("matplotlib").use("Agg")
    assert len(study.plot().axes[0].lines) == 2


def test_arguments_are_the_keys_of_a_study_file() -> None:
    keys = {key.replace("-", "_") for key in cardan._cardan.study_words()[0]}
    arguments = set(inspect.signature(cardan.study).parameters)
    assert keys <= arguments and arguments - keys == {"out", "jobs", "executor", "progress"}
