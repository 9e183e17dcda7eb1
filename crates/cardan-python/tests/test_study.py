"""Studies: in this process, on executors, with workers that die."""

from __future__ import annotations

import os
import signal
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


def test_dask_with_a_killed_worker(tmp_path: Path) -> None:
    """A scheduler with two worker processes, one of which is killed in the middle."""
    distributed = pytest.importorskip("distributed")
    model = cardan.loads(MODEL.replace("step = 1e-3", "step = 1e-5"))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            killed: list[int] = []

            def kill() -> None:
                time.sleep(1.0)
                worker = next(iter(cluster.workers.values()))
                killed.append(worker.process.pid)
                os.kill(killed[0], signal.SIGKILL)

            killer = threading.Thread(target=kill)
            killer.start()
            study = cardan.study(model, SLOW, QUANTITIES, executor=client, out=tmp_path / "dask")
            killer.join()
    assert killed
    assert rows(study) == rows(cardan.study(model, SLOW, QUANTITIES, out=tmp_path / "serial"))
