"""Entries of a model as objects: `m.bodies["arm"].mass = 3`."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from . import _cardan
from ._errors import ChannelError
from ._schema import SECTIONS, python_name

if TYPE_CHECKING:
    from ._document import Document


def _missing(what: str, name: str, known: list[str]) -> ChannelError:
    nearest = _cardan.nearest(name, known)
    remedy = f"did you mean `{nearest}`?" if nearest else None
    hint = f"; {remedy}" if remedy else (f"; there are {', '.join(known[:12])}" if known else "; there is none yet")
    return ChannelError(f"there is no {what} `{name}`{hint}", section=what, name=name, remedy=remedy)


class Part:
    """An entry of a model. Its keys are attributes; a key that is not given is ``None``."""

    __slots__ = ("_model", "_name", "_section")
    _model: Document
    _section: str
    _name: str | None

    def __init__(self, model: Document, section: str, name: str | None) -> None:
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_section", section)
        object.__setattr__(self, "_name", name)

    def _entry(self) -> dict[str, Any]:
        return self._model._entry(self._section, self._name)

    def _keys(self) -> dict[str, str]:
        fields = SECTIONS[self._section].fields_of(self._entry().get("type"))
        keys = {field.argument: field.key for field in fields}
        if SECTIONS[self._section].variants:
            keys["type"] = "type"
        return keys

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        keys = self._keys()
        if key not in keys:
            nearest = _cardan.nearest(key, list(keys))
            hint = f"; did you mean `{nearest}`?" if nearest else ""
            raise AttributeError(f"{self._title()} has no `{key}`{hint}")
        value = self._entry().get(keys[key])
        return list(value) if isinstance(value, list) else value

    def __setattr__(self, key: str, value: Any) -> None:
        if key in Part.__slots__:
            raise AttributeError(f"`{key}` cannot be set")
        self._model._set_key(self._section, self._name, self._keys().get(key, key), value)

    def __delattr__(self, key: str) -> None:
        self._model._set_key(self._section, self._name, self._keys().get(key, key), None)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, python_name(key))

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self, python_name(key), value)

    def __contains__(self, key: str) -> bool:
        return key in self._entry()

    def __dir__(self) -> list[str]:
        return sorted(self._keys())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def _title(self) -> str:
        return f"{self._section} `{self._name}`" if self._name else f"[{self._section}]"

    def to_dict(self) -> dict[str, Any]:
        """The keys and values as a dictionary."""
        return dict(self._entry())

    @property
    def name(self) -> str | None:
        """The name of the entry."""
        return self._name

    def __repr__(self) -> str:
        values = ", ".join(f"{python_name(k)}={v!r}" for k, v in self._entry().items())
        title = f"{self._section} {self._name!r}" if self._name else self._section
        return f"<{title}: {values}>" if values else f"<{title}>"

    def __reduce__(self) -> Any:
        return Part, (self._model, self._section, self._name)


class Parts:
    """The entries of a section by name."""

    __slots__ = ("_model", "_section")

    def __init__(self, model: Document, section: str) -> None:
        self._model = model
        self._section = section

    def _all(self) -> dict[str, Any]:
        entries: dict[str, Any] = self._model._document.get(self._section, {})
        return entries

    def __getitem__(self, name: str) -> Part:
        if name not in self._all():
            raise _missing(self._section, name, list(self._all()))
        return Part(self._model, self._section, name)

    def __delitem__(self, name: str) -> None:
        if name not in self._all():
            raise _missing(self._section, name, list(self._all()))
        self._model.remove(name, section=self._section)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._all()))

    def __len__(self) -> int:
        return len(self._all())

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def keys(self) -> list[str]:
        """The names."""
        return list(self._all())

    def values(self) -> list[Part]:
        """The entries."""
        return [self[name] for name in self]

    def items(self) -> list[tuple[str, Part]]:
        """The names and entries."""
        return [(name, self[name]) for name in self]

    def _ipython_key_completions_(self) -> list[str]:
        return self.keys()

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{name!r}: {self[name]!r}' for name in self)}}}"


class Values(MutableMapping[str, Any]):
    """The values of a section without named entries: parameters, points on the ground, signals."""

    __slots__ = ("_model", "_section")

    def __init__(self, model: Document, section: str) -> None:
        self._model = model
        self._section = section

    def _all(self) -> dict[str, Any]:
        values: dict[str, Any] = self._model._document.get(self._section, {})
        return values

    def __getitem__(self, name: str) -> Any:
        values = self._all()
        if name not in values:
            raise _missing(self._section.rstrip("s"), name, list(values))
        return self._model._shown_value(self._section, name, values[name])

    def __setitem__(self, name: str, value: Any) -> None:
        self._model._set_value(self._section, name, value)

    def __delitem__(self, name: str) -> None:
        self[name]
        self._model.remove(name, section=self._section)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._all()))

    def __len__(self) -> int:
        return len(self._all())

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        return repr(dict(self))
