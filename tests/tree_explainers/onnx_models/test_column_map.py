from typing import Any

import numpy as np
import pytest
from leafspace_client.conversion import convert_model
from onnx import helper
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline

from tests.support.converted import read_converted
from tests.support.models import fitted
from tests.support.naive_trees import column_values, walk_leaves
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.column_steps import follow
from tree_explainers.onnx_models.description import DeclaredModel, FeatureGroup, GroupColumn, ModelColumn, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.tensor_columns import Step, TensorColumns


def columns_of(pipeline: str, feature: str) -> list[ModelColumn]:
    return [column for column in fitted_pipeline(pipeline).read.description.columns if column.feature == feature]


@pytest.mark.parametrize("name", PIPELINES)
def test_each_mapped_column_is_what_the_graph_computes(name: str) -> None:
    model = fitted_pipeline(name)
    description = model.read.description

    assert len(description.columns) == model.tree_inputs.shape[1]
    for position, column in enumerate(description.columns):
        if not column.transformed:
            assert column.raw_index is not None
            token = description.missing_tokens[column.raw_index]
            expected = column_values(column, model.rows.columns[column.raw_index], token)
            np.testing.assert_allclose(model.tree_inputs[:, position], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", [name for name in PIPELINES if name != "principal_components"])
def test_all_columns_of_common_pipelines_are_mapped_back_to_raw_features(name: str) -> None:
    assert not any(column.transformed for column in fitted_pipeline(name).read.description.columns)


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.sampled("thirds")
def test_a_naive_walk_through_model_columns_ends_at_the_same_leaves(name: str) -> None:
    model = fitted_pipeline(name)
    some = slice(0, 80)

    leaves = walk_leaves(model.read.ensemble, model.tree_inputs[some])

    np.testing.assert_array_equal(leaves, model.session.run_in_chunks(model.rows.take(some)).leaves)


def test_columns_that_mix_features_keep_a_name_of_their_own() -> None:
    *mixed, last = fitted_pipeline("principal_components").read.description.columns

    assert [(column.kind, column.transformed, column.feature) for column in mixed] == [("transformed", True, None)] * 2
    assert (last.kind, last.name) == ("identity", "pclass")


def test_components_are_known_to_be_of_single_precision_where_the_trees_compare_them_in_double() -> None:
    """As the SDK converts scikit-learn: calculated in double precision, rounded, and compared in double."""
    rows = np.random.default_rng(0).normal(size=(80, 3))
    estimator = make_pipeline(PCA(2), RandomForestClassifier(3, random_state=0)).fit(rows, rows[:, 0] > 0)

    columns = read_converted(convert_model(estimator, rows, parity=False).onnx, None).description.columns

    assert [(column.kind, column.is_rounded) for column in columns] == [("transformed", True)] * 2
    assert columns[0].shortest_equivalent(float(np.float32(0.1))) == 0.1


def test_scaled_and_imputed_numbers_are_affine_in_raw_units() -> None:
    model = fitted_pipeline("scaled_and_one_hot")
    (age,) = columns_of("scaled_and_one_hot", "age")
    known = model.rows.columns[model.rows.names.index("age")]

    assert age.kind == "affine"
    assert isinstance(age.imputed, float)
    assert age.imputed == pytest.approx(np.nanmean(known), rel=1e-6)
    assert age.offset == pytest.approx(-age.imputed * age.scale, rel=1e-4)


def test_a_missing_category_is_distinguished_from_the_text_that_represents_it() -> None:
    model = fitted_pipeline("scaled_and_one_hot")

    categories = [column.category for column in columns_of("scaled_and_one_hot", "embarked")]

    assert categories == ["C", "Q", "S", None]
    assert model.read.description.missing_tokens[model.rows.names.index("embarked")] == "None"


def test_a_missing_category_counts_as_the_one_that_is_put_in_its_place() -> None:
    model = fitted_pipeline("imputed_categories")
    columns = columns_of("imputed_categories", "embarked")

    assert [(column.category, column.imputed) for column in columns] == [("C", "S"), ("Q", "S"), ("S", "S")]
    assert model.read.description.missing_tokens[model.rows.names.index("embarked")] == "unknown"


def test_one_hot_integers_of_a_matrix_are_indicators_of_numbers() -> None:
    assert [column.category for column in columns_of("one_matrix", "pclass")] == [1.0, 2.0, 3.0]


def test_ordinal_codes_come_with_their_categories() -> None:
    (sex,) = columns_of("ordinal_categories", "sex")

    assert sex.kind == "ordinal"
    assert (sex.categories, sex.codes, sex.default_code) == (("Female", "Male"), (0.0, 1.0), -1.0)


def test_columns_of_bagging_lead_each_operator_back_to_its_own_features() -> None:
    model = fitted("bagging_of_features_binary")
    description, ensemble = model.read.description, model.read.ensemble

    raw = [column.raw_index for column in description.columns]
    drawn = np.concatenate(model.estimator.estimators_features_)

    assert raw == drawn.tolist()
    assert ensemble.column.max() < len(raw)


def test_one_hot_columns_made_before_the_graph_become_indicators_of_their_feature() -> None:
    model = fitted("random_forest_binary")
    group = FeatureGroup("colour", (GroupColumn("f3", "red"), GroupColumn("f5", "blue")))
    declared = DeclaredModel(feature_names=model.rows.names, feature_groups=(group,))

    columns = read_model(model.onnx, declared, ModelLimits()).description.columns

    assert [(columns[at].name, columns[at].kind, columns[at].category) for at in (3, 5)] == [
        ("colour", "indicator", "red"),
        ("colour", "indicator", "blue"),
    ]
    assert columns[3].raw_index == 3
    assert columns[4].kind == "identity"


def test_a_group_of_columns_that_the_model_does_not_have_is_refused() -> None:
    model = fitted("random_forest_binary")
    group = FeatureGroup("colour", (GroupColumn("hue", "red"),))

    with pytest.raises(ModelRefused, match="'hue'"):
        read_model(model.onnx, DeclaredModel(feature_groups=(group,)), ModelLimits())


def _followed(op_type: str, constant: Any, width: int = 3, **attributes: Any) -> TensorColumns:
    node = helper.make_node(op_type, ["x", "c"], ["y"], **attributes)
    columns = tuple(ModelColumn(f"f{at}", "identity", f"f{at}", at) for at in range(width))
    (followed,) = follow(Step(node, {"x": TensorColumns("float", columns)}, {"c": np.array(constant)}, [False] * width))
    return followed


@pytest.mark.parametrize("operator", ["Gather", "ArrayFeatureExtractor", "Pow", "Add"])
def test_texts_where_an_operator_wants_numbers_say_nothing_of_columns(operator: str) -> None:
    """Such a graph does not open, which is what its sender is told."""
    attributes = {"axis": 1} if operator == "Gather" else {}

    columns = _followed(operator, ["two"], **attributes).columns

    assert all(column.transformed for column in columns or ())


def test_a_sum_of_a_row_is_one_column_that_knows_what_it_is_made_of() -> None:
    (of_one,) = _followed("ReduceSum", [1], width=1).columns or ()
    (of_three,) = _followed("ReduceSum", [-1], width=3).columns or ()

    assert (of_one.name, of_one.feature) == ("computed from f0", "f0")
    assert (of_three.name, of_three.feature) == ("computed from f0, f1, f2", None)
    assert _followed("ReduceSum", [0]).columns is None


def test_a_column_that_meets_a_row_of_constants_becomes_as_many_columns() -> None:
    columns = _followed("GreaterOrEqual", [[1.0, 2.0]], width=1).columns or ()

    assert [column.feature for column in columns] == ["f0", "f0"]


def test_columns_of_two_tensors_are_named_after_both_of_each_pair() -> None:
    node = helper.make_node("Mul", ["x", "z"], ["y"])
    first, second, third = (ModelColumn(name, "identity", name, at) for at, name in enumerate("abc"))
    tensors = {"x": TensorColumns("float", (first, second)), "z": TensorColumns("float", (first, third))}

    (followed,) = follow(Step(node, tensors, {}, [False] * 3))

    assert [(each.name, each.feature) for each in followed.columns or ()] == [("mul(a, a)", "a"), ("mul(b, c)", None)]
