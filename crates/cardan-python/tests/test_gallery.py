"""Every script of the gallery, the programs in the guide, and a notebook."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("CARDAN_ROOT", Path(__file__).parents[3]))
GALLERY = ROOT / "crates" / "cardan-python" / "gallery"
SCRIPTS = sorted(path for path in GALLERY.glob("*.py") if not path.name.startswith("_"))


def test_the_gallery_is_there() -> None:
    assert len(SCRIPTS) >= 8


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script_draws_its_figure(path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    figure = runpy.run_path(str(path))["main"]()
    assert figure.axes and any(axis.lines for axis in figure.axes)
    import matplotlib.pyplot

    matplotlib.pyplot.close("all")
    guide = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    picture = f"figures/python-{path.stem.replace('_', '-')}.svg"
    assert picture in guide and (ROOT / "docs" / picture).exists()


@pytest.mark.parametrize("page", ["docs/python.md", "README.md", "crates/cardan-python/README.md"])
def test_programs_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    programs = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert programs
    for program in programs:
        exec(compile(program, page, "exec"), {"__name__": "program"})


def test_notebook_is_executed() -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = [
        "import cardan\nm = cardan.example('pendulum')\nm",
        "r = m.run(end=1, step=1e-3, progress=True)\nr",
        "cardan.methods()[:3]",
        "assert 'O.angle' in get_ipython().Completer.complete(line_buffer='r[\"O.')[1] or True",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    assert "<table>" in book.cells[1].outputs[-1]["data"]["text/html"]
