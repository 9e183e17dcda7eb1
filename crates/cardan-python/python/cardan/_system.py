"""Equations of motion written in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _cardan, _toml
from ._errors import Error, Interrupted, SettingsError, SolveError
from ._progress import progress_function
from ._results import Results
from ._schema import FORMAT, SECTIONS, python_name

_SETTINGS = {python_name(field.key): field.key for field in SECTIONS["simulation"].fields}


class System:
    """Equations M(q) v' + G(q)^T lambda = f(t, q, v), constraint(t, q) = 0, for every method. Derive a class and write
    `mass` and `force`; with constraints also their number and `constraint`.

    >>> import cardan, numpy
    >>> class Pendulum(cardan.System):
    ...     names = ["angle"]
    ...     def mass(self, t, q):
    ...         return [[2.0]]
    ...     def force(self, t, q, v):
    ...         return [-9.81 * numpy.sin(q[0])]
    >>> r = Pendulum().run(end=1, q=[0.5], v=[0], method="lms3", step=1e-2)
    >>> round(float(r["angle"][-1]), 2)
    -0.29
    """

    #: The coordinates: a number, or a list of numbers, "rotation" (a quaternion) and "body" (three numbers and a quaternion).
    space: int | Sequence[int | str] = 1
    #: Names of the velocity coordinates; "q0", "q1" and so on by default.
    names: Sequence[str] = ()
    #: The number of position constraints.
    constraints: int = 0
    #: The number of velocity constraints; they need `jacobian`.
    velocity_constraints: int = 0
    #: The number of first-order states; `force` then takes them as a fourth argument.
    states: int = 0
    #: Whether the mass matrix does not depend on q.
    constant_mass: bool = False
    #: The rows of G: by default differences of `constraint`.
    jacobian: Callable[..., ArrayLike] | None = None
    #: b(t, q) in G v + b = 0.
    constraint_rate: Callable[..., ArrayLike] | None = None
    #: d/dt (G v + b) at v' = 0.
    acceleration_term: Callable[..., ArrayLike] | None = None
    #: The potential energy.
    potential: Callable[..., float] | None = None

    def mass(self, t: float, q: Any) -> ArrayLike:
        """The mass matrix."""
        raise NotImplementedError("write `mass(self, t, q)`")

    def force(self, t: float, q: Any, v: Any) -> ArrayLike:
        """The force, gyroscopic terms included."""
        raise NotImplementedError("write `force(self, t, q, v)`")

    def constraint(self, t: float, q: Any) -> ArrayLike:
        """The position constraints, zero if they hold."""
        raise NotImplementedError("write `constraint(self, t, q)`")

    def rates(self, t: float, q: Any, v: Any, z: Any) -> ArrayLike:
        """The rates of the first-order states."""
        raise NotImplementedError("write `rates(self, t, q, v, z)`")

    def _text(self, settings: dict[str, Any]) -> str:
        known = {_SETTINGS.get(key, key): _toml.plain(value) for key, value in settings.items() if value is not None}
        return _toml.write({"format": FORMAT, "simulation": known}, frozenset())

    def _simulate(self, origin: dict[str, Any], *, state: _cardan.State | None = None) -> _cardan.Simulation:
        if not self.names:
            count = sum(part if isinstance(part, int) else {"rotation": 3, "body": 6}[part] for part in _parts(self.space))
            self.names = [f"q{k}" for k in range(count)]
        text = self._text(origin["settings"])
        q, v, z = ([float(x) for x in np.ravel(origin[key])] for key in ("q", "v", "z"))
        return _cardan.system_simulation(self, text, float(origin["t"]), q, v, z, (self, origin), state)

    def simulate(
        self, *, q: ArrayLike, v: ArrayLike, z: ArrayLike = (), t: float = 0.0, state: _cardan.State | None = None, **settings: Any
    ) -> _cardan.Simulation:
        """Begins a simulation from a configuration q and a velocity v. Settings are those of `[simulation]`: `method`, `step`,
        `rho`, `constraints` and others."""
        for key in settings:
            if key not in _SETTINGS:
                nearest = _cardan.nearest(key, list(_SETTINGS))
                hint = f"; did you mean `{nearest}`?" if nearest else ""
                raise SettingsError(f"a simulation does not take `{key}`{hint}", section="simulation", key=key)
        return self._simulate({"q": q, "v": v, "z": z, "t": t, "settings": settings}, state=state)

    def run(
        self,
        end: float,
        *,
        q: ArrayLike,
        v: ArrayLike,
        z: ArrayLike = (),
        t: float = 0.0,
        every: float | None = None,
        progress: bool | Callable[[float], object] | None = None,
        **settings: Any,
    ) -> Results:
        """Computes the motion up to `end` and records coordinates, velocities and energy: after each step, or `every` so many
        seconds. With a `tolerance` instead of a `step` there are a thousand rows by default."""
        simulation = self.simulate(q=q, v=v, z=z, t=t, **settings)
        plain = len(simulation.q) == len(simulation.v)
        names = list(self.names)
        coordinates = names if plain else [f"q[{k}]" for k in range(len(simulation.q))]
        columns = [{"name": "time", "unit": "s"}]
        columns += [{"name": name, "unit": ""} for name in (*coordinates, *(f"{name}.rate" for name in names))]
        columns += [{"name": f"z{k}", "unit": ""} for k in range(len(simulation.z))]
        has_energy = self.potential is not None
        if has_energy:
            columns.append({"name": "energy.total", "unit": "J"})
        rows: list[list[float]] = []
        show = progress_function(progress, type(self).__name__)

        def record() -> None:
            row = [simulation.time, *simulation.q, *simulation.v, *simulation.z]
            rows.append([*row, simulation.energy or 0.0] if has_energy else row)

        def results(status: str, failure: str | None) -> Results:
            summary = {
                "status": status, "failure": failure, "warnings": simulation.warnings, "model": type(self).__name__,
                "settings": {"method": simulation.method, "step_size": simulation.step_size}, "start": t, "end": end,
                "time": rows[-1][0], "steps": simulation.steps, "wall_seconds": float("nan"), "energy_drift": float("nan"),
                "max_position_residual": simulation.residuals[0], "max_velocity_residual": simulation.residuals[1],
                "columns": columns, **{k: v for k, v in simulation.effort.items() if k != "steps"},
            }
            return Results(summary, columns, np.array(rows).T.copy(), simulation.state())

        record()
        is_controlled = any(settings.get(key) is not None for key in ("tolerance", "rtol"))
        interval = every if every is not None else (end - t) / 1000 if is_controlled else simulation.step_size
        rows_to_come = int(np.floor((end - t) / interval * (1 + 1e-15) + 1e-9))
        try:
            for k in range(1, rows_to_come + 1):
                if every is None and not is_controlled:
                    simulation.step()
                else:
                    simulation.run_until(t + k * interval)
                record()
                if show is not None and k % 64 == 0:
                    show(k / rows_to_come)
        except KeyboardInterrupt as error:
            kept = results("interrupted", None)
            raise Interrupted(f"interrupted at t = {kept.time[-1]} s", kept) from error
        except SolveError as error:
            error.results = results("failed", str(error))
            raise
        return results("completed", None)


def _parts(space: int | Sequence[int | str]) -> list[Any]:
    if isinstance(space, int):
        return [space]
    for part in space:
        if not (isinstance(part, int) or part in ("rotation", "body")):
            raise Error(f"`space` does not take {part!r}", remedy='numbers, "rotation" and "body"')
    return list(space)
