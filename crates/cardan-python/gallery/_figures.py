"""Runs every script of the gallery and writes its figure: `python crates/cardan-python/gallery/_figures.py`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import matplotlib

HERE = Path(__file__).parent
SCRIPTS = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("_"))


def run(path: Path) -> Any:
    """The figure of a script."""
    return runpy.run_path(str(path))["main"]()


def main(folder: Path) -> None:
    """Writes all figures to a folder."""
    matplotlib.use("agg")
    # the same figure has the same bytes
    matplotlib.rcParams.update({"svg.hashsalt": "cardan", "svg.fonttype": "none", "path.simplify": True, "path.simplify_threshold": 0.3})
    for path in SCRIPTS:
        figure = run(path)
        place = folder / f"python-{path.stem.replace('_', '-')}.svg"
        figure.savefig(place, metadata={"Date": None})
        print(place)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[2] / "docs" / "figures")
