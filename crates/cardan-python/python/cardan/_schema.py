"""The registries of cardan as data: sections, kinds and keys, from which methods, stubs and documentation are made."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, field
from typing import Any

from . import _cardan

_RAW: dict[str, Any] = _cardan.schema()

#: The version of the model file's format.
FORMAT: int = _RAW["format"]
#: The functions of formulas.
FUNCTIONS: list[dict[str, Any]] = _RAW["functions"]
#: The parameters and aliases of each method.
METHODS: dict[str, dict[str, Any]] = _RAW["methods"]


@dataclass(frozen=True)
class Field:
    """A key of the model file."""

    key: str
    kind: str
    words: tuple[str, ...] | None
    required: bool
    description: str

    @property
    def argument(self) -> str:
        """The name of the key as an argument in Python."""
        return python_name(self.key)


@dataclass(frozen=True)
class Variant:
    """A kind of a part: the word after ``type``."""

    name: str
    description: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Section:
    """A table of the model file."""

    key: str
    named: bool
    description: str
    fields: tuple[Field, ...]
    variants: tuple[Variant, ...]
    default: str | None
    by_key: dict[str, Field] = field(default_factory=dict, compare=False)

    def fields_of(self, variant: str | None) -> tuple[Field, ...]:
        """The keys that an entry of a kind takes."""
        chosen = variant or self.default
        own = next((v.fields for v in self.variants if v.name == chosen), ())
        return (*own, *self.fields) if chosen else self.fields


def python_name(key: str) -> str:
    """A word of the file as a name in Python: ``joint-spring`` becomes ``joint_spring``, ``from`` becomes ``from_``."""
    name = key.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def _fields(raw: list[dict[str, Any]]) -> tuple[Field, ...]:
    def one(x: dict[str, Any]) -> Field:
        words = tuple(x["words"]) if x["words"] else None
        return Field(x["key"], x["kind"], words, x["required"], x["description"])

    return tuple(one(x) for x in raw)


def _section(raw: dict[str, Any]) -> Section:
    variants = tuple(Variant(v["name"], v["description"], _fields(v["fields"])) for v in raw["variants"])
    fields = _fields(raw["fields"])
    by_key = {f.key: f for f in (*fields, *(f for v in variants for f in v.fields))}
    return Section(raw["key"], raw["named"], raw["description"], fields, variants, raw["default"], by_key)


#: Every section by its key; ``""`` has the keys before all tables.
SECTIONS: dict[str, Section] = {raw["key"]: _section(raw) for raw in _RAW["sections"]}


def plural(key: str) -> str:
    """The name of the mapping of the entries of a section: ``body`` becomes ``bodies``."""
    if key.endswith("y"):
        return key[:-1] + "ies"
    return key + ("es" if key.endswith("s") else "s")


#: The parameters of all methods.
METHOD_PARAMETERS: frozenset[str] = frozenset(p for m in METHODS.values() for p in m["parameters"])


def parameters_of(method: str) -> frozenset[str]:
    """The parameters that a method takes; none if there is no such method."""
    for name, about in METHODS.items():
        if method == name or method in about["aliases"]:
            return frozenset(about["parameters"])
    return frozenset()
