"""WarmExplainer: everything that explaining a row needs, read once and held in memory."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.approximation_trees import ApproximationTreeResult
from schemas.explainers import Explainer
from schemas.json_numbers import number_of
from schemas.models import Model
from schemas.rule_sets import RuleSetResult
from storage.array_files import read_arrays
from storage.database import Database
from storage.dataset_rows import open_rows
from storage.object_store import ObjectStore
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.leaf_space.coarser_leaves import map_leaves
from tree_explainers.onnx_models.session import ModelSession, Outcome
from tree_explainers.prototype_sets.leaf_boxes import LeafBoxes
from tree_explainers.prototype_sets.leaf_paths import LeafPaths
from tree_explainers.prototype_sets.nearest import PrototypeIndex
from tree_explainers.prototype_sets.readable import ReasonReader, feature_numbers
from tree_explainers.prototype_sets.reasons import Reasons
from tree_explainers.prototype_sets.row_coverage import MinimumProximity
from tree_explainers.rows import Rows

from .change_search import WarmChanges
from .effects import ReferenceCase, WarmEffects, rows_of_values
from .evidence import WarmEvidence
from .explainer_records import ExplainerRecords, read_explainer
from .feature_phrases import VALUES, phrases_of
from .instances import Features
from .nearest_rows import WarmReference
from .nested_instances import NestedFeatures
from .reason_texts import ReasonTexts
from .reference import UnexpectedlyMissing, feature_columns, reference_columns
from .reference_file import ReferenceFile, evenly_spaced
from .rules import WarmRules
from .trees import WarmTree
from .typicality import TypicalityScale
from .warnings import RowWarnings

OpenSession = Callable[[str], ModelSession]
"""Opens the model with this id, or finds it open."""

_BOXES = "boxes_"
_REFERENCE = "reference_rows"  # name of the prototype set's file
_MAX_VALUE_ROWS = 20_000  # reference rows whose values and quantiles changes use: less than a second to read


@dataclass(frozen=True, slots=True)
class WarmPrototype:
    """The part of explanations about a prototype that is the same for all rows near it."""

    row_id: str
    label: str | None
    value: float | None
    coverage: dict[str, Any]
    values: tuple[Any, ...]  # (n_features,) in the model's order; only those of shown features are ever used
    head: dict[str, Any]  # the beginning of its entry


@dataclass(frozen=True, slots=True)
class WarmExplainer:
    """An explainer, ready to answer without a database, a disk or a queue."""

    explainer_id: str
    model: Model
    dataset_id: str  # of the reference rows
    features: Features
    session: ModelSession
    index: PrototypeIndex
    effects: WarmEffects | None  # None: the model's scores are no sums over its trees
    coarser: tuple[NDArray[Any], NDArray[np.int64]] | None  # coarser leaf of each leaf, where each tree's leaves begin
    reasons: Reasons
    reason_texts: ReasonTexts
    unexpected: UnexpectedlyMissing
    warnings: RowWarnings
    minimum: MinimumProximity  # for a prototype to explain a row
    typicality: TypicalityScale | None  # None: the prototype set has none
    prototypes: tuple[WarmPrototype, ...]
    by_outcome: bool  # prototypes are of the outcomes that are decided, not of the predicted classes
    shown: tuple[tuple[str, int], ...]  # the features that callers may see, and their indices among the model's
    rules: WarmRules | None
    tree: WarmTree | None
    reference: WarmReference | None
    changes: WarmChanges
    evidence: WarmEvidence | None  # None: there are no reference rows
    stores_explanations: bool  # where the service allows it
    provenance: dict[str, Any]

    def leaves(self, outcome: Outcome) -> NDArray[np.int32]:
        """Return the leaves by which rows are compared with prototypes, (n_rows, n_trees).

        They are the model's own, or the coarser ones that the prototype set was made with.
        """
        return outcome.leaves if self.coarser is None else map_leaves(*self.coarser, outcome.leaves)

    def compared_classes(self, outcome: Outcome) -> NDArray[np.int64] | None:
        """Return the class or outcome of each row, (n_rows,), that prototypes of others contrast with; or ``None``."""
        if not self.by_outcome:
            return outcome.labels
        return self.session.description.outcome_indices(outcome.scores, outcome.labels)

    @property
    def paths(self) -> LeafPaths | None:
        """The paths to these leaves, from the file of the reference rows; ``None`` where that is not kept."""
        return None if self.reference is None else self.reference.open().paths


def warm_up(explainer_id: str, database: Database, objects: ObjectStore, open_session: OpenSession) -> WarmExplainer:
    """Return the explainer, opened; raise ``NotFound`` where there is none."""
    records = read_explainer(explainer_id, database, objects)
    return warm_up_records(records, objects, open_session(records.model.id))


def warm_up_records(records: ExplainerRecords, objects: ObjectStore, session: ModelSession) -> WarmExplainer:
    """Return the explainer, opened from what the database knows of it, its objects, and its open model."""
    explainer, model, dataset, queries = records.explainer, records.model, records.dataset.view, records.queries
    result = json.loads(objects.get(records.prototype_set.result or ""))
    arrays = read_arrays(objects.get(records.prototype_set.arrays or ""))
    boxes = _leaf_boxes(arrays)
    shown = None if explainer.shown_features == "all" else frozenset(explainer.shown_features)
    reference = reference_columns(model, session.description.missing_tokens, dataset)
    columns = feature_columns(model, dataset)
    by_outcome = session.description.decides_apart and records.prototype_set.request["labels"] == "predicted"
    prototypes = tuple(_prototype(item, model) for item in result["prototypes"])
    index = PrototypeIndex.build(arrays["leaves"], arrays["weights"], arrays["classes"])
    reference_rows = _reference(records, objects, session, result["classes"])
    return WarmExplainer(
        explainer_id=explainer.id,
        model=model,
        dataset_id=dataset.id,
        features=Features.of(model, None if queries is None else NestedFeatures.of(queries, columns)),
        session=session,
        index=index,
        effects=WarmEffects.of(
            session.description,
            read_arrays(objects.get(records.ensemble)),
            tuple(_reference_case(prototype) for prototype in prototypes),
            np.asarray(arrays["classes"], np.int64),
            by_outcome=by_outcome,
            shown=shown,
            reference=reference_rows,
        ),
        coarser=(arrays["coarser_leaves"], arrays["leaf_offsets"]) if "coarser_leaves" in arrays else None,
        reasons=Reasons.build(boxes),
        reason_texts=ReasonTexts.build(
            ReasonReader.build(session.description.columns, session.description.precision, reference, boxes.sets),
            shown,
            phrases_of(model.feature_names, columns, queries, session.description.precision, _values(arrays)),
        ),
        unexpected=UnexpectedlyMissing.build(session.description, reference),
        warnings=RowWarnings(session.description, columns, shown),
        minimum=MinimumProximity.of(arrays["weights"]),
        typicality=TypicalityScale.of(arrays, result, explainer.abstain_below),
        prototypes=prototypes,
        by_outcome=by_outcome,
        shown=tuple((name, index) for index, name in enumerate(model.feature_names) if shown is None or name in shown),
        rules=_rules(records, objects),
        tree=_tree(records, objects),
        reference=reference_rows,
        changes=WarmChanges(
            session,
            lambda: read_arrays(objects.get(records.ensemble)),
            lambda: _rows_with_values(session, reference_rows, prototypes),
            shown,
        ),
        evidence=None
        if reference_rows is None
        else WarmEvidence(
            session,
            reference_rows,
            lambda: TreeEnsemble.from_arrays(read_arrays(objects.get(records.ensemble))),
            arrays["weights"],
            model.classes,
            are_held_out=dataset.held_out,
        ),
        stores_explanations=explainer.store_explanations,
        provenance=_provenance(model, dataset.sha256, explainer, session),
    )


def _values(arrays: Mapping[str, NDArray[Any]]) -> dict[str, list[float]]:
    """Return measured numbers of reference rows next to the model's cuts, by feature."""
    return {name.removeprefix(VALUES): array.tolist() for name, array in arrays.items() if name.startswith(VALUES)}


def _leaf_boxes(arrays: Mapping[str, NDArray[Any]]) -> LeafBoxes:
    boxes = {name.removeprefix(_BOXES): array for name, array in arrays.items() if name.startswith(_BOXES)}
    return LeafBoxes.from_arrays(boxes)


def _prototype(item: dict[str, Any], model: Model) -> WarmPrototype:
    values = {cell["name"]: cell["value"] for cell in item["features"]}
    types = zip(model.feature_names, model.feature_types, strict=True)
    outcome = {"value": item["value"]} if item["label"] is None else {"label": item["label"]}
    if item["predicted"] != item["label"]:
        outcome["predicted"] = item["predicted"]
    if item["target"] is not None:
        outcome["target"] = item["target"]
    return WarmPrototype(
        row_id=item["row_id"],
        label=item["label"],
        value=item["value"],
        coverage=item["coverage"],
        values=tuple(number_of(values[name]) if kind == "number" else values[name] for name, kind in types),
        head={"row_id": item["row_id"], **outcome},
    )


def _reference_case(prototype: WarmPrototype) -> ReferenceCase:
    head = prototype.head
    is_sure = "predicted" not in head and head.get("target", prototype.label) == prototype.label
    n_covered = int(prototype.coverage["n_rows"])
    return ReferenceCase(prototype.row_id, prototype.label, prototype.values, is_sure, n_covered)


def _rules(records: ExplainerRecords, objects: ObjectStore) -> WarmRules | None:
    if records.rule_set is None:
        return None
    content = RuleSetResult.model_validate_json(objects.get(records.rule_set))
    return WarmRules.of(content, records.model.feature_names)


def _tree(records: ExplainerRecords, objects: ObjectStore) -> WarmTree | None:
    if records.approximation_tree is None:
        return None
    content = ApproximationTreeResult.model_validate_json(objects.get(records.approximation_tree))
    return WarmTree.of(content, records.model.feature_names)


def _reference(
    records: ExplainerRecords, objects: ObjectStore, session: ModelSession, labels: Sequence[str]
) -> WarmReference | None:
    kept = records.prototype_set.files.get(_REFERENCE)
    if kept is None:
        return None
    return WarmReference(
        lambda: ReferenceFile(objects.path(kept), feature_numbers(session.description.columns)),
        lambda: open_rows(objects, records.dataset.content, pages=True),
        labels,
        records.model.classes,
    )


def _rows_with_values(
    session: ModelSession, reference: WarmReference | None, prototypes: Sequence[WarmPrototype]
) -> Rows:
    """Return some of the reference rows as the model takes them; without their file the prototypes."""
    if reference is None:
        return rows_of_values(session.description, [prototype.values for prototype in prototypes])
    file = reference.open()
    return Rows(
        tuple(session.description.feature_names), tuple(file.columns(evenly_spaced(file.n_rows, _MAX_VALUE_ROWS)))
    )


def _provenance(model: Model, dataset_sha256: str, explainer: Explainer, session: ModelSession) -> dict[str, Any]:
    return {
        "model_sha256": model.sha256,
        "dataset_sha256": dataset_sha256,
        "prototype_set": explainer.prototype_set,
        "numerics": np.dtype(session.description.precision).name,
        "service": version("leafspace"),
    }
