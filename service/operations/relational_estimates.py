"""Estimates of jobs over several tables: memory by the sizes of their arrays, as measured, and time for a slow core."""

from collections.abc import Mapping
from typing import Any

from schemas.relational_datasets import RelationalDataset

from .job_estimates import JobEstimate, Need

_MIB = 1 << 20
_CELL_BYTES, _LINK_BYTES, _ID_BYTES = 4, 8, 80  # of a value, of a row in a relationship, of the id of an example
_MOST_BINDINGS = 20_000_000  # of one component: tests that need more are not tested
_TABLES_OF_BINDINGS = 3  # at the same time: of a node, of its test, and of the one after that
_COMPILING_BYTES = 128 * _MIB
_FEATURES_A_TREE, _MOST_FEATURES = 60, 10_000  # as a rule
_BLOCK_BYTES = 256 * _MIB  # of rows that are written, or predicted, together
_SECONDS_A_ROW = {"forf": 1.3e-6, "bagging": 2.5e-6, "tilde": 2.5e-6}  # and tree
_SECONDS_A_QUERY = 1.2e-7  # and example


def estimate_relational_job(
    kind: str, tables: RelationalDataset, n_features: int, request: Mapping[str, Any]
) -> JobEstimate:
    """Return what a job over a relational dataset would need.

    Parameters
    ----------
    kind
        ``relational_forests``, ``feature_sets`` or ``datasets``.
    tables
        The relational dataset.
    n_features
        Number of features to evaluate; 0 where the job finds them.
    request
        Its request, defaults spelled out.
    """
    n_trees = int(request.get("n_trees", 1)) if kind == "relational_forests" else 0
    n_columns = n_features or min(_MOST_FEATURES, _FEATURES_A_TREE * n_trees)
    seconds = _SECONDS_A_QUERY * tables.n_examples * n_columns + 1e-6 * tables.n_rows
    seconds += _SECONDS_A_ROW.get(str(request.get("method")), 0.0) * tables.n_rows * n_trees
    bindings = _bindings(tables, request) if n_trees else Need(0.0)
    n_bytes = tables.n_examples * (_CELL_BYTES * n_columns + 10 * n_trees)
    columns = Need(min(_BLOCK_BYTES, 16 * n_bytes) + n_bytes, "send fewer examples, or request fewer trees", "/n_trees")
    return JobEstimate((_reading(tables), bindings, columns), 1.0 + seconds)


def _reading(tables: RelationalDataset) -> Need:
    n_cells = sum(table.n_rows * len(table.columns) for table in tables.tables)
    n_rows = {table.name: table.n_rows for table in tables.tables}
    n_links = sum(n_rows[key.from_] + n_rows[key.to] for key in tables.relationships)
    longest = max(n_rows.values())
    n_bytes = _CELL_BYTES * n_cells + _LINK_BYTES * n_links + 4 * _LINK_BYTES * longest + _ID_BYTES * tables.n_examples
    return Need(_COMPILING_BYTES + n_bytes, "send fewer rows or columns", "/relational_dataset")


def _bindings(tables: RelationalDataset, request: Mapping[str, Any]) -> Need:
    """Return what the bindings of components take: of all rows once, times the rows that one more variable brings."""
    n_variables = int(request["language"]["max_variables"])
    fan_out = max((key.mean_rows for key in tables.relationships), default=1.0)
    n_bindings = min(_MOST_BINDINGS, tables.n_rows * max(1.0, fan_out) ** (n_variables - 1))
    n_bytes = _TABLES_OF_BINDINGS * 4 * (n_variables + 1) * n_bindings
    return Need(n_bytes, "allow fewer variables, or send fewer rows", "/language/max_variables")
