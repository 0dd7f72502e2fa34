"""Label audit jobs: the ranks of the slow twin on real rows with flipped labels, and their published form."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from schemas.label_audits import LABEL_AUDITS
from tests.support import naive_label_audit
from tests.support.models import matrix_data, onnx_of
from tests.support.real_jobs import CLASSIFICATIONS, N_TRAINING_ROWS, RealCase
from tests.support.sampling import mostly_long
from tests.support.workshop import Workshop, cautions_of, result_of
from tree_explainers import out_of_bag_votes
from tree_explainers.leaf_space.leaves import ProximityKind
from workers.jobs import label_estimates

from .conftest import FindCase

_N_FLIPPED = 40
_BY: dict[str, dict[str, Any]] = {
    "neighbors": {"settings": "paper"},
    "neighbors, scores": {"method": "neighbors", "n_neighbors": 10, "min_leaf_rows": 1},
    "all_rows": {"method": "all_rows", "min_leaf_rows": 1, "use_scores": False},
    "all_rows, scores": {"method": "all_rows", "min_leaf_rows": 1, "use_scores": True},
}


def _flipped(case: RealCase) -> NDArray[np.int64]:
    classes = case.classes("target").copy()
    rows = np.random.default_rng(1).choice(N_TRAINING_ROWS, _N_FLIPPED, replace=False)
    classes[rows] = (classes[rows] + 1) % (classes.max() + 1)
    return classes


def _register(workshop: Workshop, case: RealCase, labels: NDArray[np.int64]) -> str:
    frame = pd.DataFrame(case.real.features[case.training], columns=case.opened.view.feature_names)
    identifiers = [f"row {row}" for row in range(N_TRAINING_ROWS)]
    return workshop.register_dataset(frame.assign(t=labels, id=identifiers), target="t", row_id="id")


def _scores(case: RealCase, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what the model, asked for these rows alone, gives each label."""
    session = case.opened.session
    found = session.run(session.encode_matrix(case.real.features[case.training].astype(np.float64))).scores
    return np.asarray(found[np.arange(len(labels)), labels], np.float64)


@pytest.mark.parametrize("method", list(_BY))
@pytest.mark.parametrize("kind", ["random_forest", "boosting"])
@pytest.mark.parametrize("name", CLASSIFICATIONS)
@pytest.mark.sampled("values")
def test_rows_rank_as_in_the_slow_twin(
    workshop: Workshop, real_case: FindCase, name: str, kind: ProximityKind, method: str
) -> None:
    case = real_case(name, kind)
    labels = _flipped(case)

    dataset = _register(workshop, case, labels)
    made = workshop.audit(model=case.model, dataset=dataset, **_BY[method])

    scores = _scores(case, labels) if made.request.use_scores else None
    if made.request.method == "neighbors":
        expected = naive_label_audit.audit(case.training_proximity, labels, 10, scores)
    else:
        expected = naive_label_audit.audit_by_all(case.training_proximity, labels, scores)
    classes, total = case.opened.view.classes, int(case.weights.sum())
    table, estimated = workshop.table_of(LABEL_AUDITS, made).to_pylist(), result_of(made).estimated_wrong
    assert estimated is not None
    assert [line["row"] for line in table] == [each.row for each in expected]
    for rank, (line, each) in enumerate(zip(table, expected, strict=True), 1):
        agreement, score = each.agreement, None if scores is None else scores[each.row]
        assert line == {
            "rank": rank,
            "row": each.row,
            "row_id": f"row {each.row}",
            "label": classes[labels[each.row]],
            "agreement": None if agreement is None else float(agreement),
            "score": score,
            "support": None if agreement is None else float(agreement) * (1 if score is None else score),
            "n_neighbors": each.n_neighbors if made.request.method == "neighbors" else None,
            "disagreeing_proximity": each.disagreeing / total,
            "suggested_label": None if each.suggested < 0 or rank > estimated.number else classes[each.suggested],
            "predicted_label": str(case.real.predicted[each.row]),
            "wrong_probability": line["wrong_probability"],
        }
    assert [row.model_dump() for row in result_of(made).rows] == table[:100]


def test_wrong_labels_are_estimated_with_an_interval_and_fall_from_rank_to_rank(
    workshop: Workshop, real_case: FindCase
) -> None:
    case = real_case("breast_cancer", "random_forest")
    labels = _flipped(case)

    made = workshop.audit(model=case.model, dataset=_register(workshop, case, labels))
    clean = workshop.audit(model=case.model, dataset=_register(workshop, case, case.classes("target")))

    found, of_clean = result_of(made).estimated_wrong, result_of(clean).estimated_wrong
    assert found is not None
    assert of_clean is not None
    assert _N_FLIPPED / 1.5 < found.number < _N_FLIPPED * 1.5
    assert found.low <= _N_FLIPPED <= found.high
    assert (found.level, found.n_rows, found.n_trees) == (0.9, N_TRAINING_ROWS, 200)
    assert of_clean.low == 0
    assert of_clean.high < found.low
    assert result_of(made).n_suggested <= found.number
    probabilities = workshop.table_of(LABEL_AUDITS, made).to_pandas()["wrong_probability"]
    assert probabilities.is_monotonic_decreasing
    assert probabilities.between(0, 1).all()
    assert probabilities.sum() == pytest.approx(found.number, abs=0.5)


def test_where_there_may_be_no_wrong_label_the_audit_cautions_of_its_estimate(workshop: Workshop) -> None:
    rng = np.random.default_rng(0)
    features = rng.standard_normal((500, 3)).astype(np.float32)
    overlapping = (features[:, 0] + rng.standard_normal(500) > 0).astype(np.int64)
    forest = RandomForestClassifier(20, min_samples_leaf=10, random_state=0).fit(features, overlapping)
    names = [f"f{column}" for column in range(features.shape[1])]
    model = workshop.register_model(onnx_of(forest, features), feature_names=names, ensemble="random_forest")
    dataset = workshop.register_dataset(pd.DataFrame(features, columns=names).assign(t=overlapping), target="t")

    result = result_of(workshop.audit(model=model, dataset=dataset))

    wrong = result.estimated_wrong
    assert wrong is not None
    assert wrong.low == 0 < wrong.number
    expected = f"estimated number of wrong labels, {wrong.number:,}, is uncertain: classes overlap so much"
    assert expected in cautions_of(result)


def test_the_seed_draws_the_trees_of_the_estimate(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("breast_cancer", "random_forest")
    dataset = _register(workshop, case, _flipped(case))

    first, again, other = (workshop.audit(model=case.model, dataset=dataset, seed=seed) for seed in (0, 0, 1))

    tables = [workshop.table_of(LABEL_AUDITS, made).to_pandas() for made in (first, again, other)]
    assert tables[0]["wrong_probability"].tolist() == tables[1]["wrong_probability"].tolist()
    assert tables[0]["wrong_probability"].tolist() != tables[2]["wrong_probability"].tolist()
    assert tables[0]["row"].tolist() == tables[2]["row"].tolist()


@pytest.mark.parametrize(("n_rows", "n_labels"), [(49, 2), (120, 1)])
def test_nothing_is_estimated_of_few_rows_or_a_single_label(
    workshop: Workshop, real_case: FindCase, n_rows: int, n_labels: int
) -> None:
    case = real_case("breast_cancer", "random_forest")
    frame = pd.DataFrame(case.real.features[case.training], columns=case.opened.view.feature_names)
    dataset = workshop.register_dataset(frame[:n_rows].assign(t=np.arange(n_rows) % n_labels), target="t")

    made = workshop.audit(model=case.model, dataset=dataset)

    assert result_of(made).estimated_wrong is None
    assert workshop.table_of(LABEL_AUDITS, made).to_pandas()["wrong_probability"].isna().all()


@pytest.mark.parametrize("n_sampled", mostly_long([100, 200], 100))
def test_a_sample_of_the_rows_says_how_many_labels_are_wrong(
    workshop: Workshop, real_case: FindCase, n_sampled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(out_of_bag_votes, "_MOST_ROWS", n_sampled)
    case = real_case("breast_cancer", "random_forest")

    dataset = _register(workshop, case, _flipped(case))
    made = workshop.audit(model=case.model, dataset=dataset, seed=n_sampled)  # an audit that there is not yet

    found = result_of(made).estimated_wrong
    assert found is not None
    assert found.n_rows == n_sampled
    assert found.low <= _N_FLIPPED <= found.high
    probabilities = workshop.table_of(LABEL_AUDITS, made).to_pandas()["wrong_probability"]
    assert len(probabilities) == N_TRAINING_ROWS
    assert probabilities.is_monotonic_decreasing
    assert probabilities.sum() == pytest.approx(found.number, abs=0.5)


def test_categories_and_missing_cells_are_numbered() -> None:
    columns = [np.array(["b", None, "a", "b"], object), np.array([1.5, np.nan, np.inf, 1e300])]

    matrix = label_estimates._matrix(columns)  # what the trees are grown on has no other name

    expected = np.array([[1, 1.5], [np.nan, np.nan], [0, np.inf], [1, np.inf]], np.float32)
    np.testing.assert_array_equal(matrix, expected)


def test_all_rows_together_are_summed_up(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("breast_cancer", "random_forest")
    labels = _flipped(case)

    made = workshop.audit(
        model=case.model, dataset=_register(workshop, case, labels), method="neighbors", n_neighbors=5
    )

    lines = workshop.table_of(LABEL_AUDITS, made).to_pandas()
    result = result_of(made)
    assert (result.method, result.proximity_kind, result.n_rows, result.n_trees, result.n_neighbors) == (
        "neighbors",
        "random_forest",
        N_TRAINING_ROWS,
        30,
        5,
    )
    assert result.classes == case.opened.view.classes
    assert result.mean_agreement == pytest.approx(lines["agreement"].mean())
    assert result.n_suggested == lines["suggested_label"].notna().sum()
    assert result.n_without_neighbors == (lines["n_neighbors"] == 0).sum()
    assert result.model_agreement == (lines["label"] == lines["predicted_label"]).mean()
    assert result.cautions == []


@pytest.mark.parametrize(
    ("kind", "n_rows", "n_neighbors"),
    [("random_forest", 300, None), ("boosting", 300, 50), ("boosting", 40, 39)],
)
def test_auto_lets_all_rows_vote_by_a_forest_and_the_nearest_by_boosting(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind, n_rows: int, n_neighbors: int | None
) -> None:
    case = real_case("breast_cancer", kind)
    labels = _flipped(case)
    frame = pd.DataFrame(case.real.features[case.training], columns=case.opened.view.feature_names).assign(t=labels)
    dataset = workshop.register_dataset(frame[:n_rows], target="t")

    chosen = result_of(workshop.audit(model=case.model, dataset=dataset, min_leaf_rows=1))

    method = "all_rows" if n_neighbors is None else "neighbors"
    assert (chosen.method, chosen.n_neighbors, chosen.use_scores) == (method, n_neighbors, True)
    named = result_of(workshop.audit(model=case.model, dataset=dataset, method=method, min_leaf_rows=1))
    assert named == chosen


def test_a_model_that_repeats_the_labels_is_cautioned_of(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("breast_cancer", "random_forest")
    predicted = np.array([case.opened.view.classes.index(str(label)) for label in case.real.predicted])

    made = workshop.audit(model=case.model, dataset=_register(workshop, case, predicted[case.training]))

    result = result_of(made)
    assert result.model_agreement == 1
    assert "the model predicts 100.0% of these labels" in cautions_of(result)


def test_flipped_labels_rank_early(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("breast_cancer", "random_forest")
    labels = _flipped(case)
    is_flipped = labels != case.classes("target")

    made = workshop.audit(model=case.model, dataset=_register(workshop, case, labels))

    first = result_of(made).rows[:_N_FLIPPED]
    assert np.mean([is_flipped[row.row] for row in first]) > 0.8  # by chance 0.13


def test_where_trees_of_pure_leaves_say_nothing_auto_finds_flipped_labels_in_coarser_ones(workshop: Workshop) -> None:
    features, target = matrix_data("binary")
    is_flipped = np.zeros(len(target), dtype=np.bool_)
    is_flipped[np.random.default_rng(0).choice(len(target), 50, replace=False)] = True
    given = np.where(is_flipped, 1 - target, target)
    trees = ExtraTreesClassifier(30, random_state=0).fit(features, given)
    names = [f"f{column}" for column in range(features.shape[1])]
    model = workshop.register_model(onnx_of(trees, features), feature_names=names, ensemble="random_forest")
    dataset = workshop.register_dataset(pd.DataFrame(features, columns=names).assign(t=given), target="t")

    by_own_leaves = result_of(workshop.audit(model=model, dataset=dataset, min_leaf_rows=1))
    coarser = result_of(workshop.audit(model=model, dataset=dataset))

    assert (by_own_leaves.min_leaf_rows, by_own_leaves.leaf_steps) == (1, [])
    assert [step.min_leaf_rows for step in coarser.leaf_steps] == [1, 2]
    assert [step.unopposed <= 0.1 for step in coarser.leaf_steps] == [False, True]
    assert (coarser.min_leaf_rows, coarser.n_trees_used) == (2, coarser.leaf_steps[1].n_trees_used)
    assert "coarser leaves were used" in cautions_of(coarser)
    found = [np.mean([is_flipped[row.row] for row in each.rows[:50]]) for each in (by_own_leaves, coarser)]
    assert found[0] < 0.5
    assert found[1] >= 0.8


def test_auto_keeps_the_trees_own_leaves_where_rows_meet_others_in_them(
    workshop: Workshop, real_case: FindCase
) -> None:
    case = real_case("titanic", "random_forest")

    result = result_of(workshop.audit(model=case.model, dataset=case.dataset, min_leaf_rows="auto"))

    assert [step.min_leaf_rows for step in result.leaf_steps] == [1]
    assert result.min_leaf_rows == 1
    assert result.leaf_steps[0].unopposed == naive_label_audit.unopposed(
        case.training_proximity, case.classes("target")
    )


def test_a_label_that_the_model_does_not_know_fails_the_job_and_names_the_row(
    workshop: Workshop, real_case: FindCase
) -> None:
    case = real_case("breast_cancer", "random_forest")
    labels = _flipped(case)
    labels[17] = 9

    made = workshop.audit(model=case.model, dataset=_register(workshop, case, labels))

    assert (made.status, made.result) == ("failed", None)
    assert made.problem is not None
    assert made.problem.code == "schema_mismatch"
    assert "row 17" in made.problem.detail
