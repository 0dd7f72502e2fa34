"""Instances as callers send them, each explained or refused.

An explanation has the prediction, the nearest prototypes and why they are near, and the parts that the request
includes. It is composed as plain values, which takes less time than pydantic objects; a test compares it with the
contract.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.explanation_sets import ExplanationParts, NearestRowsOptions
from schemas.explanations import ExplanationRequest
from schemas.json_numbers import json_number
from storage.errors import StorageError
from tree_explainers.compute.progress import Tick, no_tick
from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.session import Outcome
from tree_explainers.prototype_sets.near_reasons import NearReasons, near_reasons
from tree_explainers.prototype_sets.nearest import contiguous_leaves

from . import documents
from .contrasts import ContrastedRow, ContrastLimits, contrasts
from .instances import ReadInstances, Run, ids_of_instances, read_instances, row_ids_of, run_readable
from .nearest_rows import RowSearch
from .reason_texts import Compared
from .sentences import summary
from .typicality import UNKNOWN
from .warm_explainer import WarmExplainer
from .warnings import near_tie

_LACKING = {
    "rules": "no rules to include; register one with a rule_set",
    "approximation_path": "no tree to lead a row; register one with an approximation_tree",
    "nearest_rows": "no reference rows to search: they are kept for at most 250,000,000 rows x (trees + features); "
    "request a prototype set of fewer rows",
}


def explain_instances(
    warm: WarmExplainer, request: ExplanationRequest, read: ReadInstances | None = None, tick: Tick = no_tick
) -> list[dict[str, Any]]:
    """Return an explanation or a refusal for each row, in their order.

    Parameters
    ----------
    request
        Its instances are explained, or else the rows that it names.
    read
        These rows, read.
    tick
        Is called before each row, and may raise.

    Raises
    ------
    StorageError
        ``too_many_rows``, or ``validation_failed`` where ``row_ids`` are not one for each instance or two are equal, or
        the explainer does not have a part to include.
    """
    parts = parts_of(warm, request)
    read = read_instances(request.instances, warm.features, tick) if read is None else read
    if request.instances:
        row_ids = ids_of_instances(request.row_ids, request.instances, warm.features)
    else:
        row_ids = row_ids_of(request.row_ids, read.n_rows)
    return explain_read(warm, parts, row_ids, read, run_readable(warm.session, read), tick)


def explain_read(
    warm: WarmExplainer,
    parts: "Parts",
    row_ids: Sequence[str],
    read: ReadInstances,
    run: Run,
    tick: Tick = no_tick,
) -> list[dict[str, Any]]:
    """Return an explanation or a refusal for each row that was read, in their order.

    Parameters
    ----------
    parts
        What explanations have.
    row_ids : (n_rows,)
        Of all rows, those that are refused included.
    run
        What ``run_readable`` returns for them.
    tick
        Is called before each row, and may raise.
    """
    outcome, indices, refused = run
    leaves = contiguous_leaves(warm.leaves(outcome))
    proximities = warm.index.proximities(leaves)
    are_near = near_ties(outcome.scores, warm.session.description)
    values = dict(zip(read.indices, read.values, strict=True))
    data: list[Any] = [None] * len(row_ids)
    for row, index in enumerate(indices):
        tick()
        is_near_tie, target = bool(are_near[row]), read.targets.get(index)
        explained = ExplainedRow(outcome, row, leaves[row], proximities[row], values[index], is_near_tie, target)
        data[index] = _explanation(warm, parts, row_ids[index], explained)
    for index, error in refused.items():
        data[index] = documents.refusal(row_ids[index], error)
    return data


# What to include.


class Parts(NamedTuple):
    """What explanations have, of what a request wants and the explainer has."""

    n_prototypes: int
    n_reasons: int | None  # None: all
    n_contrasts: int
    included: frozenset[str]
    is_full: bool
    search: RowSearch | None  # of the reference rows; None: they are not included


def parts_of(warm: WarmExplainer, request: ExplanationParts) -> Parts:
    """Return what explanations have; refuse to include what the explainer does not have."""
    has = {
        "rules": warm.rules is not None,
        "approximation_path": warm.tree is not None,
        "nearest_rows": warm.reference is not None,
    }
    if request.detail == "full":
        included, n_reasons = _ALL - {part for part, is_there in has.items() if not is_there}, None
    else:
        refuse_to_include(request.include, has, warm.explainer_id)
        included, n_reasons = frozenset(request.include), None if request.n_reasons == "all" else request.n_reasons
    search = _search(warm, request, included)
    n_contrasts, is_full = request.n_contrasts, request.detail == "full"
    return Parts(request.n_prototypes, n_reasons, n_contrasts, included, is_full, search)


def _search(warm: WarmExplainer, request: ExplanationParts, included: frozenset[str]) -> RowSearch | None:
    if "nearest_rows" not in included or warm.reference is None:
        if request.nearest_rows is not None:
            detail = "nearest_rows says which rows to list; name nearest_rows in include, too, or leave it out"
            raise StorageError("validation_failed", detail, "/nearest_rows")
        return None
    return warm.reference.search(request.nearest_rows or NearestRowsOptions())


def refuse_to_include(include: Iterable[str], has: Mapping[str, bool], explainer_id: str) -> None:
    """Refuse to include a part that an explainer does not have.

    Parameters
    ----------
    include
        The parts that a request includes.
    has
        For each part that an explainer may lack, whether this one has it.
    """
    for part in include:
        if not has.get(part, True):
            detail = f"explainer {explainer_id!r} has {_LACKING[part]}"
            raise StorageError("validation_failed", detail, "/include")


def n_values_shown(request: ExplanationParts, n_features: int) -> int:
    """Return of how many of an explainer's features an explanation shows something for each prototype, at most."""
    if request.detail == "full" or "values" in request.include or request.n_reasons == "all":
        return n_features
    return min(request.n_reasons, n_features)


def n_rows_listed(request: ExplanationParts) -> int:
    """Return how many of all reference rows an explanation lists, at most."""
    if request.detail == "full" or "nearest_rows" in request.include:
        return (request.nearest_rows or NearestRowsOptions()).n_rows
    return 0


# One row.


class ExplainedRow(NamedTuple):
    """One row of a batch, run."""

    outcome: Outcome
    row: int  # index in the outcome
    leaves: NDArray[np.int32]  # (n_trees,) by which it is compared with prototypes
    proximities: NDArray[np.int64]  # (n_prototypes,)
    values: list[Any]  # as sent, in the order of the features
    near_tie: bool
    target: str | float | None = None  # its class or value in the target column, where that is known

    @property
    def label(self) -> int | None:
        """Index of the predicted class; ``None`` for a regression."""
        labels = self.outcome.labels
        return None if labels is None else int(labels[self.row])


def _explanation(warm: WarmExplainer, parts: Parts, row_id: str, explained: ExplainedRow) -> dict[str, Any]:
    row = explained.leaves, explained.proximities
    found = near_reasons(warm.index, warm.reasons, warm.minimum, row, parts.n_prototypes)
    best = int(explained.proximities[found.nearest[0]]) if len(found.nearest) else 0
    standing = UNKNOWN if warm.typicality is None else warm.typicality.standing(best)
    prediction = _prediction(warm, explained)
    actual = {} if explained.target is None else {"target": explained.target}
    near = _nearest_prototypes(warm, parts, explained, found, abstains=standing.abstains)
    document = {
        "object": "explanation",
        "row_id": row_id,
        "status": "abstained" if standing.abstains else "ok",
        "summary": summary(prediction | actual, near, standing, warm.reason_texts.mention),
        "prediction": prediction,
        **actual,
        **standing.document,
        "warnings": _warnings(warm, explained, prediction),
        "nearest_prototypes": near,
    }
    if parts.is_full and near:
        document["prototype_prediction"] = documents.prototype_prediction(
            warm.prototypes[found.nearest[0]], prediction.get("label")
        )
    for part, (name, write) in _OPTIONAL.items() if parts.included else ():
        if part in parts.included and (written := write(warm, parts, explained, found.nearest)) is not None:
            document[name] = written
    if parts.search is not None:
        _add_nearest_rows(document, warm, parts, explained, parts.search)
    return document


def _prediction(warm: WarmExplainer, explained: ExplainedRow) -> dict[str, Any]:
    scores, label = documents.decimals(explained.outcome.scores[explained.row]), explained.label
    if label is None:
        return documents.value_prediction(scores[0])
    classes = warm.model.classes
    return documents.class_prediction(classes[label], classes, scores, near_tie=explained.near_tie)


def _nearest_prototypes(
    warm: WarmExplainer, parts: Parts, explained: ExplainedRow, found: NearReasons, *, abstains: bool
) -> list[dict[str, Any]]:
    prototypes = [warm.prototypes[index] for index in found.nearest.tolist()]
    shares = (explained.proximities[found.nearest] / warm.index.total_weight).tolist()
    # A prototype that shares a leaf by chance with the row explains nothing: there are no reasons then.
    reasons = warm.reason_texts.write(
        found.reasons,
        Compared(explained.values, [each.values for each in prototypes], warm.unexpected.of_row(explained.values)),
        0 if abstains else parts.n_reasons,
        with_intervals="intervals" in parts.included,
    )
    near: list[dict[str, Any]] = [
        {**prototype.head, "proximity": share, "reasons": own}
        for prototype, share, own in zip(prototypes, shares, reasons, strict=True)
    ]
    if parts.is_full:
        n_shared = found.n_shared.tolist()
        for rank, entry in enumerate(near, 1):
            entry |= {"rank": rank, "distance": 1 - entry["proximity"], "coverage": prototypes[rank - 1].coverage}
            entry |= {"shared_trees": n_shared[rank - 1], "n_trees": warm.index.n_trees_used}
    return near


def _warnings(warm: WarmExplainer, explained: ExplainedRow, prediction: dict[str, Any]) -> list[dict[str, str]]:
    of_row = warm.warnings.of_row(explained.values)
    if not explained.near_tie or explained.label is None:
        return of_row
    return [near_tie([(each["label"], each["value"]) for each in prediction["scores"]]), *of_row]


def _add_nearest_rows(
    document: dict[str, Any], warm: WarmExplainer, parts: Parts, explained: ExplainedRow, search: RowSearch
) -> None:
    """Add the nearest of all reference rows, and where values are included, theirs."""
    rows, found = search.nearest(explained.leaves)
    # As of prototypes: a row that is near by chance explains nothing.
    is_near = warm.minimum.is_reached(found.proximities, found.shared.sum(axis=1))
    places = [] if document["status"] == "abstained" else np.flatnonzero(is_near).tolist()
    reasons = warm.reason_texts.write(
        search.file.paths.reasons(explained.leaves, found.shared[places], warm.index.weights),
        Compared(explained.values, [rows[place].values for place in places], warm.unexpected.of_row(explained.values)),
        parts.n_reasons,
        with_intervals="intervals" in parts.included,
    )
    entries: list[dict[str, Any]] = [{**row.head, "reasons": []} for row in rows]
    for place, own in zip(places, reasons, strict=True):
        entries[place]["reasons"] = own
    document["nearest_rows"] = entries
    for entry, (_, feature) in zip(document.get("values", ()), warm.shown, strict=False):
        entry["row_values"] = [json_number(row.values[feature]) for row in rows]


# Optional parts: each returns plain values, or None where the part does not apply.


def _values(
    warm: WarmExplainer, _parts: Parts, explained: ExplainedRow, nearest: NDArray[np.int64]
) -> list[dict[str, Any]]:
    """Return the values of the row and of its nearest prototypes, feature by feature."""
    others = [warm.prototypes[index].values for index in nearest.tolist()]
    return [
        {
            "feature": name,
            "value": json_number(explained.values[feature]),
            "prototype_values": [json_number(own[feature]) for own in others],
        }
        for name, feature in warm.shown
    ]


def _contrasts(
    warm: WarmExplainer, parts: Parts, explained: ExplainedRow, _nearest: NDArray[np.int64]
) -> list[dict[str, Any]] | None:
    """Return the nearest prototypes of other classes, and what the trees ask that tell the row apart from them."""
    if explained.label is None:
        return None
    row = ContrastedRow(explained.label, explained.leaves, explained.proximities, explained.values)
    limits = ContrastLimits(parts.n_contrasts, parts.n_reasons, with_intervals="intervals" in parts.included)
    return contrasts(warm, row, limits)


def _rules(
    warm: WarmExplainer, _parts: Parts, explained: ExplainedRow, _nearest: NDArray[np.int64]
) -> orjson.Fragment | None:
    """Return the rules that hold for the row, in the order of the rule set."""
    return None if warm.rules is None else orjson.Fragment(warm.rules.text(warm.rules.firing(explained.values)))


def _path(
    warm: WarmExplainer, _parts: Parts, explained: ExplainedRow, _nearest: NDArray[np.int64]
) -> orjson.Fragment | None:
    """Return the row's path in the approximation tree, and whether the tree agrees with the model."""
    if warm.tree is None:
        return None
    return orjson.Fragment(warm.tree.text(warm.tree.leaf_of(explained.values), explained.label))


_OPTIONAL = {
    "values": ("values", _values),
    "contrast": ("contrasts", _contrasts),
    "rules": ("rules", _rules),
    "approximation_path": ("approximation_path", _path),
}
_ALL = frozenset({*_OPTIONAL, "intervals", "nearest_rows"})
