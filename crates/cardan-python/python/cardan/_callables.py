"""Python functions in models: signals, laws, forces, controllers, actions of events."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable
from typing import Any

from ._errors import ModelError


class Function:
    """A Python function of time and of channels, signals, states and inputs, for values that take a formula.

    >>> import cardan
    >>> m = cardan.Model(planar=True)
    >>> _ = m.body("bar", mass=2, shape={"rod": 1}, position=(0.5, 0))
    >>> _ = m.revolute("A", "ground", "bar", at=(0, 0))
    >>> _ = m.motor("M", "A", cardan.Function(lambda t, angle: -3 * angle, "A.angle"))

    The function is called with time and the values of ``arguments``. With ``gradient=True`` it returns its value and the
    list of its derivatives by the arguments; otherwise they are differenced.
    """

    __slots__ = ("arguments", "function", "gradient")

    def __init__(self, function: Callable[..., Any], *arguments: str, gradient: bool = False) -> None:
        if not callable(function):
            raise TypeError(f"expected a function, not {type(function).__name__}")
        self.function = function
        self.arguments = tuple(arguments)
        self.gradient = gradient

    def __repr__(self) -> str:
        name = getattr(self.function, "__qualname__", repr(self.function))
        return f"Function({', '.join([name, *map(repr, self.arguments)])})"


class Callables:
    """The Python functions of a model."""

    __slots__ = ("events", "forces", "laws", "signals")

    def __init__(self) -> None:
        #: Functions whose values are signals: by the first of their names.
        self.signals: dict[str, dict[str, Any]] = {}
        #: Laws by the name of their spring.
        self.laws: dict[str, dict[str, Any]] = {}
        #: Forces by name.
        self.forces: dict[str, dict[str, Any]] = {}
        #: Actions by the name of their event.
        self.events: dict[str, dict[str, Any]] = {}

    def __bool__(self) -> bool:
        return bool(self.signals or self.laws or self.forces or self.events)

    def copy(self) -> Callables:
        other = Callables()
        other.__setstate__(tuple(map(dict, self._tables())))
        return other

    def _tables(self) -> tuple[dict[str, Any], ...]:
        return self.signals, self.laws, self.forces, self.events

    def specifications(self) -> dict[str, list[dict[str, Any]]]:
        """The functions as the compiled part takes them."""
        return dict(zip(("signals", "laws", "forces", "events"), (list(table.values()) for table in self._tables())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Callables) and self._tables() == other._tables()

    __hash__ = None  # type: ignore[assignment]

    def functions(self) -> list[tuple[str, Callable[..., Any]]]:
        """All functions, with what they are."""
        found = [(f"signal `{name}`", spec["function"]) for name, spec in self.signals.items()]
        found += [(f"law of `{name}`", spec["function"]) for name, spec in self.laws.items()]
        found += [(f"force `{name}`", spec["function"]) for name, spec in self.forces.items()]
        return found + [(f"event `{name}`", spec["function"]) for name, spec in self.events.items()]

    def signal_of(self, name: str) -> dict[str, Any] | None:
        """The function with a signal among its values."""
        return next((spec for spec in self.signals.values() if name in spec["names"]), None)

    def remove(self, section: str, name: str) -> None:
        """Forgets the function of a part."""
        if section == "signal":
            self.signals = {k: s for k, s in self.signals.items() if name not in s["names"]}
        elif section == "force":
            self.laws.pop(name, None)
            self.forces.pop(name, None)
        elif section == "event":
            self.events.pop(name, None)

    def add_signals(self, names: Iterable[str], function: Callable[..., Any], arguments: Iterable[str], gradient: bool) -> None:
        listed = list(names)
        if gradient and len(listed) > 1:
            raise ModelError("a function of several signals has no gradient", section="signal", name=listed[0])
        self.signals[listed[0]] = {
            "names": listed, "arguments": list(arguments), "function": function, "gradient": gradient,
        }

    def check_picklable(self) -> None:
        """An error that names a function which another process cannot import."""
        for what, function in self.functions():
            name = getattr(function, "__qualname__", "")
            if "<lambda>" in name or "<locals>" in name:
                raise pickle.PicklingError(
                    f"the function of {what}, `{name}`, cannot be pickled: another process finds functions by their name in "
                    "a module; define it at the top of a module"
                )

    def __getstate__(self) -> tuple[Any, ...]:
        self.check_picklable()
        return self._tables()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.signals, self.laws, self.forces, self.events = state


def identifier(*words: str) -> str:
    """A name that formulas can use."""
    name = re.sub(r"\W", "_", "_".join(words))
    return name if name[:1].isalpha() or name[:1] == "_" else "f_" + name
