"""Measured numbers of a dataset's rows next to a model's cuts, by which conditions are printed."""

from collections.abc import Iterator

from numpy import float64
from numpy.typing import NDArray

from storage.dataset_files import DatasetFile
from storage.dataset_rows import open_rows
from storage.object_store import ObjectStore
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.questions.cut_neighbours import cut_neighbours
from tree_explainers.questions.statements import statements_of

from .inputs import OpenModel, ScoredDataset

_BLOCK_ROWS = 65_536


def measured_values(objects: ObjectStore, model: OpenModel, dataset: ScoredDataset) -> dict[str, NDArray[float64]]:
    """Return, for each feature that is a measured number, the values next to its cuts, ascending.

    Nothing is known where a tree tests what cannot be mapped back to a raw feature.
    """
    try:
        statements = statements_of(model.ensemble, model.description)
    except MethodNotApplicable:
        return {}
    columns = dict(zip(model.description.feature_names, dataset.columns, strict=True))
    measured = {each.name for each in dataset.stored.view.columns if each.type == "number" and each.decimals is None}
    cuts = {each.name: each.cuts for each in statements.features if each.is_number and columns[each.name] in measured}
    with open_rows(objects, dataset.stored.content) as file:
        return {
            name: cut_neighbours(own, _blocks(file, columns[name]), model.description.precision)
            for name, own in cuts.items()
        }


def _blocks(file: DatasetFile, column: str) -> Iterator[NDArray[float64]]:
    return (values.astype(float64) for (values,) in file.iter_blocks([column], _BLOCK_ROWS))
