"""A progress bar in terminals and notebooks, for runs that take longer than a second."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

_DELAY = 1.0
_PAUSE = 0.1


def _notebook() -> bool:
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    instance = shell.get_ipython()
    return instance is not None and type(instance).__name__ == "ZMQInteractiveShell"


class _Bar:
    """Draws the part of a run that is done."""

    def __init__(self, title: str, delay: float) -> None:
        self.title = title
        self.began = time.monotonic()
        self.drawn = self.began + delay - _PAUSE
        self.shown = False
        self.handle: Any = None

    def __call__(self, done: float) -> None:
        now = time.monotonic()
        if now < self.drawn + _PAUSE:
            return
        self.drawn = now
        passed = now - self.began
        left = passed * (1 - done) / done if done > 1e-6 else float("nan")
        text = f"{self.title} {'█' * round(24 * done):░<24} {100 * done:3.0f} %  {passed:.0f} s, {left:.0f} s left"
        self.draw(text)
        self.shown = True

    def draw(self, text: str) -> None:
        if _notebook():
            show: Any = importlib.import_module("IPython.display")
            if self.handle is None:
                self.handle = show.display(show.HTML(f"<code>{text}</code>"), display_id=True)
            else:
                self.handle.update(show.HTML(f"<code>{text}</code>"))
        else:
            sys.stderr.write("\r" + text)
            sys.stderr.flush()

    def close(self) -> None:
        if not self.shown:
            return
        if self.handle is not None:
            show: Any = importlib.import_module("IPython.display")
            self.handle.update(show.HTML(""))
        else:
            sys.stderr.write("\r" + " " * 100 + "\r")
            sys.stderr.flush()


def progress_function(progress: bool | Callable[[float], object] | None, title: str) -> Callable[[float], object] | None:
    """The function that takes the finished fraction of a run, or None."""
    if callable(progress):
        return progress
    if progress is None:
        stream = sys.stderr
        progress = bool(stream is not None and stream.isatty()) or _notebook()
        return _Bar(title, _DELAY) if progress else None
    return _Bar(title, 0.0) if progress else None
