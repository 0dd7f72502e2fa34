"""Rules and trees over features of several tables as SQL that reads the tables themselves, a row for each example."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from explanations.rules import Term, terms_of
from explanations.trees import merged_splits, splits_of
from schemas.approximation_trees import ApproximationTreeResult
from schemas.rule_sets import RuleSetResult
from tree_explainers.relational.queries import Feature
from tree_explainers.relational.schema import Schema

from ..sql_queries import NamedTests, feature_test, write_predictions
from ..sql_queries.cases import Case, CaseTree
from ..sql_queries.expressions import ABOUT_NAN, ALWAYS, indented, on_one_line, sql_value
from .weighted_rules import weighted_sql


@dataclass(frozen=True, slots=True)
class TablesBehind:
    """What the features of a model are queries of."""

    schema: Schema
    features: Mapping[str, Feature]  # by the model's name of each
    tests: NamedTests = field(default_factory=NamedTests)  # of the one statement that is written

    def condition(self, term: Term) -> str:
        """Return the name of the test of a term, or its negation."""
        return self.tests.condition(feature_test(self.schema, self.features[term.column], term))


def write_tree_over_tables(content: ApproximationTreeResult, behind: TablesBehind) -> str:
    """Return a query with the key of each example and the tree's prediction; see ``write_tree_sql``."""
    splits, predictions = merged_splits(splits_of(content), [sql_value(node.prediction) for node in content.nodes])
    steps = [
        None if split is None else Case([behind.condition(split.term)], split.left, split.right) for split in splits
    ]
    return write_predictions(behind.schema, behind.tests, CaseTree(steps, predictions).lines())


def write_rules_over_tables(content: RuleSetResult, behind: TablesBehind) -> str:
    """Return a query with the key of each example and the prediction of the first rule, or of rules with weights."""
    if content.combination == "weighted_mean":
        conditions = [" AND ".join(map(behind.condition, terms)) or ALWAYS for terms in terms_of(content)]
        return write_predictions(behind.schema, behind.tests, weighted_sql(content, conditions))
    cases = [ABOUT_NAN]
    for rule, terms in zip(content.rules, terms_of(content), strict=True):
        condition = " AND ".join(map(behind.condition, terms)) or ALWAYS
        cases += [f"-- {rule.rank}. {on_one_line(rule.text)}", f"WHEN {condition} THEN {sql_value(rule.prediction)}"]
    default = sql_value(content.default_prediction)
    whole = ["CASE", *indented([*cases, f"ELSE {default}"]), "END"] if content.rules else [default]
    return write_predictions(behind.schema, behind.tests, whole)
