"""Tables for people and for other libraries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


class Table(Sequence[Mapping[str, Any]]):
    """A table: a sequence of rows, each a mapping; `table["column"]` is a column as an array.

    >>> import cardan
    >>> table = cardan.methods()
    >>> table.columns[:3]
    ['method', 'family', 'order']
    >>> table.where(method="lms3")[0]["order"]
    2
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]], notes: str = "", first: Sequence[str] = ()) -> None:
        def ordered(row: Mapping[str, Any]) -> dict[str, Any]:
            return {**{key: row[key] for key in first if key in row}, **row}

        self._rows = [ordered(row) for row in rows]
        #: Remarks about the table.
        self.notes = notes

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        names: dict[str, None] = {}
        for row in self._rows:
            names.update(dict.fromkeys(row))
        return list(names)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(f"there is no column {key!r}; there are {', '.join(self.columns)}")
            return self._column(key)
        if isinstance(key, slice):
            return Table(self._rows[key], self.notes)
        return self._rows[key]

    def _column(self, key: str) -> NDArray[Any]:
        values = [row.get(key) for row in self._rows]
        if all(isinstance(value, (int, float)) or value is None for value in values):
            if any(value is None or isinstance(value, float) for value in values):
                return np.array([np.nan if value is None else value for value in values], dtype=float)
        if any(isinstance(value, (list, tuple)) for value in values):
            out = np.empty(len(values), dtype=object)
            out[:] = values
            return out
        return np.array(values)

    def where(self, **values: Any) -> Table:
        """The rows with these values."""
        rows = [row for row in self._rows if all(row.get(key) == value for key, value in values.items())]
        return Table(rows, self.notes)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists."""
        return {name: [row.get(name) for row in self._rows] for name in self.columns}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas `DataFrame`."""
        import pandas

        return pandas.DataFrame(self._rows, columns=self.columns)

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars `DataFrame`."""
        import polars

        return polars.DataFrame(self.to_dict(), strict=False)

    def to_arrow(self) -> pyarrow.Table:
        """The table as an Arrow table."""
        import pyarrow

        return pyarrow.table(self.to_dict())

    def __repr__(self) -> str:
        names = self.columns
        shown = self._rows[:60]
        cells = [names, *([_cell(row.get(name)) for name in names] for row in shown)]
        widths = [min(60, max(len(row[i]) for row in cells)) for i in range(len(names))]
        lines = ["  ".join(cell[:60].ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
        if len(self._rows) > len(shown):
            lines.append(f"... {len(self._rows) - len(shown)} more rows")
        return "\n".join([*lines, *([self.notes] if self.notes else [])])

    def _repr_html_(self) -> str:
        names = self.columns
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(row.get(name)))}</td>" for name in names) + "</tr>" for row in self._rows[:200]
        )
        notes = f"<p>{escape(self.notes)}</p>" if self.notes else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{notes}"
