"""Studies on clusters: a Dask scheduler with worker processes that die, and Ray. Skipped where these are not installed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cardan

MODEL = """
format = 2
planar = true
gravity = [0, -9.81]
[parameters]
n = 1
m = 2
[body.bar]
mass = "m"
shape = { rod = 1 }
position = [0.5, 0]
[joint.O]
type = "revolute"
between = ["ground", "bar"]
at = [0, 0]
[body."load{i}"]
repeat = "n"
mass = 1
inertia = 1
position = ["i", 1]
[simulation]
step = 1e-5
end = 0.2
"""
#: Two failed cases are among them: a mass must be positive.
PARAMETERS = {"m": {"from": -0.05, "to": 3.0, "count": 60}}
QUANTITIES = {"late": "final(O.angle)", "steps": "steps"}
#: The worker dies while it computes this number of bodies, which take more memory than it has.
LIMIT, BODIES = "300MB", 150_000


def rows(study: cardan.Study) -> list[tuple[str, ...]]:
    """The rows without times."""
    names = [name for name in study.columns if name != "wall_time"]
    return [tuple(map(repr, row)) for row in zip(*(study[name].tolist() for name in names))]


@pytest.fixture
def cluster() -> Iterator[Any]:
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    # a batch whose worker died is not repeated by Dask, but by the study
    settings = {"distributed.scheduler.allowed-failures": 0, "distributed.worker.memory.target": False, "distributed.worker.memory.spill": False}
    with dask.config.set(settings):
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=LIMIT) as made:
            yield made


def test_dask_worker_that_is_killed(cluster: Any, tmp_path: Path) -> None:
    """One of two worker processes is killed in the middle: no case is lost, none is there twice."""
    from distributed import Client

    killed: list[int] = []

    def kill() -> None:
        while not any((tmp_path / "dask").glob("cases.cardan")):
            time.sleep(0.01)
        time.sleep(1.0)
        killed.append(next(iter(cluster.workers.values())).process.pid)
        os.kill(killed[0], signal.SIGKILL)

    with Client(cluster) as client:
        killer = threading.Thread(target=kill)
        killer.start()
        study = cardan.study(cardan.loads(MODEL), PARAMETERS, QUANTITIES, executor=client, out=tmp_path / "dask")
        killer.join()
    assert killed
    assert study["case"].tolist() == list(range(60)) and (study["status"] == "failed").sum() == 1
    assert rows(study) == rows(cardan.study(cardan.loads(MODEL), PARAMETERS, QUANTITIES, out=tmp_path / "serial"))


def test_dask_worker_that_runs_out_of_memory(cluster: Any, tmp_path: Path) -> None:
    """The nanny ends a worker that exceeds its memory: that case is a failed row, all others are those of the serial study."""
    from distributed import Client

    parameters = {"n": [1, 2, 3, BODIES, 4, 5, 6, 7]}
    settings = {"simulation.step": 1e-3, "simulation.end": 0.05}
    with Client(cluster) as client:
        study = cardan.study(cardan.loads(MODEL), parameters, QUANTITIES, set=settings, executor=client, out=tmp_path / "dask")
    assert study["status"].tolist() == ["completed"] * 3 + ["failed"] + ["completed"] * 4
    assert "the worker died: KilledWorker" in study["reason"][3]
    del parameters["n"][3]
    serial = cardan.study(cardan.loads(MODEL), parameters, QUANTITIES, set=settings, out=tmp_path / "serial")
    others = [row[1:] for k, row in enumerate(rows(study)) if k != 3]
    assert others == [row[1:] for row in rows(serial)]


def test_ray(tmp_path: Path) -> None:
    """The executor of docs/studies.md."""
    ray = pytest.importorskip("ray")

    class RayExecutor:
        def __init__(self) -> None:
            self._max_workers = int(ray.cluster_resources()["CPU"])

        def submit(self, function: Any, *arguments: Any) -> Any:
            return ray.remote(max_retries=0)(function).remote(*arguments).future()

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        study = cardan.study(cardan.loads(MODEL), PARAMETERS, QUANTITIES, executor=RayExecutor(), out=tmp_path / "ray")
    finally:
        ray.shutdown()
    assert rows(study) == rows(cardan.study(cardan.loads(MODEL), PARAMETERS, QUANTITIES, out=tmp_path / "serial"))
