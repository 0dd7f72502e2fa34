from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from tests.support.models import onnx_of
from tests.support.naive_rules import first_that_hold, roundest
from tests.support.native_models import NATIVE
from tests.support.rule_training import TrainingSet, energy, of_model, of_pipeline, spambase
from tests.support.shared import shared_path
from tree_explainers.column_words import BooleanPhrases
from tree_explainers.errors import InvalidInput
from tree_explainers.onnx_models.description import DeclaredModel, FeatureGroup, GroupColumn, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.conditions import Condition, Operator, TrainingValues, condition_text, rule_text
from tree_explainers.questions.cut_points import roundest_between
from tree_explainers.questions.statements import FeatureStatements, Statements, statements_of
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.fab import fit_fab
from tree_explainers.rule_sets.rule_counts import fit_rule_list
from tree_explainers.rule_sets.rule_lists import Box, PrintedRules, boxes_of, conditions_of, print_rules

PIPELINES = ("missing_kept", "scaled_and_one_hot", "ordinal_categories", "dropped_indicators", *NATIVE)
SETS = ("energy", "spambase", "random_forest_multiclass", "xgboost_binary", *PIPELINES)


def training_set(name: str) -> TrainingSet:
    if name in PIPELINES:
        return of_pipeline(name)
    return {"energy": lambda: energy(5), "spambase": lambda: spambase(300, 5)}.get(name, lambda: of_model(name))()


def region_boxes(data: TrainingSet) -> tuple[Box, ...]:
    model = fit_fab(data.labelled, 4, np.random.default_rng(3)).model
    return boxes_of(model, data.statements, certainty=0.02)


def printed(data: TrainingSet, boxes: tuple[Box, ...]) -> PrintedRules:
    rules = fit_rule_list(boxes, data.labelled)
    return print_rules(rules, TrainingValues(data.rows, data.binned))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.sampled("thirds")
def test_printed_conditions_hold_exactly_where_the_box_covers_a_training_row(name: str) -> None:
    data = training_set(name)
    boxes = region_boxes(data)

    fires = printed(data, boxes).fires(data.rows)

    assert sum(len(box.features) for box in boxes) > 0
    for index, box in enumerate(boxes):
        np.testing.assert_array_equal(fires[:, index], box.covers(data.binned))


@pytest.mark.parametrize("name", ["energy", "spambase"])
def test_thresholds_have_the_fewest_decimals_near_a_cut_that_keep_their_training_rows_apart(name: str) -> None:
    data = training_set(name)
    cuts = {feature.name: feature.cuts for feature in data.statements.features}
    n_checked = 0

    for rule in printed(data, region_boxes(data)).rules:
        for condition in rule:
            assert isinstance(condition.value, float)
            values = np.unique(data.rows.select([condition.column]).columns[0])
            low, high = values[values <= condition.value].max(), values[values > condition.value].min()
            quarter, own = (high - low) / 4, cuts[condition.column]
            assert any(
                abs(condition.value - cut) <= quarter
                and round(condition.value, roundest(max(low, cut - quarter), min(high, cut + quarter)))
                == condition.value
                for cut in own[(low <= own) & (own < high)]
            )
            n_checked += 1

    assert n_checked > 5


def test_round_numbers_stay_in_their_gap_near_the_cut() -> None:
    assert roundest_between(0.123, 0.179, 0.16) == 0.16
    assert roundest_between(2.0, 5.0, 4.2) == 4.0
    assert roundest_between(1180.0, 1250.0, 1210.0) == 1200.0
    assert roundest_between(-0.5, 0.5, 0.1) == 0.0
    assert roundest_between(3.0, np.nextafter(3.0, 4), 3.0) == 3.0
    assert roundest_between(1e-9, 2e-9, 1.4e-9) == 1e-9
    assert -1.6e308 <= roundest_between(-1.6e308, -1e307, -1e308) < -1e307


@pytest.mark.parametrize(("operator", "text"), [(">", "x is above -infinity"), ("<=", "x is at most -infinity")])
def test_an_end_below_all_numbers_is_printed_as_minus_infinity(operator: Operator, text: str) -> None:
    lowest = float(np.finfo(np.float64).min)
    printed = roundest_between(-np.inf, 3.0, lowest)

    assert printed == lowest
    assert roundest_between(-1.7e308, 3.0, -1.6e308) == -1.6e308
    assert condition_text(Condition("x", "x", operator, printed, or_missing=False)) == text


def test_a_cut_hard_by_a_training_value_stays_near_it() -> None:
    one_cut = FeatureStatements("x", 0, np.array([18.0]), np.array([False]))
    statements = Statements((one_cut,), np.float64)
    rows = Rows(("x",), (np.array([17.0, 120.0]),))
    values = TrainingValues(rows, BinnedRows.of(statements, rows))

    (condition,) = conditions_of(Box((0,), (np.array([True, False, False]),)), values)

    assert (condition.operator, condition.value) == ("<=", 20.0)


def test_every_gap_has_a_number_however_narrow_it_is() -> None:
    values = np.sort(np.unique(spambase(300, 5).rows.columns[-3].astype(np.float32)).astype(np.float64))

    for low, high in pairwise(values):
        for pair in ((low, high), (low, np.nextafter(low, high)), (-high, -low)):
            assert pair[0] <= roundest_between(*pair, pair[0]) < pair[1]


def test_categories_that_could_be_read_as_words_of_a_rule_are_set_off() -> None:
    named = ("a", "b and c", "d, e", "", " f", "it's")
    condition = Condition("port", "port", "is one of", named, or_missing=False)

    assert condition.text == "port is one of 'a', 'b and c', 'd, e', '', ' f', \"it's\""


def test_boolean_columns_are_yes_or_no() -> None:
    phrases = {"smoker": BooleanPhrases.of("smoker")}
    below, above = (Condition("smoker", "smoker", each, 0.5, or_missing=False) for each in ("<=", ">"))
    missing = Condition("smoker", "smoker", "is missing", None, or_missing=False)
    age = Condition("age", "age", ">", 12.0, or_missing=False)

    assert condition_text(below, phrases) == "smoker is no"
    assert condition_text(replace(below, value=0.0, or_missing=True), phrases) == "smoker is no (missing allowed)"
    assert condition_text(replace(above, value=1.0), phrases) == "smoker is above 1"  # which is neither
    assert condition_text(missing, phrases) == "smoker is missing"
    assert rule_text((age, above), phrases) == "age is above 12, and smoker is yes"


def test_rules_read_as_sentences() -> None:
    low = Condition("age", "age", ">", 12.0, or_missing=False)
    high = Condition("age", "age", "<=", 60.5, or_missing=False)
    sex = Condition("sex", "sex", "is", "female", or_missing=True)
    port = Condition("port", "port", "is one of", ("C", "Q"), or_missing=False)
    fare = Condition("fare", "fare", "is not missing", None, or_missing=False)

    assert rule_text((low, high)) == "age is above 12 and at most 60.5"
    assert rule_text((low, sex, port)) == "age is above 12, and sex is female (missing allowed), and port is C or Q"
    assert rule_text((sex,)) == "sex is female (missing allowed)"
    assert rule_text((fare,)) == "fare is not missing"
    assert rule_text(()) == "always"


def test_a_declared_one_hot_column_is_printed_as_its_category() -> None:
    names = ("elevation", *(f"wilderness_area_{number}" for number in range(1, 5)))
    frame = pd.read_parquet(shared_path("data/covertype_20k.parquet")).head(800)
    features = frame.iloc[:, [0, 10, 11, 12, 13]].to_numpy(np.float32)
    forest = RandomForestClassifier(10, max_depth=6, random_state=0).fit(features, frame["cover_type"])
    group = FeatureGroup("wilderness", tuple(GroupColumn(name, name[-1]) for name in names[1:]))
    declared = DeclaredModel(feature_names=names, feature_groups=(group,))
    read = read_model(onnx_of(forest, features), declared, ModelLimits())
    statements = statements_of(read.ensemble, read.description)
    rows = Rows(names, tuple(features.T.astype(np.float64)))
    values = TrainingValues(rows, BinnedRows.of(statements, rows))
    at = next(index for index, feature in enumerate(statements.features) if feature.name == names[1])
    bins = np.arange(statements.features[at].n_bins)

    (yes,) = conditions_of(Box((at,), (bins == 1,)), values)
    (no,) = conditions_of(Box((at,), (bins == 0,)), values)

    assert yes == Condition("wilderness", names[1], "is", "1", or_missing=False)
    assert no == Condition("wilderness", names[1], "is not", "1", or_missing=False)
    fires = PrintedRules(((yes,), (no,)), np.float32, {}).fires(rows)
    np.testing.assert_array_equal(fires, np.column_stack([features[:, 1] == 1, features[:, 1] == 0]))


def test_categories_are_named_or_those_that_are_left_out() -> None:
    data = of_pipeline("ordinal_categories")
    at = next(index for index, feature in enumerate(data.statements.features) if feature.name == "occupation")
    feature = data.statements.features[at]
    values = TrainingValues(data.rows, data.binned)
    few = np.zeros(feature.n_bins, np.bool_)
    few[[0, 2]] = True

    (some,) = conditions_of(Box((at,), (few,)), values)
    (others,) = conditions_of(Box((at,), (~few,)), values)

    assert (some.operator, some.value, some.or_missing) == (
        "is one of",
        (feature.categories[0], feature.categories[2]),
        False,
    )
    assert (others.operator, others.value, others.or_missing) == ("is none of", some.value, True)


@pytest.mark.parametrize("is_nullable", [True, False])
def test_missing_values_are_named_only_where_a_training_row_has_one(is_nullable: bool) -> None:
    feature = FeatureStatements("x", 0, np.array([18.0]), np.array([False]))
    statements = Statements((feature,), np.float64)
    rows = Rows(("x",), (np.array([17.0, 20.0, np.nan if is_nullable else 30.0]),))
    values = TrainingValues(rows, BinnedRows.of(statements, rows))

    (low,) = conditions_of(Box((0,), (np.array([True, False, True]),)), values)
    present = conditions_of(Box((0,), (np.array([True, True, False]),)), values)

    assert low.or_missing == is_nullable
    assert low.text == ("x is at most 18 (missing allowed)" if is_nullable else "x is at most 18")
    assert [each.text for each in present] == (["x is not missing"] if is_nullable else [])


def printed_regions(data: TrainingSet, certainty: float) -> PrintedRules:
    model = fit_fab(data.labelled, 4, np.random.default_rng(5)).model
    rules = fit_rule_list(boxes_of(model, data.statements, certainty), data.labelled)
    return print_rules(rules, TrainingValues(data.rows, data.binned))


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.sampled("thirds")
def test_rules_decide_as_a_reader_does_word_by_word(name: str) -> None:
    data = of_pipeline(name)
    rules = printed_regions(data, 0.05)

    deciding = rules.deciding(data.rows)

    assert deciding.tolist() == first_that_hold(rules, data.rows)
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


def test_a_text_that_represents_missing_is_missing() -> None:
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


def test_a_column_that_is_missing_is_named() -> None:
    data = energy(5)
    rule = Condition("height", "height", ">", 3.0, or_missing=False)

    with pytest.raises(InvalidInput, match="height"):
        PrintedRules(((rule,),), np.float32, {}).fires(data.rows)
