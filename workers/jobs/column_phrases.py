"""The words of a dataset's columns that are more than names and numbers: booleans."""

from typing import Literal

from tree_explainers.wording import BooleanPhrases, Phrases

from .inputs import OpenModel, ScoredDataset


def phrases_of(model: OpenModel, dataset: ScoredDataset) -> Phrases:
    """Return the words of the dataset's columns, by the model's names of its features."""
    types = {column.name: column.type for column in dataset.stored.view.columns}
    pairs = zip(model.description.feature_names, dataset.columns, strict=True)
    return {name: BooleanPhrases(name) for name, column in pairs if types[column] == "boolean"}


def feature_type(name: str, phrases: Phrases, *, is_number: bool) -> Literal["number", "category", "boolean"]:
    """Return the type of a feature that conditions refer to, which the model takes as a number or not."""
    if not is_number:
        return "category"
    return "boolean" if name in phrases and phrases[name].is_boolean else "number"
