"""refusal_of: which values made the runtime refuse rows, in words."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import RowRefused
from .description import ModelDescription
from .encoding import Feeds

_MOST_SHOWN = 5  # unknown values, and known categories, in a message


def refusal_of(description: ModelDescription, feeds: Feeds) -> RowRefused:
    """Return the refusal that names the values refused: those that an encoder does not know that refuses such.

    Where no encoder is known to refuse any of them, it names the categories that none of the columns knows.
    """
    closed = {feature.raw_index: frozenset(feature.categories) for feature in description.closed_features}
    values = dict(_values_by_feature(description, feeds))
    unknown = _unknown_values(description, {index: (values[index], known) for index, known in closed.items()})
    if not unknown:
        texts = {index: each for index, each in values.items() if index not in closed and each.dtype.kind == "O"}
        known = {index: frozenset(_known_categories(description, index)) for index in texts}
        unknown = _unknown_values(description, {index: (texts[index], known[index]) for index in texts})
    if unknown:
        detail = f"The model does not know the category of {'; '.join(unknown[:_MOST_SHOWN])}."
        return RowRefused("unknown_category", detail)
    return RowRefused("validation_failed", "The model refuses a value of this row.")


def _values_by_feature(description: ModelDescription, feeds: Feeds) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield the index of each raw feature and its values as the graph takes them, (n_rows,)."""
    first = 0
    for spec in description.inputs:
        block = feeds[spec.name].reshape(-1, spec.width)
        yield from ((first + offset, block[:, offset]) for offset in range(spec.width))
        first += spec.width


def _unknown_values(
    description: ModelDescription, features: dict[int, tuple[NDArray[Any], frozenset[Any]]]
) -> list[str]:
    """Return each value that is none of the categories of its feature, with its feature and the first of these."""
    return [
        f"{description.feature_names[index]!r}: {_shown(value)}{_some_of(known)}"
        for index, (values, known) in features.items()
        for value in sorted(_distinct(values, description.missing_tokens[index]) - _as_taken(known, values), key=_order)
    ]


def _distinct(values: NDArray[Any], token: str | None) -> set[Any]:
    """Return the distinct values, ``None`` for what is missing."""
    if values.dtype.kind == "O":
        return {None if value == (token or "") else value for value in values}
    return {None if np.isnan(value) else value for value in values.astype(np.float64).tolist()}


def _as_taken(known: frozenset[Any], values: NDArray[Any]) -> set[Any]:
    """Return categories in the precision in which the graph takes values."""
    if values.dtype.kind != "f":
        return set(known)
    return {float(values.dtype.type(each)) if isinstance(each, int | float) else each for each in known}


def _order(value: Any) -> tuple[bool, str, Any]:  # a text, a number or None
    """Return what categories are sorted by: numbers by size, texts by their letters, a missing value last."""
    return (value is None, type(value).__name__, 0 if value is None else value)


def _shown(value: Any) -> str:  # a text, a number or None
    if value is None:
        return "a missing value"
    return ascii(value)[:40] if isinstance(value, str) else f"{value:.12g}"


def _some_of(known: frozenset[Any]) -> str:
    """Return the first known categories in brackets."""
    shown = [_shown(each) for each in sorted(known, key=_order)]
    n_more = len(shown) - _MOST_SHOWN
    more = [f"{n_more:,} more"] if n_more > 0 else []
    return f" (it knows {', '.join([*shown[:_MOST_SHOWN], *more])})" if shown else ""


def _known_categories(description: ModelDescription, raw_index: int) -> set[Any]:
    columns = [column for column in description.columns if column.raw_index == raw_index]
    return {category for column in columns for category in (column.category, *column.categories)}
