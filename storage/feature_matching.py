"""Which column of a dataset feeds which feature of a model."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from schemas.datasets import Column, Dataset
from schemas.models import Model

from .errors import StorageError


def match_features(model: Model, dataset: Dataset) -> tuple[str, ...]:
    """Return the dataset's column for each feature, in the model's order.

    By name; by position where the features of either were never named (``x0, x1, …``) and the numbers agree.

    Raises
    ------
    StorageError
        ``schema_mismatch``, naming the features that lack a column or whose column has another type;
        ``non_finite_number`` where the model takes finite numbers alone.
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
        pairs = zip(names, model.feature_types, strict=True)
        misfits = [(columns[name], want) for name, want in pairs if not _fits(columns[name], want, dataset.n_rows)]
        is_uploaded = dataset.source is None and dataset.feature_set is None
        advice = _advice(misfits) if is_uploaded else "change the values in the files or tables and register them again"
        detail = f"dataset {dataset.id!r} does not fit model {model.id!r}: {'; '.join(wrong[:5])}; {advice}"
        raise StorageError("schema_mismatch", detail)
    if model.finite_only:
        refuse_infinite_cells(names, dataset, f"model {model.id!r} takes finite numbers alone, as its library does")
    return tuple(names)


def refuse_infinite_cells(names: Sequence[str], dataset: Dataset, why: str) -> None:
    """Refuse a dataset with infinite numbers in some columns; ``why`` says what takes finite ones alone.

    Raises
    ------
    StorageError
        ``non_finite_number``, naming the columns.
    """
    wanted = set(names)
    infinite = [
        f"{column.name!r} ({column.n_infinite})"
        for column in dataset.columns
        if column.name in wanted and column.n_infinite
    ]
    if infinite:
        detail = (
            f"dataset {dataset.id!r} has infinite numbers in {', '.join(infinite[:8])}, and {why}; register the rows "
            "without them, or with these cells empty"
        )
        raise StorageError("non_finite_number", detail)


def describe_type(column: Column) -> str:
    """Return what type a column has, and the value that made it a category where others are numbers."""
    cell = column.category_because
    if cell is not None:
        because = f" because of row {cell.row} (counted from 0): {cell.text!r}"
    elif (text := _odd_text(column)) is not None:
        because = f" because {text!r} is no number"
    else:
        because = ""
    return f"{column.name!r} is a {column.type}{because}"


def _odd_text(column: Column) -> str | None:
    """Return the first value that is no number, in a column some of whose values are numbers."""
    if column.category_because is not None:
        return column.category_because.text
    categories = column.categories or []
    others = [text for text in categories if not _is_number(text)]
    return others[0][:60] if 0 < len(others) < len(categories) else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _advice(wrong: list[tuple[Column, Literal["number", "category"]]]) -> str:
    """Return what to do about columns, each with the type that the model wants."""
    texts = [column for column, want in wrong if want == "number"]
    if texts:
        return _advice_on_texts(texts)
    names = [column.name for column, _want in wrong][:5]
    advice = f"register the dataset again with categories={names!r}, which takes their values as texts"
    is_spelled = any(column.type == "boolean" for column, _want in wrong)
    return f"{advice} (of Parquet and JSON, booleans as 'true' and 'false')" if is_spelled else advice


def _advice_on_texts(columns: list[Column]) -> str:
    """Return what to do about columns of texts that the model wants to be numbers."""
    odd = list(dict.fromkeys(text for text in map(_odd_text, columns) if text is not None))[:5]
    if odd and all(column.category_because is not None for column in columns):
        return (
            "correct the cell, or leave it empty; or register the dataset again with "
            f"missing_values={odd!r}, if that is how missing values are written"
        )
    if odd:
        return (
            "send numbers in this column, and nothing (null) where one is missing; in CSV, and wherever the other "
            f"values are no texts, missing_values={odd!r} takes these for missing"
        )
    if all(column.categories and all(map(_is_number, column.categories)) for column in columns):
        return "its texts spell numbers: send them as numbers, and leave the column out of categories"
    example = next((column.categories[0][:60] for column in columns if column.categories), None)
    such = "" if example is None else f", not texts such as {example!r}"
    return f"register the dataset again with numbers in these columns{such} (decimals have a point: 1234.5)"


def _names(model: Model, dataset: Dataset) -> list[str]:
    features = [column.name for column in dataset.columns if column.role == "feature"]
    if set(model.feature_names) <= {column.name for column in dataset.columns}:
        return model.feature_names
    unnamed = [f"x{index}" for index in range(model.n_features)]
    is_by_position = unnamed in (model.feature_names, features) and len(features) == model.n_features
    return features if is_by_position else model.feature_names


def _fits(column: Column, wanted: str, n_rows: int) -> bool:
    # A column without a single value has a type in name only: missing values fit anything.
    return (column.type == "category") == (wanted == "category") or column.n_missing == n_rows


def _some(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown  # what fits on a line


def target_of_cell(value: Any, classes: Sequence[str]) -> str | float | None:  # a cell
    """Return the class or, without classes, the value that a cell of the target column holds.

    ``None`` where it is missing, or is none of the classes.
    """
    if value is None or (not classes and isinstance(value, str)):
        return None
    if not classes:
        return float(value)
    index = class_index(
        value if isinstance(value, str) else float(value), {name: at for at, name in enumerate(classes)}
    )
    return classes[index] if index >= 0 else None


def class_index(value: Any, known: Mapping[str, int]) -> int:  # a cell
    """Return the index of the class that a cell holds, a text or a number; -1 where it is none."""
    spellings = [value] if isinstance(value, str) else _spellings(value)
    return next((known[spelling] for spelling in spellings if spelling in known), -1)


def _spellings(value: float) -> list[str]:
    if not value.is_integer():
        return [repr(value)]
    booleans = {0.0: ["False", "false"], 1.0: ["True", "true"]}
    return [str(int(value)), repr(value), *booleans.get(value, [])]
