"""The table of an audit: a line for each row, the most suspect first, in Parquet, written block by block."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tree_explainers.label_audits import LabelAudit

from ..tree_space import TreeSpace

SCHEMA = pa.schema(
    [
        ("rank", pa.int64()),
        ("row", pa.int64()),
        ("row_id", pa.string()),
        ("label", pa.string()),
        ("agreement", pa.float64()),
        ("n_neighbors", pa.int32()),
        ("disagreeing_proximity", pa.float64()),
        ("suggested_label", pa.string()),
        ("predicted_label", pa.string()),
    ]
)
_GROUP_LINES, _GROUP_NAME_BYTES = 65_536, 64 << 20


@dataclass(frozen=True, slots=True)
class Audited:
    """An audit, and what it takes to tell it."""

    audit: LabelAudit
    labels: NDArray[np.int64]  # (n_rows,) the classes that were audited
    space: TreeSpace
    names: pa.Array  # (n_rows,) what rows are called


def write_audit(path: Path, audited: Audited) -> None:
    """Write all rows in the order of their ranks."""
    ranking, n_lines = audited.audit.ranking, _group_lines(audited.names)
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for start in range(0, len(ranking), n_lines):
            writer.write_table(audit_lines(audited, ranking[start : start + n_lines], start))


def _group_lines(names: pa.Array) -> int:
    """Return how many lines go together: fewer where rows have very long names."""
    longest = max(1, pc.max(pc.binary_length(names)).as_py() or 0)
    return max(1, min(_GROUP_LINES, _GROUP_NAME_BYTES // longest))


def audit_lines(audited: Audited, rows: NDArray[np.int64], n_before: int) -> pa.Table:
    """Return the lines of these rows, which ``n_before`` others come before."""
    audit = audited.audit
    predicted = audited.space.seen.labels
    assert predicted is not None  # noqa: S101  # for the type checker: there are labels to audit
    agreement = audit.agreement[rows]
    columns = [
        np.arange(n_before, n_before + len(rows)) + 1,
        rows,
        audited.names.take(rows),
        _class_names(audited, audited.labels[rows]),
        pa.array(agreement, mask=np.isnan(agreement)),
        audit.n_neighbors[rows],
        audit.disagreeing[rows] / audited.space.total_weight,
        _class_names(audited, audit.suggested[rows]),
        _class_names(audited, predicted[rows]),
    ]
    return pa.table(dict(zip(SCHEMA.names, columns, strict=True))).cast(SCHEMA)


def _class_names(audited: Audited, classes: NDArray[np.int64]) -> pa.Array:
    """Return the names of classes; -1 has none."""
    names = pa.array(audited.space.model.view.classes)
    return names.take(pa.array(classes, mask=classes < 0))
