"""ResultWords: what jobs found, in the words of the dataset's dictionary and without the features that it hides.

Jobs keep names and values as they are. Every reader of a result words it here: answers, pages, reports and exports.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from leafspace_drawings.tree_documents import with_labels

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.comparisons import COMPARISONS, ComparisonResult
from schemas.datasets import Dataset
from schemas.evaluations import EVALUATIONS, EvaluationResult
from schemas.explanations import EXPLANATION_SETS
from schemas.label_audits import LABEL_AUDITS
from schemas.models import Instance
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.rule_sets import RULE_SETS, Condition
from storage.artefacts import ArtefactStore
from storage.database import Database
from storage.datasets import DatasetStore
from storage.dictionaries import DictionaryStore
from storage.explainers import ExplainerStore
from storage.models import ModelStore
from storage.object_store import ObjectStore
from storage.relational_datasets import RelationalDatasetStore
from tree_explainers.onnx_models.description import ModelDescription

from .comparison_texts import summary_of
from .dictionary_words import DictionaryWords
from .evaluation_texts import summary_of_evaluation
from .feature_phrases import phrases_of
from .feature_sets import OpenFeatureSet, open_feature_set
from .worded_conditions import HIDDEN, HIDDEN_CONDITION, WordedConditions

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ResultWords:
    """The words for results that were made of a model and the rows of a dataset."""

    words: DictionaryWords
    conditions: WordedConditions
    features: frozenset[str]  # of the dataset

    @classmethod
    def read(
        cls, database: Database, objects: ObjectStore, noun: str, request: Mapping[str, Any]
    ) -> "ResultWords | None":
        """Return the words for the result of a request for a noun; none where the result stays as it is."""
        if noun not in _SHOWN:
            return None
        dataset_id, model_id = _made_from(database, noun, request)
        dataset = DatasetStore(database).get(dataset_id).view
        columns = [column for column in dataset.columns if column.role == "feature"]
        names = [column.name for column in columns]
        words = DictionaryWords.read(DictionaryStore(database).get(dataset_id), names, columns)
        if not (words.hidden or (noun in _WITH_TEXTS and (words.columns or words.outcomes))):
            return None
        precision = ModelDescription.from_json(ModelStore(database).get(model_id).description).precision
        phrases = phrases_of(names, columns, _queries(database, objects, dataset), precision, None, words.columns)
        return cls(words, WordedConditions(phrases, words.hidden), frozenset(names))

    def shown(self, noun: str, result: Json) -> Json:
        """Return a result as people read it: its texts in words, and nothing of hidden features."""
        shown = _SHOWN[noun](self, result)
        if noun in _WITH_OUTCOMES and self.words.outcome_texts:
            shown = {**shown, "outcome_texts": self.words.outcome_texts}
        if "cautions" not in shown:
            return shown
        return {**shown, "cautions": [_worded_caution(self, each) for each in shown["cautions"]]}

    def computed(self, noun: str, result: Json) -> Json:
        """Return rules or a tree as code computes them: their texts in words, their conditions as they are."""
        part = "rules" if noun == RULE_SETS.name else "nodes"
        shown = self.shown(noun, result)[part]
        texts = [{name: item[name] for name in _TEXTS if name in item} for item in shown]
        return {**result, part: [item | text for item, text in zip(result[part], texts, strict=True)]}

    def printed(self, noun: str, result: Json) -> Json:
        """Return rules or a tree as a file for people has them: what they predict is in words, too."""
        shown, said = self.shown(noun, result), self.words.outcome
        return dict((with_labels if noun == APPROXIMATION_TREES.name else _with_predictions)(shown, said))

    def is_shown(self, feature: str) -> bool:
        """Return whether a feature is shown; what a model makes of several may be called after a hidden one."""
        return feature not in self.words.hidden and (feature in self.features or not self.words.hidden)


def _with_predictions(result: Mapping[str, Any], said: Callable[[Any], Any]) -> Mapping[str, Any]:
    """Return rules with what people call their classes in their place, where no two have the same name."""
    classes = [said(label) for label in result["classes"]]
    if len(set(classes)) < len(classes):
        return result
    rules = [
        {
            **rule,
            "prediction": said(rule["prediction"]),
            "scores": [{**score, "label": said(score["label"])} for score in rule["scores"]],
        }
        for rule in result["rules"]
    ]
    return {**result, "classes": classes, "rules": rules, "default_prediction": said(result["default_prediction"])}


def without_hidden(document: Json, hidden: frozenset[str]) -> Json:
    """Return the document of a dataset without its hidden columns, as those are to see it who read a result."""
    columns = [column for column in document["columns"] if column["name"] not in hidden]
    return {**document, "columns": columns}


def without_values_of(hidden: frozenset[str], instance: Instance) -> Instance:
    """Return a row by feature without the values of hidden features; one that is not by feature as it is."""
    if not isinstance(instance, dict):
        return instance
    return {name: value for name, value in instance.items() if name not in hidden}


def _worded_caution(words: ResultWords, caution: Json) -> Json:
    """Return a caution that calls classes, outcomes and features as people do."""
    of_code = _CAUTION_WORDS.get(caution["code"])
    return caution if of_code is None else {**caution, "detail": of_code(words, caution["detail"])}


def _worded_outcomes(words: ResultWords, detail: str) -> str:
    """Return a sentence with what classes and outcomes are called, which stand in it as ``repr`` writes them."""
    said = {repr(name): repr(label) for name, label in words.words.outcomes.items()}
    names = "|".join(map(re.escape, sorted(said, key=len, reverse=True)))
    return re.sub(names, lambda match: said[match[0]], detail) if said else detail


def _worded_candidates(words: ResultWords, detail: str) -> str:
    """Return a sentence that ends with conditions, each of which begins with the name of its feature, in words."""
    beginning, colon, listed = detail.partition(": ")
    return beginning + colon + "; ".join(_worded_candidate(words, each) for each in listed.split("; "))


def _worded_candidate(words: ResultWords, text: str) -> str:
    names = [name for name in words.features if f"{text} ".startswith(f"{name} ")]
    if not names:
        return text
    name = max(names, key=len)
    return HIDDEN_CONDITION if name in words.words.hidden else words.words.of(name).name + text[len(name) :]


def _prototypes(words: ResultWords, result: Json) -> Json:
    parts = {
        name: [
            {**row, "features": [cell for cell in row["features"] if words.is_shown(cell["name"])]}
            for row in result[name]
        ]
        for name in _ROWS
        if name in result
    }
    return {**result, **parts}


def _rules(words: ResultWords, result: Json) -> Json:
    rules = [_worded_rule(words, rule) for rule in result["rules"]]
    return {**result, "features": _features(words, result), "rules": rules}


def _tree(words: ResultWords, result: Json) -> Json:
    nodes = [_worded_node(words, node) for node in result["nodes"]]
    return {**result, "features": _features(words, result), "nodes": nodes}


def _features(words: ResultWords, result: Json) -> list[Json]:
    return [feature for feature in result["features"] if words.is_shown(feature["name"])]


def _worded_rule(words: ResultWords, rule: Json) -> Json:
    """Return a rule, or a region of a comparison, in words."""
    text = words.conditions.rule_text([Condition(**condition) for condition in rule["conditions"]])
    return {**rule, "text": text, "conditions": [_masked(words, condition) for condition in rule["conditions"]]}


def _worded_node(words: ResultWords, node: Json) -> Json:
    if node["feature"] is None:
        return node
    fields = ("feature", "column", "operator", "value")
    condition = Condition(**{name: node[name] for name in fields}, or_missing=bool(node["or_missing"]))
    masked = _masked(words, node)
    question = {"question": None} if masked is not node and "question" in node else {}
    return {**masked, **question, "text": words.conditions.text(condition)}


def _masked(words: ResultWords, condition: Json) -> Json:
    """Return a condition or a node as it is, unless its feature is hidden."""
    is_hidden = condition["column"] in words.words.hidden
    return {**condition, "feature": HIDDEN, "column": HIDDEN, "value": None} if is_hidden else condition


def _comparison(words: ResultWords, result: Json) -> Json:
    models, datasets = result["models"], result["datasets"]
    if models is not None:
        models = {**models, "regions": [_worded_rule(words, region) for region in models["regions"]]}
    if datasets is not None:
        datasets = {**datasets, "features_moved": list(filter(words.is_shown, datasets["features_moved"]))}
    effects = [each for each in result["effects"] if words.is_shown(each["feature"])]
    shown = {**result, "models": models, "datasets": datasets, "effects": effects}
    names = (lambda name: words.words.of(name).name), words.words.outcome
    return {**shown, "summary": summary_of(ComparisonResult(**shown), *names)}


def _evaluation(words: ResultWords, result: Json) -> Json:
    groups = [
        {**column, "groups": [_worded_group(words, column["column"], group) for group in column["groups"]]}
        for column in result["groups"]
        if column["column"] not in words.words.hidden
    ]
    shown = {**result, "groups": groups, "regions": [_worded_rule(words, region) for region in result["regions"]]}
    return {**shown, "summary": summary_of_evaluation(EvaluationResult(**shown), words.words.outcome)}


def _worded_group(words: ResultWords, column: str, group: Json) -> Json:
    """Return a group of rows with the label of its value, if the dictionary has one."""
    value: str | None = group["value"]
    if value is None or column not in words.words.columns:
        return group
    flags: dict[str, float | str] = {"true": True, "false": False}
    cell: float | str = group["low"] if group["low"] is not None else flags.get(value, value)
    labels = words.words.columns[column].labels
    return {**group, "text": labels[cell]} if cell in labels else group


def _explanation_set(words: ResultWords, result: Json) -> Json:
    effects = [each for each in result["mean_absolute_effects"] if each["feature"] not in words.words.hidden]
    return {**result, "mean_absolute_effects": effects}


def _as_it_is(_words: ResultWords, result: Json) -> Json:
    return result


_SHOWN: Mapping[str, Callable[[ResultWords, Json], Json]] = {
    PROTOTYPE_SETS.name: _prototypes,
    RULE_SETS.name: _rules,
    APPROXIMATION_TREES.name: _tree,
    COMPARISONS.name: _comparison,
    EXPLANATION_SETS.name: _explanation_set,
    EVALUATIONS.name: _evaluation,
    LABEL_AUDITS.name: _as_it_is,  # but for its cautions
}
"""By noun, how its results are read; those of others name no feature."""
_WITH_TEXTS = frozenset(_SHOWN) - {EXPLANATION_SETS.name}
_WITH_OUTCOMES = frozenset({PROTOTYPE_SETS.name, RULE_SETS.name, APPROXIMATION_TREES.name, LABEL_AUDITS.name})
_CAUTION_WORDS: Mapping[str, Callable[[ResultWords, str], str]] = {
    "candidates_split_nothing": _worded_candidates,
    "class_not_known": _worded_outcomes,
    "classes_without_prototype": _worded_outcomes,
    "hardly_better_than_constant": _worded_outcomes,
    "one_label": _worded_outcomes,
    "outcomes_without_rows": _worded_outcomes,
}
"""By code of a caution that names something, how its sentence is put into words."""
_ROWS = ("prototypes", "criticisms")
_TEXTS = ("text", "question")


def _made_from(database: Database, noun: str, request: Mapping[str, Any]) -> tuple[str, str]:
    """Return the dataset whose words count, and the model."""
    if noun != EXPLANATION_SETS.name:
        return request["dataset"], request["model"]
    explainer = ExplainerStore(database).get(request["explainer"])
    prototype_set = ArtefactStore(database).get(PROTOTYPE_SETS.name, explainer.prototype_set)
    return prototype_set.request["dataset"], explainer.model


def _queries(database: Database, objects: ObjectStore, dataset: Dataset) -> OpenFeatureSet | None:
    if dataset.feature_set is None:
        return None
    relational_datasets = RelationalDatasetStore(database)
    return open_feature_set(ArtefactStore(database), relational_datasets, objects, dataset.feature_set)
