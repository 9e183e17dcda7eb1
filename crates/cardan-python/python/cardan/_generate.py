"""Methods of models that are made from the registries: one for every joint, force, state and section of the model file."""

from __future__ import annotations

import inspect
from typing import Any

from ._schema import SECTIONS, Field, Section, Variant, plural, python_name

#: Sections whose kinds are methods of their own: ``m.revolute(...)``. Entries of all sections can be added by the name
#: of the section and a ``type``: ``m.joint("A", type="revolute", ...)``.
KINDS_AS_METHODS = ("joint", "force", "state")

#: Sections that models handle by methods written by hand.
BY_HAND = ("", "parameters", "points", "signal", "simulation", "output")

#: Names that models have for other things: a kind with such a name gets that of its section too, `planar_joint`.
RESERVED = frozenset({
    *(field.argument for field in SECTIONS[""].fields), *BY_HAND, "parameters", "points", "signals", "run", "simulate", "static", "modes",
    "linearize", "check", "channels", "compare", "view", "point", "controller", "force_function", "event_action", "remove", "set", "copy", "save", "to_toml", "last_run",
})

#: The keys of runs that are not settings of the model file.
RUN_OPTIONS: dict[str, tuple[str, str]] = {
    "folder": ("str | PathLike[str] | None", "write the results to this folder, with checkpoints; otherwise they stay in memory"),
    "format": ('Literal["parquet", "csv"]', "of the results in the folder; parquet"),
    "checkpoint": ("float | None", "seconds between checkpoints in the folder; 60"),
    "progress": ("bool | Callable[[float], object] | None", "a progress bar: True, False, a function of the part that is done, or by default in a terminal or notebook after a second"),
    "max_time": ("float | None", "stop after this computing time in s, with the results so far"),
    "max_memory": ("int | None", "stop if the program takes more bytes"),
    "force": ("bool", "run in spite of very many steps or very much output"),
}


def arguments_of(fields: tuple[Field, ...]) -> tuple[list[tuple[str, Field]], list[Field]]:
    """The positional arguments and the keywords of an entry with these keys. A required pair of names is two arguments."""
    positional: list[tuple[str, Field]] = []
    for field in fields:
        if field.required and field.kind == "Pair":
            first, second = ("body_1", "body_2") if field.key == "between" else (f"{field.argument}_1", f"{field.argument}_2")
            positional = [(first, field), (second, field), *positional]
        elif field.required:
            positional.append((field.argument, field))
    return positional, [field for field in fields if not field.required]


def _doc(description: str, fields: tuple[Field, ...], extra: str = "") -> str:
    positional, keywords = arguments_of(fields)
    lines = [description.rstrip(".") + ".", ""]
    if extra:
        lines += [extra, ""]
    lines.append("name: a name of your choice")
    seen: set[str] = set()
    for argument, field in positional:
        if argument in ("body_1", "body_2"):
            lines.append(f"{argument}: a body or `body.point`; `ground` is fixed")
        elif field.key not in seen:
            lines.append(f"{argument}: {field.description}")
        seen.add(field.key)
    lines += [f"{field.argument}: {field.description}" for field in keywords]
    return "\n".join(lines)


def _signature(positional: list[str], keywords: list[str]) -> inspect.Signature:
    kind = inspect.Parameter
    parameters = [kind("self", kind.POSITIONAL_ONLY)]
    parameters += [kind(name, kind.POSITIONAL_OR_KEYWORD) for name in positional]
    parameters += [kind(name, kind.KEYWORD_ONLY, default=None) for name in keywords]
    return inspect.Signature(parameters)


def _bind(method: str, arguments: list[str], given: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    if len(given) > len(arguments):
        raise TypeError(f"{method}() takes up to {len(arguments)} positional arguments but {len(given)} were given")
    values = dict(zip(arguments, given))
    for key, value in keywords.items():
        if key in values:
            raise TypeError(f"{method}() got multiple values for argument '{key}'")
        values[key] = value
    return values


def _adder(section: Section, variant: Variant | None, name: str) -> Any:
    fields = section.fields_of(variant.name if variant else None)
    if variant is None and section.variants:
        # the keys of all kinds
        fields = tuple(dict.fromkeys([*(f for v in section.variants for f in v.fields), *section.fields]))
        fields = tuple({f.key: f for f in reversed(fields)}.values())[::-1]
    positional, keywords = arguments_of(fields)
    if variant is None and section.variants:
        positional, keywords = [], list(fields)
    pairs = {argument: field for argument, field in positional}
    names = [argument for argument, _ in positional]
    by_argument = {field.argument: field.key for field in fields}

    def add(self: Any, *given: Any, **options: Any) -> Any:
        values = _bind(name, ["name", *names], given, options)
        if "name" not in values:
            raise TypeError(f"{name}() misses the argument 'name'")
        part = values.pop("name")
        kind = variant.name if variant else values.pop("type", None)
        entry: dict[str, Any] = {}
        for argument, value in values.items():
            field = pairs.get(argument)
            if field is not None and field.kind == "Pair" and argument != field.argument:
                entry.setdefault(field.key, [None, None])[argument.endswith("2")] = value
            elif value is not None:
                entry[by_argument.get(argument, argument)] = value
        for field in {f.key: f for _, f in positional if f.kind == "Pair"}.values():
            given_pair = entry.get(field.key)
            if isinstance(given_pair, list) and None in given_pair:
                if given_pair != [None, None]:
                    wanted = [a for a, f in positional if f.key == field.key][given_pair.index(None)]
                    raise TypeError(f"{name}() misses the argument '{wanted}'")
                del entry[field.key]
        return self._add(section.key, part, kind, entry)

    add.__name__ = name
    add.__qualname__ = f"Model.{name}"
    what = variant.description if variant else section.description
    kinds = ", ".join(f"`{v.name}`" for v in section.variants)
    extra = f"type: {kinds}" + (f"; {section.default}" if section.default else "") if variant is None and section.variants else ""
    label = f"Adds a {variant.name} {section.key}: " if variant else f"Adds an entry `[{section.key}.NAME]`: "
    add.__doc__ = label + _doc(what, fields if not extra else tuple(_optional(f) for f in fields), extra)
    words = [f.argument for f in keywords] + (["type"] if extra else [])
    add.__signature__ = _signature(["name", *names], words)  # type: ignore[attr-defined]
    return add


def _optional(field: Field) -> Field:
    return Field(field.key, field.kind, field.words, False, field.description)


def methods() -> dict[str, tuple[Section, Variant | None]]:
    """The methods by name, with their section and kind."""
    found: dict[str, tuple[Section, Variant | None]] = {}
    for section in SECTIONS.values():
        if section.key not in BY_HAND and section.named:
            found[python_name(section.key)] = (section, None)
    for key in KINDS_AS_METHODS:
        for variant in SECTIONS[key].variants:
            name = python_name(variant.name)
            # a kind that has the name of a section, or of a kind of another section
            is_taken = name in found or name in RESERVED
            found[f"{name}_{key}" if is_taken else name] = (SECTIONS[key], variant)
    return found


def setting_fields() -> list[Field]:
    """The keys of `[simulation]` and `[output]`, which runs take as arguments."""
    fields = [*SECTIONS["simulation"].fields, *SECTIONS["output"].fields]
    unique = {field.key: field for field in reversed(fields)}
    return list(unique.values())[::-1]


def simulation_fields() -> list[Field]:
    """The keys of `[simulation]`."""
    return list(SECTIONS["simulation"].fields)


def _settings_method(name: str, doc: str, fields: list[Field], first: str | None, options: dict[str, tuple[str, str]]) -> Any:
    keys = {field.argument: field.key for field in fields}
    positional = [first] if first else []

    def method(self: Any, *given: Any, **values: Any) -> Any:
        bound = _bind(name, positional, given, values)
        own = {key: bound.pop(key) for key in list(bound) if key in options}
        settings = {keys.get(key, key): value for key, value in bound.items() if value is not None}
        return getattr(self, "_" + name)(settings, **own)

    lines = [doc, ""] + [f"{f.argument}: {f.description}" for f in fields]
    lines += [f"{key}: {text}" for key, (_, text) in options.items()]
    method.__name__ = name
    method.__qualname__ = f"Model.{name}"
    method.__doc__ = "\n".join(lines)
    rest = [f.argument for f in fields if f.argument != first] + list(options)
    signature = _signature([], rest)
    parameters = list(signature.parameters.values())
    if first:
        parameters.insert(1, inspect.Parameter(first, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None))
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return method


RUN_DOC = (
    "Computes the motion and returns its results. Settings that are not given are those of the model. A run that fails raises "
    "`SolveError`, and Ctrl-C raises `Interrupted`; both keep what was computed in `results`."
)
SIMULATE_DOC = "Begins a simulation that is computed step by step. Settings that are not given are those of the model."
STATE_OPTION = {"state": ("State | None", "continue from a state instead of beginning at the start")}


def _property(key: str) -> property:
    def get(self: Any) -> Any:
        return self._parts(key)

    return property(get, doc=f"The entries `[{key}.NAME]` by name.")


def build() -> type:
    """The class with all methods that follow from the registries."""
    members: dict[str, Any] = {"__doc__": __doc__, "__slots__": ()}
    for name, (section, variant) in methods().items():
        members[name] = _adder(section, variant, name)
    for section in SECTIONS.values():
        if section.named:
            members[python_name(plural(section.key))] = _property(section.key)
    members["run"] = _settings_method("run", RUN_DOC, setting_fields(), "end", RUN_OPTIONS)
    members["simulate"] = _settings_method("simulate", SIMULATE_DOC, simulation_fields(), None, STATE_OPTION)
    return type("Surface", (), members)


