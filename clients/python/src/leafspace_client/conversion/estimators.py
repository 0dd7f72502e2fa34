"""Estimators: which library a model is of, whether it averages or adds its trees, and how raw rows go into its graph.

No library is imported for that: a model's classes are recognised by their names. Rows go in as one matrix
of numbers, or as one input for each column of a DataFrame.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..columns import FIRST_INEXACT, column_cells
from ..errors import CannotConvert, Invalid
from ..row_kinds import is_frame
from ..rows import column_names
from .model_rows import as_matrix, as_pandas, fitted_columns, names_among, of_numbers
from .unwrapping import all_models, class_names, final_step, members_of, unwrapped

Ensemble = Literal["random_forest", "boosting", "other"]
Library = Literal["sklearn", "xgboost", "lightgbm", "catboost"]

_LIBRARIES: tuple[Library, ...] = ("xgboost", "lightgbm", "catboost", "sklearn")
_ENSEMBLES: dict[str, Ensemble] = {
    "XGBRFClassifier": "random_forest",
    "XGBRFRegressor": "random_forest",
    "XGBModel": "boosting",
    "CatBoost": "boosting",
    "BaseForest": "random_forest",
    "BaseDecisionTree": "random_forest",
    "BaseGradientBoosting": "boosting",
    "BaseHistGradientBoosting": "boosting",
}
_NUMBERS_ALONE = frozenset({"BaseForest", "BaseDecisionTree", "BaseGradientBoosting"})  # take texts of numbers for such
_OF_ONE_MODEL = ("BaseThresholdClassifier", "RFE", "TransformedTargetRegressor")


def library_of(estimator: Any) -> Library | None:  # an estimator
    """Return the library that an estimator is of; a class derived from one counts as that."""
    for kind in type(estimator).__mro__:
        for library in _LIBRARIES:
            if kind.__module__.partition(".")[0] == library:
                return library
    return None


def decides_in_double(estimator: Any) -> bool:  # an estimator
    """Whether a model compares rows with its thresholds in double precision; all others take them in single."""
    kinds = (class_names(each) for each in all_models(estimator))
    return any("LGBMModel" in names or "BaseHistGradientBoosting" in names for names in kinds)


def votes(final: Any) -> bool:  # an estimator
    """Whether a model is the vote of several, soft or hard, or their mean."""
    return "_BaseVoting" in class_names(final)


def votes_hard(estimator: Any) -> bool:  # an estimator
    """Whether a classifier counts the votes of its members, and so has no scores of its own."""
    return getattr(final_step(estimator), "voting", None) == "hard" and votes(final_step(estimator))


def predicts_classes(estimator: Any) -> bool:  # an estimator
    """Whether an estimator is a classifier that is registered with scores."""
    return hasattr(estimator, "predict_proba") or votes_hard(estimator) or predicts_labels_alone(estimator)


def predicts_labels_alone(estimator: Any) -> bool:  # an estimator
    """Whether a classifier has no probabilities, as support vectors have none by default; no model of trees is such."""
    is_classifier = "ClassifierMixin" in class_names(final_step(estimator))
    return is_classifier and not hasattr(estimator, "predict_proba") and not votes_hard(estimator)


def ensemble_of(estimator: Any) -> Ensemble:  # an estimator
    """Return whether the trees are averaged (``random_forest``), added (``boosting``) or neither for certain."""
    final = final_step(estimator)
    names = class_names(final)
    if "LGBMModel" in names:
        return "random_forest" if final.get_params().get("boosting_type") == "rf" else "boosting"
    members = members_of(final)
    if "BaseBagging" in names:
        is_forest = bool(members) and all("BaseDecisionTree" in class_names(member) for member in members)
        return "random_forest" if is_forest else "other"
    if any(name in _OF_ONE_MODEL for name in names) and len(members) == 1:
        return ensemble_of(members[0])
    return next((_ENSEMBLES[name] for name in names if name in _ENSEMBLES), "other")


ColumnType = Literal["float", "int64", "string"]
GRAPH_NAME = "model"  # converters would draw one, and the same model would give another file
_EXACT_IN_FLOAT32 = 2**24


@dataclass(frozen=True, slots=True)
class ModelInputs:
    """What the model is fed."""

    names: list[str] | None  # (n_features,); None: nobody knows them
    n_features: int
    column_types: list[ColumnType] | None  # (n_features,); None: one float32 matrix
    rows: Any  # the rows that came along: a DataFrame with just these columns, a matrix, or None
    read: list[int] | None = None  # indices of the rows' columns that are features; None: all are

    def features_of(self, rows: Any) -> Any:  # a DataFrame, a matrix
        """Return of rows such as ``rows`` the columns that are features."""
        return rows if self.read is None else rows.iloc[:, self.read]


def describe_inputs(estimator: Any, rows: Any, declared_names: Sequence[str] | None) -> ModelInputs:
    """Return how an estimator is fed.

    A DataFrame goes in column by column where it has texts or where the estimator picks columns by name; all else is
    a matrix, which the trees read fastest.

    Raises
    ------
    Invalid
        If rows, names and estimator do not fit together.
    CannotConvert
        If rows are needed to know the columns' types, and there are none.
    """
    fitted_names = _fitted_names(estimator)
    rows = as_pandas(rows)
    if is_frame(rows):
        frame = fitted_columns(rows, fitted_names or names_among(declared_names, rows))
        names = list(declared_names) if declared_names is not None else column_names(frame)
        _check_number(names, len(frame.columns), "columns")
        if not _NUMBERS_ALONE.isdisjoint(class_names(estimator)):
            frame = of_numbers(frame, names)
        picked = _picked_columns(estimator)
        types: list[ColumnType] = [
            "string" if picked is not None and index not in picked else _column_type(frame.iloc[:, index], name)
            for index, name in enumerate(names)
        ]
        by_column = "string" in types or _picks_columns(estimator)
        return ModelInputs(names, len(names), types if by_column else None, frame)
    if fitted_names is not None and _picks_columns(estimator):
        detail = f"{type(estimator).__name__} picks columns of a DataFrame by name: pass rows of it, X=…"
        raise CannotConvert("cannot_convert", detail)
    matrix = None if rows is None else as_matrix(rows)
    n_features = _n_features(estimator, matrix)
    matrix_names = declared_names if declared_names is not None else fitted_names
    if matrix_names is not None:
        _check_number(matrix_names, n_features, "features")
    return ModelInputs(None if matrix_names is None else list(matrix_names), n_features, None, matrix)


def are_single(rows: Any) -> bool:  # rows or None
    """Whether all numbers are in single precision, in which scikit-learn's scalers then calculate."""
    if is_frame(rows):
        return all(dtype == "float32" for dtype in rows.dtypes if getattr(dtype, "kind", "O") in "fiub")
    return rows is not None and rows.dtype == "float32"


def _fitted_names(estimator: Any) -> list[str] | None:  # an estimator
    # CatBoost calls its features by their numbers when it was fitted on an array.
    names = getattr(estimator, "feature_names_in_", None)
    if names is None and hasattr(estimator, "feature_names_") and type(estimator).__module__.startswith("catboost"):
        names = estimator.feature_names_
        names = None if names is None or all(str(name) == str(at) for at, name in enumerate(names)) else names
    return None if names is None else [str(name) for name in names]


def _picked_columns(estimator: Any) -> set[int] | None:  # an estimator
    """Return the indices of the columns that a ColumnTransformer at the beginning hands on; ``None``: of all."""
    if getattr(estimator, "steps", None):
        steps = [step for _name, step in estimator.steps if step is not None and step != "passthrough"]
        return _picked_columns(steps[0]) if steps else None
    indices = getattr(estimator, "_transformer_to_input_indices", None)
    if indices is None:
        return None
    parts = [name for name, part, _columns in estimator.transformers_ if not (isinstance(part, str) and part == "drop")]
    return {int(index) for name in parts for index in indices.get(name, ())}


def _picks_columns(estimator: Any) -> bool:  # an estimator
    steps = getattr(estimator, "steps", None)
    if steps:
        return any(_picks_columns(step) for _name, step in steps)
    return any(kind.__name__ == "ColumnTransformer" for kind in type(estimator).__mro__)


def _column_type(column: Any, name: str) -> ColumnType:  # a Series
    kind = getattr(column.dtype, "kind", "O")
    if kind in "iu":
        largest = max(
            (abs(int(value)) for value in (column.min(), column.max()) if value == value), default=0
        )  # not a NaN
        return "int64" if _EXACT_IN_FLOAT32 < largest < FIRST_INEXACT else "float"
    if kind in "fb":
        return "float"
    if kind in "mM" or any(isinstance(value, dt.date | dt.time | dt.timedelta) for value in column):
        detail = f"column {name!r} holds dates, times or durations; make it numbers, for example days since a date"
        raise Invalid("bad_feature_type", detail)
    return "string" if any(isinstance(cell, str) for cell in column_cells(column, name)) else "float"


def _n_features(estimator: Any, matrix: Any) -> int:  # an estimator, a matrix
    if matrix is not None:
        return int(matrix.shape[1])
    parts = (estimator, *map(unwrapped, members_of(final_step(estimator))))  # votes ask a step that may be no step
    n_features = next((each.n_features_in_ for each in parts if hasattr(each, "n_features_in_")), None)
    if not n_features and library_of(parts[0]) == "catboost":  # loaded from a file
        n_features = len(estimator.feature_names_)
    if n_features is None:
        detail = (
            f"how many features {type(estimator).__name__} reads is not known: is it fitted? Then pass some rows, X=…"
        )
        raise CannotConvert("cannot_convert", detail)
    return int(n_features)


def _check_number(names: Sequence[str], n_features: int, what: str) -> None:
    if len(names) != n_features:
        raise Invalid("schema_mismatch", f"{len(names)} feature_names for {n_features} {what}; give one for each")
