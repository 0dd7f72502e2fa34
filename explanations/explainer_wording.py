"""What of a warm explainer depends on the dictionary of its dataset: made again, in moments, when that changes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from schemas.approximation_trees import ApproximationTreeResult
from schemas.contract import Contract
from schemas.datasets import Column
from schemas.explainers import Explainer
from schemas.models import Model
from schemas.rule_sets import RuleSetResult
from storage.datasets import StoredDataset
from storage.dictionaries import StoredDictionary
from storage.object_store import ObjectStore
from tree_explainers.column_words import Phrases
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.prototype_sets.readable import ReasonReader

from .change_search import ChangeBounds
from .dictionary_words import DictionaryWords
from .explainer_records import ExplainerRecords
from .feature_phrases import phrases_of
from .feature_sets import OpenFeatureSet
from .reason_texts import ReasonTexts
from .reference import feature_columns, reference_columns
from .rules import WarmRules
from .sentences import Naming
from .trees import WarmTree
from .warnings import RowWarnings
from .worded_conditions import WordedConditions

Content = TypeVar("Content", bound=Contract)


@dataclass(frozen=True, slots=True)
class ExplainerWording:
    """The words of an explainer, and what is made of them."""

    words: DictionaryWords
    shown_names: frozenset[str] | None  # features that callers may see; None: all
    shown: tuple[tuple[str, int], ...]  # the same, and their indices among the model's
    naming: Naming  # how sentences name features, their values and outcomes
    reason_texts: ReasonTexts
    warnings: RowWarnings
    bounds: ChangeBounds
    rules: WarmRules | None
    tree: WarmTree | None


@dataclass(frozen=True, slots=True)
class WordingSource:
    """What the wording of an explainer is made of, but for the words."""

    explainer: Explainer
    model: Model
    description: ModelDescription
    queries: OpenFeatureSet | None
    sets: Sequence[NDArray[np.float64]]  # that trees test membership in
    values: Mapping[str, Sequence[float]]  # measured numbers of reference rows next to the model's cuts, by feature
    read_rules: Callable[[], RuleSetResult | None]
    read_tree: Callable[[], ApproximationTreeResult | None]

    @classmethod
    def of(
        cls,
        records: ExplainerRecords,
        description: ModelDescription,
        objects: ObjectStore,
        sets: Sequence[NDArray[np.float64]],
        values: Mapping[str, Sequence[float]],
    ) -> "WordingSource":
        """Return the source of an explainer's wording."""
        return cls(
            records.explainer,
            records.model,
            description,
            records.queries,
            sets,
            values,
            partial(_read, objects, records.rule_set, RuleSetResult),
            partial(_read, objects, records.approximation_tree, ApproximationTreeResult),
        )

    def wording(self, dataset: StoredDataset, dictionary: StoredDictionary) -> ExplainerWording:
        """Return the wording by a dictionary, and by the dataset with which it was read."""
        model, description = self.model, self.description
        columns = feature_columns(model, dataset.view)
        words = DictionaryWords.read(dictionary, model.feature_names, columns)
        hidden, names = words.hidden, model.feature_names
        shown = self._shown(hidden)
        reference = reference_columns(model, description.missing_tokens, dataset.view, words)
        phrases = self._phrases(columns, words, self.values)
        conditions = WordedConditions(self._phrases(columns, words, None), hidden) if words.columns or hidden else None
        rules, tree = self.read_rules(), self.read_tree()
        reader = ReasonReader.build(description.columns, description.precision, reference, self.sets)
        reason_texts = ReasonTexts.build(reader, _without(shown, names, words.protected), phrases)
        return ExplainerWording(
            words=words,
            shown_names=shown,
            shown=tuple((name, index) for index, name in enumerate(names) if shown is None or name in shown),
            naming=Naming(reason_texts.mention, words.value, words.outcome, words.exact_value),
            reason_texts=reason_texts,
            warnings=RowWarnings(description, columns, shown, words),
            bounds=ChangeBounds.of(description, shown, words.constraints()),
            rules=None if rules is None else WarmRules.of(rules, names, conditions),
            tree=None if tree is None else WarmTree.of(tree, names, conditions),
        )

    def _shown(self, hidden: frozenset[str]) -> frozenset[str] | None:
        named = None if self.explainer.shown_features == "all" else frozenset(self.explainer.shown_features)
        return _without(named, self.model.feature_names, hidden)

    def _phrases(
        self, columns: Sequence[Column], words: DictionaryWords, values: Mapping[str, Sequence[float]] | None
    ) -> Phrases:
        names, precision = self.model.feature_names, self.description.precision
        return phrases_of(names, columns, self.queries, precision, values, words.columns)


def _without(shown: frozenset[str] | None, names: Sequence[str], others: frozenset[str]) -> frozenset[str] | None:
    """Return the features that are shown and not among others; ``None`` where that is all."""
    return shown if not others else (frozenset(names) if shown is None else shown) - others


def _read(objects: ObjectStore, sha256: str | None, kind: type[Content]) -> Content | None:
    return None if sha256 is None else kind.model_validate_json(objects.get(sha256))
