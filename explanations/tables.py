"""Explanations as Arrow tables: a line for each row, in flat columns that any tool reads.

Of the prototypes, a table has the nearest alone, with the reasons for its proximity; the JSON lines have all of them.
A column has one type, so the values of features stand in it as text. A row that could not be explained has nulls, and
a problem.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson
import pyarrow as pa

Document = Mapping[str, Any]
Read = Callable[[Document], Any]

_SCORE = pa.struct([("label", pa.string()), ("value", pa.float64())])
_WARNING = pa.struct([("code", pa.string()), ("feature", pa.string()), ("detail", pa.string())])
_EFFECT = pa.struct([("feature", pa.string()), ("effect", pa.float64()), ("points", pa.float64())])
_REASON = pa.struct(
    [
        ("feature", pa.string()),
        ("text", pa.string()),
        ("value", pa.string()),
        ("prototype_value", pa.string()),
        ("share_of_trees", pa.float64()),
    ]
)


def table_of(documents: Sequence[Document], first_row: int, *, is_regression: bool) -> pa.Table:
    """Return the table of some rows' explanations.

    Parameters
    ----------
    documents
        Explanations of consecutive rows, as callers get them.
    first_row
        Index of the first of them in the dataset.
    is_regression
        Whether the model predicts values; the columns of all tables of a model are the same.
    """
    columns = {**_BEGINNING, **(_OF_VALUES if is_regression else _OF_LABELS), **_END}
    rows = pa.array(range(first_row, first_row + len(documents)), pa.int64())
    return pa.table(
        {"row": rows} | {name: pa.array(map(read, documents), kind) for name, (kind, read) in columns.items()}
    )


def _field(*path: str) -> Read:
    """Return a function that reads a field of an explanation; null where it, or what it is in, is absent."""

    def read(document: Document) -> Any:  # any JSON value
        value: Any = document
        for name in path:
            value = value.get(name)
            if value is None:
                break
        return value

    return read


def _nearest(name: str) -> Read:
    def read(document: Document) -> Any:  # any JSON value
        near = document.get("nearest_prototypes")
        return near[0].get(name) if near else None

    return read


def _reasons(document: Document) -> list[Document] | None:
    near = document.get("nearest_prototypes")
    if near is None:
        return None
    return [_with_texts(reason) for reason in near[0].get("reasons", [])] if near else []


def _with_texts(reason: Document) -> Document:
    return {**reason, "value": _text(reason.get("value")), "prototype_value": _text(reason.get("prototype_value"))}


def _text(value: Any) -> str | None:  # a feature's value
    return value if value is None or isinstance(value, str) else orjson.dumps(value).decode()


def _score(document: Document) -> float | None:
    """Return the score of the label that the model predicts."""
    prediction = document.get("prediction")
    if prediction is None:
        return None
    value: float = next(score["value"] for score in prediction["scores"] if score["label"] == prediction["label"])
    return value


_BEGINNING: Mapping[str, tuple[pa.DataType, Read]] = {
    "row_id": (pa.string(), _field("row_id")),
    "status": (pa.string(), _field("status")),
    "summary": (pa.string(), _field("summary")),
}
_OF_LABELS: Mapping[str, tuple[pa.DataType, Read]] = {
    "label": (pa.string(), _field("prediction", "label")),
    "score": (pa.float64(), _score),
    "scores": (pa.list_(_SCORE), _field("prediction", "scores")),
    "target": (pa.string(), _field("target")),
    "prototype_label": (pa.string(), _nearest("label")),
}
_OF_VALUES: Mapping[str, tuple[pa.DataType, Read]] = {
    "value": (pa.float64(), _field("prediction", "value")),
    "target": (pa.float64(), _field("target")),
    "prototype_value": (pa.float64(), _nearest("value")),
}
_END: Mapping[str, tuple[pa.DataType, Read]] = {
    "outcome": (pa.string(), _field("decision", "outcome")),
    "decision_score": (pa.float64(), _field("decision", "score")),
    "effects": (pa.list_(_EFFECT), _field("effects", "features")),
    "effects_of": (pa.string(), _field("effects", "of")),
    "effects_scale": (pa.string(), _field("effects", "scale")),
    "effects_score": (pa.float64(), _field("effects", "score")),
    "other_effects": (pa.float64(), _field("effects", "rest", "effect")),
    "reference_kind": (pa.string(), _field("effects", "reference", "kind")),
    "reference_row_id": (pa.string(), _field("effects", "reference", "row_id")),
    "reference_outcome": (pa.string(), _field("effects", "reference", "outcome")),
    "reference_score": (pa.float64(), _field("effects", "reference", "score")),
    "prototype_row_id": (pa.string(), _nearest("row_id")),
    "proximity": (pa.float64(), _nearest("proximity")),
    "reasons": (pa.list_(_REASON), _reasons),
    "typicality_level": (pa.string(), _field("typicality", "level")),
    "typicality_percentile": (pa.float64(), _field("typicality", "percentile")),
    "warnings": (pa.list_(_WARNING), _field("warnings")),
    "problem_code": (pa.string(), _field("problem", "code")),
    "problem_detail": (pa.string(), _field("problem", "detail")),
}
