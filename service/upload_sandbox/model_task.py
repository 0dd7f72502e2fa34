"""read_model, in the child: an ONNX file becomes a description, arrays and the graph that returns leaves.

Its predictions are compared with the caller's own (parity).
"""

from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandbox.messages import ENSEMBLE, LEAF_GRAPH, Request
from schemas.json_numbers import number_of
from storage.array_files import write_arrays
from tree_explainers.bags import Bags
from tree_explainers.compute.code_cache import NotCompiled, only_load
from tree_explainers.compute.compiled import hand_over_loops, load_compiler
from tree_explainers.errors import ExplainerError, InvalidInput, ModelRefused
from tree_explainers.onnx_models.decision_rule import DecisionRule
from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import (
    DeclaredModel,
    Engine,
    FeatureGroup,
    ModelDescription,
    ModelLimits,
    column_types,
)
from tree_explainers.onnx_models.engine_comparison import compare_engines
from tree_explainers.onnx_models.parity import check_parity
from tree_explainers.onnx_models.reading import ReadModel
from tree_explainers.onnx_models.session import ModelSession, load_runtime
from tree_explainers.onnx_models.walked_session import WalkedSession
from tree_explainers.rows import Rows


def load_libraries() -> None:
    """Load what else would be loaded with the first model or loop: a child has no rights to open it."""
    load_compiler(is_alone=True)
    hand_over_loops()
    load_runtime()
    import_module("numpy.ma")


def read_model_upload(request: Request) -> dict[str, Any]:
    """Write the arrays and the graph beside the upload; return the description, and how far parity holds."""
    upload = Path(request.upload)
    derived = derive_model(upload.read_bytes(), _declared(request.metadata), ModelLimits(**request.limits))
    decision = DecisionRule.declared(request.metadata.get("decision"), derived.read.description.classes)
    if decision is not None and derived.read.description.score_kind == "probability":
        decision.refuse_beyond(0, 1)
    parity = compare_predictions(derived.session, request.metadata.get("parity"))
    (upload.parent / LEAF_GRAPH).write_bytes(derived.read.leaf_graph)
    (upload.parent / ENSEMBLE).write_bytes(write_arrays(derived.read.arrays()))
    engine = _engine(derived.read, request.metadata.get("parity"))
    bags = _bags(request, derived.read.description)
    description = replace(derived.read.description, engine=engine, decision=decision, bags=bags)
    return {"description": description.to_json(), "parity": parity}


def _bags(request: Request, description: ModelDescription) -> Bags | None:
    """Return which rows each tree was trained on, if the caller says so; ``ModelRefused`` where it does not fit."""
    document = request.metadata.get("bags")
    if document is None:
        return None
    bags = Bags(**{**document, "seeds": tuple(document["seeds"])})
    if len(bags.seeds) != description.n_trees:
        detail = (
            f"bags: there are {len(bags.seeds):,} seeds, and the model has {description.n_trees:,} trees; send one for "
            "each tree, in their order, or leave bags out"
        )
        raise ModelRefused("validation_failed", detail)
    if description.ensemble == "boosting":
        detail = "bags: the trees of this model are added one after the other, and no tree votes alone; leave bags out"
        raise ModelRefused("validation_failed", detail)
    return bags


def _engine(read: ReadModel, parity: dict[str, Any] | None) -> Engine:
    """Return what finds the leaves of many rows; this process loads loops that are compiled, and compiles none."""
    description = read.description
    if description.engine.is_compared or not only_load():
        return description.engine
    parity_rows = None if parity is None else _parity_rows(description, parity["rows"])
    try:
        session = WalkedSession(lambda: read.leaf_graph, description, read.ensemble, read.for_walker)
        return compare_engines(session, read.ensemble, parity_rows)
    except NotCompiled:
        return description.engine


def _declared(metadata: dict[str, Any]) -> DeclaredModel:
    return DeclaredModel(
        feature_names=_tuple(metadata.get("feature_names")),
        classes=_tuple(metadata.get("classes")),
        ensemble=metadata.get("ensemble"),
        feature_groups=tuple(FeatureGroup.from_json(group) for group in metadata.get("feature_groups") or ()),
        oracle_only=metadata.get("oracle_only", False),
        finite_only=metadata.get("finite_only", False),
    )


def _tuple(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def compare_predictions(session: ModelSession, parity: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return how closely the model agrees with ``{"rows", "predictions", "labels"}``, or None where there are none.

    Raises
    ------
    ModelRefused
        ``model_parity_failed``, or the code of what is wrong with the rows themselves.
    """
    if parity is None:
        return None
    try:
        rows = _parity_rows(session.description, parity["rows"])
        predictions = parity["predictions"]
        if len({len(scores) for scores in predictions}) > 1:
            msg = "predictions differ in length; send one score for each class, or one value, in each row"
            raise InvalidInput(msg)
        report = check_parity(session, rows, np.array(predictions, dtype=np.float64), parity.get("labels"))
    except ModelRefused:
        raise
    except ExplainerError as error:
        raise ModelRefused(error.code, f"parity: {error.detail}") from error
    counts = {name: parity.get(name, 0) for name in ("n_beyond_precision", "n_drawn")}
    return {**asdict(report), **counts}


def _parity_rows(description: ModelDescription, rows: list[list[Any]]) -> Rows:
    n_features = len(description.feature_names)
    for index, row in enumerate(rows):
        if len(row) != n_features:
            msg = f"row {index} has length {len(row)}, and the model's number of features is {n_features}"
            raise InvalidInput(msg)
    types = column_types(description.inputs)
    columns = [_column([row[column] for row in rows], is_text=kind == "string") for column, kind in enumerate(types)]
    return Rows(description.feature_names, tuple(columns))


def _column(values: list[Any], *, is_text: bool) -> NDArray[Any]:
    if is_text:
        values = [value if value is None or isinstance(value, str) else f"{value:g}" for value in values]
    else:
        values = [number_of(value) for value in values]
    if is_text or any(isinstance(value, str) for value in values):
        # Texts in a column of numbers are refused by the session, which names row and feature.
        return np.array([None, *values], dtype=np.object_)[1:]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
