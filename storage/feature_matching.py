"""Which column of a dataset feeds which feature of a model."""

from typing import Literal

from schemas.datasets import Column, Dataset
from schemas.models import Model

from .errors import StorageError


def match_features(model: Model, dataset: Dataset) -> tuple[str, ...]:
    """Return the dataset's column for each feature, in the model's order.

    By name; by position where the model's features were never named (``x0, x1, …``) and the numbers agree.

    Raises
    ------
    StorageError
        ``schema_mismatch``, naming the features that lack a column or whose column has another type.
    """
    columns = {column.name: column for column in dataset.columns}
    names = _names(model, dataset)
    lacking = [name for name in names if name not in columns]
    if lacking:
        detail = f"dataset {dataset.id!r} lacks {_some(lacking)} of model {model.id!r}; it has {_some(list(columns))}"
        raise StorageError("schema_mismatch", detail)
    wrong = [
        f"{describe_type(columns[name])}, the model wants a {wanted}"
        for name, wanted in zip(names, model.feature_types, strict=True)
        if not _fits(columns[name], wanted, dataset.n_rows)
    ]
    if wrong:
        advice = _advice([columns[name] for name in names], model.feature_types)
        detail = f"dataset {dataset.id!r} does not fit model {model.id!r}: {'; '.join(wrong[:5])}; {advice}"
        raise StorageError("schema_mismatch", detail)
    return tuple(names)


def describe_type(column: Column) -> str:
    """Return what type a column has, and the cell that made it a category where nearly all others are numbers."""
    cell = column.category_because
    because = "" if cell is None else f" because of row {cell.row} (counted from 0): {cell.text!r}"
    return f"{column.name!r} is a {column.type}{because}"


def _advice(columns: list[Column], wanted: list[Literal["number", "category"]]) -> str:
    odd = [want == "number" and column.category_because for column, want in zip(columns, wanted, strict=True)]
    if any(odd):
        return "correct the cell (leave it empty where the value is missing) and register the dataset again"
    return "in Parquet and JSON rows, send categories as text, even if they look like numbers"


def _names(model: Model, dataset: Dataset) -> list[str]:
    features = [column.name for column in dataset.columns if column.role == "feature"]
    if set(model.feature_names) <= {column.name for column in dataset.columns}:
        return model.feature_names
    unnamed = model.feature_names == [f"x{index}" for index in range(model.n_features)]
    return features if unnamed and len(features) == model.n_features else model.feature_names


def _fits(column: Column, wanted: str, n_rows: int) -> bool:
    # A column without a single value has a type in name only: missing values fit anything.
    return (column.type == "category") == (wanted == "category") or column.n_missing == n_rows


def _some(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown  # noqa: PLR2004  # what fits on a line
