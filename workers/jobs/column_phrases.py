"""The words of a dataset's columns that are more than names and numbers, and what follows among them."""

from typing import Literal

from explanations.feature_phrases import implications_of, phrases_of
from explanations.feature_sets import open_feature_set
from storage.artefacts import ArtefactStore
from storage.datasets import StoredDataset
from storage.feature_matching import match_features
from storage.relational_datasets import RelationalDatasetStore
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.questions.implications import Implications
from tree_explainers.questions.statements import statements_of
from tree_explainers.wording import Phrases

from ..runtime.context import JobContext
from .inputs import OpenModel


def dataset_phrases(context: JobContext, model: OpenModel, stored: StoredDataset) -> Phrases:
    """Return the words of a dataset's columns, by the model's names of its features."""
    view, features = stored.view, None
    if view.feature_set is not None:
        stores = ArtefactStore(context.database), RelationalDatasetStore(context.database)
        features = open_feature_set(*stores, context.objects, view.feature_set)
    columns = {column.name: column for column in view.columns}
    own = [columns[name] for name in match_features(model.view, view)]
    return phrases_of(model.description.feature_names, own, features, model.description.precision)


def known_implications(model: OpenModel, phrases: Phrases) -> Implications:
    """Return what follows among a model's tests; nothing is known where they are not of raw columns."""
    try:
        return implications_of(phrases, statements_of(model.ensemble, model.description))
    except MethodNotApplicable:
        return Implications()


def feature_type(name: str, phrases: Phrases, *, is_number: bool) -> Literal["number", "category", "boolean"]:
    """Return the type of a feature that conditions refer to, which the model takes as a number or not."""
    if not is_number:
        return "category"
    return "boolean" if name in phrases and phrases[name].is_boolean else "number"
