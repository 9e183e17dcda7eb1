"""Model files as text: dictionaries are written so that reading gives the same numbers to the last bit."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def plain(value: Any) -> Any:
    """A value as TOML has it: NumPy numbers and arrays, tuples and paths become numbers, lists and text."""
    kind = type(value)
    if kind is float or kind is int or kind is str or kind is bool:
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "__fspath__"):
        return str(value)
    if hasattr(value, "__float__"):
        return float(value)
    if hasattr(value, "__iter__"):
        return [plain(item) for item in value]
    raise TypeError(f"a model cannot hold {value!r} of type {type(value).__name__}")


def _text(value: str) -> str:
    out = "".join(
        _ESCAPES.get(c) or (c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}") for c in value
    )
    return f'"{out}"'


def _key(key: str) -> str:
    return key if _BARE.match(key) else _text(key)


def _number(value: float) -> str:
    if math.isfinite(value):
        text = repr(value)
        # TOML needs a point or an exponent in a float, and digits on both sides of a point
        return text if any(c in text for c in ".en") else text + ".0"
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def _value(value: Any) -> str:
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    raise TypeError(f"a model cannot hold {value!r} of type {type(value).__name__}")


def write(document: dict[str, Any], named: frozenset[str]) -> str:
    """The text of a document. Entries of the sections in ``named`` become tables ``[section.name]``."""
    lines: list[str] = []
    tables: list[str] = []
    for key, value in document.items():
        if not isinstance(value, dict):
            lines.append(f"{_key(key)} = {_value(value)}\n")
        elif key in named:
            for name, entry in value.items():
                tables.append(f"\n[{_key(key)}.{_key(name)}]\n")
                tables.extend(f"{_key(k)} = {_value(v)}\n" for k, v in entry.items())
        elif value:
            tables.append(f"\n[{_key(key)}]\n")
            tables.extend(f"{_key(k)} = {_value(v)}\n" for k, v in value.items())
    return "".join(lines) + "".join(tables)
