"""The contents of a model: parts, parameters, settings; copies and files."""

from __future__ import annotations

import copy as _copy
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _cardan, _toml
from ._callables import Callables, Function, identifier
from ._errors import ChannelError, Error, ModelError
from ._parts import Part, Parts, Values, _missing
from ._results import Results
from ._schema import FORMAT, SECTIONS
from ._surface import Surface

if TYPE_CHECKING:
    from typing_extensions import Self

_NAMED = frozenset(key for key, section in SECTIONS.items() if section.named)
_TOP = {field.argument: field.key for field in SECTIONS[""].fields if field.key != "format"}
#: Kinds of values with one component per axis.
_VECTORS = {"Functions": 3, "Torque": 3}
#: Kinds of values that a Python function can give.
_FUNCTIONS = ("Function", "Signal", "Functions", "Torque")


class Document(Surface):
    """The contents of a model file, which can be changed part by part."""

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

    def set(self, **parameters: float | str) -> Self:
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

    def copy(self) -> Self:
        """A model that can be changed without changing this one."""
        other = type(self).__new__(type(self))
        other._document = _copy.deepcopy(self._document)
        other._callables = self._callables.copy()
        other._name, other._source, other._cache = self._name, self._source, self._cache
        other.last_run = None
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
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
        if not isinstance(other, Document):
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
