"""Exceptions of the package: what is wrong, where, when, and what to try."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Any error of cardan. Attributes that do not apply are ``None``.

    ``section``, ``name`` and ``key`` tell which value of the model is meant, ``time`` the instant in s, ``remedy`` what to
    try, and ``results`` what a run had computed before it failed.
    """

    def __init__(
        self,
        message: str = "",
        *,
        section: str | None = None,
        name: str | None = None,
        key: str | None = None,
        time: float | None = None,
        remedy: str | None = None,
        problems: list[dict[str, Any]] | None = None,
        results: Any = None,
    ) -> None:
        if remedy and remedy not in message:
            message = f"{message}\n  try: {remedy}"
        super().__init__(message)
        first: dict[str, Any] = problems[0] if problems else {}
        self.section: str | None = section or first.get("section")
        self.name: str | None = name or first.get("name")
        self.key: str | None = key or first.get("key")
        self.time = time
        self.remedy: str | None = remedy or first.get("remedy")
        self.problems: list[dict[str, Any]] = problems or []
        self.results = results

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ModelError(Error, ValueError):
    """The description of a model is wrong. ``problems`` lists all that were found."""


class SettingsError(ModelError):
    """Settings that cannot be used: an unknown method, a wrong parameter, a step that is too long."""


class SolveError(Error, ArithmeticError):
    """A motion, an equilibrium or modes could not be computed."""


class ChannelError(Error, KeyError):
    """There is no channel, input or part of this name."""


class ResultsError(Error, OSError):
    """Results cannot be written, read or continued."""


class BusyError(Error, RuntimeError):
    """A callback uses the simulation that calls it, or two threads use one simulation."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. ``results`` holds what was computed until then."""

    def __init__(self, message: str = "", results: Any = None) -> None:
        super().__init__(message)
        self.results = results


class CardanWarning(UserWarning):
    """A result that may not be reliable, or a value that may be a mistake."""
