"""The viewer from Python: pages of models, runs, modes and equilibria."""

from __future__ import annotations

import base64
import gzip
import json
import pickle
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardan


def data_of(view: cardan.View) -> dict[str, Any]:
    """The data of a page, read from its text."""
    found = re.search(r'<script type="application/json" id="cardan-data">(.*?)</script>', view.html, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def numbers(blob: dict[str, Any]) -> Any:
    raw = base64.b64decode(blob["data"])
    raw = gzip.decompress(raw) if blob.get("encoding") == "gzip" else raw
    return np.frombuffer(raw, dtype={"f32": "<f4", "f64": "<f8"}[blob["dtype"]]).reshape(blob["shape"])


def test_a_model_is_shown_in_a_notebook() -> None:
    view = cardan.example("slider_crank").view()
    data = data_of(view)
    assert data["kind"] == "model" and data["runs"]

    class Frames(HTMLParser):
        documents: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert tag == "iframe"
            self.documents.append(dict(attrs)["srcdoc"] or "")

    frames = Frames()
    frames.feed(view._repr_html_() * 2)
    # the document in each frame is the page itself
    assert frames.documents == [view.html] * 2
    assert "http://" not in re.sub(r"http://www\.w3\.org/\S*", "", view.html[:2000])


def test_a_run_is_shown_with_its_positions_and_channels() -> None:
    m = cardan.example("pendulum")
    r = m.run(end=1, step=1e-3)
    run = data_of(r.view())["runs"][0]
    times, frames = numbers(run["times"]), numbers(run["frames"])
    size = data_of(r.view())["scene"]["size"]
    name = [n for n in r.columns if n.endswith("position.x")][0]
    expected = np.interp(times, r.time, r[name])
    assert np.abs(frames[:, 0, 0] - expected).max() < 1e-6 * size
    assert {c["name"] for c in run["channels"]} == set(r.columns[1:])


def test_runs_in_folders_are_shown(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    r = cardan.example("pendulum").run(end=0.5, step=1e-3, folder=folder)
    assert data_of(r.view())["kind"] == "run"
    assert data_of(cardan.open_results(folder).view())["runs"][0]["times"]["shape"][0] > 3
    (folder / "motion.cardan").write_bytes(b"damaged")
    with pytest.raises(cardan.ResultsError, match=r"motion\.cardan"):
        cardan.open_results(folder).view()


def test_modes_and_equilibria_are_shown() -> None:
    modes = cardan.example("rotating_shaft").modes(4)
    shown = data_of(modes.view())["modes"]
    assert [x["frequency"] for x in shown] == pytest.approx(list(modes.hertz))
    found = cardan.example("bend_45").static(steps=3)
    run = data_of(found.view())["runs"][0]
    assert run["parameter"] == "load" and run["times"]["shape"] == [len(found)]


def test_shapes_of_bodies_and_of_the_ground(tmp_path: Path) -> None:
    mesh = tmp_path / "part.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    m = cardan.Model()
    m.body("b", shapes=[{"mesh": mesh, "density": 6}, {"cone": (1, 0, 4), "density": 3 / np.pi, "colour": "brass"}])
    m.ground.shapes = [{"box": (1, 1, 0.1), "position": (0, 0, -1), "colour": "#102030"}]
    bodies = data_of(m.view())["scene"]["bodies"]
    # the tetrahedron has 1/6 of the unit cube, the cone 4π/3
    assert bodies[0]["mass"] == pytest.approx(1 + 4)
    assert bodies[0]["centre"] == pytest.approx([1 / 20, 1 / 20, (1 / 4 - 4) / 5])
    assert numbers(bodies[0]["shapes"][0]["vertices"]).shape == (4, 3)
    assert bodies[1]["node"] == -1 and bodies[1]["shapes"][0]["color"] == "#102030"
    assert cardan.loads(m.to_toml()).view().html == m.view().html
    with pytest.raises(cardan.ModelError, match="did you mean `sphere`"):
        m.bodies["b"].shapes = [{"sphre": 1}]
        m.check()


def test_pages_are_saved_and_replace_only_pages(tmp_path: Path) -> None:
    view = cardan.example("pendulum").view()
    place = tmp_path / "page.html"
    view.save(place)
    view.save(str(place))
    assert place.read_text(encoding="utf-8") == view.html
    other = tmp_path / "thesis.html"
    other.write_text("mine")
    with pytest.raises(cardan.Error, match="not replaced"):
        view.save(other)
    assert other.read_text() == "mine" and len(list(tmp_path.iterdir())) == 2
    view.save(other, overwrite=True)
    assert other.read_text(encoding="utf-8") == view.html


def test_hostile_titles_stay_text() -> None:
    m = cardan.Model(title="</script><script>alert(1)</script>\u202e" + "x" * 10_000)
    m.body('"><img src=x onerror=alert(2)>', mass=1, inertia=(1, 1, 1))
    view = m.view()
    assert data_of(view)["title"] == m.title
    assert "<script>alert" not in view.html and "<img" not in view._repr_html_()


def test_results_without_a_motion_say_so() -> None:
    r = pickle.loads(pickle.dumps(cardan.example("pendulum").run(end=0.1, step=1e-2)))
    with pytest.raises(cardan.Error, match="no record of the motion"):
        r.view()
