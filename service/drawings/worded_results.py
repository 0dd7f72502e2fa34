"""Rules and trees in the words of their dataset's dictionary, where they are drawn; their JSON keeps the names."""

from typing import Any

from explanations.dictionary_words import DictionaryWords
from explanations.feature_phrases import phrases_of
from explanations.reference import feature_columns
from explanations.worded_conditions import WordedConditions
from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.noun import Noun
from schemas.rule_sets import RULE_SETS, Condition
from tree_explainers.onnx_models.description import ModelDescription

from ..app_context import AppContext

Json = dict[str, Any]


def in_words(context: AppContext, noun: Noun[Any], document: Json) -> Json:
    """Return the document of a rule set or a tree with its conditions in words; any other as it is."""
    if noun.name not in {RULE_SETS.name, APPROXIMATION_TREES.name}:
        return document
    conditions = _conditions(context, document["request"])
    if conditions is None:
        return document
    result = document["result"]
    if noun.name == RULE_SETS.name:
        rules = [{**rule, "text": _rule_text(conditions, rule)} for rule in result["rules"]]
        return {**document, "result": {**result, "rules": rules}}
    nodes = [_worded_node(conditions, node) for node in result["nodes"]]
    return {**document, "result": {**result, "nodes": nodes}}


def hidden_features(context: AppContext, dataset_id: str) -> set[str]:
    """Return the columns of a dataset of which pictures of its explainers show nothing."""
    words = context.dictionaries.get(dataset_id).words or {}
    return {feature["name"] for feature in words.get("features", ()) if feature.get("hidden")}


def _conditions(context: AppContext, request: Json) -> WordedConditions | None:
    """Return the words for conditions; none where there are none, and for features that are queries of tables."""
    dataset, stored = context.datasets.get(request["dataset"]), context.models.get(request["model"])
    columns = feature_columns(stored.view, dataset.view)
    dictionary = context.dictionaries.get(request["dataset"])
    words = DictionaryWords.read(dictionary, stored.view.feature_names, columns)
    if dataset.view.feature_set is not None or not (words.columns or words.hidden):
        return None
    precision = ModelDescription.from_json(stored.description).precision
    phrases = phrases_of(stored.view.feature_names, columns, None, precision, None, words.columns)
    return WordedConditions(phrases, words.hidden)


def _rule_text(conditions: WordedConditions, rule: Json) -> str:
    return conditions.rule_text([Condition(**condition) for condition in rule["conditions"]])


def _worded_node(conditions: WordedConditions, node: Json) -> Json:
    if node["feature"] is None:
        return node
    names = ("feature", "column", "operator", "value")
    condition = Condition(**{name: node[name] for name in names}, or_missing=bool(node["or_missing"]))
    return {**node, "feature": conditions.feature(condition), "text": conditions.text(condition)}
