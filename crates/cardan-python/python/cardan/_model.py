"""Models: what a model file holds, and everything that can be computed from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import _cardan, _toml
from ._analysis import Check, Equilibrium, Modes, StateSpace
from ._document import _NAMED, Document
from ._errors import ModelError, SettingsError
from ._outcome import _finished, _folder_results, _warn
from ._parts import _missing
from ._progress import progress_function
from ._results import Results
from ._schema import FORMAT, METHOD_PARAMETERS, METHODS, SECTIONS, parameters_of
from ._tables import Table
from ._view import View

#: Settings that exclude each other: one that is given for a run replaces the others of the model.
_TOLERANCES = ("tolerance", "rtol", "atol", "first_step", "min_step", "max_step")
_REPLACES: dict[str, tuple[str, ...]] = {
    "step": ("substep", *_TOLERANCES),
    "substep": ("step", *_TOLERANCES),
    "tolerance": ("step", "substep", "rtol"),
    "rtol": ("step", "substep", "tolerance"),
    "every": ("stride",),
    "stride": ("every",),
}


class Model(Document):
    """A mechanism, how its motion is computed, and what is recorded: what a model file holds.

    >>> import cardan
    >>> m = cardan.Model(planar=True, gravity=(0, -9.81))
    >>> bar = m.body("bar", mass=2, shape={"rod": 1}, position=(0.5, 0))
    >>> pin = m.revolute("O", "ground", "bar", at=(0, 0))
    >>> r = m.run(end=1, step=1e-3)
    >>> round(float(r["O.angle"][-1]), 3)
    -3.133

    Numbers are in SI units and radians. Instead of a number a formula of the parameters is possible, as text.
    """

    __slots__ = ()

    def _compile(self, settings: dict[str, Any] | None = None) -> _cardan.Compiled:
        """The model as the library reads it, with other settings."""
        wanted = tuple(sorted((key, repr(value)) for key, value in (settings or {}).items()))
        if self._cache is not None and self._cache[0] == wanted:
            return self._cache[1]
        document, text, is_file = self._document, self._source, self._source is not None
        if settings or text is None:
            document = self._with_settings(settings or {})
            text, is_file = _toml.write(document, _NAMED), False
        compiled = _cardan.Compiled(self._name, text, is_file, self._callables.specifications())
        self._cache = (wanted, compiled)
        return compiled

    def _with_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The document with settings in `[simulation]` and `[output]` instead of its own."""
        document = dict(self._document)
        output_keys = {field.key for field in SECTIONS["output"].fields}
        simulation = dict(document.get("simulation", {}))
        output = dict(document.get("output", {}))
        known = {field.key for field in SECTIONS["simulation"].fields}
        wrong = [key for key in settings if key not in known | output_keys]
        if wrong:
            self._wrong_setting(wrong[0], [*known, *output_keys])
        if "method" in settings and settings["method"] != simulation.get("method"):
            # parameters of the model's method need not fit the other one
            taken = parameters_of(str(settings["method"]))
            allowed = METHODS.get(str(settings["method"]), {}).get("constraints")
            for key in [k for k in simulation if k in METHOD_PARAMETERS - taken]:
                del simulation[key]
            if allowed is not None and simulation.get("constraints") not in allowed:
                simulation.pop("constraints", None)
        for key in settings:
            for other in _REPLACES.get(key, ()):
                simulation.pop(other, None)
                output.pop(other, None)
        for key, value in settings.items():
            table = simulation if key in known else output
            if key == "channels" and isinstance(value, str):
                value = [value]
            table[key] = _toml.plain(value)
        document.pop("simulation", None)
        document.pop("output", None)
        if simulation:
            document["simulation"] = simulation
        if output:
            document["output"] = output
        return document

    def _wrong_setting(self, key: str, known: list[str]) -> None:
        try:
            _cardan.Compiled("settings", f"format = {FORMAT}\n[simulation]\n{_toml._key(key)} = 0\n")
        except ModelError as error:
            raise SettingsError(str(error).removeprefix(f"simulation.{key}: "), problems=error.problems) from None

    def _run(
        self,
        settings: dict[str, Any],
        *,
        folder: str | os.PathLike[str] | None = None,
        format: str = "parquet",
        checkpoint: float | None = None,
        progress: bool | Callable[[float], object] | None = None,
        max_time: float | None = None,
        max_memory: int | None = None,
        force: bool = False,
    ) -> Results:
        compiled = self._compile(settings)
        show = progress_function(progress, self.title or self._name)
        try:
            if folder is None:
                if format != "parquet" or checkpoint is not None:
                    raise SettingsError("`format` and `checkpoint` belong to a run with a `folder`")
                out = compiled.run(show, max_time, max_memory, force)
                results = Results._of_run(out)
            else:
                if self._callables:
                    what = self._callables.functions()[0][0]
                    raise ModelError(
                        f"a run in a folder can be continued, but not with the Python function of {what}",
                        remedy="a run without `folder`, then r.save(...)",
                    )
                out = compiled.run_in_folder(os.fspath(folder), format, show, checkpoint, max_time, max_memory, force)
                results = _folder_results(os.fspath(folder), out)
        finally:
            close = getattr(show, "close", None)
            if close is not None:
                close()
        self.last_run = results
        return _finished(results, out, compiled.hints)

    def _simulate(self, settings: dict[str, Any], *, state: _cardan.State | None = None) -> _cardan.Simulation:
        outputs = [key for key in settings if key not in {f.key for f in SECTIONS["simulation"].fields}]
        if outputs:
            self._wrong_setting(outputs[0], [])
        compiled = self._compile(settings)
        return compiled.simulate((self.copy(), dict(settings)), state)

    def static(
        self,
        *,
        steps: int = 1,
        until: float | None = None,
        spin: float | Sequence[float] | None = None,
        tolerance: float = 1e-10,
        iterations: int = 40,
        channels: Sequence[str] | str | None = None,
    ) -> Equilibrium:
        """The equilibrium under the loads of the start, applied in equal steps, or along time up to `until`."""
        compiled = self._compile({} if channels is None else {"channels": channels})
        out = compiled.equilibrium(steps, until, tolerance, iterations, _spin(spin))
        found = Equilibrium(out["about"], out["data"], self.title, out["view"])
        if out["error"] is not None:
            out["error"].results = found
            raise out["error"]
        _warn([out["about"]["note"]] if out["about"]["note"] else [], 3)
        return found

    def modes(
        self, count: int = 10, *, static: bool = False, spin: float | Sequence[float] | None = None, time: float | None = None
    ) -> Modes:
        """Natural frequencies, damping ratios and mode shapes: about the start, the equilibrium (`static`), steady rotation
        (`spin`, in rad/s) or a later time."""
        out = self._compile().modes(count, static, _spin(spin), time)
        _warn(out["notes"], 3)
        return Modes(out, self.title)

    def linearize(
        self,
        inputs: Sequence[str] | str = (),
        outputs: Sequence[str] | str = (),
        *,
        static: bool = False,
        spin: float | Sequence[float] | None = None,
        time: float | None = None,
    ) -> StateSpace:
        """The linear system x' = A x + B u, y = C x + D u about a state, as for `modes`.

        Inputs are inputs of the model, motors, coordinates of joints (`"A.angle"`), forces on bodies (`"rod.end.force.y"`);
        outputs are channels.
        """
        names = [[x] if isinstance(x, str) else list(x) for x in (inputs, outputs)]
        out = self._compile().linearize(names[0], names[1], static, _spin(spin), time)
        _warn(out["notes"], 3)
        return StateSpace(out)

    def check(self) -> Check:
        """Degrees of freedom, redundant constraints, sizes and warnings, without computing a motion."""
        compiled = self._compile()
        return Check(compiled.check(), compiled.hints)

    def channels(self) -> Table:
        """Every channel that can be recorded, with its unit."""
        rows = [{"channel": name, "unit": unit} for name, unit in self._compile().channels()]
        return Table(rows)

    def compare(
        self,
        methods: Sequence[str] | str,
        steps: Iterable[float] = (),
        *,
        end: float | None = None,
        rho: Iterable[float] = (),
        channels: Sequence[str] | str = (),
        reference: tuple[str, float] | None = None,
        threads: int | None = None,
    ) -> Table:
        """Errors and observed orders of methods with several steps, against a fine reference run."""
        chosen = [methods] if isinstance(methods, str) else list(methods)
        wanted = [channels] if isinstance(channels, str) else list(channels)
        compiled = self._compile({} if end is None else {"end": end})
        out = compiled.compare(
            chosen, [float(h) for h in steps], [float(x) for x in rho], wanted, reference, threads,
        )
        _warn(out["omitted"], 3)
        rows = []
        for row in out["rows"]:
            flat = {key: row[key] for key in ("method", "constraints", "step")}
            for signal, error in row["errors"].items():
                flat[f"{signal} error"] = error
                flat[f"{signal} order"] = row["orders"][signal]
            rows.append({**flat, **{key: row[key] for key in ("iterations_per_stage", "steps", "seconds", "failure")}})
        return Table(rows, notes=f"Errors relative to {out['reference']}.")

    def view(self) -> View:
        """The assembled model in the viewer, before anything has moved: shown in a notebook, saved as one HTML file, or opened
        in a browser. `m.run(...).view()` shows the motion."""
        title = self.title or os.path.basename(self._name)
        return View(self._compile().view(title), title)


def _spin(spin: float | Sequence[float] | None) -> list[float] | None:
    if spin is None:
        return None
    values = [float(x) for x in spin] if isinstance(spin, Iterable) else [0.0, 0.0, float(spin)]
    if len(values) != 3:
        raise SettingsError(f"spin={spin!r}: expected three numbers in rad/s, or one about z")
    return values


def _continue_simulation(origin: Any, state: _cardan.State) -> _cardan.Simulation:
    """Makes a simulation again, for copies and pickles."""
    owner, settings = origin
    simulation: _cardan.Simulation = owner._simulate(settings, state=state)
    return simulation


def load(path: str | os.PathLike[str], **parameters: float | str) -> Model:
    """Loads a model file; parameters may be set to other values.

    A file that does not exist raises `FileNotFoundError`, a file with mistakes `ModelError`.
    """
    name = os.fspath(path)
    with open(name, encoding="utf-8-sig") as file:
        text = file.read()
    return _from_text(name, text, parameters)


def loads(text: str, **parameters: float | str) -> Model:
    """A model from the text of a model file."""
    return _from_text("model", text, parameters)


def _from_text(name: str, text: str, parameters: Mapping[str, float | str]) -> Model:
    model = Model()
    model._document = _cardan.parse_toml(name, text)
    model._name, model._source = name, text
    # mistakes are found now, not when the model is used
    model._compile()
    if parameters:
        model.set(**parameters)
    return model


def example(name: str, **parameters: float | str) -> Model:
    """An example from the literature by name; `cardan.examples()` lists them."""
    known = dict(_cardan.examples())
    if name not in known:
        raise _missing("example", name, list(known))
    return _from_text(f"{name}.toml", known[name], parameters)


def examples() -> Table:
    """The examples with their titles."""
    import re

    rows = []
    for name, text in _cardan.examples():
        title = re.search(r'^title = "(.*)"', text, re.MULTILINE)
        rows.append({"example": name, "title": title.group(1) if title else ""})
    return Table(rows)
