"""How many rows of each class have which numbers: the columns of a dataset, counted in bins of equal width."""

import json
from collections.abc import Mapping, Sequence

import numpy as np
from leafspace_drawings import CountsByClass
from numpy.typing import NDArray

from storage.dataset_files import DatasetFile
from storage.dataset_rows import open_rows
from storage.errors import StorageError

from ..app_context import AppContext
from .documents import Json

_N_BINS, _MOST_CLASSES = 16, 5  # more colours upon each other distinguish nothing
_MOST_CELLS = 1 << 22  # of a dataset whose rows are all read while somebody waits, a quarter of a second
_MOST_ROWS, _MOST_TEXT_BYTES = 1 << 18, 1 << 25  # whose targets are objects, and their texts together


def counts_by_class(context: AppContext, dataset: Json, n_columns: int) -> CountsByClass:
    """Return the counts of the first columns with numbers; none without a target of a few classes, or of many rows.

    Parameters
    ----------
    dataset
        Its document, without what its dictionary hides.
    """
    target = next((column for column in dataset["columns"] if column["role"] == "target"), None)
    numbers = [each for each in dataset["columns"] if each["role"] == "feature" and _has_numbers(each)][:n_columns]
    if target is None or not numbers or not _is_small(dataset["n_rows"], len(numbers), target):
        return CountsByClass()

    def as_text(_document: Json, _shown: None) -> str:
        content = context.datasets.get(dataset["id"]).content
        with open_rows(context.objects, content, pages=True) as file:
            return json.dumps(_counted(file, target["name"], numbers))

    made_from = {"counts_by_class_of": dataset["id"], "columns": [column["name"] for column in numbers]}
    try:
        found = json.loads(context.drawings.get(as_text, made_from, None))
    except StorageError:  # rows that cannot be read: the view of the dataset is shown without bars
        return CountsByClass()
    return CountsByClass(found["classes"], found["columns"])


def _has_numbers(column: Json) -> bool:
    return column["type"] == "number" and column["min"] is not None and column["min"] < column["max"]


def _is_small(n_rows: int, n_columns: int, target: Json) -> bool:
    """Return whether all rows are read in a moment, and their targets, texts or not, fit into little memory."""
    longest = max((4 * len(name) for name in target["categories"] or ()), default=0)
    has_few = target["type"] != "category" or 2 <= len(target["categories"] or ()) <= _MOST_CLASSES
    return (
        has_few and n_rows <= _MOST_ROWS and n_rows * n_columns <= _MOST_CELLS and n_rows * longest <= _MOST_TEXT_BYTES
    )


def _counted(file: DatasetFile, target: str, columns: Sequence[Json]) -> Json:
    """Return the classes, and for each column the counts of each in bins from its lowest number to its highest."""
    (values,) = file.read_columns([target])
    classes, codes = _classes(values, is_boolean=file.column(target).type == "boolean")
    if not 2 <= len(classes) <= _MOST_CLASSES:
        return {"classes": [], "columns": {}}
    counts: Mapping[str, list[list[int]]] = {
        column["name"]: [
            np.histogram(numbers[codes == code], _N_BINS, (column["min"], column["max"]))[0].tolist()
            for code in range(len(classes))
        ]
        for column in columns
        for numbers in file.read_columns([column["name"]])
    }
    return {"classes": classes, "columns": counts}


def _classes(
    values: NDArray[np.object_] | NDArray[np.float64], *, is_boolean: bool
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the classes of a target in their order, and that of each row; -1: its target is missing.

    Numbers are classes where they are whole, as models have them; others are values of a regression, and no classes.
    """
    are_texts = values.dtype == object
    known = np.array([value is not None for value in values], np.bool_) if are_texts else np.isfinite(values)
    found, codes = np.unique(values[known].astype(str) if are_texts else values[known], return_inverse=True)
    if len(found) > _MOST_CLASSES or not (are_texts or np.array_equal(found, np.floor(found))):
        return [], np.empty(0, np.int64)
    of_rows = np.full(len(values), -1, np.int64)
    of_rows[known] = codes
    if is_boolean:
        return [("no", "yes")[int(each)] for each in found], of_rows
    return [str(each) if are_texts else f"{each:.0f}" for each in found.tolist()], of_rows
