"""Tables of fitted regions: the share of each region for which a statement is true, and the region of each row."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from storage.dataset_rows import open_rows
from storage.object_store import ObjectStore
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import FeatureStatements, Statements
from tree_explainers.rule_sets.regions import RegionModel

from .inputs import ScoredDataset

_GROUP_LINES = 16_384
_STATEMENT_COLUMNS = pa.schema(
    [
        ("feature", pa.string()),
        ("column", pa.string()),
        ("operator", pa.string()),
        ("value", pa.float64()),
        ("categories", pa.string()),
        ("true_for_missing", pa.bool_()),
    ]
)


@dataclass(frozen=True, slots=True)
class FittedRows:
    """The rows that regions were fitted to."""

    dataset: ScoredDataset
    binned: BinnedRows
    classes: list[str]  # of the model; empty for regression


def write_region_tables(folder: Path, objects: ObjectStore, fitted: FittedRows, model: RegionModel) -> dict[str, Path]:
    """Write both tables into a folder, and return their paths by the names under which they are kept.

    ``parameters`` has a line for each statement, with eta of each region; ``rows`` has a line for each row, with its
    most probable region and what that predicts: the two-step MAP, equations (10) and (11) of Hara & Hayashi (2018).
    """
    paths = {name: folder / f"{name}.parquet" for name in ("parameters", "rows")}
    _write(paths["parameters"], _parameters(fitted.binned.statements, model))
    _write(paths["rows"], _rows(objects, fitted, model))
    return paths


def _write(path: Path, table: pa.Table) -> None:
    pq.write_table(table, path, row_group_size=_GROUP_LINES, compression="zstd")


def _parameters(statements: Statements, model: RegionModel) -> pa.Table:
    lines = [line for feature in statements.features for line in _statement_lines(feature)]
    columns = {name: pa.array([line[name] for line in lines], kind) for name, kind in _fields()}
    numbers = pa.array(np.arange(len(lines)))
    etas = {f"eta:{region}": pa.array(eta) for region, eta in enumerate(model.eta)}
    return pa.table({"statement": numbers, **columns, **etas})


def _fields() -> Iterator[tuple[str, pa.DataType]]:
    return ((field.name, field.type) for field in _STATEMENT_COLUMNS)


def _statement_lines(feature: FeatureStatements) -> Iterator[dict[str, Any]]:
    """Yield for each statement about a feature what it says, and whether it is true for a missing value."""
    of_feature = feature.one_hot_category[0] if feature.one_hot_category is not None else feature.name
    named = {"feature": of_feature, "column": feature.name, "value": None, "categories": None}
    if feature.answers is not None:
        for answers in feature.answers:
            among = [category for category, is_true in zip(feature.categories, answers, strict=False) if is_true]
            categories = json.dumps(among, ensure_ascii=False)
            yield named | {
                "operator": "is one of",
                "categories": categories,
                "true_for_missing": bool(answers[feature.missing_bin]),
            }
        return
    for cut, missing_greater in zip(feature.cuts.tolist(), feature.missing_greater.tolist(), strict=True):
        if np.isinf(cut):  # it separates only the missing value from the rest
            yield named | {"operator": "is missing" if cut > 0 else "is not missing", "true_for_missing": cut > 0}
        else:
            yield named | {"operator": ">", "value": cut, "true_for_missing": missing_greater}


def _rows(objects: ObjectStore, fitted: FittedRows, model: RegionModel) -> pa.Table:
    regions = model.map_regions(fitted.binned)
    predictions = model.predictions()[regions]
    named: NDArray[Any] | pa.Array = predictions
    if fitted.classes:
        named = pa.array(fitted.classes).take(pa.array(predictions))
    columns = {
        "row": np.arange(len(regions)),
        "row_id": _row_ids(objects, fitted.dataset),
        "region": regions,
        "prediction": named,
    }
    return pa.table(columns)


def _row_ids(objects: ObjectStore, dataset: ScoredDataset) -> pa.Array:
    """Return the id of each row, or else its index, as texts."""
    if dataset.stored.view.row_id is None:
        return pa.array(np.arange(dataset.n_rows)).cast(pa.string())
    with open_rows(objects, dataset.stored.content) as file:
        return pa.array(file.row_ids(), pa.large_string())
