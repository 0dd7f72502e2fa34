"""Statements are printed as conditions on raw values, in few digits, and mean what the model means."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tests.support.ism_training import IsmCase, ism_case
from tests.support.models import onnx_of
from tests.support.shared import shared_path
from tree_explainers.approximation_trees.ordered_tests import OrderedTests
from tree_explainers.approximation_trees.statement_conditions import (
    StatementCondition,
    StatementConditions,
    ValuesHere,
)
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.onnx_models.description import DeclaredModel, FeatureGroup, GroupColumn, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.conditions import ConditionReader
from tree_explainers.rows import Rows

MATRICES = ("random_forest_binary", "xgboost_multiclass", "extra_trees_multiclass")
PIPELINES = ("scaled_and_one_hot", "imputed_categories", "one_matrix", "ordinal_categories", "missing_kept")


def _questions(case: IsmCase) -> list[StatementCondition]:
    """Return all of them, by statement."""
    conditions = StatementConditions(ValuesHere(case.rows, case.training.binned), case.read.description)
    features = case.statements.features
    return [conditions.of_statement(at, own) for at, each in enumerate(features) for own in range(each.n_statements)]


def _reader(case: IsmCase) -> ConditionReader:
    texts = {each.name: each.missing_token for each in case.statements.features if each.missing_token is not None}
    return ConditionReader(np.float64, texts)


@pytest.mark.parametrize("name", MATRICES + PIPELINES)
@pytest.mark.sampled("thirds")
def test_no_training_row_changes_sides(name: str) -> None:
    case = ism_case(name)
    tests, reader, rows = OrderedTests(case.training.binned), _reader(case), np.arange(len(case.rows))

    for test, question in enumerate(_questions(case)):
        holds = reader.holds(question.condition, case.rows)
        np.testing.assert_array_equal(holds, tests.holds(test, rows) == question.is_true)


@pytest.mark.parametrize("name", MATRICES)
def test_rows_in_single_precision_never_change_sides_be_they_next_to_a_cut(name: str) -> None:
    case = ism_case(name)
    reader, start = _reader(case), 0
    questions = _questions(case)

    for feature in case.statements.features:
        cuts = feature.cuts.astype(np.float32)
        values = np.concatenate([np.nextafter(cuts, np.float32(-np.inf)), cuts, np.nextafter(cuts, np.float32(np.inf))])
        column = values.astype(np.float64)
        for own, cut in enumerate(feature.cuts):
            held = reader.holds(questions[start + own].condition, Rows((feature.name,), (column,)))
            np.testing.assert_array_equal(held, column <= cut)
        start += feature.n_statements


def test_a_decimal_is_as_short_as_the_models_own_unless_a_row_would_change_sides() -> None:
    case = ism_case("random_forest_binary")
    feature = case.statements.features[0]
    cut = float(feature.cuts[0])
    last = (cut + float(np.nextafter(np.float32(cut), np.float32(np.inf)))) / 2  # of what is read as the cut
    short = float(str(np.float32(cut)))
    assert short != cut

    def threshold(value: float) -> object:
        column = case.rows.columns[feature.raw_index].copy()
        column[0], column[1] = value, 0.1  # 0.1 has more digits than single precision
        columns = tuple(column if at == feature.raw_index else each for at, each in enumerate(case.rows.columns))
        rows = replace(case.rows, columns=columns)
        binned = BinnedRows.of(case.statements, rows)
        return StatementConditions(ValuesHere(rows, binned), case.read.description).of_statement(0, 0).condition.value

    assert threshold(cut - 1) == short
    between = max(short, cut) + (last - max(short, cut)) / 2
    printed = threshold(between)
    assert isinstance(printed, float)
    assert printed != short
    assert between <= printed <= last


def test_categories_and_missing_values_are_tested_by_name() -> None:
    texts = {question.condition.text for question in _questions(ism_case("scaled_and_one_hot"))}
    assert {"sex is female", "sex is male", "embarked is Q"} <= texts
    assert "embarked is missing" in texts

    kept = _questions(ism_case("missing_kept"))
    sides = {question.condition.or_missing for question in kept if question.condition.operator == "<="}
    assert sides == {True, False}


def test_declared_one_hot_columns_are_printed_as_the_feature_that_they_represent() -> None:
    frame = pd.read_parquet(shared_path("data/covertype_20k.parquet")).head(800)
    names = ("elevation", "w1", "w2", "w3", "w4")
    features = frame.iloc[:, [0, 10, 11, 12, 13]].to_numpy(np.float32)
    forest = RandomForestClassifier(10, max_depth=6, random_state=0).fit(features, frame["cover_type"])
    group = FeatureGroup("wilderness", tuple(GroupColumn(name, name[-1]) for name in names[1:]))
    declared = DeclaredModel(feature_names=names, feature_groups=(group,))
    read = read_model(onnx_of(forest, features), declared, ModelLimits())
    rows = Rows(names, tuple(features.T.astype(np.float64)))
    case = IsmCase("covertype", rows, None, read, ModelSession(read.leaf_graph, read.description))

    conditions_of_tree = [node.condition for node in case.grow(TreeLimits(6, 5)).nodes if node.condition is not None]

    of_group = [each for each in conditions_of_tree if each.feature == "wilderness"]
    assert of_group
    for condition in of_group:
        assert (condition.operator, condition.value) == ("is", condition.column[-1])
        held = ConditionReader(np.float64, {}).holds(condition, rows)
        np.testing.assert_array_equal(held, rows.columns[names.index(condition.column)] == 1)


def test_cuts_of_scaled_columns_are_printed_as_the_short_numbers_that_they_represent() -> None:
    case = ism_case("scaled_and_one_hot")
    whole = [name for name, column in zip(case.rows.names, case.rows.columns, strict=True) if _is_whole(column)]

    printed = {
        question.condition.value
        for question in _questions(case)
        if question.condition.operator == "<=" and question.condition.column in whole
    }

    assert {0.5, 1.5, 2.5} <= printed
    assert not {value for value in printed if isinstance(value, float) and 0 < abs(value * 2 - round(value * 2)) < 1e-4}


def _is_whole(column: NDArray[Any]) -> bool:
    return column.dtype != object and bool((column == np.round(column))[~np.isnan(column)].all())


@pytest.mark.parametrize("name", MATRICES + PIPELINES)
def test_missing_values_are_mentioned_only_if_a_training_row_has_one(name: str) -> None:
    case = ism_case(name)
    nullable = {
        feature.name
        for at, feature in enumerate(case.statements.features)
        if (case.training.binned.bins[at] == feature.missing_bin).any()
    }

    spoken_of = {question.condition.column for question in _questions(case) if question.condition.or_missing}

    assert spoken_of <= nullable
    assert spoken_of or not nullable or name == "scaled_and_one_hot"
