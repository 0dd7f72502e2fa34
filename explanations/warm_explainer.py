"""WarmExplainer: everything that explaining a row needs, read once and held in memory."""

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.explainers import Explainer
from schemas.json_numbers import number_of
from schemas.models import Model
from storage.array_files import read_arrays
from storage.database import Database
from storage.dataset_rows import open_rows
from storage.datasets import StoredDataset
from storage.dictionaries import StoredDictionary
from storage.object_store import ObjectStore
from tree_explainers.effects.walked_rows import WalkedRows
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.leaf_space.coarser_leaves import map_leaves
from tree_explainers.onnx_models.session import ModelSession, Outcome
from tree_explainers.prototype_sets.leaf_boxes import LeafBoxes
from tree_explainers.prototype_sets.leaf_paths import LeafPaths
from tree_explainers.prototype_sets.near_reasons import NearPrototypes
from tree_explainers.prototype_sets.nearest import PrototypeIndex
from tree_explainers.prototype_sets.readable import feature_numbers
from tree_explainers.prototype_sets.reasons import Reasons
from tree_explainers.prototype_sets.row_coverage import MinimumProximity
from tree_explainers.rows import Rows

from .cell_texts import CellTexts, cell_texts
from .change_search import WarmChanges
from .effects import WarmEffects, rows_of_values
from .evidence import WarmEvidence
from .explainer_records import ExplainerRecords, read_explainer
from .explainer_wording import ExplainerWording, WordingSource
from .feature_phrases import VALUES
from .instances import Features
from .nearest_rows import WarmReference
from .nested_instances import NestedFeatures
from .reason_texts import PROTOTYPE_VALUE, ReasonTexts
from .reference import UnexpectedlyMissing, feature_columns, reference_columns
from .reference_cases import ReferenceCase
from .reference_file import ReferenceFile, evenly_spaced
from .rules import WarmRules
from .training_rows import WarmTrainingRows
from .trees import WarmTree
from .typicality import TypicalityScale

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
    cells: CellTexts  # the same as JSON, as entries of reasons
    head: dict[str, Any]  # the beginning of its entry


@dataclass(frozen=True, slots=True)
class WarmExplainer:
    """An explainer, ready to answer without a database, a disk or a queue."""

    explainer_id: str
    model: Model
    dataset_id: str  # of the reference rows
    features: Features
    session: ModelSession
    near: NearPrototypes
    effects: WarmEffects | None  # None: the model's scores are no sums over its trees
    coarser: tuple[NDArray[Any], NDArray[np.int64]] | None  # coarser leaf of each leaf, where each tree's leaves begin
    wording: ExplainerWording
    wording_source: WordingSource
    unexpected: UnexpectedlyMissing
    typicality: TypicalityScale | None  # None: the prototype set has none
    prototypes: tuple[WarmPrototype, ...]
    by_outcome: bool  # prototypes are of the outcomes that are decided, not of the predicted classes
    reference: WarmReference | None
    changes: WarmChanges
    evidence: WarmEvidence | None  # None: there are no reference rows
    training_rows: WarmTrainingRows | None  # likewise
    stores_explanations: bool  # where the service allows it
    provenance: dict[str, Any]
    known: dict[Hashable, Any] = field(default_factory=dict)  # what follows from it alone, by what it is

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

    def with_words(self, dataset: StoredDataset, dictionary: StoredDictionary) -> "WarmExplainer":
        """Return the same explainer in the words of a dictionary, and of the dataset with which it was read."""
        wording = self.wording_source.wording(dataset, dictionary)
        return replace(self, wording=wording, effects=_worded(self.effects, self.session, wording), known={})

    @property
    def walked(self) -> WalkedRows | None:
        """What predicts rows by walking the model's trees; ``None``: onnxruntime does."""
        return None if self.effects is None else self.effects.walked

    @property
    def index(self) -> PrototypeIndex:
        """The leaves of the prototypes."""
        return self.near.index

    @property
    def reasons(self) -> Reasons:
        """The boxes of the prototypes' leaves."""
        return self.near.reasons

    @property
    def shown(self) -> tuple[tuple[str, int], ...]:
        """The features that callers may see, and their indices among the model's."""
        return self.wording.shown

    @property
    def reason_texts(self) -> ReasonTexts:
        """What puts reasons into words."""
        return self.wording.reason_texts

    @property
    def rules(self) -> WarmRules | None:
        """The rules, where it has a rule set."""
        return self.wording.rules

    @property
    def tree(self) -> WarmTree | None:
        """The tree, where it has an approximation tree."""
        return self.wording.tree

    @property
    def adverse(self) -> frozenset[str]:
        """The outcomes that are adverse to the person concerned, as the model's decision or the dictionary says."""
        declared = () if self.model.decision is None else self.model.decision.adverse
        return self.wording.words.adverse.union(declared)

    @property
    def paths(self) -> LeafPaths | None:
        """The paths to these leaves, from the file of the reference rows; ``None`` where that is not kept."""
        return None if self.reference is None else self.reference.open().prototype_paths


def warm_up(explainer_id: str, database: Database, objects: ObjectStore, open_session: OpenSession) -> WarmExplainer:
    """Return the explainer, opened; raise ``NotFound`` where there is none."""
    records = read_explainer(explainer_id, database, objects)
    return warm_up_records(records, objects, open_session(records.model.id))


def warm_up_records(records: ExplainerRecords, objects: ObjectStore, session: ModelSession) -> WarmExplainer:
    """Return the explainer, opened from what the database knows of it, its objects, and its open model."""
    files = _ExplainerFiles(records, objects, session)
    explainer, model, dataset, arrays = records.explainer, records.model, records.dataset, files.arrays
    source = WordingSource.of(records, session.description, objects, files.boxes.sets, _values(arrays))
    wording = source.wording(dataset, records.dictionary)
    columns = reference_columns(model, session.description.missing_tokens, dataset.view, wording.words)
    return WarmExplainer(
        explainer_id=explainer.id,
        model=model,
        dataset_id=dataset.view.id,
        features=files.features(),
        session=session,
        near=NearPrototypes.of(
            PrototypeIndex.build(arrays["leaves"], arrays["weights"], arrays["classes"]),
            Reasons.build(files.boxes),
            MinimumProximity.of(arrays["weights"]),
        ),
        effects=_worded(files.effects(), session, wording),
        coarser=(arrays["coarser_leaves"], arrays["leaf_offsets"]) if "coarser_leaves" in arrays else None,
        wording=wording,
        wording_source=source,
        unexpected=UnexpectedlyMissing.build(session.description, columns),
        typicality=TypicalityScale.of(arrays, files.result, explainer.abstain_below),
        prototypes=files.prototypes,
        by_outcome=files.by_outcome,
        reference=files.reference,
        changes=files.changes(),
        evidence=files.evidence(),
        training_rows=files.training_rows(),
        stores_explanations=explainer.store_explanations,
        provenance=_provenance(model, dataset.view.sha256, explainer, session),
    )


class _ExplainerFiles:
    """What the objects of an explainer hold, and the parts of a warm explainer that are made of it."""

    def __init__(self, records: ExplainerRecords, objects: ObjectStore, session: ModelSession) -> None:
        self._records, self._objects, self._session = records, objects, session
        self.result = json.loads(objects.get(records.prototype_set.result or ""))
        self.arrays = read_arrays(objects.get(records.prototype_set.arrays or ""))
        boxes = {name.removeprefix(_BOXES): array for name, array in self.arrays.items() if name.startswith(_BOXES)}
        self.boxes = LeafBoxes.from_arrays(boxes)
        is_of_predictions = records.prototype_set.request["labels"] == "predicted"
        self.by_outcome = session.description.decides_apart and is_of_predictions
        self.prototypes = tuple(_prototype(item, records.model) for item in self.result["prototypes"])
        self.reference = _reference(records, objects, session, self.result["classes"])

    def features(self) -> Features:
        """Return the features of instances, with the queries that make them of nested rows, if there are any."""
        model, queries = self._records.model, self._records.queries
        columns = feature_columns(model, self._records.dataset.view)
        return Features.of(model, None if queries is None else NestedFeatures.of(queries, columns))

    def effects(self) -> WarmEffects | None:
        """Return what effects of features are computed from; ``None`` where scores are no sums over trees."""
        return WarmEffects.of(
            self._session,
            self._ensemble(),
            tuple(map(_reference_case, self.prototypes)),
            np.asarray(self.arrays["classes"], np.int64),
            by_outcome=self.by_outcome,
            reference=self.reference,
        )

    def changes(self) -> WarmChanges:
        """Return what searches changes of a row; its trees and values are read when they are first needed."""
        read_values = partial(_rows_with_values, self._session, self.reference, self.prototypes)
        return WarmChanges(self._session, self._ensemble, read_values)

    def evidence(self) -> WarmEvidence | None:
        """Return what counts reference rows like a row, where they are kept."""
        if self.reference is None:
            return None
        return WarmEvidence(
            self._session,
            self.reference,
            lambda: TreeEnsemble.from_arrays(self._ensemble()),
            self._records.model.classes,
            are_held_out=self._records.dataset.view.held_out,
        )

    def training_rows(self) -> WarmTrainingRows | None:
        """Return what finds the rows that a prediction is made of, where reference rows are kept."""
        if self.reference is None:
            return None
        return WarmTrainingRows(
            self._session,
            self.reference,
            lambda: TreeEnsemble.from_arrays(self._ensemble()),
            self._records.model.classes,
        )

    def _ensemble(self) -> dict[str, NDArray[Any]]:
        return read_arrays(self._objects.get(self._records.ensemble))


def _values(arrays: Mapping[str, NDArray[Any]]) -> dict[str, list[float]]:
    """Return measured numbers of reference rows next to the model's cuts, by feature."""
    return {name.removeprefix(VALUES): array.tolist() for name, array in arrays.items() if name.startswith(VALUES)}


def _prototype(item: dict[str, Any], model: Model) -> WarmPrototype:
    values = {cell["name"]: cell["value"] for cell in item["features"]}
    types = zip(model.feature_names, model.feature_types, strict=True)
    outcome = {"value": item["value"]} if item["label"] is None else {"label": item["label"]}
    if item["predicted"] != item["label"]:
        outcome["predicted"] = item["predicted"]
    if item["target"] is not None:
        outcome["target"] = item["target"]
    raw = tuple(number_of(values[name]) if kind == "number" else values[name] for name, kind in types)
    return WarmPrototype(
        row_id=item["row_id"],
        label=item["label"],
        value=item["value"],
        coverage=item["coverage"],
        values=raw,
        cells=cell_texts(raw, PROTOTYPE_VALUE),
        head={"row_id": item["row_id"], **outcome},
    )


def _worded(effects: WarmEffects | None, session: ModelSession, wording: ExplainerWording) -> WarmEffects | None:
    if effects is None:
        return None
    return effects.with_words(session.description, wording.words, wording.naming, wording.shown_names)


def _reference_case(prototype: WarmPrototype) -> ReferenceCase:
    head = prototype.head
    is_sure = "predicted" not in head and head.get("target", prototype.label) == prototype.label
    n_covered = int(prototype.coverage["n_rows"])
    return ReferenceCase(prototype.row_id, prototype.label, prototype.values, is_sure, n_covered)


def _reference(
    records: ExplainerRecords, objects: ObjectStore, session: ModelSession, labels: Sequence[str]
) -> WarmReference | None:
    stored = records.prototype_set.files.get(_REFERENCE)
    if stored is None:
        return None
    return WarmReference(
        lambda: ReferenceFile(objects.path(stored), feature_numbers(session.description.columns)),
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
