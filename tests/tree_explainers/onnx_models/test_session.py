import subprocess
import sys
import threading
from dataclasses import replace
from itertools import pairwise
from unittest.mock import Mock

import numpy as np
import pytest

from tests.support.models import ALL_MODELS, FORESTS, fitted
from tests.support.naive_trees import walk_leaves
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tree_explainers.errors import InvalidInput, ModelRefused, RowRefused
from tree_explainers.onnx_models import session as session_module
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

SKLEARN_NAMES = [name for name in ALL_MODELS if not name.startswith(("xgboost", "lightgbm", "catboost"))]


@pytest.mark.parametrize("name", ALL_MODELS)
@pytest.mark.sampled("thirds")
def test_rows_share_a_leaf_exactly_where_they_do_in_the_models_own_library(name: str) -> None:
    model = fitted(name)
    ours, theirs = model.session.run_in_chunks(model.rows).leaves, model.library_leaves()

    assert theirs is not None
    assert ours.shape == theirs.shape
    for tree in range(ours.shape[1]):
        pairs = set(zip(ours[:, tree].tolist(), theirs[:, tree].tolist(), strict=True))
        assert len(pairs) == len(set(ours[:, tree])) == len(set(theirs[:, tree]))


@pytest.mark.parametrize("name", SKLEARN_NAMES)
def test_nodes_of_leaves_are_numbered_as_in_scikit_learn(name: str) -> None:
    model = fitted(name)
    ensemble = model.read.ensemble

    codes = model.session.run_in_chunks(model.rows).leaves
    nodes = ensemble.leaf_nodes[codes + ensemble.leaf_offsets[:-1]] - ensemble.offsets[:-1]

    np.testing.assert_array_equal(nodes, model.library_leaves())


@pytest.mark.parametrize("name", ALL_MODELS)
def test_scores_and_labels_are_those_of_the_models_own_library(name: str) -> None:
    model = fitted(name)
    outcome = model.session.run_in_chunks(model.rows)

    np.testing.assert_allclose(outcome.scores, model.library_scores(), rtol=1e-5, atol=1e-4)
    if model.is_classifier:
        assert outcome.labels is not None
        labels = np.array(model.read.description.classes)[outcome.labels]
        np.testing.assert_array_equal(labels, model.library_labels())
    else:
        assert outcome.labels is None


@pytest.mark.parametrize("name", PIPELINES)
def test_leaves_behind_preprocessing_are_those_of_scikit_learn(name: str) -> None:
    model = fitted_pipeline(name)
    ensemble = model.read.ensemble
    outcome = model.session.run_in_chunks(model.rows)

    nodes = ensemble.leaf_nodes[outcome.leaves + ensemble.leaf_offsets[:-1]] - ensemble.offsets[:-1]

    np.testing.assert_array_equal(nodes, model.library_leaves())
    np.testing.assert_allclose(outcome.scores, model.library_scores(), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", ["random_forest_multiclass", "bagging_of_features_binary", "catboost_regression"])
def test_a_row_alone_and_a_row_among_others_come_out_alike(name: str) -> None:
    model = fitted(name)
    together = model.session.run_in_chunks(model.rows)

    for position in range(0, len(model.rows), 50):
        alone = model.session.run(model.session.encode(model.rows.take(slice(position, position + 1))))
        np.testing.assert_array_equal(alone.leaves[0], together.leaves[position])
        np.testing.assert_array_equal(alone.scores[0], together.scores[position])


def test_a_matrix_and_rows_come_out_alike() -> None:
    model = fitted("random_forest_binary")

    by_matrix = model.session.run(model.session.encode_matrix(model.features.astype(np.float64)))

    np.testing.assert_array_equal(by_matrix.leaves, model.session.run_in_chunks(model.rows).leaves)


@pytest.mark.parametrize("name", [f"{family}_binary" for family in FORESTS])
def test_a_naive_walk_through_the_arrays_ends_at_the_same_leaves(name: str) -> None:
    model = fitted(name)
    columns = np.array([column.raw_index for column in model.read.description.columns], np.int64)
    some = model.rows.take(slice(0, 60))

    leaves = walk_leaves(model.read.ensemble, model.features[:60, columns])

    np.testing.assert_array_equal(leaves, model.session.run_in_chunks(some).leaves)


def test_many_rows_go_through_in_pieces_and_report_how_far_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted("random_forest_binary")
    whole = model.session.run_in_chunks(model.rows)
    monkeypatch.setattr(session_module, "_MAX_CHUNK_ROWS", 100)
    session = ModelSession(model.read.leaf_graph, model.read.description)
    fractions: list[float] = []

    parts = session.run_in_chunks(model.rows, lambda fraction, stage: fractions.append(fraction))  # noqa: ARG005

    np.testing.assert_array_equal(parts.leaves, whole.leaves)
    assert len(fractions) == 6
    assert fractions[-1] == 1.0


@pytest.mark.parametrize("name", ["random_forest_multiclass", "gradient_boosting_binary", "extra_trees_regression"])
def test_leaves_are_written_where_they_are_wanted_whatever_the_blocks(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fitted(name)
    whole = model.session.run_in_chunks(model.rows)
    monkeypatch.setattr(session_module, "_MAX_CHUNK_ROWS", 30)
    session = ModelSession(model.read.leaf_graph, model.read.description)
    codes = np.zeros(whole.leaves.T.shape, np.uint8)
    cuts = [0, 7, 7, 130, len(model.rows)]
    blocks = (model.rows.take(slice(*cut)) for cut in pairwise(cuts))

    predictions = session.fill(codes, blocks)

    np.testing.assert_array_equal(codes.T, whole.leaves)
    np.testing.assert_array_equal(predictions.scores, whole.scores)
    if whole.labels is None:
        assert predictions.labels is None
    else:
        np.testing.assert_array_equal(predictions.labels, whole.labels)


def test_a_listener_that_stops_the_work_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted("random_forest_binary")
    monkeypatch.setattr(session_module, "_MAX_CHUNK_ROWS", 5)
    session = ModelSession(model.read.leaf_graph, model.read.description)
    before = threading.active_count()
    reported: list[float] = []

    def stop(fraction: float, stage: str) -> None:  # as listeners are called
        reported.append(fraction)
        if len(reported) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        session.fill(np.zeros((20, len(model.rows)), np.uint8), [model.rows], stop)

    assert threading.active_count() == before
    assert reported == [pytest.approx(n * 5 / len(model.rows)) for n in (1, 2, 3)]


def test_no_rows_give_an_empty_outcome() -> None:
    model = fitted("random_forest_multiclass")

    outcome = model.session.run_in_chunks(model.rows.take(slice(0, 0)))

    assert outcome.scores.shape == (0, 3)
    assert outcome.leaves.shape == (0, 20)


def test_features_are_found_by_name_whatever_their_order() -> None:
    model = fitted("random_forest_binary")
    shuffled = model.rows.select(model.rows.names[::-1])

    outcome = model.session.run_in_chunks(shuffled)

    np.testing.assert_array_equal(outcome.leaves, model.session.run_in_chunks(model.rows).leaves)


def test_a_feature_that_is_lacking_is_named() -> None:
    model = fitted("random_forest_binary")

    with pytest.raises(InvalidInput, match="'f3'") as caught:
        model.session.encode(model.rows.select([name for name in model.rows.names if name != "f3"]))

    assert caught.value.code == "schema_mismatch"


@pytest.mark.parametrize("value", [3.5e38, -1e300])
def test_a_finite_number_that_is_infinite_in_float32_is_refused(value: float) -> None:
    model = fitted("random_forest_binary")
    values = model.features.astype(np.float64)[:5]
    values[2, 7] = value

    with pytest.raises(RowRefused, match=r"feature 'f7'.*is infinite as float") as caught:
        model.session.encode_matrix(values)

    assert (caught.value.code, caught.value.row) == ("non_finite_number", 2)


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_an_infinite_number_is_a_value_unless_the_library_refuses_it(infinity: float) -> None:
    model = fitted("random_forest_binary")
    values = model.features.astype(np.float64)[:5]
    values[2, 7] = infinity
    finite_only = ModelSession(model.read.leaf_graph, replace(model.read.description, finite_only=True))

    taken = model.session.run(model.session.encode_matrix(values))
    with pytest.raises(RowRefused, match="is refused by the model's library, too") as caught:
        finite_only.encode_matrix(values)

    np.testing.assert_array_equal(taken.leaves, walk_leaves(model.read.ensemble, values))
    assert (caught.value.code, caught.value.row) == ("non_finite_number", 2)


def test_a_bad_row_is_named_by_its_position_among_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "_CELLS_PER_CHUNK", 1000)
    model = fitted("random_forest_binary")
    session = ModelSession(model.read.leaf_graph, model.read.description)
    columns = [column.copy() for column in model.rows.columns]
    columns[3][[-200, -1]] = 1e39
    rows = Rows(model.rows.names, tuple(columns))

    for blocks in ([rows], [rows.take(slice(0, 60)), rows.take(slice(60, len(rows)))]):
        with pytest.raises(RowRefused) as caught:
            session.fill(np.zeros((20, len(rows)), np.uint8), blocks)
        assert caught.value.row == len(rows) - 200


def test_a_text_where_a_number_belongs_is_refused() -> None:
    model = fitted_pipeline("scaled_and_one_hot")

    with pytest.raises(RowRefused, match="'age': a number is expected; the value is 'old'") as caught:
        model.session.encode(_with(model.rows, "age", "old"))

    assert caught.value.code == "bad_feature_type"


def test_a_number_where_a_category_belongs_is_refused() -> None:
    model = fitted_pipeline("scaled_and_one_hot")

    with pytest.raises(RowRefused, match="'sex': the model takes a category") as caught:
        model.session.encode(_with(model.rows, "sex", 1.0))

    assert caught.value.code == "bad_feature_type"


@pytest.mark.parametrize(("value", "given"), [(np.nan, "missing"), (2.5, "2.5")])
def test_an_integer_input_takes_neither_missing_values_nor_fractions(value: float, given: str) -> None:
    model = fitted_pipeline("scaled_and_one_hot")

    with pytest.raises(RowRefused, match=f"'pclass'.*the value is {given}") as caught:
        model.session.encode(_with(model.rows, "pclass", value))

    assert caught.value.code == "bad_feature_type"


def test_a_column_without_any_value_may_be_of_either_kind() -> None:
    model = fitted_pipeline("scaled_and_one_hot")
    rows = _with(_with(model.rows, "embarked", np.nan), "age", None)

    outcome = model.session.run(model.session.encode(rows))

    same = _with(_with(model.rows, "embarked", None), "age", np.nan)
    np.testing.assert_array_equal(outcome.leaves, model.session.run(model.session.encode(same)).leaves)


def test_a_category_that_the_graph_refuses_fails_its_own_row_only() -> None:
    model = fitted_pipeline("imputed_categories")
    some = model.rows.take(slice(0, 6))
    texts = some.columns[some.names.index("embarked")].copy()
    texts[4] = "Zanzibar"
    columns = [texts if name == "embarked" else some.columns[at] for at, name in enumerate(some.names)]

    result = model.session.run_rows(Rows(some.names, tuple(columns)))

    ((position, refusal),) = result.refused
    assert position == 4
    assert refusal.code == "unknown_category"
    assert "'embarked': 'Zanzibar'" in refusal.detail
    assert result.accepted.tolist() == [0, 1, 2, 3, 5]
    expected = model.session.run_in_chunks(some).leaves[result.accepted]
    np.testing.assert_array_equal(result.outcome.leaves, expected)


@pytest.mark.parametrize(("positions", "most_calls"), [([0], 20), ([137, 138, 300], 40), ([*range(256)], 420)])
def test_refused_rows_cost_the_others_few_calls_of_the_graph(
    positions: list[int], most_calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fitted_pipeline("imputed_categories")
    some = model.rows.take(slice(0, 512))
    texts = some.columns[some.names.index("embarked")].copy()
    texts[positions] = "Zanzibar"
    columns = [texts if name == "embarked" else some.columns[at] for at, name in enumerate(some.names)]
    expected = model.session.run_in_chunks(some)
    run = Mock(wraps=model.session.run)
    monkeypatch.setattr(model.session, "run", run)

    result = model.session.run_rows(Rows(some.names, tuple(columns)))

    assert expected.labels is not None
    accepted = np.setdiff1d(np.arange(len(some)), positions)
    assert [position for position, _ in result.refused] == positions
    np.testing.assert_array_equal(result.accepted, accepted)
    np.testing.assert_array_equal(result.outcome.leaves, expected.leaves[accepted])
    np.testing.assert_array_equal(result.outcome.scores, expected.scores[accepted])
    np.testing.assert_array_equal(result.outcome.labels, expected.labels[accepted])
    assert run.call_count <= most_calls  # one by one there would be 513


def test_the_first_of_many_rows_that_the_graph_refuses_is_named() -> None:
    model = fitted_pipeline("imputed_categories")
    texts = model.rows.columns[model.rows.names.index("embarked")].copy()
    texts[[137, 300]] = "Zanzibar", "Atlantis"
    columns = [texts if name == "embarked" else model.rows.columns[at] for at, name in enumerate(model.rows.names)]

    with pytest.raises(RowRefused) as refused:
        model.session.run_in_chunks(Rows(model.rows.names, tuple(columns)))

    assert refused.value.row == 137
    assert "Zanzibar" in refused.value.detail
    assert "Atlantis" not in refused.value.detail


def test_a_single_refused_row_leaves_an_empty_outcome() -> None:
    model = fitted_pipeline("imputed_categories")

    result = model.session.run_rows(_with(model.rows, "embarked", "Zanzibar").take(slice(0, 1)))

    assert [position for position, _ in result.refused] == [0]
    assert len(result.outcome.leaves) == 0


def test_a_category_never_seen_is_passed_on_where_the_graph_takes_it() -> None:
    model = fitted_pipeline("scaled_and_one_hot")

    result = model.session.run_rows(_with(model.rows, "embarked", "Zanzibar"))

    assert result.refused == ()


def test_a_graph_that_the_runtime_cannot_open_is_refused() -> None:
    model = fitted("random_forest_binary")

    with pytest.raises(ModelRefused) as caught:
        ModelSession(model.read.leaf_graph[:5000], model.read.description)

    assert caught.value.code == "model_invalid_graph"


def test_opening_models_does_not_load_the_parser() -> None:
    code = "import sys; import tree_explainers.onnx_models.session; sys.exit('onnx' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # our own code


def _with(rows: Rows, name: str, value: float | str | None) -> Rows:
    """Return the rows with one column set to a value throughout."""
    dtype = np.float64 if isinstance(value, float) else object
    changed = np.full(len(rows), value, dtype=dtype)
    return Rows(rows.names, tuple(changed if name == each else rows.columns[at] for at, each in enumerate(rows.names)))


@pytest.mark.parametrize("name", [*ALL_MODELS])
def test_predictions_without_leaves_are_those_with_leaves(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "_MAX_CHUNK_ROWS", 64)
    model = fitted(name)
    session = ModelSession(model.read.leaf_graph, model.read.description)

    outcome, predictions = session.run_in_chunks(model.rows), session.predict(model.rows)

    np.testing.assert_array_equal(predictions.scores, outcome.scores)
    np.testing.assert_array_equal(predictions.labels, outcome.labels)
