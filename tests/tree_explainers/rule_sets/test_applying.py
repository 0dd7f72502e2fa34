from dataclasses import replace

import numpy as np
import pytest

from tests.support.naive_rules import first_that_holds
from tests.support.rule_training import TrainingSet, energy, of_pipeline
from tree_explainers.errors import InvalidInput
from tree_explainers.questions.conditions import Condition, TrainingValues
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.applying import PrintedRules, print_rules
from tree_explainers.rule_sets.boxes import boxes_of
from tree_explainers.rule_sets.fab import fit_fab
from tree_explainers.rule_sets.rule_lists import fit_rule_list

PIPELINES = ("missing_kept", "scaled_and_one_hot", "ordinal_categories", "dropped_indicators")


def printed(data: TrainingSet, certainty: float) -> PrintedRules:
    model = fit_fab(data.binned, data.targets, 4, np.random.default_rng(5)).model
    rules = fit_rule_list(boxes_of(model, data.statements, certainty), data.binned, data.targets)
    return print_rules(rules, TrainingValues(data.rows, data.binned))


@pytest.mark.parametrize("name", PIPELINES)
def test_rules_decide_as_somebody_who_reads_them_word_by_word(name: str) -> None:
    data = of_pipeline(name)
    rules = printed(data, 0.05)

    deciding = rules.deciding(data.rows)

    assert deciding.tolist() == [first_that_holds(rules, data.rows, row) for row in range(len(data.rows))]
    assert len(np.unique(deciding)) > 1


def test_a_missing_value_fulfils_what_says_so_and_nothing_else() -> None:
    data = of_pipeline("missing_kept")
    ages = data.rows.select(["age"]).columns[0]
    conditions = [
        Condition("TSH", "TSH", "<=", 1.0, or_missing=True),
        Condition("TSH", "TSH", "<=", 1.0, or_missing=False),
        Condition("TSH", "TSH", "is missing", None, or_missing=False),
        Condition("TSH", "TSH", "is not missing", None, or_missing=False),
    ]
    fires = PrintedRules(tuple((each,) for each in conditions), np.float32, {}).fires(data.rows)

    measured = data.rows.select(["TSH"]).columns[0]
    is_missing = np.isnan(measured)
    expected = [is_missing | (measured <= 1), measured <= 1, is_missing, ~is_missing]
    np.testing.assert_array_equal(fires.T, expected)
    assert 0 < is_missing.sum() < len(ages)


def test_a_text_that_stands_for_missing_is_missing() -> None:
    rows = Rows(("port",), (np.array(["S", "nan", None], dtype=object),))
    rule = Condition("port", "port", "is not", "S", or_missing=False)

    assert PrintedRules(((rule,),), np.float32, {"port": "nan"}).fires(rows)[:, 0].tolist() == [False, False, False]
    rule = replace(rule, or_missing=True)
    assert PrintedRules(((rule,),), np.float32, {"port": "nan"}).fires(rows)[:, 0].tolist() == [False, True, True]


def test_columns_without_any_value_are_missing_whatever_their_type() -> None:
    nothing = Rows(("age", "port"), (np.array([None], dtype=object), np.array([np.nan])))
    age = Condition("age", "age", ">", 3.0, or_missing=True)
    port = Condition("port", "port", "is", "S", or_missing=False)

    assert PrintedRules(((age,), (port,)), np.float32, {}).fires(nothing).tolist() == [[True, False]]


def test_numbers_are_rounded_as_the_model_rounds_them() -> None:
    value, bound = 0.1, float(np.float32(0.1)) - 1e-10  # 0.1 is above its bound only in single precision
    rows = Rows(("x",), (np.array([value - 1.5e-9]),))
    rule = Condition("x", "x", ">", bound, or_missing=False)

    assert not PrintedRules(((rule,),), np.float64, {}).fires(rows)[0, 0]
    assert PrintedRules(((rule,),), np.float32, {}).fires(rows)[0, 0]


def test_a_column_that_is_lacking_is_named() -> None:
    data = energy(5)
    rule = Condition("height", "height", ">", 3.0, or_missing=False)

    with pytest.raises(InvalidInput, match="height"):
        PrintedRules(((rule,),), np.float32, {}).fires(data.rows)
