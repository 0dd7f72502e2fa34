"""The rows for which a model is wrong, the surest first; of a regression all rows, the largest error first."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..runtime.context import JobContext
from .evaluation_rows import EvaluatedRows
from .inputs import row_names

SCHEMA = pa.schema(
    [
        ("rank", pa.int64()),
        ("row", pa.int64()),
        ("row_id", pa.string()),
        ("label", pa.string()),
        ("predicted", pa.string()),
        ("score", pa.float64()),
        ("label_score", pa.float64()),
        ("value", pa.float64()),
        ("predicted_value", pa.float64()),
        ("residual", pa.float64()),
    ]
)
_GROUP_LINES, _GROUP_NAME_BYTES = 65_536, 64 << 20


def rank_wrong_rows(rows: EvaluatedRows) -> NDArray[np.int64]:
    """Return the wrong rows, the most serious first, as indices among the evaluated rows."""
    if rows.labels is None or rows.truth.classes is None:
        return np.argsort(-np.abs(rows.residuals), kind="stable")
    wrong = np.flatnonzero(rows.labels != rows.truth.classes)
    scores = rows.scores[wrong, rows.labels[wrong]].astype(np.float64)
    of_labels = rows.scores[wrong, rows.truth.classes[wrong]].astype(np.float64)
    return wrong[np.lexsort((of_labels, -scores))]


def write_wrong_rows(context: JobContext, rows: EvaluatedRows, ranking: NDArray[np.int64], path: Path) -> None:
    """Write a line for each wrong row in their order, in row groups that readers can hold."""
    names = row_names(context.objects, rows.stored)
    longest = max(1, pc.max(pc.binary_length(names)).as_py() or 0)
    n_lines = max(1, min(_GROUP_LINES, _GROUP_NAME_BYTES // longest))
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for start in range(0, len(ranking), n_lines):
            writer.write_table(table_lines(rows, names, ranking[start : start + n_lines], start))


def table_lines(rows: EvaluatedRows, names: pa.Array, chosen: NDArray[np.int64], n_before: int) -> pa.Table:
    """Return the lines of these rows, which follow ``n_before`` others."""
    of_dataset = rows.rows[chosen]
    lines = {
        "rank": np.arange(n_before, n_before + len(chosen)) + 1,
        "row": of_dataset,
        "row_id": names.take(pa.array(of_dataset)),
    } | (_of_classes(rows, chosen) if rows.labels is not None else _of_values(rows, chosen))
    return pa.table({name: lines.get(name, pa.nulls(len(chosen))) for name in SCHEMA.names}).cast(SCHEMA)


def _of_classes(rows: EvaluatedRows, chosen: NDArray[np.int64]) -> dict[str, pa.Array | NDArray[np.float64]]:
    assert rows.labels is not None  # of a classifier
    assert rows.truth.classes is not None  # likewise
    classes = pa.array(rows.classes)
    predicted, truth = rows.labels[chosen], rows.truth.classes[chosen]
    return {
        "label": classes.take(pa.array(truth)),
        "predicted": classes.take(pa.array(predicted)),
        "score": rows.scores[chosen, predicted].astype(np.float64),
        "label_score": rows.scores[chosen, truth].astype(np.float64),
    }


def _of_values(rows: EvaluatedRows, chosen: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    assert rows.truth.values is not None  # of a regression
    values, predicted = rows.truth.values[chosen], rows.scores[chosen, 0].astype(np.float64)
    return {"value": values, "predicted_value": predicted, "residual": values - predicted}


def read_first_rows(path: Path, most: int) -> list[dict[str, object]]:
    """Return the first lines of a table that was written."""
    with pq.ParquetFile(path) as file:
        first = next(file.iter_batches(most, use_threads=False), None)
        lines: list[dict[str, object]] = [] if first is None else first.to_pylist()
    return lines
