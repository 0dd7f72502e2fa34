"""The smallest changes of a row that would give it another outcome, as explanations have them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.explanation_sets import NearestRowsOptions
from schemas.json_numbers import json_number
from tree_explainers.changes.cost import change_seconds, curve_seconds
from tree_explainers.changes.row_changes import Change, FeatureChange
from tree_explainers.changes.smallest_changes import SearchLimits
from tree_explainers.changes.value_axes import RawValue
from tree_explainers.changes.wishes import BandWish, ClassWish, Wish
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.prototype_sets.nearest import contiguous_leaves
from tree_explainers.rows import Rows

from .change_options import ChangesOptions
from .documents import decimals
from .warm_explainer import WarmExplainer

MAX_CELLS = 1_000_000
"""Cells of the grids that a search for changes of two features looks at, for one row."""

MAX_PAIRS = 500
"""Pairs of features that it looks at, for one row: all of them of 32 features."""

_SIZE_DIGITS = 3  # beyond which sizes count as equal
_N_OPTIONS = 3  # of each number of features
_N_RANKED = 8  # of these the most plausible are returned


def search_limits(max_features: int) -> SearchLimits:
    """Return how far changes of at most so many features are searched."""
    return SearchLimits(max_features, _N_RANKED, max_cells=MAX_CELLS, max_pairs=MAX_PAIRS)


def search_seconds(include: Sequence[str], max_features: int, n_features: int, n_trees: int) -> float:
    """Return the seconds in which a row's curves are drawn, and its changes searched, where these are included."""
    seconds = curve_seconds(n_features, n_trees) if "curves" in include else 0.0
    if "changes" in include:
        seconds += change_seconds(search_limits(max_features), n_features, n_trees)
    return seconds


class ChangedRow(NamedTuple):
    """The row that is to be changed."""

    raw: Rows  # one row
    values: Sequence[Any]  # (n_features,) as sent
    scores: NDArray[np.floating[Any]]  # (n_scores,)
    outcome: int  # its index among the outcomes


def changes_of(warm: WarmExplainer, options: ChangesOptions, row: ChangedRow) -> dict[str, Any] | None:
    """Return the changes that give a row another outcome; ``None`` where it has the wished one, or the best."""
    description = warm.session.description
    wished = _wished(description, options.outcome, row)
    if wished is None or wished == row.outcome:
        return None
    search, (wish, column) = warm.changes.open(), _wish(description, wished, row.scores.dtype)
    limits = search_limits(options.max_features)
    changes = search.find(row.raw, wish, warm.wording.bounds.with_those_of(options.constraints), limits)
    document = {
        "outcome": description.outcomes[wished],
        **warm.wording.words.outcome_text(description.outcomes[wished]),
        "n_features_searched": changes.n_features_searched,
        "none_with_fewer": changes.none_with_fewer,
        "options": _options(warm, changes.options, row, description.outcomes[wished], column),
    }
    hidden = warm.wording.bounds.hidden
    if not_searched := [feature for feature in changes.not_searched if feature not in hidden]:
        document["not_searched"] = not_searched
    if changes.n_pairs_left:
        document["n_pairs_left"] = changes.n_pairs_left
    return document


def _wished(description: ModelDescription, name: str | None, row: ChangedRow) -> int | None:
    """Return the index of the wished outcome, by default of the next better one, or of the next class by its score."""
    if name is not None:
        return description.outcomes.index(name)
    if description.decides_apart:
        assert description.decision is not None
        return description.decision.better(row.outcome)
    names = description.outcomes
    scores = {names.index(label): score for label, score in zip(description.classes, row.scores.tolist(), strict=True)}
    return max((index for index in scores if index != row.outcome), key=scores.__getitem__, default=None)


def _wish(description: ModelDescription, wished: int, dtype: np.dtype[Any]) -> tuple[Wish, int]:
    """Return the outcome as a wish, and the column of the score that it is of."""
    rule = description.decision
    if rule is not None and description.decides_apart:
        ends = np.array([-np.inf, *rule.ends, np.inf], dtype).astype(np.float64).tolist()
        return BandWish(rule.column, ends[wished], ends[wished + 1]), rule.column
    column = description.classes.index(description.outcomes[wished])
    return ClassWish(column, description.rounding, description.labels_are_highest), column


def _options(
    warm: WarmExplainer, changes: Sequence[Change], row: ChangedRow, outcome: str, column: int
) -> list[dict[str, Any]]:
    if not changes:
        return []
    run = warm.session.run_rows(_rows_of(warm, changes, row)).outcome
    proximities = warm.index.proximities(contiguous_leaves(warm.leaves(run)))
    scores = decimals(np.array([change.scores[column] for change in changes]))
    options: list[dict[str, Any]] = []
    for at in most_plausible(changes, proximities.max(axis=1)):
        change = changes[at]
        typicality = {} if warm.typicality is None else warm.typicality.standing(int(proximities[at].max())).document
        nearest = _nearest_row(warm, outcome, run.leaves[at], proximities[at])
        options.append(
            {
                "changes": [_changed_feature(warm, part, row) for part in change.parts],
                "score": scores[at],
                "outcome": outcome,
                **typicality,
                **({} if nearest is None else {"nearest_row": nearest}),
            }
        )
    return options


def most_plausible(changes: Sequence[Change], nearest: NDArray[np.int64]) -> list[int]:
    """Return which changes to show, in their order: by number of features, and of each number at most three.

    Rows that share no leaf with any prototype come last, whatever the change; then small changes come first, and of the
    same size those whose rows are nearer to a prototype.

    Parameters
    ----------
    changes
        All that were found.
    nearest : (n_changes,)
        Proximity of each changed row to its nearest prototype.
    """
    by_number: dict[int, list[int]] = {}
    for at, change in enumerate(changes):
        by_number.setdefault(len(change.parts), []).append(at)
    return [
        at
        for n_features in sorted(by_number)
        for at in sorted(
            by_number[n_features],
            key=lambda at: (nearest[at] == 0, round(changes[at].size, _SIZE_DIGITS), -nearest[at]),
        )[:_N_OPTIONS]
    ]


def _rows_of(warm: WarmExplainer, changes: Sequence[Change], row: ChangedRow) -> Rows:
    names = warm.session.description.feature_names
    columns = zip(row.raw.select(names).columns, zip(*(change.row for change in changes), strict=True), strict=True)
    return Rows(
        tuple(names), tuple(np.array([None, *cells], np.object_)[1:].astype(own.dtype) for own, cells in columns)
    )


def _changed_feature(warm: WarmExplainer, part: FeatureChange, row: ChangedRow) -> dict[str, Any]:
    names = warm.session.description.feature_names
    if len(part.raw_values) > 1:
        columns = [{"column": names[at], "value": value} for at, value in part.raw_values.items()]
        value, to, more = part.value, part.to, {"columns": columns}
    else:
        ((at, raw),) = part.raw_values.items()
        value, to, more = row.values[at], _as_sent(raw, row.values[at]), {}
    words = warm.wording.words.of(part.feature)
    text = f"{words.name} is {words.instead_of(to, value)}"
    return {"feature": part.feature, "value": json_number(value), "to": json_number(to), **more, "text": text}


def _as_sent(raw: RawValue, own: Any) -> Any:  # a value as callers send it
    """Return a raw value as callers send it: truth values as they send these, and nothing where one is missing."""
    if raw != raw:  # NaN
        return None
    return bool(raw) if isinstance(own, bool) and raw in (0.0, 1.0) else raw


def _nearest_row(
    warm: WarmExplainer, outcome: str, leaves: NDArray[np.int32], proximities: NDArray[np.int64]
) -> Mapping[str, Any] | None:
    """Return the nearest reference row, or else the nearest prototype, that has an outcome; ``None``: there is none.

    Parameters
    ----------
    warm
        The explainer.
    outcome
        That of the changed row.
    leaves : (n_trees,)
        The model's own leaves of the changed row: reference rows may be compared by others than prototypes.
    proximities : (n_prototypes,)
        Those of the changed row to the prototypes.
    """
    if warm.reference is not None:
        if outcome not in warm.reference.labels:
            return None
        search = warm.reference.search(NearestRowsOptions(n_rows=1, classes=[outcome]))
        rows, _ = search.nearest(search.file.leaves(leaves[None])[0])
        return {name: cell for name, cell in rows[0].head.items() if name != "label"} if rows else None
    of_outcome = [at for at, prototype in enumerate(warm.prototypes) if prototype.label == outcome]
    nearest = max(of_outcome, key=lambda at: int(proximities[at]), default=None)
    if nearest is None or proximities[nearest] == 0:
        return None
    head = warm.prototypes[nearest].head
    actual = {"target": head["target"]} if "target" in head else {}
    return {"row_id": head["row_id"], **actual, "proximity": int(proximities[nearest]) / warm.index.total_weight}
