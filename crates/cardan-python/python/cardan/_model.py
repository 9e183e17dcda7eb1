"""Models: built in Python or loaded from files, changed, saved and computed."""

from __future__ import annotations

import copy as _copy
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import _cardan, _toml
from ._analysis import Check, Equilibrium, Modes, StateSpace
from ._callables import Callables, Function, identifier
from ._errors import CardanWarning, ChannelError, Error, Interrupted, ModelError, SettingsError, SolveError
from ._parts import Part, Parts, Values, _missing
from ._progress import progress_function
from ._results import Results
from ._schema import FORMAT, METHOD_PARAMETERS, METHODS, SECTIONS, parameters_of
from ._surface import Surface
from ._tables import Table
from ._view import View

_NAMED = frozenset(key for key, section in SECTIONS.items() if section.named)
_TOP = {field.argument: field.key for field in SECTIONS[""].fields if field.key != "format"}
#: Kinds of values with one component per axis.
_VECTORS = {"Functions": 3, "Torque": 3}
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
#: Kinds of values that a Python function can give.
_FUNCTIONS = ("Function", "Signal", "Functions", "Torque")


class Model(Surface):
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

    __slots__ = ("__weakref__", "_cache", "_callables", "_document", "_name", "_source", "last_run")

    def __init__(
        self,
        *,
        gravity: Sequence[float | str] | None = None,
        planar: bool | None = None,
        title: str | None = None,
        parameters: Mapping[str, float | str] | None = None,
        **others: Any,
    ) -> None:
        self._document: dict[str, Any] = {"format": FORMAT}
        self._callables = Callables()
        self._name = "model"
        #: The text of the file, as long as the model was not changed.
        self._source: str | None = None
        self._cache: tuple[Any, _cardan.Compiled] | None = None
        #: The results of the last run, also of one that failed or was interrupted.
        self.last_run: Results | None = None
        for argument, value in {"title": title, "planar": planar, "gravity": gravity, **others}.items():
            if argument not in _TOP:
                nearest = _cardan.nearest(argument, [*_TOP, "parameters"])
                hint = f"; did you mean `{nearest}`?" if nearest else ""
                raise ModelError(f"a model does not take `{argument}`{hint}", key=argument)
            if value is not None:
                self._document[_TOP[argument]] = _toml.plain(value)
        if parameters:
            self._document["parameters"] = _toml.plain(parameters)

    # parts

    def _parts(self, section: str) -> Parts:
        return Parts(self, section)

    def _changed(self) -> None:
        self._source = None
        self._cache = None

    def _add(self, section: str, name: str, kind: str | None, values: dict[str, Any]) -> Part:
        """Adds an entry; wrong keys are errors with the suggestions of the reader of model files."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a {section} is text, not {type(name).__name__}")
        if name in self._document.get(section, {}):
            raise ModelError(
                f"there is a {section} `{name}` already", section=section, name=name,
                remedy=f"another name, or m.remove({name!r}) before",
            )
        entry: dict[str, Any] = {} if kind is None else {"type": kind}
        self._check_keys(section, name, kind, list(values))
        self._document.setdefault(section, {})[name] = entry
        try:
            for key, value in values.items():
                entry[key] = self._value(section, name, key, value)
        except BaseException:
            self.remove(name, section=section)
            raise
        self._changed()
        return Part(self, section, name)

    def _check_keys(self, section: str, name: str | None, kind: str | None, keys: list[str], complete: bool = True) -> None:
        about = SECTIONS[section]
        is_known_kind = kind is None or any(v.name == kind for v in about.variants)
        fields = about.fields_of(kind)
        known = {field.key for field in fields} | ({"type"} if about.variants else set())
        missing = [f.key for f in fields if f.required and f.key not in keys] if complete else []
        if is_known_kind and not missing and known.issuperset(keys):
            return
        entry = {"type": kind, **dict.fromkeys(keys, 0)} if kind else dict.fromkeys(keys, 0)
        tables: dict[str, Any] = {section: {name: entry} if name is not None else entry}
        text = _toml.write({"format": FORMAT, **tables}, _NAMED)
        try:
            _cardan.Compiled("model", text)
        except ModelError as error:
            wrong = [
                p for p in error.problems
                if p["section"] == section and (p["key"] is None or p["key"] == "type" or p["key"] not in known)
            ]
            if wrong:
                lines = [p["message"] + (f"; {p['remedy']}" if p["remedy"] else "") for p in wrong]
                raise type(error)("\n".join(lines), problems=wrong) from None
            raise

    def _value(self, section: str, name: str | None, key: str, value: Any) -> Any:
        """A value as the document holds it; a Python function becomes a signal, or the law of a spring."""
        if not (callable(value) or isinstance(value, Function)):
            try:
                return _toml.plain(value)
            except TypeError as error:
                raise ModelError(f"`{key}`: {error}", section=section, name=name, key=key) from None
        field = SECTIONS[section].by_key.get(key)
        kind = field.kind if field else ""
        if kind == "Law" and name is not None:
            function = value.function if isinstance(value, Function) else value
            self._callables.laws[name] = {"force": name, "function": function}
            return "0*x"
        if kind not in _FUNCTIONS or name is None:
            raise ModelError(
                f"`{key}` of {section} `{name}` cannot be a Python function", section=section, name=name, key=key,
                remedy="a number, a formula as text, or a table",
            )
        wrapped = value if isinstance(value, Function) else Function(value)
        base = identifier(name, key)
        count = 1
        if kind in _VECTORS:
            planar = self._document.get("planar") is True
            count = {"Functions": 2, "Torque": 1}[kind] if planar else _VECTORS[kind]
        names = [base] if count == 1 else [f"{base}_{axis}" for axis in "xyz"[:count]]
        self._add_function(names, wrapped)
        return names if count > 1 else base

    def _add_function(self, names: list[str], function: Function) -> None:
        signals = self._document.setdefault("signal", {})
        self._callables.add_signals(names, function.function, function.arguments, function.gradient)
        for name in names:
            # the reader needs to know the name; the function replaces the value
            signals[name] = 0

    def _entry(self, section: str, name: str | None) -> dict[str, Any]:
        table: dict[str, Any] = self._document.get(section, {})
        if name is None:
            return table
        if name not in table:
            raise _missing(section, name, list(table))
        entry: dict[str, Any] = table[name]
        return entry

    def _set_key(self, section: str, name: str | None, key: str, value: Any) -> None:
        entry = self._entry(section, name)
        if name is None:
            entry = self._document.setdefault(section, {})
        kind = value if key == "type" else entry.get("type")
        self._check_keys(section, name, kind, [*(k for k in entry if k != "type"), *([key] if key != "type" else [])], complete=False)
        if key == "law" and name is not None:
            self._callables.laws.pop(name, None)
        if value is None:
            entry.pop(key, None)
        else:
            entry[key] = self._value(section, name, key, value)
        self._changed()

    def _shown_value(self, section: str, name: str, value: Any) -> Any:
        if section == "signal":
            spec = self._callables.signal_of(name)
            if spec is not None:
                return Function(spec["function"], *spec["arguments"], gradient=spec["gradient"])
        return value

    def _set_value(self, section: str, name: str, value: Any) -> None:
        if section == "signal" and (callable(value) or isinstance(value, Function)):
            self._add_function([name], value if isinstance(value, Function) else Function(value))
        else:
            self._callables.remove(section, name)
            self._document.setdefault(section, {})[name] = _toml.plain(value)
        self._changed()

    @property
    def parameters(self) -> Values:
        """The parameters by name: numbers, or formulas of those before."""
        return Values(self, "parameters")

    @property
    def points(self) -> Values:
        """The named points on the ground."""
        return Values(self, "points")

    @property
    def signals(self) -> Values:
        """The signals by name: formulas, or Python functions."""
        return Values(self, "signal")

    @property
    def simulation(self) -> Part:
        """The settings `[simulation]`, such as `m.simulation.step`."""
        return Part(self, "simulation", None)

    @property
    def ground(self) -> Part:
        """The ground, `[ground]`: `m.ground.shapes` are drawn."""
        return Part(self, "ground", None)

    @property
    def output(self) -> Part:
        """What is recorded, `[output]`, such as `m.output.channels`."""
        return Part(self, "output", None)

    @property
    def title(self) -> str | None:
        """What the model is, for plots and summaries."""
        value: str | None = self._document.get("title")
        return value

    @title.setter
    def title(self, value: str | None) -> None:
        self._set_top("title", value)

    @property
    def gravity(self) -> Any:
        """The acceleration of gravity."""
        return self._document.get("gravity")

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._set_top("gravity", value)

    @property
    def planar(self) -> bool:
        """Whether all bodies move in the x-y plane."""
        return self._document.get("planar") is True

    def _set_top(self, key: str, value: Any) -> None:
        if value is None:
            self._document.pop(key, None)
        else:
            self._document[key] = _toml.plain(value)
        self._changed()

    def point(self, name: str, at: Sequence[float | str]) -> None:
        """Names a point on the ground."""
        self.points[name] = at

    def signal(
        self,
        name: str,
        value: float | str | Callable[..., float] | Function,
        of: Sequence[str] | str = (),
        *,
        gradient: bool = False,
    ) -> None:
        """Adds a signal: a formula as text, or a Python function of time and of what `of` names.

        >>> import cardan
        >>> m = cardan.Model(planar=True)
        >>> m.signal("wave", "0.1*sin(3*t)")
        >>> m.signal("spring", lambda t, wave: -20 * wave, of=["wave"])

        With `gradient=True` the function returns its value and the list of its derivatives by `of`.
        """
        names = [of] if isinstance(of, str) else list(of)
        if callable(value) and not isinstance(value, Function):
            value = Function(value, *names, gradient=gradient)
        elif names or gradient:
            raise TypeError("`of` and `gradient` belong to a Python function; a formula names what it uses")
        self.signals[name] = value

    def controller(
        self,
        name: str,
        function: Callable[..., Sequence[float]],
        of: Sequence[str] | str = (),
        *,
        states: Mapping[str, float] | None = None,
    ) -> None:
        """Adds a controller with states of its own, integrated with the motion.

        The function is called with time, the values of what `of` names, and the states. It returns its output and the
        rate of every state. The output is the signal `name`, the states are `name_state`.

        >>> import cardan
        >>> m = cardan.example("pendulum")
        >>> def pi(t, angle, integral):
        ...     error = 0.5 - angle
        ...     return 20 * error + 4 * integral, error
        >>> m.controller("pi", pi, of=["O.angle"], states={"integral": 0.0})
        >>> _ = m.motor("motor", "O", "pi")
        """
        names = [of] if isinstance(of, str) else list(of)
        initial = dict(states or {})
        own = [identifier(name, state) for state in initial]
        signals = [name, *(f"{state}_rate" for state in own)]
        self._add_function(signals, Function(function, *names, *own))
        for state, value in zip(own, initial.values()):
            self._add("state", state, None, {"rate": f"{state}_rate", "start": value})
        self._changed()

    def force_function(self, name: str, function: Callable[[_cardan.ForceView], Any], at: Sequence[str] | str) -> None:
        """Adds a force in Python at points of bodies (`"car"`, `"car.nose"`) or coordinates of joints (`"A.angle"`).

        The function gets a `ForceView`, with the motion of these sites, and adds loads to it by `force`, `torque` and
        `along`. Instead it may return the load at the first site: a vector, or a number along a coordinate.

        >>> import cardan, numpy
        >>> m = cardan.Model(gravity=(0, 0, -10))
        >>> _ = m.body("ball", type="point-mass", mass=0.1)
        >>> m.force_function("drag", lambda at: -0.01 * numpy.linalg.norm(at.velocity()) * at.velocity(), at="ball")
        >>> round(float(m.run(end=10, step=1e-2, channels=["ball.velocity"])["ball.velocity.z"][-1]), 2)
        -10.0
        """
        sites = [at] if isinstance(at, str) else list(at)
        if not callable(function):
            raise TypeError(f"expected a function, not {type(function).__name__}")
        if name in self._callables.forces or name in self._document.get("force", {}):
            raise ModelError(f"there is a force `{name}` already", section="force", name=name)
        self._callables.forces[name] = {"name": name, "sites": sites, "function": function}
        self._changed()

    def event_action(self, event: str, function: Callable[[_cardan.EventView], object]) -> None:
        """Calls a Python function at an event, after the other actions of the event.

        The function gets an `EventView`: `at.t` is time, `at["arm.angle"]` the value of a channel; `at.set`, `at.impulse`, `at.enable`,
        `at.disable`, `at.message`, `at.record` and `at.stop` change the motion when the function has returned.

        >>> import cardan
        >>> m = cardan.example("pendulum")
        >>> _ = m.input("u")
        >>> _ = m.motor("M", "O", "u")
        >>> _ = m.event("sample", every=0.01)
        >>> m.event_action("sample", lambda at: at.set("u", 5 * (0.3 - at["O.angle"])))
        >>> len(m.run(end=0.1, step=1e-3).events)
        11
        """
        if not callable(function):
            raise TypeError(f"expected a function, not {type(function).__name__}")
        self._entry("event", event)
        if event in self._callables.events:
            raise ModelError(f"event `{event}` has a Python function already", section="event", name=event)
        self._callables.events[event] = {"name": event, "function": function}
        self._changed()

    def remove(self, name: str, *, section: str | None = None) -> None:
        """Removes a part, signal, parameter or point."""
        if name in self._callables.forces and section in (None, "force"):
            self._callables.remove("force", name)
            self._changed()
            return
        found = [key for key, table in self._document.items() if isinstance(table, dict) and name in table]
        found = [key for key in found if key not in ("simulation", "output") and section in (None, key)]
        if not found:
            known = [n for key, t in self._document.items() if isinstance(t, dict) and key in _NAMED for n in t]
            raise _missing(section or "part", name, known)
        if len(found) > 1:
            raise ChannelError(f"`{name}` is a {' and a '.join(found)}: give the section", name=name)
        del self._document[found[0]][name]
        self._callables.remove(found[0], name)
        self._changed()

    def set(self, **parameters: float | str) -> Model:
        """Sets parameters that the model has, to numbers or formulas; returns the model."""
        known = self._document.get("parameters", {})
        for name in parameters:
            if name not in known:
                error = _missing("parameter", name, list(known))
                raise ModelError(f"the model has no parameter `{name}`: {error}", section="parameters", name=name, remedy=error.remedy)
        for name, value in parameters.items():
            self.parameters[name] = value
        return self

    # copies and files

    def copy(self) -> Model:
        """A model that can be changed without changing this one."""
        other = Model.__new__(type(self))
        other._document = _copy.deepcopy(self._document)
        other._callables = self._callables.copy()
        other._name, other._source, other._cache = self._name, self._source, self._cache
        other.last_run = None
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        # another process may have another folder
        name = os.path.abspath(self._name) if os.path.dirname(self._name) or os.path.exists(self._name) else self._name
        return {"document": self._document, "callables": self._callables, "name": name, "source": self._source}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._document, self._callables = state["document"], state["callables"]
        self._name, self._source = state["name"], state["source"]
        self._cache, self.last_run = None, None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self._document == other._document and self._callables == other._callables

    __hash__ = None  # type: ignore[assignment]

    def to_toml(self) -> str:
        """The text of the model file. A model with Python functions has none."""
        functions = self._callables.functions()
        if functions:
            raise ModelError(
                f"a file cannot hold the Python function of {functions[0][0]}",
                remedy="a formula or a table instead, or pickle the model",
            )
        return self._text()

    def _text(self) -> str:
        return self._source if self._source is not None else _toml.write(self._document, _NAMED)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as a file, which `cardan.load` and the program `cardan` read."""
        text = self.to_toml()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    # computing

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

    # display

    def _summary_rows(self) -> list[tuple[str, list[str]]]:
        rows = []
        for key, section in SECTIONS.items():
            table = self._document.get(key)
            if isinstance(table, dict) and table and (section.named or key in ("parameters", "points", "signal")):
                rows.append((key, list(table)))
        if self._callables.forces:
            rows.append(("force in Python", list(self._callables.forces)))
        return rows

    def __repr__(self) -> str:
        parts = ", ".join(f"{len(names)} {key}" for key, names in self._summary_rows())
        return f"<cardan.Model {self.title or self._name!r}: {parts or 'empty'}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(key)}</th><td style='text-align:left'>{escape(', '.join(names))}</td></tr>"
            for key, names in self._summary_rows()
        )
        return f"<table><caption>{escape(self.title or self._name)}</caption>{rows}</table>"


def _spin(spin: float | Sequence[float] | None) -> list[float] | None:
    if spin is None:
        return None
    values = [float(x) for x in spin] if isinstance(spin, Iterable) else [0.0, 0.0, float(spin)]
    if len(values) != 3:
        raise SettingsError(f"spin={spin!r}: expected three numbers in rad/s, or one about z")
    return values


def _warn(messages: Iterable[str], level: int) -> None:
    for message in messages:
        warnings.warn(message, CardanWarning, stacklevel=level)


def _folder_results(folder: str, out: dict[str, Any]) -> Results:
    place = os.path.join(folder, os.path.dirname(out["summary"]["results"]))
    results = Results._open(place.rstrip("/") or folder)
    results.summary = out["summary"]
    return results


def _finished(results: Results, out: dict[str, Any], hints: list[str], level: int = 5) -> Results:
    """The results of a run that succeeded; otherwise the exception that stopped it, with the results. The warnings are those of
    the caller so many levels above."""
    summary, error = results.summary, out.get("error")
    if isinstance(error, KeyboardInterrupt):
        raise Interrupted(f"interrupted at t = {summary['time']} s; `results` has the rows so far", results) from error
    if error is not None:
        if isinstance(error, Exception) and not hasattr(error, "results"):
            try:
                error.results = results  # type: ignore[attr-defined]
            except AttributeError:
                pass
        raise error
    if summary["status"] == "failed":
        failure = str(summary.get("failure"))
        remedy = failure.partition("\n  try: ")[2] or None
        raise SolveError(failure, time=summary["time"], remedy=remedy, results=results)
    stopped = [str(summary["failure"])] if summary["status"] == "interrupted" and summary.get("failure") else []
    _warn([*stopped, *summary["warnings"], *hints], level)
    return results


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
