"""What a report is drawn from: the documents of what it shows, as they are kept, and its rows, explained."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from leafspace_drawings.classes import with_adverse

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.comparisons import COMPARISONS
from schemas.evaluations import EVALUATIONS
from schemas.label_audits import LABEL_AUDITS
from schemas.label_decisions import LabelDecision
from schemas.maps import MAPS
from schemas.noun import Noun
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.reports import Drift, FrozenDecisions, ModelPart, ReportComparison, ReportInput, ReportRequest
from schemas.rule_sets import RULE_SETS
from storage.artefacts import ArtefactStore
from storage.database import Database
from storage.datasets import DatasetStore
from storage.dictionaries import DictionaryStore
from storage.explainers import ExplainerStore
from storage.label_decisions import LabelDecisionStore
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import Tick, no_tick

from ..mean_effects import mean_effects_of_reference_rows
from ..result_words import ResultWords, without_hidden
from ..warm_explainer import WarmExplainer
from .rows import ReportRow, RowReader, inputs_of_sent

Json = dict[str, Any]

_ENTRIES_A_PAGE = 1000


@dataclass(slots=True)
class Explained:
    """A model with what explains it: a document for each, as the API answers it."""

    model: Json
    dataset: Json  # the reference rows
    prototype_set: Json
    rule_set: Json | None
    approximation_tree: Json | None
    inputs: list[ReportInput] = field(default_factory=list)


@dataclass(slots=True)
class ReportInputs:
    """Everything that a report shows but for its figures of all rows."""

    request: ReportRequest
    own: Explained
    other: Explained | None  # to be compared with
    newer_dataset: Json | None
    rows_dataset: Json | None  # of the explained rows, where that is not the reference data
    map: Json | None
    comparison: Json | None  # with another model, or of two datasets: with its `model`, `dataset` and `other`
    label_audit: Json | None
    evaluation: Json | None  # with its `dataset`
    decisions: Sequence[LabelDecision]  # in force, by row
    rows: Sequence[ReportRow]
    sent: Sequence[ReportInput]  # the rows among these that were sent along
    effects: Json | None  # the mean sizes of the effects of the reference rows
    provenance: Json

    @property
    def inputs(self) -> list[ReportInput]:
        """What is shown, with digests, each once."""
        others = [] if self.other is None else self.other.inputs
        on_rows = [each for each in (self.evaluation, self.comparison) if each]
        others_rows = (self.newer_dataset, *(each["dataset"] for each in on_rows), self.rows_dataset)
        datasets = [_file("datasets", each) for each in others_rows if each is not None]
        words = [each for made in on_rows for each in made["words"]]
        made = [each["input"] for each in (self.map, self.label_audit, self.comparison, self.evaluation) if each]
        shown = [*self.own.inputs, *others, *datasets, *words, *made, *self.sent]
        inputs = {(each.noun, each.id): each for each in shown}
        return list(inputs.values())

    def shows(self, part: ModelPart) -> bool:
        """Whether a part about the model as a whole is shown, where there is one."""
        return self.request.parts is None or part in self.request.parts


@dataclass(frozen=True, slots=True)
class Figures:
    """What is found by looking at all rows of a dataset."""

    comparison: ReportComparison | None = None
    drift: Drift | None = None


class ReportReader:
    """Reads what reports show."""

    def __init__(self, database: Database, objects: ObjectStore) -> None:
        self._database, self._objects = database, objects

    def read(self, request: ReportRequest, warm: WarmExplainer, tick: Tick = no_tick) -> ReportInputs:
        """Return what a report shows, its rows explained by the open explainer; ``tick`` is called before each row.

        Raises
        ------
        StorageError
            ``not_found`` or ``artefact_not_ready`` where something is not there.
        """
        own = self.explained(request.explainer, request.rule_set, request.approximation_tree)
        audit = request.label_audit
        newer = request.newer_dataset
        return ReportInputs(
            request=request,
            own=own,
            other=None if request.compare_with is None else self.explained(request.compare_with),
            newer_dataset=None if newer is None else self._dataset(newer),
            rows_dataset=None if request.rows_dataset is None else self._dataset(request.rows_dataset),
            comparison=None if request.comparison is None else self._comparison(request.comparison),
            map=None if request.map is None else self._made(MAPS, request.map),
            label_audit=None if audit is None else self._made(LABEL_AUDITS, audit),
            evaluation=None if request.evaluation is None else self._evaluation(request.evaluation),
            decisions=() if audit is None else decisions_of(self._database, audit, request.decisions),
            rows=RowReader(self._database, self._objects, warm).read(request, tick),
            sent=inputs_of_sent(request, DictionaryStore(self._database).get(warm.dataset_id).hidden),
            effects=mean_effects_of_reference_rows(warm),
            provenance=warm.provenance,
        )

    def explained(
        self, explainer_id: str, rule_set: str | None = None, approximation_tree: str | None = None
    ) -> Explained:
        """Return an explainer's model with what explains it, or with another rule set or tree."""
        explainer = ExplainerStore(self._database).get(explainer_id)
        model = _json(ModelStore(self._database).get(explainer.model).view)
        prototypes = self._made(PROTOTYPE_SETS, explainer.prototype_set)
        dataset = self._dataset(prototypes["request"]["dataset"])
        model = _with_features_of(model, dataset)
        rules, tree = rule_set or explainer.rule_set, approximation_tree or explainer.approximation_tree
        made = [
            None if rules is None else self._made(RULE_SETS, rules),
            None if tree is None else self._made(APPROXIMATION_TREES, tree),
        ]
        inputs = [ReportInput(noun="explainers", id=explainer_id, sha256=None), _file("models", model)]
        inputs += [_file("datasets", dataset), prototypes["input"], *(each["input"] for each in made if each)]
        inputs += self._dictionary(dataset["id"])
        return Explained(model, dict(with_adverse(dataset, model) or dataset), prototypes, made[0], made[1], inputs)

    def _comparison(self, comparison_id: str) -> Json:
        """Return a comparison with what it is of, and the words of its rows; the report may be on either model."""
        made, models = self._made(COMPARISONS, comparison_id), ModelStore(self._database)
        request = made["request"]
        if request["other_model"] is None:
            other = self._dataset(request["other_dataset"])
        else:
            other = _json(models.get(request["other_model"]).view)
        model, dataset = _json(models.get(request["model"]).view), self._dataset(request["dataset"])
        dataset = dict(with_adverse(dataset, model) or dataset)
        return made | {"model": model, "dataset": dataset, "other": other, "words": self._dictionary(dataset["id"])}

    def _evaluation(self, evaluation_id: str) -> Json:
        made = self._made(EVALUATIONS, evaluation_id)
        dataset = made["request"]["dataset"]
        return made | {"dataset": self._dataset(dataset), "words": self._dictionary(dataset)}

    def _dataset(self, dataset_id: str) -> Json:
        """Return a dataset without the columns that its dictionary hides."""
        dictionary = DictionaryStore(self._database).get(dataset_id)
        return without_hidden(_json(DatasetStore(self._database).get(dataset_id).view), dictionary.hidden)

    def _dictionary(self, dataset_id: str) -> list[ReportInput]:
        """Return the words that the report is written in, where there are some."""
        words = DictionaryStore(self._database).get(dataset_id).words
        if words is None:
            return []
        sha256 = hashlib.sha256(orjson.dumps(words, option=orjson.OPT_SORT_KEYS)).hexdigest()
        return [ReportInput(noun="dictionaries", id=dataset_id, sha256=sha256)]

    def _made(self, noun: Noun[Any], artefact_id: str) -> Json:
        artefact = ArtefactStore(self._database).get(noun.name, artefact_id)
        sha256 = artefact.ready_result()
        shown = ReportInput(noun=noun.name, id=artefact_id, sha256=sha256)
        result = json.loads(self._objects.get(sha256))
        words = ResultWords.read(self._database, self._objects, noun.name, artefact.request)
        if words is not None:
            result = words.shown(noun.name, result)
        return {"id": artefact_id, "request": artefact.request, "result": result, "input": shown}


def freeze_decisions(database: Database, label_audit: str) -> FrozenDecisions:
    """Return the decisions on an audit as they are now."""
    entries = _entries(database, label_audit)
    return FrozenDecisions(n_entries=len(entries), sha256=_digest(_in_force(entries)))


def decisions_of(database: Database, label_audit: str, frozen: FrozenDecisions | None) -> list[LabelDecision]:
    """Return the decisions that were in force after as many entries, by row; none where none were frozen."""
    return [] if frozen is None else _in_force(_entries(database, label_audit)[: frozen.n_entries])


def _entries(database: Database, label_audit: str) -> list[LabelDecision]:
    """Return all entries, oldest first."""
    store, entries, cursor = LabelDecisionStore(database), list[LabelDecision](), None
    while True:
        page = store.list(label_audit, _ENTRIES_A_PAGE, cursor)
        entries += page.data
        cursor = page.next_cursor
        if cursor is None:
            return entries[::-1]


def _in_force(entries: Sequence[LabelDecision]) -> list[LabelDecision]:
    latest = {entry.row: entry for entry in entries}
    return [latest[row] for row in sorted(latest) if latest[row].decision != "withdrawn"]


def _digest(decisions: Sequence[LabelDecision]) -> str:
    """Return the SHA-256 of what was decided, which does not depend on the person or the time."""
    entries = [[each.row_id, each.decision, each.new_label, each.note] for each in decisions]
    return hashlib.sha256(orjson.dumps(entries)).hexdigest()


def _with_features_of(model: Json, dataset: Json) -> Json:
    """Return the document of a model with those of its features alone that the document of its dataset shows."""
    shown = {column["name"] for column in dataset["columns"]}
    pairs = zip(model["feature_names"], model["feature_types"], strict=True)
    names_and_types = [pair for pair in pairs if pair[0] in shown]
    names, types = ([pair[index] for pair in names_and_types] for index in (0, 1))
    return {**model, "feature_names": names, "feature_types": types}


def _file(noun: str, document: Json) -> ReportInput:
    return ReportInput(noun=noun, id=document["id"], sha256=document["sha256"])


def _json(view: Any) -> Json:  # a message of any noun
    document: Json = view.model_dump(mode="json")
    return document
