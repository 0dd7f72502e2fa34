"""The target of each row of a dataset, as predicted by a model and as given in the dataset."""

from collections.abc import Sequence
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from schemas.datasets import Dataset
from storage.dataset_rows import open_rows
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import class_index, describe_type
from storage.object_store import ObjectStore
from tree_explainers.errors import RowRefused
from tree_explainers.prediction_scores import Targets, constant_of

from .inputs import OpenModel, ScoredDataset, describe_row

ConstantPredictions: TypeAlias = dict[Literal["prediction", "model_prediction"], str | float]
NO_CLASS = -1
"""Stands for the class of a row that has no target."""

_N_CLASSES_SHOWN = 10


def predicted_targets(model: OpenModel, dataset: ScoredDataset) -> Targets:
    """Return the class or value that the model predicts for each row."""
    if dataset.labels is None:
        return Targets.of_values(dataset.scores[:, 0].astype(np.float64))
    return Targets.of_classes(dataset.labels, len(model.view.classes))


def true_targets(objects: ObjectStore, model: OpenModel, dataset: ScoredDataset) -> Targets | None:
    """Return each row's target, or ``None`` without one; refuse a target that does not fit the model.

    Where examples of several tables have no label (``has_unlabelled``), the rows count as rows without a target.
    """
    if has_unlabelled(dataset):
        return None
    n_classes = len(model.description.classes)
    if n_classes == 0:
        values = true_values(objects, dataset)
        return None if values is None else Targets.of_values(values)
    classes = true_classes(objects, model, dataset)
    return None if classes is None else Targets.of_classes(classes, n_classes)


def fitting_targets(objects: ObjectStore, model: OpenModel, dataset: ScoredDataset) -> Targets | None:
    """Return each row's target, or ``None`` where there is none, or one that does not fit the model."""
    try:
        return true_targets(objects, model, dataset)
    except StorageError as error:
        if error.code != "schema_mismatch":
            raise
        return None


def agreeing_rows(model: OpenModel, dataset: ScoredDataset, truth: Targets | None) -> NDArray[np.bool_] | None:
    """Return which rows have the label that the model predicts, (n_rows,); ``None`` where no label is known.

    An outcome is no label: of a model that decides, nothing is known.
    """
    if model.by_outcome or truth is None or truth.classes is None or dataset.labels is None:
        return None
    return np.asarray(truth.classes == dataset.labels)


def has_unlabelled(dataset: ScoredDataset) -> bool:
    """Return whether some row is allowed to have no target, and has none: an example of several tables."""
    return may_lack_targets(dataset.stored.view)


def may_lack_targets(view: Dataset) -> bool:
    """Return whether some row of a dataset is allowed to have no target, and has none."""
    return view.feature_set is not None and any(
        column.n_missing > 0 for column in view.columns if column.name == view.target
    )


def refuse_unlabelled(objects: ObjectStore, stored: StoredDataset) -> None:
    """Refuse rows without a target where their targets are what is to be learned; the first is named."""
    values = _read_target(objects, stored) if may_lack_targets(stored.view) else None
    if values is not None:
        _refuse_missing(objects, _missing(values), stored)


def known_targets(
    objects: ObjectStore, model: OpenModel, dataset: ScoredDataset
) -> tuple[Targets | None, NDArray[np.int64] | None]:
    """Return the targets of the rows that have one, and which rows these are, ascending; ``None``: all.

    Without a target, both are ``None``; without any label, too. A target that does not fit the model is refused.
    """
    if not has_unlabelled(dataset):
        return true_targets(objects, model, dataset), None
    values = _read_target(objects, dataset.stored)
    rows = np.flatnonzero([] if values is None else ~_missing(values))
    if values is None or not len(rows):
        return None, None
    if dataset.labels is None:
        return Targets.of_values(values[rows]), rows
    return Targets.of_classes(_classes(objects, model, dataset, values[rows], rows), len(model.view.classes)), rows


def constant_predictions(truth: Targets | None, predicted: Targets, classes: Sequence[str]) -> ConstantPredictions:
    """Return the predictions of the constants that scores are compared with (``score_constants``)."""
    of_truth, of_model = (constant_of(of) for of in (predicted if truth is None else truth, predicted))
    return name_constants((of_truth, of_model), classes)


def name_constants(constants: tuple[int | float, int | float], classes: Sequence[str]) -> ConstantPredictions:
    """Return the same, given the class or value of each: the best for the target, and for the model."""
    of_truth, of_model = constants
    if not classes:
        return {"prediction": of_truth, "model_prediction": of_model}
    return {"prediction": classes[int(of_truth)], "model_prediction": classes[int(of_model)]}


def classes_of_rows(
    objects: ObjectStore, model: OpenModel, dataset: ScoredDataset, labels: Literal["predicted", "target"]
) -> NDArray[np.int64]:
    """Return the class of each row, (n_rows,): as predicted or as in the target; 0 for all rows in regression."""
    if dataset.labels is None:
        return np.zeros(dataset.n_rows, dtype=np.int64)
    if labels == "predicted":
        return dataset.labels
    classes = true_classes(objects, model, dataset)
    if classes is None:
        detail = f"dataset {dataset.stored.view.id!r} has no target; name it in the dataset's metadata"
        raise StorageError("schema_mismatch", detail)
    return classes


def true_classes(objects: ObjectStore, model: OpenModel, dataset: ScoredDataset) -> NDArray[np.int64] | None:
    """Return the index of each row's target among the model's classes, (n_rows,), or ``None`` without a target.

    Raises
    ------
    StorageError
        ``schema_mismatch`` for a missing label, or one that the model does not know; it names the first such row.
    """
    values = _read_target(objects, dataset.stored)
    if values is None:
        return None
    _refuse_missing(objects, _missing(values), dataset.stored)
    return _classes(objects, model, dataset, values, np.arange(len(values)))


def _missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype != object:
        return np.asarray(np.isnan(values), np.bool_)
    return np.fromiter((value is None for value in values), np.bool_, len(values))


def _classes(
    objects: ObjectStore, model: OpenModel, dataset: ScoredDataset, values: NDArray[Any], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the class of each label; no label may be missing, and ``rows`` are the rows they belong to."""
    try:
        return classes_of_labels(values, model.description.classes)
    except RowRefused as refusal:
        where = describe_row(objects, dataset.stored, int(rows[refusal.row or 0]))
        raise StorageError(refusal.code, f"{where} {refusal.detail}") from None


def classes_of_labels(values: NDArray[Any], classes: Sequence[str]) -> NDArray[np.int64]:
    """Return the index of each label among the model's classes; no label may be missing.

    Raises
    ------
    RowRefused
        ``schema_mismatch`` for the first label that the model does not know; the detail follows the name of its row.
    """
    distinct, positions = _distinct(values)
    known = {label: index for index, label in enumerate(classes)}
    indices: NDArray[np.int64] = np.array([class_index(value, known) for value in distinct], dtype=np.int64)[positions]
    if (indices < 0).any():
        first = int((indices < 0).argmax())
        shown = ", ".join(repr(label) for label in classes[:_N_CLASSES_SHOWN])
        label = values[first] if isinstance(values[first], str) else float(values[first])
        detail = f"has the target {label!r}; the model's classes are {shown}"
        raise RowRefused("schema_mismatch", detail, first)
    return indices


def targets_of_labels(values: NDArray[Any], name: str, classes: Sequence[str]) -> Targets:
    """Return the targets of some rows, read from the column of this name; without classes they are values.

    Raises
    ------
    RowRefused
        ``schema_mismatch`` for the first row without a target, or with one that the model does not know; the detail
        follows the name of the row.
    """
    is_missing = _missing(values)
    if is_missing.any():
        raise RowRefused("schema_mismatch", f"has no {name!r}; leave such rows out", int(is_missing.argmax()))
    if not classes:
        return Targets.of_values(values)
    return Targets.of_classes(classes_of_labels(values, classes), len(classes))


def known_targets_of_labels(values: NDArray[Any], name: str, classes: Sequence[str], *, may_lack: bool) -> NDArray[Any]:
    """Return the same as numbers, (n_rows,); rows may have no target: their class is ``NO_CLASS``, their value NaN.

    Raises
    ------
    RowRefused
        As ``targets_of_labels``; no row is refused for having no target if rows may lack it.
    """
    if not may_lack:
        return targets_of_labels(values, name, classes).classes_or_values
    if not classes:
        return values
    numbers, rows = np.full(len(values), NO_CLASS), np.flatnonzero(~_missing(values))
    try:
        numbers[rows] = classes_of_labels(values[rows], classes)
    except RowRefused as refusal:
        raise RowRefused(refusal.code, refusal.detail, int(rows[refusal.row or 0])) from refusal
    return numbers


def _distinct(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.integer]]:
    """Return the distinct values, and which of them each value is."""
    if values.dtype != object:
        distinct, positions = np.unique(values, return_inverse=True)
        return distinct.tolist(), positions.reshape(-1)
    # Not as an array of texts, in which each would take as much memory as the longest.
    known: dict[str, int] = {}
    positions = np.fromiter((known.setdefault(str(value), len(known)) for value in values), np.int64, len(values))
    return list(known), positions


def true_values(objects: ObjectStore, dataset: ScoredDataset) -> NDArray[np.float64] | None:
    """Return each row's target as a number, or ``None`` without a target; refuse a target that is not a number."""
    values = _read_target(objects, dataset.stored)
    if values is None:
        return None
    if values.dtype == object:
        _refuse_text_target(dataset.stored.view)
    _refuse_missing(objects, np.isnan(values), dataset.stored)
    return values


def check_target_type(view: Dataset, classes: Sequence[str]) -> None:
    """Refuse a dataset whose target is a text, for a model that has no classes."""
    if not classes and any(column.name == view.target and column.type == "category" for column in view.columns):
        _refuse_text_target(view)


def _refuse_text_target(view: Dataset) -> NoReturn:
    """Refuse a target that is no number, of a model that predicts numbers."""
    target = next(column for column in view.columns if column.name == view.target)
    detail = f"the target {describe_type(target)} in dataset {view.id!r}, but the model predicts a number"
    raise StorageError("schema_mismatch", detail)


def _read_target(objects: ObjectStore, stored: StoredDataset) -> NDArray[Any] | None:
    if stored.view.target is None:
        return None
    with open_rows(objects, stored.content) as file:
        return file.read_columns([stored.view.target])[0]


def _refuse_missing(objects: ObjectStore, is_missing: NDArray[np.bool_], stored: StoredDataset) -> None:
    if is_missing.any():
        where = describe_row(objects, stored, int(is_missing.argmax()))
        detail = f"{where} has no {stored.view.target!r}; leave such rows out"
        raise StorageError("schema_mismatch", detail)
