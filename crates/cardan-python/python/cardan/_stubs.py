"""Writes the type stubs and the reference page from the registries.

    python -m cardan._stubs crates/cardan-python/python/cardan/_surface.pyi docs/python-reference.md
"""

from __future__ import annotations

import sys
import textwrap

from ._schema import SECTIONS, Field, Section, Variant, plural, python_name
from ._generate import (
    RUN_DOC, RUN_OPTIONS, SIMULATE_DOC, STATE_OPTION, arguments_of, methods, setting_fields, simulation_fields,
)

#: The type of each kind of value.
_TYPES = {
    "Number": "Number", "Count": "int | str", "Function": "FunctionLike", "Signal": "FunctionLike", "Signals": "Sequence[Number]",
    "Law": "LawLike", "Vector": "Vector", "Functions": "VectorFunction", "Vectors": "Sequence[Vector]", "Text": "str", "Flag": "bool",
    "Word": "str", "MethodWord": "str", "Pair": "Sequence[str]", "Names": "Sequence[str] | str", "Window": "Sequence[Number]",
    "Points": "Mapping[str, Vector]", "Numbers": "Mapping[str, Number]", "Spin": "Number | Vector", "Torque": "VectorFunction",
    "Inertia": "Number | Vector | Sequence[Vector]", "List": "Vector", "File": "str | PathLike[str]",
    "NamedFunctions": "Mapping[str, Number]", "Newton": "Mapping[str, Number | str | bool]", "Tolerances": "Number | Mapping[str, Number]",
    "RowTimes": "Number | Vector", "Shape": "Mapping[str, Any]", "Shapes": "Sequence[Mapping[str, Any]]",
}

_HEAD = '''"""Written by `python -m cardan._stubs`; a test compares."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._callables import Function
from ._cardan import Simulation, State
from ._parts import Part, Parts
from ._results import Results

Number = float | str
Vector = Sequence[float | str] | NDArray[np.float64]
FunctionLike = float | str | Callable[..., Any] | Function
VectorFunction = float | str | Sequence[float | str] | NDArray[np.float64] | Callable[..., Any] | Function
LawLike = str | Callable[[float, float], Any]

class Surface:
'''


def _type(field: Field) -> str:
    if field.words:
        return f"Literal[{', '.join(repr(word) for word in field.words)}]".replace("'", '"')
    # a kind without an entry here is any value that TOML has
    return _TYPES.get(field.kind, "Any")


def _docstring(text: str, indent: str) -> str:
    return f'{indent}"""{text.strip()}"""\n'.replace("\\", "\\\\")


def _parameters(fields: tuple[Field, ...], *, all_optional: bool) -> list[str]:
    positional, keywords = ([], list(fields)) if all_optional else arguments_of(fields)
    pairs = {argument for argument, field in positional if field.kind == "Pair"}
    out = [f"{argument}: {'str' if argument in pairs else _type(field)}" for argument, field in positional]
    out.append("*")
    return out + [f"{field.argument}: {_type(field)} | None = None" for field in keywords]


def _all_fields(section: Section, variant: Variant | None) -> tuple[Field, ...]:
    if variant is None and section.variants:
        fields = [*(f for v in section.variants for f in v.fields), *section.fields]
        return tuple({f.key: f for f in reversed(fields)}.values())[::-1]
    return section.fields_of(variant.name if variant else None)


def _method(name: str, section: Section, variant: Variant | None) -> str:
    is_general = variant is None and bool(section.variants)
    parameters = ["self", "name: str", *_parameters(_all_fields(section, variant), all_optional=is_general)]
    if is_general:
        words = ", ".join(f'"{v.name}"' for v in section.variants)
        parameters.append(f"type: Literal[{words}]" + (" | None = None" if section.default else ""))
    if parameters[-1] == "*":
        parameters.pop()
    body = "".join(f"        {parameter},\n" for parameter in parameters)
    doc = variant.description if variant else section.description
    return f"    def {name}(\n{body}    ) -> Part:\n{_docstring(doc, ' ' * 8)}        ...\n"


def _settings_method(
    name: str, doc: str, fields: list[Field], first: str | None, options: dict[str, tuple[str, str]], result: str
) -> str:
    parameters = ["self"]
    if first:
        parameters.append(f"{first}: {next(_type(f) for f in fields if f.argument == first)} | None = None")
    parameters.append("*")
    parameters += [f"{f.argument}: {_type(f)} | None = None" for f in fields if f.argument != first]
    parameters += [f"{key}: {kind} = ..." for key, (kind, _) in options.items()]
    body = "".join(f"        {parameter},\n" for parameter in parameters)
    return f"    def {name}(\n{body}    ) -> {result}:\n{_docstring(doc, ' ' * 8)}        ...\n"


def surface_stub() -> str:
    """The stub of the methods that follow from the registries."""
    parts = [_HEAD]
    parts += [_method(name, section, variant) for name, (section, variant) in methods().items()]
    for section in SECTIONS.values():
        if section.named:
            name = python_name(plural(section.key))
            parts.append(f"    @property\n    def {name}(self) -> Parts:\n        \"\"\"The entries `[{section.key}.NAME]` by name.\"\"\"\n        ...\n")
    parts.append(_settings_method("run", RUN_DOC, setting_fields(), "end", RUN_OPTIONS, "Results"))
    parts.append(_settings_method("simulate", SIMULATE_DOC, simulation_fields(), None, STATE_OPTION, "Simulation"))
    return "".join(parts)


_PAGE = """# Python reference

<!-- written by `python -m cardan._stubs`; a test compares -->

The methods of `cardan.Model` that follow from the registries of joints, forces, states and sections. [The Python guide](python.md)
explains them by examples, and [the model file reference](model-file.md) the kinds of values. Arguments before `*` may be given by
position. The entries of a section are a mapping with its plural: `m.bodies["arm"].mass = 3`.
"""


def _signature(name: str, section: Section, variant: Variant | None) -> str:
    is_general = variant is None and bool(section.variants)
    fields = _all_fields(section, variant)
    positional, keywords = ([], list(fields)) if is_general else arguments_of(fields)
    words = ["name", *(argument for argument, _ in positional)]
    if keywords or is_general:
        words += ["*", *(["type"] if is_general else []), *(field.argument for field in keywords)]
    call = f"m.{name}({', '.join(words)})"
    return "\n".join(textwrap.wrap(call, 110, subsequent_indent="    ", break_long_words=False))


def reference_page() -> str:
    """The reference page of the documentation."""
    text = _PAGE
    all_methods = methods()
    for section in SECTIONS.values():
        own = {name: variant for name, (of, variant) in all_methods.items() if of is section}
        if not own:
            continue
        text += f"\n## {section.key}\n\n{section.description}\n"
        for name, variant in own.items():
            text += f"\n```python\n{_signature(name, section, variant)}\n```\n"
            if variant:
                text += f"\n{variant.description}\n"
    text += "\n## Settings\n\n`m.run` and `m.simulate` take the keys of `[simulation]`, `m.run` also those of `[output]`, and\n\n"
    text += "| argument of `run` | |\n| --- | --- |\n"
    text += "".join(f"| `{key}` | {about} |\n" for key, (_, about) in RUN_OPTIONS.items())
    return text


def main(arguments: list[str]) -> None:
    """Writes the stub and the page to the given files."""
    if len(arguments) != 2:
        sys.exit(__doc__)
    for path, text in zip(arguments, (surface_stub(), reference_page())):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
