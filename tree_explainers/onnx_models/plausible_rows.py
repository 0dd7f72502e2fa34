"""plausible_rows: rows about the numbers and categories that a model distinguishes, to be tried at registration.

Unlike ``HardRows``, which search for differences in arithmetic, they hold no huge numbers: what other operators than
trees make of them is of the size that they make of real rows.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble
from ..rows import Rows
from .description import InputType, ModelDescription, column_types
from .engine_comparison import raw_thresholds

_MOST_INTEGER = 2.0**24


def plausible_rows(
    description: ModelDescription, ensemble: TreeEnsemble, n_rows: int, rng: np.random.Generator
) -> Rows:
    """Return rows whose numbers are drawn evenly between neighbouring thresholds and a little beyond, none missing.

    Numbers that nothing distinguishes are standard normal. Categories, and numbers of which others are refused, are
    those that the model knows.
    """
    thresholds = raw_thresholds(description, ensemble)
    columns: list[NDArray[Any]] = []
    for index, kind in enumerate(column_types(description.inputs)):
        if kind == "string":
            model_columns = [column for column in description.columns if column.raw_index == index]
            categories = [text for column in model_columns for text in (column.category, *column.categories)]
            known = {text for text in categories if isinstance(text, str)}
            texts = np.empty(n_rows, np.object_)
            texts[:] = rng.choice(sorted(known), n_rows).tolist() if known else None
            columns.append(texts)
        elif index in description.known_numbers:
            columns.append(rng.choice(description.known_numbers[index], n_rows))
        else:
            columns.append(_numbers(thresholds.get(index), kind, n_rows, rng))
    return Rows(description.feature_names, tuple(columns))


def _numbers(
    thresholds: NDArray[np.float64] | None, kind: InputType, n_rows: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    if kind == "bool":
        return rng.integers(0, 2, n_rows).astype(np.float64)
    values = rng.standard_normal(n_rows) if thresholds is None else _between(np.unique(thresholds), n_rows, rng)
    return np.clip(np.round(values), -_MOST_INTEGER, _MOST_INTEGER) if kind in ("int64", "int32") else values


def _between(thresholds: NDArray[np.float64], n_rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
    margin = max(float(thresholds[-1] - thresholds[0]) / len(thresholds), 1.0 if len(thresholds) == 1 else 0.0)
    ends = np.concatenate([[thresholds[0] - margin], thresholds, [thresholds[-1] + margin]])
    cell = rng.integers(0, len(ends) - 1, n_rows)
    values: NDArray[np.float64] = ends[cell] + rng.random(n_rows) * (ends[cell + 1] - ends[cell])
    return values
