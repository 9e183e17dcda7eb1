"""Pages of the viewer: in notebooks, in files, in a browser."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from html import escape
from typing import TYPE_CHECKING, Any

from ._errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from . import _cardan

#: The first words of every page.
_HEAD = "<!doctype html><!-- written by cardan view -->"


class View:
    """A page that shows a model in motion, in one HTML text that needs no network.

    At the end of a notebook cell it is shown in the notebook; several live on one page.

    >>> import cardan
    >>> view = cardan.example("pendulum").view()
    >>> view.save("pendulum.html")    # doctest: +SKIP
    """

    def __init__(self, page: str, title: str, height: int = 520) -> None:
        #: The text of the page.
        self.html = page
        self.title = title
        #: The height in a notebook, in pixels.
        self.height = height

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html, quote=True)}" title="{escape(self.title, quote=True)}" '
            f'style="width:100%;height:{int(self.height)}px;border:0" allow="fullscreen" allowfullscreen></iframe>'
        )

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the page to a file. A file that Cardan did not write is not replaced, unless `overwrite` is true."""
        place = os.fspath(path)
        if os.path.exists(place) and not overwrite:
            with open(place, encoding="utf-8", errors="replace") as file:
                if file.read(len(_HEAD)) != _HEAD:
                    raise Error(f"{place} is no page of the viewer: it is not replaced", remedy="another name, or overwrite=True")
        folder = os.path.dirname(os.path.abspath(place))
        number, temporary = tempfile.mkstemp(dir=folder, prefix=".cardan-", suffix=".html")
        try:
            with os.fdopen(number, "w", encoding="utf-8", newline="") as file:
                file.write(self.html)
            # the rights of a new file, which a temporary file does not have
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, place)
        except BaseException:
            os.unlink(temporary)
            raise

    def open(self) -> str:
        """Shows the page in a browser; returns the path of the file, which stays in the folder for temporary files."""
        number, place = tempfile.mkstemp(prefix="cardan-", suffix=".html")
        with os.fdopen(number, "w", encoding="utf-8", newline="") as file:
            file.write(self.html)
        webbrowser.open(f"file://{place}")
        return place

    def __repr__(self) -> str:
        return f"<cardan.View of {self.title!r}>"


def view_of(source: _cardan.PageSource | None, title: str, channels: list[tuple[str, str, NDArray[Any]]] | None = None) -> View:
    """The page of a source; there is none after copies through pickles, or without a record of the motion."""
    if source is None:
        raise Error("there is no record of the motion", remedy="results of a run in this session, or the folder of a run")
    return View(source.page(title, channels or []), title)


def without_view(self: Any) -> dict[str, Any]:
    """The state for pickles, without the source of the page, which belongs to this process."""
    return {**self.__dict__, "_view": None}
