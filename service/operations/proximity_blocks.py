"""Compare a few rows with a few others, while the caller waits.

Answers are built as plain values and written as JSON line by line; a test holds them against the contract.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from explanations.instances import Features, ReadInstances, read_instances, row_ids_of, run_readable
from schemas.models import Model
from schemas.nouns import NOUNS
from schemas.problems import problem_for, problem_json
from schemas.proximities import ProximityBlockRequest
from storage.array_files import read_archive
from storage.errors import NotFound, StorageError
from tree_explainers.errors import RowRefused
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights
from tree_explainers.leaf_space.proximity import proximity_block
from tree_explainers.onnx_models.session import ModelSession

from ..app_context import Parts
from .artefacts import ready_result
from .proximity_kinds import known_kind

_NOUNS_WITH_WEIGHTS = tuple(noun for noun in NOUNS.made_by_jobs if "weights" in noun.arrays)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What it takes to compare rows."""

    model: Model
    session: ModelSession
    kind: ProximityKind
    weights: NDArray[np.int64] | None  # (n_trees,); None: the rows themselves weigh the trees, by these values
    values: dict[str, NDArray[Any]]  # leaf_values, (n_leaves, n_outputs), and leaf_offsets, (n_trees + 1,)


@dataclass(frozen=True, slots=True)
class _SeenRows:
    """Rows as the model sees them."""

    row_ids: Sequence[str]  # of all that were sent
    leaves: NDArray[np.int32]  # (n_readable, n_trees)
    positions: list[int]  # of those that can be read, among those sent
    refused: dict[int, RowRefused]


async def compare_rows(parts: Parts, model_id: str, request: ProximityBlockRequest) -> bytes:
    """Return the proximity of each instance to each of the others, as JSON.

    Raises
    ------
    NotFound
        If there is no such model, or nothing with the weights asked for.
    StorageError
        ``too_many_rows``, ``validation_failed`` for two equal ids, ``ensemble_unknown``, ``conflict`` for weights of
        another model or kind, or ``unavailable`` where too many rows wait already.
    """
    comparison = await asyncio.to_thread(_prepare, parts, model_id, request)
    n_rows = len(request.instances) + len(request.others)
    return await parts.batches.run(n_rows, lambda: _compare(comparison, request))


def _prepare(parts: Parts, model_id: str, request: ProximityBlockRequest) -> _Comparison:
    stored = parts.models.get(model_id)
    kind = known_kind(request.proximity_kind, stored.view)
    weights, values = None, {}
    if request.weights_of is not None:
        weights = _weights_of(parts, model_id, kind, request.weights_of)
    elif kind == "random_forest":
        weights = np.ones(stored.view.n_trees, dtype=np.int64)
    else:
        values = read_archive(parts.objects.path(stored.ensemble), "leaf_values", "leaf_offsets")
    return _Comparison(stored.view, parts.sessions.get(model_id), kind, weights, values)


def _weights_of(parts: Parts, model_id: str, kind: ProximityKind, artefact_id: str) -> NDArray[np.int64]:
    noun = next((noun for noun in _NOUNS_WITH_WEIGHTS if artefact_id.startswith(noun.id_prefix)), None)
    if noun is None:
        raise NotFound("artefact", artefact_id, "take the id of proximities, a label audit or a prototype set")
    artefact = parts.artefacts.get(noun.name, artefact_id)
    ready_result(artefact)
    if artefact.model != model_id or artefact.request["proximity_kind"] != kind:
        made = f"{artefact_id!r} is of model {artefact.model!r} and kind {artefact.request['proximity_kind']!r}"
        raise StorageError("conflict", f"{made}, but asked is {kind!r} of {model_id!r}", "/weights_of")
    return read_archive(parts.objects.path(artefact.arrays or ""), "weights")["weights"]


def _compare(comparison: _Comparison, request: ProximityBlockRequest) -> bytes:
    features = Features.of(comparison.model)
    # Ids are looked at before the rows are.
    instance_ids = row_ids_of(request.row_ids, len(request.instances))
    other_ids = row_ids_of(request.other_row_ids, len(request.others), "/other_row_ids")
    instances = _see(comparison.session, read_instances(request.instances, features), instance_ids)
    others = _see(comparison.session, read_instances(request.others, features), other_ids)
    document = {
        "object": "proximity_block",
        "model": comparison.model.id,
        "proximity_kind": comparison.kind,
        "n_trees": comparison.model.n_trees,
        "weights_of": request.weights_of,
        "instances": _statuses(instances),
        "others": _statuses(others),
        "proximities": _lines(comparison, instances, others),
    }
    return orjson.dumps(document)


def _see(session: ModelSession, read: ReadInstances, row_ids: Sequence[str]) -> _SeenRows:
    outcome, positions, refused = run_readable(session, read)
    return _SeenRows(row_ids, outcome.leaves, positions, refused)


def _lines(comparison: _Comparison, instances: _SeenRows, others: _SeenRows) -> list[orjson.Fragment | None]:
    """Return a line for each instance; NaN is written as null."""
    lines: list[orjson.Fragment | None] = [None] * len(instances.row_ids)
    weights = _weights(comparison, np.concatenate([instances.leaves, others.leaves]))
    shared = proximity_block(instances.leaves, others.leaves, weights)
    line = np.full(len(others.row_ids), np.nan)
    for position, of_row in zip(instances.positions, shared / weights.sum(), strict=True):
        line[others.positions] = of_row
        # One line at a time: the interpreter's lock is let go of in between.
        lines[position] = orjson.Fragment(orjson.dumps(line, option=orjson.OPT_SERIALIZE_NUMPY))
    return lines


def _weights(comparison: _Comparison, leaves: NDArray[np.int32]) -> NDArray[np.int64]:
    if comparison.weights is not None:
        return comparison.weights
    if len(leaves) == 0:
        return np.ones(leaves.shape[1], dtype=np.int64)  # nothing is to be compared
    table = LeafTable.from_leaves(leaves, np.diff(comparison.values["leaf_offsets"]))
    return tree_weights(comparison.kind, table, comparison.values["leaf_values"])


def _statuses(rows: _SeenRows) -> list[dict[str, Any]]:
    statuses: list[dict[str, Any]] = [{"row_id": row_id, "status": "ok", "problem": None} for row_id in rows.row_ids]
    for position, error in rows.refused.items():
        problem = problem_json(problem_for(error.code, error.detail))
        statuses[position] = {"row_id": rows.row_ids[position], "status": "error", "problem": problem}
    return statuses
