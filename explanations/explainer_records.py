"""What the database knows of an explainer: enough to warm it up where there are objects and no database."""

from dataclasses import dataclass

from schemas.explainers import Explainer
from schemas.models import Model
from storage.artefacts import Artefact, ArtefactStore
from storage.database import Database
from storage.datasets import DatasetStore, StoredDataset
from storage.dictionaries import DictionaryStore, StoredDictionary
from storage.explainers import ExplainerStore
from storage.models import ModelStore
from storage.object_store import ObjectStore
from storage.relational_datasets import RelationalDatasetStore

from .feature_sets import OpenFeatureSet, open_feature_set

_PROTOTYPE_SETS, _RULE_SETS, _TREES = "prototype_sets", "rule_sets", "approximation_trees"


@dataclass(frozen=True, slots=True)
class ExplainerRecords:
    """An explainer and what it is made of, as plain values that can be sent to another machine."""

    explainer: Explainer
    model: Model
    ensemble: str  # object: the model's trees as arrays
    prototype_set: Artefact
    dataset: StoredDataset  # of the prototypes
    dictionary: StoredDictionary  # of the dataset
    rule_set: str | None  # object: the result of its rule set, if it has one
    approximation_tree: str | None  # object: likewise
    queries: OpenFeatureSet | None  # where the columns are features of several tables


def read_explainer(explainer_id: str, database: Database, objects: ObjectStore) -> ExplainerRecords:
    """Return the records of an explainer; raise ``NotFound`` where there is none."""
    explainer = ExplainerStore(database).get(explainer_id)
    # It is ready: explainers are made of nothing else, and it cannot be deleted before them.
    prototype_set = ArtefactStore(database).get(_PROTOTYPE_SETS, explainer.prototype_set)
    model = ModelStore(database).get(explainer.model)
    # The dictionary first: if it is replaced in between, its revision is too old, and it is read again.
    dictionary = DictionaryStore(database).get(prototype_set.request["dataset"])
    dataset = DatasetStore(database).get(prototype_set.request["dataset"])
    return ExplainerRecords(
        explainer=explainer,
        model=model.view,
        ensemble=model.ensemble,
        prototype_set=prototype_set,
        dataset=dataset,
        dictionary=dictionary,
        rule_set=_result(database, _RULE_SETS, explainer.rule_set),
        approximation_tree=_result(database, _TREES, explainer.approximation_tree),
        queries=_feature_set(dataset, database, objects),
    )


def _result(database: Database, noun: str, identifier: str | None) -> str | None:
    return None if identifier is None else ArtefactStore(database).get(noun, identifier).result


def _feature_set(dataset: StoredDataset, database: Database, objects: ObjectStore) -> OpenFeatureSet | None:
    if dataset.view.feature_set is None:
        return None
    artefacts, relational = ArtefactStore(database), RelationalDatasetStore(database)
    return open_feature_set(artefacts, relational, objects, dataset.view.feature_set)
