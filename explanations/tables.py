"""Explained blocks as Arrow tables: the content of the JSON lines, column by column.

Single values have columns of their own (``contrast_label``); lists stay lists. The values of features are left out:
those of the rows are in their dataset, those of the prototypes in their set. So are the sentences of reasons: the
columns beside have all that they express.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tree_explainers.prototype_sets.raw_units import RawSide

from .explained_blocks import BlockExplainer, ExplainedBlock
from .warm_explainer import WarmExplainer

_NODES = pa.list_(
    pa.struct([("id", pa.int64()), ("feature", pa.string()), ("text", pa.string()), ("holds", pa.bool_())])
)


class TableMaker:
    """Makes tables, all of one schema; what does not change from row to row is prepared. Threads may share it."""

    def __init__(self, explainer: BlockExplainer) -> None:
        warm = explainer.warm
        columns, classes = warm.reason_texts.reader.columns, warm.model.classes
        self._classes = _Names(classes)
        self._n_trees = warm.index.n_trees_used
        self._rules = _rule_entries(warm)
        self._paths = _PathColumns(warm)
        self._features = _Names([column.name for column in columns])
        self._is_transformed = np.array([column.transformed for column in columns], dtype=np.bool_)
        prototypes = warm.prototypes
        self._row_ids = _Names([prototype.row_id for prototype in prototypes])
        self._labels = explainer.labels
        self._values = np.array([prototype.value for prototype in prototypes], dtype=np.float64)
        coverages = [prototype.coverage for prototype in prototypes]
        self._covered = np.array([coverage["n_rows"] for coverage in coverages], dtype=np.int64)
        self._covered_shares = np.array([coverage["share"] for coverage in coverages], dtype=np.float64)

    def make(self, explained: ExplainedBlock) -> pa.Table:
        """Return the table of a block: a line for each row."""
        columns = {
            **self._predictions(explained),
            **self._prototype_predictions(explained),
            **self._contrasts(explained),
            "nearest_prototypes": _lists(explained.near.bounds, self._near_prototypes(explained)),
            "rules": self._rules_of(explained),
            **self._paths.of(explained),
        }
        return pa.table(_rows(explained) | _for_all_rows(columns, explained))

    def _predictions(self, explained: ExplainedBlock) -> dict[str, pa.Array]:
        labels, scores = explained.outcome.labels, explained.scores
        n_accepted, n_scores = scores.shape
        is_regression = labels is None
        named = {
            "label": self._classes.of(np.tile(np.arange(0 if is_regression else n_scores), n_accepted)),
            "value": pa.array(np.empty(0) if is_regression else scores.ravel()),
        }
        bounds = np.arange(n_accepted + 1) * (0 if is_regression else n_scores)
        return {
            "prediction_label": self._classes.of(np.full(n_accepted, -1) if labels is None else labels),
            "prediction_value": pa.array(scores[:, 0]) if is_regression else pa.nulls(n_accepted, pa.float64()),
            "prediction_scores": _lists(bounds, _struct(named)),
            "prediction_near_tie": pa.array(explained.near_ties),
        }

    def _prototype_predictions(self, explained: ExplainedBlock) -> dict[str, pa.Array]:
        nearest, is_assigned = explained.nearest, explained.nearest >= 0
        is_null = ~is_assigned | (explained.outcome.labels is None)
        return {
            "prototype_prediction_status": _Names(["unassigned", "assigned"]).of(is_assigned.astype(np.int64)),
            "prototype_prediction_label": self._classes.of(np.where(is_assigned, self._labels[nearest], -1)),
            "prototype_prediction_value": _numbers(np.where(is_assigned, self._values[nearest], np.nan)),
            "prototype_prediction_agrees": pa.array(explained.agrees, mask=is_null),
        }

    def _contrasts(self, explained: ExplainedBlock) -> dict[str, pa.Array]:
        has_none = explained.contrasts < 0
        return {
            "contrast_row_id": self._row_ids.of(explained.contrasts),
            "contrast_label": self._classes.of(np.where(has_none, -1, self._labels[explained.contrasts])),
            "contrast_proximity": pa.array(explained.contrast_shares, mask=has_none),
        }

    def _rules_of(self, explained: ExplainedBlock) -> pa.ListArray:
        if explained.fires is None:
            return pa.nulls(len(explained.accepted), pa.list_(self._rules.type))
        bounds = np.concatenate(([0], np.cumsum(explained.fires.sum(axis=1))))
        return _lists(bounds, self._rules.take(pa.array(np.nonzero(explained.fires)[1])))

    def _near_prototypes(self, explained: ExplainedBlock) -> pa.StructArray:
        near = explained.near
        rank = np.arange(len(near.prototypes)) - np.repeat(near.bounds[:-1], np.diff(near.bounds))
        return _struct(
            {
                "rank": pa.array(rank + 1),
                "row_id": self._row_ids.of(near.prototypes),
                "label": self._classes.of(self._labels[near.prototypes]),
                "value": _numbers(self._values[near.prototypes]),
                "proximity": pa.array(explained.shares),
                "distance": pa.array(1 - explained.shares),
                "shared_trees": pa.array(near.shared.sum(axis=1)),
                "n_trees": pa.array(np.full(len(rank), self._n_trees)),
                "coverage_n_rows": pa.array(self._covered[near.prototypes]),
                "coverage_share": pa.array(self._covered_shares[near.prototypes]),
                "similar_because": _lists(explained.reasons.bounds, self._reasons(explained)),
            }
        )

    def _reasons(self, explained: ExplainedBlock) -> pa.StructArray:
        reasons = explained.reasons
        category, excluded_categories = _of_others(explained)
        return _struct(
            {
                "feature": self._features.of(reasons.column),
                "low": _numbers(explained.lows.decimals),
                "high": _numbers(explained.highs.decimals),
                "low_inclusive": _has(reasons.side, RawSide.LOW_INCLUSIVE),
                "high_inclusive": _has(reasons.side, RawSide.HIGH_INCLUSIVE),
                "or_missing": _has(reasons.side, RawSide.OR_MISSING),
                "is_missing": _has(reasons.side, RawSide.IS_MISSING),
                "category": category,
                "excluded_categories": excluded_categories,
                "share_of_trees": pa.array(reasons.share_of_trees),
                "transformed": pa.array(self._is_transformed[reasons.column]),
                "exact": _has(reasons.side, RawSide.EXACT),
            }
        )


def _rule_entries(warm: WarmExplainer) -> pa.StructArray:
    """Return the entry of each rule, (n_rules,); a prediction is a number in regression, else a text."""
    entries = () if warm.rules is None else warm.rules.entries
    kind = pa.string() if warm.model.classes else pa.float64()
    return _struct(
        {
            "rank": pa.array([rule["rank"] for rule in entries], pa.int64()),
            "text": pa.array([rule["text"] for rule in entries], pa.string()),
            "prediction": pa.array([rule["prediction"] for rule in entries], kind),
        }
    )


class _PathColumns:
    """Paths in the approximation tree: whether it agrees, the nodes passed, the leaf reached."""

    def __init__(self, warm: WarmExplainer) -> None:
        paths = () if warm.tree is None else warm.tree.paths
        self._nodes = pa.array([path and path["nodes"] for path in paths], _NODES)
        self._leaves = pa.array(
            [path and path["leaf"] for path in paths], _leaf_type(is_regression=not warm.model.classes)
        )
        self._is_regression = not warm.model.classes

    def of(self, explained: ExplainedBlock) -> dict[str, pa.Array]:
        """Return the columns of accepted rows; all null where paths are not included."""
        if explained.reached is None:
            n_accepted = len(explained.accepted)
            agrees, nodes, leaves = (
                pa.nulls(n_accepted, kind) for kind in (pa.bool_(), self._nodes.type, self._leaves.type)
            )
        else:
            reached = pa.array(explained.reached)
            agrees = pa.nulls(len(reached), pa.bool_()) if self._is_regression else pa.array(explained.tree_agrees)
            nodes, leaves = self._nodes.take(reached), self._leaves.take(reached)
        return {
            "approximation_path_agrees": agrees,
            "approximation_path_nodes": nodes,
            "approximation_path_leaf": leaves,
        }


def _leaf_type(*, is_regression: bool) -> pa.DataType:
    """Return the type of a leaf; a prediction is a number in regression, else a text."""
    score = pa.struct([("label", pa.string()), ("value", pa.float64())])
    prediction = pa.float64() if is_regression else pa.string()
    fields = [("id", pa.int64()), ("prediction", prediction), ("scores", pa.list_(score)), ("n_samples", pa.int64())]
    return pa.struct(fields)


class _Names:
    """Texts that many lines share."""

    def __init__(self, names: Sequence[str]) -> None:
        distinct = list(dict.fromkeys(names))
        index_of = {name: index for index, name in enumerate(distinct)}
        self._distinct = pa.array(distinct, pa.string())
        self._index = np.array([index_of[name] for name in names] + [-1], dtype=np.int32)  # -1: none

    def of(self, indices: NDArray[np.int64]) -> pa.DictionaryArray:
        """Return the names with these indices; -1 represents none."""
        codes = self._index[indices]
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), self._distinct)


def _rows(explained: ExplainedBlock) -> dict[str, pa.Array]:
    rows, n_rows = explained.rows, len(explained.rows)
    problems: list[dict[str, Any] | None] = [None] * n_rows
    for row, refusal in explained.refusals.items():
        problems[row] = refusal["problem"]
    is_refused = np.array([problem is not None for problem in problems], dtype=np.int64)
    return {
        "row": pa.array(np.arange(rows.first_row, rows.first_row + n_rows)),
        "row_id": pa.array(rows.row_ids, pa.string()),
        "status": _Names(["ok", "error"]).of(is_refused),
        "problem_code": pa.array([problem and problem["code"] for problem in problems], pa.string()),
        "problem_detail": pa.array([problem and problem["detail"] for problem in problems], pa.string()),
    }


def _for_all_rows(columns: Mapping[str, pa.Array], explained: ExplainedBlock) -> dict[str, pa.Array]:
    """Return columns of accepted rows as columns of all rows: null for the others."""
    if not explained.refusals:
        return dict(columns)
    index = np.full(len(explained.rows), -1)
    index[explained.accepted] = np.arange(len(explained.accepted))
    indices = pa.array(index, mask=index < 0)
    return {name: column.take(indices) for name, column in columns.items()}


def _of_others(explained: ExplainedBlock) -> tuple[pa.Array, pa.Array]:
    """Return ``category`` and ``excluded_categories`` of the reasons; categories are given as text."""
    reasons = explained.reasons
    others = pa.array(np.where(reasons.other < 0, len(reasons.others), reasons.other))
    categories = [None if reason["category"] is None else str(reason["category"]) for reason in reasons.others]
    excluded = [[str(category) for category in reason["excluded_categories"]] for reason in reasons.others]
    return (
        pa.array([*categories, None], pa.string()).take(others),
        pa.array([*excluded, []], pa.list_(pa.string())).take(others),
    )


def _struct(fields: Mapping[str, pa.Array]) -> pa.StructArray:
    return pa.StructArray.from_arrays(list(fields.values()), names=list(fields))


def _lists(bounds: NDArray[np.int64], values: pa.Array) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(bounds.astype(np.int32)), values)


def _has(sides: NDArray[np.int64], side: RawSide) -> pa.Array:
    return pa.array((sides & int(side)) != 0)


def _numbers(values: NDArray[np.float64]) -> pa.Array:
    return pa.array(values, from_pandas=True)  # NaN: null
