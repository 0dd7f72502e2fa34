"""The reference rows, those that prototypes were chosen from: what they show about a model's raw features."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.datasets import Column, Dataset
from schemas.models import Model
from storage.feature_matching import match_features
from tree_explainers.column_words import ColumnWords
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.prototype_sets.feature_reasons import ReferenceColumn

from .dictionary_words import DictionaryWords


def reference_columns(
    model: Model, missing_texts: Sequence[str | None], dataset: Dataset, words: DictionaryWords
) -> tuple[ReferenceColumn, ...]:
    """Return the reference column of each of the model's features, in their order.

    ``missing_texts`` are texts that represent a missing category to the model, ``None`` for numbers.
    """
    columns = zip(model.feature_names, feature_columns(model, dataset), missing_texts, strict=True)
    return tuple(_reference(column, text, words.columns.get(name)) for name, column, text in columns)


def feature_columns(model: Model, dataset: Dataset) -> tuple[Column, ...]:
    """Return the dataset's column of each of the model's features, in their order."""
    columns = {column.name: column for column in dataset.columns}
    return tuple(columns[name] for name in match_features(model, dataset))


def _reference(column: Column, missing_text: str | None, words: ColumnWords | None) -> ReferenceColumn:
    categories = None if column.type != "category" else column.categories
    if categories is None:  # of over 1,000 categories any may be the one that means missing
        return ReferenceColumn(has_missing=column.n_missing > 0 or column.type == "category", words=words)
    return ReferenceColumn(
        has_missing=column.n_missing > 0 or missing_text in categories,
        categories=tuple(category for category in categories if category != missing_text),
        words=words,
    )


@dataclass(frozen=True, slots=True)
class UnexpectedlyMissing:
    """Finds missing values in features of which no reference row misses any."""

    feature_indices: tuple[int, ...]  # of these features among the model's
    missing_texts: tuple[str | None, ...]  # of each of them
    columns: NDArray[np.int64]  # (n_columns,) which of them a model-side column belongs to; -1: to none

    @staticmethod
    def build(description: ModelDescription, reference: Sequence[ReferenceColumn]) -> "UnexpectedlyMissing":
        """Prepare for a model's features."""
        features = [feature for feature, column in enumerate(reference) if not column.has_missing]
        index_of: dict[int | None, int] = {feature: index for index, feature in enumerate(features)}
        columns = [
            -1 if column.raw_index is None else index_of.get(column.raw_index, -1) for column in description.columns
        ]
        texts = tuple(description.missing_tokens[feature] for feature in features)
        return UnexpectedlyMissing(tuple(features), texts, np.array(columns, dtype=np.int64))

    def of_row(self, values: Sequence[Any]) -> NDArray[np.bool_] | None:
        """Return the model-side columns whose raw value a row misses, (n_columns,); ``None`` if there are none.

        Parameters
        ----------
        values
            As callers send them, in the order of the features.
        """
        is_missing = [
            values[feature] is None or (text is not None and values[feature] == text)
            for feature, text in zip(self.feature_indices, self.missing_texts, strict=True)
        ]
        if not any(is_missing):
            return None
        missing: NDArray[np.bool_] = np.array(is_missing)[self.columns] & (self.columns >= 0)
        return missing
