"""Statements are held against what the nodes themselves answer."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.models import ALL_MODELS, fitted
from tests.support.naive import goes_left
from tests.support.naive_defrag import Matrix, statement_matrix
from tests.support.native_models import NATIVE
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tests.support.tree_graphs import random_trees, regressor
from tree_explainers.ensemble import Operator, TreeEnsemble
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.onnx_models.description import DeclaredModel, FeatureGroup, GroupColumn, ModelColumn, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.questions.cut_points import Rounding, number_cuts
from tree_explainers.questions.splits import ColumnSplits
from tree_explainers.questions.statements import FeatureStatements, Statements, statements_of
from tree_explainers.rows import Rows

Numbers = NDArray[np.floating[Any]]

ONE_OF_EACH_FAMILY = [name for name in ALL_MODELS if name.endswith("_multiclass")]
MAPPED_BACK = [name for name in PIPELINES if name != "principal_components"]


def questions_of_nodes(ensemble: TreeEnsemble) -> list[int]:
    """Return one node for each distinct question."""
    parts = (ensemble.column, ensemble.operator, ensemble.threshold, ensemble.missing_left)
    inner = np.flatnonzero(ensemble.operator != Operator.LEAF).tolist()
    return list({tuple(float(part[node]) for part in parts): node for node in inner}.values())


def answers_of(ensemble: TreeEnsemble, node: int, values: Numbers) -> NDArray[np.bool_]:
    """Return whether rows of model-side columns go left at a node."""
    return np.array([goes_left(ensemble, node, float(value)) for value in values[:, ensemble.column[node]]])


def by_feature(statements: Statements, rows: Rows) -> dict[int, Matrix]:
    """Return each feature's part of the matrix of rows and statements, by raw index."""
    parts = np.split(statement_matrix(statements, rows), statements.statement_starts[1:-1], axis=1)
    return {feature.raw_index: part for feature, part in zip(statements.features, parts, strict=True)}


def is_same(truths: Matrix, answers: NDArray[np.bool_]) -> bool:
    """Whether one statement, or its negation, has a node's answer on every row."""
    differ = np.not_equal(truths.T, answers)
    return not (differ.any(axis=1) & ~differ.all(axis=1)).all()


def is_difference(truths: Matrix, answers: NDArray[np.bool_]) -> bool:
    """Whether one statement does, or two cuts around a value."""
    between = [low * (1 - high) for low, high in itertools.permutations(truths.T, 2)]
    return is_same(truths, answers) or is_same(np.array(between).T, answers)


def is_determined(truths: Matrix, answers: NDArray[np.bool_]) -> bool:
    """Whether rows for which all statements are the same get the same answer."""
    _, kind = np.unique(truths, axis=0, return_inverse=True)
    return all(len(np.unique(answers[kind == each])) == 1 for each in np.unique(kind))


def probes(ensemble: TreeEnsemble, columns: tuple[ModelColumn, ...], n_features: int) -> NDArray[np.float32]:
    """Return raw rows at, just below and just above some thresholds of each feature, and one missing throughout."""
    raw = np.array([column.raw_index for column in columns])[ensemble.column]
    inner = ensemble.operator != Operator.LEAF
    lines = []
    for feature in range(n_features):
        at = np.unique(ensemble.threshold[inner & (raw == feature)]).astype(np.float32)[:12]
        around = [np.nextafter(at, np.float32(end)) for end in (-np.inf, np.inf)]
        lines.append(np.resize([*at, *around[0], *around[1], 0.0], 37))
    return np.vstack([np.array(lines).T, np.full(n_features, np.nan)]).astype(np.float32)


def rows_of(raw: Numbers, read: ReadModel) -> Rows:
    return Rows(read.description.feature_names, tuple(np.asarray(column, np.float64) for column in raw.T))


@pytest.mark.parametrize("name", ONE_OF_EACH_FAMILY)
@pytest.mark.sampled("thirds")
def test_each_node_of_a_real_ensemble_answers_as_a_statement_does(name: str) -> None:
    read = fitted(name).read
    ensemble, columns = read.ensemble, read.description.columns
    raw = probes(ensemble, columns, read.description.n_features)
    values = raw[:, np.array([column.raw_index for column in columns], dtype=np.int64)]
    truths = by_feature(statements_of(ensemble, read.description), rows_of(raw, read))

    for node in questions_of_nodes(ensemble):
        column = columns[ensemble.column[node]]
        assert is_same(truths[int(column.raw_index or 0)], answers_of(ensemble, node, values))


@pytest.mark.parametrize("name", ["random_forest_binary", "xgboost_regression", "bagging_of_features_multiclass"])
def test_equal_splits_on_a_raw_feature_are_one_statement(name: str) -> None:
    read = fitted(name).read
    ensemble, columns = read.ensemble, read.description.columns
    nodes = questions_of_nodes(ensemble)

    statements = statements_of(ensemble, read.description)

    questions = {
        (columns[ensemble.column[node]].raw_index, ensemble.threshold[node], bool(ensemble.missing_left[node]))
        for node in nodes
    }
    assert statements.n_statements == len(questions)
    assert [feature.raw_index for feature in statements.features] == sorted({raw for raw, _, _ in questions})


@pytest.mark.parametrize("name", [*MAPPED_BACK, *NATIVE])
@pytest.mark.sampled("thirds")
def test_nodes_of_pipelines_answer_as_statements_about_raw_rows_do(name: str) -> None:
    model = fitted_pipeline(name)
    ensemble, columns = model.read.ensemble, model.read.description.columns
    some = np.arange(0, len(model.rows), 6)
    truths = by_feature(statements_of(ensemble, model.read.description), model.rows.take(some))
    values = model.tree_inputs[some]

    for node in questions_of_nodes(ensemble):
        column = columns[ensemble.column[node]]
        # A scaled value this near to a threshold is on the side to which the graph's own arithmetic rounds it.
        unit = np.spacing(np.float32(min(abs(column.offset) + abs(ensemble.threshold[node]), 1e38)))
        clear = ~(abs(values[:, ensemble.column[node]] - ensemble.threshold[node]) <= 2 * unit)
        clear |= column.kind != "affine"
        answers = answers_of(ensemble, node, values[clear])
        if answers.any() and not answers.all():
            matches = is_difference if column.kind == "indicator" else is_same  # a number has the cuts around it
            if (
                ensemble.operator[node] in (Operator.MEMBER, Operator.EQ)
                and column.kind == "ordinal"
                and isinstance(column.categories[0], float)
            ):
                matches = is_determined  # a set of numbers has the cuts around them all
            assert matches(truths[int(column.raw_index or 0)][clear], answers)


@pytest.mark.parametrize("seed", range(6))
def test_nodes_of_any_operator_answer_as_one_or_two_statements_do(seed: int) -> None:
    graph = regressor(random_trees(np.random.default_rng(seed), 8, 3))
    read = read_model(graph.SerializeToString(), DeclaredModel(), ModelLimits())
    raw = np.vstack([np.tile(np.arange(-3, 3.25, 0.25), (3, 1)).T, np.full(3, np.nan)])
    truths = by_feature(statements_of(read.ensemble, read.description), rows_of(raw, read))

    for node in questions_of_nodes(read.ensemble):
        answers = answers_of(read.ensemble, node, raw)
        assert is_difference(truths[int(read.ensemble.column[node])], answers)


def questions(operator: Operator, *thresholds: float, missing_left: bool = False) -> ColumnSplits:
    n = len(thresholds)
    members = (np.array([-2.0, 0.0, 4.0, 5.0]),)
    return ColumnSplits(np.full(n, operator, np.uint8), np.array(thresholds), np.full(n, missing_left), members)


def test_members_become_cuts_around_those_that_onnxruntime_cuts_to_them() -> None:
    number = ModelColumn("x", "identity", "x", 0)

    cuts, missing_greater = number_cuts(
        [(number, questions(Operator.MEMBER, 0.0, missing_left=True))], Rounding(np.float64, np.float64)
    )

    # -2.9 is cut to -2, -0.9 and 0.9 to 0, 4.9 to 4 and 5.9 to 5.
    np.testing.assert_allclose(cuts, [-3, -2, -1, 1, 4, 6])
    assert (cuts[[1, 3, 4, 5]] < [-2 + 1e-9, 1, 4, 6]).all()
    assert missing_greater.tolist() == [True, False, False, False, False, False]


def test_a_number_rounded_before_the_trees_is_cut_where_its_rounding_turns() -> None:
    threshold = np.float32(0.7)  # below 0.7, which is rounded to it
    column = ModelColumn("x", "affine", "x", 0, is_rounded=True)

    (cut,), _ = number_cuts([(column, questions(Operator.LEQ, float(threshold)))], Rounding(np.float64, np.float64))

    assert float(threshold) < 0.7 < cut
    assert np.float32(cut) == threshold < np.float32(np.nextafter(cut, np.inf))


def test_cuts_of_a_column_scaled_by_a_negative_number_keep_their_order() -> None:
    column = ModelColumn("x", "affine", "x", 0, scale=-2.0, offset=1.0)

    cuts, missing_greater = number_cuts(
        [(column, questions(Operator.LEQ, -3.0, 5.0))], Rounding(np.float64, np.float64)
    )

    # 1 - 2x <= -3 where x >= 2, and <= 5 where x >= -2; a missing value goes right, where x is smaller.
    assert cuts.tolist() == [np.nextafter(-2, -np.inf), np.nextafter(2, -np.inf)]
    assert missing_greater.tolist() == [False, False]


@pytest.mark.parametrize("seed", range(3))
def test_numbers_kept_in_double_are_compared_as_the_model_compares_them_in_single(seed: int) -> None:
    rng = np.random.default_rng(seed)
    thresholds = np.concatenate([rng.normal(size=500), [0.0, 1.0, 16777217.0]]).astype(np.float32).astype(np.float64)

    cuts = Rounding(np.float32, np.float64).lower(thresholds)

    halfway = (thresholds + np.nextafter(thresholds.astype(np.float32), np.float32(np.inf))) / 2
    for values in (halfway, np.nextafter(halfway, -np.inf), np.nextafter(halfway, np.inf), thresholds):
        np.testing.assert_array_equal(values > cuts, values.astype(np.float32) > thresholds)


def features(name: str) -> dict[str, FeatureStatements]:
    read = fitted_pipeline(name).read
    return {feature.name: feature for feature in statements_of(read.ensemble, read.description).features}


def test_indicators_make_one_statement_for_each_category_and_for_the_missing() -> None:
    port = features("scaled_and_one_hot")["embarked"]

    assert port.categories == ("C", "Q", "S")
    assert port.missing_token == "None"  # noqa: S105  # a text in the data
    assert port.answers is not None
    # Columns: C, Q, S, any other category, missing.
    assert port.answers.astype(int).tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1]]


def test_a_missing_category_is_treated_as_the_imputed_one() -> None:
    port = features("imputed_categories")["embarked"]

    assert port.categories == ("Q", "S")
    assert port.answers is not None
    assert port.answers.astype(int).tolist() == [[1, 0, 0, 0], [0, 1, 0, 1]]


def test_codes_of_categories_become_sets_of_them() -> None:
    workplace = features("ordinal_categories")["workclass"]

    assert workplace.answers is not None
    assert workplace.answers.sum(axis=1).max() > 1
    assert not workplace.answers[:, len(workplace.categories)].any()


def test_a_missing_number_goes_where_the_imputed_one_goes() -> None:
    age = features("scaled_and_one_hot")["age"]
    (column,) = (
        each for each in fitted_pipeline("scaled_and_one_hot").read.description.columns if each.feature == "age"
    )

    assert isinstance(column.imputed, float)
    np.testing.assert_array_equal(age.missing_greater, age.cuts < column.imputed)
    assert 0 < age.missing_greater.sum() < len(age.cuts)


def test_an_indicator_of_a_missing_number_is_a_cut_above_all_numbers() -> None:
    flag = ModelColumn("x", "indicator", "x", 0)

    cuts, missing_greater = number_cuts([(flag, questions(Operator.LEQ, 0.5))], Rounding(np.float32, np.float32))

    assert (cuts.tolist(), missing_greater.tolist()) == ([np.inf], [True])


def test_what_only_separates_missing_numbers_from_the_rest_is_one_statement() -> None:
    number = ModelColumn("x", "identity", "x", 0)
    beyond = questions(Operator.LEQ, np.inf), questions(Operator.GT, np.inf, missing_left=True)
    nothing = questions(Operator.LEQ, np.inf, missing_left=True)

    cuts, missing_greater = number_cuts(
        [(number, each) for each in (*beyond, nothing)], Rounding(np.float32, np.float32)
    )

    assert (cuts.tolist(), missing_greater.tolist()) == ([np.inf], [True])


@pytest.mark.parametrize("kept", [np.float32, np.float64])
def test_the_largest_number_is_below_its_cut_and_infinity_above(kept: type[np.float32 | np.float64]) -> None:
    number, largest = ModelColumn("x", "identity", "x", 0), float(np.finfo(np.float32).max)
    about = questions(Operator.LEQ, largest), questions(Operator.GTE, -largest, missing_left=True)

    cuts, missing_greater = number_cuts([(number, each) for each in about], Rounding(np.float32, kept))

    values = np.array([-np.inf, -3e38, 0, largest, np.inf])
    assert np.searchsorted(cuts, values, side="left").tolist() == [0, 1, 1, 1, 2]
    assert np.isfinite(cuts).all()
    assert missing_greater.tolist() == [True, True]
    rounded_down = np.nextafter(largest + 2.0**103, 0)  # to the largest number of single precision
    if kept is np.float64:
        assert np.searchsorted(cuts, [rounded_down, np.nextafter(rounded_down, np.inf)], side="left").tolist() == [1, 2]


def test_one_hot_columns_made_before_the_graph_name_their_feature_and_category() -> None:
    model = fitted("random_forest_binary")
    group = FeatureGroup("colour", (GroupColumn("f3", "red"), GroupColumn("f7", "blue")))
    read = read_model(model.onnx, DeclaredModel(feature_names=model.rows.names, feature_groups=(group,)), ModelLimits())

    grouped = {feature.name: feature for feature in statements_of(read.ensemble, read.description).features}

    assert (grouped["f3"].one_hot_category, grouped["f7"].one_hot_category) == (("colour", "red"), ("colour", "blue"))
    assert grouped["f4"].one_hot_category is None
    plain = statements_of(model.read.ensemble, model.read.description)
    for feature in plain.features:
        np.testing.assert_array_equal(grouped[feature.name].cuts, feature.cuts)


def test_a_model_whose_columns_mix_features_is_refused_by_name() -> None:
    read = fitted_pipeline("principal_components").read

    with pytest.raises(MethodNotApplicable, match="'component 1 of 2 of fare, age', which is computed from"):
        statements_of(read.ensemble, read.description)
