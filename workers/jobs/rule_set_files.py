"""Tables of fitted regions: the share of each region for which a statement is true, and the region of each row."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from storage.dataset_rows import open_rows
from storage.datasets import StoredDataset
from storage.object_store import ObjectStore
from tree_explainers.questions.binned_rows import Layout
from tree_explainers.questions.conditions import printed_threshold
from tree_explainers.rule_sets.regions import BinTables, RegionModel, nearest_regions
from tree_explainers.rule_sets.row_parts import RowParts
from tree_explainers.rule_sets.rule_evaluation import ValueRanges

_GROUP_LINES = 16_384
_LINES_AT_ONCE = 4 * _GROUP_LINES
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

    stored: StoredDataset
    rows: RowParts
    classes: list[str]  # of the model; empty for regression


def write_region_tables(folder: Path, objects: ObjectStore, fitted: FittedRows, model: RegionModel) -> dict[str, Path]:
    """Write both tables into a folder, and return their paths by the names under which they are kept.

    ``parameters`` has a line for each statement, with eta of each region; ``rows`` has a line for each row, with its
    most probable region and what that predicts: the two-step MAP, equations (10) and (11) of Hara & Hayashi (2018).
    """
    paths = {name: folder / f"{name}.parquet" for name in ("parameters", "rows")}
    parameters = _parameters(fitted.rows, model)
    pq.write_table(parameters, paths["parameters"], row_group_size=_GROUP_LINES, compression="zstd")
    _write_rows(paths["rows"], objects, fitted, model)
    return paths


def _parameters(rows: RowParts, model: RegionModel) -> pa.Table:
    values = ValueRanges.of(rows, range(len(rows.statements.features)))
    lines = [line for index in range(len(rows.statements.features)) for line in _statement_lines(index, values)]
    columns = {field.name: pa.array([line[field.name] for line in lines], field.type) for field in _STATEMENT_COLUMNS}
    numbers = pa.array(np.arange(len(lines)))
    etas = {f"eta:{region}": pa.array(eta) for region, eta in enumerate(model.eta)}
    return pa.table({"statement": numbers, **columns, **etas})


def _statement_lines(index: int, values: ValueRanges) -> Iterator[dict[str, Any]]:
    """Yield for each statement about a feature what it says, as rules do, and whether a missing value fulfils it."""
    feature = values.statements.features[index]
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
    for number, (cut, missing_greater) in enumerate(zip(feature.cuts, feature.missing_greater.tolist(), strict=True)):
        if np.isinf(cut):  # it separates only the missing value from the rest
            operator = "is missing" if cut > 0 else "is not missing"
            yield named | {"operator": operator, "true_for_missing": bool(cut > 0)}
        else:
            value = printed_threshold(index, values, number)
            yield named | {"operator": ">", "value": value, "true_for_missing": missing_greater}


def _write_rows(path: Path, objects: ObjectStore, fitted: FittedRows, model: RegionModel) -> None:
    """Write a line for each row, some row groups at a time, with what partitions find."""
    predictions = model.predictions()
    named = pa.array(fitted.classes).take(pa.array(predictions)) if fitted.classes else pa.array(predictions)
    has_ids = fitted.stored.view.row_id is not None  # otherwise, a row's id is its index as a text
    id_type = pa.large_string() if has_ids else pa.string()
    schema = pa.schema([("row", pa.int64()), ("row_id", id_type), ("region", pa.int64()), ("prediction", named.type)])
    tables = BinTables.of(model, Layout.of(fitted.rows.statements))
    with (
        open_rows(objects, fitted.stored.content) as file,
        pq.ParquetWriter(path, schema, compression="zstd") as writer,
    ):
        for rows, regions in _groups_of_lines(fitted.rows.map(nearest_regions, tables)):
            ids = pa.array(file.row_ids(rows) if has_ids else [str(row) for row in rows.tolist()], id_type)
            columns = [pa.array(rows), ids, pa.array(regions), named.take(pa.array(regions))]
            writer.write_table(pa.table(columns, schema=schema), row_group_size=_GROUP_LINES)


def _groups_of_lines(parts: Iterable[NDArray[np.int64]]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield rows and what was found for them, a number of whole row groups at a time; the last has the rest."""
    first, waiting = 0, np.empty(0, np.int64)
    for of_part in parts:
        waiting = np.concatenate([waiting, of_part])
        while len(waiting) >= _LINES_AT_ONCE:
            yield np.arange(first, first + _LINES_AT_ONCE), waiting[:_LINES_AT_ONCE]
            first, waiting = first + _LINES_AT_ONCE, waiting[_LINES_AT_ONCE:]
    if len(waiting):
        yield np.arange(first, first + len(waiting)), waiting
