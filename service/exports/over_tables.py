"""Rules and trees over features of several tables as SQL that reads the tables themselves, a row for each example."""

from collections.abc import Mapping

from explanations.feature_sets import OpenFeatureSet
from explanations.rules import Term, terms_of
from explanations.trees import splits_of
from schemas.approximation_trees import ApproximationTreeResult
from schemas.rule_sets import RuleSetResult
from tree_explainers.relational.queries import Feature

from ..sql_queries import NamedTests, feature_test, write_predictions
from ..sql_queries.cases import Case, CaseTree
from ..sql_queries.expressions import ABOUT_NAN, ALWAYS, indented, on_one_line, sql_value


def write_tree_over_tables(content: ApproximationTreeResult, opened: OpenFeatureSet) -> str:
    """Return a query with the key of each example and the tree's prediction."""
    tests, features = NamedTests(), dict(zip(opened.names, opened.features, strict=True))
    steps = [
        None if split is None else Case([_condition(tests, opened, features, split.term)], split.left, split.right)
        for split in splits_of(content)
    ]
    tree = CaseTree(steps, [sql_value(node.prediction) for node in content.nodes])
    return write_predictions(opened.schema, tests, tree.lines())


def write_rules_over_tables(content: RuleSetResult, opened: OpenFeatureSet) -> str:
    """Return a query with the key of each example and the prediction of the first rule that holds."""
    tests, features = NamedTests(), dict(zip(opened.names, opened.features, strict=True))
    cases = [ABOUT_NAN]
    for rule, terms in zip(content.rules, terms_of(content), strict=True):
        conditions = " AND ".join(_condition(tests, opened, features, term) for term in terms) or ALWAYS
        cases += [f"-- {rule.rank}. {on_one_line(rule.text)}", f"WHEN {conditions} THEN {sql_value(rule.prediction)}"]
    default = sql_value(content.default_prediction)
    whole = ["CASE", *indented([*cases, f"ELSE {default}"]), "END"] if content.rules else [default]
    return write_predictions(opened.schema, tests, whole)


def _condition(tests: NamedTests, opened: OpenFeatureSet, features: Mapping[str, Feature], term: Term) -> str:
    return tests.condition(feature_test(opened.schema, features[term.column], term))
