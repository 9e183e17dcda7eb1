"""Equilibria, modes, linear systems and checks."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _cardan
from ._errors import Error
from ._results import Columns
from ._tables import Table
from ._view import View, view_of, without_view

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Equilibrium(Columns):
    """Equilibria along the load, or along time: `e["tip.position.z"]` is a column, its last entry the final equilibrium."""

    def __init__(
        self, about: dict[str, Any], data: NDArray[np.float64], title: str | None, view: _cardan.PageSource | None = None
    ) -> None:
        super().__init__(about["columns"], data)
        self._view = view
        #: Whether the equilibrium is stable, and how that was found; ``None`` if it was not examined.
        self.stability: dict[str, Any] | None = about["stability"]
        #: The iterations.
        self.log = Table(about["log"])
        self.title = title

    @property
    def values(self) -> dict[str, float]:
        """The channels at the last equilibrium."""
        return {name: float(self[name][-1]) for name in self.columns[1:]}

    def view(self) -> View:
        """The equilibria step by step in the viewer: shown in a notebook, saved as one HTML file, or opened in a browser."""
        return view_of(self._view, self.title or "equilibria")

    __getstate__ = without_view

    def __repr__(self) -> str:
        verdict = self.stability["verdict"] if self.stability else "not examined"
        return f"<cardan.Equilibrium: {len(self)} steps, {len(self.log)} iterations, stability {verdict}>"

    def _repr_html_(self) -> str:
        rows = [{"channel": k, "value": v, "unit": self.units[k]} for k, v in self.values.items()]
        return f"<p>{escape(repr(self)[1:-1])}</p>" + Table(rows)._repr_html_()


class Modes:
    """Natural frequencies, damping ratios and mode shapes; a sequence of rows."""

    def __init__(self, out: dict[str, Any], title: str | None) -> None:
        #: Eigenvalues in rad/s.
        self.eigenvalues: NDArray[np.complex128] = out["re"] + 1j * out["im"]
        #: Natural frequencies in rad/s.
        self.frequencies: NDArray[np.float64] = out["frequency"]
        #: Damping ratios.
        self.damping_ratios: NDArray[np.float64] = out["damping_ratio"]
        #: Whether each mode is a motion as a rigid body.
        self.rigid: NDArray[np.bool_] = np.array(out["rigid"], dtype=bool)
        #: The coordinate that moves most.
        self.moves_most: list[str] = out["moves_most"]
        #: Names of the bodies, nodes and points of the shapes.
        self.names: list[str] = [name for name, _ in out["places"]]
        #: Their positions in m: one row each.
        self.positions: NDArray[np.float64] = np.array([p for _, p in out["places"]], dtype=float).reshape(-1, 3)
        shapes = out["shapes"].reshape(len(self.frequencies), len(self.names), 4, 3) if len(self.names) else np.zeros((len(self.frequencies), 0, 4, 3))
        #: Complex translations: mode, place, axis.
        self.translations: NDArray[np.complex128] = shapes[:, :, 0] + 1j * shapes[:, :, 1]
        #: Complex rotations: mode, place, axis.
        self.rotations: NDArray[np.complex128] = shapes[:, :, 2] + 1j * shapes[:, :, 3]
        #: The state about which the model was linearized.
        self.about: str = out["description"]
        self.time: float = out["time"]
        #: Remarks about the state.
        self.notes: list[str] = out["notes"]
        self.conservative: bool = out["conservative"]
        self.title = title
        self._view: _cardan.PageSource | None = out.get("view")

    __getstate__ = without_view

    @property
    def hertz(self) -> NDArray[np.float64]:
        """Natural frequencies in Hz."""
        return self.frequencies / (2 * np.pi)

    def __len__(self) -> int:
        return len(self.frequencies)

    def table(self) -> Table:
        """One row for each mode."""
        return Table([
            {
                "mode": k + 1, "Hz": float(self.hertz[k]), "rad/s": float(self.frequencies[k]),
                "damping": float(self.damping_ratios[k]), "rigid": bool(self.rigid[k]), "moves most": self.moves_most[k],
            }
            for k in range(len(self))
        ], notes=self.about)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.table())

    def __getitem__(self, k: int) -> Any:
        return self.table()[k]

    def view(self) -> View:
        """The mode shapes in motion: shown in a notebook, saved as one HTML file, or opened in a browser."""
        return view_of(self._view, self.title or "modes")

    def plot(self, count: int = 4) -> Figure:
        """Draws the shapes of the first modes with matplotlib; returns the figure."""
        from ._plot import plot_modes

        return plot_modes(self, count)

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


class StateSpace:
    """The linear system x' = A x + B u, y - y0 = C x + D u with names. It unpacks as `A, B, C, D`, so that
    `scipy.signal.StateSpace(*s)` and `control.ss(*s)` take it."""

    def __init__(self, out: dict[str, Any]) -> None:
        self.A: NDArray[np.float64] = out["A"]
        self.B: NDArray[np.float64] = out["B"]
        self.C: NDArray[np.float64] = out["C"]
        self.D: NDArray[np.float64] = out["D"]
        self.states: list[str] = out["states"]
        self.inputs: list[str] = out["inputs"]
        self.outputs: list[str] = out["outputs"]
        #: The outputs at the state about which the model was linearized.
        self.y0: NDArray[np.float64] = out["y0"]
        self.time: float = out["time"]
        self.about: str = out["description"]
        self.notes: list[str] = out["notes"]

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        return iter((self.A, self.B, self.C, self.D))

    @property
    def poles(self) -> NDArray[np.complex128]:
        """The eigenvalues of A."""
        return np.asarray(np.linalg.eigvals(self.A), dtype=complex)

    def to_control(self) -> Any:
        """The system for python-control, with names in which `_` stands for `.`."""
        try:
            import control
        except ImportError as error:
            raise Error("python-control is not installed", remedy="pip install control") from error
        # python-control does not take points in names
        names = {key: [name.replace(".", "_") for name in getattr(self, key)] for key in ("states", "inputs", "outputs")}
        return control.ss(self.A, self.B, self.C, self.D, **names)

    def to_scipy(self) -> Any:
        """The system for `scipy.signal`."""
        try:
            import scipy.signal
        except ImportError as error:
            raise Error("SciPy is not installed", remedy="pip install scipy") from error
        return scipy.signal.StateSpace(self.A, self.B, self.C, self.D)

    def __repr__(self) -> str:
        return f"<cardan.StateSpace {self.about}: {len(self.states)} states, inputs {self.inputs}, outputs {self.outputs}>"

    def _repr_html_(self) -> str:
        parts = []
        for name, matrix in zip("ABCD", self):
            if matrix.size and max(matrix.shape) <= 12:
                rows = "".join("<tr>" + "".join(f"<td>{x:.5g}</td>" for x in row) + "</tr>" for row in matrix)
                parts.append(f"<p>{name}</p><table>{rows}</table>")
        return f"<p>{escape(repr(self)[1:-1])}</p>" + "".join(parts)


class Check:
    """What the assembly of a model found."""

    def __init__(self, about: dict[str, Any], hints: list[str]) -> None:
        report = about["report"]
        self.degrees_of_freedom: int = report["degrees_of_freedom"]
        self.driven: int = report["driven"]
        #: Whether the mechanism cannot move.
        self.locked: bool = report["locked"]
        #: Redundant constraints, which were removed.
        self.redundant: list[dict[str, Any]] = report["redundant"]
        #: Constraints that depend on others in this configuration only.
        self.singular: list[dict[str, Any]] = report["singular"]
        #: Joints that were open as described, and are closed.
        self.gaps: list[dict[str, Any]] = report["gaps"]
        #: Bodies that closing the joints moved.
        self.moved: list[dict[str, Any]] = report["moved"]
        self.sizes: dict[str, int] = about["sizes"]
        self.residuals: dict[str, float] | None = about["residuals"]
        #: The steps of the planned run, if the model has a step and an end.
        self.steps: int | None = about["steps"]
        self.warnings: list[str] = about["warnings"]
        self.hints: list[str] = hints
        #: The report in words.
        self.text: str = about["text"].strip()

    def __repr__(self) -> str:
        sizes = ", ".join(f"{n} {name}" for name, n in self.sizes.items() if n)
        lines = [self.text, f"model size: {sizes}", *(f"warning: {w}" for w in self.warnings), *(f"hint: {h}" for h in self.hints)]
        return "\n".join(line for line in lines if line)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"
