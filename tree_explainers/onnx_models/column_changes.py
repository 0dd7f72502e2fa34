"""What preprocessing does to one column: each function returns what a column has become."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .description import ColumnKind, ModelColumn
from .monotone_functions import raw_number

Category = float | str
LONGEST_NAME = 255
_NUMBERS = ("identity", "affine", "monotone")


def transformed(column: ModelColumn, how: str) -> ModelColumn:
    """Return a column of which only the feature that it depends on is still known."""
    name = column.feature or column.name
    if column.kind == "transformed":
        name = column.name
    shown = f"{how}({name})"[:LONGEST_NAME]  # each operator adds to it
    return ModelColumn(shown, "transformed", column.feature, column.raw_index, sources=column.sources)


def scaled(column: ModelColumn, scale: float, offset: float, how: str) -> ModelColumn:
    """Return ``column * scale + offset``."""
    if column.kind == "transformed" or not np.isfinite([scale, offset]).all() or scale == 0:
        return transformed(column, how)
    scale, offset = column.scale * scale, column.offset * scale + offset
    kind: ColumnKind = column.kind  # a monotone column stays one
    if kind in ("identity", "affine"):
        kind = "identity" if (scale, offset) == (1.0, 0.0) else "affine"
    return replace(column, kind=kind, scale=scale, offset=offset)


def rounded(column: ModelColumn) -> ModelColumn:
    """Return the column in single precision, which it had not been in: a factor of 1, but not its very values."""
    return replace(column, kind=_calculated(column), is_rounded=True) if column.kind in _NUMBERS else column


def single(column: ModelColumn) -> ModelColumn:
    """Return a column after a cast to single precision: what was computed is known to be of that from here on."""
    return replace(column, is_rounded=True) if column.kind == "transformed" else column


def _calculated(column: ModelColumn) -> ColumnKind:
    return "monotone" if column.kind == "monotone" else "affine"


def imputed(column: ModelColumn, value: Category) -> ModelColumn:
    """Return the column with ``value`` in place of what is missing in it."""
    if column.kind in ("indicator", "transformed"):
        return column
    base = value if isinstance(value, str) else raw_number(column, value)
    if not isinstance(base, str) and not np.isfinite(base):
        return transformed(column, "imputed")
    if column.kind == "ordinal" and not isinstance(base, str):
        codes = tuple(base if code is None else code for code in column.codes)
        return replace(column, codes=codes, default_code=base if column.default_code is None else column.default_code)
    return column if column.imputed is not None else replace(column, imputed=base)


def missing_indicator(column: ModelColumn) -> ModelColumn:
    """Return 1 where the column's value is missing."""
    if column.kind not in ("identity", "affine") or column.imputed is not None:
        return transformed(column, "isnan")
    return ModelColumn(column.name, "indicator", column.feature, column.raw_index)


def indicator(column: ModelColumn, category: Category) -> ModelColumn:
    """Return 1 where the column's value is ``category``."""
    if column.kind == "identity":
        return replace(column, kind="indicator", category=category)
    if column.kind == "ordinal" and (column.scale, column.offset) == (1.0, 0.0):
        sources = [raw for raw, code in zip(column.categories, column.codes, strict=True) if code == category]
        if len(sources) > 1 or (sources and category == column.default_code):
            # 1 where the column's value is any of the categories with that code, such as all infrequent ones
            codes = tuple(float(each == category) for each in column.codes)
            return replace(column, codes=codes, default_code=float(column.default_code == category))
        if len(sources) == 1 and category != column.default_code:
            source = sources[0]
            return ModelColumn(
                column.name, "indicator", column.feature, column.raw_index, imputed=column.imputed, category=source
            )
    return transformed(column, f"is {category}")


def of_function(column: ModelColumn, name: str, parameter: float = 0.0) -> ModelColumn:
    """Return a monotone function of a number; its inverse is in ``monotone_functions``."""
    if column.kind not in ("identity", "affine", "monotone"):
        return transformed(column, name)
    step = (name, column.scale, column.offset, parameter)
    return replace(column, kind="monotone", scale=1.0, offset=0.0, functions=(*column.functions, step))


def encoded(
    column: ModelColumn, categories: Sequence[Category | None], codes: Sequence[float], default: float
) -> ModelColumn:
    """Return ``codes[i]`` where the column's value is ``categories[i]``, else ``default``; a NaN represents missing.

    The values of a column of codes are these codes.
    """
    if column.kind == "ordinal" and (column.scale, column.offset) == (1.0, 0.0):
        table = dict(zip(categories, codes, strict=True))
        recoded = tuple(_known(table.get(code, default)) for code in column.codes)
        return replace(column, codes=recoded, default_code=_known(table.get(column.default_code, default)))
    if column.kind != "identity":
        return transformed(column, "encoded")
    return replace(
        column,
        kind="ordinal",
        categories=tuple(categories),
        codes=tuple(_known(code) for code in codes),
        default_code=_known(default),
    )


def looked_up(column: ModelColumn, values: Sequence[float]) -> ModelColumn:
    """Return ``values[code]`` of a column of codes, which holds only the categories whose code is such an index.

    A code that is none makes the runtime refuse the row: the value of such rows, which nothing sees, is then below all.
    """
    if column.kind != "ordinal" or (column.scale, column.offset) != (1.0, 0.0):
        return transformed(column, "looked up")
    pairs = [(raw, _at(values, code)) for raw, code in zip(column.categories, column.codes, strict=True)]
    known = [(raw, value) for raw, value in pairs if value is not None]
    default = _at(values, column.default_code)
    if default is None:
        default = min((value for _, value in known if not np.isnan(value)), default=0.0) - 1
    return replace(
        column,
        categories=tuple(raw for raw, _ in known),
        codes=tuple(_known(value) for _, value in known),
        default_code=_known(default),
    )


def is_closed_by(column: ModelColumn, values: Sequence[float]) -> bool:
    """Whether looking up a column of codes in a table refuses the categories that it does not know."""
    is_plain = column.kind == "ordinal" and (column.scale, column.offset) == (1.0, 0.0)
    return is_plain and column.raw_index is not None and _at(values, column.default_code) is None


def _at(values: Sequence[float], index: float | None) -> float | None:
    """Return the value at an index, which counts from the end where it is negative; ``None`` where there is none."""
    return values[int(index)] if index is not None and -len(values) <= index < len(values) else None


def is_flag(column: ModelColumn) -> bool:
    """Whether the column is 1 for one category and 0 for all else."""
    if column.kind == "indicator":
        return (column.scale, column.offset) == (1.0, 0.0)
    return column.kind == "ordinal" and column.codes == (1.0,) and column.default_code == 0


def _known(code: float) -> float | None:
    return None if np.isnan(code) else float(code)


def without_fraction(column: ModelColumn) -> ModelColumn:
    """Return the column cut to integers and read by something that sees the difference."""
    if column.kind in ("indicator", "ordinal") and (column.scale, column.offset) == (1.0, 0.0):
        return column
    return transformed(column, "integer part of ")
